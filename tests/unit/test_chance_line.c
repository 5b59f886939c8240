/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>

#include "check_main.h"
#include "match/chance_line.h"

enum { MOST = 10, LONG = 2000, SAMPLE = 12 };

static const struct chance_search usual = {.matches = 500, .bytes = 1e6, .choices = 1e7, .n = SAMPLE};

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

static double ln_e_of(const struct chance_search *search, const struct chance_match *matches, size_t count)
{
    static struct chance_step steps[LONG];

    return chance_line_ln_e(search, matches, count, steps);
}

START_TEST(each_further_match_of_a_run_is_worth_its_information)
{
    struct chance_match matches[LONG];

    make_run(matches, LONG);
    ck_assert_double_eq_tol(ln_e_of(&usual, matches, 0), log(500), 1e-9);
    for (size_t count = 1; count <= LONG; count++)
        ck_assert_double_eq_tol(ln_e_of(&usual, matches, count), log(500) - 10 * (double)(count - 1), 1e-6);
}
END_TEST

/* Worked examples: 3 of 4 samples left out are 3 + 1 choices, 5 bytes to either side and none 11. */
START_TEST(what_is_left_out_and_shifts_cost_as_many_choices)
{
    struct chance_match matches[2];
    struct chance_search search = usual;

    make_run(matches, 2);
    matches[1].number += 3;
    ck_assert_double_eq_tol(ln_e_of(&usual, matches, 2), log(500) - 10 + log(4) + log(1 + log(4)) / 2, 1e-9);
    matches[1].object += 5;
    ck_assert_double_eq_tol(ln_e_of(&usual, matches, 2), log(500) - 10 + log(44) + log(1 + log(44)) / 2,
                            1e-9);
    matches[1].object -= 10;
    ck_assert_double_eq_tol(ln_e_of(&usual, matches, 2), log(500) - 10 + log(44) + log(1 + log(44)) / 2,
                            1e-9);
    search.choices = 50;
    ck_assert_double_eq_tol(ln_e_of(&search, matches, 2), log(500) - 10 + log(50), 1e-9);
}
END_TEST

START_TEST(matches_of_the_reference_elsewhere_show_how_often_chance_gives_them)
{
    struct chance_match matches[5];
    struct chance_search search = usual;

    make_run(matches, 5);
    search.elsewhere = 1e7 / exp(10);
    ck_assert_double_eq_tol(ln_e_of(&search, matches, 5), log(500) - 40, 1e-9);
    search.elsewhere = 1e7 / exp(7);
    ck_assert_double_eq_tol(ln_e_of(&search, matches, 5), log(500) - 28, 1e-9);
    search.elsewhere = 1e8;
    ck_assert_double_eq_tol(ln_e_of(&search, matches, 5), log(500), 1e-9);
}
END_TEST

START_TEST(a_sample_that_recurs_counts_once)
{
    struct chance_match matches[LONG];

    make_run(matches, LONG);
    for (size_t i = 0; i < LONG; i++)
        matches[i].sample = i % 3;
    ck_assert_double_eq_tol(ln_e_of(&usual, matches, LONG), log(500) - 20, 1e-9);
}
END_TEST

START_TEST(only_new_bytes_of_overlapping_samples_count)
{
    struct chance_match matches[2];

    make_run(matches, 2);
    for (uint64_t apart = 1; apart < 30; apart++) {
        matches[1].object = matches[0].object + apart;
        matches[1].reference = matches[0].reference + apart;
        ck_assert_double_eq_tol(ln_e_of(&usual, matches, 2), log(500) - 10 * fmin(1, (double)apart / SAMPLE),
                                1e-9);
    }
}
END_TEST

/* ---- the definition ---- */

static double apart(double x, double y)
{
    return fabs(x - y);
}

/* The worth of a line that goes on with the matches of a set of bits, by definition. */
static double worth(const struct chance_search *search, const struct chance_match *m, size_t count,
                    unsigned line, double most)
{
    const struct chance_match *last = NULL;
    double sum = 0;
    int matched = 0;

    for (size_t i = 0; i < count; i++) {
        double gap, shift, choices;

        if (!(line >> i & 1))
            continue;
        if (last) {
            if (m[i].object <= last->object || m[i].reference <= last->reference)
                return -INFINITY;
            gap = fmin((double)(m[i].object - last->object), (double)(m[i].reference - last->reference));
            shift = apart((double)m[i].object - (double)m[i].reference,
                          (double)last->object - (double)last->reference);
            choices = (m[i].number > last->number ? m[i].number - last->number : 1) * (2 * shift + 1);
            sum += fmin(m[i].information, most) * fmin(1, gap / search->n);
            sum -= fmin(log(choices) + log(1 + log(choices)) * (matched++ ? 2 : 0.5), log(search->choices));
        }
        last = &m[i];
    }
    return sum;
}

START_TEST(the_best_of_all_lines_decides)
{
    for (int round = 0; round < 400; round++) {
        const struct chance_search search = {.matches = 1 + (double)random_below(1000),
                                             .bytes = 1e6,
                                             .choices = 1 + (double)random_below(100000),
                                             .n = SAMPLE};
        const size_t count = 1 + random_below(MOST);
        struct chance_match matches[MOST];
        double best = 0, others;
        unsigned longest = 1;

        for (size_t i = 0; i < count; i++)
            matches[i] = (struct chance_match){.object = 40 * i + random_below(40),
                                               .reference = 40 * i + random_below(60) + 700 * random_below(2),
                                               .sample = i,
                                               .number = (uint32_t)(2 * i + random_below(2)),
                                               .information = 1 + (double)random_below(14)};
        for (unsigned line = 1; line < 1u << count; line++)
            if (worth(&search, matches, count, line, INFINITY) > best) {
                best = worth(&search, matches, count, line, INFINITY);
                longest = line;
            }
        others = (double)count - __builtin_popcount(longest);
        if (others > 0 && best > 0) {
            const double most = fmax(0, log(search.choices / others));

            best = 0;
            for (unsigned line = 1; line < 1u << count; line++)
                best = fmax(best, worth(&search, matches, count, line, most));
        }
        ck_assert_double_eq_tol(ln_e_of(&search, matches, count), log(search.matches) - best, 1e-9);
    }
}
END_TEST

START_TEST(equal_bytes_are_worth_their_information_at_any_place)
{
    ck_assert_double_eq_tol(chance_line_of_bytes(&usual, 4096, 88.7), log(4096e6) - 88.7, 1e-9);
}
END_TEST

RUN_TESTS("chance_line", each_further_match_of_a_run_is_worth_its_information,
          what_is_left_out_and_shifts_cost_as_many_choices,
          matches_of_the_reference_elsewhere_show_how_often_chance_gives_them,
          a_sample_that_recurs_counts_once, only_new_bytes_of_overlapping_samples_count,
          the_best_of_all_lines_decides, equal_bytes_are_worth_their_information_at_any_place)
