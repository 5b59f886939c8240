/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "lab/lab_coates_inner.h"
#include "lab/lab_edits.h"
#include "lab/lab_rates.h"

/* Coates 2011, abstract and section 7: the errors of both kinds, "when applied to detecting near-duplicates".
 * A pair is called related if the distance of its signatures is at most a threshold. */

enum {
    TEXT_LEN = 13508,
    LEAST_LEN = 4000,
    TEXTS = 100, /* at most */
    TEXTS_QUICK = 12,
    PAIRS = 800, /* unrelated, half of them for the threshold */
    PAIRS_QUICK = 120,
    SCHEMES = 4,
    BLOCK = 500,
};

/* One text of each document, with its signature. */
struct texts {
    struct lab_coates_text list[TEXTS];
    struct buffer signatures[TEXTS];
    size_t count;
};

static void choose_texts(const struct lab_run *run, struct texts *texts)
{
    const size_t count = lab_data_count(run->data), most = run->quick ? TEXTS_QUICK : TEXTS;

    for (size_t i = 0; i < count && texts->count < most; i++) {
        const struct lab_text_file *file = lab_data_get(run->data, i);

        if (file->len >= LEAST_LEN)
            texts->list[texts->count++] =
                (struct lab_coates_text){file->data, file->len < TEXT_LEN ? file->len : TEXT_LEN};
    }
}

/* The distance of two signatures as a share of the longer one. */
static int get_share(const struct buffer *a, const struct buffer *b, double *out, struct error *err)
{
    const size_t longer = a->len > b->len ? a->len : b->len;
    uint64_t distance;

    if (lab_coates_distance(a, b, &distance, err))
        return -1;
    *out = longer ? (double)distance / (double)longer : 1;
    return 0;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Shares of pairs of different documents. */
static int measure_unrelated(const struct lab_run *run, const struct texts *texts, double *shares,
                             size_t count, struct error *err)
{
    struct lab_random random;

    lab_random_seed(&random, lab_random_mix(run->seed) + 11);
    for (size_t i = 0; i < count; i++) {
        const size_t a = lab_random_below(&random, texts->count);
        const size_t b = (a + 1 + lab_random_below(&random, texts->count - 1)) % texts->count;

        if (get_share(&texts->signatures[a], &texts->signatures[b], &shares[i], err))
            return -1;
    }
    return 0;
}

static const struct lab_column columns[] = {
    {"scheme", "", LAB_WORDS, false},
    {"pairs", "", LAB_WORDS, false},
    {"number", "", 0, false},
    {"distance / longer signature", "mean", 3, false},
    {"threshold", "1 in 100", 3, false},
    {"wrong", "", 0, false},
    {"wrong", "%", 2, false},
    {"wrong", "95 % from", 2, false},
    {"wrong", "95 % to", 2, false},
    {"threshold", "1 in 10", 3, false},
    {"wrong by that", "%", 2, false},
};

/* The shares that one in 100, and one in ten, of unrelated pairs do not exceed. */
struct thresholds {
    double low, high;
};

/* The rows of the schemes of a paper, and those in which fewer than one in 20 is wrong. */
struct outcome {
    unsigned rows, small;
};

static void add_rate(const struct sampler_params *params, const char *name, const double *shares,
                     size_t count, const struct thresholds *thresholds, bool is_related,
                     struct outcome outcomes[2], struct lab_table *table)
{
    struct outcome *outcome = &outcomes[params->scheme == SAMPLER_COATES2015];
    struct lab_rates_interval interval;
    double sum = 0;
    size_t wrong = 0, wrong_high = 0;

    for (size_t i = 0; i < count; i++) {
        sum += shares[i];
        wrong += (shares[i] <= thresholds->low) != is_related;
        wrong_high += (shares[i] <= thresholds->high) != is_related;
    }
    outcome->rows++;
    outcome->small += wrong * 20 < count;
    interval = lab_rates_interval(wrong, count);
    lab_row_numbers(table,
                    (const double[]){NAN, NAN, (double)count, sum / (double)count, thresholds->low,
                                     (double)wrong, 100.0 * (double)wrong / (double)count, 100 * interval.low,
                                     100 * interval.high, thresholds->high,
                                     100.0 * (double)wrong_high / (double)count},
                    11);
    lab_text(table, 0, "%s C=%u n=%u k=%u", sampler_scheme_name(params->scheme), params->c, params->n,
             params->k);
    lab_text(table, 1, "%s", name);
}

static const struct version {
    const char *name;
    double share;    /* substituted */
    unsigned blocks; /* added */
} versions[] = {
    {"1 % substituted", .01, 0},     {"5 % substituted", .05, 0},       {"10 % substituted", .1, 0},
    {"20 % substituted", .2, 0},     {"30 % substituted", .3, 0},       {"1 block of 500 added", 0, 1},
    {"5 blocks of 500 added", 0, 5}, {"10 blocks of 500 added", 0, 10},
};

enum { VERSIONS = sizeof versions / sizeof *versions };

static int add_version(const struct lab_run *run, const struct sampler_params *params,
                       const struct texts *texts, const struct version *version,
                       const struct thresholds *thresholds, struct outcome outcomes[2],
                       struct lab_table *table, struct error *err)
{
    struct buffer edited = {0}, signature = {0};
    double shares[TEXTS];
    struct lab_random random;
    int result = 0;

    lab_random_seed(&random, lab_random_mix(run->seed) + (uint64_t)(version - versions));
    for (size_t i = 0; result == 0 && i < texts->count; i++) {
        const struct lab_coates_text text = texts->list[i];

        buffer_reset(&edited);
        if (version->blocks)
            lab_edits_add_blocks(&random, text.data, text.len, version->blocks, BLOCK, &edited);
        else
            lab_edits_substitute(&random, text.data, text.len, version->share, &edited);
        result = edited.failed ? error_set(err, "out of memory for an edited text")
                               : lab_coates_sign(params, lab_coates_of(&edited), &signature, err);
        if (result == 0)
            result = get_share(&texts->signatures[i], &signature, &shares[i], err);
    }
    if (result == 0)
        add_rate(params, version->name, shares, texts->count, thresholds, true, outcomes, table);
    buffer_release(&edited);
    buffer_release(&signature);
    return result;
}

/* The threshold is a low quantile of one half of the unrelated pairs; the other half tests it. */
static int add_scheme(const struct lab_run *run, const struct sampler_params *params, struct texts *texts,
                      struct outcome outcomes[2], struct lab_table *table, struct error *err)
{
    const size_t pairs = run->quick ? PAIRS_QUICK : PAIRS, half = pairs / 2;
    struct thresholds thresholds;
    double shares[PAIRS];

    for (size_t i = 0; i < texts->count; i++)
        if (lab_coates_sign(params, texts->list[i], &texts->signatures[i], err))
            return -1;
    if (measure_unrelated(run, texts, shares, pairs, err))
        return -1;
    qsort(shares, half, sizeof *shares, by_value);
    thresholds = (struct thresholds){shares[(half - 1) / 100], shares[(half - 1) / 10]};
    add_rate(params, "unrelated", shares + half, pairs - half, &thresholds, false, outcomes, table);
    for (size_t i = 0; i < VERSIONS; i++)
        if (add_version(run, params, texts, &versions[i], &thresholds, outcomes, table, err))
            return -1;
    return 0;
}

static void remark(const struct lab_run *run, const struct texts *texts, const struct outcome outcomes[2],
                   struct lab_document *out)
{
    lab_remark(
        out,
        "\"Errors of both the first and second kinds are negligible\": the paper gives no figures and no "
        "threshold. Here less than 5 %% are wrong in %u of %u rows with the signatures of 2011, and in %u "
        "of %u with those of 2015. Signatures of 2011 have two symbols only, so that unrelated ones have "
        "long common subsequences, too: compare the means.",
        outcomes[0].small, outcomes[0].rows, outcomes[1].small, outcomes[1].rows);
    lab_remark(
        out,
        "Ours: the first %d bytes of %zu of %s, each with edited versions, and pairs of different "
        "documents; k as in coates2011-speed, for the longest of them. A threshold is what one in 100, or "
        "in ten, of half of these pairs do not exceed; the other half tests it. Wrong are unrelated pairs "
        "that do not exceed it and versions that do. Pairs share documents, so that the intervals "
        "(Clopper and Pearson) are too narrow for others.",
        TEXT_LEN, texts->count, lab_data_source(run->data));
}

static int run_errors(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    static const uint32_t cs[SCHEMES] = {50, 100, 200, 101};
    struct outcome outcomes[2] = {{0, 0}, {0, 0}};
    struct texts *texts = calloc(1, sizeof *texts);
    struct lab_table *table =
        lab_table(out, "coates2011-7", "Near-duplicates and unrelated texts, classified by signatures",
                  columns, sizeof columns / sizeof *columns);
    int result = texts ? 0 : error_set(err, "out of memory for texts");

    if (texts)
        choose_texts(run, texts);
    if (result == 0 && texts->count < 2)
        result = error_set(err, "coates2011-errors: fewer than two documents of %d bytes", LEAST_LEN);
    for (int i = 0; result == 0 && i < SCHEMES; i++) {
        const struct sampler_params params =
            i < 3 ? lab_coates_2011_params(texts->list[texts->count - 1], cs[i], lab_coates_2011_bits(cs[i]))
                  : (struct sampler_params){SAMPLER_COATES2015, 9, cs[i], 0};

        result = add_scheme(run, &params, texts, outcomes, table, err);
    }
    if (result == 0)
        remark(run, texts, outcomes, out);
    for (size_t i = 0; texts && i < texts->count; i++)
        buffer_release(&texts->signatures[i]);
    free(texts);
    return result;
}

const struct lab_experiment lab_coates_errors = {"coates2011-errors",
                                                 "coates2011",
                                                 "Coates 2011, abstract and section 7",
                                                 "error rates of signatures as a classifier",
                                                 LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK,
                                                 run_errors};
