/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CLAIMS_H
#define KITH_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "disk/object.h"

/*
 * What objects may claim to hold, so that a hostile file system does not keep a worker busy for ever.  Zeros
 * that no block holds cost time to hash and nothing to claim; and files may claim the same blocks.  The
 * limits hold for what is taken together.  One of zeros has seen nothing yet.
 */

/* In an object with too many holes, those of this many bytes on are passed over. */
#define CLAIMS_LEAST_HOLE ((uint64_t)1 << 20)

struct claims {
    bool is_trusted;        /* sizes are what the system of the host says */
    bool by_object;         /* an object can do without a digest: then it is judged by itself */
    uint64_t holes, stored; /* bytes so far */
};

/* Begins anew; the first two members stay. */
void claims_reset(struct claims *claims);

/* Whether an object has more holes than can be hashed; stored: its bytes that are not holes. */
bool claims_are_hollow(struct claims *claims, const struct object *object, uint64_t stored);

/* Whether more bytes are stored, with these, than a medium of that size can be asked for. */
bool claims_exceed(struct claims *claims, uint64_t medium_size, uint64_t stored);

#endif
