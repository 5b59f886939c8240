/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "lab/lab_coates_inner.h"
#include "lab/lab_edits.h"
#include "lab/lab_random.h"
#include "lab/lab_text.h"

/* Coates 2015, abstract (2): "The locations of differences in the signatures correspond roughly to the
 * locations of the corresponding differences in the underlying documents". */

enum { TEXT_LEN = 24767, MOST_EDITS = 8, REPLACED = 300, TRIALS = 50, TRIALS_QUICK = 5 };

/* Sets changed[i] for each symbol of a that a shortest sequence of edits to b does not keep. */
static int align(const struct buffer *a, const struct buffer *b, bool *changed, struct error *err)
{
    const size_t width = b->len + 1;
    uint32_t *d = NULL;
    size_t i = a->len, k = b->len;

    if (array_resize(&d, (a->len + 1) * width))
        return error_set(err, "out of memory for signatures");
    for (size_t y = 0; y <= a->len; y++)
        for (size_t x = 0; x < width; x++) {
            uint32_t *cell = &d[y * width + x];

            if (y == 0 || x == 0) {
                *cell = (uint32_t)(x + y);
                continue;
            }
            *cell = (cell[-1] < cell[-(ptrdiff_t)width] ? cell[-1] : cell[-(ptrdiff_t)width]) + 1;
            if (cell[-(ptrdiff_t)width - 1] + (a->data[y - 1] != b->data[x - 1]) < *cell)
                *cell = cell[-(ptrdiff_t)width - 1] + (a->data[y - 1] != b->data[x - 1]);
        }
    while (i > 0) {
        const uint32_t *cell = &d[i * width + k];
        const bool differ = k > 0 && a->data[i - 1] != b->data[k - 1];

        if (k > 0 && *cell == cell[-(ptrdiff_t)width - 1] + differ) {
            changed[--i] = differ;
            k--;
        } else if (*cell == cell[-(ptrdiff_t)width] + 1) {
            changed[--i] = true;
        } else {
            k--;
        }
    }
    free(d);
    return 0;
}

/* Edits of one text: their places, in its bytes. */
struct edits {
    size_t places[MOST_EDITS], count;
};

/* Replaces `out` by the text with `count` blocks of it replaced by generated text, at random places that are
 * spread over equal parts. */
static void replace_blocks(struct lab_random *random, struct lab_coates_text text, struct edits *edits,
                           struct buffer *out)
{
    const size_t part = text.len / edits->count;
    struct buffer block = {0};
    size_t done = 0;

    buffer_reset(out);
    for (size_t i = 0; i < edits->count; i++) {
        const size_t at = i * part + lab_random_below(random, part - REPLACED);

        edits->places[i] = at + REPLACED / 2;
        buffer_add(out, text.data + done, at - done);
        buffer_reset(&block);
        lab_text_generate(random, REPLACED, &block);
        buffer_add(out, block.data, block.len);
        buffer_inherit(out, &block);
        done = at + REPLACED;
    }
    buffer_add(out, text.data + done, text.len - done);
    buffer_release(&block);
}

/* How far a place is from the nearest edit. */
static double nearest(const struct edits *edits, double place)
{
    double least = INFINITY;

    for (size_t i = 0; i < edits->count; i++)
        least = fmin(least, fabs(place - (double)edits->places[i]));
    return least;
}

struct tally {
    double symbols, off, most, chance, found, edits;
};

/* A symbol stands for its share of the text, since a signature has no positions. */
static void count_places(const struct edits *edits, const bool *changed, size_t symbols, size_t len,
                         struct lab_random *random, struct tally *tally)
{
    bool is_found[MOST_EDITS] = {false};

    for (size_t i = 0; i < symbols; i++) {
        const double place = ((double)i + 0.5) / (double)symbols * (double)len;
        const double off = nearest(edits, place);

        if (!changed[i])
            continue;
        tally->symbols++;
        tally->off += off;
        tally->most = fmax(tally->most, off);
        tally->chance += nearest(edits, (double)lab_random_below(random, len));
        for (size_t k = 0; k < edits->count; k++)
            is_found[k] |= fabs(place - (double)edits->places[k]) <= (double)len / 20;
    }
    for (size_t k = 0; k < edits->count; k++)
        tally->found += is_found[k];
    tally->edits += (double)edits->count;
}

static const struct lab_column columns[] = {
    {"C", "", 0, false},
    {"blocks replaced", "", 0, false},
    {"signature", "symbols", 0, false},
    {"symbols changed", "mean", 1, false},
    {"off the nearest edit", "% of the length, mean", 2, false},
    {"off the nearest edit", "% of the length, most", 2, false},
    {"off the nearest edit", "%, random places", 2, false},
    {"edits with a change within 5 %", "%", 1, false},
};

/* Returns whether the places correspond better than random ones, or -1. */
static int add_places(const struct lab_run *run, struct lab_coates_text text, uint32_t c, size_t count,
                      struct lab_table *table, struct error *err)
{
    const struct sampler_params params = {SAMPLER_COATES2015, 9, c, 0};
    const unsigned trials = run->quick ? TRIALS_QUICK : TRIALS;
    struct edits edits = {.count = count};
    struct buffer edited = {0}, a = {0}, b = {0};
    struct tally tally = {0};
    struct lab_random random;
    const double len = (double)text.len;
    bool *changed = NULL;
    int result = lab_coates_sign(&params, text, &a, err);

    lab_random_seed(&random, lab_random_mix(run->seed) + count);
    if (result == 0 && array_resize(&changed, a.len + 1))
        result = error_set(err, "out of memory for a signature");
    for (unsigned i = 0; result == 0 && i < trials; i++) {
        replace_blocks(&random, text, &edits, &edited);
        result = edited.failed || lab_coates_sign(&params, lab_coates_of(&edited), &b, err) ||
                         align(&a, &b, changed, err)
                     ? -1
                     : 0;
        if (result == 0)
            count_places(&edits, changed, a.len, text.len, &random, &tally);
    }
    if (edited.failed)
        error_set(err, "out of memory for an edited text");
    lab_row_numbers(table,
                    (const double[]){c, (double)count, (double)a.len, tally.symbols / trials,
                                     100 * tally.off / tally.symbols / len, 100 * tally.most / len,
                                     100 * tally.chance / tally.symbols / len,
                                     100 * tally.found / tally.edits},
                    8);
    free(changed);
    buffer_release(&edited);
    buffer_release(&a);
    buffer_release(&b);
    return result ? -1 : tally.off < tally.chance;
}

static int run_places(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const uint32_t cs[] = {101, 200, 307};
    static const size_t counts[] = {1, 4, MOST_EDITS};
    struct lab_table *table =
        lab_table(out, "coates2015-places", "Differences of the signatures, and of the texts (n = 9)",
                  columns, sizeof columns / sizeof *columns);
    struct lab_coates_text text, other;
    struct buffer room = {0};
    int better = 0, rows = 0;

    lab_coates_texts(run, TEXT_LEN, 1, &text, &other, &room);
    buffer_release(&room);
    if (text.len < 2 * MOST_EDITS * REPLACED)
        return error_set(err, "coates2015-places: no document has %d bytes", 2 * MOST_EDITS * REPLACED);
    for (size_t i = 0; i < 9; i++, rows++) {
        const int is_better = add_places(run, text, cs[i / 3], counts[i % 3], table, err);

        if (is_better < 0)
            return -1;
        better += is_better;
    }
    lab_remark(
        out,
        "The paper claims that the places of differences \"correspond roughly\", without figures. Ours: the "
        "first %zu bytes of one of %s, in which blocks of %d bytes are replaced, %d times each. A symbol "
        "of the signature that the alignment changes stands for its share of the text, and is compared "
        "with the middle of the nearest block. They are nearer than random places in %d of %d rows.",
        text.len, lab_data_source(run->data), REPLACED, run->quick ? TRIALS_QUICK : TRIALS, better, rows);
    return 0;
}

const struct lab_experiment lab_coates_places = {"coates2015-places",
                                                 "coates2015",
                                                 "Coates 2015, abstract (2)",
                                                 "where signatures differ, and where the texts do",
                                                 LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK,
                                                 run_places};
