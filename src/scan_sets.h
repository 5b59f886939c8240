/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SCAN_SETS_H
#define KITH_SCAN_SETS_H

#include "case/casefile.h"
#include "key_flags.h"
#include "match/matcher.h"
#include "set/refset_search.h"

/* The reference sets of a scan.  While they are open, nothing can change them.  A zeroed struct has none. */
struct scan_sets {
    char *paths[MATCHER_MOST_SETS]; /* owned */
    size_t count;
    struct key_flags keys; /* that were given */
    /* Once they are open, notable sets come first, then neutral ones, then known ones: */
    struct refset *sets[MATCHER_MOST_SETS];
    struct refset_search *searches[MATCHER_MOST_SETS];
    struct case_set known[MATCHER_MOST_SETS];            /* the same, as the case records them */
    const struct sampler_key *key_of[MATCHER_MOST_SETS]; /* of each; NULL: none */
};

/* Opens the sets at the paths.  Returns -1 if one cannot be opened, is given twice, is being written, or
 * lacks its key. */
int scan_sets_open(struct scan_sets *sets, struct error *err);
/* Closes them, frees the paths, and overwrites the keys. */
void scan_sets_close(struct scan_sets *sets);

#endif
