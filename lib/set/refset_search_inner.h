/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_SEARCH_INNER_H
#define KITH_REFSET_SEARCH_INNER_H

#include "set/refset_blocks.h"
#include "set/refset_index.h"
#include "set/refset_search.h"

/* Shared by the parts of the search: refset_search.c has the filters and looks up keys;
 * refset_search_digests.c, which uses it, finds files by digests; refset_search_rows.c reads files and
 * records by number. */

enum { SEARCH_MOST_FILTERS = 64 };

/* One index: its segments, and filters that pass whatever is in them. */
struct search_view {
    struct bloom *filters[SEARCH_MOST_FILTERS];
    size_t filter_count;
    uint64_t spare; /* keys that may still be added to the first filter */
    struct refset_segment segments[SEARCH_MOST_FILTERS];
    uint8_t filter_of[SEARCH_MOST_FILTERS]; /* number of each segment's filter */
    size_t segment_count;
};

struct refset_search {
    struct refset *set;
    unsigned what;
    bool shares; /* the filters belong to another search */
    struct search_view views[REFSET_INDEXES];
    struct refset_blocks *blocks;
    struct statement *file, *record, *firsts;
    struct statement *members, *parents;                   /* NULL: the set has none */
    uint64_t values[SEARCH_MOST_FILTERS * KEYBLOCK_GROUP]; /* of the key being looked up, */
    uint64_t more;                                         /* and how many more it has at least */
    bool marked;
    uint64_t *places; /* of the record being unpacked */
    size_t place_room;
};

/* Lists the indexes of the keys that a filter of the index passes, ascending; passed has room for count. */
size_t refset_search_filter(const struct refset_search *search, enum refset_index index, const uint64_t *keys,
                            size_t count, uint32_t *passed);
/* Looks up a key.  Returns the number of its values, which are in search->values, segment by segment; -1 on
 * error.  A key that is marked in any segment has more values than these. */
int refset_search_values(struct refset_search *search, enum refset_index index, uint64_t key,
                         struct error *err);

#endif
