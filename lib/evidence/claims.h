/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CLAIMS_H
#define KITH_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "disk/object.h"

/*
 * Limits on what objects may claim to contain, so that a hostile file system cannot keep a worker busy for
 * ever.  Holes cost time to hash but cost nothing to claim, and files may claim the same blocks.  The limits
 * apply to all objects between two resets.  Initialize to zeros.
 */

/* In an object with too many hole bytes, holes of at least this size are skipped. */
#define CLAIMS_LEAST_HOLE ((uint64_t)1 << 20)

struct claims {
    bool is_trusted;        /* sizes come from the host's file system */
    bool by_object;         /* objects may go without a digest: judge each on its own */
    uint64_t holes, stored; /* bytes since the last reset */
};

/* Starts counting anew; keeps is_trusted and by_object. */
void claims_reset(struct claims *claims);

/* Returns true if the object has more hole bytes than can be hashed.  stored: its bytes outside holes. */
bool claims_are_hollow(struct claims *claims, const struct object *object, uint64_t stored);

/* Returns true if, with these bytes, more is claimed as stored than a medium of this size can account for. */
bool claims_exceed(struct claims *claims, uint64_t medium_size, uint64_t stored);

#endif
