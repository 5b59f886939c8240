/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "sample/sampler.h"
#include "sketch/sketch_inner.h"

/* Signatures and samples: the schemes of Coates, and kith's own, by sample/sampler.h and compare/compare.h.
 */

static int prepare_record(struct sketcher *sketcher, struct error *err)
{
    const struct sketch_params *params = &sketcher->params;
    const struct sampler_params wanted = {
        (enum sampler_scheme)sampler_scheme_find(sketcher->operations->name), params->window, params->rate,
        params->residue};

    sketcher->sampler = sampler_new(&wanted, err);
    sketcher->comparer = sketcher->sampler ? compare_new(err) : NULL;
    return sketcher->comparer ? 0 : -1;
}

static void begin_record(struct sketcher *sketcher, uint64_t len)
{
    sampler_begin(sketcher->sampler, len);
}

static int update_record(struct sketcher *sketcher, const void *data, size_t len, struct error *err)
{
    return sampler_update(sketcher->sampler, data, len, err);
}

static int give_record(struct sketcher *sketcher, struct sketch *out, struct error *err)
{
    const struct sampler_result result = sampler_final(sketcher->sampler);
    struct record *record = &out->record;

    record->params =
        (struct sampler_params){(enum sampler_scheme)sampler_scheme_find(sketcher->operations->name),
                                sketcher->params.window, result.c, sketcher->params.residue};
    record->len = sketcher->len;
    record->coincidence = result.coincidence;
    sketcher->count = result.count;
    out->count = 0;
    return record_set_samples(record, result.samples, result.count, err);
}

/* The interval of the resemblance is that of a sample of the fingerprints in either; their number is in the
 * containments. */
static int compare_gf8(struct sketcher *sketcher, const struct sketch *a, const struct sketch *b,
                       struct sketch_likeness *out, struct error *err)
{
    struct comparison comparison;
    const struct estimate *e = &comparison.estimate;
    double compared;

    if (compare_relate(sketcher->comparer, &a->record, &b->record, NULL, &comparison, err))
        return -1;
    out->too_small = comparison.verdict == COMPARE_TOO_SMALL || comparison.verdict == COMPARE_LOW_ENTROPY;
    if (out->too_small)
        return 0;
    compared = e->resemblance > 0 ? (double)e->shared / e->resemblance
                                  : (double)(comparison.a_samples + comparison.b_samples);
    sketch_values_resemblance(out, e->shared, (uint64_t)(compared + 0.5), SKETCH_SAMPLE);
    out->has_containment = out->has_edits = out->has_edits_interval = true;
    out->a_in_b = e->a_in_b;
    out->b_in_a = e->b_in_a;
    out->edits = e->edits;
    out->edits_low = e->edits_low;
    out->edits_high = e->edits_high;
    return 0;
}

static int compare_coates(struct sketcher *sketcher, const struct sketch *a, const struct sketch *b,
                          struct sketch_likeness *out, struct error *err)
{
    struct compare_papers papers;

    out->too_small = a->len < a->params.window || b->len < b->params.window;
    if (out->too_small)
        return 0;
    if (compare_signatures(sketcher->comparer, &a->record, &b->record, NULL, NULL, &papers, err))
        return -1;
    out->too_small = papers.too_short;
    if (out->too_small)
        return 0;
    out->has_edits = out->has_significance = true;
    out->edits = a->params.scheme == SKETCH_COATES2011 ? papers.edits_2011 : papers.edits_2015;
    out->significance = papers.significance;
    return 0;
}

const struct sketch_operations sketch_of_gf8 = {
    .name = "gf8",
    .uses = SKETCH_USE_RATE,
    .has_containment = true,
    .defaults = {.scheme = SKETCH_GF8, .window = SAMPLER_DEFAULT_N, .rate = SAMPLER_AUTO},
    .prepare = prepare_record,
    .begin = begin_record,
    .update = update_record,
    .final = give_record,
    .compare = compare_gf8,
};

const struct sketch_operations sketch_of_coates2011 = {
    .name = "coates2011",
    .uses = SKETCH_USE_RATE | SKETCH_USE_RESIDUE,
    .defaults = {.scheme = SKETCH_COATES2011, .window = 10, .rate = 100},
    .prepare = prepare_record,
    .begin = begin_record,
    .update = update_record,
    .final = give_record,
    .compare = compare_coates,
};

const struct sketch_operations sketch_of_coates2015 = {
    .name = "coates2015",
    .uses = SKETCH_USE_RATE | SKETCH_USE_RESIDUE,
    .defaults = {.scheme = SKETCH_COATES2015, .window = 9, .rate = 101},
    .prepare = prepare_record,
    .begin = begin_record,
    .update = update_record,
    .final = give_record,
    .compare = compare_coates,
};
