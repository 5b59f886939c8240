/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "check_main.h"
#include "match/chance.h"

enum { MOST_HITS = 300, ROOM = 64 };

static uint64_t random_below(uint64_t limit)
{
    return random64() % limit;
}

static double random_share(void)
{
    return (double)(random64() >> 11) / 9007199254740992.0;
}

/* ---- E ---- */

/* ln P(X >= h) by definition: the terms of the sum one by one, the smaller of the tail and its complement. */
static long double naive_ln_tail(unsigned hits, long double rate)
{
    long double below = 0, tail = 0;

    for (unsigned k = 0; k < hits; k++)
        below += expl(k * logl(rate) - rate - lgammal(k + 1.0L));
    if (below < 0.5L)
        return log1pl(-below);
    for (unsigned k = hits; k < hits + 20 * (unsigned)(10 + rate); k++)
        tail += expl(k * logl(rate) - rate - lgammal(k + 1.0L));
    return logl(tail);
}

static void assert_tail(unsigned hits, double rate)
{
    const long double exact = logl(2501) + logl(77.5L) + naive_ln_tail(hits, rate);
    const double computed = chance_ln_e(2501, 77.5, hits, rate);

    ck_assert_msg(fabsl(computed - exact) < 1e-6L * (1 + fabsl(exact)), "%u hits at %g: %.12g, not %.12Lg",
                  hits, rate, computed, exact);
}

START_TEST(ln_e_is_the_tail_of_a_poisson_distribution)
{
    static const double rates[] = {1e-4, 1e-3, 0.02, 0.5, 1, 3, 10, 40};

    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (unsigned hits = 1; hits < 120; hits++)
            assert_tail(hits, rates[i]);
    for (int round = 0; round < 300; round++)
        assert_tail(1 + (unsigned)random_below(400), pow(10, -4 + 6 * random_share()));
}
END_TEST

START_TEST(few_hits_where_chance_gives_many_are_discarded)
{
    static const double rates[] = {150, 500, 2000, 6000};

    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (unsigned percent = 1; percent < 200; percent += 9) {
            const unsigned hits = 1 + (unsigned)(rates[i] * percent / 100);

            assert_tail(hits, rates[i]);
            if (percent <= 100)
                ck_assert_double_gt(chance_ln_e(1, 1, hits, rates[i]), -1);
        }
}
END_TEST

START_TEST(more_hits_and_fewer_references_are_more_certain)
{
    for (double rate = 1e-4; rate < 500; rate *= 3)
        for (unsigned hits = 1; hits < 1000; hits += 1 + hits / 5) {
            const double e = chance_ln_e(1000, 50, hits, rate);

            ck_assert_double_le(chance_ln_e(1000, 50, hits + 1, rate), e + 1e-9);
            ck_assert_double_le(e, chance_ln_e(1000, 50, hits, rate * 1.1) + 1e-9);
            ck_assert_double_lt(e, chance_ln_e(1001, 50, hits, rate));
            ck_assert_double_lt(e, chance_ln_e(1000, 51, hits, rate));
            ck_assert(isfinite(e));
        }
}
END_TEST

/* ---- clusters ---- */

static int64_t diagonal(const struct chance_hit *hit)
{
    return (int64_t)hit->object - (int64_t)hit->reference;
}

static double band_of(const struct chance_pair *pair)
{
    return fmin(4096, 256 + fmin((double)pair->object_len, (double)pair->reference_len) / 64);
}

static double bands_of(const struct chance_pair *pair)
{
    return ((double)pair->object_len + (double)pair->reference_len) / band_of(pair) + 1;
}

/* Whether no hit before it in the band is of the same sample. */
static bool is_first(const struct chance_hit *hits, size_t number, int64_t low, double width)
{
    for (size_t i = 0; i < number; i++)
        if (hits[i].sample == hits[number].sample && diagonal(&hits[i]) >= low &&
            (double)(diagonal(&hits[i]) - low) <= width)
            return false;
    return true;
}

/* The band that begins with a hit's diagonal. */
static struct cluster band_at(const struct chance_hit *hits, size_t count, const struct chance_hit *low,
                              double width)
{
    struct cluster cluster = {.low = diagonal(low), .high = diagonal(low), .start = UINT64_MAX};

    for (size_t i = 0; i < count; i++) {
        const int64_t here = diagonal(&hits[i]);

        if (here < cluster.low || (double)(here - cluster.low) > width)
            continue;
        cluster.all++;
        cluster.hits += is_first(hits, i, cluster.low, width);
        cluster.high = here > cluster.high ? here : cluster.high;
        cluster.start = hits[i].object < cluster.start ? hits[i].object : cluster.start;
        cluster.end = hits[i].object > cluster.end ? hits[i].object : cluster.end;
    }
    return cluster;
}

static struct cluster naive_fullest(const struct chance_hit *hits, size_t count, double width)
{
    struct cluster best = {.hits = 0};

    for (size_t i = 0; i < count; i++) {
        const struct cluster cluster = band_at(hits, count, &hits[i], width);

        if (cluster.hits > best.hits || (cluster.hits == best.hits && cluster.low < best.low))
            best = cluster;
    }
    return best;
}

/* Different samples that no hit of the cluster has. */
static size_t naive_elsewhere(const struct chance_hit *hits, size_t count, const struct cluster *cluster)
{
    size_t different = 0;

    for (size_t i = 0; i < count; i++) {
        bool is_new = true;

        for (size_t k = 0; k < count && is_new; k++)
            is_new = hits[k].sample != hits[i].sample ||
                     (k >= i && (diagonal(&hits[k]) < cluster->low || diagonal(&hits[k]) > cluster->high));
        different += is_new;
    }
    return different;
}

static size_t naive_clusters(const struct chance_pair *pair, struct chance_hit *hits, size_t count,
                             struct cluster *clusters, size_t room)
{
    size_t found = 0;

    while (found < room) {
        struct cluster best = naive_fullest(hits, count, band_of(pair));
        size_t kept = 0;

        best.rate =
            fmax(pair->noise, (double)naive_elsewhere(hits, count, &best)) * 2 / bands_of(pair) + 1e-4;
        best.ln_e =
            log(pair->references * bands_of(pair)) + (double)naive_ln_tail((unsigned)best.hits, best.rate);
        if (best.hits < 2 || best.ln_e > pair->most_ln_e)
            break;
        clusters[found++] = best;
        for (size_t i = 0; i < count; i++)
            if ((hits[i].object < best.start || hits[i].object > best.end) &&
                (diagonal(&hits[i]) < best.low || diagonal(&hits[i]) > best.high))
                hits[kept++] = hits[i];
        count = kept;
    }
    return found;
}

static struct chance_pair any_pair(void)
{
    return (struct chance_pair){.object_len = 1 + random_below((uint64_t)1 << (10 + random_below(20))),
                                .reference_len = 1 + random_below((uint64_t)1 << (10 + random_below(12))),
                                .references = (double)(1 + random_below(5000)),
                                .noise = random_below(2) ? 0 : 10 * random_share(),
                                .most_ln_e = -7};
}

/* Some of the hits anywhere, the others on or near a few diagonals. */
static size_t any_hits(const struct chance_pair *pair, struct chance_hit *hits)
{
    const size_t count = random_below(MOST_HITS);
    const uint64_t places = 1 + random_below(4), scattered = random_below(10);
    const uint64_t samples = random_below(3) ? UINT64_MAX : 1 + random_below(30);
    uint64_t starts[4];

    for (size_t i = 0; i < 4; i++)
        starts[i] = random_below(pair->object_len);
    for (size_t i = 0; i < count; i++) {
        const uint64_t reference = random_below(pair->reference_len);
        const uint64_t place = starts[random_below(places)] + reference + random_below(1 + random_below(400));

        hits[i].sample = random_below(samples);
        hits[i].reference = reference;
        hits[i].object = random_below(10) < scattered || place >= pair->object_len
                             ? random_below(pair->object_len)
                             : place;
    }
    return count;
}

static size_t clusters_of(const struct chance_pair *pair, struct chance_hit *hits, size_t count,
                          struct cluster *clusters, size_t room)
{
    size_t looked;

    return chance_clusters(pair, hits, count, clusters, room, &looked);
}

static void assert_same(const struct cluster *a, const struct cluster *b)
{
    ck_assert_int_eq(a->low, b->low);
    ck_assert_int_eq(a->high, b->high);
    ck_assert_uint_eq(a->start, b->start);
    ck_assert_uint_eq(a->end, b->end);
    ck_assert_uint_eq(a->hits, b->hits);
    ck_assert_uint_eq(a->all, b->all);
    ck_assert_double_eq_tol(a->rate, b->rate, 1e-9 * (1 + b->rate));
    ck_assert_double_eq_tol(a->ln_e, b->ln_e, 1e-6 * (1 + fabs(b->ln_e)));
}

START_TEST(clusters_match_the_definition)
{
    size_t several = 0;

    for (int round = 0; round < 600; round++) {
        const struct chance_pair pair = any_pair();
        struct chance_hit hits[MOST_HITS], same[MOST_HITS];
        struct cluster clusters[ROOM], expected[ROOM];
        const size_t count = any_hits(&pair, hits), room = random_below(8) ? ROOM : random_below(3);
        size_t found, wanted;

        memcpy(same, hits, count * sizeof *hits);
        wanted = naive_clusters(&pair, same, count, expected, room);
        found = clusters_of(&pair, hits, count, clusters, room);
        ck_assert_uint_eq(found, wanted);
        for (size_t i = 0; i < found; i++)
            assert_same(&clusters[i], &expected[i]);
        several += found > 1;
    }
    ck_assert_uint_gt(several, 50);
}
END_TEST

START_TEST(no_cluster_beats_the_bound_on_its_hits)
{
    for (int round = 0; round < 3000; round++) {
        struct chance_pair pair = any_pair(), unknown;
        struct chance_hit hits[MOST_HITS];
        struct cluster clusters[ROOM];
        const size_t count = any_hits(&pair, hits);
        size_t found;

        pair.most_ln_e = INFINITY;
        if (round % 2) /* the longer the object, the more its bands differ */
            pair.object_len <<= random_below(12);
        found = clusters_of(&pair, hits, count, clusters, ROOM);
        unknown = pair;
        unknown.reference_len = 0; /* before its record is read */
        for (size_t i = 0; i < found; i++) {
            const double best = chance_best_ln_e(&unknown, count);

            ck_assert_msg(best <= clusters[i].ln_e + 1e-9, "%g > %g: %zu hits in %zu of %zu", best,
                          clusters[i].ln_e, clusters[i].hits, (size_t)pair.object_len,
                          (size_t)pair.reference_len);
        }
    }
    ck_assert(chance_best_ln_e(&(struct chance_pair){.object_len = 1000, .references = 1}, 1) > 0);
    ck_assert(chance_best_ln_e(&(struct chance_pair){.object_len = 1000, .references = 1}, 0) > 0);
}
END_TEST

/* As often as it occurs, each time with all of its hits. */
START_TEST(a_reference_that_occurs_several_times_is_found_each_time)
{
    enum { TIMES = 9, EACH = 25 };
    const struct chance_pair pair = {
        .object_len = 10 << 20, .reference_len = 20000, .references = 2501, .most_ln_e = -7};
    struct chance_hit hits[TIMES * EACH];
    struct cluster clusters[ROOM];
    size_t looked;
    bool seen[TIMES] = {false};

    for (uint64_t i = 0; i < TIMES * EACH; i++) {
        hits[i].sample = i;
        hits[i].reference = random_below(pair.reference_len);
        hits[i].object = 1000 + i % TIMES * 1000001 + hits[i].reference;
    }
    ck_assert_uint_eq(chance_clusters(&pair, hits, TIMES * EACH, clusters, ROOM, &looked), TIMES);
    ck_assert_uint_le(looked, 6 * TIMES * EACH); /* and not all of them again each time */
    for (size_t i = 0; i < TIMES; i++) {
        const int64_t time = (clusters[i].low - 1000) / 1000001;

        ck_assert_int_eq(clusters[i].low, 1000 + time * 1000001);
        ck_assert_int_eq(clusters[i].high, clusters[i].low);
        ck_assert_uint_eq(clusters[i].hits, EACH);
        ck_assert(!seen[time]);
        seen[time] = true;
    }
}
END_TEST

START_TEST(scattered_hits_are_discarded)
{
    size_t accepted = 0;

    for (int round = 0; round < 2000; round++) {
        const struct chance_pair pair = {.object_len = 100000 + random_below(50 << 20),
                                         .reference_len = 1000 + random_below(1 << 20),
                                         .references = 2501,
                                         .most_ln_e = log(1e-3)};
        struct chance_hit hits[MOST_HITS];
        struct cluster clusters[ROOM];
        const size_t count = random_below(MOST_HITS);

        for (size_t i = 0; i < count; i++)
            hits[i] = (struct chance_hit){
                random_below(pair.object_len), random_below(pair.reference_len), i, 0, 0, 0};
        accepted += clusters_of(&pair, hits, count, clusters, ROOM);
    }
    ck_assert_uint_eq(accepted, 0);
}
END_TEST

START_TEST(later_hits_make_a_cluster_more_certain)
{
    const struct chance_pair pair = {
        .object_len = 1 << 20, .reference_len = 50000, .references = 2501, .most_ln_e = -7};
    struct chance_hit hits[8];
    struct cluster cluster;

    for (uint64_t i = 0; i < 8; i++)
        hits[i] = (struct chance_hit){5000 + 1000 * i, 1000 * i, i, 0, 0, 0};
    ck_assert_uint_eq(clusters_of(&pair, hits, 8, &cluster, 1), 1);
    ck_assert_double_eq_tol(chance_again(&pair, &cluster, 8), cluster.ln_e, 1e-9);
    ck_assert_double_lt(chance_again(&pair, &cluster, 9), cluster.ln_e);
    ck_assert_double_lt(chance_again(&pair, &cluster, 100000), -100000);
    ck_assert(isfinite(chance_again(&pair, &cluster, 100000)));
}
END_TEST

RUN_TESTS("chance", ln_e_is_the_tail_of_a_poisson_distribution,
          few_hits_where_chance_gives_many_are_discarded, more_hits_and_fewer_references_are_more_certain,
          clusters_match_the_definition, no_cluster_beats_the_bound_on_its_hits,
          a_reference_that_occurs_several_times_is_found_each_time, scattered_hits_are_discarded,
          later_hits_make_a_cluster_more_certain)
