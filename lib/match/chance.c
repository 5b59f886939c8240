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
    /* Bounds memory on the stack: 40 KiB. */
    MOST_ISLANDS = 256,
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
 * Finds the band with the most different samples among `count` hits from number `first` on, sorted by
 * diagonal, and the number of its first hit.  How often a sample occurs in the band is counted in the .among
 * of the hit with its number; .among is zero before and after.
 */
static struct cluster fullest_band(struct chance_hit *hits, size_t first, size_t count, double band,
                                   size_t *begin)
{
    struct cluster best = {.start = UINT64_MAX};
    const size_t end = first + count;
    size_t different = 0, low = first;

    *begin = first;
    for (size_t i = first; i < end; i++) {
        different += hits[hits[i].number].among++ == 0;
        for (; (double)(diagonal(&hits[i]) - diagonal(&hits[low])) > band; low++)
            different -= --hits[hits[low].number].among == 0;
        if (different > best.hits) {
            best.hits = different;
            best.all = i - low + 1;
            *begin = low;
        }
    }
    for (; low < end; low++)
        hits[hits[low].number].among--;
    while (best.all > 0 && *begin + best.all < end &&
           (double)(diagonal(&hits[*begin + best.all]) - diagonal(&hits[*begin])) <= band)
        best.all++; /* repeats of samples that are counted already */
    for (size_t i = *begin; i < *begin + best.all; i++) {
        best.start = hits[i].object < best.start ? hits[i].object : best.start;
        best.end = hits[i].object > best.end ? hits[i].object : best.end;
    }
    if (best.all) {
        best.low = diagonal(&hits[*begin]);
        best.high = diagonal(&hits[*begin + best.all - 1]);
    }
    return best;
}

double chance_again(const struct chance_pair *pair, const struct cluster *cluster, double hits)
{
    return chance_ln_e(pair->references, bands_of(pair), hits, cluster->rate);
}

/* ---- islands ---- */

/*
 * Hits sorted by diagonal, with a gap wider than a band before and after: no band has hits of two islands. So
 * once a cluster was found, only the islands that had hits of it, or of what it explains, are searched again.
 */
struct island {
    size_t first, count; /* its hits, */
    uint64_t start, end; /* the offsets of the first and the last of them in the object, */
    struct cluster best; /* their fullest band, */
    size_t begin;        /* and the first hit of that */
    bool is_searched;    /* whether .best is known */
};

/* All islands of one reference. */
struct archipelago {
    struct chance_hit *hits;
    double band;
    struct island list[MOST_ISLANDS + 1];
    size_t count;
    size_t different; /* samples that have a hit; .next of the hit with a sample's number counts its hits */
    size_t looked;    /* hits that were examined */
};

static void measure(const struct archipelago *all, struct island *island)
{
    island->is_searched = false;
    island->start = UINT64_MAX;
    island->end = 0;
    for (size_t i = island->first; i < island->first + island->count; i++) {
        const uint64_t object = all->hits[i].object;

        island->start = object < island->start ? object : island->start;
        island->end = object > island->end ? object : island->end;
    }
}

/* Small islands next to each other count as one, so that there are not too many. */
static void divide(struct archipelago *all, size_t count)
{
    const size_t least = count / MOST_ISLANDS + 1;
    size_t first = 0;

    for (size_t i = 1; i <= count; i++) {
        const bool is_gap =
            i == count || (double)(diagonal(&all->hits[i]) - diagonal(&all->hits[i - 1])) > all->band;

        if (!is_gap || (i < count && i - first < least))
            continue;
        all->list[all->count] = (struct island){.first = first, .count = i - first};
        measure(all, &all->list[all->count++]);
        first = i;
    }
    all->looked += count;
}

static void count_samples(struct archipelago *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        all->hits[i].next = 0;
    for (size_t i = 0; i < count; i++)
        all->different += all->hits[all->hits[i].number].next++ == 0;
}

/* The island with the fullest band; NULL if all are empty. */
static const struct island *fullest(struct archipelago *all)
{
    const struct island *best = NULL;

    for (size_t i = 0; i < all->count; i++) {
        struct island *island = &all->list[i];

        if (!island->is_searched) {
            island->best = fullest_band(all->hits, island->first, island->count, all->band, &island->begin);
            island->is_searched = true;
            all->looked += island->count;
        }
        if (island->count && (!best || island->best.hits > best->best.hits))
            best = island;
    }
    return best;
}

/* Hits where the reference was found are no evidence of another place.  (On the same diagonals, but farther
 * on, there may be another piece of it.) */
static bool is_explained(const struct chance_hit *hit, const struct cluster *cluster)
{
    const int64_t here = diagonal(hit);

    return (hit->object >= cluster->start && hit->object <= cluster->end) ||
           (here >= cluster->low && here <= cluster->high);
}

/* Moves a hit without the counter that happens to be there. */
static void move(struct chance_hit *to, const struct chance_hit *from)
{
    to->object = from->object;
    to->reference = from->reference;
    to->sample = from->sample;
    to->number = from->number;
}

static void drop_from(struct archipelago *all, struct island *island, const struct cluster *cluster)
{
    struct chance_hit *hits = all->hits;
    size_t kept = island->first;

    for (size_t i = island->first; i < island->first + island->count; i++) {
        if (!is_explained(&hits[i], cluster))
            move(&hits[kept++], &hits[i]);
        else
            all->different -= --hits[hits[i].number].next == 0;
    }
    all->looked += island->count;
    island->count = kept - island->first;
    measure(all, island);
}

static void drop_explained(struct archipelago *all, const struct cluster *cluster)
{
    for (size_t i = 0; i < all->count; i++) {
        struct island *island = &all->list[i];
        const bool is_home = island->is_searched && island->best.low == cluster->low;

        if (island->count && (is_home || (island->start <= cluster->end && island->end >= cluster->start)))
            drop_from(all, island, cluster);
    }
}

size_t chance_clusters(const struct chance_pair *pair, struct chance_hit *hits, size_t count,
                       struct cluster *clusters, size_t room, size_t *looked)
{
    const double band = chance_band(pair), bands = bands_of(pair);
    struct archipelago all;
    size_t found = 0;

    sort_hits(hits, count);
    number_samples(hits, count); /* after sorting, so that a hit is close to the one with its number */
    all.hits = hits;
    all.band = band;
    all.count = all.different = all.looked = 0;
    divide(&all, count);
    count_samples(&all, count);
    while (found < room) {
        const struct island *island = fullest(&all);
        struct cluster cluster;

        if (!island || island->best.hits < LEAST_HITS)
            break;
        cluster = island->best;
        cluster.main = main_diagonal(hits + island->begin, cluster.all);
        /* Other hits of the cluster's samples are its own: the reference lies in the object twice, or repeats
         * itself. */
        cluster.rate =
            fmax(pair->noise, (double)(all.different - cluster.hits)) * spread / bands + least_rate;
        cluster.ln_e = chance_ln_e(pair->references, bands, (double)cluster.hits, cluster.rate);
        if (cluster.ln_e > pair->most_ln_e)
            break;
        clusters[found++] = cluster;
        drop_explained(&all, &cluster);
    }
    *looked = all.looked;
    return found;
}
