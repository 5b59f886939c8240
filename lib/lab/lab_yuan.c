/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_yuan.h"

#include <math.h>
#include <stdio.h>

#include "cluster/hamming.h"
#include "lab/lab_yuan_inner.h"

/* The estimates of Yuan et al. 2012: examples 1 and 2, figure 1, and figures in the text. */

/* ---- what all experiments use ---- */

const uint32_t lab_yuan_k[] = {64, 100, 200, 400, 600, 1000, 0};
const double lab_yuan_r[] = {0.7, 0.8, 0.9, 0};

double lab_yuan_group_mean(double n, uint32_t k, uint32_t m)
{
    return n / exp2((double)k / m);
}

double lab_yuan_steps_g(double n, uint32_t m, uint32_t c)
{
    return hamming_choices(m, c) * c * log2(n);
}

double lab_yuan_steps_h(double n, uint32_t k, uint32_t m)
{
    return m * log2(m * n) + m * lab_yuan_group_mean(n, k, m);
}

void lab_yuan_randomise(struct lab_random *random, uint64_t *bits, uint32_t k)
{
    for (size_t i = 0; i < hamming_words(k); i++)
        bits[i] = lab_random_next(random);
    if (k % 64)
        bits[k / 64] &= ((uint64_t)1 << k % 64) - 1;
}

struct sketcher *lab_yuan_sketcher(uint64_t seed, enum sketch_scheme scheme, struct error *err)
{
    struct sketch_params params = sketch_defaults(scheme);

    params.tokens = (struct tokens_rules){.unit = TOKENS_WORDS};
    params.window = LAB_YUAN_SHINGLE;
    params.size = scheme == SKETCH_SHINGLES ? 0 : LAB_YUAN_MOST_K;
    params.seed = seed;
    return sketch_new(&params, err);
}

/* ---- examples 1 and 2 ---- */

enum { EXAMPLE_K = 5, EXAMPLE_D = 6 };

/* Example 1: what each permutation maps 1 to 6 to, and the minima that the paper prints. */
static const struct {
    uint8_t of[EXAMPLE_D], one, other;
} permutations[EXAMPLE_K] = {
    {{6, 3, 5, 4, 2, 1}, 3, 2}, {{4, 1, 2, 6, 5, 3}, 1, 1}, {{5, 6, 3, 1, 2, 4}, 1, 1},
    {{2, 5, 3, 4, 1, 6}, 2, 1}, {{5, 2, 6, 4, 3, 1}, 2, 2},
};

/* S1 and S2 as bits: bit i - 1 is i. */
static const unsigned sets[2] = {1 << 0 | 1 << 1 | 1 << 3, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4};

static uint8_t least(const uint8_t *permutation, unsigned set)
{
    uint8_t found = EXAMPLE_D;

    for (unsigned i = 0; i < EXAMPLE_D; i++)
        if (set >> i & 1 && permutation[i] < found)
            found = permutation[i];
    return found;
}

static const struct lab_column minima_columns[] = {
    {"permutation", "", LAB_WORDS, false},
    {"1 to 6 become", "", LAB_WORDS, false},
    {"min of S1", "", 0, false},
    {"min of S1", "", 0, true},
    {"min of S2", "", 0, false},
    {"min of S2", "", 0, true},
    {"b of S1", "", 0, false},
    {"b of S2", "", 0, false},
};

/* Fills the two fingerprints of example 2 and returns the number of equal minima. */
static uint32_t add_minima(struct lab_document *out, uint64_t fingerprints[2])
{
    struct lab_table *table =
        lab_table(out, "yuan2012-example1", "Example 1: S1 = {1, 2, 4}, S2 = {2, 3, 4, 5}, k = 5",
                  minima_columns, sizeof minima_columns / sizeof *minima_columns);
    uint32_t equal = 0;

    fingerprints[0] = fingerprints[1] = 0;
    for (unsigned i = 0; i < EXAMPLE_K; i++) {
        const uint8_t *of = permutations[i].of, one = least(of, sets[0]), other = least(of, sets[1]);

        lab_row(table);
        lab_text(table, 0, "p%u", i + 1);
        lab_text(table, 1, "%d %d %d %d %d %d", of[0], of[1], of[2], of[3], of[4], of[5]);
        lab_number(table, 2, one);
        lab_number(table, 3, permutations[i].one);
        lab_number(table, 4, other);
        lab_number(table, 5, permutations[i].other);
        lab_number(table, 6, one & 1);
        lab_number(table, 7, other & 1);
        equal += one == other;
        fingerprints[0] |= (uint64_t)(one & 1) << i;
        fingerprints[1] |= (uint64_t)(other & 1) << i;
    }
    return equal;
}

/* Fractions, and numbers of bits, documents or steps. */
static const struct lab_column value_columns[] = {
    {"where", "", LAB_WORDS, false},
    {"what", "", LAB_WORDS, false},
    {"value", "", 4, false},
    {"value", "", 4, true},
};
static const struct lab_column count_columns[] = {
    {"where", "", LAB_WORDS, false},
    {"what", "", LAB_WORDS, false},
    {"value", "", 0, false},
    {"value", "", 0, true},
};

/* NAN: the paper's figure is not in its text. */
static void add_value(struct lab_table *table, const char *where, const char *what, double ours, double paper)
{
    lab_row(table);
    lab_text(table, 0, "%s", where);
    lab_text(table, 1, "%s", what);
    lab_number(table, 2, ours);
    lab_number(table, 3, paper);
}

static void add_estimates(struct lab_document *out, uint32_t equal, const uint64_t fingerprints[2])
{
    const double r = __builtin_popcount(sets[0] & sets[1]) / (double)__builtin_popcount(sets[0] | sets[1]);
    const uint32_t distance = hamming_distance(&fingerprints[0], &fingerprints[1], 1);
    struct lab_table *table = lab_table(out, "yuan2012-example2", "Examples 1 and 2: the estimates",
                                        value_columns, sizeof value_columns / sizeof *value_columns);

    add_value(table, "example 1", "R, the resemblance", r, 2 / 5.0);
    add_value(table, "example 1, eq. 2", "estimate from the minima", equal / (double)EXAMPLE_K, 3 / 5.0);
    add_value(table, "eq. 3", "its standard deviation", sqrt(sketch_minwise_variance(r, EXAMPLE_K)), NAN);
    add_value(table, "example 2, eq. 5", "estimate 2E - 1 from the bits",
              hamming_resemblance(EXAMPLE_K, distance), NAN);
    add_value(table, "eq. 6", "its standard deviation", sqrt(sketch_hamming_variance(r, EXAMPLE_K)), NAN);
}

/* ---- figures in the text ---- */

static void add_deviation(struct lab_table *table, const char *where, double r, double variance,
                          double deviation, double low, double high)
{
    const double ours = sketch_hamming_variance(r, 64);
    char what[60];

    snprintf(what, sizeof what, "variance at R = %g, k = 64 (eq. 6)", r);
    add_value(table, where, what, ours, variance);
    add_value(table, where, "its standard deviation", sqrt(ours), deviation);
    add_value(table, where, "R minus that", r - sqrt(ours), low);
    add_value(table, where, "R plus that", r + sqrt(ours), high);
}

static void add_text_figures(struct lab_document *out)
{
    struct lab_table *table =
        lab_table(out, "yuan2012-text-deviations", "Deviations in the text of the paper, recomputed",
                  value_columns, sizeof value_columns / sizeof *value_columns);
    const uint32_t rh = hamming_threshold(64, 0.7), m = rh + LAB_YUAN_C;

    add_deviation(table, "section 5.2", 0.9, 0.003, 0.05, 0.85, 0.955);
    add_deviation(table, "section 5.3", 0.7, 0.009, 0.094, 0.606, 0.794);
    table = lab_table(out, "yuan2012-text-counts", "Numbers in the text of the paper, recomputed",
                      count_columns, sizeof count_columns / sizeof *count_columns);
    add_value(table, "section 3", "rh at k = 100, r = 0.8 (eq. 10)", hamming_threshold(100, 0.8), 10);
    add_value(table, "section 3.1", "choices of 3 of 6 groups", hamming_choices(6, 3), 20);
    add_value(table, "section 3.2", "rh at k = 64, r = 0.9", hamming_threshold(64, 0.9), 3);
    add_value(table, "section 5.1", "n_g of 300,000 and groups of 8 bits (eq. 14)",
              lab_yuan_group_mean(LAB_YUAN_N, 8, 1), 1170);
    add_value(table, "section 5.3", "m at k = 64, r = 0.7, c = 3", m, 12);
    add_value(table, "section 5.3", "n_g there", lab_yuan_group_mean(LAB_YUAN_N, 64, m), 7440);
    add_value(table, "section 5.3", "steps of alg.G there (eq. 16)",
              lab_yuan_steps_g(LAB_YUAN_N, m, LAB_YUAN_C), NAN);
    add_value(table, "section 5.3", "steps of alg.H there (eq. 17)", lab_yuan_steps_h(LAB_YUAN_N, 64, m),
              90260);
}

static int run_examples(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    uint64_t fingerprints[2];
    const uint32_t equal = add_minima(out, fingerprints);

    (void)run, (void)err;
    add_estimates(out, equal, fingerprints);
    lab_remark(out, "b is 1 for odd minima, as the paper defines it at the end of section 2. The value of "
                    "example 2 is in a formula that is missing from the text of the paper.");
    add_text_figures(out);
    lab_remark(out,
               "Errors in the paper. Section 5.1 has \"3000 000/2^8 = 1 170\": it must be 300 000, and the "
               "quotient is 1,171.9. Section 5.2 has 85.0 to 95.5 %% for 90 %% plus and minus a standard "
               "deviation: the lower end is 84.5 %%. Section 5.3 has 0.009 for the variance at R = 0.7, "
               "from which 0.094 and 60.6 to 79.4 %% follow; by equation 6 it is 0.51/64 = 0.0080. "
               "\"O(12log(12n)+12x7 440)=90 260\" comes out with 7,500 instead of 7,440 and a logarithm to "
               "base 2: 260 + 90,000. Section 3 demands estimates above 80 %% and "
               "derives rh = 10, but a distance of 10 in 100 bits is an estimate of exactly 80 %%.");
    lab_remark(out,
               "No error of the paper: the text that was available has lost its superscripts. Its \"28\" in "
               "section 5.1 is 2^8, and its \"C=2[k/m]\" in section 4, the width of a group's interval, is 2 "
               "to the power of k/m, rounded up.");
    return 0;
}

const struct lab_experiment lab_yuan_examples = {"yuan2012-examples",
                                                 "yuan2012",
                                                 "Yuan et al. 2012, examples 1 and 2, and sections 3 and 5",
                                                 "Min-wise hashing and Hamming fingerprints of six numbers",
                                                 0,
                                                 run_examples};

/* ---- figure 1 ---- */

enum {
    UNION = 20, /* lines in two documents together */
    STEPS = 10, /* of R, from 0 to 1 */
    TIMES = 1000,
    TIMES_QUICK = 100,
};

struct estimates {
    double sum, squares;
};

static void take(struct estimates *estimates, double value)
{
    estimates->sum += value;
    estimates->squares += value * value;
}

static double mean_of(const struct estimates *estimates, double times)
{
    return estimates->sum / times;
}

static double variance_of(const struct estimates *estimates, double times)
{
    const double mean = mean_of(estimates, times);

    return fmax(0, estimates->squares / times - mean * mean) * times / (times - 1);
}

/* Two documents of lines that no other pair has; `common` of UNION lines are in both. */
static void make_pair(struct lab_random *random, unsigned common, struct buffer pair[2])
{
    buffer_reset(&pair[0]);
    buffer_reset(&pair[1]);
    for (unsigned i = 0; i < UNION; i++) {
        const unsigned long long line = lab_random_next(random);
        const bool is_shared = i < common;

        if (is_shared || i % 2)
            buffer_printf(&pair[0], "%llx\n", line);
        if (is_shared || i % 2 == 0)
            buffer_printf(&pair[1], "%llx\n", line);
    }
}

struct schemes {
    struct sketcher *minwise, *hamming;
    struct sketch one, other;
};

static int estimate(struct sketcher *sketcher, struct schemes *schemes, const struct buffer pair[2],
                    struct estimates *estimates, struct error *err)
{
    struct sketch_likeness likeness;

    if (sketch_bytes(sketcher, pair[0].data, pair[0].len, false, &schemes->one, err) ||
        sketch_bytes(sketcher, pair[1].data, pair[1].len, false, &schemes->other, err) ||
        sketch_compare(sketcher, &schemes->one, &schemes->other, &likeness, err))
        return -1;
    take(estimates, likeness.resemblance);
    return 0;
}

static struct sketcher *lines_sketcher(const struct lab_run *run, enum sketch_scheme scheme,
                                       struct error *err)
{
    struct sketch_params params = sketch_defaults(scheme);

    params.tokens = (struct tokens_rules){.unit = TOKENS_LINES};
    params.window = 1;
    params.size = LAB_YUAN_MOST_K;
    params.seed = run->seed;
    return sketch_new(&params, err);
}

/* minwise, hamming: for each R. */
static int simulate(const struct lab_run *run, int times, struct estimates minwise[STEPS + 1],
                    struct estimates hamming[STEPS + 1], struct error *err)
{
    struct schemes schemes = {.minwise = lines_sketcher(run, SKETCH_MINWISE, err)};
    struct buffer pair[2] = {{0}};
    struct lab_random random;
    int result = -1;

    if (schemes.minwise && (schemes.hamming = lines_sketcher(run, SKETCH_HAMMING, err)))
        result = 0;
    lab_random_seed(&random, run->seed);
    for (unsigned i = 0; i <= STEPS; i++)
        for (int j = 0; result == 0 && j < times; j++) {
            make_pair(&random, i * UNION / STEPS, pair);
            if (pair[0].failed || pair[1].failed)
                result = error_set(err, "out of memory");
            else if (estimate(schemes.minwise, &schemes, pair, &minwise[i], err) ||
                     estimate(schemes.hamming, &schemes, pair, &hamming[i], err))
                result = -1;
        }
    buffer_release(&pair[0]);
    buffer_release(&pair[1]);
    sketch_release(&schemes.one);
    sketch_release(&schemes.other);
    sketch_free(schemes.minwise);
    sketch_free(schemes.hamming);
    return result;
}

static const struct lab_column variance_columns[] = {
    {"R", "", 1, false},
    {"Var of R_M, eq. 3", "1e-6", 1, false},
    {"measured", "1e-6", 1, false},
    {"Var of R_b, eq. 6", "1e-6", 1, false},
    {"measured", "1e-6", 1, false},
    {"mean of R_M", "", 4, false},
    {"mean of R_b", "", 4, false},
    {"bias of R_b", "standard errors", 1, false},
};

static void add_variances(struct lab_document *out, int times, const struct estimates *minwise,
                          const struct estimates *hamming)
{
    struct lab_table *table = lab_table(
        out, "yuan2012-figure1", "Variance of the estimates from minima (R_M) and bits (R_b), k = 1,000",
        variance_columns, sizeof variance_columns / sizeof *variance_columns);

    for (unsigned i = 0; i <= STEPS; i++) {
        const double r = (double)i / STEPS, error = sqrt(sketch_hamming_variance(r, LAB_YUAN_MOST_K) / times);

        lab_row(table);
        lab_number(table, 0, r);
        lab_number(table, 1, 1e6 * sketch_minwise_variance(r, LAB_YUAN_MOST_K));
        lab_number(table, 2, 1e6 * variance_of(&minwise[i], times));
        lab_number(table, 3, 1e6 * sketch_hamming_variance(r, LAB_YUAN_MOST_K));
        lab_number(table, 4, 1e6 * variance_of(&hamming[i], times));
        lab_number(table, 5, mean_of(&minwise[i], times));
        lab_number(table, 6, mean_of(&hamming[i], times));
        lab_number(table, 7, i < STEPS ? (mean_of(&hamming[i], times) - r) / error : 0);
    }
}

static void plot_variances(struct lab_document *out, int times, const struct estimates *minwise,
                           const struct estimates *hamming)
{
    static const struct lab_axes axes = {"resemblance R", "", "variance", "", false, false};
    struct lab_plot *plot =
        lab_plot(out, "yuan2012-figure1",
                 "Variance of two estimates of R at k = 1,000 (Yuan et al. 2012, figure 1)", &axes);
    const size_t from_minima = lab_series(plot, "minima, eq. 3"), from_bits = lab_series(plot, "bits, eq. 6"),
                 minima = lab_scatter(plot, "minima, measured"), bits = lab_scatter(plot, "bits, measured");

    for (unsigned i = 0; i <= 100; i++) {
        lab_point(plot, from_minima, i / 100.0, sketch_minwise_variance(i / 100.0, LAB_YUAN_MOST_K));
        lab_point(plot, from_bits, i / 100.0, sketch_hamming_variance(i / 100.0, LAB_YUAN_MOST_K));
    }
    for (unsigned i = 0; i <= STEPS; i++) {
        lab_point(plot, minima, (double)i / STEPS, variance_of(&minwise[i], times));
        lab_point(plot, bits, (double)i / STEPS, variance_of(&hamming[i], times));
    }
}

static int run_variance(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    const int times = run->quick ? TIMES_QUICK : TIMES;
    struct estimates minwise[STEPS + 1] = {{0}}, hamming[STEPS + 1] = {{0}};

    if (simulate(run, times, minwise, hamming, err))
        return -1;
    add_variances(out, times, minwise, hamming);
    lab_remark(
        out,
        "Measured on %d pairs of documents for each R, with %d different lines in each pair, by the schemes "
        "minwise and hamming of kith sign. A measured variance of that many pairs has a standard error of "
        "%.1f %%; a bias beyond 3 standard errors would be a fault. The paper's figure 1 has curves only, "
        "without numbers.",
        times, UNION, 100 * sqrt(2.0 / (times - 1)));
    lab_remark(
        out,
        "The text after example 2 says that with R = 1/2 the estimate from the minima is worst, which is "
        "so, and that the variance of R_b decreases from its maximum at R = 0, which is so as well: at the "
        "same k, bits have a variance (1 + R)/R times that of minima, but take 1/64 of the space.");
    plot_variances(out, times, minwise, hamming);
    return 0;
}

const struct lab_experiment lab_yuan_variance = {"yuan2012-variance",
                                                 "yuan2012",
                                                 "Yuan et al. 2012, figure 1",
                                                 "Variance and bias of both estimates",
                                                 LAB_USE_SEED | LAB_USE_QUICK | LAB_USE_PLOTS,
                                                 run_variance};
