/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FAMILIES_H
#define KITH_FAMILIES_H

#include "match/effort.h"
#include "match/seeds.h"

/*
 * Whether the references that have a sample are near-copies of each other.
 *
 * Content that very many references have is no evidence of a part of one of them if they have nothing else in
 * common, as with a licence.  If they resemble each other as wholes, they are a few files in many versions,
 * and the content is evidence of these.  So near-copies that someone adds to a set hide nothing.
 *
 * The records of a set lack fingerprints.  Two of them are compared by the characters of consecutive samples
 * and their distances, of which each record keeps a few, chosen by hash: the smallest ones of both together
 * are a random selection of all.
 */
struct families {
    struct families_sketch *sketches;  /* of references compared lately */
    struct families_outcome *outcomes; /* of samples examined lately */
    struct families_sketch *compared;  /* the references of a sample */
    struct set_hits hits;
    uint64_t turn; /* changes with each object */
};

/* Starts the next search, whose work is counted as if nothing were known of earlier ones. */
void families_begin(struct families *families);

/* Frees the memory.  A zeroed struct is empty. */
void families_release(struct families *families);

/*
 * Examines the references that have a sample with this key (known_key).  *files: how many there are, if most
 * are near-copies of others, or if the content would be rare without near-copies (seeds_is_rare); else 0.
 * Returns -1 on error.
 */
int families_judge(struct families *families, const struct seeds *seeds, uint64_t key, struct effort *effort,
                   uint32_t *files, struct error *err);

#endif
