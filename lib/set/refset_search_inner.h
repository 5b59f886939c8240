/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_SEARCH_INNER_H
#define KITH_REFSET_SEARCH_INNER_H

#include "set/refset_blocks.h"
#include "set/refset_index.h"
#include "set/refset_search.h"

/* What the parts of the search share: refset_search.c has the filters and looks up keys,
 * refset_search_digests.c above it finds files by digests, and refset_search_rows.c reads files and records
 * by their numbers. */

enum { SEARCH_MOST_FILTERS = 64 };

/* One index: filters that let through whatever is in its segments, and the segments. */
struct search_view {
    struct bloom *filters[SEARCH_MOST_FILTERS];
    size_t filter_count;
    uint64_t spare; /* keys that may still be added to the first filter */
    struct refset_segment segments[SEARCH_MOST_FILTERS];
    uint8_t filter_of[SEARCH_MOST_FILTERS]; /* the number of each segment's filter */
    size_t segment_count;
};

struct refset_search {
    struct refset *set;
    unsigned what;
    bool shares; /* the filters are another's */
    struct search_view views[REFSET_INDEXES];
    struct refset_blocks *blocks;
    struct statement *file, *record, *firsts;
    uint64_t values[SEARCH_MOST_FILTERS * KEYBLOCK_GROUP]; /* of the key that is looked up */
    uint64_t *places;                                      /* of the record that is being unpacked */
    size_t place_room;
};

/* The numbers of the keys that a filter of the index lets through, ascending; passed has room for count. */
size_t refset_search_filter(const struct refset_search *search, enum refset_index index, const uint64_t *keys,
                            size_t count, uint32_t *passed);
/* How many values of the key are in search->values, segment after segment; -1 on error. */
int refset_search_values(struct refset_search *search, enum refset_index index, uint64_t key,
                         struct error *err);

#endif
