/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "lab/lab_broder_inner.h"
#include "sketch/shingles.h"

/* ---- section 4.2: the size of the sample ---- */

enum { IN_UNION = 2000, TRIALS = 1000, TRIALS_QUICK = 60 };

static double log_choose(double n, double k)
{
    int sign;

    return lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(n - k + 1, &sign);
}

/* The probability that k of a sample of s, from a union of n of which `common` are common, are common. */
static double hypergeometric(double n, double common, double s, double k)
{
    if (k > common || s - k > n - common)
        return 0;
    return exp(log_choose(common, k) + log_choose(n - common, s - k) - log_choose(n, s));
}

/* As sketch_sample_probability, for a sample without replacement. */
static double exact_probability(double n, double common, double s, double eps)
{
    const double r = common / n, first = ceil(s * (r - eps) - 1e-9), last = floor(s * (r + eps) + 1e-9);
    double sum = 0;

    for (int k = (int)fmax(0, first); k <= (int)fmin(s, last); k++)
        sum += hypergeometric(n, common, s, k);
    return sum;
}

static const struct lab_column sample_columns[] = {
    {"s", "", 0, false},
    {"r", "", 2, false},
    {"eps", "", 2, false},
    {"p(s, r, eps)", "binomial, the paper's formula", 4, false},
    {"p", "hypergeometric", 4, false},
    {"p", "simulated", 4, false},
    {"p", "95 % from", 4, false},
    {"p", "95 % to", 4, false},
    {"mean estimate", "", 4, false},
    {"standard error", "", 4, false},
};

static const double widths[] = {0.05, 0.1};

enum { WIDTHS = sizeof widths / sizeof *widths };

/* Estimates of one resemblance. */
struct estimates {
    unsigned count, within[WIDTHS];
    double sum, squares;
};

static int simulate(const struct lab_run *run, uint32_t s, double r, struct estimates *out, struct error *err)
{
    const unsigned trials = run->quick ? TRIALS_QUICK : TRIALS;
    const size_t common = (size_t)lround(r * IN_UNION);
    struct sketch_params params = lab_broder_params(SKETCH_MIN, TOKENS_LINES, 1, run->seed);
    struct lab_broder_pair pair;
    struct buffer a = {0}, b = {0};
    struct lab_random random;
    int result;

    params.size = s;
    lab_random_seed(&random, lab_random_mix(run->seed + s) + common);
    result = lab_broder_open(&pair, &params, err);
    for (; result == 0 && out->count < trials; out->count++) {
        lab_broder_lines(&random, IN_UNION, common, &a, &b);
        result = lab_broder_compare(&pair, &a, &b, err);
        out->sum += pair.likeness.resemblance;
        out->squares += pair.likeness.resemblance * pair.likeness.resemblance;
        for (unsigned i = 0; i < WIDTHS; i++)
            out->within[i] += fabs(pair.likeness.resemblance - r) <= widths[i] + 1e-9;
    }
    lab_broder_close(&pair);
    buffer_release(&a);
    buffer_release(&b);
    return result;
}

/* Sets *off to how far the mean estimate is off r, in standard errors. */
static int add_samples(const struct lab_run *run, uint32_t s, double r, struct lab_table *table, double *off,
                       struct error *err)
{
    struct estimates estimates = {.count = 0};
    double n, mean, deviation, low, high;

    if (simulate(run, s, r, &estimates, err))
        return -1;
    n = estimates.count;
    mean = estimates.sum / n;
    deviation = sqrt(fmax(0, estimates.squares / n - mean * mean) / n);
    *off = fabs(mean - r) / deviation;
    for (unsigned i = 0; i < WIDTHS; i++) {
        sketch_interval(estimates.within[i], n, &low, &high);
        lab_row_numbers(table,
                        (const double[]){s, r, widths[i], sketch_sample_probability(s, r, widths[i]),
                                         exact_probability(IN_UNION, round(r * IN_UNION), s, widths[i]),
                                         estimates.within[i] / n, low, high, mean, deviation},
                        10);
    }
    return 0;
}

/* The probability of more than share * s successes in s trials of probability one half. */
static double above(uint32_t s, double share)
{
    double sum = 0;

    for (uint32_t k = (uint32_t)(s * share + 1e-9) + 1; k <= s; k++)
        sum += exp(log_choose(s, k) - s * log(2));
    return sum;
}

/* "Even for the entire web": the worst case is that all pairs resemble by 50 %. */
static void add_claim(struct lab_document *out)
{
    static const struct lab_column columns[] = {
        {"s", "", 0, false},
        {"P(estimate > 0.9)", "for r = 0.5", LAB_SIGNIFICANT, false},
        {"expected pairs", "of 30,000,000 documents", LAB_SIGNIFICANT, false},
        {"expected pairs", "of 10^9 documents", LAB_SIGNIFICANT, false},
        {"probability", "less than", LAB_PRINTED, true},
    };
    static const uint32_t sizes[] = {50, 100, 200, 400};
    struct lab_table *table =
        lab_table(out, "broder-4.2-web",
                  "Pairs that resemble less than 50 % and are estimated as more than 90 %", columns, 5);

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double p = above(sizes[i], 0.9);

        lab_row_numbers(table, (const double[]){sizes[i], p, p * 3e7 * 3e7 / 2, p * 1e18 / 2}, 4);
        if (sizes[i] == 100 || sizes[i] == 200)
            lab_number(table, 4, 0.001);
    }
    lab_remark(out,
               "The expected number of such pairs bounds the probability that there is any, if all pairs "
               "resembled by "
               "as much as 50 %%, which is the worst case. For the collection of the paper, 30 million "
               "documents, the claim "
               "of less than 0.1 %% holds from s = 100; for a thousand million documents it needs s = 200.");
}

/* The values of a sketch, and kith's sketch of a document with its parameters, as text. */
static int add_bytes(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const struct lab_column columns[] = {
        {"s", "", 0, false},
        {"l", "bits", 0, false},
        {"s x l / 8", "bytes", 0, false},
        {"sketches", "bytes, least and most", LAB_PRINTED, true},
        {"kith's sketch as text", "bytes", 0, false},
    };
    static const struct {
        uint32_t s, bits;
        double paper;
    } rows[] = {{100, 24, 300}, {100, 32, NAN}, {100, 40, NAN},
                {200, 24, NAN}, {200, 32, 800}, {200, 40, NAN}};
    struct lab_table *table = lab_table(out, "broder-4.2-bytes", "The length of a sketch", columns, 5);
    struct buffer a = {0}, b = {0}, text = {0};
    struct lab_random random;
    int result = 0;

    lab_random_seed(&random, run->seed);
    lab_broder_lines(&random, IN_UNION, IN_UNION / 2, &a, &b);
    for (size_t i = 0; result == 0 && i < sizeof rows / sizeof *rows; i++) {
        struct sketch_params params = lab_broder_params(SKETCH_MIN, TOKENS_LINES, 1, run->seed);
        struct lab_broder_pair pair;

        params.size = rows[i].s;
        params.bits = rows[i].bits;
        result = lab_broder_open(&pair, &params, err);
        if (result == 0)
            result = lab_broder_compare(&pair, &a, &b, err);
        buffer_reset(&text);
        if (result == 0)
            sketch_format(&pair.a, &text);
        lab_row_numbers(table,
                        (const double[]){rows[i].s, rows[i].bits, rows[i].s * rows[i].bits / 8.0,
                                         rows[i].paper, (double)text.len},
                        5);
        lab_broder_close(&pair);
    }
    lab_remark(out,
               "\"Between 300 to 800 bytes\", for 100 and 200 samples, fits fingerprints of 24 and 32 bits; "
               "those of the paper's experiment have 40. kith writes sketches as text, with their "
               "parameters and the SHA-1 of the document.");
    buffer_release(&a);
    buffer_release(&b);
    buffer_release(&text);
    return result;
}

static void plot_samples(struct lab_document *out)
{
    static const struct lab_axes axes = {"resemblance r", "", "p(s, r, 0.1)", "", false, false};
    static const uint32_t sizes[] = {50, 100, 200, 400};
    struct lab_plot *plot =
        lab_plot(out, "broder-4.2",
                 "Probability that the estimate from s samples lies within 0.1 of the resemblance "
                 "(Broder 1997, section 4.2)",
                 &axes);

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t line = lab_series(plot, "s = %u", sizes[i]);

        for (int r = 1; r < 50; r++) /* s (r - 0.1) is a whole number */
            lab_point(plot, line, r / 50.0, sketch_sample_probability(sizes[i], r / 50.0, 0.1));
    }
}

static int run_sample(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const uint32_t sizes[] = {50, 100, 200};
    static const double rs[] = {0.1, 0.5, 0.7, 0.9};
    struct lab_table *table = lab_table(out, "broder-4.2", "Estimates by MIN_s within eps of the resemblance",
                                        sample_columns, sizeof sample_columns / sizeof *sample_columns);
    double farthest = 0;
    int result = 0;

    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; result == 0 && k < 4; k++) {
            double off = 0;

            result = add_samples(run, sizes[i], rs[k], table, &off, err);
            farthest = fmax(farthest, off);
        }
    lab_remark(
        out,
        "Ours: documents of lines that are drawn anew %d times, with %d different lines in the union. The "
        "sample is drawn without replacement, so the hypergeometric probability is the exact one; the "
        "paper's "
        "binomial is its limit for large documents and errs on the safe side. By Theorem 1 the estimate is "
        "unbiased: the mean is off r by %.1f standard errors at most, in 12 simulations. The paper prints "
        "s(r - eps) for both bounds of its sum; the "
        "upper one is s(r + eps).",
        run->quick ? TRIALS_QUICK : TRIALS, IN_UNION, farthest);
    if (result == 0)
        result = add_bytes(run, out, err);
    add_claim(out);
    plot_samples(out);
    return result;
}

const struct lab_experiment lab_broder_sample = {"broder-sample",
                                                 "broder1997",
                                                 "Broder 1997, section 4.2",
                                                 "the size of the sample: formula and simulation",
                                                 LAB_USE_SEED | LAB_USE_QUICK | LAB_USE_PLOTS,
                                                 run_sample};

/* ---- section 4.1: the heap ---- */

/* The s smallest distinct numbers so far, ascending, and how often they changed.  A plain twin of the heap.
 */
struct smallest {
    uint64_t *list;
    size_t count, size;
    uint32_t modulus;
    uint64_t entered, kept; /* kept: numbers that are 0 mod modulus */
};

static int enter_all(void *arg, const struct shingles_batch *batch, struct error *err)
{
    struct smallest *s = arg;

    (void)err;
    for (size_t i = 0; i < batch->count; i++) {
        const uint64_t id = batch->ids[i];
        size_t at;

        if (id % s->modulus)
            continue;
        s->kept++;
        if (s->count == s->size && id >= s->list[s->count - 1])
            continue;
        at = SEARCH_FIRST(k, 0, s->count, s->list[k] >= id);
        if (at < s->count && s->list[at] == id)
            continue;
        s->count += s->count < s->size;
        memmove(s->list + at + 1, s->list + at, (s->count - 1 - at) * sizeof *s->list);
        s->list[at] = id;
        s->entered++;
    }
    return 0;
}

static const struct lab_column heap_columns[] = {
    {"document", "bytes", 0, false},
    {"shingles", "n", 0, false},
    {"s", "", 0, false},
    {"m", "", 0, false},
    {"entered", "mean", 1, false},
    {"expected", "s (1 + H(n/m) - H(s))", 1, false},
    {"s ln(n/m)", "the paper's order", 1, true},
    {"share of n", "%", 3, false},
};

static double harmonic(double n)
{
    return n < 1 ? 0 : log(n) + 0.57721566490153286 + 1 / (2 * n) - 1 / (12 * n * n);
}

/* Longer documents tell nothing more, and would take hours. */
enum { HEAP_MOST = 1 << 20 };

/* Over several permutations, with option A, so that all shingles differ. */
static int add_heap(const struct lab_run *run, const struct lab_text_file *file, uint32_t size,
                    uint32_t modulus, struct lab_table *table, struct error *err)
{
    const unsigned count = run->quick ? 3 : 20;
    const size_t len = file->len < HEAP_MOST ? file->len : HEAP_MOST;
    struct smallest smallest = {.size = size, .modulus = modulus};
    struct shingles_params params = {{.unit = TOKENS_WORDS}, true, 4, 64, 0};
    double entered = 0, shingles = 0, n;
    int result = array_resize(&smallest.list, (size_t)size + 1);

    if (result)
        return error_set(err, "out of memory");
    for (unsigned i = 0; result == 0 && i < count; i++) {
        struct shingles *maker;

        params.seed = lab_random_mix(run->seed) + i;
        smallest.count = smallest.entered = smallest.kept = 0;
        maker = shingles_new(&params, false, enter_all, &smallest, err);
        result = maker ? 0 : -1;
        if (maker) {
            shingles_begin(maker);
            result = shingles_update(maker, file->data, len, err) || shingles_final(maker, err) ? -1 : 0;
        }
        shingles_free(maker);
        entered += (double)smallest.entered;
        shingles += (double)smallest.kept * modulus;
    }
    free(smallest.list);
    n = shingles / count;
    lab_row_numbers(table,
                    (const double[]){(double)len, n, size, modulus, entered / count,
                                     n / modulus > size ? size * (1 + harmonic(n / modulus) - harmonic(size))
                                                        : n / modulus,
                                     size * log(n / modulus), entered / count / n * 100},
                    8);
    return result;
}

static int run_heap(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const uint32_t sizes[] = {100, 400}, moduli[] = {1, 25};
    const size_t count = lab_data_count(run->data);
    struct lab_table *table =
        lab_table(out, "broder-4.1-heap", "Numbers that enter the s smallest (words, w = 4)", heap_columns,
                  sizeof heap_columns / sizeof *heap_columns);
    int result = 0;

    for (size_t part = 0; part < 3; part++)
        for (size_t i = 0; result == 0 && i < 4; i++)
            result = add_heap(run, lab_data_get(run->data, (count - 1) * part / 2), sizes[i / 2],
                              moduli[i % 2], table, err);
    lab_remark(out,
               "Ours: the shortest, the median and the longest of %s, its first MiB at most, over several "
               "permutations, with option A, so that "
               "all shingles differ. Number k of a random permutation enters with probability s / k (always, "
               "for k up "
               "to s), so the expectation is s (1 + H(n/m) - H(s)), about s (1 + ln(n / (m s))): the paper's "
               "O(s log(n/m)) "
               "is larger by about s (ln s - 1). n is estimated from the numbers that are "
               "0 mod m.",
               lab_data_source(run->data));
    return result;
}

const struct lab_experiment lab_broder_heap = {"broder-heap",
                                               "broder1997",
                                               "Broder 1997, section 4.1",
                                               "how often the heap of the smallest numbers changes",
                                               LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK,
                                               run_heap};
