/* SPDX-License-Identifier: Apache-2.0 */
/* Figures 7 and 8 (section 4.3): the four schemes on the same near-duplicates. */
#include "lab/lab_cherkasova.h"
#include "lab/lab_cherkasova_near.h"

enum { SCHEMES = 5, EXACT = SCHEMES - 1, KINDS = LAB_NEAR_WORDS + 1 };

static const struct lab_column step_columns[SCHEMES + 1] = {
    {"edits", "", 0, false},       {"Mod_500", "%", 1, false}, {"Min_100", "%", 1, false},
    {"Sketch_100", "%", 1, false}, {"BSW_500", "%", 1, false}, {"exact", "%", 1, false},
};

static const struct lab_column summary_columns[] = {
    {"edits", "", LAB_WORDS, false}, {"scheme", "", LAB_WORDS, false}, {"average", "%", 1, false},
    {"less exact", "%", 1, false},   {"error", "%", 1, false},
};

static const struct lab_column document_columns[] = {
    {"document", "", 0, false}, {"length", "bytes", 0, false}, {"words removed", "", 0, false},
    {"Mod_500", "%", 1, false}, {"Min_100", "%", 1, false},    {"Sketch_100", "%", 1, false},
    {"BSW_500", "%", 1, false}, {"exact", "%", 1, false},
};

static const char *const kind_names[KINDS] = {
    "50 x \"a \" inserted at random",
    "50 x \"a \" inserted evenly",
    "50 words removed",
};

struct result {
    struct lab_near_plan plan;
    struct lab_near near[KINDS];
    struct lab_document *out;
};

static void add_summary(const struct result *result)
{
    struct lab_table *table =
        lab_table(result->out, "cherkasova2009-7", "Average similarity after 50 edits, window 20",
                  summary_columns, sizeof summary_columns / sizeof *summary_columns);
    const size_t all = result->plan.corpus->count;

    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t scheme = 0; scheme < SCHEMES; scheme++) {
            const struct lab_near *near = &result->near[kind];
            const size_t last = near->steps - 1;
            const double average = lab_near_average(near, last, scheme, 0, all);

            lab_row(table);
            lab_text(table, 0, "%s", kind_names[kind]);
            lab_text(table, 1, "%s", step_columns[scheme + 1].name);
            lab_cherkasova_percent(table, 2, average);
            lab_cherkasova_percent(table, 3, average - lab_near_average(near, last, EXACT, 0, all));
            lab_cherkasova_percent(table, 4, lab_near_error(near, last, scheme, EXACT, 0, all));
        }
}

static void draw_documents(const struct result *result, unsigned edits, const char *name, const char *caption)
{
    static const struct lab_axes axes = {"document, by length", "", "similarity", "%", false, false};
    struct lab_plot *plot = lab_plot(result->out, name, caption, &axes);
    const size_t step = lab_near_step(&result->plan, edits);

    for (size_t scheme = 0; scheme < SCHEMES; scheme++) {
        const size_t series = lab_series(plot, "%s", step_columns[scheme + 1].name);

        for (size_t k = 0; k < result->plan.corpus->count; k++)
            lab_point(plot, series, (double)k + 1,
                      100 * lab_near_at(&result->near[LAB_NEAR_WORDS], step, scheme, k));
    }
}

static void add_documents(const struct result *result)
{
    static const unsigned edits[] = {10, 50};
    struct lab_table *table =
        lab_table(result->out, "cherkasova2009-8", "Each document, words removed, window 20",
                  document_columns, sizeof document_columns / sizeof *document_columns);

    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        for (size_t k = 0; k < result->plan.corpus->count; k++) {
            lab_row(table);
            lab_number(table, 0, (double)k + 1);
            lab_number(table, 1, (double)result->plan.corpus->documents[k].len);
            lab_number(table, 2, edits[i]);
            for (size_t scheme = 0; scheme < SCHEMES; scheme++)
                lab_cherkasova_percent(table, scheme + 3,
                                       lab_near_at(&result->near[LAB_NEAR_WORDS],
                                                   lab_near_step(&result->plan, edits[i]), scheme, k));
        }
}

/* After the last step. */
static double exact_average(const struct result *result, enum lab_near_kind kind)
{
    const struct lab_near *near = &result->near[kind];

    return lab_near_average(near, near->steps - 1, EXACT, 0, near->documents);
}

static void report(const struct result *result)
{
    add_summary(result);
    lab_near_add_averages(&result->plan, &result->near[LAB_NEAR_INSERT], "cherkasova2009-7a",
                          "Average similarity, \"a \" inserted", step_columns, 0, SCHEMES, result->out);
    lab_near_add_averages(&result->plan, &result->near[LAB_NEAR_WORDS], "cherkasova2009-7b",
                          "Average similarity, words removed", step_columns, 0, SCHEMES, result->out);
    draw_documents(result, 10, "cherkasova2009-8a", "Each document after the removal of 10 words");
    draw_documents(result, 50, "cherkasova2009-8b", "Each document after the removal of 50 words");
    add_documents(result);
    lab_remark(
        result->out,
        "Exact: the similarity of all windows. Mod_n, Min_n and Sketch_n are unbiased estimates of it, "
        "so their averages differ by chance only. The paper has Sketch_n below the other two, "
        "which their definitions do not explain.");
    lab_remark(result->out,
               "BSW_n does not estimate it: its smallest windows depend on where chunks end, so that an "
               "edit replaces more of them than its share of the windows. "
               "The paper finds that evenly spread edits cost more similarity than random ones, which "
               "may fall close together. Here the exact average is %.1f %% after even ones and %.1f %% after "
               "random ones; those of the other schemes also differ by chance.",
               100 * exact_average(result, LAB_NEAR_EVENLY), 100 * exact_average(result, LAB_NEAR_INSERT));
}

/* Evenly spread insertions are no figure of the paper: only i = 50. */
static int measure(struct result *result, enum lab_near_kind kind, struct error *err)
{
    struct lab_near_plan plan = result->plan;

    plan.kind = kind;
    if (kind == LAB_NEAR_EVENLY) {
        plan.steps[0] = LAB_NEAR_STEPS;
        plan.step_count = 1;
    }
    return lab_near_measure(&plan, &result->near[kind], err);
}

static int run(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    const struct sketch_params schemes[SCHEMES] = {
        lab_cherkasova_params(SKETCH_MOD, 20, 500),     lab_cherkasova_params(SKETCH_MIN, 20, 100),
        lab_cherkasova_params(SKETCH_MINWISE, 20, 100), lab_cherkasova_params(SKETCH_BSW, 20, 500),
        lab_cherkasova_params(SKETCH_SHINGLES, 20, 0),
    };
    struct lab_cherkasova_corpus corpus;
    struct result result = {.plan = {&corpus, LAB_NEAR_INSERT, schemes, SCHEMES, {0}, 0, run->seed},
                            .out = out};
    int rc = lab_cherkasova_corpus_init(&corpus, run, out, err);

    lab_near_choose_steps(&result.plan, run->quick);
    for (size_t kind = 0; kind < KINDS && rc == 0; kind++)
        rc = measure(&result, (enum lab_near_kind)kind, err);
    if (rc == 0)
        report(&result);
    for (size_t kind = 0; kind < KINDS; kind++)
        lab_near_release(&result.near[kind]);
    lab_cherkasova_corpus_release(&corpus);
    return rc;
}

const struct lab_experiment lab_cherkasova_schemes = {
    .name = "cherkasova2009-schemes",
    .paper = "cherkasova2009",
    .source = "Cherkasova 2009, figures 7 and 8",
    .summary = "the four schemes on the same near-duplicates",
    .uses = LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK | LAB_USE_PLOTS,
    .run = run,
};
