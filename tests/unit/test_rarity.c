/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "check_main.h"
#include "match/rarity.h"

/* A set of which only the number of references is known, and an object with a sample at every 100th byte. */

enum { QUERIES = 6, REFERENCES = 936, POSTPONED = 200 };

static struct refset_info info = {.counts = {.records = REFERENCES}};
static struct error err;

static const struct refset_info *get_info(const struct set *set)
{
    (void)set;
    return &info;
}

static struct set_operations operations = {.info = get_info};
static struct set set = {&operations};

static struct query all[QUERIES];
static uint32_t numbers[QUERIES], files[QUERIES];
static uint8_t states[QUERIES];
static const struct queries queries = {
    .all = all, .all_count = QUERIES, .numbers = numbers, .states = states, .files = files, .count = QUERIES};

/* Query 0 has one hit, 1 has three, 2 is postponed, with many files, and 3 and 4 were not looked up; 5 has
 * four. */
static void begin(struct rarity *rarity)
{
    static const uint32_t hits[QUERIES] = {1, 3, 0, 0, 0, 4};
    struct seed list[8];
    struct seeds seeds = {.set = &set, .list = list};

    for (uint32_t i = 0; i < QUERIES; i++) {
        all[i].pos = 100 * i;
        numbers[i] = i;
        for (uint32_t k = 0; k < hits[i]; k++)
            list[seeds.count++] = (struct seed){.sample = 1000 * k + i, .query = i};
    }
    files[2] = POSTPONED;
    ck_assert_int_eq(rarity_begin(rarity, &seeds, &queries, &err), 0);
}

static double of(const struct rarity *rarity, uint64_t start, uint64_t end)
{
    const struct finding_range range = {start, end, 0, end - start};

    return rarity_of(rarity, &range, 1);
}

static void assert_near(double got, double wanted)
{
    ck_assert_msg(fabs(got - wanted) < 1e-12, "%.15f, not %.15f", got, wanted);
}

START_TEST(it_is_the_mean_over_the_samples_in_the_ranges)
{
    const struct finding_range both[] = {{0, 50, 0, 50}, {450, 501, 90, 141}};
    struct rarity rarity = {0};

    begin(&rarity);
    assert_near(of(&rarity, 0, 100), 1);
    assert_near(of(&rarity, 1, 101), 1 - log(3) / log(1000));
    assert_near(of(&rarity, 101, 250), 1 - log(200) / log(1000));
    assert_near(of(&rarity, 0, 600), 1 - (log(3) + log(200) + log(4)) / log(1000) / 4);
    assert_near(rarity_of(&rarity, both, 2), (1 + 1 - log(4) / log(1000)) / 2);
    rarity_release(&rarity);
}
END_TEST

START_TEST(what_was_not_looked_up_counts_as_rare)
{
    struct rarity rarity = {0};

    begin(&rarity);
    assert_near(of(&rarity, 300, 500), 1);
    assert_near(of(&rarity, 201, 300), 1);
    assert_near(rarity_of(&rarity, NULL, 0), 1);
    rarity_release(&rarity);
}
END_TEST

START_TEST(content_of_all_references_is_not_negative)
{
    struct rarity rarity = {0};

    info.counts.records = 1;
    begin(&rarity);
    ck_assert(of(&rarity, 200, 201) == 0);
    ck_assert(of(&rarity, 500, 501) > 0.6);
    info.counts.records = REFERENCES;
    rarity_release(&rarity);
}
END_TEST

RUN_TESTS("rarity", it_is_the_mean_over_the_samples_in_the_ranges, what_was_not_looked_up_counts_as_rare,
          content_of_all_references_is_not_negative)
