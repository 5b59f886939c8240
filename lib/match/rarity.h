/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_RARITY_H
#define KITH_RARITY_H

#include "compare/finding.h"
#include "match/seeds.h"

/*
 * How rare the content of a finding is among the references of its set.
 *
 * A sample that h samples of a set with N references are equal to has rarity 1 - ln(h) / ln(N + 64): 1 if one
 * reference has it, close to 0 if nearly all have.  The 64 keep two versions of a file in a small set from
 * counting as common content.  That of a finding is the mean over the object's samples in its ranges, as far
 * as they were looked up.
 */
struct rarity {
    const struct queries *queries;
    uint32_t *hits; /* samples of the set that are equal to each query of the object; 0: unknown */
    double references;
    size_t room;
};

/* A zeroed struct is empty; what it points to is borrowed until the next call.  Counts for an object that was
 * searched for these seeds.  Returns -1 if out of memory. */
int rarity_begin(struct rarity *rarity, const struct seeds *seeds, const struct queries *queries,
                 struct error *err);
void rarity_release(struct rarity *rarity);

/* The rarity of the object's bytes in these ranges, 0 to 1; 1 if nothing is known of them. */
double rarity_of(const struct rarity *rarity, const struct finding_range *ranges, size_t count);

#endif
