/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_CACHE_H
#define KITH_REFSET_CACHE_H

#include "set/refset_search.h"

/*
 * A set for matching (set.h) that is an SQLite file.  Records that were asked for lately, and which record a
 * sample is in, are kept: objects that lie together tend to be related to the same files, and each of these
 * is asked for several times.
 */
struct refset_cache;

/* bytes: that it may use, about.  The search is borrowed. */
struct refset_cache *refset_cache_new(struct refset_search *search, size_t bytes, struct error *err);
void refset_cache_free(struct refset_cache *cache);
/* The set, which lives as long. */
struct set *refset_cache_set(struct refset_cache *cache);

#endif
