/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "lab/lab_broder_inner.h"
#include "lab/lab_rates.h"
#include "sketch/rabin.h"

/* Two remarks of Broder 1997, section 4.1, on fingerprints: how much the number of different ones varies, and
 * the power by which strings are multiplied. */

enum { WIDTH = 50 }; /* bytes of a string: the paper's 400 bits */

/* ---- Azuma's inequality ---- */

enum { BITS = 16, TRIALS = 2000, TRIALS_QUICK = 200 };

static const double lambdas[] = {0.05, 0.1, 0.25, 0.5, 1, 2};

enum { LAMBDAS = sizeof lambdas / sizeof *lambdas };

static const struct lab_column azuma_columns[] = {
    {"n", "strings", 0, false},
    {"E|f(S)|", "formula", 2, false},
    {"lambda", "", LAB_PRINTED, false},
    {"lambda sqrt(n)", "", 2, false},
    {"draws of f", "", 0, false},
    {"farther off", "draws", 0, false},
    {"probability", "simulated", 4, false},
    {"probability", "95 % from", 4, false},
    {"probability", "95 % to", 4, false},
    {"e^(-lambda^2 / 2)", "bound", LAB_SIGNIFICANT, true},
    {"2 e^(-lambda^2 / 2)", "bound", LAB_SIGNIFICANT, false},
};

struct draws {
    struct lab_random random;
    uint8_t *bytes; /* n + WIDTH - 1 */
    uint64_t *fingerprints;
    bool *seen; /* by fingerprint */
    size_t n;
};

/* The number of different fingerprints of n random strings by a random polynomial. */
static size_t draw(struct draws *draws)
{
    struct rabin rabin;
    struct rabin_window window;
    size_t count = 0;

    for (size_t i = 0; i < draws->n + WIDTH - 1; i++)
        draws->bytes[i] = (uint8_t)lab_random_next(&draws->random);
    rabin_init(&rabin, BITS, rabin_draw(BITS, lab_random_next(&draws->random), 0));
    rabin_window_init(&window, &rabin, WIDTH);
    rabin_window_slide(&window, draws->bytes, draws->n, draws->fingerprints);
    for (size_t i = 0; i < (size_t)1 << BITS; i++)
        draws->seen[i] = false;
    for (size_t i = 0; i < draws->n; i++) {
        count += !draws->seen[draws->fingerprints[i]];
        draws->seen[draws->fingerprints[i]] = true;
    }
    return count;
}

static void add_tails(const struct draws *draws, double mean, const unsigned *off, unsigned trials,
                      struct lab_table *table)
{
    const double n = (double)draws->n;

    for (size_t i = 0; i < LAMBDAS; i++) {
        const struct lab_rates_interval interval = lab_rates_interval(off[i], trials);
        const double bound = exp(-lambdas[i] * lambdas[i] / 2);

        lab_row_numbers(table,
                        (const double[]){n, mean, lambdas[i], lambdas[i] * sqrt(n), trials, off[i],
                                         (double)off[i] / trials, interval.low, interval.high, bound,
                                         2 * bound},
                        11);
    }
}

/* Returns the largest simulated share of the bound. */
static double simulate(const struct lab_run *run, struct draws *draws, struct lab_table *table)
{
    const unsigned trials = run->quick ? TRIALS_QUICK : TRIALS;
    const double mean = sketch_expected_distinct((double)draws->n, BITS);
    unsigned off[LAMBDAS] = {0};
    double largest = 0;

    lab_random_seed(&draws->random, lab_random_mix(run->seed) + draws->n);
    for (unsigned i = 0; i < trials; i++) {
        const double distance = fabs((double)draw(draws) - mean);

        for (size_t k = 0; k < LAMBDAS; k++)
            off[k] += distance > lambdas[k] * sqrt((double)draws->n);
    }
    add_tails(draws, mean, off, trials, table);
    for (size_t k = 0; k < LAMBDAS; k++)
        largest = fmax(largest, off[k] / exp(-lambdas[k] * lambdas[k] / 2) / trials);
    return largest;
}

static int run_azuma(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const size_t sizes[] = {1000, 10000, 65536};
    struct draws draws = {.n = 65536};
    struct lab_table *table = lab_table(
        out, "broder-4.1-azuma", "How far the number of different fingerprints is off its mean (l = 16)",
        azuma_columns, sizeof azuma_columns / sizeof *azuma_columns);
    double largest = 0;
    int result = array_resize(&draws.bytes, draws.n + WIDTH - 1) ||
                         array_resize(&draws.fingerprints, draws.n) ||
                         array_resize(&draws.seen, (size_t)1 << BITS)
                     ? error_set(err, "out of memory for fingerprints")
                     : 0;

    for (size_t i = 0; result == 0 && i < sizeof sizes / sizeof *sizes; i++) {
        draws.n = sizes[i];
        largest = fmax(largest, simulate(run, &draws, table));
    }
    lab_remark(
        out,
        "Ours: in each draw, random strings of 50 bytes and a random irreducible polynomial; few bits, so "
        "that "
        "there are collisions. The paper prints the bound without the factor 2 that Azuma's inequality has "
        "for deviations on both sides. The largest share in these rows is %.2f of the paper's bound: %s.",
        largest, largest <= 1 ? "it holds in each of them" : "it is exceeded");
    free(draws.bytes);
    free(draws.fingerprints);
    free(draws.seen);
    return result;
}

const struct lab_experiment lab_broder_azuma = {
    "broder-azuma",
    "broder1997",
    "Broder 1997, section 4.1",
    "the spread of the number of fingerprints, beside Azuma's bound",
    LAB_USE_SEED | LAB_USE_QUICK,
    run_azuma};

/* ---- the suitable power ---- */

/* The remainder of the string, preceded by a one as in rabin.h, without any power. */
static uint64_t plain_remainder(unsigned bits, uint64_t polynomial, const uint8_t *data, size_t len)
{
    const uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    uint64_t remainder = 1;

    for (size_t i = 0; i < len * 8; i++) {
        const bool carry = remainder >> (bits - 1) & 1;

        remainder = (remainder << 1 | (data[i / 8] >> (7 - i % 8) & 1)) & mask;
        remainder ^= carry ? polynomial : 0;
    }
    return remainder;
}

static const struct lab_column letter_columns[] = {
    {"l", "bits", 0, false},
    {"form", "", LAB_WORDS, false},
    {"pairs", "", 0, false},
    {"bits that differ", "mean", 2, false},
    {"bits that differ", "expected", 2, false},
    {"differ in the last 8 bits only", "%", 1, false},
    {"differ in the last 8 bits only", "%", LAB_PRINTED, true},
    {"both small, of those with one", "%", 1, false},
};

/* What was seen of pairs of fingerprints. */
struct seen {
    uint64_t different, last, either, both;
};

static void see(struct seen *seen, uint64_t a, uint64_t b, unsigned bits)
{
    /* the upper bits decide, as they do in the order of numbers */
    const bool a_is_small = a >> (bits - 4) == 0, b_is_small = b >> (bits - 4) == 0;

    seen->different += (uint64_t)__builtin_popcountll(a ^ b);
    seen->last += (a ^ b) < 256;
    seen->either += a_is_small || b_is_small;
    seen->both += a_is_small && b_is_small;
}

static void add_letters(const struct lab_run *run, unsigned bits, struct lab_table *table)
{
    const unsigned pairs = run->quick ? 500 : 4000;
    struct seen seen[2] = {{0}, {0}};
    struct lab_random random;

    lab_random_seed(&random, lab_random_mix(run->seed) + bits);
    for (unsigned i = 0; i < pairs; i++) {
        const uint64_t polynomial = rabin_draw(bits, lab_random_next(&random), 0);
        uint8_t a[WIDTH], b[WIDTH];
        struct rabin rabin;

        for (size_t k = 0; k < WIDTH; k++)
            a[k] = b[k] = (uint8_t)lab_random_next(&random);
        b[WIDTH - 1] ^= (uint8_t)(1 + lab_random_below(&random, 255));
        rabin_init(&rabin, bits, polynomial);
        see(&seen[0], plain_remainder(bits, polynomial, a, WIDTH),
            plain_remainder(bits, polynomial, b, WIDTH), bits);
        see(&seen[1], rabin_append(&rabin, rabin.empty, a, WIDTH),
            rabin_append(&rabin, rabin.empty, b, WIDTH), bits);
    }
    for (int i = 0; i < 2; i++) {
        lab_row_numbers(table,
                        (const double[]){bits, NAN, pairs, (double)seen[i].different / pairs,
                                         i ? bits / 2.0 : 8 * 128 / 255.0,
                                         100.0 * (double)seen[i].last / pairs, i ? NAN : 100,
                                         100.0 * (double)seen[i].both / (double)seen[i].either},
                        8);
        lab_text(table, 1, "%s", i ? "multiplied by x^l (kith's)" : "not multiplied");
    }
}

static int run_letters(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const unsigned bits[] = {16, 24, 40, 64};
    struct lab_table *table = lab_table(
        out, "broder-4.1-power", "Fingerprints of strings of 50 bytes that differ in the last letter only",
        letter_columns, sizeof letter_columns / sizeof *letter_columns);

    (void)err;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        add_letters(run, bits[i], table);
    lab_remark(
        out,
        "Each pair has a random irreducible polynomial of its own. Without the power, a difference in the "
        "last "
        "letter is the difference of the fingerprints itself: at most eight bits, all at the end (of two "
        "random "
        "letters that differ, 8 x 128 / 255 bits do). Multiplied by x^l, it is reduced by the polynomial, "
        "and "
        "half of the bits differ. The last column shows why it matters: of pairs of which one is among the "
        "smallest sixteenth of all numbers, in how many the other is, too; unrelated ones are in 1 of 31.");
    return 0;
}

const struct lab_experiment lab_broder_letters = {
    "broder-last-letter",         "broder1997",
    "Broder 1997, section 4.1",   "fingerprints with and without the suitable power",
    LAB_USE_SEED | LAB_USE_QUICK, run_letters};
