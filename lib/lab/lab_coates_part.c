/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/compare.h"
#include "compare/distance.h"
#include "lab/lab_coates_inner.h"
#include "lab/lab_random.h"
#include "sample/coates.h"

/* Texts in other texts: the third test of Coates 2011, section 4.2, and the blocks of its footnote 7. */

static void add_bytes(struct buffer *out, struct lab_coates_text text)
{
    buffer_add(out, text.data, text.len);
}

/* The distance beyond what the lengths alone require, as a share of the shorter signature: 0 if one is
 * contained in the other. */
static double score(const struct buffer *a, const struct buffer *b, uint64_t distance)
{
    const size_t less = a->len < b->len ? a->len : b->len, more = a->len + b->len - less;

    return less ? (double)(distance - (more - less)) / (double)less : 1;
}

/* ---- section 4.2, third test ---- */

enum { TEXT_LEN = 13508, SCHEMES = 4 }; /* three of 2011, one of 2015 */

/* The original, the original between two unrelated texts of its length, and three unrelated texts. */
struct cases {
    struct lab_coates_text text;
    struct buffer room, embedding, unrelated;
};

static void make_cases(const struct lab_run *run, struct cases *cases)
{
    struct lab_coates_text other;

    lab_coates_texts(run, TEXT_LEN, 3 * TEXT_LEN, &cases->text, &other, &cases->room);
    if (cases->room.failed)
        return;
    add_bytes(&cases->embedding, (struct lab_coates_text){other.data, cases->text.len});
    add_bytes(&cases->embedding, cases->text);
    add_bytes(&cases->embedding, (struct lab_coates_text){other.data + cases->text.len, cases->text.len});
    add_bytes(&cases->unrelated, (struct lab_coates_text){other.data, 3 * cases->text.len});
}

static const struct lab_column embedded_columns[] = {
    {"scheme", "", LAB_WORDS, false}, {"compared with", "", LAB_WORDS, false}, {"true LD", "", 0, false},
    {"estimate", "", 0, false},       {"difference of lengths", "", 0, false}, {"LD / max", "", 4, false},
    {"estimate / max", "", 4, false}, {"significance", "", 4, false},          {"score", "", 4, false},
};

struct signatures {
    struct buffer text, other, unrelated;
};

/* For the remarks: by scheme, of the embedded text and of unrelated ones. */
struct scores {
    double ratio[2], significance[2], score[2];
};

/* max: of the unrelated texts, as in the paper. */
static int add_embedded(const struct cases *cases, const struct sampler_params *params, bool is_unrelated,
                        struct lab_table *table, struct signatures *s, struct scores *out, struct error *err)
{
    const struct buffer *with = is_unrelated ? &cases->unrelated : &cases->embedding;
    uint64_t edits, most, distance, farthest;

    if (distance_exact(cases->text.data, cases->text.len, (const uint8_t *)with->data, with->len, &edits,
                       err) ||
        distance_exact(cases->text.data, cases->text.len, (const uint8_t *)cases->unrelated.data,
                       cases->unrelated.len, &most, err) ||
        lab_coates_sign(params, cases->text, &s->text, err) ||
        lab_coates_sign(params, lab_coates_of(with), &s->other, err) ||
        lab_coates_sign(params, lab_coates_of(&cases->unrelated), &s->unrelated, err) ||
        lab_coates_distance(&s->text, &s->other, &distance, err) ||
        lab_coates_distance(&s->text, &s->unrelated, &farthest, err))
        return -1;
    out->ratio[is_unrelated] = (double)distance / (double)(farthest ? farthest : 1);
    out->significance[is_unrelated] = coates_significance(distance, s->text.len, s->other.len, COATES_FACTOR);
    out->score[is_unrelated] = score(&s->text, &s->other, distance);
    lab_row(table);
    lab_text(table, 0, "%s C=%u n=%u k=%u", sampler_scheme_name(params->scheme), params->c, params->n,
             params->k);
    lab_text(table, 1, "%s", is_unrelated ? "three unrelated texts" : "itself between two others");
    lab_number(table, 2, (double)edits);
    lab_number(table, 3, coates_2011_edits(distance, params->c));
    lab_number(table, 4, (double)(with->len - cases->text.len));
    lab_number(table, 5, (double)edits / (double)most);
    lab_number(table, 6, out->ratio[is_unrelated]);
    lab_number(table, 7, out->significance[is_unrelated]);
    lab_number(table, 8, out->score[is_unrelated]);
    return 0;
}

/* ---- kith's own answer ---- */

static int make_record(struct lab_coates_text text, struct record *out, struct error *err)
{
    const struct sampler_params params = {SAMPLER_GF8, SAMPLER_DEFAULT_N, 32, 0};
    struct sampler *sampler = sampler_new(&params, err);
    struct sampler_result samples;
    int result = -1;

    if (!sampler)
        return -1;
    sampler_begin(sampler, text.len);
    if (sampler_update(sampler, text.data, text.len, err) == 0) {
        samples = sampler_final(sampler);
        result = record_set_samples(out, samples.samples, samples.count, err);
        out->params = params;
        out->len = text.len;
        out->coincidence = samples.coincidence;
    }
    sampler_free(sampler);
    return result;
}

static const struct lab_column own_columns[] = {
    {"compared with", "", LAB_WORDS, false},
    {"verdict", "", LAB_WORDS, false},
    {"containment", "%", 1, false},
    {"resemblance", "%", 1, false},
    {"shared", "samples", 0, false},
    {"located", "bytes", 0, false},
    {"true LD", "", 0, false},
    {"estimate", "", 0, false},
};

static int add_own(const struct cases *cases, bool is_unrelated, struct comparer *comparer,
                   struct record records[2], struct lab_table *table, struct error *err)
{
    const struct buffer *with = is_unrelated ? &cases->unrelated : &cases->embedding;
    struct comparison comparison;
    uint64_t edits;

    if (make_record(cases->text, &records[0], err) || make_record(lab_coates_of(with), &records[1], err) ||
        compare_relate(comparer, &records[0], &records[1], NULL, &comparison, err) ||
        distance_exact(cases->text.data, cases->text.len, (const uint8_t *)with->data, with->len, &edits,
                       err))
        return -1;
    lab_row_numbers(
        table,
        (const double[]){NAN, NAN, comparison.estimate.a_in_b * 100, comparison.estimate.resemblance * 100,
                         (double)comparison.estimate.shared, (double)comparison.estimate.a_matched,
                         (double)edits, comparison.estimate.edits},
        8);
    lab_text(table, 0, "%s", is_unrelated ? "three unrelated texts" : "itself between two others");
    lab_text(table, 1, "%s", compare_verdict_name(comparison.verdict));
    return 0;
}

static int add_own_table(const struct cases *cases, struct lab_document *out, struct error *err)
{
    struct comparer *comparer = compare_new(err);
    struct record records[2] = {{.len = 0}, {.len = 0}};
    struct lab_table *table =
        lab_table(out, "coates2011-4.2-gf8", "The same by kith's own scheme (gf8, C = 32, n = 12)",
                  own_columns, sizeof own_columns / sizeof *own_columns);
    int result = comparer ? 0 : -1;

    for (int i = 0; result == 0 && i < 2; i++)
        result = add_own(cases, i, comparer, records, table, err);
    record_release(&records[0]);
    record_release(&records[1]);
    compare_free(comparer);
    return result;
}

/* What an embedded text scores less than unrelated ones, by scheme. */
static void remark_on_scores(const struct scores scores[SCHEMES], struct lab_document *out)
{
    double least = INFINITY, most = -INFINITY, of_2011 = -INFINITY;

    for (int i = 0; i < SCHEMES; i++) {
        const double ratio = scores[i].ratio[0] - scores[i].ratio[1];

        least = fmin(least, ratio);
        most = fmax(most, ratio);
        if (i < SCHEMES - 1)
            of_2011 = fmax(of_2011, scores[i].score[1] - scores[i].score[0]);
    }
    lab_remark(
        out,
        "The paper announces this test and gives no result. Embedding costs the difference of the lengths, "
        "which is most of what an unrelated text three times as long costs: from the unrelated texts to the "
        "embedded one, the ratio of the estimate to the maximum changes by %+.2f to %+.2f. The score, (d - "
        "difference of the lengths) / shorter length of the signatures, is 0 where one contains the other. "
        "That "
        "of unrelated texts is up to %.2f higher with the two characters of 2011, of which a signature three "
        "times as long contains nearly any other, and %.2f with the many of 2015.",
        least, most, of_2011, scores[SCHEMES - 1].score[1] - scores[SCHEMES - 1].score[0]);
}

static int run_embedded(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    struct cases cases = {.text = {0}};
    struct signatures signatures = {{0}, {0}, {0}};
    struct scores scores[SCHEMES] = {{{0}, {0}, {0}}};
    struct sampler_params schemes[SCHEMES] = {{SAMPLER_COATES2011, 4, 50, 0},
                                              {SAMPLER_COATES2011, 4, 100, 0},
                                              {SAMPLER_COATES2011, 4, 200, 0},
                                              {SAMPLER_COATES2015, 9, 101, 0}};
    struct lab_table *table =
        lab_table(out, "coates2011-4.2-embedded", "A text with texts of its length before and after it",
                  embedded_columns, sizeof embedded_columns / sizeof *embedded_columns);
    int result;

    make_cases(run, &cases);
    result = cases.room.failed || cases.embedding.failed || cases.unrelated.failed
                 ? error_set(err, "out of memory for texts")
                 : 0;
    for (size_t i = 0; i < 3; i++)
        schemes[i] = lab_coates_2011_params(cases.text, schemes[i].c, lab_coates_2011_bits(schemes[i].c));
    for (size_t i = 0; result == 0 && i < 2 * SCHEMES; i++)
        result = add_embedded(&cases, &schemes[i / 2], i % 2, table, &signatures, &scores[i / 2], err);
    if (result == 0)
        remark_on_scores(scores, out);
    if (result == 0)
        result = add_own_table(&cases, out, err);
    lab_remark(out,
               "Texts of one language share phrases even if they are not related, and the "
               "generated texts do by design. kith calls that a fragment if it is long enough; the bytes "
               "located show how little it is.");
    buffer_release(&signatures.text);
    buffer_release(&signatures.other);
    buffer_release(&signatures.unrelated);
    buffer_release(&cases.room);
    buffer_release(&cases.embedding);
    buffer_release(&cases.unrelated);
    return result;
}

const struct lab_experiment lab_coates_embedded = {"coates2011-embedded",
                                                   "coates2011",
                                                   "Coates 2011, section 4.2, third test",
                                                   "a text between two others, beside unrelated texts",
                                                   LAB_USE_DATA | LAB_USE_SEED,
                                                   run_embedded};

/* ---- footnote 7: blocks ---- */

enum {
    FRAGMENT = 4096,
    HOST = 1 << 20,
    FRAGMENTS = 40,
    FRAGMENTS_QUICK = 4,
    SPLIT_C = 16,
};

static const struct lab_column split_columns[] = {
    {"block size", "bytes", 0, false},
    {"blocks", "", 0, false},
    {"lowest score without the fragment", "", 3, false},
    {"score with it, mean", "", 3, false},
    {"score with it, highest", "", 3, false},
    {"found", "%", 0, false},
};

struct split {
    struct sampler_params params;
    struct buffer host, planted, fragment, signature;
    struct buffer block;
    struct lab_random random;
};

/* The lowest score of a block of the content: each is signed by itself, as if it were a file. */
static int best_block(struct split *split, const struct buffer *content, size_t size, double *best,
                      struct error *err)
{
    *best = 1;
    for (size_t at = 0; at < content->len; at += size) {
        const size_t len = content->len - at < size ? content->len - at : size;
        uint64_t distance;

        if (lab_coates_sign(&split->params,
                            (struct lab_coates_text){(const uint8_t *)content->data + at, len}, &split->block,
                            err))
            return -1;
        if (lab_coates_distance(&split->signature, &split->block, &distance, err))
            return -1;
        *best = fmin(*best, score(&split->signature, &split->block, distance));
    }
    return 0;
}

/* Another fragment, and the host with it in the place of its own bytes. */
static int plant(struct split *split, struct lab_coates_text source, struct error *err)
{
    const size_t from = lab_random_below(&split->random, source.len - FRAGMENT + 1);
    const size_t to = lab_random_below(&split->random, split->host.len - FRAGMENT + 1);

    buffer_reset(&split->fragment);
    buffer_reset(&split->planted);
    buffer_add(&split->fragment, source.data + from, FRAGMENT);
    buffer_add(&split->planted, split->host.data, split->host.len);
    if (split->fragment.failed || split->planted.failed)
        return error_set(err, "out of memory for a host");
    memcpy(split->planted.data + to, source.data + from, FRAGMENT);
    return lab_coates_sign(&split->params, lab_coates_of(&split->fragment), &split->signature, err);
}

/* Returns the share that was found, in percent, or -1. */
static double add_split(const struct lab_run *run, struct split *split, struct lab_coates_text source,
                        size_t size, struct lab_table *table, struct error *err)
{
    const int count = run->quick ? FRAGMENTS_QUICK : FRAGMENTS;
    double with[FRAGMENTS], lowest = 1, highest = 0, sum = 0, found = 0;

    lab_random_seed(&split->random, lab_random_mix(run->seed) + 7); /* the same fragments for all sizes */
    for (int i = 0; i < count; i++) {
        double without;

        if (plant(split, source, err) || best_block(split, &split->planted, size, &with[i], err) ||
            best_block(split, &split->host, size, &without, err))
            return -1;
        lowest = fmin(lowest, without);
        highest = fmax(highest, with[i]);
        sum += with[i];
    }
    for (int i = 0; i < count; i++)
        found += with[i] < lowest;
    lab_row_numbers(table,
                    (const double[]){(double)size, ceil((double)split->host.len / (double)size), lowest,
                                     sum / count, highest, found * 100 / count},
                    6);
    return found * 100 / count;
}

/* The host is generated: unrelated to all documents. */
static int run_split(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const size_t sizes[] = {1024, 2048, 4096, 8192, 16384, 65536, 262144, HOST};
    struct split split = {.params = {SAMPLER_COATES2015, 9, SPLIT_C, 0}};
    struct lab_coates_text source, other;
    const size_t host = run->quick ? HOST / 8 : HOST;
    struct lab_table *table;
    struct buffer room = {0};
    char caption[96];
    double smallest = 0, largest = 0; /* % found with the smallest blocks, and with the largest */
    size_t size = 0;
    int result;

    lab_coates_texts(run, FRAGMENT, host, &source, &other, &room);
    if (source.len < FRAGMENT) {
        buffer_release(&room);
        return error_set(err, "coates2011-split: no document has %d bytes", FRAGMENT);
    }
    snprintf(caption, sizeof caption,
             "A fragment of 4,096 bytes in %zu KiB, by blocks (coates2015, C=16, n=9)", host >> 10);
    table = lab_table(out, "coates2011-footnote7", caption, split_columns,
                      sizeof split_columns / sizeof *split_columns);
    source.len = lab_data_get(run->data, lab_data_count(run->data) - 1)->len;
    source.data = lab_data_get(run->data, lab_data_count(run->data) - 1)->data;
    add_bytes(&split.host, other);
    result = room.failed || split.host.failed ? error_set(err, "out of memory for a host") : 0;
    for (size_t i = 0; result == 0 && i < sizeof sizes / sizeof *sizes && sizes[i] <= host; i++) {
        const double found = add_split(run, &split, source, sizes[i], table, err);

        result = found < 0 ? -1 : 0;
        smallest = i ? smallest : found;
        largest = found;
        size = sizes[i];
    }
    lab_remark(out,
               "The fragments are parts of the longest of %s, the host is unrelated text of %zu KiB with the "
               "fragment in "
               "the place of its own bytes. The score of a block is (d - difference of the lengths) / "
               "shorter length of "
               "the two signatures: 0 if one contains the other. A fragment counts as found if the best "
               "block scores "
               "lower than any block does for any of the fragments in the host without them.",
               lab_data_source(run->data), host >> 10);
    lab_remark(
        out,
        "The paper splits large files because a fragment would be lost in the background of a large "
        "signature. Here %.0f %% of the fragments are found with blocks of %zu bytes, and %.0f %% with those "
        "of %zu: the larger the signature, the more of any short one it contains as a subsequence. A "
        "fragment may lie across the border of two blocks of its own size; of blocks of half its size or "
        "less, one "
        "always lies within it.",
        smallest, sizes[0], largest, size);
    buffer_release(&split.host);
    buffer_release(&split.planted);
    buffer_release(&split.fragment);
    buffer_release(&split.signature);
    buffer_release(&split.block);
    buffer_release(&room);
    return result;
}

const struct lab_experiment lab_coates_split = {"coates2011-split",
                                                "coates2011",
                                                "Coates 2011, footnote 7; Coates 2015, footnote 3",
                                                "a fragment found by the signatures of a large file's blocks",
                                                LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK,
                                                run_split};
