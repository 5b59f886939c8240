/* SPDX-License-Identifier: Apache-2.0 */
/* Table 1 (section 2): which scheme gives what, from what the schemes do. */
#include "base/buffer.h"
#include "lab/lab_cherkasova.h"
#include "lab/lab_text.h"

enum { WHOLE = 200000, PART = WHOLE / 4, WINDOW = 20 };

static const struct lab_column columns[] = {
    {"scheme", "", LAB_WORDS, false},
    {"values of 50 KB", "", 0, false},
    {"values of 200 KB", "", 0, false},
    {"size", "", LAB_WORDS, false},
    {"paper: size", "", LAB_WORDS, true},
    {"similarity", "%", 1, false},
    {"paper: similarity", "", LAB_WORDS, true},
    {"containment", "%", 1, false},
    {"paper: containment", "", LAB_WORDS, true},
};

static const struct row {
    const char *name;
    enum sketch_scheme scheme;
    uint32_t n;                             /* 0: the default */
    const char *size, *similar, *contained; /* in the paper; NULL: not in it */
} rows[] = {
    {"Mod_100", SKETCH_MOD, 100, "variable", "yes", "yes"},
    {"Min_100", SKETCH_MIN, 100, "fixed", "yes", "no"},
    {"Sketch_100", SKETCH_MINWISE, 100, "fixed", "yes", "no"},
    {"BSW_100", SKETCH_BSW, 100, "variable", "yes", "yes"},
    {"chunk hashes, 100", SKETCH_CHUNKS, 100, NULL, NULL, NULL},
    {"all windows", SKETCH_SHINGLES, 0, NULL, NULL, NULL},
};

static void fill(const struct row *row, const struct sketch *part, const struct sketch *whole,
                 const struct sketch_likeness *likeness, struct lab_table *table)
{
    lab_row(table);
    lab_text(table, 0, "%s", row->name);
    lab_number(table, 1, (double)part->count);
    lab_number(table, 2, (double)whole->count);
    lab_text(table, 3, part->count == whole->count ? "fixed" : "variable");
    if (likeness->has_resemblance)
        lab_cherkasova_percent(table, 5, likeness->resemblance);
    if (likeness->has_containment)
        lab_cherkasova_percent(table, 7, likeness->a_in_b);
    if (row->size) {
        lab_text(table, 4, "%s", row->size);
        lab_text(table, 6, "%s", row->similar);
        lab_text(table, 8, "%s", row->contained);
    }
}

static int add(const struct row *row, const struct buffer *text, struct lab_table *table, struct error *err)
{
    const struct sketch_params params = lab_cherkasova_params(row->scheme, WINDOW, row->n);
    struct sketcher *sketcher = sketch_new(&params, err);
    struct sketch part = {0}, whole = {0};
    struct sketch_likeness likeness;
    int rc = -1;

    if (sketcher && !sketch_bytes(sketcher, text->data, PART, false, &part, err) &&
        !sketch_bytes(sketcher, text->data, WHOLE, false, &whole, err) &&
        !sketch_compare(sketcher, &part, &whole, &likeness, err)) {
        fill(row, &part, &whole, &likeness, table);
        rc = 0;
    }
    sketch_release(&part);
    sketch_release(&whole);
    sketch_free(sketcher);
    return rc;
}

static int run(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    struct lab_table *table =
        lab_table(out, "cherkasova2009-t1", "A text of 200 KB and its first quarter, window 20", columns,
                  sizeof columns / sizeof *columns);
    struct buffer text = {0};
    struct lab_random random;
    int rc = 0;

    lab_random_seed(&random, run->seed);
    lab_text_generate(&random, WHOLE, &text);
    if (text.failed)
        rc = error_set(err, "out of memory");
    for (size_t i = 0; i < sizeof rows / sizeof *rows && rc == 0; i++)
        rc = add(&rows[i], &text, table, err);
    lab_remark(
        out,
        "The true similarity is about 25 %%, the true containment of the quarter 100 %%. A scheme without "
        "containment leaves the cell empty: the smallest fingerprints of a part need not be among the "
        "smallest of the whole (section 2).");
    buffer_release(&text);
    return rc;
}

const struct lab_experiment lab_cherkasova_properties = {
    .name = "cherkasova2009-properties",
    .paper = "cherkasova2009",
    .source = "Cherkasova 2009, table 1",
    .summary = "size of a sketch, similarity and containment, by scheme",
    .uses = LAB_USE_SEED,
    .run = run,
};
