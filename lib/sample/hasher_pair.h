/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_HASHER_PAIR_H
#define KITH_HASHER_PAIR_H

#include <stdint.h>

#include "base/error.h"
#include "sample/hasher.h"

/*
 * Two hashers for content to be added to a set or matched against one.  Small content is sampled more densely
 * than the set's C, depending on its length; all other content is sampled at the set's C, and only its
 * samples can be taken while it is being read (hasher_take).
 */
struct hasher_pair {
    struct hasher *small, *large;
    uint32_t c; /* the set's */
};

/* Scheme gf8 with windows of n bytes; keys and digests as for hasher_new_keyed.  On error returns -1 and
 * leaves nothing open. */
int hasher_pair_open(struct hasher_pair *pair, uint32_t n, uint32_t c, const struct sampler_key *const *keys,
                     size_t count, unsigned digests, struct error *err);
/* A zeroed pair may be closed, too. */
void hasher_pair_close(struct hasher_pair *pair);

/* The hasher for content of len bytes, owned by the pair. */
struct hasher *hasher_pair_for(const struct hasher_pair *pair, uint64_t len);

#endif
