/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_GATHER_H
#define KITH_GATHER_H

#include <stddef.h>
#include <stdint.h>

#include "disk/medium.h"
#include "disk/object.h"

/*
 * The runs of many small objects, which are read together: sorted by their place on the image, in as few
 * stretches as are sensible.  One of zeros is empty.
 */
enum { GATHER_MOST = 4 << 20 }; /* bytes in all runs that may be added */

struct gather {
    struct gather_piece {
        uint64_t image, len;
        const uint8_t *at; /* where its bytes are, once they were read */
    } * pieces;
    size_t count, room;
};

/* Both empty it; reset keeps the memory. */
void gather_release(struct gather *gather);
void gather_reset(struct gather *gather);

/* Adds the runs of an object; -1 without memory. */
int gather_add(struct gather *gather, const struct object *object);
/* Reads them all; into: room for twice GATHER_MOST bytes, which must stay. */
void gather_read(struct gather *gather, struct medium *medium, uint8_t *into);
/* The bytes of a run that was added, once they are read. */
const uint8_t *gather_find(const struct gather *gather, const struct object_run *run);

#endif
