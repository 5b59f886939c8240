/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LANES_H
#define KITH_LANES_H

#include "match/matcher.h"
#include "sample/hasher_pair.h"
#include "set/refset_search.h"

/*
 * The sets of a scan, divided by the keys with which they are sampled.
 *
 * Each key selects other samples of an object, so each has a matcher of its own, and all share one reading. A
 * finding does not depend on the other keys, with one exception: where a set of kind known has the object
 * itself, no set is searched for anything but digests.
 */
enum { LANES_MOST = HASHER_MOST_KEYS };

struct lane {
    const struct sampler_key *key;    /* NULL: none */
    uint32_t sets[MATCHER_MOST_SETS]; /* numbers of its sets among all, ascending */
    size_t set_count;
    struct matcher *matcher;
    struct findings found;
};

/* A zeroed struct has none. */
struct lanes {
    struct lane list[LANES_MOST];
    size_t count;
    size_t set_count; /* of all */
    bool all_references;
};

/* Divides sets by their keys: keys holds that of each set, NULL for none, or is NULL if no set has one.
 * Returns -1 if they have more than LANES_MOST different keys. */
int lanes_divide(struct lanes *lanes, struct refset_search *const *searches,
                 const struct sampler_key *const *keys, size_t count, struct error *err);
/* Makes the matchers of divided lanes, for these sets.  If this fails the process ends. */
int lanes_open(struct lanes *lanes, struct set *const *sets, const struct matcher_options *matching,
               struct error *err);
/* Opens a hasher pair that samples for each lane.  Returns -1 on error. */
int lanes_hashers(const struct lanes *lanes, struct hasher_pair *pair, uint32_t n, uint32_t c,
                  unsigned digests, struct error *err);

/* As matcher_begin and matcher_is_range, for all lanes. */
void lanes_begin(struct lanes *lanes, uint64_t size, uint32_t c, bool is_range, struct content *content);
/* Passes on the samples that the hasher found since the last call.  Returns -1 on error. */
int lanes_take(struct lanes *lanes, struct hasher *hasher, struct error *err);
/* As matcher_end: the findings have the numbers that sets have among all. */
int lanes_end(struct lanes *lanes, const struct digest_values *digests, uint32_t coincidence,
              struct findings *findings, enum verdict *verdict, struct error *err);

#endif
