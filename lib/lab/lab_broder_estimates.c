/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "lab/lab_broder_inner.h"
#include "lab/lab_edits.h"

/* Section 3: the estimates of every sketch beside the exact values, on the documents of the run. */

enum { WINDOW = 4, SKETCHES = 7, MOST_LEN = 100000 };

static const struct scheme {
    enum sketch_scheme scheme;
    uint32_t size, rate;
    const char *name;
} schemes[SKETCHES] = {
    {SKETCH_MIN, 100, 0, "MIN_100"},           {SKETCH_MIN, 200, 0, "MIN_200"},
    {SKETCH_MIN, 400, 0, "MIN_400"},           {SKETCH_MOD, 0, 25, "MOD_25"},
    {SKETCH_MOD, 0, 100, "MOD_100"},           {SKETCH_MINMOD, 100, 25, "MIN_100 of MOD_25"},
    {SKETCH_NESTED, 100, 0, "L_i, 50 to 100"},
};

/* Errors of the estimates of one scheme. */
struct errors {
    unsigned count;
    double values, sum, squares, largest, variance;
};

static void note(struct errors *errors, double estimate, double exact, double values)
{
    const double error = estimate - exact;

    errors->count++;
    errors->values += values;
    errors->sum += error;
    errors->squares += error * error;
    errors->largest = fmax(errors->largest, fabs(error));
}

struct estimates {
    const struct lab_run *run;
    struct lab_broder_pair exact, pairs[SKETCHES];
    struct errors resemblance[SKETCHES];
    struct lab_plot *plot;
    size_t lines[SKETCHES];
    struct lab_random random;
    struct buffer a, b;
};

static int open_all(struct estimates *e, struct error *err)
{
    struct sketch_params params = lab_broder_params(SKETCH_SHINGLES, TOKENS_WORDS, WINDOW, e->run->seed);

    if (lab_broder_open(&e->exact, &params, err))
        return -1;
    for (int i = 0; i < SKETCHES; i++) {
        params = lab_broder_params(schemes[i].scheme, TOKENS_WORDS, WINDOW, e->run->seed);
        params.size = schemes[i].size;
        params.rate = schemes[i].rate;
        if (lab_broder_open(&e->pairs[i], &params, err))
            return -1;
    }
    return 0;
}

static void close_all(struct estimates *e)
{
    lab_broder_close(&e->exact);
    for (int i = 0; i < SKETCHES; i++)
        lab_broder_close(&e->pairs[i]);
    buffer_release(&e->a);
    buffer_release(&e->b);
}

/* Compares a and b by all schemes; the errors of the resemblance go to the table. */
static int compare_all(struct estimates *e, bool in_plot, struct error *err)
{
    const struct sketch_likeness *exact = &e->exact.likeness;

    if (lab_broder_compare(&e->exact, &e->a, &e->b, err))
        return -1;
    for (int i = 0; i < SKETCHES && !exact->too_small; i++) {
        const struct sketch_likeness *found = &e->pairs[i].likeness;
        struct errors *errors = &e->resemblance[i];

        if (lab_broder_compare(&e->pairs[i], &e->a, &e->b, err))
            return -1;
        if (!found->has_resemblance || found->compared == 0)
            continue;
        note(errors, found->resemblance, exact->resemblance, (double)e->pairs[i].a.count);
        errors->variance += exact->resemblance * (1 - exact->resemblance) / (double)found->compared;
        if (in_plot && i % 3 == 0) /* MIN_100, MOD_25, L_i */
            lab_point(e->plot, e->lines[i], exact->resemblance, found->resemblance);
    }
    return 0;
}

static void cut(struct buffer *out, const struct lab_text_file *file, size_t len)
{
    buffer_reset(out);
    buffer_add(out, file->data, file->len < len ? file->len : len);
}

static size_t step(const struct estimates *e)
{
    return e->run->quick ? 4 : 1;
}

/* Each document beside versions that lack up to half of their words, more often few than many. */
static int compare_versions(struct estimates *e, struct error *err)
{
    enum { VERSIONS = 7 };
    const size_t count = lab_data_count(e->run->data);

    for (size_t d = 0; d < count; d += step(e))
        for (int i = 0; i < VERSIONS; i++) {
            const double share = lab_random_unit(&e->random);
            size_t words = 1;

            cut(&e->a, lab_data_get(e->run->data, d), MOST_LEN);
            for (size_t k = 0; k < e->a.len; k++)
                words += e->a.data[k] == ' ' || e->a.data[k] == '\n';
            buffer_reset(&e->b);
            lab_edits_remove_words(&e->random, (const uint8_t *)e->a.data, e->a.len,
                                   (unsigned)(share * share / 2 * (double)words), &e->b);
            if (compare_all(e, i % 2 == 0 && d % 3 == 0, err))
                return -1;
        }
    return 0;
}

static const struct lab_column resemblance_columns[] = {
    {"sketch", "", LAB_WORDS, false},       {"pairs", "", 0, false},
    {"values kept", "mean", 0, false},      {"mean error", "", 4, false},
    {"standard error of it", "", 4, false}, {"error", "root mean square", 4, false},
    {"error", "expected", 4, false},        {"error", "largest", 4, false},
};

static void add_resemblance(const struct estimates *e, struct lab_document *out)
{
    struct lab_table *table =
        lab_table(out, "broder-3-resemblance", "Estimated and exact resemblance (words, w = 4)",
                  resemblance_columns, sizeof resemblance_columns / sizeof *resemblance_columns);

    for (int i = 0; i < SKETCHES; i++) {
        const struct errors *errors = &e->resemblance[i];
        const double n = errors->count, mean = errors->sum / n;

        lab_row_numbers(table,
                        (const double[]){NAN, n, errors->values / n, mean,
                                         sqrt(fmax(0, errors->squares / n - mean * mean) / n),
                                         sqrt(errors->squares / n), sqrt(errors->variance / n),
                                         errors->largest},
                        8);
        lab_text(table, 0, "%s", schemes[i].name);
    }
}

/* ---- containment ---- */

static const struct lab_column containment_columns[] = {
    {"sketch", "", LAB_WORDS, false},
    {"part", "% of the document", 0, false},
    {"pairs", "", 0, false},
    {"values of the part", "mean", 1, false},
    {"exact", "%, mean", 2, false},
    {"estimate", "%, mean", 2, false},
    {"error", "root mean square", 4, false},
    {"no estimate", "pairs", 0, false},
};

/* The beginning of each document, from which one word in ten was removed, in the whole. */
static int add_containment(struct estimates *e, int scheme, unsigned percent, struct lab_table *table,
                           struct error *err)
{
    const size_t count = lab_data_count(e->run->data);
    struct lab_broder_pair *pair = &e->pairs[scheme];
    struct errors errors = {0};
    double exact = 0, estimate = 0;
    unsigned without = 0;
    struct lab_random random;

    lab_random_seed(&random, lab_random_mix(e->run->seed) + percent); /* the same parts for all schemes */
    for (size_t d = 0; d < count; d += step(e)) {
        const struct lab_text_file *file = lab_data_get(e->run->data, d);
        const size_t len = (file->len < MOST_LEN ? file->len : MOST_LEN) * percent / 100;

        cut(&e->b, file, MOST_LEN);
        buffer_reset(&e->a);
        lab_edits_remove_words(&random, file->data, len, (unsigned)(len / 60), &e->a);
        if (lab_broder_compare(&e->exact, &e->a, &e->b, err) || lab_broder_compare(pair, &e->a, &e->b, err))
            return -1;
        if (e->exact.likeness.too_small || !pair->likeness.has_containment || pair->a.count == 0) {
            without++;
            continue;
        }
        note(&errors, pair->likeness.a_in_b, e->exact.likeness.a_in_b, (double)pair->a.count);
        exact += e->exact.likeness.a_in_b;
        estimate += pair->likeness.a_in_b;
    }
    lab_row_numbers(table,
                    (const double[]){NAN, percent, errors.count, errors.values / errors.count,
                                     exact / errors.count * 100, estimate / errors.count * 100,
                                     sqrt(errors.squares / errors.count), without},
                    8);
    lab_text(table, 0, "%s", schemes[scheme].name);
    return 0;
}

static int add_containments(struct estimates *e, struct lab_document *out, struct error *err)
{
    static const unsigned parts[] = {50, 20, 5, 2, 1};
    struct lab_table *table =
        lab_table(out, "broder-3-containment", "Containment of a changed part in its document",
                  containment_columns, sizeof containment_columns / sizeof *containment_columns);

    for (int scheme = 0; scheme < SKETCHES; scheme++)
        for (size_t i = 0; sketch_has_containment(schemes[scheme].scheme) && i < sizeof parts / sizeof *parts;
             i++)
            if (add_containment(e, scheme, parts[i], table, err))
                return -1;
    return 0;
}

static void begin_plot(struct estimates *e, struct lab_document *out)
{
    static const struct lab_axes axes = {"exact resemblance", "", "estimated resemblance", "", false, false};
    size_t line;

    e->plot =
        lab_plot(out, "broder-3",
                 "Estimated and exact resemblance of documents and of versions that lack some of their words "
                 "(Broder 1997, section 3; words, w = 4)",
                 &axes);
    line = lab_series(e->plot, "exact");
    lab_point(e->plot, line, 0, 0);
    lab_point(e->plot, line, 1, 1);
    for (int i = 0; i < SKETCHES; i += 3)
        e->lines[i] = lab_scatter(e->plot, "%s", schemes[i].name);
}

static int run_estimates(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    struct estimates e = {.run = run};
    int result = open_all(&e, err);

    lab_random_seed(&e.random, lab_random_mix(run->seed) + 3);
    begin_plot(&e, out);
    if (result == 0)
        result = compare_versions(&e, err);
    if (result == 0)
        add_resemblance(&e, out);
    if (result == 0)
        result = add_containments(&e, out, err);
    lab_remark(
        out,
        "Ours: %s, of longer ones the first %d bytes. All estimates are unbiased up to their own spread "
        "(Theorem 1): compare the mean error with its standard error. Expected is the root mean square of "
        "r(1 - r) / (values compared), for a sample with replacement, so small documents do better.",
        lab_data_source(run->data), MOST_LEN);
    lab_remark(
        out, "MIN_s and MIN_s of MOD_m have a fixed size and allow no containment; MOD_m grows with the "
             "document; L_i "
             "keeps 50 to 100 values of any document and reduces the part to the modulus of the whole, so "
             "the estimate "
             "becomes poor for small parts, as the paper warns: \"values of the part\" has how many remain.");
    close_all(&e);
    return result;
}

const struct lab_experiment lab_broder_estimates = {"broder-estimates",
                                                    "broder1997",
                                                    "Broder 1997, section 3",
                                                    "MIN_s, MOD_m and nested L_i beside the exact values",
                                                    LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK |
                                                        LAB_USE_PLOTS,
                                                    run_estimates};
