/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_HASHER_PAIR_H
#define KITH_HASHER_PAIR_H

#include <stdint.h>

#include "base/error.h"
#include "sample/hasher.h"

/*
 * Two hashers for content that goes into a set or is compared with one.  Content that is small for the set is
 * sampled more densely than the set's C, as its length asks for; all other content at the set's C, and only
 * then can samples be taken while it is read (hasher_take).
 */
struct hasher_pair {
    struct hasher *small, *large;
    uint32_t c; /* the set's */
};

/* gf8, with windows of n bytes; digests as for hasher_new.  -1 on error, and then the pair is closed. */
int hasher_pair_open(struct hasher_pair *pair, uint32_t n, uint32_t c, unsigned digests, struct error *err);
/* A pair of zeros can be closed, too. */
void hasher_pair_close(struct hasher_pair *pair);

/* The one for content of len bytes; it lives in the pair. */
struct hasher *hasher_pair_for(const struct hasher_pair *pair, uint64_t len);

#endif
