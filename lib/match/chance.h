/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CHANCE_H
#define KITH_CHANCE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Which matches of single samples line up, and roughly how often chance alone would line up that many.
 *
 * Content that lies in other content has its samples at the same distances from each other, so their
 * diagonals (place in the object - place in the reference) are nearly equal; chance matches are scattered.
 * Hits of different samples are counted in bands of diagonals.  E is the expected number of bands with that
 * many hits in all references together, if hits were scattered as a Poisson process.  It selects what is
 * compared; the E of a finding is that of chance_line.h, which sees where each match lies:
 *
 *     ln E = ln(references * bands) + ln P(Poisson(rate) >= hits)
 */
struct chance_hit {
    uint64_t object, reference;   /* offset of the sample in each */
    uint64_t sample;              /* its fingerprint: a phrase that recurs counts as one hit */
    uint32_t number, among, next; /* work space */
};

struct chance_pair {
    uint64_t object_len, reference_len;
    double references; /* number of references in the set */
    double noise; /* hits with this reference that chance alone would give in all; if more different samples
                     hit outside a cluster (and not in it), their number is used instead */
    double most_ln_e; /* clusters with a larger ln E are discarded */
};

/* Hits of one reference that line up. */
struct cluster {
    int64_t low, high;   /* range of its diagonals, */
    int64_t main;        /* and the most frequent one */
    uint64_t start, end; /* offsets of its first and last hit in the object */
    size_t hits;         /* number of different samples, */
    size_t all;          /* and of all hits, repeated samples included */
    double rate;         /* hits that chance would give the band */
    double ln_e;
};

/* Returns the width of a band in diagonals. */
double chance_band(const struct chance_pair *pair);

/* Returns ln E as above for this number of hits, where chance gives `rate` of them. */
double chance_ln_e(double references, double bands, double hits, double rate);

/* Returns ln E of a cluster when it turns out to have this number of hits. */
double chance_again(const struct chance_pair *pair, const struct cluster *cluster, double hits);

/* Returns the lowest ln E that this number of hits could reach with a reference of any length. */
double chance_best_ln_e(const struct chance_pair *pair, size_t hits);

/*
 * Finds the cluster with the most hits, then that of the hits which do not lie where the reference was found,
 * and so on until a cluster's E is too large: a reference may be in an object several times.  Reorders the
 * hits (fastest if they come in the order of the reference).  Returns the number of clusters, at most room;
 * *looked: how many hits were examined, the same one perhaps several times.
 */
size_t chance_clusters(const struct chance_pair *pair, struct chance_hit *hits, size_t count,
                       struct cluster *clusters, size_t room, size_t *looked);

#endif
