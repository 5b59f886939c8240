/* SPDX-License-Identifier: Apache-2.0 */
#include "chance.h"

#include <math.h>
#include <stdlib.h>

enum {
    BAND_LEAST = 256,
    BAND_MOST = 4096,
    BAND_SHARE = 64, /* of the shorter content: insertions shift more of a longer one */
    LEAST_HITS = 2,
    FEW_HITS = 24,
};

static const double least_rate = 1e-4;
static const double spread = 2; /* hits that are not scattered evenly */

/* ln P(X >= h) of a Poisson variable. */
static double ln_tail(double h, double rate)
{
    double sum = 1, term = rate / (h + 1);

    for (int k = 2; h + k < rate || term > sum * 1e-12; k++) { /* up to the rate the terms grow */
        sum += term;
        term *= rate / (h + k);
    }
    return fmin(0, h * log(rate) - rate - lgamma(h + 1) + log(sum));
}

double chance_ln_e(double references, double bands, double hits, double rate)
{
    return log(references * bands) + ln_tail(hits, rate);
}

static double band_of(const struct chance_pair *pair)
{
    const uint64_t shorter = pair->object_len < pair->reference_len ? pair->object_len : pair->reference_len;
    const double band = BAND_LEAST + (double)shorter / BAND_SHARE;

    return band < BAND_MOST ? band : BAND_MOST;
}

static double bands_of(const struct chance_pair *pair)
{
    return ((double)pair->object_len + (double)pair->reference_len) / band_of(pair) + 1;
}

/* The widest bands, and no more of them than the object alone needs. */
double chance_best_ln_e(const struct chance_pair *pair, size_t hits)
{
    const struct chance_pair widest = {.object_len = pair->object_len, .reference_len = pair->object_len};
    const double bands = (double)pair->object_len / band_of(&widest) + 1;

    return hits < LEAST_HITS ? INFINITY : chance_ln_e(pair->references, bands, (double)hits, least_rate);
}

static int64_t diagonal(const struct chance_hit *hit)
{
    return (int64_t)(hit->object - hit->reference);
}

static int by_diagonal(const void *a, const void *b)
{
    const struct chance_hit *x = a, *y = b;
    const int64_t p = diagonal(x), q = diagonal(y);

    if (p != q)
        return p < q ? -1 : 1;
    return x->object < y->object ? -1 : x->object > y->object;
}

/* The diagonal that most hits have; they are in order. */
static int64_t main_diagonal(const struct chance_hit *hits, size_t count)
{
    size_t most = 0, first = 0, at = 0;

    for (size_t i = 0; i < count; i++) {
        if (diagonal(&hits[i]) != diagonal(&hits[first]))
            first = i;
        if (i - first + 1 > most) {
            most = i - first + 1;
            at = i;
        }
    }
    return diagonal(&hits[at]);
}

static int by_sample(const void *a, const void *b)
{
    const struct chance_hit *x = a, *y = b;

    return x->sample < y->sample ? -1 : x->sample > y->sample;
}

/* They are few mostly, and then this is faster than qsort. */
static void sort_hits(struct chance_hit *hits, size_t count, int (*compare)(const void *, const void *))
{
    if (count > FEW_HITS) {
        qsort(hits, count, sizeof *hits, compare);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const struct chance_hit hit = hits[i];
        size_t k = i;

        for (; k > 0 && compare(&hits[k - 1], &hit) > 0; k--)
            hits[k] = hits[k - 1];
        hits[k] = hit;
    }
}

/* Numbers the different samples, from 0 on. */
static void number_samples(struct chance_hit *hits, size_t count)
{
    uint32_t number = 0;

    sort_hits(hits, count, by_sample);
    for (size_t i = 0; i < count; i++) {
        number += i > 0 && hits[i].sample != hits[i - 1].sample;
        hits[i].number = number;
    }
}

/*
 * The band with the most different hits, and where it begins; they are in order.  How often a sample is in
 * the band is counted in the hit with its number, of which there are as many as there were hits at first:
 * room.
 */
static struct cluster fullest_band(struct chance_hit *hits, size_t count, size_t room, double band,
                                   size_t *begin)
{
    struct cluster best = {.hits = 0};
    size_t first = 0, different = 0;

    for (size_t i = 0; i < room; i++)
        hits[i].among = 0;
    for (size_t low = 0, i = 0; i < count; i++) {
        different += hits[hits[i].number].among++ == 0;
        for (; (double)(diagonal(&hits[i]) - diagonal(&hits[low])) > band; low++)
            different -= --hits[hits[low].number].among == 0;
        if (different > best.hits) {
            best.hits = different;
            best.all = i - low + 1;
            first = low;
        }
    }
    while (best.all > 0 && first + best.all < count &&
           (double)(diagonal(&hits[first + best.all]) - diagonal(&hits[first])) <= band)
        best.all++; /* the same samples once more */
    best.start = UINT64_MAX;
    for (size_t i = first; i < first + best.all; i++) {
        best.start = hits[i].object < best.start ? hits[i].object : best.start;
        best.end = hits[i].object > best.end ? hits[i].object : best.end;
    }
    best.low = diagonal(&hits[first]);
    best.high = diagonal(&hits[first + best.all - 1]);
    best.main = main_diagonal(hits + first, best.all);
    *begin = first;
    return best;
}

/* Different hits that are in no band of the cluster's.  (Those that are there, too, are its own: a reference
 * that lies in an object twice, or repeats itself.) */
static size_t count_elsewhere(struct chance_hit *hits, size_t count, size_t room,
                              const struct cluster *cluster, size_t first)
{
    size_t different = 0;

    for (size_t i = 0; i < room; i++)
        hits[i].among = 0;
    for (size_t i = first; i < first + cluster->all; i++)
        hits[hits[i].number].among = 1;
    for (size_t i = 0; i < count; i++)
        different += hits[hits[i].number].among++ == 0;
    return different;
}

double chance_again(const struct chance_pair *pair, const struct cluster *cluster, double hits)
{
    return chance_ln_e(pair->references, bands_of(pair), hits, cluster->rate);
}

/* Hits where the reference was found say nothing of another place.  (Where it would lie if there were more of
 * it there may be another piece.) */
static size_t drop_explained(struct chance_hit *hits, size_t count, const struct cluster *cluster)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const int64_t here = diagonal(&hits[i]);

        if ((hits[i].object < cluster->start || hits[i].object > cluster->end) &&
            (here < cluster->low || here > cluster->high))
            hits[kept++] = hits[i];
    }
    return kept;
}

size_t chance_clusters(const struct chance_pair *pair, struct chance_hit *hits, size_t count,
                       struct cluster *clusters, size_t room)
{
    const double band = band_of(pair), bands = bands_of(pair);
    const size_t room_of_hits = count;
    size_t found = 0;

    number_samples(hits, count);
    sort_hits(hits, count, by_diagonal);
    while (found < room && count >= LEAST_HITS) {
        size_t first;
        struct cluster cluster = fullest_band(hits, count, room_of_hits, band, &first);
        const double elsewhere = (double)count_elsewhere(hits, count, room_of_hits, &cluster, first);

        cluster.rate = fmax(pair->noise, elsewhere) * spread / bands + least_rate;
        cluster.ln_e = chance_ln_e(pair->references, bands, (double)cluster.hits, cluster.rate);
        if (cluster.hits < LEAST_HITS || cluster.ln_e > pair->most_ln_e)
            break;
        clusters[found++] = cluster;
        count = drop_explained(hits, count, &cluster);
    }
    return found;
}
