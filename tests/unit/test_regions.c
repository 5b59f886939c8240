/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "match/regions.h"

/*
 * Random chains, and the rules applied to each region by going through all before it.  The object cannot be
 * read again, so no region is whole.
 */

enum { MOST_COMPARED = 8, MOST = 400, MANY = 1 << 14 };

static const struct subject subject = {.size = 1 << 30};

/* Of the object's samples, the first is in one of 936 references, and the second in 200. */
enum { COMMON = 200 };

static struct refset_info info = {.counts = {.records = 936}};

static const struct refset_info *get_info(const struct set *set)
{
    (void)set;
    return &info;
}

static struct set_operations operations = {.info = get_info};
static struct set set = {&operations};
static struct seed seed_list[1 + COMMON];
static const struct seeds seeds = {.set = &set, .list = seed_list, .count = 1 + COMMON};
static const struct query samples[2];
static const struct queries queries = {.all = samples, .all_count = 2};

static struct effort effort;
static struct findings findings;

static uint64_t below(uint64_t most)
{
    return random64() % most;
}

static struct seed_chain random_chain(void)
{
    struct seed_chain chain = {.place = {.first = below(6), .file = 1 + below(6), .len = 100 + below(5)}};

    chain.cluster.start = below(3000);
    chain.cluster.end = chain.cluster.start + below(below(3) ? 100 : 2000);
    chain.counted = below(4) == 0;
    chain.doubtful = below(4) == 0;
    chain.support = below(20);
    return chain;
}

/* Adds a finding about where the chain lies: sometimes less, sometimes more. */
static void find(const struct seed_chain *chain)
{
    struct error err;
    struct finding *finding = finding_list_add(&findings, &err);
    const uint64_t start = chain->cluster.start + below(20), more = below(3) ? 40 : 0;

    ck_assert_ptr_nonnull(finding);
    finding->span.obj_start = start > more ? start - more : 0;
    finding->span.obj_end = finding->span.obj_start + chain->cluster.end - chain->cluster.start + below(80);
}

static void begin(struct regions *regions, struct chains *chains, size_t count, bool all)
{
    struct error err;

    memset(regions, 0, sizeof *regions);
    effort = (struct effort){.most = UINT64_MAX / 2};
    *chains = (struct chains){.list = calloc(count, sizeof *chains->list),
                              .count = count,
                              .wanted = {.all = all, .effort = &effort}};
    ck_assert_ptr_nonnull(chains->list);
    for (size_t i = 0; i < count; i++)
        chains->list[i] = random_chain();
    finding_list_reset(&findings);
    ck_assert_int_eq(regions_open(regions, &err), 0);
}

static void end(struct regions *regions, struct chains *chains)
{
    regions_release(regions);
    free(chains->list);
    finding_list_release(&findings);
}

static bool is_inside(const struct region *a, uint64_t start, uint64_t end)
{
    return start <= a->chain.cluster.start && a->chain.cluster.end <= end;
}

/* Whether region n is to be compared, and *also: the finding, from 1, that counts it otherwise; 0: none. */
static bool is_expected(const struct regions *regions, size_t n, size_t *also)
{
    const struct region *list = regions->list, *one = &list[n];
    size_t covering = 0;

    *also = 0;
    for (size_t i = 0; i < n && !one->chain.counted; i++)
        if (list[i].finding && list[i].chain.place.first == one->chain.place.first &&
            is_inside(one, list[i].span.obj_start, list[i].span.obj_end))
            return false;
    for (size_t i = 0; i < n && covering < MOST_COMPARED && !regions->all; i++)
        if (!list[i].chain.counted &&
            is_inside(one, list[i].chain.cluster.start, list[i].chain.cluster.end)) {
            if (one->chain.doubtful && list[i].finding)
                return false;
            if (!*also)
                *also = list[i].finding;
            covering++;
        }
    return regions->all || (covering < MOST_COMPARED && !one->chain.counted);
}

START_TEST(each_place_gives_the_best_and_counts_the_others)
{
    struct error err;

    for (int round = 0; round < 60; round++) {
        uint64_t also[MOST + 1] = {0};
        struct regions regions;
        struct chains chains;
        struct region *region;
        size_t n = 0, counted;

        begin(&regions, &chains, 1 + below(MOST), round % 5 == 0);
        ck_assert_int_eq(regions_find(&regions, &chains, &seeds, &queries, &subject, &err), 0);
        do {
            region = regions_next(&regions);
            for (; n < regions.count && !is_expected(&regions, n, &counted); n++)
                also[counted]++;
            ck_assert_ptr_eq(region, n < regions.count ? &regions.list[n] : NULL);
            n++;
            if (!region || below(4) == 0)
                continue;
            find(&region->chain);
            ck_assert_int_eq(regions_settle(&regions, region, &findings, &err), 0);
        } while (region);
        regions_count(&regions, &findings);
        for (size_t i = 0; i < findings.count; i++)
            ck_assert_uint_eq(findings.list[i].also, also[i + 1]);
        end(&regions, &chains);
    }
}
END_TEST

/* Pieces of one reference, side by side: each needs a look at its neighbours alone. */
START_TEST(thousands_of_pieces_take_little_work)
{
    struct regions regions;
    struct chains chains;
    struct region *region;
    struct error err;

    begin(&regions, &chains, MANY, false);
    for (size_t i = 0; i < MANY; i++) {
        chains.list[i] = (struct seed_chain){.place = {.first = i % 20}, .support = below(20)};
        chains.list[i].cluster.start = i * 2000;
        chains.list[i].cluster.end = i * 2000 + 1500;
    }
    ck_assert_int_eq(regions_find(&regions, &chains, &seeds, &queries, &subject, &err), 0);
    while ((region = regions_next(&regions))) {
        find(&region->chain);
        ck_assert_int_eq(regions_settle(&regions, region, &findings, &err), 0);
    }
    ck_assert_uint_eq(findings.count, MANY);
    ck_assert_uint_le(effort.done, MANY);
    end(&regions, &chains);
}
END_TEST

/* As many in one place: most are only counted, and that is counted as work. */
START_TEST(looking_at_a_place_is_counted_as_work)
{
    struct regions regions;
    struct chains chains;
    struct region *region;
    struct error err;

    begin(&regions, &chains, MOST, true);
    for (size_t i = 0; i < MOST; i++) {
        chains.list[i] = (struct seed_chain){.place = {.first = i}};
        chains.list[i].cluster.end = 1500;
    }
    ck_assert_int_eq(regions_find(&regions, &chains, &seeds, &queries, &subject, &err), 0);
    while ((region = regions_next(&regions))) {
        find(&region->chain);
        findings.list[findings.count - 1].span.obj_start = 0;
        ck_assert_int_eq(regions_settle(&regions, region, &findings, &err), 0);
    }
    ck_assert_uint_ge(effort.done, MOST * MOST / 20);
    end(&regions, &chains);
}
END_TEST

/* With 200 hits, a sample has the rarity 1 - ln(200) / ln(1000), or .233. */
START_TEST(what_few_references_have_comes_first)
{
    struct seed_chain chains_of[] = {{.support = 42, .first = 1, .count = 1, .place = {.file = 1}},
                                     {.support = 10, .first = 0, .count = 1, .place = {.file = 2}},
                                     {.support = 44, .first = 1, .count = 1, .place = {.file = 3}},
                                     {.support = 17, .first = 0, .count = 2, .place = {.file = 4}}};
    static const uint64_t order[] = {4, 3, 2, 1}; /* 10.48, 10.26, 10, 9.79 */
    struct regions regions = {0};
    struct chains chains = {.list = chains_of, .count = 4, .wanted = {.all = true, .effort = &effort}};
    struct error err;

    effort = (struct effort){.most = UINT64_MAX / 2};
    for (size_t i = 1; i <= COMMON; i++)
        seed_list[i].query = 1;
    ck_assert_int_eq(regions_open(&regions, &err), 0);
    ck_assert_int_eq(regions_find(&regions, &chains, &seeds, &queries, &subject, &err), 0);
    for (size_t i = 0; i < 4; i++) {
        const struct region *region = regions_next(&regions);

        ck_assert_ptr_nonnull(region);
        ck_assert_uint_eq(region->chain.place.file, order[i]);
    }
    regions_release(&regions);
}
END_TEST

RUN_TESTS("regions", what_few_references_have_comes_first, each_place_gives_the_best_and_counts_the_others,
          thousands_of_pieces_take_little_work, looking_at_a_place_is_counted_as_work)
