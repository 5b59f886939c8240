/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_INSPECT_H
#define KITH_INSPECT_H

#include <stdbool.h>
#include <stdint.h>

#include "container/opening.h"
#include "crew/crew.h"
#include "disk/content_part.h"
#include "disk/content_units.h"
#include "disk/inspector.h"
#include "disk/medium.h"
#include "evidence/gather.h"

/*
 * Passes one object to an inspector, from whichever source its bytes come.  Each of these functions begins
 * and ends the object, and blames it for bytes that could not be read.
 */
struct inspect {
    const struct inspector *inspector;
    void *state;
    struct crew_worker *worker; /* gets the progress reports */
    uint8_t *room;              /* INSPECT_PIECE bytes */
    struct opening *opening;    /* notices containers in free space; NULL: none are opened */
    /* What the inspector may read again. */
    struct content_runs runs;
    struct content_units units;
    struct content_memory memory;
    struct content *again; /* the one in use */
    bool is_muted;         /* pass nothing to the inspector: only what is packed in the object is wanted */
    bool passes_holes;     /* pass large holes to inspector->hole */
};

enum { INSPECT_PIECE = 1 << 20 }; /* bytes read and passed on at a time */

/* What the inspector was given to read again, of the object inspected last. */
struct content *inspect_again(struct inspect *inspect);

/* Blames an object for bad bytes in its runs, as counted by `bytes`: medium_bad_bytes for bytes that have
 * been read, medium_lost_bytes for bytes that may not have been. */
typedef uint64_t inspect_bytes(const struct medium *medium, uint64_t offset, uint64_t len);
void inspect_blame(const struct medium *medium, struct object *object, inspect_bytes *bytes);

/* Inspects the bytes of its runs. */
void inspect_runs(struct inspect *inspect, struct medium *medium, struct object *object);
/* The same but skipping the large holes, so that no digest is made; the object is blamed for that. */
void inspect_hollow(struct inspect *inspect, struct medium *medium, struct object *object);
/* Inspects the bytes of its runs, all of which gather has read; NULL: reads them now. */
void inspect_gathered(struct inspect *inspect, struct medium *medium, struct object *object,
                      const struct gather *gather);
/* Inspects what content yields; zeros where it cannot be read. */
void inspect_content(struct inspect *inspect, struct medium *medium, struct object *object,
                     struct content *content);
/* The same for the member of a container, which does not go on after a failure.  Leaves `room` alone. */
void inspect_member(struct inspect *inspect, struct object *object, struct content *content);

#endif
