/* SPDX-License-Identifier: Apache-2.0 */
/* Figures 1 and 2 (section 4.1): the larger the window, the lower the similarity of near-duplicates. */
#include <math.h>

#include "lab/lab_cherkasova.h"
#include "lab/lab_cherkasova_near.h"

enum { WINDOWS = 7, MOD = 0, BSW = WINDOWS, EXACT = 2 * WINDOWS, SCHEMES = 3 * WINDOWS };

/* Schemes whose graphs the paper omits: after 50 insertions only. */
enum { MIN = 0, SKETCH = WINDOWS, OTHERS = 2 * WINDOWS };

static const uint32_t windows[WINDOWS] = {5, 10, 20, 40, 60, 80, 100};

/* aver_sim(RC_a^50) under Mod_100, as the text of section 4.1 states it, in percent */
static const double paper_mod[WINDOWS] = {97, NAN, NAN, NAN, NAN, NAN, 66};

static const struct lab_column summary_columns[] = {
    {"window", "bytes", 0, false}, {"Mod_100", "%", 1, false},  {"paper: Mod_100", "%", 0, true},
    {"BSW_400", "%", 1, false},    {"Min_100", "%", 1, false},  {"Sketch_100", "%", 1, false},
    {"exact", "%", 1, false},      {"expected", "%", 1, false},
};

static const struct lab_column step_columns[] = {
    {"insertions", "", 0, false}, {"w=5", "%", 1, false},  {"w=10", "%", 1, false}, {"w=20", "%", 1, false},
    {"w=40", "%", 1, false},      {"w=60", "%", 1, false}, {"w=80", "%", 1, false}, {"w=100", "%", 1, false},
};

static double average(const struct lab_near *near, size_t step, size_t scheme)
{
    return lab_near_average(near, step, scheme, 0, near->documents);
}

static void add_sizes(const struct lab_cherkasova_corpus *corpus, struct lab_document *out)
{
    static const struct lab_axes axes = {"document, by length", "", "length", "bytes", false, true};
    struct lab_plot *plot =
        lab_plot(out, "cherkasova2009-1", "Lengths of the documents (the paper's figure 1)", &axes);
    const size_t series = lab_series(plot, "documents");

    for (size_t k = 0; k < corpus->count; k++)
        lab_point(plot, series, (double)k + 1, (double)corpus->documents[k].len);
}

static double expected(const struct lab_cherkasova_corpus *corpus, uint32_t window)
{
    double sum = 0;

    for (size_t k = 0; k < corpus->count; k++)
        sum += lab_near_expected(corpus->documents[k].len, window, LAB_NEAR_STEPS);
    return sum / (double)corpus->count;
}

static void add_summary(const struct lab_near_plan *plan, const struct lab_near *near,
                        const struct lab_near *others, struct lab_document *out)
{
    const size_t last = plan->step_count - 1;
    struct lab_table *table =
        lab_table(out, "cherkasova2009-2", "Average similarity after 50 insertions of \"a \", by window",
                  summary_columns, sizeof summary_columns / sizeof *summary_columns);

    for (size_t i = 0; i < WINDOWS; i++) {
        lab_row(table);
        lab_number(table, 0, windows[i]);
        lab_cherkasova_percent(table, 1, average(near, last, MOD + i));
        lab_number(table, 2, paper_mod[i]);
        lab_cherkasova_percent(table, 3, average(near, last, BSW + i));
        lab_cherkasova_percent(table, 4, average(others, 0, MIN + i));
        lab_cherkasova_percent(table, 5, average(others, 0, SKETCH + i));
        lab_cherkasova_percent(table, 6, average(near, last, EXACT + i));
        lab_cherkasova_percent(table, 7, expected(plan->corpus, windows[i]));
    }
}

static void add_remarks(struct lab_document *out)
{
    lab_remark(
        out, "Exact: the resemblance of all windows, without sampling. Expected: what 50 insertions leave of "
             "it if no window occurs twice in a document; repetitive documents keep more.");
    lab_remark(out,
               "An insertion changes w - 1 windows, so the similarity depends on w and on the lengths of the "
               "documents alone, and not on the scheme, except for BSW_n: differences from the paper are "
               "differences between the corpora. A corpus "
               "with more short documents has lower averages at large windows.");
}

static void report(const struct lab_near_plan *plan, const struct lab_near *near,
                   const struct lab_near *others, struct lab_document *out)
{
    add_sizes(plan->corpus, out);
    add_summary(plan, near, others, out);
    lab_near_add_averages(plan, near, "cherkasova2009-2a",
                          "Mod_100: average similarity by number of insertions", step_columns, MOD, WINDOWS,
                          out);
    lab_near_add_averages(plan, near, "cherkasova2009-2b",
                          "BSW_400: average similarity by number of insertions", step_columns, BSW, WINDOWS,
                          out);
    lab_near_add_averages(plan, near, "cherkasova2009-2-exact",
                          "All windows: average similarity by number of insertions", step_columns, EXACT,
                          WINDOWS, out);
    add_remarks(out);
}

/* The schemes of the figure, and the others. */
static void choose_schemes(struct sketch_params shown[SCHEMES], struct sketch_params others[OTHERS])
{
    for (size_t i = 0; i < WINDOWS; i++) {
        shown[MOD + i] = lab_cherkasova_params(SKETCH_MOD, windows[i], 100);
        shown[BSW + i] = lab_cherkasova_params(SKETCH_BSW, windows[i], 400);
        shown[EXACT + i] = lab_cherkasova_params(SKETCH_SHINGLES, windows[i], 0);
        others[MIN + i] = lab_cherkasova_params(SKETCH_MIN, windows[i], 100);
        others[SKETCH + i] = lab_cherkasova_params(SKETCH_MINWISE, windows[i], 100);
    }
}

static int run(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    struct sketch_params schemes[SCHEMES], other_schemes[OTHERS];
    struct lab_cherkasova_corpus corpus;
    struct lab_near_plan plan = {&corpus, LAB_NEAR_INSERT, schemes, SCHEMES, {0}, 0, run->seed};
    const struct lab_near_plan last = {&corpus, LAB_NEAR_INSERT, other_schemes, OTHERS, {LAB_NEAR_STEPS},
                                       1,       run->seed};
    struct lab_near near = {0}, others = {0};
    int rc = lab_cherkasova_corpus_init(&corpus, run, out, err);

    choose_schemes(schemes, other_schemes);
    lab_near_choose_steps(&plan, run->quick);
    if (rc == 0)
        rc = lab_near_measure(&plan, &near, err);
    if (rc == 0)
        rc = lab_near_measure(&last, &others, err);
    if (rc == 0)
        report(&plan, &near, &others, out);
    lab_near_release(&near);
    lab_near_release(&others);
    lab_cherkasova_corpus_release(&corpus);
    return rc;
}

const struct lab_experiment lab_cherkasova_windows = {
    .name = "cherkasova2009-windows",
    .paper = "cherkasova2009",
    .source = "Cherkasova 2009, figures 1 and 2",
    .summary = "similarity of near-duplicates by size of the window and number of edits",
    .uses = LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK | LAB_USE_PLOTS,
    .run = run,
};
