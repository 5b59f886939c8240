/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "compare/distance.h"
#include "lab/lab_coates_inner.h"
#include "lab/lab_edits.h"
#include "sample/coates.h"

/* The tables of Coates 2011.  The figures that the paper prints stand in constants, row by row. */

enum {
    TEXT_LEN = 13508, /* section 4 */
    PAPER_MAX = 12430,
    TIMES = 20, /* edits of each kind */
    TIMES_QUICK = 3,
};

/* What was measured for one row, summed over the edits. */
struct tally {
    unsigned count;
    double edits, estimate, bits, edited_bits;
    double error, error_squared; /* (estimate - edits) / distance of unrelated texts */
};

/* The original with its signature, and an edited version. */
struct pair {
    struct lab_coates_text text, other; /* unrelated */
    struct buffer room, edited, signature, edited_signature;
};

static void release(struct pair *pair)
{
    buffer_release(&pair->room);
    buffer_release(&pair->edited);
    buffer_release(&pair->signature);
    buffer_release(&pair->edited_signature);
}

/* The distance of the original from unrelated text with the length of the edited version. */
static int find_most(const struct pair *pair, uint64_t *most, struct error *err)
{
    const size_t len = pair->edited.len < pair->other.len ? pair->edited.len : pair->other.len;

    if (pair->room.failed || pair->edited.failed)
        return error_set(err, "out of memory for a text");
    return distance_exact(pair->text.data, pair->text.len, pair->other.data, len, most, err);
}

/* Adds the edited version to the tally. */
static int measure(struct pair *pair, uint32_t c, uint64_t most, struct tally *tally, struct error *err)
{
    const struct sampler_params params = lab_coates_2011_params(pair->text, c, lab_coates_2011_bits(c));
    uint64_t edits, distance;
    double estimate, error;

    if (pair->edited.failed)
        return error_set(err, "out of memory for an edited text");
    if (distance_exact(pair->text.data, pair->text.len, (const uint8_t *)pair->edited.data, pair->edited.len,
                       &edits, err) ||
        lab_coates_sign(&params, pair->text, &pair->signature, err) ||
        lab_coates_sign(&params, lab_coates_of(&pair->edited), &pair->edited_signature, err) ||
        lab_coates_distance(&pair->signature, &pair->edited_signature, &distance, err))
        return -1;
    estimate = coates_2011_edits(distance, c);
    error = (estimate - (double)edits) / (double)(most ? most : 1);
    tally->count++;
    tally->edits += (double)edits;
    tally->estimate += estimate;
    tally->bits += (double)pair->signature.len;
    tally->edited_bits += (double)pair->edited_signature.len;
    tally->error += error;
    tally->error_squared += error * error;
    return 0;
}

static double deviation(const struct tally *tally)
{
    const double mean = tally->error / tally->count;

    return sqrt(fmax(0, tally->error_squared / tally->count - mean * mean));
}

static int times(const struct lab_run *run)
{
    return run->quick ? TIMES_QUICK : TIMES;
}

/* ---- section 4.2.1 ---- */

static const struct substitutions {
    unsigned c, percent, edits, estimate;
    double error;
} substitutions[] = {
    {50, 1, 136, 333, 0.0267},     {50, 5, 777, 1000, 0.0864},    {50, 10, 1438, 2416, 0.1943},
    {50, 20, 2689, 2350, 0.1890},  {50, 30, 4083, 3700, 0.2976},  {100, 1, 119, 66, 0.0483},
    {100, 5, 764, 600, 0.2976},    {100, 10, 1451, 1066, 0.0859}, {100, 20, 2740, 1666, 0.1343},
    {100, 30, 3981, 1833, 0.1478}, {200, 1, 115, 66, 0.0053},     {200, 5, 814, 200, 0.0161},
    {200, 10, 1461, 266, 0.0322},  {200, 20, 2841, 800, 0.0645},
};

enum { SUBSTITUTIONS = sizeof substitutions / sizeof *substitutions };

static const struct lab_column substitution_columns[] = {
    {"C", "", 0, false},
    {"substituted", "%", 0, false},
    {"signature", "bits", 0, false},
    {"signature, edited", "bits", 0, false},
    {"true LD", "", 0, false},
    {"true LD", "", 0, true},
    {"estimate", "", 0, false},
    {"estimate", "", 0, true},
    {"estimate / max", "", 4, false},
    {"Error", "", 4, true},
    {"estimate / max", "recomputed", 4, true},
    {"mean error / max", "", 4, false},
    {"standard deviation", "", 4, false},
    {"error / max", "recomputed", 4, true},
};

static void add_substitution(struct lab_table *table, const struct substitutions *paper,
                             const struct tally *tally, uint64_t most)
{
    const double n = tally->count, max = (double)(most ? most : 1), estimate = paper->estimate;

    lab_row_numbers(table,
                    (const double[]){paper->c, paper->percent, tally->bits / n, tally->edited_bits / n,
                                     tally->edits / n, paper->edits, tally->estimate / n, estimate,
                                     tally->estimate / n / max, paper->error, estimate / PAPER_MAX,
                                     tally->error / n, deviation(tally),
                                     (estimate - paper->edits) / PAPER_MAX},
                    14);
}

static int measure_substitutions(const struct lab_run *run, struct pair *pair,
                                 const struct substitutions *row, uint64_t most, struct tally *tally,
                                 struct error *err)
{
    struct lab_random random;

    lab_random_seed(&random, lab_random_mix(run->seed) + row->percent);
    for (int i = 0; i < times(run); i++) {
        buffer_reset(&pair->edited);
        lab_edits_substitute(&random, pair->text.data, pair->text.len, row->percent / 100.0, &pair->edited);
        if (measure(pair, row->c, most, tally, err))
            return -1;
    }
    return 0;
}

static void remark_on_substitutions(struct lab_document *out, const struct pair *pair,
                                    const struct lab_run *run, uint64_t most)
{
    lab_remark(out,
               "Ours: the first %zu bytes of one of %s, each edit made %d times with other places; its "
               "distance from "
               "unrelated text of that length, max, is %llu. The paper: a draft of itself in LaTeX, 13,508 "
               "characters; "
               "12,430. An estimate is a multiple of C, but the paper's 66, 266, 333, 1,066, 1,666, 1,833 "
               "and 2,416 are not: "
               "they are multiples of C / 3, cut off, so its rows appear to be means of three edits.",
               pair->text.len, lab_data_source(run->data), times(run), (unsigned long long)most);
    lab_remark(
        out,
        "The paper's column \"Error\" is not an error: it is the estimate divided by the maximum of "
        "12,430, as the column \"recomputed\" shows, whatever the true distance is. Eight rows differ even "
        "from that. Four are of other estimates: C = 50 with 5 %% (0.0864 belongs to an estimate of 1,074), "
        "C = 100 with 1 %% (0.0483 "
        "is that of the next row's estimate, 600), C = 100 with 5 %% (0.2976 is that of C = 50 with 30 %%) "
        "and C = 200 with 10 %% (0.0322 belongs to 400). Four are off in the fourth digit: 0.0859 (0.0858), "
        "0.1343 (0.1340), "
        "0.1478 (0.1475) and 0.0645 (0.0644).");
    lab_remark(
        out,
        "Section 4.2 substitutes 1/p of the characters \"for a range of p from 0.01 to 1.5\": it must be p, "
        "not 1/p, and the table ends at 0.3. In step 3 of section 3.1.1, the sum loses the character p - 1 "
        "and gains p + n: for n adjacent characters it must gain p + n - 1. And that begins one position "
        "after the first sum, not \"at the n'th position\".");
    lab_remark(
        out,
        "k is chosen so that the signature has nearly the number of bits that the paper gives in section 4.1 "
        "(316, 72, 22), since k is not stated and the number depends on it more than on C. The estimate is "
        "distance times C whatever the lengths of the signatures are. A substituted character is any "
        "printable "
        "one, unlike those of text, so that the edited text has other sums and a longer or shorter "
        "signature.");
}

static void plot_substitutions(struct lab_document *out, const struct tally *tallies)
{
    static const struct lab_axes axes = {
        "true Levenshtein distance", "edits", "estimated distance", "edits", false, false};
    struct lab_plot *plot = lab_plot(
        out, "coates2011-4.2.1",
        "Estimated and true Levenshtein distance of a text of 13,508 bytes with 1 to 30 % of its bytes "
        "substituted (Coates 2011, section 4.2.1)",
        &axes);
    const size_t exact = lab_series(plot, "exact");
    size_t line = 0;

    lab_point(plot, exact, 0, 0);
    lab_point(plot, exact, 4000, 4000);
    for (size_t i = 0; i < SUBSTITUTIONS; i++) {
        if (i == 0 || substitutions[i].c != substitutions[i - 1].c)
            line = lab_series(plot, "C = %u", substitutions[i].c);
        lab_point(plot, line, tallies[i].edits / tallies[i].count, tallies[i].estimate / tallies[i].count);
    }
    for (size_t i = 0; i < SUBSTITUTIONS; i++) {
        if (i == 0 || substitutions[i].c != substitutions[i - 1].c)
            line = lab_scatter(plot, "paper, C = %u", substitutions[i].c);
        lab_point(plot, line, substitutions[i].edits, substitutions[i].estimate);
    }
}

static int run_substitutions(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    struct pair pair = {.text = {0}};
    struct tally tallies[SUBSTITUTIONS] = {{0}};
    struct lab_table *table;
    uint64_t most = 0;
    int result;

    lab_coates_texts(run, TEXT_LEN, TEXT_LEN, &pair.text, &pair.other, &pair.room);
    buffer_add(&pair.edited, pair.text.data, pair.text.len);
    result = find_most(&pair, &most, err);
    for (size_t i = 0; result == 0 && i < SUBSTITUTIONS; i++)
        result = measure_substitutions(run, &pair, &substitutions[i], most, &tallies[i], err);
    if (result == 0) {
        table = lab_table(out, "coates2011-4.2.1", "Numerous small changes (n = 4)", substitution_columns,
                          sizeof substitution_columns / sizeof *substitution_columns);
        for (size_t i = 0; i < SUBSTITUTIONS; i++)
            add_substitution(table, &substitutions[i], &tallies[i], most);
        remark_on_substitutions(out, &pair, run, most);
        plot_substitutions(out, tallies);
    }
    release(&pair);
    return result;
}

const struct lab_experiment lab_coates_substitutions = {
    "coates2011-substitutions",
    "coates2011",
    "Coates 2011, section 4.2.1",
    "edit distance estimated from signatures: substituted characters",
    LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK | LAB_USE_PLOTS,
    run_substitutions};

/* ---- section 4.2.2 ---- */

enum { BLOCK = 500 };

static const struct added {
    unsigned c, blocks, estimate;
    double ratio;
} added[] = {
    {200, 1, 200, 0.0274},  {200, 5, 2200, 0.0245},  {200, 10, 6000, -0.2401},
    {100, 1, 700, -0.0182}, {100, 5, 2800, -0.0246}, {100, 10, 4700, -0.0145},
    {50, 1, 700, -0.0182},  {50, 5, 2100, 0.0327},   {50, 10, 5450, -0.0690},
};

enum { ADDED = sizeof added / sizeof *added };

static const struct lab_column added_columns[] = {
    {"C", "", 0, false},
    {"blocks of 500", "", 0, false},
    {"signature", "bits", 0, false},
    {"true LD", "", 0, false},
    {"true LD", "", 0, true},
    {"estimate", "", 0, false},
    {"estimate", "", 0, true},
    {"(true - estimate) / max", "", 4, false},
    {"standard deviation", "", 4, false},
    {"Est'd-LD/Max", "", 4, true},
    {"max", "", 0, false},
    {"max", "implied", 0, true},
};

/* Also adds the row.  The papers' sign: an estimate that is too large is negative. */
static int measure_added(const struct lab_run *run, struct pair *pair, const struct added *row,
                         struct lab_table *table, struct error *err)
{
    const double edits = BLOCK * row->blocks;
    struct lab_random random;
    struct tally tally = {0};
    uint64_t most = 0;

    lab_random_seed(&random, lab_random_mix(run->seed) + row->blocks);
    for (int i = 0; i < times(run); i++) {
        buffer_reset(&pair->edited);
        lab_edits_add_blocks(&random, pair->text.data, pair->text.len, row->blocks, BLOCK, &pair->edited);
        if ((!most && find_most(pair, &most, err)) || measure(pair, row->c, most, &tally, err))
            return -1;
    }
    lab_row_numbers(table,
                    (const double[]){row->c, row->blocks, tally.bits / tally.count, tally.edits / tally.count,
                                     edits, tally.estimate / tally.count, row->estimate,
                                     -tally.error / tally.count, deviation(&tally), row->ratio, (double)most,
                                     (edits - row->estimate) / row->ratio},
                    12);
    return 0;
}

static int run_added(const struct lab_run *run, struct lab_document *out, struct error *err)
{
    struct pair pair = {.text = {0}};
    struct lab_table *table = lab_table(out, "coates2011-4.2.2", "A few large changes (n = 4)", added_columns,
                                        sizeof added_columns / sizeof *added_columns);
    int result = 0;

    lab_coates_texts(run, TEXT_LEN, TEXT_LEN + 10 * BLOCK, &pair.text, &pair.other, &pair.room);
    for (size_t i = 0; result == 0 && i < ADDED; i++)
        result = measure_added(run, &pair, &added[i], table, err);
    lab_remark(out,
               "Ours: blocks of generated text at random places of the first %zu bytes of one of %s, made %d "
               "times; k as in section 4.2.1; max is the distance of the original from unrelated text of the "
               "edited length.",
               pair.text.len, lab_data_source(run->data), times(run));
    lab_remark(
        out, "The paper's last column is headed Est'd-LD/Max, but holds (true - estimate) / max, as the text "
             "above it says. The rows with 1 block imply a max near 11,000 and those with 5 blocks one near "
             "12,200; those with 10 blocks imply 4,165, -20,690 and 6,522 where about 14,000 is expected, so "
             "their "
             "ratios are wrong, and that of C = 100 has the wrong sign: 4,700 is less than 5,000. A max near "
             "11,000 for 14,008 characters also contradicts the 12,430 for 13,508 of section 4.2.1.");
    release(&pair);
    return result;
}

const struct lab_experiment lab_coates_blocks = {"coates2011-blocks",
                                                 "coates2011",
                                                 "Coates 2011, section 4.2.2",
                                                 "edit distance estimated from signatures: added blocks",
                                                 LAB_USE_DATA | LAB_USE_SEED | LAB_USE_QUICK,
                                                 run_added};
