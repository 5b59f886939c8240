/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "lab/lab_coates_inner.h"
#include "lab/lab_random.h"
#include "sample/record.h"

/* What an edit, or the ends of a text, can change in a signature: Coates 2011, sections 3.1 and 3.1.1; Coates
 * 2015, sections 3 and 4.1. */

enum { TEXT_LEN = 13508, TRIALS = 2000, TRIALS_QUICK = 200, SCHEMES = 6 };

static int sample_text(struct sampler *sampler, struct lab_coates_text text, struct record *out,
                       struct error *err)
{
    struct sampler_result result;

    sampler_begin(sampler, text.len);
    if (sampler_update(sampler, text.data, text.len, err))
        return -1;
    result = sampler_final(sampler);
    return record_set_samples(out, result.samples, result.count, err);
}

/* The parameters of both papers' tables. */
static void choose_schemes(struct lab_coates_text text, struct sampler_params out[SCHEMES])
{
    static const uint32_t cs[SCHEMES] = {50, 100, 200, 101, 200, 307};

    for (int i = 0; i < SCHEMES; i++)
        out[i] = i < 3 ? lab_coates_2011_params(text, cs[i], lab_coates_2011_bits(cs[i]))
                       : (struct sampler_params){SAMPLER_COATES2015, 9, cs[i], 0};
}

static void put_scheme(struct lab_table *table, const struct sampler_params *params)
{
    lab_text(table, 0, "%s C=%u n=%u k=%u", sampler_scheme_name(params->scheme), params->c, params->n,
             params->k);
}

/* ---- one edit ---- */

enum edit { SUBSTITUTE, INSERT, REMOVE, EDITS };

static const char *const edit_names[EDITS] = {"one substituted", "one inserted", "one removed"};

/* Replaces `out` by the text with a character at `at` substituted by another one of the text, preceded by
 * one, or removed. */
static void edit_text(struct lab_random *random, struct lab_coates_text text, enum edit edit, size_t at,
                      struct buffer *out)
{
    char other;

    do
        other = (char)text.data[lab_random_below(random, text.len)];
    while (edit == SUBSTITUTE && (uint8_t)other == text.data[at] && lab_random_below(random, 1000) > 0);
    buffer_reset(out);
    buffer_add(out, text.data, at);
    if (edit != REMOVE)
        buffer_add_char(out, other);
    at += edit != INSERT;
    buffer_add(out, text.data + at, text.len - at);
}

/* What edits of one kind did. */
struct effects {
    unsigned trials, unchanged;
    uint64_t symbols, most; /* that differ, of windows with the edit, of both texts */
    uint64_t beyond;        /* and of windows without it */
};

/* Where the samples of windows with the edit begin and end in a list.  The edit is at `at` and has `len`
 * characters there. */
static void find_edit(const struct record *list, size_t at, size_t len, uint32_t n, size_t out[2])
{
    out[0] = out[1] = 0;
    while (out[0] < list->count && list->samples[out[0]].pos + n <= at)
        out[0]++;
    out[1] = out[0];
    while (out[1] < list->count && list->samples[out[1]].pos < at + len)
        out[1]++;
}

/* How many samples differ in two ranges; `moved` is by how much the positions of b are greater. */
static uint64_t count_different(const struct sample *a, size_t a_count, const struct sample *b,
                                size_t b_count, int64_t moved)
{
    const size_t least = a_count < b_count ? a_count : b_count;
    uint64_t different = a_count + b_count - 2 * least;

    for (size_t i = 0; i < least; i++)
        different += a[i].fp != b[i].fp || (int64_t)a[i].pos + moved != (int64_t)b[i].pos;
    return different;
}

/* Those of two ranges that remain without what they have in common at both ends, wherever it lies. */
static uint64_t count_symbols(const struct sample *a, size_t a_count, const struct sample *b, size_t b_count)
{
    while (a_count && b_count && a->fp == b->fp) {
        a++, b++;
        a_count--, b_count--;
    }
    while (a_count && b_count && a[a_count - 1].fp == b[b_count - 1].fp)
        a_count--, b_count--;
    return a_count + b_count;
}

static void compare_lists(const struct record *before, const struct record *after, size_t at, enum edit edit,
                          uint32_t n, struct effects *effects)
{
    const int64_t moved = edit == SUBSTITUTE ? 0 : edit == INSERT ? 1 : -1;
    size_t old[2], new[2];
    uint64_t symbols;

    find_edit(before, at, edit != INSERT, n, old);
    find_edit(after, at, edit != REMOVE, n, new);
    effects->beyond += count_different(before->samples, old[0], after->samples, new[0], 0) +
                       count_different(before->samples + old[1], before->count - old[1],
                                       after->samples + new[1], after->count - new[1], moved);
    symbols =
        count_symbols(before->samples + old[0], old[1] - old[0], after->samples + new[0], new[1] - new[0]);
    effects->trials++;
    effects->unchanged += symbols == 0;
    effects->symbols += symbols;
    effects->most = symbols > effects->most ? symbols : effects->most;
}

static const struct lab_column edit_columns[] = {
    {"scheme", "", LAB_WORDS, false},
    {"edit", "", LAB_WORDS, false},
    {"trials", "", 0, false},
    {"unchanged", "% of signatures", 1, false},
    {"unchanged", "%, if 1 window in C is selected", 1, false},
    {"changed", "symbols, mean", 3, false},
    {"changed", "symbols, most", 0, false},
    {"windows with the edit", "of both texts", 0, false},
    {"changed without the edit", "symbols, all", 0, false},
    {"characters of these windows", "", 0, false},
    {"characters affected", "\"as much as 2n\"", 0, true},
};

static void add_edits(const struct sampler_params *params, enum edit edit, const struct effects *effects,
                      struct lab_table *table)
{
    const uint32_t n = params->n, windows = edit == SUBSTITUTE ? 2 * n : 2 * n - 1;

    lab_row_numbers(table,
                    (const double[]){NAN, NAN, effects->trials, 100.0 * effects->unchanged / effects->trials,
                                     100 * pow(1 - 1.0 / params->c, windows),
                                     (double)effects->symbols / effects->trials, (double)effects->most,
                                     windows, (double)effects->beyond, edit == INSERT ? 2 * n - 2 : 2 * n - 1,
                                     params->scheme == SAMPLER_COATES2015 ? 2.0 * n : (double)NAN},
                    11);
    put_scheme(table, params);
    lab_text(table, 1, "%s", edit_names[edit]);
}

/* The edits are the same for all schemes.  Places at the very ends, with fewer windows, are left out. */
static int measure_edits(const struct lab_run *run, struct lab_coates_text text,
                         const struct sampler_params *params, enum edit edit, struct effects *effects,
                         struct error *err)
{
    const unsigned trials = run->quick ? TRIALS_QUICK : TRIALS;
    struct sampler *sampler = sampler_new(params, err);
    struct record before = {.count = 0}, after = {.count = 0};
    const size_t margin = 2 * params->n;
    struct buffer edited = {0};
    struct lab_random random;
    int result = sampler ? sample_text(sampler, text, &before, err) : -1;

    lab_random_seed(&random, lab_random_mix(run->seed) + (uint64_t)edit);
    for (unsigned i = 0; result == 0 && i < trials; i++) {
        const size_t at = margin + lab_random_below(&random, text.len - 2 * margin);

        edit_text(&random, text, edit, at, &edited);
        result = edited.failed ? error_set(err, "out of memory for an edited text")
                               : sample_text(sampler, lab_coates_of(&edited), &after, err);
        if (result == 0)
            compare_lists(&before, &after, at, edit, params->n, effects);
    }
    buffer_release(&edited);
    record_release(&before);
    record_release(&after);
    sampler_free(sampler);
    return result;
}

static int add_edit_table(const struct lab_run *run, struct lab_coates_text text,
                          const struct sampler_params schemes[SCHEMES], struct lab_document *out,
                          struct error *err)
{
    struct lab_table *table = lab_table(out, "coates2011-3.1-edits", "What one edit changes in a signature",
                                        edit_columns, sizeof edit_columns / sizeof *edit_columns);
    unsigned rows = 0, mostly = 0, within = 0;

    for (int i = 0; i < SCHEMES; i++)
        for (enum edit edit = SUBSTITUTE; edit < EDITS; edit++) {
            struct effects effects = {0};

            if (measure_edits(run, text, &schemes[i], edit, &effects, err))
                return -1;
            add_edits(&schemes[i], edit, &effects, table);
            rows++;
            mostly += effects.unchanged > effects.trials / 2;
            within += effects.beyond == 0;
        }
    lab_remark(
        out,
        "\"Most small differences between two inputs do not result in any difference in the corresponding "
        "signatures\": in %u of %u rows most signatures are unchanged. Property 2, that a symbol depends "
        "on no character more than a fixed number away, holds in %u of %u: the character changed is one "
        "of the n of the window. So an edit can change the windows that hold it, which span at most 2n - 1 "
        "characters, the \"as much as 2n\" of 2015. Characters and places are drawn from the text.",
        mostly, rows, within, rows);
    return 0;
}

/* ---- the ends ---- */

static const struct lab_column end_columns[] = {
    {"scheme", "", LAB_WORDS, false},
    {"trials", "", 0, false},
    {"the same symbols", "% of embedded parts", 1, false},
    {"lost at the start", "symbols, most", 0, false},
    {"other differences", "symbols, most", 0, false},
    {"of neighbours' windows", "symbols, most", 0, false},
    {"of neighbours' windows", "possible", 0, false},
};

/* What the parts of a text have in their own signatures, and within the text's. */
struct ends {
    unsigned trials, same;
    size_t lost, other, across;
};

static void compare_part(const struct record *whole, const struct record *part, size_t from, size_t len,
                         uint32_t n, struct ends *ends)
{
    size_t first = 0, inside, lost, other = 0, across = 0;

    while (first < whole->count && whole->samples[first].pos < from)
        first++;
    for (inside = 0; first + inside < whole->count && whole->samples[first + inside].pos + n <= from + len;)
        inside++;
    for (size_t i = 0; i < whole->count; i++) {
        const uint64_t pos = whole->samples[i].pos;

        across += (pos < from && pos + n > from) || (pos < from + len && pos + n > from + len);
    }
    lost = inside > part->count ? inside - part->count : 0;
    for (size_t i = 0; i < part->count; i++)
        other += lost + i >= inside || part->samples[i].fp != whole->samples[first + lost + i].fp;
    ends->trials++;
    ends->same += lost == 0 && other == 0;
    ends->lost = lost > ends->lost ? lost : ends->lost;
    ends->other = other > ends->other ? other : ends->other;
    ends->across = across > ends->across ? across : ends->across;
}

static int measure_ends(const struct lab_run *run, struct lab_coates_text text,
                        const struct sampler_params *params, struct ends *ends, struct error *err)
{
    const unsigned trials = run->quick ? TRIALS_QUICK : TRIALS;
    struct sampler *sampler = sampler_new(params, err);
    struct record whole = {.count = 0}, part = {.count = 0};
    struct lab_random random;
    int result = sampler ? sample_text(sampler, text, &whole, err) : -1;

    lab_random_seed(&random, lab_random_mix(run->seed) + 3);
    for (unsigned i = 0; result == 0 && i < trials; i++) {
        const size_t len = text.len / 4, from = lab_random_below(&random, text.len - len);

        result = sample_text(sampler, (struct lab_coates_text){text.data + from, len}, &part, err);
        if (result == 0)
            compare_part(&whole, &part, from, len, params->n, ends);
    }
    record_release(&whole);
    record_release(&part);
    sampler_free(sampler);
    return result;
}

static int add_end_table(const struct lab_run *run, struct lab_coates_text text,
                         const struct sampler_params schemes[SCHEMES], struct lab_document *out,
                         struct error *err)
{
    struct lab_table *table =
        lab_table(out, "coates2011-3.1-ends", "A quarter of the text by itself, and within the text",
                  end_columns, sizeof end_columns / sizeof *end_columns);

    for (int i = 0; i < SCHEMES; i++) {
        struct ends ends = {0};

        if (measure_ends(run, text, &schemes[i], &ends, err))
            return -1;
        lab_row_numbers(table,
                        (const double[]){NAN, ends.trials, 100.0 * ends.same / ends.trials, (double)ends.lost,
                                         (double)ends.other, (double)ends.across, 2 * (schemes[i].n - 1)},
                        7);
        put_scheme(table, &schemes[i]);
    }
    lab_remark(
        out, "Property 3: the same symbols \"except for at most a few\" at either end. By the steps of 2011 "
             "the first window of a text is not tested, so that its symbol can be lost; those of 2015 test "
             "it. Embedded, a text also gets the symbols of the windows that it shares with its "
             "neighbours, n - 1 at each end.");
    return 0;
}

/* ---- sums ---- */

static const struct lab_column sum_columns[] = {
    {"C", "", 0, false},
    {"n", "", 0, false},
    {"k", "", 0, false},
    {"sigma n / C", "sums", 2, true},
    {"sums = k mod C", "of n bytes", 0, false},
    {"of these, in the text", "", 0, false},
    {"symbols", "", 0, false},
    {"symbols of the commonest sum", "%", 1, false},
};

enum { SIGMA = 256, MOST_SUMS = 64 * 255 + 1 };

static int add_sums(struct lab_coates_text text, const struct sampler_params *params, struct lab_table *table,
                    struct error *err)
{
    struct sampler *sampler = sampler_new(params, err);
    struct record list = {.count = 0};
    size_t *counts = calloc(MOST_SUMS, sizeof *counts), different = 0, most = 0;
    int result = counts ? 0 : error_set(err, "out of memory for sums");

    if (result == 0)
        result = sampler ? sample_text(sampler, text, &list, err) : -1;
    for (size_t i = 0; result == 0 && i < list.count; i++) {
        size_t *count = &counts[list.samples[i].fp % MOST_SUMS];

        different += ++*count == 1;
        most = *count > most ? *count : most;
    }
    lab_row_numbers(table,
                    (const double[]){params->c, params->n, params->k, (double)SIGMA * params->n / params->c,
                                     floor(((SIGMA - 1.0) * params->n - params->k) / params->c) + 1,
                                     (double)different, (double)list.count,
                                     100.0 * (double)most / (double)list.count},
                    8);
    free(counts);
    record_release(&list);
    sampler_free(sampler);
    return result;
}

static int add_sum_table(struct lab_coates_text text, const struct sampler_params schemes[SCHEMES],
                         struct lab_document *out, struct error *err)
{
    struct lab_table *table = lab_table(out, "coates2011-3.1.1-sums", "The sums that give a symbol (2011)",
                                        sum_columns, sizeof sum_columns / sizeof *sum_columns);

    for (int i = 0; i < 3; i++)
        if (add_sums(text, &schemes[i], table, err))
            return -1;
    lab_remark(out,
               "Section 3.1.1: \"only sigma n / c distinct sums will result in output\", for an alphabet of "
               "sigma characters, here all 256 bytes. The text has those of the next column only, and "
               "permuted characters have the same sum, so that symbols of a signature often stand for the "
               "same sum, as the last column shows.");
    return 0;
}

static int run_locality(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    struct sampler_params schemes[SCHEMES];
    struct lab_coates_text text, other;
    struct buffer room = {0};
    int result;

    lab_coates_texts(run, TEXT_LEN, 1, &text, &other, &room);
    buffer_release(&room);
    if (text.len < 1000)
        return error_set(err, "coates2011-locality: no document has 1000 bytes");
    choose_schemes(text, schemes);
    result = add_edit_table(run, text, schemes, out, err);
    if (result == 0)
        result = add_end_table(run, text, schemes, out, err);
    if (result == 0)
        result = add_sum_table(text, schemes, out, err);
    lab_remark(out, "Ours: the first %zu bytes of one of %s; k of 2011 as in coates2011-speed.", text.len,
               lab_data_source(run->data));
    return result;
}

const struct lab_experiment lab_coates_locality = {
    "coates2011-locality",
    "coates2011",
    "Coates 2011, sections 3.1, 3.1.1 and 5.2; 2015, 3 and 4.1",
    "what an edit and the ends change in a signature",
    LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK,
    run_locality};
