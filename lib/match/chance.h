/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CHANCE_H
#define KITH_CHANCE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Which matches of single samples line up, and how often chance alone would line up so many.
 *
 * Content that lies in other content has its samples at the same distance from each other, so their diagonals
 * (place in the object - place in the reference) are nearly equal; what matches by chance is scattered.  Hits
 * of different samples are counted in bands of diagonals, and E is the number of bands with so many hits that
 * one would expect in all references together if the hits were scattered as a Poisson process:
 *
 *     ln E = ln(references * bands) + ln P(Poisson(rate) >= hits)
 */
struct chance_hit {
    uint64_t object, reference;   /* where the sample lies in each */
    uint64_t sample;              /* its fingerprint: phrases that come again and again are one hit */
    uint32_t number, among, next; /* work space */
};

struct chance_pair {
    uint64_t object_len, reference_len;
    double references; /* in the set */
    double noise;      /* hits that chance gives this reference in all; those that are seen elsewhere, if they
                          are more: each sample once, and none that is in the cluster, too */
    double most_ln_e;  /* what is above is not believed */
};

/* Hits of one reference that line up. */
struct cluster {
    int64_t low, high;   /* its diagonals, */
    int64_t main;        /* and the one that most of them have */
    uint64_t start, end; /* its first and last hit in the object */
    size_t hits;         /* of different samples, */
    size_t all;          /* and with those that come again */
    double rate;         /* hits that chance would give it */
    double ln_e;
};

/* ln E as above, for so many hits where chance gives `rate` of them. */
double chance_ln_e(double references, double bands, double hits, double rate);

/* ln E of a cluster when it turns out to have so many hits. */
double chance_again(const struct chance_pair *pair, const struct cluster *cluster, double hits);

/* The best that so many hits could come to, whatever the reference's length. */
double chance_best_ln_e(const struct chance_pair *pair, size_t hits);

/*
 * The cluster with the most hits; then that of the hits which do not lie where the reference was found, and
 * so on, until they are not believed any more: a reference may be in an object several times.  Puts the hits
 * into another order (soonest if they are in that of the reference).  Returns their number, at most room.
 */
size_t chance_clusters(const struct chance_pair *pair, struct chance_hit *hits, size_t count,
                       struct cluster *clusters, size_t room);

#endif
