/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "check_main.h"
#include "match/rarity.h"

/* A set of which only the number of references is known, and an object with six samples. */

enum { QUERIES = 6, REFERENCES = 936 };

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
static const struct queries queries = {.all = all, .all_count = QUERIES};

/* Query 0 has one hit, 1 has three, 5 has four, and the others were not looked up.  The reference whose
 * samples come first has a sample equal to each of these; that of the last seed has only one. */
static struct seed list[] = {{.sample = 10, .query = 0}, {.sample = 11, .query = 1},
                             {.sample = 12, .query = 5}, {.sample = 21, .query = 1},
                             {.sample = 22, .query = 5}, {.sample = 31, .query = 1},
                             {.sample = 32, .query = 5}, {.sample = 42, .query = 5}};
static const struct seeds seeds = {.set = &set, .list = list, .count = 8};
static const struct seed_chain of_all = {.first = 0, .count = 3}, of_last = {.first = 7, .count = 1};

static void begin(struct rarity *rarity)
{
    ck_assert_int_eq(rarity_begin(rarity, &seeds, &queries, &err), 0);
}

static void assert_near(double got, double wanted)
{
    ck_assert_msg(fabs(got - wanted) < 1e-12, "%.15f, not %.15f", got, wanted);
}

START_TEST(it_is_the_mean_over_the_samples_that_were_found)
{
    struct rarity rarity = {0};

    begin(&rarity);
    assert_near(rarity_of(&rarity, &of_all), 1 - (log(3) + log(4)) / log(1000) / 3);
    assert_near(rarity_of(&rarity, &of_last), 1 - log(4) / log(1000));
    assert_near(rarity_of(&rarity, &(struct seed_chain){.first = 0, .count = 1}), 1);
    assert_near(rarity_of(&rarity, &(struct seed_chain){.count = 0}), 1);
    rarity_release(&rarity);
}
END_TEST

/* A file may repeat itself. */
START_TEST(content_of_more_places_than_references_is_not_negative)
{
    enum { PLACES = 200 };
    static struct seed places[PLACES];
    struct seeds many = seeds;
    struct rarity rarity = {0};

    info.counts.records = 1;
    many.list = places;
    many.count = PLACES;
    ck_assert_int_eq(rarity_begin(&rarity, &many, &queries, &err), 0);
    ck_assert(rarity_of(&rarity, &of_all) == 0);
    info.counts.records = REFERENCES;
    rarity_release(&rarity);
}
END_TEST

RUN_TESTS("rarity", it_is_the_mean_over_the_samples_that_were_found,
          content_of_more_places_than_references_is_not_negative)
