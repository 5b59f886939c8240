/* SPDX-License-Identifier: Apache-2.0 */
#include "match/examine.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "match/merit.h"
#include "match/proof.h"
#include "match/reorder.h"
#include "match/significance.h"
#include "match/whole.h"
#include "sample/blocks.h"

/* Stretches in which blocks are looked for: 128 KiB.  Bounds memory; ranges are tried in any case. */
enum { MOST_HINTS = 4096 };

/* The share of a reference's samples that must match before all of it is hashed, if it has no blocks.  Saves
 * reading; 0.4 to 0.95 make no difference (a_reference_without_blocks_is_proved_as_a_whole). */
static const double provable = 0.8;

struct examiner {
    struct aligner *aligner;
    struct significance *significance;
    struct reorderer *reorderer;
    struct prover *prover;
    double most_ln_e;
    struct set_file file;
    struct finding_range hints[MOST_HINTS];
};

struct examiner *examine_new(double most_ln_e, struct error *err)
{
    struct examiner *examiner = memory_new(sizeof *examiner, err);

    if (examiner && (examiner->aligner = alignment_new(err)) && (examiner->prover = proof_new(err)) &&
        (examiner->significance = significance_new(err)) && (examiner->reorderer = reorder_new(err))) {
        examiner->most_ln_e = most_ln_e;
        return examiner;
    }
    examine_free(examiner);
    return NULL;
}

void examine_free(struct examiner *examiner)
{
    if (!examiner)
        return;
    alignment_free(examiner->aligner);
    proof_free(examiner->prover);
    significance_free(examiner->significance);
    reorder_free(examiner->reorderer);
    set_file_release(&examiner->file);
    free(examiner);
}

int examine_begin(struct examiner *examiner, const struct seeds *seeds, const struct queries *queries,
                  const struct subject *subject, struct error *err)
{
    return significance_begin(examiner->significance, seeds, queries, subject, err);
}

/* ---- proof ---- */

/* Stretches in which all samples match: if any block is equal bit for bit, it is there. */
static size_t take_hints(const struct alignment *a, struct finding_range *hints)
{
    const struct estimate *estimate = &a->comparison.estimate;
    const size_t count = estimate->solid_count < MOST_HINTS ? estimate->solid_count : MOST_HINTS;

    for (size_t i = 0; i < count; i++) {
        const struct estimate_range *solid = &estimate->solid[i];

        hints[i] = (struct finding_range){a->start + solid->a_start, a->start + solid->a_end, solid->b_start,
                                          solid->b_end};
    }
    return count;
}

static uint64_t block_of(const struct alignment *a, struct set *set)
{
    return blocks_size(a->record->place.len, set->does->info(set)->params.block);
}

static int prove(struct examiner *examiner, const struct alignment *a, struct set *set, struct effort *effort,
                 struct finding *finding, struct error *err)
{
    const struct subject *subject = a->subject;
    const struct set_record *record = a->record;
    struct set_file *file = &examiner->file;
    const struct proof_samples samples = {.reference = &record->places,
                                          .object = subject->samples,
                                          .object_count = subject->count,
                                          .n = subject->n,
                                          .reference_c = record->place.c,
                                          .object_c = subject->c};
    struct proof_reference reference = {.len = record->place.len,
                                        .blocks = (const uint8_t *)record->blocks.data,
                                        .block_count = record->blocks.len / DIGEST_SHA1_LEN,
                                        .c = record->place.c,
                                        .hints = examiner->hints,
                                        .samples = &samples,
                                        .effort = effort,
                                        .hint_count = take_hints(a, examiner->hints)};

    if (finding->containment >= provable) {
        if (set->does->file(set, record->place.file, file, err) < 0)
            return -1;
        if (file->digests.kinds & DIGEST_BIT(DIGEST_SHA1))
            reference.sha1 = file->digests.bytes[DIGEST_SHA1];
    }
    if (reference.block_count)
        reference.block_size = block_of(a, set);
    return proof_run(examiner->prover, &reference, subject->content, subject->size, finding, err);
}

/* Whether a range is large enough for a block to be proved. */
static bool may_prove(const struct alignment *a, struct set *set, const struct finding *finding)
{
    const uint64_t block = block_of(a, set);
    const bool has_blocks = a->record->blocks.len > 0;

    for (size_t i = 0; i < finding->range_count && has_blocks; i++)
        if (finding->ranges[i].ref_end - finding->ranges[i].ref_start + 2 * a->record->place.c >= block)
            return true;
    return !has_blocks && finding->containment >= provable;
}

/* ---- what comes out ---- */

/* The resemblance of the whole object, even if only a window of it was compared. */
static double resemblance_of(const struct alignment *a)
{
    const struct estimate *e = &a->comparison.estimate;
    const double shared = (double)e->shared;
    const double all = (double)a->subject->count * a->subject->c / a->comparison.c;
    const double of_reference = e->b_in_a > 0 ? shared / e->b_in_a : 0;

    if (a->whole || all + of_reference - shared <= 0)
        return e->resemblance;
    return fmin(1, shared / (all + of_reference - shared));
}

static void take_edits(struct finding *finding, double edits, double low, double high)
{
    finding->has_edits = true;
    finding->edits = edits;
    finding->edits_low = low;
    finding->edits_high = high;
}

/* An embedded reference is measured against the part of the object in which it lies. */
static int measure_edits(struct examiner *examiner, struct alignment *a, struct effort *effort,
                         struct finding *finding, struct error *err)
{
    const struct estimate *e = &a->comparison.estimate;
    const struct finding_range *span = &finding->span;
    struct comparison trimmed;
    double least;

    if (finding->verdict == VERDICT_FRAGMENT)
        return 0;
    if (finding_is_complete(finding)) {
        const double more = finding->verdict == VERDICT_EMBEDDED
                                ? 0
                                : (double)a->subject->size - (double)a->record->place.len;

        take_edits(finding, more, more, more);
        return 0;
    }
    if (finding->verdict == VERDICT_EMBEDDED) {
        if (alignment_trim(examiner->aligner, a, span->obj_start, span->obj_end, span->ref_start,
                           span->ref_end, effort, &trimmed, err))
            return -1;
        e = &trimmed.estimate;
    }
    /* not identical, even if no sample shows it */
    least = finding->verdict == VERDICT_VARIANT ? 1 : 0;
    take_edits(finding, fmax(e->edits, least), fmax(e->edits_low, least), fmax(e->edits_high, least));
    return 0;
}

/* The first test: what lines up. */
static int judge_lines(struct examiner *examiner, const struct alignment *a, struct set *set,
                       struct finding *finding, bool *evidence, struct error *err)
{
    uint64_t anchors;

    *evidence = false;
    finding->ln_e = INFINITY;
    if (merit_ranges(a, finding, &anchors, err))
        return -1;
    *evidence = merit_is_evidence(a, finding, anchors);
    if (finding->range_count == 0 || (!*evidence && !may_prove(a, set, finding)))
        return 0;
    return significance_of_ranges(examiner->significance, a, finding, &finding->ln_e, err);
}

/* The second test: what both have, in whatever order.  E is the lower one of two, so twice as large. */
static int judge_order(struct examiner *examiner, const struct alignment *a, struct effort *effort,
                       struct finding *finding, bool *evidence, struct error *err)
{
    bool common_evidence;
    double common_ln_e;

    effort_add(effort, a->window->count + a->reference->count);
    if (reorder_judge(examiner->reorderer, examiner->significance, a, &common_ln_e, &common_evidence, err) ||
        reorder_ranges(examiner->reorderer, a, finding, err))
        return -1;
    *evidence = *evidence || common_evidence;
    finding->ln_e = log(2) + fmin(finding->ln_e, common_evidence ? common_ln_e : INFINITY);
    return 0;
}

/* Fills the finding.  Returns 1, 0 if there is no evidence, -1 on error. */
static int judge(struct examiner *examiner, struct alignment *a, struct set *set, struct effort *effort,
                 struct finding *finding, struct error *err)
{
    const struct verdict_case c = merit_case(a);
    double proved = INFINITY;
    bool evidence;

    finding->ref_size = a->record->place.len;
    finding->resemblance = resemblance_of(a);
    finding->containment = a->comparison.estimate.b_in_a;
    if (judge_lines(examiner, a, set, finding, &evidence, err) ||
        (verdict_is_reordered(&c) && judge_order(examiner, a, effort, finding, &evidence, err)))
        return -1;
    if (finding->range_count == 0 || (!evidence && !may_prove(a, set, finding)))
        return 0;
    if (prove(examiner, a, set, effort, finding, err))
        return -1;
    if (finding_is_complete(finding) &&
        significance_of_whole(examiner->significance, &finding->ranges[0], &proved, err))
        return -1;
    finding->ln_e = fmin(finding->ln_e, proved);
    if (!evidence && finding->proof == PROOF_ESTIMATE)
        return 0;
    finding->verdict = verdict_of_finding(&c, finding);
    return significance_features(examiner->significance, finding, err) ||
                   measure_edits(examiner, a, effort, finding, err)
               ? -1
               : 1;
}

/* Common content is worth reporting only as a whole. */
static bool is_worth_reporting(const struct seed_chain *chain, const struct finding *finding)
{
    return !chain->common || finding->verdict != VERDICT_FRAGMENT;
}

static int relate(struct examiner *examiner, const struct seeds *seeds, const struct queries *queries,
                  const struct subject *subject, const struct seed_chain *chain, struct effort *effort,
                  struct finding *finding, struct error *err)
{
    struct alignment alignment;
    const int made =
        alignment_make(examiner->aligner, seeds, queries, subject, chain, effort, &alignment, err);

    if (made <= 0)
        return made;
    if (alignment.comparison.verdict > COMPARE_FRAGMENT ||
        (alignment.comparison.estimate.range_count == 0 && !alignment.comparison.reordered))
        return 0;
    return judge(examiner, &alignment, seeds->set, effort, finding, err);
}

static int find_whole(struct examiner *examiner, struct set *set, const struct subject *subject,
                      const struct region *region, struct finding *finding, struct error *err)
{
    if (whole_find(set, subject, region, finding, err) ||
        significance_of_whole(examiner->significance, &finding->ranges[0], &finding->ln_e, err))
        return -1;
    return significance_features(examiner->significance, finding, err);
}

int examine_region(struct examiner *examiner, const struct seeds *seeds, const struct queries *queries,
                   const struct subject *subject, const struct region *region, struct effort *effort,
                   struct findings *findings, struct error *err)
{
    const struct seed_chain *chain = &region->chain;
    struct finding *finding = finding_list_add(findings, err);
    int result;

    if (!finding)
        return -1;
    if (region->whole)
        result = find_whole(examiner, seeds->set, subject, region, finding, err) ? -1 : 1;
    else
        result = relate(examiner, seeds, queries, subject, chain, effort, finding, err);
    if (result > 0 && finding->ln_e <= examiner->most_ln_e && is_worth_reporting(chain, finding)) {
        finding->file = chain->place.file;
        finding_rate(finding, region->rarity);
        return 1;
    }
    free(finding->ranges);
    findings->count--;
    return result < 0 ? -1 : 0;
}
