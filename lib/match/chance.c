/* SPDX-License-Identifier: Apache-2.0 */
#include "match/chance.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Width of a band in diagonals: a minimum plus a share of the shorter content, as insertions shift more
     * of a longer one; wider bands have more chance hits.  All three are close to the optimum: halving or
     * doubling LEAST or SHARE loses a pair, halving MOST 3 findings of the tar, doubling it 2 and a common
     * block. */
    BAND_LEAST = 256,
    BAND_MOST = 4096,
    BAND_SHARE = 64,
    /* One hit lines up with anything.  4 loses a pair and 2 objects of copies. */
    LEAST_HITS = 2,
    /* Fewer hits are sorted by insertion, more by radix; 12 and 48 take as long. */
    FEW_HITS = 24,
};

/* The fewest hits that chance is assumed to give a band, however few are seen.  Halving it gains a finding of
 * the tar; doubling it raises E, but changes no finding. */
static const double least_rate = 1e-4;
/* Hits are not scattered evenly, so this many times the mean is expected.  1 gains 2 pairs, but also 3
 * findings in other files; 4 loses a pair, and a_file_that_repeats_itself_is_found fails. */
static const double spread = 2;

/* ln P(X >= h) of a Poisson variable with this rate. */
static double ln_tail(double h, double rate)
{
    double sum = 1, term = rate / (h + 1);

    for (int k = 2; h + k < rate || term > sum * 1e-12; k++) { /* terms grow up to the rate */
        sum += term;
        term *= rate / (h + k);
    }
    return fmin(0, h * log(rate) - rate - lgamma(h + 1) + log(sum));
}

double chance_ln_e(double references, double bands, double hits, double rate)
{
    return log(references * bands) + ln_tail(hits, rate);
}

double chance_band(const struct chance_pair *pair)
{
    const uint64_t shorter = pair->object_len < pair->reference_len ? pair->object_len : pair->reference_len;
    const double band = BAND_LEAST + (double)shorter / BAND_SHARE;

    return band < BAND_MOST ? band : BAND_MOST;
}

static double bands_of(const struct chance_pair *pair)
{
    return ((double)pair->object_len + (double)pair->reference_len) / chance_band(pair) + 1;
}

/* Assumes the widest bands, and only as many of them as the object alone needs. */
double chance_best_ln_e(const struct chance_pair *pair, size_t hits)
{
    const struct chance_pair widest = {.object_len = pair->object_len, .reference_len = pair->object_len};
    const double bands = (double)pair->object_len / chance_band(&widest) + 1;

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

/* The most frequent diagonal of hits sorted by diagonal. */
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

/* ---- sorting ---- */

/* Three passes sort 32 bits, and the counters stay in the first-level cache: 8 KiB. */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* One pass of a radix sort, by the digit at shift. */
static void sort_by_digit(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
    uint32_t places[DIGITS + 1] = {0};

    for (size_t i = 0; i < count; i++)
        places[(from[i] >> shift & (DIGITS - 1)) + 1]++;
    for (size_t i = 1; i < DIGITS; i++)
        places[i] += places[i - 1];
    for (size_t i = 0; i < count; i++)
        to[places[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* Work space for sorting many hits. */
struct sorting {
    struct chance_hit *hits;
    uint64_t *keys, *spare; /* the diagonal minus the lowest, and the number of a hit, 32 bits each */
};

/* Makes the keys.  Returns false unless hits of one diagonal are in order already and the diagonals span at
 * most 32 bits. */
static bool make_keys(const struct chance_hit *hits, size_t count, uint64_t *keys, uint64_t *span)
{
    int64_t low = diagonal(&hits[0]), high = low;

    for (size_t i = 1; i < count; i++) {
        const int64_t here = diagonal(&hits[i]);

        if (hits[i].reference < hits[i - 1].reference)
            return false;
        low = here < low ? here : low;
        high = here > high ? here : high;
    }
    *span = (uint64_t)high - (uint64_t)low;
    if (*span > UINT32_MAX || count > UINT32_MAX)
        return false;
    for (size_t i = 0; i < count; i++)
        keys[i] = ((uint64_t)diagonal(&hits[i]) - (uint64_t)low) << 32 | i;
    return true;
}

static bool sort_many(struct chance_hit *hits, size_t count, void *space)
{
    struct sorting sorting = {.hits = space};
    uint64_t span;

    sorting.keys = (uint64_t *)(sorting.hits + count);
    sorting.spare = sorting.keys + count;
    if (!make_keys(hits, count, sorting.keys, &span))
        return false;
    for (unsigned shift = 0; shift < 32 && span >> shift; shift += DIGIT_BITS) {
        uint64_t *const sorted = sorting.spare;

        sort_by_digit(sorting.keys, sorted, count, 32 + shift);
        sorting.spare = sorting.keys;
        sorting.keys = sorted;
    }
    for (size_t i = 0; i < count; i++)
        sorting.hits[i] = hits[(uint32_t)sorting.keys[i]];
    memcpy(hits, sorting.hits, count * sizeof *hits);
    return true;
}

static bool is_sorted(const struct chance_hit *hits, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (by_diagonal(&hits[i - 1], &hits[i]) > 0)
            return false;
    return true;
}

static void insert_each(struct chance_hit *hits, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct chance_hit hit = hits[i];
        size_t k = i;

        for (; k > 0 && by_diagonal(&hits[k - 1], &hit) > 0; k--)
            hits[k] = hits[k - 1];
        hits[k] = hit;
    }
}

/* Usually they are few, or in order already: matches of one reference on one diagonal. */
static void sort_hits(struct chance_hit *hits, size_t count)
{
    void *space;
    bool done;

    if (count <= FEW_HITS) {
        insert_each(hits, count);
        return;
    }
    if (is_sorted(hits, count))
        return;
    space = count <= SIZE_MAX / 100 ? malloc(count * (sizeof *hits + 2 * sizeof(uint64_t))) : NULL;
    done = space && sort_many(hits, count, space);
    free(space);
    if (!done)
        qsort(hits, count, sizeof *hits, by_diagonal);
}

/* Gives hits of the same sample the same number, that of the first of them.  A hash table of lists finds
 * them: a list begins at .among and continues at .next. */
static void number_samples(struct chance_hit *hits, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hits[i].among = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t mixed = hits[i].sample * 0x9e3779b97f4a7c15 >> 32;
        uint32_t *const list = &hits[mixed * count >> 32].among;
        uint32_t at = *list;

        while (at && hits[at - 1].sample != hits[i].sample)
            at = hits[at - 1].next;
        hits[i].number = at ? at - 1 : (uint32_t)i;
        if (at)
            continue;
        hits[i].next = *list;
        *list = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < count; i++)
        hits[i].among = 0;
}

/*
 * Finds the band with the most different samples, and the index of its first hit, in hits sorted by diagonal.
 * How often a sample occurs in the band is counted in the .among of the hit with its number; .among is zero
 * before and after.
 */
static struct cluster fullest_band(struct chance_hit *hits, size_t count, double band, size_t *begin)
{
    struct cluster best = {.hits = 0};
    size_t first = 0, different = 0, low = 0;

    for (size_t i = 0; i < count; i++) {
        different += hits[hits[i].number].among++ == 0;
        for (; (double)(diagonal(&hits[i]) - diagonal(&hits[low])) > band; low++)
            different -= --hits[hits[low].number].among == 0;
        if (different > best.hits) {
            best.hits = different;
            best.all = i - low + 1;
            first = low;
        }
    }
    for (; low < count; low++)
        hits[hits[low].number].among--;
    while (best.all > 0 && first + best.all < count &&
           (double)(diagonal(&hits[first + best.all]) - diagonal(&hits[first])) <= band)
        best.all++; /* repeats of samples that are counted already */
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

/* The number of different samples that have no hit in the cluster.  (Other hits of the cluster's samples are
 * its own: the reference lies in the object twice, or repeats itself.) */
static size_t count_elsewhere(struct chance_hit *hits, size_t count, const struct cluster *cluster,
                              size_t first)
{
    size_t different = 0;

    for (size_t i = first; i < first + cluster->all; i++)
        hits[hits[i].number].among = 1;
    for (size_t i = 0; i < count; i++)
        different += hits[hits[i].number].among++ == 0;
    for (size_t i = 0; i < count; i++)
        hits[hits[i].number].among = 0;
    return different;
}

double chance_again(const struct chance_pair *pair, const struct cluster *cluster, double hits)
{
    return chance_ln_e(pair->references, bands_of(pair), hits, cluster->rate);
}

/* Hits where the reference was found are no evidence of another place.  (On the same diagonals, but farther
 * on, there may be another piece of it.) */
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
    const double band = chance_band(pair), bands = bands_of(pair);
    size_t found = 0;

    sort_hits(hits, count);
    number_samples(hits, count); /* after sorting, so that a hit is close to the one with its number */
    while (found < room && count >= LEAST_HITS) {
        size_t first;
        struct cluster cluster = fullest_band(hits, count, band, &first);
        const double elsewhere = (double)count_elsewhere(hits, count, &cluster, first);

        cluster.rate = fmax(pair->noise, elsewhere) * spread / bands + least_rate;
        cluster.ln_e = chance_ln_e(pair->references, bands, (double)cluster.hits, cluster.rate);
        if (cluster.hits < LEAST_HITS || cluster.ln_e > pair->most_ln_e)
            break;
        clusters[found++] = cluster;
        count = drop_explained(hits, count, &cluster);
    }
    return found;
}
