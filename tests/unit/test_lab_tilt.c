/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "check_main.h"
#include "lab/lab_tilt.h"

enum { REFERENCES = 5, EACH = 4, SAMPLES = REFERENCES * EACH, SLOTS = 6, DRAWS = 100000 };

static struct lab_tilt_sample samples[SAMPLES];
static struct lab_tilt_slot slots[SLOTS];

/* Two of the samples of each reference are also in the next one. */
static void make_all(void)
{
    for (size_t i = 0; i < SAMPLES; i++)
        samples[i] = (struct lab_tilt_sample){i % EACH < 2 || i < EACH ? i : i - 2, 20 * (i % EACH) + i % 3,
                                              (uint32_t)(i / EACH)};
    for (size_t i = 0; i < SLOTS; i++)
        slots[i].pos = 20 * i;
}

/* Whether a sample with this fingerprint lies in a reference just before one with that fingerprint. */
static bool follows(uint64_t before, uint64_t after)
{
    for (size_t i = 0; i + 1 < SAMPLES; i++)
        if (i % EACH + 1 < EACH && samples[i].fp == before && samples[i + 1].fp == after)
            return true;
    return false;
}

/* Whether there are two such links in a row. */
static bool has_line(void)
{
    for (size_t i = 0; i + 2 < SLOTS; i++)
        if (follows(samples[slots[i].sample].fp, samples[slots[i + 1].sample].fp) &&
            follows(samples[slots[i + 1].sample].fp, samples[slots[i + 2].sample].fp))
            return true;
    return false;
}

/* What plain chance gives.  The last sample, and whether a link leads to it, decide what comes next, so these
 * are counted from slot to slot, as long as there is no line. */
static double frequency_of_lines(void)
{
    double states[SAMPLES][2] = {{0}}, none = 0;

    for (size_t i = 0; i < SAMPLES; i++)
        states[i][0] = 1.0 / SAMPLES;
    for (size_t slot = 1; slot < SLOTS; slot++) {
        double next[SAMPLES][2] = {{0}};

        for (size_t from = 0; from < SAMPLES; from++)
            for (size_t to = 0; to < SAMPLES; to++) {
                const bool link = follows(samples[from].fp, samples[to].fp);

                next[to][link] += states[from][0] / SAMPLES;
                next[to][0] += link ? 0 : states[from][1] / SAMPLES;
            }
        memcpy(states, next, sizeof states);
    }
    for (size_t i = 0; i < SAMPLES; i++)
        none += states[i][0] + states[i][1];
    return 1 - none;
}

static struct lab_tilt *new_tilt(size_t count)
{
    struct error err;
    struct lab_tilt *tilt;

    make_all();
    tilt = lab_tilt_new(samples, count, &err);
    ck_assert_ptr_nonnull(tilt);
    return tilt;
}

START_TEST(weights_make_up_for_what_is_tilted)
{
    struct lab_tilt *tilt = new_tilt(SAMPLES);
    struct lab_random random;
    struct error err;
    double sum = 0, lines = 0, plain = 0;

    lab_random_seed(&random, 5);
    for (int i = 0; i < DRAWS; i++) {
        const double weight = lab_tilt_draw(tilt, &random, slots, SLOTS, &err);

        ck_assert_double_gt(weight, 0);
        ck_assert_double_le(weight, 10.0001);
        sum += weight;
        lines += has_line() ? weight : 0;
        plain += has_line();
    }
    ck_assert_double_eq_tol(sum / DRAWS, 1, 0.02);
    ck_assert_double_eq_tol(lines / DRAWS / frequency_of_lines(), 1, 0.03);
    ck_assert_double_gt(plain / DRAWS, 1.5 * frequency_of_lines());
    lab_tilt_free(tilt);
}
END_TEST

START_TEST(one_sample_or_one_slot_has_no_lines)
{
    struct lab_tilt *all = new_tilt(SAMPLES), *one = new_tilt(1);
    struct lab_random random;
    struct error err;

    lab_random_seed(&random, 6);
    for (int i = 0; i < 100; i++) {
        ck_assert_double_eq_tol(lab_tilt_draw(one, &random, slots, SLOTS, &err), 1, 1e-9);
        ck_assert_double_eq_tol(lab_tilt_draw(all, &random, slots, 1, &err), 1, 1e-9);
        ck_assert_double_eq_tol(lab_tilt_draw(all, &random, slots, 0, &err), 1, 1e-9);
    }
    lab_tilt_free(all);
    lab_tilt_free(one);
}
END_TEST

RUN_TESTS("lab_tilt", weights_make_up_for_what_is_tilted, one_sample_or_one_slot_has_no_lines)
