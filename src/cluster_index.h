/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CLUSTER_INDEX_H
#define KITH_CLUSTER_INDEX_H

#include "cluster/clusters.h"
#include "cluster_input.h"

/* kith cluster --index: a file of fingerprints (fingerprints.h) that is kept. */
struct cluster_index {
    const char *path; /* of the file; NULL: none */
    bool query, drop; /* what to do with the files that are given; neither: add them */
    uint32_t groups;  /* to divide it into; 0: leave them, for a new one the best number */
    bool has_params;  /* those of the input were given, and must be those of an existing file */
    double resemblance;
    uint32_t most;                       /* similar files reported for each, the nearest; 0: all */
    enum clusters_candidates candidates; /* HAMMING, ALG_H or SCAN */
    int format;                          /* FORMAT_* */
    bool quiet;
};

/* Adds files or looks for those that are near them, and reports these; or removes files.  Returns the exit
 * status, after an error was shown. */
int cluster_index_run(const struct cluster_index *index, struct cluster_input *input, size_t count,
                      char **paths);

/* Fills the collection of the input with all files of the index, divides it anew if `groups` is set, and
 * otherwise sets it to its groups.  Returns -1 after an error was shown. */
int cluster_index_load(struct cluster_index *index, struct cluster_input *input);

#endif
