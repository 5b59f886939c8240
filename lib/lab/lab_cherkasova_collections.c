/* SPDX-License-Identifier: Apache-2.0 */
/* Figures 9 and 10 and table 2 (section 5): similar pairs in collections of short documents. */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "lab/lab_cherkasova.h"
#include "lab/lab_cherkasova_similar.h"

enum { SCHEMES = LAB_SIMILAR_SCHEMES, EVERY = (1 << SCHEMES) - 1, THRESHOLDS = 6 };

static const double thresholds[THRESHOLDS] = {0.4, 0.5, 0.6, 0.7, 0.8, 0.9};

static const char figure_caption[] = "Pairs by similarity, window 20";

static const struct lab_column figure_columns[] = {
    {"similarity above", "%", 0, false}, {"Mod_100", "pairs", 0, false}, {"Min_100", "pairs", 0, false},
    {"Sketch_100", "pairs", 0, false},   {"BSW_100", "pairs", 0, false}, {"exact", "pairs", 0, false},
};

static const struct lab_column result_columns[] = {
    {"scheme", "", LAB_WORDS, false},
    {"reported", "pairs", 0, false},
    {"correct", "pairs", 0, false},
    {"false", "pairs", 0, false},
    {"planted and reported", "pairs", 0, false},
    {"paper: reported", "pairs", 0, true},
    {"paper: correct", "pairs", 0, true},
    {"values in a sketch", "", 1, false},
    {"times fewer than 100", "", 1, false},
    {"paper: times fewer", "", 1, true},
};

/* Table 2, and from the text of section 5 the number of pairs that all schemes report and how many times
 * fewer hashes Mod_100 and BSW_100 have than 100.  The last element is of all schemes together; 0: not
 * stated. */
static const struct paper {
    double reported[SCHEMES + 1], correct[SCHEMES + 1], common, fewer;
} paper[LAB_COLLECTIONS] = {
    [LAB_COLLECTION_1] = {{61, 25, 17, 20, 65}, {48, 24, 17, 19, 51}, 12, 7},
    [LAB_COLLECTION_2] = {{75, 65, 49, 55, 81}, {75, 65, 49, 55, 81}, 45, 2.5},
};

static const struct {
    const char *lengths, *figure, *result; /* names */
    const char *heading;
} texts[LAB_COLLECTIONS] = {
    {"cherkasova2009-10a", "cherkasova2009-9a", "cherkasova2009-t2a", "Collection 1"},
    {"cherkasova2009-10b", "cherkasova2009-9b", "cherkasova2009-t2b", "Collection 2"},
    {"cherkasova2009-10-data", "cherkasova2009-9-data", "cherkasova2009-t2-data", "Documents of the run"},
};

static int by_length(const void *left, const void *right)
{
    const size_t *x = left, *y = right;

    return (*x > *y) - (*x < *y);
}

/* Figure 10. */
static int add_lengths(const struct lab_collection *collection, enum lab_collection_kind kind,
                       struct lab_document *out, struct error *err)
{
    enum { POINTS = 200 };
    static const struct lab_axes axes = {"document, by length", "%", "length", "bytes", false, true};
    struct lab_plot *plot =
        lab_plot(out, texts[kind].lengths, "Lengths of the documents (the paper's figure 10)", &axes);
    const size_t series = lab_series(plot, "%s", texts[kind].heading), last = collection->count - 1;
    size_t *lengths = NULL;

    if (array_resize(&lengths, collection->count))
        return error_set(err, "out of memory");
    for (size_t i = 0; i <= last; i++)
        lengths[i] = collection->documents[i].len;
    qsort(lengths, collection->count, sizeof *lengths, by_length);
    for (size_t i = 0; i <= POINTS; i++) {
        const size_t at = last * i / POINTS;

        lab_point(plot, series, 100 * (double)i / POINTS, (double)lengths[at]);
    }
    free(lengths);
    return 0;
}

static size_t pairs_above(const struct lab_similar *similar, size_t scheme, double threshold)
{
    return scheme < SCHEMES ? lab_pairs_count_above(&similar->pairs[scheme], threshold)
                            : lab_similar_exact_above(similar, threshold);
}

static void draw_figure(const struct lab_similar *similar, enum lab_collection_kind kind,
                        struct lab_document *out)
{
    static const struct lab_axes axes = {"similarity above", "%", "pairs", "", false, true};
    struct lab_plot *plot = lab_plot(out, texts[kind].figure, figure_caption, &axes);

    for (size_t i = 0; i <= SCHEMES; i++) {
        const size_t series = lab_series(plot, "%s", figure_columns[i + 1].name);

        for (size_t row = 0; row < THRESHOLDS; row++)
            lab_point(plot, series, 100 * thresholds[row], (double)pairs_above(similar, i, thresholds[row]));
    }
}

/* Figure 9. */
static void add_figure(const struct lab_similar *similar, enum lab_collection_kind kind,
                       struct lab_document *out)
{
    struct lab_table *table = lab_table(out, texts[kind].figure, figure_caption, figure_columns, SCHEMES + 2);

    for (size_t row = 0; row < THRESHOLDS; row++) {
        lab_row(table);
        lab_number(table, 0, 100 * thresholds[row]);
        for (size_t i = 0; i <= SCHEMES; i++)
            lab_number(table, i + 1, (double)pairs_above(similar, i, thresholds[row]));
    }
    if (similar->count > 0)
        draw_figure(similar, kind, out);
}

static void add_row(struct lab_table *table, const char *name, struct lab_tally tally, double paper_reported,
                    double paper_correct)
{
    lab_row(table);
    lab_text(table, 0, "%s", name);
    lab_number(table, 1, (double)tally.reported);
    lab_number(table, 2, (double)tally.correct);
    lab_number(table, 3, (double)(tally.reported - tally.correct));
    lab_number(table, 4, (double)tally.planted);
    lab_number(table, 5, paper_reported > 0 ? paper_reported : NAN);
    lab_number(table, 6, paper_correct > 0 ? paper_correct : NAN);
}

/* Table 2. */
static void add_result(const struct lab_similar *similar, enum lab_collection_kind kind,
                       struct lab_document *out)
{
    const struct paper *theirs = &paper[kind];
    struct lab_table *table =
        lab_table(out, texts[kind].result, "Pairs with a similarity above 70 %, window 20", result_columns,
                  sizeof result_columns / sizeof *result_columns);

    for (size_t i = 0; i < SCHEMES; i++) {
        const double values = lab_pairs_values(&similar->pairs[i]);
        const bool is_variable = lab_similar_schemes[i] == SKETCH_MOD || lab_similar_schemes[i] == SKETCH_BSW;

        add_row(table, figure_columns[i + 1].name, lab_similar_count(similar, 1u << i, 1u << i),
                theirs->reported[i], theirs->correct[i]);
        lab_number(table, 7, values);
        lab_number(table, 8, LAB_SIMILAR_N / values);
        lab_number(table, 9, is_variable && theirs->fewer > 0 ? theirs->fewer : NAN);
    }
    add_row(table, "any of the four", lab_similar_count(similar, 0, EVERY), theirs->reported[SCHEMES],
            theirs->correct[SCHEMES]);
    add_row(table, "all four", lab_similar_count(similar, EVERY, EVERY), theirs->common, 0);
}

static void describe(const struct lab_collection *collection, const char *source, struct lab_document *out)
{
    double bytes = 0;

    for (size_t i = 0; i < collection->count; i++)
        bytes += (double)collection->documents[i].len;
    lab_remark(out, "%zu documents (%s), %.0f bytes on average, with %zu planted pairs of near-duplicates.",
               collection->count, source, bytes / (double)collection->count, collection->planted_count);
}

static int report(const struct lab_collection *collection, enum lab_collection_kind kind,
                  struct lab_document *out, struct error *err)
{
    struct lab_similar similar;
    int rc = lab_similar_find(&similar, collection, err);

    if (rc == 0)
        rc = add_lengths(collection, kind, out, err);
    if (rc == 0 && similar.too_many) {
        lab_remark(out,
                   "More than %d pairs are 40 %% similar under some scheme: too many to judge each of them.",
                   LAB_SIMILAR_MOST);
    } else if (rc == 0) {
        add_figure(&similar, kind, out);
        add_result(&similar, kind, out);
    }
    lab_similar_release(&similar);
    return rc;
}

static int examine(enum lab_collection_kind kind, const struct lab_run *run, struct lab_document *out,
                   struct error *err)
{
    struct lab_collection collection;
    int rc = lab_collection_init(&collection, kind, run, err);

    if (rc == 0)
        lab_heading(out, "%s", texts[kind].heading);
    if (rc == 0 && collection.count < 2) {
        lab_remark(out, "Fewer than two documents of 600 bytes to 64 KB in %s.", lab_data_source(run->data));
    } else if (rc == 0) {
        describe(&collection, kind == LAB_COLLECTION_DATA ? lab_data_source(run->data) : "generated", out);
        rc = report(&collection, kind, out, err);
    }
    lab_collection_release(&collection);
    return rc;
}

static int run(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    for (int kind = 0; kind < LAB_COLLECTIONS; kind++)
        if (examine((enum lab_collection_kind)kind, run, out, err))
            return -1;
    lab_remark(
        out, "A reported pair is correct if its edit distance is at most a fifth of the longer document; the "
             "paper judged by the output of diff. Exact: the similarity of all windows, of pairs that any "
             "scheme puts above 40 %% and of planted ones.");
    lab_remark(
        out,
        "Mod_100 has so few values of a short document that chance decides. In the paper it reports 61 pairs "
        "of collection 1, of which 13 are false, and all false pairs are short documents; the column "
        "\"false\" has those of this run. The paper's collections are not available; in these, the planted "
        "pairs are known.");
    return 0;
}

const struct lab_experiment lab_cherkasova_collections = {
    .name = "cherkasova2009-collections",
    .paper = "cherkasova2009",
    .source = "Cherkasova 2009, figures 9 and 10, table 2",
    .summary = "similar pairs in two collections of short documents: found, missed and false",
    .uses = LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK | LAB_USE_PLOTS,
    .run = run,
};
