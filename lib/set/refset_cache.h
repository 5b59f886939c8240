/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_CACHE_H
#define KITH_REFSET_CACHE_H

#include "set/refset_search.h"

/*
 * A set for matching (set.h) that is stored in an SQLite file.  Recently requested records, and which record
 * a sample is in, are cached: objects that lie together tend to be related to the same files, and each of
 * these is requested several times.
 */
struct refset_cache;

/* bytes: approximate memory limit.  The search is borrowed.  Returns NULL on error. */
struct refset_cache *refset_cache_new(struct refset_search *search, size_t bytes, struct error *err);
void refset_cache_free(struct refset_cache *cache);
/* Returns the set, which lives as long as the cache. */
struct set *refset_cache_set(struct refset_cache *cache);

#endif
