/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CLUSTERS_H
#define KITH_CLUSTERS_H

#include <stdatomic.h>

#include "cluster/collection.h"
#include "cluster/groups.h"
#include "cluster/pairs.h"

/* Clusters the documents of a collection. */

enum clusters_method {
    CLUSTERS_GREEDY, /* greedy.h */
    CLUSTERS_SINGLE, /* linkage.h */
    CLUSTERS_METHODS,
};

enum { CLUSTERS_COMMON = 1000 }; /* the usual limit of what is common: Cherkasova 2009, section 2 */

/* How candidate pairs are found: by an index of fingerprints (postings.h), or by Hamming fingerprints
 * (neighbours.h), which need a limit of resemblance.  Sketches of scheme hamming have no index. */
enum clusters_candidates {
    CLUSTERS_INDEX,
    CLUSTERS_HAMMING, /* alg.H, or a scan if that should be faster */
    CLUSTERS_ALG_H,
    CLUSTERS_ALG_G,
    CLUSTERS_SCAN, /* of all Hamming fingerprints */
    CLUSTERS_CANDIDATES,
};

struct clusters_options {
    enum clusters_method method;
    enum clusters_candidates candidates;
    struct likeness_limits limits;
    uint32_t common; /* fingerprints in more contents than that are no reason to compare these */
    uint32_t groups; /* of Hamming fingerprints; 0: the best number */
    unsigned threads;
    const atomic_bool *stop; /* set by the caller to stop early; may be NULL */
    atomic_ullong *count;    /* incremented for each content examined; may be NULL */
};

/* A cluster is two documents or more; cluster i has documents[starts[i]] .. documents[starts[i + 1] - 1], in
 * the order of the collection, as are the clusters.  The first of them has its leader's content. */
struct clusters {
    uint32_t *leaders;           /* by content: the leader of its cluster, which may be itself */
    struct likeness *likenesses; /* by content: of it and its leader */
    size_t count;
    size_t *starts;
    uint32_t *documents;
    size_t clustered;        /* documents in clusters */
    size_t same_count, same; /* clusters of one content, and documents in them */
    size_t indistinct;       /* documents in no cluster that have too few samples to be compared */
    uint64_t common;         /* fingerprints that were too common */

    enum clusters_candidates candidates; /* how they were found: not CLUSTERS_HAMMING */
    struct groups_params groups;         /* with which; zero for CLUSTERS_INDEX */
};

/* "greedy", "single"; "index", "hamming", "alg-h", "alg-g", "scan". */
const char *clusters_method_name(enum clusters_method method);
const char *clusters_candidates_name(enum clusters_candidates candidates);

/* Returns -1 if candidates cannot be found in this way, with that many groups, for this resemblance.  bits:
 * those of sketches of scheme hamming; 0: other contents. */
int clusters_check_groups(const struct clusters_options *options, uint32_t bits, struct error *err);

/* In steps, for leaders and likenesses that are found in another way: makes room for them, and lists the
 * clusters of the leaders that were filled in.  Return -1 on error; release it in any case. */
int clusters_prepare(struct clusters *clusters, const struct collection *collection, struct error *err);
int clusters_list(struct clusters *clusters, const struct collection *collection, struct error *err);

/* Returns 0, 1 if it was stopped, -1 on error.  Release it in any case. */
int clusters_find(struct clusters *clusters, const struct collection *collection,
                  const struct clusters_options *options, struct error *err);
void clusters_release(struct clusters *clusters);

/* Which pairs are passed on. */
struct clusters_pairs {
    const uint32_t *families; /* by content; of each family, a content has one pair only, with the member that
                                 has most in common with it; NULL: with each */
    uint32_t most;            /* contents that are compared with one, those with most in common; 0: all */
    uint64_t cut;             /* set: contents for which there were more */
    uint64_t common;          /* set: fingerprints that were too common */
};

/* Passes on pairs of contents that meet the limits, as pairs_find does: each content is compared with those
 * before it. */
int clusters_find_pairs(const struct collection *collection, const struct clusters_options *options,
                        struct clusters_pairs *pairs,
                        int (*found)(void *arg, const struct pair *pair, struct error *err), void *arg,
                        struct error *err);

#endif
