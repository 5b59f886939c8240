/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "cluster/hamming.h"
#include "lab/lab_edits.h"
#include "lab/lab_yuan_inner.h"

/* Figure 6 of Yuan et al. 2012: precision and recall of the estimate, on pairs whose resemblance is known. */

enum {
    FAMILIES = 60, /* documents, and versions of each, itself included */
    VERSIONS = 13,
    FAMILIES_QUICK = 10,
    BYTES = 4096, /* of each document */
    MOST_INSERTIONS = 80,
};

/* Two documents: their exact resemblance, and the bits in which their fingerprints differ. */
struct pair {
    double r;
    uint64_t differing[LAB_YUAN_WORDS];
};

struct pairs {
    struct pair *list;
    size_t count, room;
    size_t related; /* of the same family: the first ones */
};

/* ---- pairs ---- */

struct work {
    struct sketcher *exact, *hamming;
    struct sketch sets[VERSIONS], bits[VERSIONS];             /* of a family */
    struct sketch first_sets[FAMILIES], first_bits[FAMILIES]; /* of the first of each family */
    struct buffer text;
    struct lab_random random;
};

static int add_pair(struct work *work, struct pairs *pairs, const struct sketch *sets[2],
                    const struct sketch *bits[2], struct error *err)
{
    struct sketch_likeness likeness;
    struct pair *pair;

    if (sketch_compare(work->exact, sets[0], sets[1], &likeness, err))
        return -1;
    if (!likeness.has_resemblance)
        return 0; /* too small */
    if (array_reserve(&pairs->list, &pairs->room, pairs->count + 1))
        return error_set(err, "out of memory");
    pair = &pairs->list[pairs->count++];
    pair->r = likeness.resemblance;
    for (size_t i = 0; i < LAB_YUAN_WORDS; i++)
        pair->differing[i] = bits[0]->values[i] ^ bits[1]->values[i];
    return 0;
}

static int add_all_pairs(struct work *work, struct pairs *pairs, const struct sketch *sets,
                         const struct sketch *bits, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (add_pair(work, pairs, (const struct sketch *[]){&sets[i], &sets[j]},
                         (const struct sketch *[]){&bits[i], &bits[j]}, err))
                return -1;
    return 0;
}

static int sketch_text(struct work *work, struct sketch *set, struct sketch *bits, struct error *err)
{
    if (work->text.failed)
        return error_set(err, "out of memory");
    return sketch_bytes(work->exact, work->text.data, work->text.len, false, set, err) ||
                   sketch_bytes(work->hamming, work->text.data, work->text.len, false, bits, err)
               ? -1
               : 0;
}

/* A document, and versions of it with words inserted: each insertion replaces three shingles by four. */
static int add_family(struct work *work, struct pairs *pairs, const struct lab_text_file *file, size_t number,
                      struct error *err)
{
    const size_t len = file->len < BYTES ? file->len : BYTES;

    for (size_t i = 0; i < VERSIONS; i++) {
        buffer_reset(&work->text);
        lab_edits_insert(&work->random, file->data, len, "a ",
                         i ? 1 + (unsigned)lab_random_below(&work->random, MOST_INSERTIONS) : 0, &work->text);
        if (sketch_text(work, &work->sets[i], &work->bits[i], err) ||
            (i == 0 && sketch_text(work, &work->first_sets[number], &work->first_bits[number], err)))
            return -1;
    }
    return add_all_pairs(work, pairs, work->sets, work->bits, VERSIONS, err);
}

static size_t families(const struct lab_run *run)
{
    const size_t most = run->quick ? FAMILIES_QUICK : FAMILIES, count = lab_data_count(run->data);

    return count < most ? count : most;
}

static int gather(const struct lab_run *run, struct work *work, struct pairs *pairs, struct error *err)
{
    const size_t count = families(run);

    work->exact = lab_yuan_sketcher(run->seed, SKETCH_SHINGLES, err);
    work->hamming = work->exact ? lab_yuan_sketcher(run->seed, SKETCH_HAMMING, err) : NULL;
    if (!work->hamming)
        return -1;
    lab_random_seed(&work->random, run->seed);
    for (size_t i = 0; i < count; i++)
        if (add_family(work, pairs, lab_data_get(run->data, i * lab_data_count(run->data) / count), i, err))
            return -1;
    pairs->related = pairs->count;
    return add_all_pairs(work, pairs, work->first_sets, work->first_bits, count, err);
}

static void release(struct work *work)
{
    for (size_t i = 0; i < VERSIONS; i++) {
        sketch_release(&work->sets[i]);
        sketch_release(&work->bits[i]);
    }
    for (size_t i = 0; i < FAMILIES; i++) {
        sketch_release(&work->first_sets[i]);
        sketch_release(&work->first_bits[i]);
    }
    sketch_free(work->exact);
    sketch_free(work->hamming);
    buffer_release(&work->text);
}

/* ---- precision and recall ---- */

/* The number of bits, of k from `first` on, in which the two differ. */
static uint32_t distance_of(const struct pair *pair, uint32_t first, uint32_t k)
{
    uint32_t distance = 0;

    for (uint32_t i = 0; i < k; i += 64)
        distance += (uint32_t)__builtin_popcountll(
            hamming_extract(pair->differing, first + i, k - i < 64 ? k - i : 64));
    return distance;
}

/* The probability that at most rh of k bits differ, each with probability (1 - R)/2 (equation 4). */
static double chance(double r, uint32_t k, uint32_t rh)
{
    const double p = (1 - fmin(fmax(r, 0), 1)) / 2;
    double term = pow(1 - p, k), sum = 0; /* at least 2^-1000 */

    for (uint32_t i = 0; i <= rh; i++) {
        sum += term;
        term *= (double)(k - i) / (i + 1) * (p / (1 - p));
    }
    return fmin(sum, 1);
}

struct scores {
    double detected, correct, alike;            /* pairs: detected; of those, with R >= r; all with R >= r */
    double expected_detected, expected_correct; /* by the binomial distribution */
};

static struct scores score(const struct pairs *pairs, double r, uint32_t k)
{
    const uint32_t rh = hamming_threshold(k, r), parts = LAB_YUAN_MOST_K / k;
    struct scores scores = {0};

    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->list[i];
        const bool is_alike = pair->r >= r;
        const double expected = chance(pair->r, k, rh);

        for (uint32_t j = 0; j < parts; j++) { /* each part of the bits is a fingerprint */
            const bool is_detected = distance_of(pair, j * k, k) <= rh;

            scores.detected += is_detected;
            scores.correct += is_detected && is_alike;
            scores.alike += is_alike;
        }
        scores.expected_detected += parts * expected;
        scores.expected_correct += is_alike ? parts * expected : 0;
    }
    return scores;
}

static const struct lab_column columns[] = {
    {"r", "", 1, false},        {"k", "bits", 0, false},    {"precision", "", 3, false},
    {"by eq. 4", "", 3, false}, {"precision", "", 2, true}, {"recall", "", 3, false},
    {"by eq. 4", "", 3, false}, {"recall", "", 2, true},
};

/* What section 5.2 states for k = 64. */
static const struct {
    double precision, recall;
} printed[] = {{0.16, 0.74}, {0.19, 0.77}, {0.42, 0.93}};

static void add_scores(struct lab_table *table, size_t threshold, uint32_t k, const struct scores *scores)
{
    const bool is_printed = k == 64;

    lab_row(table);
    lab_number(table, 0, lab_yuan_r[threshold]);
    lab_number(table, 1, k);
    lab_number(table, 2, scores->correct / scores->detected);
    lab_number(table, 3, scores->expected_correct / scores->expected_detected);
    lab_number(table, 4, is_printed ? printed[threshold].precision : NAN);
    lab_number(table, 5, scores->correct / scores->alike);
    lab_number(table, 6, scores->expected_correct / scores->alike);
    lab_number(table, 7, is_printed ? printed[threshold].recall : NAN);
}

static void plot_scores(struct lab_document *out, const struct pairs *pairs, bool is_recall)
{
    const struct lab_axes axes = {"k", "bits", is_recall ? "recall" : "precision", "", false, false};
    struct lab_plot *plot =
        lab_plot(out, is_recall ? "yuan2012-figure6-recall" : "yuan2012-figure6-precision",
                 is_recall ? "Recall of the estimate from k bits (Yuan et al. 2012, figure 6b)"
                           : "Precision of the estimate from k bits (Yuan et al. 2012, figure 6a)",
                 &axes);

    for (size_t i = 0; lab_yuan_r[i] > 0; i++) {
        const size_t line = lab_series(plot, "r = %.1f", lab_yuan_r[i]),
                     paper = lab_scatter(plot, "paper, r = %.1f", lab_yuan_r[i]);

        for (const uint32_t *k = lab_yuan_k; *k > 0; k++) {
            const struct scores scores = score(pairs, lab_yuan_r[i], *k);

            lab_point(plot, line, *k, scores.correct / (is_recall ? scores.alike : scores.detected));
        }
        lab_point(plot, paper, 64, is_recall ? printed[i].recall : printed[i].precision);
    }
}

static void describe(const struct lab_run *run, const struct pairs *pairs, struct lab_document *out)
{
    struct lab_table *table =
        lab_table(out, "yuan2012-figure6", "Precision and recall of the estimate (equation 18)", columns,
                  sizeof columns / sizeof *columns);

    for (size_t i = 0; lab_yuan_r[i] > 0; i++)
        for (const uint32_t *k = lab_yuan_k; *k > 0; k++) {
            const struct scores scores = score(pairs, lab_yuan_r[i], *k);

            add_scores(table, i, *k, &scores);
        }
    lab_remark(out,
               "%zu pairs of versions of %zu documents (%s; the first %d bytes of each, with up to %d words "
               "inserted), and %zu pairs of different documents. R is exact, of sets of shingles of %d "
               "words. A fingerprint of 1,000 bits serves as several of k bits.",
               pairs->related, families(run), lab_data_source(run->data), BYTES, MOST_INSERTIONS,
               pairs->count - pairs->related, LAB_YUAN_SHINGLE);
    lab_remark(out, "\"By eq. 4\" is what the same pairs are expected to give if each bit differs with "
                    "probability (1 - R)/2. Precision depends on how many pairs lie just below the "
                    "threshold, thus on the documents. The paper does not describe its pairs; its 0.16 at k "
                    "= 64 means that five of six pairs detected were below r. Of the pairs at the threshold "
                    "itself half are lost whatever k is, so recall depends on how many lie above it.");
    plot_scores(out, pairs, false);
    plot_scores(out, pairs, true);
}

static int run_precision(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    struct work *work = calloc(1, sizeof *work);
    struct pairs pairs = {0};
    int result;

    if (!work)
        return error_set(err, "out of memory");
    result = gather(run, work, &pairs, err);
    if (result == 0)
        describe(run, &pairs, out);
    release(work);
    free(work);
    free(pairs.list);
    return result;
}

const struct lab_experiment lab_yuan_precision = {"yuan2012-precision",
                                                  "yuan2012",
                                                  "Yuan et al. 2012, section 5.2, figure 6",
                                                  "Precision and recall of the estimate from bits",
                                                  LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK | LAB_USE_PLOTS,
                                                  run_precision};
