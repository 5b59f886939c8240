/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "compare/chain.h"

enum { MAX = 200 };

static struct sample a[MAX], b[MAX];

/* Random fingerprints out of this many, at ascending positions. */
static void fill_samples(struct sample *samples, size_t count, uint64_t kinds)
{
    uint64_t pos = 0;

    for (size_t i = 0; i < count; i++) {
        pos += 1 + random64() % 50;
        samples[i] = (struct sample){pos, random64() % kinds * 0x9e3779b97f4a7c15};
    }
}

/* The longest common subsequence, which is the longest chain if no fingerprint is common. */
static size_t longest(size_t a_count, size_t b_count)
{
    static size_t table[MAX + 1][MAX + 1];

    for (size_t i = 1; i <= a_count; i++)
        for (size_t j = 1; j <= b_count; j++) {
            size_t skip = table[i - 1][j] > table[i][j - 1] ? table[i - 1][j] : table[i][j - 1];
            size_t take = table[i - 1][j - 1] + 1;

            table[i][j] = a[i - 1].fp == b[j - 1].fp && take > skip ? take : skip;
        }
    return table[a_count][b_count];
}

static size_t count_different(const struct sample *x, size_t x_count, const struct sample *y, size_t y_count,
                              bool in_y)
{
    size_t count = 0;

    for (size_t i = 0; i < x_count; i++) {
        bool seen = false, found = false;

        for (size_t j = 0; j < i; j++)
            seen |= x[j].fp == x[i].fp;
        for (size_t j = 0; j < y_count; j++)
            found |= y[j].fp == x[i].fp;
        count += !seen && found == in_y;
    }
    return count;
}

static size_t times(const struct sample *samples, size_t count, uint64_t fp)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += samples[i].fp == fp;
    return found;
}

static size_t count_single(size_t a_count, size_t b_count)
{
    size_t single = 0;

    for (size_t i = 0; i < a_count; i++)
        single += times(a, a_count, a[i].fp) == 1 && times(b, b_count, a[i].fp) == 1;
    return single;
}

static void assert_is_chain(const struct chain *chain)
{
    for (size_t i = 0; i < chain->count; i++) {
        ck_assert_uint_eq(a[chain->anchors[i].a].fp, b[chain->anchors[i].b].fp);
        if (i > 0) {
            ck_assert_uint_gt(chain->anchors[i].a, chain->anchors[i - 1].a);
            ck_assert_uint_gt(chain->anchors[i].b, chain->anchors[i - 1].b);
        }
    }
}

START_TEST(is_the_longest_common_subsequence)
{
    struct chain chain = {0};
    struct error err;

    for (int round = 0; round < 400; round++) {
        size_t a_count = random64() % MAX, b_count = random64() % MAX;
        uint64_t kinds = 20 + random64() % 400; /* few enough to repeat, many enough that none is common */

        fill_samples(a, a_count, kinds);
        fill_samples(b, b_count, kinds);
        ck_assert_int_eq(chain_find(&chain, &(struct chain_sides){a, b, a_count, b_count, NULL}, &err), 0);
        assert_is_chain(&chain);
        ck_assert_uint_eq(chain.count, longest(a_count, b_count));
        ck_assert_uint_eq(chain.shared, count_different(a, a_count, b, b_count, true));
        ck_assert_uint_eq(chain.only_a, count_different(a, a_count, b, b_count, false));
        ck_assert_uint_eq(chain.only_b, count_different(b, b_count, a, a_count, false));
        ck_assert_uint_eq(chain_single(&chain), count_single(a_count, b_count));
    }
    chain_release(&chain);
}
END_TEST

/* Of 90 different samples, 30 each in the order 2, 3, 1; 30 more occur twice, which says nothing. */
START_TEST(samples_that_occur_once_tell_how_much_is_in_the_same_order)
{
    enum { PART = 30 };
    struct chain chain = {0};
    struct error err;

    for (size_t i = 0; i < 3 * PART; i++) {
        a[i] = (struct sample){100 * i, 1000 + i};
        b[i] = (struct sample){100 * i, 1000 + (i + PART) % (3 * PART)};
    }
    for (size_t i = 3 * PART; i < 5 * PART; i++)
        a[i] = b[i] = (struct sample){100 * i, i % PART};
    ck_assert_int_eq(chain_find(&chain, &(struct chain_sides){a, b, 5 * PART, 5 * PART, NULL}, &err), 0);
    ck_assert_uint_eq(chain_single(&chain), 3 * PART);
    ck_assert_uint_eq(chain_single_in_order(&chain), 2 * PART);
    ck_assert_uint_eq(chain.count, 4 * PART);
    chain_release(&chain);
}
END_TEST

START_TEST(frequent_fingerprints_are_left_out)
{
    struct chain chain = {0};
    struct error err;

    fill_samples(a, MAX, 1u << 30);
    fill_samples(b, MAX, 1u << 30);
    for (size_t i = 0; i < 40; i++)
        a[5 * i].fp = 42;
    b[7].fp = 42;
    a[1].fp = b[9].fp = 43;
    ck_assert_int_eq(chain_find(&chain, &(struct chain_sides){a, b, MAX, MAX, NULL}, &err), 0);
    ck_assert(chain_common_a(&chain, 0));
    ck_assert(chain_common_b(&chain, 7));
    ck_assert(!chain_common_a(&chain, 1));
    ck_assert_uint_eq(chain.count, 1);
    ck_assert_uint_eq(chain.anchors[0].a, 1);
    ck_assert_uint_eq(chain.anchors[0].b, 9);
    chain_release(&chain);
}
END_TEST

START_TEST(repetitive_content_is_matched_in_order)
{
    struct chain chain = {0};
    struct error err;

    for (size_t i = 0; i < MAX; i++) /* 5 fingerprints, 40 times each */
        a[i] = b[i] = (struct sample){100 * i, i % 5};
    ck_assert_int_eq(chain_find(&chain, &(struct chain_sides){a, b, MAX, MAX, NULL}, &err), 0);
    assert_is_chain(&chain);
    ck_assert_uint_eq(chain.count, MAX);
    chain_release(&chain);
}
END_TEST

START_TEST(a_part_of_repetitive_content_is_matched_on_the_diagonal)
{
    enum { PART = 50, FROM = 130 };
    const struct chain_hints hints = {.diagonal = 100 * (7 - FROM)};
    struct chain chain = {0};
    struct error err;

    for (size_t i = 0; i < MAX; i++)
        b[i] = (struct sample){100 * i, i % 5};
    for (size_t i = 0; i < PART; i++)
        a[i] = (struct sample){100 * (i + 7), (i + FROM) % 5};
    ck_assert_int_eq(chain_find(&chain, &(struct chain_sides){a, b, PART, MAX, &hints}, &err), 0);
    ck_assert_uint_eq(chain.count, PART);
    for (size_t i = 0; i < PART; i++) {
        ck_assert_uint_eq(chain.anchors[i].a, i);
        ck_assert_uint_eq(chain.anchors[i].b, i + FROM);
    }
    chain_release(&chain);
}
END_TEST

/* A few samples, each three times: all places are equally good, and one is near. */
START_TEST(of_equally_long_chains_the_one_in_one_place_is_chosen)
{
    enum { COPY = 10 };
    struct chain chain = {0};
    struct error err;

    fill_samples(a, COPY + 1, 1u << 30);
    for (size_t i = 0; i < 3 * COPY; i++)
        b[i] = (struct sample){1000 * i, a[i % COPY].fp};
    b[3 * COPY] = (struct sample){1000 * 3 * COPY, a[COPY].fp};
    ck_assert_int_eq(chain_find(&chain, &(struct chain_sides){a, b, COPY + 1, 3 * COPY + 1, NULL}, &err), 0);
    ck_assert_uint_eq(chain.count, COPY + 1);
    for (size_t i = 0; i <= COPY; i++)
        ck_assert_uint_eq(chain.anchors[i].b, 2 * COPY + i);
    chain_release(&chain);
}
END_TEST

START_TEST(the_next_chain_uses_none_of_the_samples_of_the_last)
{
    struct chain chain = {0};
    struct error err;
    bool used_a[MAX] = {false}, used_b[MAX] = {false};
    size_t rounds = 0;

    fill_samples(a, MAX, 1u << 30);
    for (size_t i = 0; i < MAX; i++) /* the second half first */
        b[i] = (struct sample){a[i].pos, a[(i + MAX / 2) % MAX].fp};
    ck_assert_int_eq(chain_find(&chain, &(struct chain_sides){a, b, MAX, MAX, NULL}, &err), 0);
    for (; chain.count > 0; chain_find_next(&chain)) {
        assert_is_chain(&chain);
        ck_assert_uint_eq(chain.count, MAX / 2);
        for (size_t i = 0; i < chain.count; i++) {
            ck_assert(!used_a[chain.anchors[i].a] && !used_b[chain.anchors[i].b]);
            used_a[chain.anchors[i].a] = used_b[chain.anchors[i].b] = true;
        }
        rounds++;
    }
    ck_assert_uint_eq(rounds, 2);
    chain_release(&chain);
}
END_TEST

START_TEST(a_mass_of_repeats_takes_bounded_memory)
{
    enum { MANY = 200000 };
    struct sample *x = calloc(MANY, sizeof *x), *y = calloc(MANY, sizeof *y);
    struct chain chain = {0};
    struct error err;

    ck_assert(x && y);
    for (size_t i = 0; i < MANY; i++) { /* each fingerprint 32 times on each side: 1024 pairs for each */
        x[i] = (struct sample){i, i % (MANY / 32)};
        y[i] = (struct sample){i, (i * 7) % (MANY / 32)};
    }
    ck_assert_int_eq(chain_find(&chain, &(struct chain_sides){x, y, MANY, MANY, NULL}, &err), 0);
    ck_assert_uint_le(chain.pair_room, 9 * 2 * MANY);
    chain_release(&chain);
    free(x);
    free(y);
}
END_TEST

START_TEST(nothing_gives_nothing)
{
    struct chain chain = {0};
    struct error err;

    ck_assert_int_eq(chain_find(&chain, &(struct chain_sides){NULL, NULL, 0, 0, NULL}, &err), 0);
    ck_assert_uint_eq(chain.count, 0);
    fill_samples(a, 10, 5);
    ck_assert_int_eq(chain_find(&chain, &(struct chain_sides){a, NULL, 10, 0, NULL}, &err), 0);
    ck_assert_uint_eq(chain.count, 0);
    ck_assert_uint_eq(chain.shared, 0);
    chain_find_next(&chain);
    ck_assert_uint_eq(chain.count, 0);
    chain_release(&chain);
}
END_TEST

/* ---- prior knowledge ---- */

static bool is_alone(size_t a_count, size_t b_count, size_t j)
{
    for (size_t i = 0; i < a_count; i++)
        if (a[i].fp == b[j].fp)
            return false;
    for (size_t i = 0; i < b_count; i++)
        if (i != j && b[i].fp == b[j].fp)
            return false;
    return true;
}

static void assert_same_chain(const struct chain *x, const struct chain *y, size_t a_count, size_t b_count)
{
    ck_assert(x->count == y->count && x->shared == y->shared && x->only_a == y->only_a &&
              x->only_b == y->only_b);
    for (size_t i = 0; i < x->count; i++)
        ck_assert(x->anchors[i].a == y->anchors[i].a && x->anchors[i].b == y->anchors[i].b);
    for (size_t i = 0; i < a_count; i++)
        ck_assert(chain_common_a(x, i) == chain_common_a(y, i));
    for (size_t i = 0; i < b_count; i++)
        ck_assert(chain_common_b(x, i) == chain_common_b(y, i));
}

/* Many share a fingerprint, and many have one of their own. */
static void make_side(struct sample *samples, size_t count, uint64_t own)
{
    for (size_t i = 0; i < count; i++)
        samples[i] = (struct sample){100 * i, random64() % 3 ? random64() % 50 : own + i};
}

START_TEST(hints_about_the_sides_save_work_and_change_nothing)
{
    struct chain chain = {0}, plain = {0};
    struct error err;

    for (int round = 0; round < 300; round++) {
        static bool alone[MAX];
        const size_t a_count = random64() % MAX;

        make_side(a, a_count, 1000);
        for (int again = 0; again < 4; again++) {
            const size_t b_count = random64() % MAX;
            const struct chain_hints known = {.alone_b = random64() % 2 ? alone : NULL, .same_a = again > 0},
                                     none = {0};

            make_side(b, b_count, random64() % 2 ? 1000 : 5000);
            for (size_t j = 0; j < b_count; j++)
                alone[j] = is_alone(a_count, b_count, j);
            ck_assert_int_eq(chain_find(&chain, &(struct chain_sides){a, b, a_count, b_count, &known}, &err),
                             0);
            ck_assert_int_eq(chain_find(&plain, &(struct chain_sides){a, b, a_count, b_count, &none}, &err),
                             0);
            assert_same_chain(&chain, &plain, a_count, b_count);
        }
    }
    chain_release(&chain);
    chain_release(&plain);
}
END_TEST

RUN_TESTS("chain", is_the_longest_common_subsequence,
          samples_that_occur_once_tell_how_much_is_in_the_same_order, frequent_fingerprints_are_left_out,
          repetitive_content_is_matched_in_order, a_part_of_repetitive_content_is_matched_on_the_diagonal,
          of_equally_long_chains_the_one_in_one_place_is_chosen,
          the_next_chain_uses_none_of_the_samples_of_the_last,
          hints_about_the_sides_save_work_and_change_nothing, a_mass_of_repeats_takes_bounded_memory,
          nothing_gives_nothing)
