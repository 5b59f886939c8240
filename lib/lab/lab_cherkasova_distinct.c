/* SPDX-License-Identifier: Apache-2.0 */
/* Figures 3 and 4 (section 4.1): the similarity of documents that are distinct. */
#include <math.h>

#include "lab/lab_cherkasova.h"
#include "lab/lab_cherkasova_pairs.h"

enum { WINDOWS = 7, SCHEMES = 5, MEASURED = 7 /* the larger of both */ };

#define FIRST 0.0001 /* where the plots begin */

/* Rows of the distributions: similarity in percent. */
static const double thresholds[] = {0, 0.5, 1, 2, 3, 4, 6, 8, 10, 15, 20, 25, 30, 40, 50};

enum { THRESHOLDS = sizeof thresholds / sizeof *thresholds };

static const uint32_t windows[WINDOWS] = {5, 10, 20, 40, 60, 80, 100};

static const struct lab_axes axes = {"similarity", "%",  "pairs with at most this similarity",
                                     "%",          true, false};

static const struct lab_column window_columns[] = {
    {"similarity up to", "%", 1, false},
    {"w=5", "%", 1, false},
    {"w=10", "%", 1, false},
    {"w=20", "%", 1, false},
    {"w=40", "%", 1, false},
    {"w=60", "%", 1, false},
    {"w=80", "%", 1, false},
    {"w=100", "%", 1, false},
};

static const struct lab_column scheme_columns[] = {
    {"similarity up to", "%", 1, false}, {"Mod_100", "%", 1, false}, {"Min_100", "%", 1, false},
    {"Sketch_100", "%", 1, false},       {"BSW_100", "%", 1, false}, {"exact", "%", 1, false},
};

static const struct lab_column window_summary_columns[] = {
    {"window", "bytes", 0, false},
    {"scheme", "", LAB_WORDS, false},
    {"some similarity", "% of pairs", 1, false},
    {"above 20 %", "% of pairs", 1, false},
    {"paper: above 20 %", "% of pairs", LAB_WORDS, true},
    {"most similar", "%", 1, false},
    {"paper: most similar", "%", LAB_WORDS, true},
};

static const struct lab_column scheme_summary_columns[] = {
    {"scheme", "", LAB_WORDS, false},
    {"some similarity", "% of pairs", 1, false},
    {"some, up to 4 %", "% of pairs", 1, false},
    {"paper: below 4 %", "% of pairs", 0, true},
    {"most similar", "%", 1, false},
    {"values in a sketch", "", 0, false},
};

struct measured {
    struct lab_cherkasova_corpus corpus;
    struct lab_pairs pairs[MEASURED]; /* of the table at hand */
    struct lab_document *out;
};

static double most_similar(const struct lab_pairs *pairs)
{
    return pairs->count > 0 ? pairs->list[pairs->count - 1].resemblance : 0;
}

/* The cumulative distribution, of all pairs. */
static double at_most(const struct lab_pairs *pairs, double resemblance)
{
    return 1 - lab_pairs_above(pairs, resemblance);
}

static int measure(struct measured *measured, const struct sketch_params *params, size_t count,
                   struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        lab_pairs_release(&measured->pairs[i]);
        if (lab_pairs_measure(&measured->pairs[i], &params[i], measured->corpus.documents,
                              measured->corpus.count, 0, err))
            return -1;
    }
    return 0;
}

/* Columns 1.. are named after the lines of the plot. */
static void add_distributions(const struct measured *measured, size_t count, const char *name,
                              const char *caption, const struct lab_column *columns)
{
    enum { POINTS = 60 };
    struct lab_table *table = lab_table(measured->out, name, caption, columns, count + 1);
    struct lab_plot *plot = lab_plot(measured->out, name, caption, &axes);

    for (size_t row = 0; row < THRESHOLDS; row++) {
        lab_row(table);
        lab_number(table, 0, thresholds[row]);
        for (size_t i = 0; i < count; i++)
            lab_cherkasova_percent(table, i + 1, at_most(&measured->pairs[i], thresholds[row] / 100));
    }
    for (size_t i = 0; i < count; i++) {
        const size_t series = lab_series(plot, "%s", columns[i + 1].name);
        const double span = most_similar(&measured->pairs[i]) / FIRST;

        for (unsigned point = 0; span > 1 && point <= POINTS; point++) {
            const double x = FIRST * pow(span, (double)point / POINTS);

            lab_point(plot, series, 100 * x, 100 * at_most(&measured->pairs[i], x));
        }
    }
}

static void add_window_summary(const struct measured *measured, struct lab_table *summary,
                               enum sketch_scheme scheme, const char *name)
{
    for (size_t i = 0; i < WINDOWS; i++) {
        lab_row(summary);
        lab_number(summary, 0, windows[i]);
        lab_text(summary, 1, "%s", name);
        lab_cherkasova_percent(summary, 2, lab_pairs_above(&measured->pairs[i], 0));
        lab_cherkasova_percent(summary, 3, lab_pairs_above(&measured->pairs[i], 0.2));
        lab_cherkasova_percent(summary, 5, most_similar(&measured->pairs[i]));
        if (i == 0 && scheme == SKETCH_MOD) {
            lab_text(summary, 4, "more than 5");
            lab_text(summary, 6, "nearly 30");
        }
    }
}

/* Measures a scheme for each window and adds it to the summary. */
static int add_windows_of(struct measured *measured, enum sketch_scheme scheme, uint32_t n, const char *name,
                          struct lab_table *summary, struct error *err)
{
    struct sketch_params params[WINDOWS];

    for (size_t i = 0; i < WINDOWS; i++)
        params[i] = lab_cherkasova_params(scheme, windows[i], n);
    if (measure(measured, params, WINDOWS, err))
        return -1;
    add_window_summary(measured, summary, scheme, name);
    return 0;
}

/* Figure 3, and two schemes whose graphs the paper omits. */
static int add_windows(struct measured *measured, struct error *err)
{
    struct lab_table *summary =
        lab_table(measured->out, "cherkasova2009-3", "Pairs of distinct documents, by window",
                  window_summary_columns, sizeof window_summary_columns / sizeof *window_summary_columns);

    if (add_windows_of(measured, SKETCH_MOD, 100, "Mod_100", summary, err))
        return -1;
    add_distributions(measured, WINDOWS, "cherkasova2009-3a",
                      "Mod_100: similarity of all pairs of distinct documents", window_columns);
    if (add_windows_of(measured, SKETCH_BSW, 400, "BSW_400", summary, err))
        return -1;
    add_distributions(measured, WINDOWS, "cherkasova2009-3b",
                      "BSW_400: similarity of all pairs of distinct documents", window_columns);
    if (add_windows_of(measured, SKETCH_MIN, 100, "Min_100", summary, err))
        return -1;
    return add_windows_of(measured, SKETCH_MINWISE, 100, "Sketch_100", summary, err);
}

/* Figure 4. */
static int add_schemes(struct measured *measured, struct error *err)
{
    static const double paper_below_4[SCHEMES] = {28, NAN, NAN, 10, NAN};
    const struct sketch_params schemes[SCHEMES] = {
        lab_cherkasova_params(SKETCH_MOD, 20, 100),     lab_cherkasova_params(SKETCH_MIN, 20, 100),
        lab_cherkasova_params(SKETCH_MINWISE, 20, 100), lab_cherkasova_params(SKETCH_BSW, 20, 100),
        lab_cherkasova_params(SKETCH_SHINGLES, 20, 0),
    };
    struct lab_table *summary;

    if (measure(measured, schemes, SCHEMES, err))
        return -1;
    summary =
        lab_table(measured->out, "cherkasova2009-4", "Pairs of distinct documents, window 20",
                  scheme_summary_columns, sizeof scheme_summary_columns / sizeof *scheme_summary_columns);
    for (size_t i = 0; i < SCHEMES; i++) {
        lab_row(summary);
        lab_text(summary, 0, "%s", scheme_columns[i + 1].name);
        lab_cherkasova_percent(summary, 1, lab_pairs_above(&measured->pairs[i], 0));
        lab_cherkasova_percent(
            summary, 2, lab_pairs_above(&measured->pairs[i], 0) - lab_pairs_above(&measured->pairs[i], 0.04));
        lab_number(summary, 3, paper_below_4[i]);
        lab_cherkasova_percent(summary, 4, most_similar(&measured->pairs[i]));
        lab_number(summary, 5, lab_pairs_values(&measured->pairs[i]));
    }
    add_distributions(measured, SCHEMES, "cherkasova2009-4-distribution",
                      "Similarity of all pairs of distinct documents, window 20", scheme_columns);
    return 0;
}

static void add_remarks(struct lab_document *out)
{
    lab_remark(
        out,
        "Shares are of all pairs of documents. The paper's figures show only pairs with some similarity, "
        "and its text does not state of which pairs its shares are.");
    lab_remark(
        out,
        "Pairs that are slightly similar depend on the corpus: reports of one laboratory share headings "
        "and phrases, the generated texts a small vocabulary. The fewer values a sketch has, the fewer of "
        "the pairs that have something in common in the exact similarity it sees.");
}

static int run(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    struct measured measured = {.out = out};
    int rc = lab_cherkasova_corpus_init(&measured.corpus, run, out, err);

    if (rc == 0)
        rc = add_windows(&measured, err);
    if (rc == 0)
        rc = add_schemes(&measured, err);
    if (rc == 0)
        add_remarks(out);
    for (size_t i = 0; i < MEASURED; i++)
        lab_pairs_release(&measured.pairs[i]);
    lab_cherkasova_corpus_release(&measured.corpus);
    return rc;
}

const struct lab_experiment lab_cherkasova_distinct = {
    .name = "cherkasova2009-distinct",
    .paper = "cherkasova2009",
    .source = "Cherkasova 2009, figures 3 and 4",
    .summary = "similarity of unrelated documents by window, and by scheme",
    .uses = LAB_USE_DATA | LAB_USE_QUICK | LAB_USE_PLOTS,
    .run = run,
};
