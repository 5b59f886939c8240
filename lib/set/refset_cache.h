/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_CACHE_H
#define KITH_REFSET_CACHE_H

#include "set/refset_search.h"

/*
 * Records of a set that were asked for lately, and which record a sample is in: objects that lie together
 * tend to have the same kin, and each of them is asked for several times.
 */
struct refset_cache;

/* bytes: that it may use, about. */
struct refset_cache *refset_cache_new(struct refset_search *search, size_t bytes, struct error *err);
void refset_cache_free(struct refset_cache *cache);

/* The first sample of the record that would hold this one, and that of the next record: 1; 0 if there is
 * none. */
int refset_cache_bounds(struct refset_cache *cache, uint64_t sample, uint64_t *first, uint64_t *end,
                        struct error *err);

/* The record with this first sample; NULL on error, or with *missing if there is none.  Valid until the next
 * call. */
const struct refset_record *refset_cache_record(struct refset_cache *cache, uint64_t first, bool *missing,
                                                struct error *err);

#endif
