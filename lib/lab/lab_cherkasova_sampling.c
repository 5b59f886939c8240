/* SPDX-License-Identifier: Apache-2.0 */
/* Figures 5 and 6 (section 4.2): fewer samples change the average little, and the single result a lot. */
#include <math.h>

#include "lab/lab_cherkasova.h"
#include "lab/lab_cherkasova_near.h"

/* In the order of the schemes: those of figure 5, the exact one, and those whose graphs the paper omits. */
enum { SHOWN = 5, EXACT = SHOWN - 1, SCHEMES = 9 };

static const struct lab_column step_columns[SHOWN + 1] = {
    {"insertions", "", 0, false}, {"Sketch_10", "%", 1, false}, {"Sketch_100", "%", 1, false},
    {"BSW_1000", "%", 1, false},  {"BSW_100", "%", 1, false},   {"exact", "%", 1, false},
};

static const struct lab_column other_columns[SCHEMES - EXACT + 1] = {
    {"insertions", "", 0, false}, {"exact", "%", 1, false},    {"Min_10", "%", 1, false},
    {"Min_100", "%", 1, false},   {"Mod_1000", "%", 1, false}, {"Mod_100", "%", 1, false},
};

static const struct lab_column spread_columns[] = {
    {"scheme", "", LAB_WORDS, false}, {"documents", "", LAB_WORDS, false},  {"average", "%", 1, false},
    {"error", "%", 1, false},         {"reported as 100 %", "%", 1, false}, {"lowest", "%", 1, false},
};

static const struct lab_column document_columns[] = {
    {"document", "", 0, false},    {"length", "bytes", 0, false}, {"Sketch_10", "%", 1, false},
    {"Sketch_100", "%", 1, false}, {"BSW_1000", "%", 1, false},   {"BSW_100", "%", 1, false},
    {"exact", "%", 1, false},      {"Min_10", "%", 1, false},     {"Min_100", "%", 1, false},
    {"Mod_1000", "%", 1, false},   {"Mod_100", "%", 1, false},
};

static const char *name_of(size_t scheme)
{
    return document_columns[scheme + 2].name;
}

static void add_spread_row(const struct lab_near *near, size_t scheme, bool is_long, struct lab_table *table)
{
    const size_t last = near->steps - 1, half = near->documents / 2;
    const size_t from = is_long ? half : 0, to = is_long ? near->documents : half;
    double lowest = INFINITY;
    size_t whole = 0;

    for (size_t k = from; k < to; k++) {
        const double resemblance = lab_near_at(near, last, scheme, k);

        lowest = resemblance < lowest ? resemblance : lowest;
        whole += resemblance >= 1;
    }
    lab_row(table);
    lab_text(table, 0, "%s", name_of(scheme));
    lab_text(table, 1, is_long ? "longer half" : "shorter half");
    lab_cherkasova_percent(table, 2, lab_near_average(near, last, scheme, from, to));
    lab_cherkasova_percent(table, 3, lab_near_error(near, last, scheme, EXACT, from, to));
    lab_cherkasova_percent(table, 4, (double)whole / (double)(to - from));
    lab_cherkasova_percent(table, 5, lowest);
}

static void add_spread(const struct lab_near *near, struct lab_document *out)
{
    struct lab_table *table =
        lab_table(out, "cherkasova2009-6", "Spread over the documents after 50 insertions, window 20",
                  spread_columns, sizeof spread_columns / sizeof *spread_columns);

    for (size_t scheme = 0; scheme < SCHEMES; scheme++)
        for (int is_long = 0; is_long < 2; is_long++)
            add_spread_row(near, scheme, is_long, table);
    lab_remark(out, "Error: the root of the mean square of the difference from the exact similarity of all "
                    "windows. For n "
                    "samples at a similarity of r, sampling alone makes it the root of r (1 - r) / n.");
}

static void add_documents(const struct lab_near_plan *plan, const struct lab_near *near,
                          struct lab_document *out)
{
    struct lab_table *table =
        lab_table(out, "cherkasova2009-6-documents", "Each document after 50 insertions, window 20",
                  document_columns, sizeof document_columns / sizeof *document_columns);

    for (size_t k = 0; k < near->documents; k++) {
        lab_row(table);
        lab_number(table, 0, (double)k + 1);
        lab_number(table, 1, (double)plan->corpus->documents[k].len);
        for (size_t scheme = 0; scheme < SCHEMES; scheme++)
            lab_cherkasova_percent(table, scheme + 2, lab_near_at(near, near->steps - 1, scheme, k));
    }
}

/* A part of figure 6: two schemes, document by document. */
static void draw(const struct lab_near *near, size_t first, const char *name, const char *caption,
                 struct lab_document *out)
{
    static const struct lab_axes axes = {"document, by length", "", "similarity", "%", false, false};
    struct lab_plot *plot = lab_plot(out, name, caption, &axes);

    for (size_t scheme = first; scheme < first + 2; scheme++) {
        const size_t series = lab_series(plot, "%s", name_of(scheme));

        for (size_t k = 0; k < near->documents; k++)
            lab_point(plot, series, (double)k + 1, 100 * lab_near_at(near, near->steps - 1, scheme, k));
    }
}

static void report(const struct lab_near_plan *plan, const struct lab_near *near, struct lab_document *out)
{
    lab_near_add_averages(plan, near, "cherkasova2009-5",
                          "Average similarity by sampling frequency, window 20", step_columns, 0, SHOWN, out);
    lab_near_add_averages(plan, near, "cherkasova2009-5-others",
                          "Average similarity by sampling frequency: graphs that the paper omits",
                          other_columns, EXACT, SCHEMES - EXACT, out);
    add_spread(near, out);
    draw(near, 0, "cherkasova2009-6a", "Sketch_10 and Sketch_100 after 50 insertions", out);
    draw(near, 2, "cherkasova2009-6b", "BSW_1000 and BSW_100 after 50 insertions", out);
    draw(near, 5, "cherkasova2009-6-min", "Min_10 and Min_100 after 50 insertions", out);
    draw(near, 7, "cherkasova2009-6-mod", "Mod_1000 and Mod_100 after 50 insertions", out);
    add_documents(plan, near, out);
    lab_remark(out,
               "The paper states no figures for these; it observes that the averages hardly differ, that "
               "Sketch_10 often reports 100 %% for a document with 50 edits, and that the spread is "
               "largest for short documents. It omits the graphs of Min_n and Mod_n, which \"exhibit similar "
               "trends\"; "
               "they are above.");
}

static int run(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    const struct sketch_params schemes[SCHEMES] = {
        lab_cherkasova_params(SKETCH_MINWISE, 20, 10), lab_cherkasova_params(SKETCH_MINWISE, 20, 100),
        lab_cherkasova_params(SKETCH_BSW, 20, 1000),   lab_cherkasova_params(SKETCH_BSW, 20, 100),
        lab_cherkasova_params(SKETCH_SHINGLES, 20, 0), lab_cherkasova_params(SKETCH_MIN, 20, 10),
        lab_cherkasova_params(SKETCH_MIN, 20, 100),    lab_cherkasova_params(SKETCH_MOD, 20, 1000),
        lab_cherkasova_params(SKETCH_MOD, 20, 100),
    };
    struct lab_cherkasova_corpus corpus;
    struct lab_near_plan plan = {&corpus, LAB_NEAR_INSERT, schemes, SCHEMES, {0}, 0, run->seed};
    struct lab_near near = {0};
    int rc = lab_cherkasova_corpus_init(&corpus, run, out, err);

    lab_near_choose_steps(&plan, run->quick);
    if (rc == 0)
        rc = lab_near_measure(&plan, &near, err);
    if (rc == 0)
        report(&plan, &near, out);
    lab_near_release(&near);
    lab_cherkasova_corpus_release(&corpus);
    return rc;
}

const struct lab_experiment lab_cherkasova_sampling = {
    .name = "cherkasova2009-sampling",
    .paper = "cherkasova2009",
    .source = "Cherkasova 2009, figures 5 and 6",
    .summary = "what fewer samples do to the average and to single results",
    .uses = LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK | LAB_USE_PLOTS,
    .run = run,
};
