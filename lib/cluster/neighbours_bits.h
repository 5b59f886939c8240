/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_NEIGHBOURS_BITS_H
#define KITH_NEIGHBOURS_BITS_H

#include "cluster/collection.h"
#include "cluster/groups.h"

/* The Hamming fingerprints of a collection: the sketches, if these are of scheme hamming; else made of the
 * fingerprints that an index would take, by threads. */
struct permutation;
struct neighbours_bits {
    const struct collection *collection;
    uint32_t k;                       /* bits */
    struct permutation *permutations; /* NULL: the sketches are fingerprints */
};

/* Returns -1 if out of memory.  Release it in any case. */
int neighbours_bits_open(struct neighbours_bits *bits, const struct collection *collection, uint32_t k,
                         struct error *err);
void neighbours_bits_release(struct neighbours_bits *bits);

/* Adds to the groups the contents that can be compared at this C (nested: modulus; 0: all), numbered as in
 * the collection.  Returns 0, 1 if it was stopped, -1 on error. */
int neighbours_bits_add(const struct neighbours_bits *bits, uint32_t c, const struct groups_run *run,
                        struct groups *groups, struct error *err);

#endif
