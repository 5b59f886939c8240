/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_INSPECT_H
#define KITH_INSPECT_H

#include <stdbool.h>
#include <stdint.h>

#include "crew/crew.h"
#include "disk/content_units.h"
#include "disk/inspector.h"
#include "disk/medium.h"
#include "evidence/gather.h"

/*
 * One object on its way through an inspector, by whichever way its bytes can be had.  Each of these calls
 * begins and ends it, and notes what of it could not be read.
 */
struct inspect {
    const struct inspector *inspector;
    void *state;
    struct crew_worker *worker; /* to which progress is reported */
    uint8_t *room;              /* INSPECT_PIECE bytes */
    struct content_runs runs;   /* the way back to the bytes of the object: */
    struct content_units units; /* one of the two */
    bool passes_holes;          /* large ones, by inspector->hole */
};

enum { INSPECT_PIECE = 1 << 20 }; /* bytes that are read and given at once */

/* Blames an object for bytes of its runs that are wrong, as `bytes` counts them: medium_bad_bytes, of what
 * was read, or medium_lost_bytes, of what need not have been. */
typedef uint64_t inspect_bytes(const struct medium *medium, uint64_t offset, uint64_t len);
void inspect_blame(const struct medium *medium, struct object *object, inspect_bytes *bytes);

/* What its runs hold. */
void inspect_runs(struct inspect *inspect, struct medium *medium, struct object *object);
/* The same without the large holes, and so without a digest; the object is blamed for that. */
void inspect_hollow(struct inspect *inspect, struct medium *medium, struct object *object);
/* What its runs hold, all of which were read before. */
void inspect_gathered(struct inspect *inspect, struct medium *medium, struct object *object,
                      const struct gather *gather);
/* What content gives; what that cannot give is zeros. */
void inspect_content(struct inspect *inspect, struct medium *medium, struct object *object,
                     struct content *content);

#endif
