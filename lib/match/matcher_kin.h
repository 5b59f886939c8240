/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MATCHER_KIN_H
#define KITH_MATCHER_KIN_H

#include "match/matcher_lookup.h"

/* A reference that has matches. */
struct kin {
    uint64_t record;     /* its first sample */
    uint64_t samples;    /* it has so many */
    size_t first, count; /* the matches */
};

/* All of them, those with most matches first, and of these the smallest.  Zeros are an empty one. */
struct kin_list {
    struct kin *list;
    size_t count, room;
    uint8_t *claims; /* of each query of the object: so many candidates have it */
    size_t claim_room;
};

/* Those with at least so many matches; nothing is claimed. */
int matcher_kin_gather(struct kin_list *kin, const struct lookup *lookup, struct refset_cache *cache,
                       size_t least, struct error *err);
void matcher_kin_release(struct kin_list *kin);

/* One more candidate explains the query. */
void matcher_kin_claim(struct kin_list *kin, uint32_t query);
/* Whether so many candidates explain its matches that it is only to be counted. */
bool matcher_kin_is_one_of_many(const struct kin_list *kin, const struct lookup *lookup,
                                const struct kin *one);

#endif
