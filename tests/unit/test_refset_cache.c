/* SPDX-License-Identifier: Apache-2.0 */
#include "refset_twin.h"
#include "same.h"
#include "set/refset_cache.h"

enum { CONTENTS = 150 };

static struct refset *set;
static struct refset_search *search;

static void begin_search(size_t contents)
{
    set = begin_set(contents, 256);
    fill_set(set, 30);
    search = refset_search_new(set, REFSET_SEARCH_FEATURES, &err);
    ck_assert_ptr_nonnull(search);
}

static void end_search(void)
{
    refset_search_free(search);
    close_set(set);
    twin_end();
    end_test();
}

static struct refset_cache *new_cache(size_t bytes)
{
    struct refset_cache *cache = refset_cache_new(search, bytes, &err);

    ck_assert_msg(cache != NULL, "%s", err.text);
    return cache;
}

/* As matching does it. */
static int bounds_of(struct refset_cache *cache, uint64_t sample, uint64_t *first, uint64_t *end)
{
    struct set *as_set = refset_cache_set(cache);

    return as_set->does->bounds(as_set, sample, first, end, &err);
}

static int record_of(struct refset_cache *cache, uint64_t first, const struct set_record **record)
{
    struct set *as_set = refset_cache_set(cache);

    return as_set->does->record(as_set, first, record, &err);
}

static uint64_t sample_count(void)
{
    return refset_info(set)->counts.next_sample;
}

/* ---- bounds ---- */

/* The first samples of all records, by asking for one sample after the other. */
static size_t gather_firsts(uint64_t *firsts, size_t room)
{
    size_t count = 0;

    for (uint64_t sample = 0; sample < sample_count(); sample++) {
        uint64_t got[3];
        size_t found;

        ck_assert_int_eq(refset_search_firsts(search, sample, sample, got, 1, &found, &err), 0);
        if (found && got[0] <= sample && (count == 0 || got[0] != firsts[count - 1])) {
            ck_assert_uint_lt(count, room);
            firsts[count++] = got[0];
        }
    }
    return count;
}

static void assert_bounds(struct refset_cache *cache, const uint64_t *firsts, size_t count, uint64_t sample)
{
    uint64_t first = 77, end = 77;
    size_t i = 0;
    int found;

    while (i < count && firsts[i] <= sample)
        i++;
    found = bounds_of(cache, sample, &first, &end);
    ck_assert_int_eq(found, i > 0);
    if (!found)
        return;
    ck_assert_uint_eq(first, firsts[i - 1]);
    ck_assert_uint_eq(end, i < count ? firsts[i] : UINT64_MAX);
}

START_TEST(samples_have_the_bounds_of_their_records)
{
    static uint64_t firsts[MOST_CONTENTS];
    struct refset_cache *cache;
    size_t count;

    begin_search(2 * CONTENTS);
    cache = new_cache(1 << 20);
    count = gather_firsts(firsts, MOST_CONTENTS);
    ck_assert_uint_eq(count, refset_info(set)->counts.records);
    ck_assert_uint_gt(sample_count(), 4200); /* on more than one shelf */
    for (uint64_t sample = 0; sample < sample_count() + 5000; sample++)
        assert_bounds(cache, firsts, count, sample);
    for (int round = 0; round < 3000; round++)
        assert_bounds(cache, firsts, count, random_below(sample_count() + 10));
    refset_cache_free(cache);
    end_search();
}
END_TEST

/* A large set has more shelves than the cache: here the numbers of a small one are spread out. */
START_TEST(bounds_that_are_far_apart_are_right_too)
{
    static const uint64_t shift = (uint64_t)1 << 40;
    static uint64_t firsts[MOST_CONTENTS];
    struct refset_cache *cache;
    size_t count;

    begin_search(CONTENTS);
    count = gather_firsts(firsts, MOST_CONTENTS);
    refset_search_free(search);
    close_set(set);
    spoil("UPDATE record SET first = first * 1048577 + 1099511627776");
    set = open_as(REFSET_READ);
    search = refset_search_new(set, REFSET_SEARCH_FEATURES, &err);
    ck_assert_ptr_nonnull(search);
    for (size_t i = 0; i < count; i++)
        firsts[i] = firsts[i] * 1048577 + shift;
    cache = new_cache(1 << 20);
    assert_bounds(cache, firsts, count, 0);
    assert_bounds(cache, firsts, count, shift);
    for (int round = 0; round < 5000; round++) {
        const uint64_t first = firsts[random_below(count)];

        assert_bounds(cache, firsts, count, first - random_below(2));
        assert_bounds(cache, firsts, count, first + random_below(1 << random_below(30)));
    }
    refset_cache_free(cache);
    end_search();
}
END_TEST

START_TEST(a_set_without_records_has_no_bounds)
{
    struct refset_cache *cache;

    begin_search(0);
    cache = new_cache(0);
    for (uint64_t sample = 0; sample < 10000; sample += 9)
        assert_bounds(cache, NULL, 0, sample);
    refset_cache_free(cache);
    refset_cache_free(NULL);
    end_search();
}
END_TEST

/* ---- records ---- */

/* As a search without a cache returns it. */
static void assert_record_of(struct refset_cache *cache, uint64_t first)
{
    static struct set_record direct;
    const struct set_record *record;
    int found = refset_search_record(search, first, &direct, &err);

    ck_assert_int_ge(found, 0);
    found = found && direct.place.first == first;
    ck_assert_int_eq(record_of(cache, first, &record), found);
    if (found)
        assert_same_record(record, &direct);
}

static void check_records(size_t bytes)
{
    static uint64_t firsts[MOST_CONTENTS];
    struct refset_cache *cache;
    size_t count;

    begin_search(CONTENTS);
    cache = new_cache(bytes);
    count = gather_firsts(firsts, MOST_CONTENTS);
    for (int round = 0; round < 4000; round++) {
        const size_t near = random_below(count);

        assert_record_of(cache, firsts[near]);
        if (random_below(4) == 0)
            assert_record_of(cache, firsts[near]); /* again */
        if (random_below(4) == 0)
            assert_record_of(cache, firsts[(near + random_below(5)) % count]);
    }
    refset_cache_free(cache);
    end_search();
}

START_TEST(records_are_right_however_small_the_cache_is)
{
    static const size_t budgets[] = {0, 1, 3000, 20000, 1 << 20};

    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++)
        check_records(budgets[i]);
}
END_TEST

START_TEST(where_no_record_starts_none_is_found)
{
    struct refset_cache *cache;

    begin_search(CONTENTS);
    for (size_t bytes = 0; bytes <= 1 << 20; bytes += 1 << 20) {
        cache = new_cache(bytes);
        for (uint64_t sample = 0; sample < sample_count() + 10; sample += 1 + random_below(4))
            assert_record_of(cache, sample);
        assert_record_of(cache, UINT64_MAX);
        assert_record_of(cache, INT64_MAX);
        for (uint64_t sample = 0; sample < sample_count() + 10; sample += 1 + random_below(4))
            assert_record_of(cache, sample);
        refset_cache_free(cache);
    }
    end_search();
}
END_TEST

START_TEST(an_unreadable_record_is_an_error_every_time)
{
    struct refset_cache *cache;
    size_t broken = 0;

    begin_search(30);
    refset_search_free(search);
    close_set(set);
    spoil("UPDATE record SET samples = x'ff' WHERE first % 2 = 0");
    set = open_as(REFSET_READ);
    search = refset_search_new(set, REFSET_SEARCH_FEATURES, &err);
    cache = new_cache(1 << 20);
    for (uint64_t sample = 0; sample < 2 * sample_count(); sample++) {
        const uint64_t first = sample % sample_count();
        static struct set_record direct;
        const int found = refset_search_record(search, first, &direct, &err);
        const struct set_record *record;
        int there;

        err.text[0] = '\0';
        there = record_of(cache, first, &record);
        if (found < 0) {
            ck_assert(there < 0 && err.text[0]);
            broken++;
        } else if (there) {
            assert_same_record(record, &direct);
        }
    }
    ck_assert_uint_gt(broken, 4);
    refset_cache_free(cache);
    end_search();
}
END_TEST

RUN_TESTS("refset_cache", samples_have_the_bounds_of_their_records, bounds_that_are_far_apart_are_right_too,
          a_set_without_records_has_no_bounds, records_are_right_however_small_the_cache_is,
          where_no_record_starts_none_is_found, an_unreadable_record_is_an_error_every_time)
