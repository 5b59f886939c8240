/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/distance.h"
#include "compare/factors.h"
#include "lab/lab_coates_inner.h"
#include "lab/lab_random.h"
#include "sample/coates.h"

/* The expected distance of unrelated documents, by type: Coates 2011, section 5.1; Coates 2015, sections 1
 * and 4, step 5. */

enum {
    PAIRS = 200, /* of a type, at most */
    PAIRS_QUICK = 20,
    LEAST_LEN = 2000, /* of a document */
    MOST_LEN = 16000, /* that is compared */
    LEAST_PAIRS = 3,
    LEAST_SIGNATURE = 8,
    TYPES = 20,
    SCHEMES = SAMPLER_SCHEMES,
};

/* What was measured of the pairs of one type. */
struct type {
    const char *name;
    size_t documents;
    size_t *list; /* indexes of documents */
    unsigned pairs;
    double contents[PAIRS];
    struct {
        unsigned pairs;
        double signatures[PAIRS], edits[PAIRS]; /* edits: C * distance / true distance */
    } schemes[SCHEMES];
};

/* The last one is that of all pairs. */
struct types {
    struct type *list;
    size_t count;
};

static void release(struct types *types)
{
    for (size_t i = 0; i < types->count; i++)
        free(types->list[i].list);
    free(types->list);
}

static struct type *type_named(struct types *types, const char *name)
{
    for (size_t i = 0; i < types->count; i++)
        if (strcmp(types->list[i].name, name) == 0)
            return &types->list[i];
    return types->count < TYPES ? &types->list[types->count++] : NULL;
}

static int add_document(struct types *types, const char *name, size_t index, size_t most, struct error *err)
{
    struct type *type = type_named(types, name);

    if (type && !type->list)
        type->list = calloc(most, sizeof *type->list);
    if (!type || !type->list)
        return error_set(err, "out of memory for documents");
    type->name = name;
    type->list[type->documents++] = index;
    return 0;
}

static int sort_out(const struct lab_run *run, struct types *types, struct error *err)
{
    const size_t count = lab_data_count(run->data);

    types->list = calloc(TYPES, sizeof *types->list);
    if (!types->list)
        return error_set(err, "out of memory for documents");
    for (int all = 0; all < 2; all++)
        for (size_t i = 0; i < count; i++) {
            const struct lab_text_file *file = lab_data_get(run->data, i);
            const char *name = all ? FACTORS_ALL : factors_type(file->name, file->data, file->len);

            if (file->len >= LEAST_LEN && add_document(types, name, i, count, err))
                return -1;
        }
    return 0;
}

static struct sampler_params params_of(int scheme)
{
    struct sampler_params params = sampler_defaults((enum sampler_scheme)scheme);

    if (params.c == SAMPLER_AUTO)
        params.c = SAMPLER_DEFAULT_C;
    return params;
}

/* Compares the beginnings of both, cut to the same length. */
static int measure(struct type *type, struct lab_coates_text a, struct lab_coates_text b,
                   struct buffer signatures[2], struct error *err)
{
    uint64_t edits, distance;

    if (distance_exact(a.data, a.len, b.data, b.len, &edits, err))
        return -1;
    if (edits == 0) /* copies */
        return 0;
    for (int i = 0; i < SCHEMES; i++) {
        const struct sampler_params params = params_of(i);
        const size_t at = type->schemes[i].pairs;
        size_t longer;

        if (lab_coates_sign(&params, a, &signatures[0], err) ||
            lab_coates_sign(&params, b, &signatures[1], err) ||
            lab_coates_distance(&signatures[0], &signatures[1], &distance, err))
            return -1;
        longer = signatures[0].len > signatures[1].len ? signatures[0].len : signatures[1].len;
        if (longer < LEAST_SIGNATURE)
            continue;
        type->schemes[i].signatures[at] = (double)distance / (double)longer;
        type->schemes[i].edits[at] = (double)distance * params.c / (double)edits;
        type->schemes[i].pairs++;
    }
    type->contents[type->pairs++] = (double)edits / (double)a.len;
    return 0;
}

/* Pairs at random; documents of about the same length are as good as any, since both are cut. */
static int measure_type(const struct lab_run *run, struct type *type, struct error *err)
{
    const unsigned pairs = run->quick ? PAIRS_QUICK : PAIRS;
    struct buffer signatures[2] = {{0}, {0}};
    struct lab_random random;
    int result = 0;

    lab_random_seed(&random, lab_random_mix(run->seed) + type->documents);
    for (unsigned i = 0; result == 0 && i < pairs && type->documents > 1; i++) {
        const size_t x = lab_random_below(&random, type->documents);
        const size_t y = (x + 1 + lab_random_below(&random, type->documents - 1)) % type->documents;
        const struct lab_text_file *a = lab_data_get(run->data, type->list[x]);
        const struct lab_text_file *b = lab_data_get(run->data, type->list[y]);
        size_t len = a->len < b->len ? a->len : b->len;

        len = len < MOST_LEN ? len : MOST_LEN;
        result = measure(type, (struct lab_coates_text){a->data, len}, (struct lab_coates_text){b->data, len},
                         signatures, err);
    }
    buffer_release(&signatures[0]);
    buffer_release(&signatures[1]);
    return result;
}

/* ---- tables ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* A quantile: 0.5 is the median.  Sorts the values. */
static double quantile(double *values, unsigned count, double share)
{
    qsort(values, count, sizeof *values, by_value);
    return values[(unsigned)(share * (count - 1) + 0.5)];
}

static void add_contents(struct type *type, struct lab_table *table)
{
    const bool is_text = strcmp(type->name, "text") == 0;

    lab_row(table);
    lab_text(table, 0, "%s", type->name);
    lab_number(table, 1, (double)type->documents);
    lab_number(table, 2, type->pairs);
    if (type->pairs >= LEAST_PAIRS)
        for (size_t i = 0; i < 3; i++)
            lab_number(table, 3 + i, quantile(type->contents, type->pairs, 0.25 * (double)(i + 1)));
    if (is_text) {
        lab_number(table, 6, 14666.0 / 20000);
        lab_number(table, 7, 12430.0 / 13508);
    }
}

static void add_signatures(struct type *type, int scheme, struct lab_table *table, struct factors *factors)
{
    const struct sampler_params params = params_of(scheme);
    const unsigned pairs = type->schemes[scheme].pairs;
    double *signatures = type->schemes[scheme].signatures, contents, edits;

    if (pairs < LEAST_PAIRS || type->pairs < LEAST_PAIRS)
        return;
    contents = quantile(type->contents, type->pairs, 0.5);
    edits = quantile(type->schemes[scheme].edits, pairs, 0.5);
    lab_row(table);
    lab_text(table, 0, "%s C=%u n=%u", sampler_scheme_name(params.scheme), params.c, params.n);
    lab_text(table, 1, "%s", type->name);
    lab_number(table, 2, pairs);
    for (size_t i = 0; i < 3; i++)
        lab_number(table, 3 + i, quantile(signatures, pairs, 0.25 * (double)(i + 1)));
    lab_number(table, 6, edits * COATES_FACTOR);
    lab_number(table, 7, edits * contents);
    if (scheme != SAMPLER_GF8 && factors->count < FACTORS_MOST) { /* gf8 is not of the papers */
        struct factors_entry *entry = &factors->entries[factors->count++];

        *entry = (struct factors_entry){params, "", pairs, contents, quantile(signatures, pairs, 0.5)};
        snprintf(entry->type, sizeof entry->type, "%s", type->name);
    }
}

static const struct lab_column content_columns[] = {
    {"type", "", LAB_WORDS, false},
    {"documents", "", 0, false},
    {"pairs", "", 0, false},
    {"distance / length", "first quartile", 4, false},
    {"distance / length", "median", 4, false},
    {"distance / length", "third quartile", 4, false},
    {"2015", "14,666 / 20,000", 4, true},
    {"2011", "12,430 / 13,508", 4, true},
};

static const struct lab_column signature_columns[] = {
    {"scheme", "", LAB_WORDS, false},
    {"type", "", LAB_WORDS, false},
    {"pairs", "", 0, false},
    {"distance / length", "first quartile", 4, false},
    {"distance / length", "median", 4, false},
    {"distance / length", "third quartile", 4, false},
    {"estimate / true", "factor 0.82", 3, false},
    {"estimate / true", "factor as measured", 3, false},
};

static void add_tables(struct types *types, struct lab_document *out, struct factors *factors)
{
    struct lab_table *table = lab_table(out, "coates-unrelated-contents",
                                        "Levenshtein distance of unrelated contents of equal length",
                                        content_columns, sizeof content_columns / sizeof *content_columns);

    for (size_t i = 0; i < types->count; i++)
        add_contents(&types->list[i], table);
    table = lab_table(out, "coates-unrelated-signatures", "Levenshtein distance of their signatures",
                      signature_columns, sizeof signature_columns / sizeof *signature_columns);
    for (int scheme = 0; scheme < SCHEMES; scheme++)
        for (size_t i = 0; i < types->count; i++)
            add_signatures(&types->list[i], scheme, table, factors);
}

static int run_unrelated(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    struct types types = {.list = NULL};
    struct factors factors = {.count = 0};
    int result = sort_out(run, &types, err);

    for (size_t i = 0; result == 0 && i < types.count; i++)
        result = measure_type(run, &types.list[i], err);
    if (result == 0)
        add_tables(&types, out, &factors);
    if (result == 0 && factors.count == 0)
        result =
            error_set(err, "coates-unrelated: fewer than %d pairs of different documents of %d bytes or more",
                      LEAST_PAIRS, LEAST_LEN);
    lab_remark(
        out,
        "Ours: up to %d pairs of each type among %s, at random, of at least %d bytes, both cut to the "
        "shorter "
        "length and to %d bytes. The median is used because some pairs of a folder may be related. Types "
        "are recognised by content, and text is divided by the names of files.",
        run->quick ? PAIRS_QUICK : PAIRS, lab_data_source(run->data), LEAST_LEN, MOST_LEN);
    lab_remark(
        out,
        "The papers leave these values to be determined empirically, by document type. They give two for "
        "English text that contradict each other. The ratio of contents is the fudge factor of the estimate "
        "of "
        "2015; that of signatures gives the expected distance in the significance. Signatures of 2011 have "
        "two characters only, which bounds the distance of unrelated ones.");
    lab_remark(
        out,
        "Where content repeats, the schemes of the papers can do badly: with k = 0 every window of a run of "
        "zeros is selected, so that a few runs can make up most of the signature of a program or another "
        "binary "
        "file. Scheme gf8 drops such windows.");
    if (run->factors && result == 0)
        factors_format(&factors, run->factors);
    release(&types);
    return result;
}

const struct lab_experiment lab_coates_unrelated = {
    "coates-unrelated",
    "coates2015",
    "Coates 2015, sections 1, 4 (step 5) and 6.1; Coates 2011, section 5.1",
    "the expected distance of unrelated documents of each type (--store keeps it)",
    LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK,
    run_unrelated};
