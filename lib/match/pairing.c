/* SPDX-License-Identifier: Apache-2.0 */
#include "match/pairing.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/search.h"
#include "compare/verdict.h"
#include "match/merit.h"
#include "match/reorder.h"
#include "match/significance.h"

/* Samples whose bytes are looked at: enough for any E, and bounds time. */
enum { RICH_TRIES = 4096 };

/*
 * The E that the samples in bytes that vary need to be evidence by themselves, if there are too few for a
 * scan, which meets phrases that recur in countless objects.  Of 4,000 pairs of files of different packages
 * it adds 55 to 82, all with phrases in common (notices, heads of translations; 9 have less than 128 bytes of
 * them in strings of 32); 35 of 40 texts of 500 bytes wrapped anew are found instead of 8, 25 of 40 quoted
 * instead of 4.
 */
static const double least_e = 1e-9;

/* A sample of a, in the order of fingerprints. */
struct ordered {
    uint64_t fp;
    uint32_t number; /* in a */
};

static const uint32_t not_in_b = UINT32_MAX;

/* What a scan of a would have after searching a set that has only b: all that leads to an alignment, without
 * any limit on work. */
struct pairing {
    struct record a_reduced, b_reduced, rich;
    const struct record *a, *b; /* at the same C */
    struct set set;             /* which is described by: */
    struct refset_info info;
    struct subject subject;
    struct ordered *ordered;
    uint32_t *query_of; /* the number of each sample of a among those that b has */
    struct query *all;
    uint32_t *numbers; /* of the queries, in order */
    uint32_t *files;   /* 0 for each: none is postponed */
    struct seeds seeds;
    struct queries queries;
    size_t a_room, b_room;
    struct seed_chain chain;
    struct set_record record;
    struct significance *significance;
    struct reorderer *reorderer;
    struct finding finding;
    struct estimate_range *ranges; /* what is left of them */
    size_t range_room;
};

static const struct refset_info *info_of(const struct set *set)
{
    return &((const struct pairing *)((const char *)set - offsetof(struct pairing, set)))->info;
}

struct pairing *pairing_new(struct error *err)
{
    static const struct set_operations one_file = {.info = info_of};
    struct pairing *pairing = memory_new(sizeof *pairing, err);

    if (pairing && (pairing->significance = significance_new(err)) &&
        (pairing->reorderer = reorder_new(err))) {
        pairing->set.does = &one_file;
        return pairing;
    }
    pairing_free(pairing);
    return NULL;
}

void pairing_free(struct pairing *pairing)
{
    if (!pairing)
        return;
    record_release(&pairing->a_reduced);
    record_release(&pairing->b_reduced);
    record_release(&pairing->rich);
    significance_free(pairing->significance);
    reorder_free(pairing->reorderer);
    free(pairing->ordered);
    free(pairing->query_of);
    free(pairing->all);
    free(pairing->numbers);
    free(pairing->files);
    free(pairing->seeds.list);
    free(pairing->finding.ranges);
    free(pairing->ranges);
    free(pairing);
}

/* ---- what a search would have found ---- */

static int by_fingerprint(const void *x, const void *y)
{
    const struct ordered *a = x, *b = y;

    if (a->fp != b->fp)
        return a->fp < b->fp ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int make_room(struct pairing *pairing, struct error *err)
{
    const size_t a = pairing->a->count, b = pairing->b->count;

    if (array_reserve_all(&pairing->a_room, a, ARRAY_PART(&pairing->ordered), ARRAY_PART(&pairing->query_of),
                          ARRAY_PART(&pairing->all), ARRAY_PART(&pairing->numbers),
                          ARRAY_PART(&pairing->files)) ||
        array_reserve(&pairing->seeds.list, &pairing->b_room, b))
        return error_set(err, "out of memory for %zu and %zu samples", a, b);
    return 0;
}

static void order_samples(struct pairing *pairing)
{
    const struct record *a = pairing->a;

    for (size_t i = 0; i < a->count; i++) {
        pairing->ordered[i] = (struct ordered){a->samples[i].fp, (uint32_t)i};
        pairing->query_of[i] = not_in_b;
    }
    if (a->count)
        qsort(pairing->ordered, a->count, sizeof *pairing->ordered, by_fingerprint);
}

/* Finds which samples of a are in b: those equal to a sample of b, from the first one of them on. */
static void mark_equal(struct pairing *pairing, size_t first)
{
    const struct ordered *ordered = pairing->ordered;

    if (pairing->query_of[ordered[first].number] != not_in_b)
        return;
    for (size_t i = first; i < pairing->a->count && ordered[i].fp == ordered[first].fp; i++)
        pairing->query_of[ordered[i].number] = 0;
}

/* Finds a seed for each sample of b that a has: the first one there that is equal. */
static void find_seeds(struct pairing *pairing)
{
    const struct ordered *ordered = pairing->ordered;
    const size_t count = pairing->a->count;

    pairing->seeds.count = 0;
    for (size_t j = 0; j < pairing->b->count; j++) {
        const uint64_t fp = pairing->b->samples[j].fp;
        const size_t first = SEARCH_FIRST(i, 0, count, ordered[i].fp >= fp);

        if (first == count || ordered[first].fp != fp)
            continue;
        mark_equal(pairing, first);
        pairing->seeds.list[pairing->seeds.count++] = (struct seed){j, ordered[first].number, SEED_RARE};
    }
}

/* Numbers the samples of a that b has, in their order. */
static void number_queries(struct pairing *pairing)
{
    size_t count = 0;

    for (size_t i = 0; i < pairing->a->count; i++) {
        const struct sample *sample = &pairing->a->samples[i];

        if (pairing->query_of[i] == not_in_b)
            continue;
        pairing->query_of[i] = pairing->numbers[count] = (uint32_t)count;
        pairing->files[count] = 0;
        pairing->all[count++] = (struct query){sample->pos, sample->fp, 1};
    }
    for (size_t i = 0; i < pairing->seeds.count; i++)
        pairing->seeds.list[i].query = pairing->query_of[pairing->seeds.list[i].query];
    pairing->queries = (struct queries){.all = pairing->all,
                                        .all_count = count,
                                        .numbers = pairing->numbers,
                                        .files = pairing->files,
                                        .count = count,
                                        .size = pairing->a->len,
                                        .c = pairing->a->params.c};
}

static int search(struct pairing *pairing, struct error *err)
{
    if (make_room(pairing, err))
        return -1;
    order_samples(pairing);
    find_seeds(pairing);
    number_queries(pairing);
    pairing->seeds.set = &pairing->set;
    pairing->info.params.c = pairing->b->params.c;
    pairing->info.counts = (struct refset_counts){
        .files = 1, .records = 1, .bytes = pairing->b->len, .samples = pairing->b->count};
    return 0;
}

/* ---- the alignment ---- */

static void set_subject(struct pairing *pairing, struct content *content)
{
    const struct record *a = pairing->a;

    pairing->subject = (struct subject){.size = a->len,
                                        .n = a->params.n,
                                        .c = a->params.c,
                                        .probed_c = a->params.c,
                                        .samples = a->samples,
                                        .count = a->count,
                                        .sampled = a->len,
                                        .coincidence = a->coincidence,
                                        .content = content};
}

static int64_t diagonal_of(const struct estimate_range *range)
{
    return (int64_t)(range->a_start - range->b_start);
}

static int by_diagonal(const void *x, const void *y)
{
    const int64_t a = diagonal_of(x), b = diagonal_of(y);

    return a < b ? -1 : a > b;
}

/* The reference lies where most of the matches are, in a band of diagonals.  Reorders the ranges. */
static struct cluster find_band(struct estimate_range *ranges, size_t count, double width)
{
    struct cluster best = {.hits = 0};
    size_t low = 0, anchors = 0;

    if (count)
        qsort(ranges, count, sizeof *ranges, by_diagonal);
    for (size_t i = 0; i < count; i++) {
        anchors += ranges[i].anchors;
        while ((double)(diagonal_of(&ranges[i]) - diagonal_of(&ranges[low])) > width)
            anchors -= ranges[low++].anchors;
        if (anchors <= best.hits)
            continue;
        best.hits = anchors;
        best.low = diagonal_of(&ranges[low]);
        best.high = diagonal_of(&ranges[i]);
    }
    return best;
}

static int set_chain(struct pairing *pairing, const struct estimate *estimate, struct error *err)
{
    const uint64_t a = pairing->a->len, b = pairing->b->len;
    const struct chance_pair pair = {.object_len = a, .reference_len = b};
    const size_t count = estimate->range_count;

    if (array_reserve(&pairing->ranges, &pairing->range_room, count))
        return error_set(err, "out of memory for %zu ranges", count);
    if (count)
        memcpy(pairing->ranges, estimate->ranges, count * sizeof *pairing->ranges);
    pairing->record.place =
        (struct set_place){.count = pairing->b->count, .len = b, .c = pairing->b->params.c};
    pairing->chain = (struct seed_chain){.place = pairing->record.place,
                                         .count = pairing->seeds.count,
                                         .cluster = find_band(pairing->ranges, count, chance_band(&pair))};
    return 0;
}

/* ---- the judgement ---- */

static void set_none(const struct pairing *pairing, struct comparison *comparison)
{
    struct estimate *estimate = &comparison->estimate;
    const struct record *a = pairing->a, *b = pairing->b;

    comparison->a_in_b = comparison->b_in_a = comparison->reordered = false;
    comparison->verdict = verdict_without_match(a->count, a->len, comparison->c);
    if (comparison->verdict == COMPARE_NONE)
        comparison->verdict = verdict_without_match(b->count, b->len, comparison->c);
    estimate_measure(NULL, 0, estimate);
}

/* A scan calls an object that is a part of the reference a fragment of it; here, either may lie in the other.
 */
static void set_verdict(struct comparison *comparison, enum verdict verdict)
{
    const bool is_part = comparison->a_in_b || comparison->verdict == COMPARE_VARIANT;

    comparison->a_in_b = verdict == VERDICT_FRAGMENT && is_part;
    comparison->b_in_a = verdict == VERDICT_EMBEDDED;
    comparison->verdict = verdict == VERDICT_VARIANT                 ? COMPARE_VARIANT
                          : comparison->a_in_b || comparison->b_in_a ? COMPARE_EMBEDDED
                                                                     : COMPARE_FRAGMENT;
}

/* The matches in a range that is left: all in what was joined to it.  *next: the first range that may begin
 * in it, both being in order. */
static uint64_t anchors_in(const struct estimate *estimate, const struct finding_range *range, size_t *next)
{
    uint64_t anchors = 0;

    while (*next < estimate->range_count && estimate->ranges[*next].a_start < range->obj_start)
        ++*next;
    for (size_t i = *next; i < estimate->range_count && estimate->ranges[i].a_start < range->obj_end; i++)
        if (estimate->ranges[i].b_start >= range->ref_start && estimate->ranges[i].b_end <= range->ref_end)
            anchors += estimate->ranges[i].anchors;
    return anchors;
}

/* Puts the finding's ranges in the place of those of the comparison. */
static int keep_ranges(struct pairing *pairing, struct estimate *estimate, struct error *err)
{
    const struct finding *finding = &pairing->finding;
    size_t next = 0;

    if (array_reserve(&pairing->ranges, &pairing->range_room, finding->range_count))
        return error_set(err, "out of memory for %zu ranges", finding->range_count);
    for (size_t i = 0; i < finding->range_count; i++) {
        const struct finding_range *range = &finding->ranges[i];

        pairing->ranges[i] = (struct estimate_range){range->obj_start, range->obj_end, range->ref_start,
                                                     range->ref_end, anchors_in(estimate, range, &next)};
    }
    estimate_measure(pairing->ranges, finding->range_count, estimate);
    return 0;
}

/* Leaves only those samples of the object that match in bytes that vary.  Some of them suffice. */
static int keep_rich(struct pairing *pairing, struct error *err)
{
    const struct record *a = pairing->a;
    struct record *rich = &pairing->rich;
    size_t tried = 0, kept = 0;

    if (record_resize(rich, a->count, err))
        return -1;
    for (size_t i = 0; i < a->count && tried < RICH_TRIES; i++) {
        if (pairing->query_of[i] == not_in_b)
            continue;
        tried++;
        if (merit_is_rich_at(pairing->subject.content, a->samples[i].pos))
            rich->samples[kept++] = a->samples[i];
    }
    rich->count = kept;
    rich->len = a->len;
    rich->params = a->params;
    return 0;
}

/* Whether the samples that match in bytes that vary are evidence by themselves: enough of them line up.
 * Returns 1, 0, or -1 if out of memory. */
static int lines_up(struct pairing *pairing, const struct alignment *alignment, const struct finding *finding,
                    struct error *err)
{
    struct alignment rich = *alignment;
    double ln_e;

    rich.window = &pairing->rich;
    if (keep_rich(pairing, err) || significance_of_ranges(pairing->significance, &rich, finding, &ln_e, err))
        return -1;
    return ln_e <= log(least_e);
}

/* Whether what lines up is evidence, and its ln E.  Returns 1, 0, or -1 if out of memory. */
static int judge_lines(struct pairing *pairing, const struct alignment *alignment, double *ln_e,
                       struct error *err)
{
    struct finding *finding = &pairing->finding;
    uint64_t anchors;
    int evidence;

    if (merit_ranges(alignment, finding, &anchors, err))
        return -1;
    if (finding->range_count == 0)
        return 0;
    evidence =
        merit_is_evidence(alignment, finding, anchors) ? 1 : lines_up(pairing, alignment, finding, err);
    if (evidence > 0 && significance_of_ranges(pairing->significance, alignment, finding, ln_e, err))
        return -1;
    return evidence;
}

/* The same of what both have in whatever order. */
static int judge_order(struct pairing *pairing, const struct alignment *alignment, double *ln_e,
                       struct error *err)
{
    double common_ln_e;
    bool evidence;

    if (reorder_judge(pairing->reorderer, pairing->significance, alignment, &common_ln_e, &evidence, err) ||
        reorder_ranges(pairing->reorderer, alignment, &pairing->finding, err))
        return -1;
    *ln_e = log(2) + fmin(*ln_e, evidence ? common_ln_e : INFINITY);
    return evidence;
}

/* As examine.h judges an alignment, without proof. */
static int judge(struct pairing *pairing, struct comparison *comparison, double *ln_e, struct error *err)
{
    const struct alignment alignment = {.subject = &pairing->subject,
                                        .chain = &pairing->chain,
                                        .record = &pairing->record,
                                        .window = pairing->a,
                                        .reference = pairing->b,
                                        .end = pairing->a->len,
                                        .whole = true,
                                        .comparison = *comparison};
    const struct verdict_case c = merit_case(&alignment);
    struct finding *finding = &pairing->finding;
    int lines, order = 0;

    if (significance_begin(pairing->significance, &pairing->seeds, &pairing->queries, &pairing->subject, err))
        return -1;
    lines = judge_lines(pairing, &alignment, ln_e, err);
    if (lines >= 0 && verdict_is_reordered(&c))
        order = judge_order(pairing, &alignment, ln_e, err);
    if (lines < 0 || order < 0)
        return -1;
    if (!lines && !order) {
        set_none(pairing, comparison);
        *ln_e = INFINITY;
        return 0;
    }
    finding->proof = PROOF_ESTIMATE;
    finding->ref_size = pairing->b->len;
    set_verdict(comparison, verdict_of_finding(&c, finding));
    return keep_ranges(pairing, &comparison->estimate, err);
}

int pairing_judge(struct pairing *pairing, const struct record *a, const struct record *b,
                  struct content *content, struct comparison *comparison, double *ln_e, struct error *err)
{
    *ln_e = INFINITY;
    if (comparison->verdict < COMPARE_VARIANT || comparison->verdict > COMPARE_FRAGMENT)
        return 0;
    pairing->a = record_reduced(a, comparison->c, &pairing->a_reduced, err);
    pairing->b = pairing->a ? record_reduced(b, comparison->c, &pairing->b_reduced, err) : NULL;
    if (!pairing->b || search(pairing, err))
        return -1;
    if (comparison->estimate.range_count == 0 && !comparison->reordered) {
        set_none(pairing, comparison);
        return 0;
    }
    set_subject(pairing, content);
    if (set_chain(pairing, &comparison->estimate, err))
        return -1;
    return judge(pairing, comparison, ln_e, err);
}
