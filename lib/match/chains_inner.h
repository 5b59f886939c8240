/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CHAINS_INNER_H
#define KITH_CHAINS_INNER_H

#include "match/chains.h"

/* Shared by the parts of chains: chains.c searches each reference for chains; chains_elsewhere.c, a layer
 * above, repeats that with what no chain explains. */

enum {
    CHAINS_MOST =
        1 << 14, /* bounds memory: 5 MiB; if there are more, the queries are searched in two parts */
    /* Seeds that are evidence of a part; a chain with fewer is only reported as a whole.  1 gains a finding
     * of copies; 4 loses 11 planted files, 3 copies and 3 other files, and the test
     * a_fragment_of_content_full_of_stock_phrases_is_located fails. */
    CHAINS_LEAST_RARE = 2,
};

/* A stretch where something was found: offsets in the object, half open. */
struct chains_stretch {
    uint64_t reference; /* the number of its first sample, if only one is meant */
    uint64_t start, end;
};

/* Finds all chains again, from the seeds that there are now, and marks the queries they explain.  Returns -1
 * on error. */
int chains_search(struct chains *chains, const struct seeds *seeds, struct queries *queries,
                  struct error *err);

#endif
