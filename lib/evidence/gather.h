/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_GATHER_H
#define KITH_GATHER_H

#include <stddef.h>
#include <stdint.h>

#include "disk/medium.h"
#include "disk/object.h"

/*
 * The runs of many small objects, read together: sorted by their position on the image and read in as few
 * pieces as is sensible.  Initialize to zeros.
 */
enum { GATHER_MOST = 4 << 20 }; /* maximum total bytes of all runs added */

struct gather {
    struct gather_piece {
        uint64_t image, len;
        const uint8_t *at; /* its bytes, once they have been read */
    } * pieces;
    size_t count, room;
};

/* Both empty it; reset keeps the memory for reuse. */
void gather_release(struct gather *gather);
void gather_reset(struct gather *gather);

/* Adds the runs of an object; -1 if out of memory. */
int gather_add(struct gather *gather, const struct object *object);
/* Reads all runs.  into: room for 2 * GATHER_MOST bytes, which must stay valid. */
void gather_read(struct gather *gather, struct medium *medium, uint8_t *into);
/* Returns the bytes of a run that was added; only after gather_read. */
const uint8_t *gather_find(const struct gather *gather, const struct object_run *run);

#endif
