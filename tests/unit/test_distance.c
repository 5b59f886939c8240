/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "compare/distance.h"

/* ---- strings, and the textbook distance ---- */

struct text {
    uint8_t *bytes; /* of exactly this length, so that a sanitizer sees reads beyond it */
    size_t len;
};

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state >> 16;
}

static size_t below(size_t n)
{
    return (size_t)(next_random() % n);
}

static struct text text_new(size_t len)
{
    struct text text = {malloc(len ? len : 1), len};

    ck_assert_ptr_nonnull(text.bytes);
    return text;
}

static struct text text_random(size_t len, size_t symbols)
{
    struct text text = text_new(len);

    for (size_t i = 0; i < len; i++)
        text.bytes[i] = (uint8_t)(below(symbols) * 255 / (symbols > 1 ? symbols - 1 : 1));
    return text;
}

/* A copy with runs of symbols replaced, deleted or inserted. */
static struct text text_edited(const struct text *from, size_t edits, size_t longest_run, size_t symbols)
{
    struct text text = text_new(from->len + edits * longest_run);

    text.len = from->len;
    memcpy(text.bytes, from->bytes, from->len);
    for (size_t i = 0; i < edits; i++) {
        size_t at = below(text.len + 1), run = 1 + below(longest_run), what = below(3);
        size_t rest = text.len - at, out = what == 2 ? 0 : run < rest ? run : rest, in = what == 1 ? 0 : run;

        memmove(text.bytes + at + in, text.bytes + at + out, rest - out);
        text.len += in - out;
        for (size_t j = 0; j < in; j++)
            text.bytes[at + j] = (uint8_t)(below(symbols) * 255 / (symbols > 1 ? symbols - 1 : 1));
    }
    text.bytes = realloc(text.bytes, text.len ? text.len : 1);
    ck_assert_ptr_nonnull(text.bytes);
    return text;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t plain_distance(const struct text *a, const struct text *b)
{
    uint64_t *row = malloc((b->len + 1) * sizeof(*row)), result;

    ck_assert_ptr_nonnull(row);
    for (size_t j = 0; j <= b->len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a->len; i++) {
        uint64_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= b->len; j++) {
            uint64_t replaced = diagonal + (a->bytes[i - 1] != b->bytes[j - 1]);

            diagonal = row[j];
            row[j] = least(replaced, least(row[j], row[j - 1]) + 1);
        }
    }
    result = row[b->len];
    free(row);
    return result;
}

/* ---- the functions under test, simplified ---- */

static uint64_t exact(const struct text *a, const struct text *b)
{
    uint64_t out = 0;
    struct error err;

    ck_assert_int_eq(distance_exact(a->bytes, a->len, b->bytes, b->len, &out, &err), 0);
    return out;
}

static uint64_t bounded(const struct text *a, const struct text *b, uint64_t limit)
{
    uint64_t out = 0;
    struct error err;

    ck_assert_int_eq(distance_bounded(a->bytes, a->len, b->bytes, b->len, limit, NULL, NULL, &out, &err), 0);
    return out;
}

/* The bounded distance, for limits up to `reach` from the true one, and the extremes. */
static void check_bounded(const struct text *a, const struct text *b, uint64_t true_distance, uint64_t reach)
{
    uint64_t limit = true_distance > reach ? true_distance - reach : 0;

    for (; limit < true_distance; limit++)
        ck_assert_uint_eq(bounded(a, b, limit), DISTANCE_MORE);
    for (; limit <= true_distance + reach; limit++)
        ck_assert_uint_eq(bounded(a, b, limit), true_distance);
    ck_assert_uint_eq(bounded(a, b, 0), true_distance == 0 ? 0 : DISTANCE_MORE);
    ck_assert_uint_eq(bounded(a, b, UINT64_MAX), true_distance);
}

/* 0 to 300, most often near a multiple of 64. */
static size_t random_len(void)
{
    size_t len = below(5) * 64 + below(5);

    return below(4) == 0 ? below(301) : len < 2 ? len : len - 2;
}

static const size_t alphabets[] = {1, 2, 4, 20, 64, 89, 256};
enum { ALPHABETS = sizeof(alphabets) / sizeof(alphabets[0]) };

/* Calls check with pairs that are related in every way. */
static void with_pairs(size_t count, void (*check)(const struct text *a, const struct text *b))
{
    for (size_t i = 0; i < count; i++) {
        size_t symbols = alphabets[i % ALPHABETS];
        struct text a = text_random(random_len(), symbols);
        struct text b = below(3) == 0 ? text_random(random_len(), symbols)
                                      : text_edited(&a, below(30), 1 + below(below(2) ? 3 : 80), symbols);

        check(&a, &b);
        free(a.bytes);
        free(b.bytes);
    }
}

/* ---- distance_exact ---- */

static void exact_is_plain(const struct text *a, const struct text *b)
{
    ck_assert_uint_eq(exact(a, b), plain_distance(a, b));
}

START_TEST(agrees_with_plain_dynamic_programming)
{
    with_pairs(4000, exact_is_plain);
}
END_TEST

START_TEST(agrees_with_plain_dynamic_programming_across_strips_of_rows)
{
    static const size_t lens[] = {447, 448, 449, 511, 512, 513, 575, 576, 577, 1023, 1024, 1025, 1100};

    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
        for (size_t j = 0; j < 6; j++) {
            struct text a = text_random(lens[i], alphabets[1 + j]);
            struct text b = text_random(lens[i] / (j + 1), alphabets[1 + j]);
            struct text c = text_edited(&a, 60, 20, alphabets[1 + j]);

            exact_is_plain(&a, &b);
            exact_is_plain(&a, &c);
            free(a.bytes);
            free(b.bytes);
            free(c.bytes);
        }
}
END_TEST

START_TEST(finds_distances_that_can_be_counted_by_hand)
{
    static const struct {
        const char *a, *b;
        uint64_t distance;
    } pairs[] = {{"", "", 0},
                 {"", "abc", 3},
                 {"a", "b", 1},
                 {"ab", "ba", 2},
                 {"abc", "axbc", 1},
                 {"kitten", "sitting", 3},
                 {"intention", "execution", 5},
                 {"aaaa", "aa", 2},
                 {"abcdef", "bcdefa", 2},
                 {"flaw", "lawn", 2}};
    struct error err;

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct text a = {(uint8_t *)(uintptr_t)pairs[i].a, strlen(pairs[i].a)};
        struct text b = {(uint8_t *)(uintptr_t)pairs[i].b, strlen(pairs[i].b)};
        uint64_t out = 0;

        ck_assert_uint_eq(exact(&a, &b), pairs[i].distance);
        check_bounded(&a, &b, pairs[i].distance, 7);
        ck_assert_int_eq(distance_exact(NULL, 0, a.bytes, a.len, &out, &err), 0);
        ck_assert_uint_eq(out, a.len);
    }
}
END_TEST

static void is_a_metric(const struct text *a, const struct text *b)
{
    struct text c = text_edited(below(2) ? a : b, below(40), 5, 256);
    uint64_t ab = exact(a, b), bc = exact(b, &c), ac = exact(a, &c);
    uint64_t longer = a->len > b->len ? a->len : b->len;

    ck_assert_uint_eq(exact(b, a), ab);
    ck_assert_uint_eq(exact(a, a), 0);
    ck_assert_uint_le(ac, ab + bc);
    ck_assert_uint_le(ab, ac + bc);
    ck_assert_uint_le(ab, longer);
    ck_assert_uint_ge(ab, longer - (a->len + b->len - longer));
    ck_assert_int_eq(ab == 0, a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0);
    free(c.bytes);
}

START_TEST(is_a_metric_and_keeps_its_bounds)
{
    with_pairs(1500, is_a_metric);
}
END_TEST

/* ---- distance_bounded ---- */

static void bounded_is_plain(const struct text *a, const struct text *b)
{
    check_bounded(a, b, plain_distance(a, b), 3);
}

static void bounded_is_plain_for_all_limits(const struct text *a, const struct text *b)
{
    check_bounded(a, b, plain_distance(a, b), a->len + b->len + 2);
}

START_TEST(finds_a_distance_up_to_the_limit_and_none_above)
{
    with_pairs(4000, bounded_is_plain);
    with_pairs(100, bounded_is_plain_for_all_limits);
}
END_TEST

/*
 * Symbols are missing from the second string at one place and added at another, so that a cheapest path runs
 * along the very edge of the band if limit = distance.
 */
static void check_detour(size_t len, size_t detour, size_t symbols)
{
    struct text a = text_random(len + detour, symbols), b = text_new(len + detour);

    memcpy(b.bytes, a.bytes + detour, len);
    for (size_t i = 0; i < detour; i++)
        b.bytes[len + i] = (uint8_t)(a.bytes[i] ^ 85);
    bounded_is_plain(&a, &b);
    bounded_is_plain(&b, &a);
    b.len = len + detour / 2;
    b.bytes = realloc(b.bytes, b.len);
    ck_assert_ptr_nonnull(b.bytes);
    bounded_is_plain(&a, &b);
    bounded_is_plain(&b, &a);
    free(a.bytes);
    free(b.bytes);
}

START_TEST(finds_a_path_along_the_edge_of_the_band)
{
    for (size_t detour = 1; detour <= 260; detour += detour < 130 ? 1 : 7)
        check_detour(200 + below(200), detour, alphabets[2 + detour % 5]);
}
END_TEST

START_TEST(finds_distances_of_long_strings_with_a_narrow_band)
{
    for (size_t i = 0; i < 100; i++) {
        size_t symbols = alphabets[1 + i % 6];
        struct text a = text_random(1000 + below(2000), symbols);
        struct text b = text_edited(&a, 1 + below(20), 1 + below(100), symbols);

        bounded_is_plain(&a, &b);
        free(a.bytes);
        free(b.bytes);
    }
}
END_TEST

START_TEST(finds_the_distance_when_the_limit_is_doubled)
{
    struct text a = text_random(30000, 64), b = text_edited(&a, 100, 30, 64);
    uint64_t true_distance = exact(&a, &b), found = DISTANCE_MORE, limit = 1;

    while ((found = bounded(&a, &b, limit)) == DISTANCE_MORE)
        limit *= 2;
    ck_assert_uint_eq(found, true_distance);
    ck_assert_uint_ge(limit, true_distance);
    ck_assert_uint_lt(limit, 2 * true_distance);
    free(a.bytes);
    free(b.bytes);
}
END_TEST

/* Answers yes when asked for the last time. */
struct patience {
    size_t asked, last;
};

static int stop_at_last(void *arg)
{
    struct patience *patience = arg;

    return ++patience->asked == patience->last;
}

START_TEST(stops_on_request)
{
    struct text a = text_random(20000, 256), b = text_random(20000, 256);

    for (size_t last = 1; last <= 3; last++) {
        struct patience patience = {0, last};
        uint64_t out = 0;
        struct error err;

        ck_assert_int_eq(
            distance_bounded(a.bytes, a.len, b.bytes, b.len, 20000, stop_at_last, &patience, &out, &err), 1);
        ck_assert_uint_eq(out, DISTANCE_MORE);
        ck_assert_uint_eq(patience.asked, last);
    }
    free(a.bytes);
    free(b.bytes);
}
END_TEST

/* A step of 64 rows takes some nanoseconds: 100000 of them, less than a few milliseconds. */
START_TEST(checks_often_whether_to_stop)
{
    static const size_t lens[] = {5000, 20000};

    for (size_t i = 0; i < 2; i++) {
        struct text a = text_random(lens[i], 256), b = text_random(lens[i], 256);
        struct patience patience = {0, SIZE_MAX};
        uint64_t out = 0;
        struct error err;

        ck_assert_int_eq(
            distance_bounded(a.bytes, a.len, b.bytes, b.len, lens[i], stop_at_last, &patience, &out, &err),
            0);
        ck_assert_uint_eq(out, exact(&a, &b));
        ck_assert_uint_gt(patience.asked, lens[i] * lens[i] / 64 / 100000 / 2);
        free(a.bytes);
        free(b.bytes);
    }
}
END_TEST

/* ---- distance_many ---- */

/* Sets the level of the loop test; 0 if the machine lacks it. */
static int use_level(int level)
{
    setenv("KITH_CPU", cpu_name((enum cpu_level)level), 1);
    return (int)cpu_level() == level;
}

static struct distance_query *query_new(const struct text *text)
{
    struct error err;
    struct distance_query *query = distance_query_new(text->bytes, text->len, &err);

    ck_assert_ptr_nonnull(query);
    return query;
}

/* Compares a query with references, and each result with the plain distance. */
static void check_many(struct distance_query *query, const struct text *text, const struct text *refs,
                       size_t count)
{
    const uint8_t **bytes = malloc((count + 1) * sizeof(*bytes));
    size_t *lens = malloc((count + 1) * sizeof(*lens));
    uint64_t *out = malloc((count + 1) * sizeof(*out));
    struct error err;

    ck_assert(bytes && lens && out);
    for (size_t i = 0; i < count; i++) {
        bytes[i] = refs[i].len ? refs[i].bytes : NULL;
        lens[i] = refs[i].len;
    }
    memset(out, 0xee, (count + 1) * sizeof(*out));
    ck_assert_int_eq(distance_many(query, bytes, lens, count, out, &err), 0);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(out[i], plain_distance(text, &refs[i]));
    ck_assert_uint_eq(out[count], 0xeeeeeeeeeeeeeeeeu);
    free(bytes);
    free(lens);
    free(out);
}

enum { MANY = 40 };

/* References of lengths from shortest to longest; every other one is related to the query. */
static void fill_refs(struct text *refs, const struct text *text, size_t shortest, size_t longest,
                      size_t symbols)
{
    for (size_t i = 0; i < MANY; i++)
        refs[i] = i % 2 ? text_edited(text, below(20), 10, symbols)
                        : text_random(shortest + below(longest - shortest + 1), symbols);
}

static void free_refs(struct text *refs)
{
    for (size_t i = 0; i < MANY; i++)
        free(refs[i].bytes);
}

static void check_query(size_t len, size_t shortest, size_t longest, size_t count, size_t symbols)
{
    struct text text = text_random(len, symbols), refs[MANY];
    struct distance_query *query = query_new(&text);

    fill_refs(refs, &text, shortest, longest, symbols);
    check_many(query, &text, refs, count);
    free_refs(refs);
    free(text.bytes);
    distance_query_free(query);
}

START_TEST(compares_one_with_any_number)
{
    if (use_level(_i))
        for (size_t count = 0; count <= MANY; count++)
            check_query(60 + below(80), 50, 140, count, alphabets[count % ALPHABETS]);
}
END_TEST

START_TEST(compares_a_query_of_any_length)
{
    if (!use_level(_i))
        return;
    for (size_t words = 0; words <= 18; words++)
        for (size_t more = 0; more < 3; more++) {
            size_t len = words * 64 + more;

            check_query(len < 1 ? 0 : len - 1, len / 2, len + 10, 5 + below(15), alphabets[below(ALPHABETS)]);
        }
}
END_TEST

START_TEST(compares_references_of_very_different_lengths)
{
    if (use_level(_i))
        for (size_t i = 0; i < 30; i++)
            check_query(random_len(), 0, i % 3 ? 400 : 5, MANY, alphabets[i % ALPHABETS]);
}
END_TEST

START_TEST(compares_references_longer_than_any_tile)
{
    if (use_level(_i))
        for (size_t i = 0; i < 8; i++)
            check_query(100 * i, 900, 1500, 9, alphabets[i % ALPHABETS]);
}
END_TEST

START_TEST(reuses_a_query_and_keeps_its_own_copy)
{
    struct text text = text_random(200, 64), refs[MANY];
    struct distance_query *query;
    uint8_t *copy = malloc(text.len);

    if (use_level(_i) && copy) {
        memcpy(copy, text.bytes, text.len);
        query = query_new(&(struct text){copy, text.len});
        free(copy);
        for (size_t i = 0; i < 10; i++) {
            fill_refs(refs, &text, 0, 300, 64);
            check_many(query, &text, refs, MANY - 3 * i);
            free_refs(refs);
        }
        distance_query_free(query);
    }
    free(text.bytes);
}
END_TEST

START_TEST(distinguishes_all_symbols)
{
    struct text text = text_new(256), refs[MANY];
    struct distance_query *query;

    for (size_t i = 0; i < text.len; i++)
        text.bytes[i] = (uint8_t)i;
    if (use_level(_i)) {
        query = query_new(&text);
        for (size_t i = 0; i < MANY; i++) {
            refs[i] = text_new(256);
            memcpy(refs[i].bytes, text.bytes, 256);
            refs[i].bytes[i * 6] = (uint8_t)(i * 5 + 1);
        }
        check_many(query, &text, refs, MANY);
        free_refs(refs);
        distance_query_free(query);
    }
    free(text.bytes);
}
END_TEST

START_TEST(freeing_no_query_is_harmless)
{
    distance_query_free(NULL);
}
END_TEST

static Suite *distance_suite(void)
{
    Suite *suite = suite_create("distance");
    TCase *one = tcase_create("one"), *many = tcase_create("many");

    tcase_set_timeout(one, 300);
    tcase_add_test(one, agrees_with_plain_dynamic_programming);
    tcase_add_test(one, agrees_with_plain_dynamic_programming_across_strips_of_rows);
    tcase_add_test(one, finds_distances_that_can_be_counted_by_hand);
    tcase_add_test(one, is_a_metric_and_keeps_its_bounds);
    tcase_add_test(one, finds_a_distance_up_to_the_limit_and_none_above);
    tcase_add_test(one, finds_a_path_along_the_edge_of_the_band);
    tcase_add_test(one, finds_distances_of_long_strings_with_a_narrow_band);
    tcase_add_test(one, finds_the_distance_when_the_limit_is_doubled);
    tcase_add_test(one, stops_on_request);
    tcase_add_test(one, checks_often_whether_to_stop);
    suite_add_tcase(suite, one);
    tcase_set_timeout(many, 300);
    tcase_add_loop_test(many, compares_one_with_any_number, CPU_SCALAR, CPU_AVX512 + 1);
    tcase_add_loop_test(many, compares_a_query_of_any_length, CPU_SCALAR, CPU_AVX512 + 1);
    tcase_add_loop_test(many, compares_references_of_very_different_lengths, CPU_SCALAR, CPU_AVX512 + 1);
    tcase_add_loop_test(many, compares_references_longer_than_any_tile, CPU_SCALAR, CPU_AVX512 + 1);
    tcase_add_loop_test(many, reuses_a_query_and_keeps_its_own_copy, CPU_SCALAR, CPU_AVX512 + 1);
    tcase_add_loop_test(many, distinguishes_all_symbols, CPU_SCALAR, CPU_AVX512 + 1);
    tcase_add_test(many, freeing_no_query_is_harmless);
    suite_add_tcase(suite, many);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(distance_suite());
    int failed;

    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
