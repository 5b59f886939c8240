/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>

#include "check_main.h"
#include "match/chance_line.h"

enum { MOST = 8, LONG = 2000 };

/* All samples are in the references once, in e^10 bytes: none is worth more than 10 nats. */
static const struct chance_shares all_once = {{0}};
static const struct chance_search usual = {
    .shares = &all_once, .matches = 500, .samples = 400, .bytes = 22026.465795, .length = 5000};

static uint64_t random_below(uint64_t limit)
{
    return random64() % limit;
}

/* Each with information of 10 nats, 100 bytes after the one before it, on one diagonal. */
static void make_run(struct chance_match *matches, size_t count)
{
    for (size_t i = 0; i < count; i++)
        matches[i] = (struct chance_match){.object = 5000 + 100 * i,
                                           .reference = 100 * i,
                                           .sample = 77 + i,
                                           .number = (uint32_t)(20 + i),
                                           .information = 10};
}

/* With as many matches elsewhere as are expected, so that the reference is one like others. */
static double ln_e_of(const struct chance_search *search, const struct chance_match *matches, size_t count)
{
    static struct chance_step steps[LONG];
    struct chance_search like_others = *search;

    if (search->elsewhere <= 0)
        like_others.elsewhere = search->matches * search->length / search->bytes;
    return chance_line_ln_e(&like_others, matches, count, steps);
}

static double rank_of(double area)
{
    return area * (1 + 0.75 * log(area));
}

START_TEST(each_further_match_of_a_run_is_worth_its_information)
{
    struct chance_match matches[LONG];

    make_run(matches, LONG);
    ck_assert_double_eq_tol(ln_e_of(&usual, matches, 0), log(500), 1e-9);
    ck_assert_double_eq_tol(ln_e_of(&usual, matches, 1), log(500), 1e-9);
    for (size_t count = 2; count <= LONG; count++)
        ck_assert_double_eq_tol(ln_e_of(&usual, matches, count), log(300) - 10 * (double)(count - 1), 1e-5);
}
END_TEST

/* Worked examples: 3 of 4 samples left out are 3 + 1 choices, 5 bytes to either side and none 11. */
START_TEST(what_is_left_out_and_shifts_cost_as_many_choices)
{
    struct chance_match matches[2];
    struct chance_search search = usual;

    make_run(matches, 2);
    matches[1].number += 3;
    ck_assert_double_eq_tol(ln_e_of(&usual, matches, 2), log(300) - 10 + log(rank_of(4)), 1e-6);
    matches[1].object += 5;
    ck_assert_double_eq_tol(ln_e_of(&usual, matches, 2), log(300) - 10 + log(rank_of(44)), 1e-6);
    matches[1].object -= 10;
    ck_assert_double_eq_tol(ln_e_of(&usual, matches, 2), log(300) - 10 + log(rank_of(44)), 1e-6);
    search.samples = 8; /* no more can be left out */
    ck_assert_double_eq_tol(ln_e_of(&search, matches, 2), log(300) - 10 + log(44 * (1 + 0.75 * log(8))),
                            1e-6);
    search.samples = 4;
    search.length = 5;
    search.elsewhere = 500 * 5 / search.bytes;
    ck_assert_double_eq_tol(ln_e_of(&search, matches, 2), log(300) - 10 + log(20), 1e-6);
}
END_TEST

/* Two links with p of at most x each, and any product up to y, are y (1 + ln (x^2 / y)) of all pairs. */
START_TEST(lines_pay_for_weighing_one_link_against_another)
{
    struct chance_match matches[4];
    double x = 2 * log(rank_of(4));

    make_run(matches, 4);
    matches[1].number += 3;
    matches[2].number += 6;
    ck_assert_double_eq_tol(ln_e_of(&usual, matches, 3), log(300) - 20 + x + log(1 + x), 1e-6);
    matches[3].number += 9;
    x *= 1.5;
    ck_assert_double_eq_tol(ln_e_of(&usual, matches, 4), log(300) - 30 + x + log(1 + x + x * x / 2), 1e-2);
}
END_TEST

START_TEST(a_reference_with_more_matches_elsewhere_gives_more_by_chance)
{
    const double expected = 500.0 * 5000 / 22026.465795;
    struct chance_match matches[5];
    struct chance_search search = usual;

    make_run(matches, 5);
    search.elsewhere = 7 * (expected + 1) - 1;
    ck_assert_double_eq_tol(ln_e_of(&search, matches, 5), log(300) - 40 + 4 * log(7), 1e-6);
    search.elsewhere = (expected + 1) / 2 - 1;
    ck_assert_double_eq_tol(ln_e_of(&search, matches, 5), log(300) - 40 - 4 * log(2), 1e-6);
    search.elsewhere = 1e-9; /* but not less than a quarter */
    ck_assert_double_eq_tol(ln_e_of(&search, matches, 5), log(300) - 40 - 4 * log(4), 1e-6);
    search.elsewhere = 1e9;
    ck_assert_double_eq_tol(ln_e_of(&search, matches, 5), log(500), 1e-6);
}
END_TEST

START_TEST(shares_count_samples_by_how_often_they_are_held)
{
    static const uint32_t hits[] = {1, 2, 0, 3, 4, 0, 5, 1, 1u << 31, UINT32_MAX};
    struct chance_shares shares;

    chance_line_shares(&shares, hits, sizeof hits / sizeof *hits);
    ck_assert_double_eq_tol(exp(shares.ln[0]), 2.0 / 8, 1e-9);
    ck_assert_double_eq_tol(exp(shares.ln[1]), 3.0 / 8, 1e-9);
    ck_assert_double_eq_tol(exp(shares.ln[2]), 5.0 / 8, 1e-9);
    for (size_t i = 3; i < 31; i++)
        ck_assert_double_eq_tol(exp(shares.ln[i]), 6.0 / 8, 1e-9);
    ck_assert_double_eq_tol(exp(shares.ln[31]), 7.0 / 8, 1e-9);
    ck_assert_double_eq_tol(shares.ln[32], 0, 1e-9);
    chance_line_shares(&shares, hits, 0);
    ck_assert_double_eq_tol(exp(shares.ln[32]), 0, 1e-9);
}
END_TEST

/* One sample in five is held once, the others are held 16 times: a link to one that is held once is five
 * times as improbable, since no other sample is worth that much. */
START_TEST(rare_samples_are_worth_more_where_they_are_few)
{
    static const uint32_t hits[] = {1, 16, 16, 16, 16};
    struct chance_shares shares;
    struct chance_match matches[2];
    struct chance_search search = usual;

    chance_line_shares(&shares, hits, 5);
    search.shares = &shares;
    make_run(matches, 2);
    ck_assert_double_eq_tol(ln_e_of(&search, matches, 2), log(300) - 10 + log(0.2), 1e-6);
    matches[1].number += 1; /* r = 3.04 */
    ck_assert_double_eq_tol(ln_e_of(&search, matches, 2), log(300) - 10 + log(0.2) + log(rank_of(2)), 1e-6);
    matches[1].number += 3; /* r = 11.04 */
    ck_assert_double_eq_tol(ln_e_of(&search, matches, 2), log(300) - 10 + log(rank_of(5)), 1e-6);
    matches[1].number -= 4;
    matches[1].information -= log(16);
    ck_assert_double_eq_tol(ln_e_of(&search, matches, 2), log(300) - 10 + log(16), 1e-6);
}
END_TEST

START_TEST(a_sample_that_recurs_counts_once)
{
    struct chance_match matches[LONG];

    make_run(matches, LONG);
    for (size_t i = 0; i < LONG; i++)
        matches[i].sample = i % 3;
    ck_assert_double_eq_tol(ln_e_of(&usual, matches, LONG), log(300) - 20, 1e-5);
}
END_TEST

START_TEST(no_sample_is_worth_more_than_a_bit_for_each_new_byte)
{
    struct chance_match matches[2];

    make_run(matches, 2);
    for (uint64_t apart = 1; apart < 30; apart++) {
        matches[1].object = matches[0].object + apart;
        matches[1].reference = matches[0].reference + apart;
        ck_assert_double_eq_tol(ln_e_of(&usual, matches, 2), log(300) - fmin(10, 0.69 * (double)apart), 1e-6);
    }
}
END_TEST

/* ---- the definition ---- */

static double apart(double x, double y)
{
    return fabs(x - y);
}

/* The score of the line of the matches of a set of bits, by definition. */
static double score(const struct chance_search *search, const struct chance_match *m, size_t count,
                    unsigned line, double factor)
{
    const double least = -log(search->bytes);
    const struct chance_match *last = NULL;
    double sum = 0, x = 0, term = 1, terms = 1;
    int links = 0;

    for (size_t i = 0; i < count; i++) {
        double gap, shift, area, rank, share;

        if (!(line >> i & 1))
            continue;
        if (last) {
            if (m[i].object <= last->object || m[i].reference <= last->reference)
                return -INFINITY;
            gap = fmin((double)(m[i].object - last->object), (double)(m[i].reference - last->reference));
            shift = apart((double)m[i].object - (double)m[i].reference,
                          (double)last->object - (double)last->reference);
            area = (m[i].number > last->number ? m[i].number - last->number : 1) * (2 * shift + 1);
            rank =
                fmin(area * (1 + 0.75 * log(fmin(area, search->samples))), search->samples * search->length);
            share = fmin(1, 0.69 * gap / m[i].information);
            sum += log(rank) - share * (m[i].information - log(factor));
            x += fmax(0, log(rank) - share * (m[i].information + least));
            links++;
        }
        last = &m[i];
    }
    for (int j = 1; j < links; j++)
        terms += term *= x / j;
    return -sum - log(terms);
}

static double best_of(const struct chance_search *search, const struct chance_match *m, size_t count,
                      double factor, unsigned *line)
{
    double best = 0;

    *line = 1;
    for (unsigned i = 1; i < 1u << count; i++)
        if (score(search, m, count, i, factor) > best) {
            best = score(search, m, count, i, factor);
            *line = i;
        }
    return best;
}

/* The line is put together match by match, and what its links have in common is not known before: it may be
 * a little worse than the best one, but is never better. */
START_TEST(the_best_of_all_lines_decides)
{
    int best = 0;

    for (int round = 0; round < 400; round++) {
        struct chance_search search = {.shares = &all_once,
                                       .matches = 20 + (double)random_below(1000),
                                       .samples = 1 + (double)random_below(1000),
                                       .bytes = 1e6,
                                       .length = 1 + (double)random_below(1000)};
        const double expected = search.matches * search.length / search.bytes;
        const size_t count = 1 + random_below(MOST);
        struct chance_match matches[MOST];
        struct chance_step steps[MOST];
        unsigned line;
        double other, found;

        for (size_t i = 0; i < count; i++)
            matches[i] = (struct chance_match){.object = 40 * i + random_below(40),
                                               .reference = 40 * i + random_below(60) + 700 * random_below(2),
                                               .sample = i,
                                               .number = (uint32_t)(2 * i + random_below(2)),
                                               .information = 8 + 0.4 * (double)random_below(14)};
        search.elsewhere = expected;
        found = log(search.matches) - chance_line_ln_e(&search, matches, count, steps);
        other = best_of(&search, matches, count, 1, &line);
        other = best_of(&search, matches, count,
                        1 + ((double)count - __builtin_popcount(line)) / (expected + 1), &line);
        found -= found > 0 ? -log(0.6) : 0;
        ck_assert_double_le(found, other + 2); /* what lies elsewhere is judged by another line */
        ck_assert_double_ge(found, other - 3);
        best += fabs(found - other) < 0.02;
    }
    ck_assert_int_ge(best, 300);
}
END_TEST

START_TEST(equal_bytes_are_worth_their_information_at_any_place)
{
    ck_assert_double_eq_tol(chance_line_of_bytes(&usual, 4096, 88.7), log(4096) + 10 - 88.7, 1e-6);
}
END_TEST

RUN_TESTS("chance_line", each_further_match_of_a_run_is_worth_its_information,
          what_is_left_out_and_shifts_cost_as_many_choices, lines_pay_for_weighing_one_link_against_another,
          a_reference_with_more_matches_elsewhere_gives_more_by_chance,
          shares_count_samples_by_how_often_they_are_held, rare_samples_are_worth_more_where_they_are_few,
          a_sample_that_recurs_counts_once, no_sample_is_worth_more_than_a_bit_for_each_new_byte,
          the_best_of_all_lines_decides, equal_bytes_are_worth_their_information_at_any_place)
