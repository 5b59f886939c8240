/* SPDX-License-Identifier: Apache-2.0 */
#include "match/choice.h"

#include <math.h>
#include <stdlib.h>

#include "match/spans.h"

enum {
    /* A finding inside one that is this many times larger is no near-copy of it, and is reported as well.  1
     * gives four times as many findings of copies; 4 loses 2 planted files and 46 rows, and the test
     * a_small_file_inside_a_large_one_is_reported_with_it fails. */
    MUCH_LARGER = 2,
    /* A finding is not reported if a better one explains this percentage of it.  60 loses a common block, a
     * fragment, and 3 of 107 references of the tar; 95 gains 3 blocks and a fragment, but also a quarter more
     * rows for the tar, and 19 for pairs. */
    COVERED_SHARE = 80,
};

static double proved_share(const struct finding *finding)
{
    switch (finding->proof) {
    case PROOF_SHA1:
        return 1;
    case PROOF_BLOCKS:
        return (double)finding->proved / (double)finding->blocks;
    default:
        return 0;
    }
}

/*
 * All the evidence for a reference: the share of the content of both that they have in common, of which what
 * few references have counts most.  Near-copies may have all samples in common; then only the proof
 * distinguishes them.
 */
static double worth(const struct finding *finding)
{
    return finding->resemblance * finding->rarity * (1 + proved_share(finding));
}

static int by_worth(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    if (x->set != y->set)
        return x->set < y->set ? -1 : 1;
    if ((x->verdict == VERDICT_IDENTICAL) != (y->verdict == VERDICT_IDENTICAL))
        return x->verdict == VERDICT_IDENTICAL ? -1 : 1;
    if (worth(x) != worth(y))
        return worth(x) > worth(y) ? -1 : 1;
    if (x->matched !=
        y->matched) /* content that repeats itself has the same samples, however often it does */
        return x->matched > y->matched ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->span.obj_start < y->span.obj_start ? -1 : x->span.obj_start > y->span.obj_start;
}

/* A finding proved from first to last byte explains one that is not, never the reverse. */
static int by_certainty(const void *a, const void *b)
{
    const bool x = finding_is_complete(a), y = finding_is_complete(b);

    return x != y ? (x ? -1 : 1) : by_worth(a, b);
}

/* The number of bytes of x that lie in ranges of y. */
static uint64_t overlap(const struct finding *x, const struct finding *y)
{
    uint64_t sum = 0;

    for (size_t i = 0, k = 0; i < x->range_count && k < y->range_count;) {
        const struct finding_range *a = &x->ranges[i], *b = &y->ranges[k];
        const uint64_t start = a->obj_start > b->obj_start ? a->obj_start : b->obj_start;
        const uint64_t end = a->obj_end < b->obj_end ? a->obj_end : b->obj_end;

        if (end > start)
            sum += end - start;
        if (a->obj_end < b->obj_end)
            i++;
        else
            k++;
    }
    return sum;
}

/*
 * Whether a better finding of the same set explains this one.  A whole reference that lies where a much
 * larger one does is still worth reporting: the two are no near-copies.
 */
static bool is_explained(const struct finding *finding, const struct finding *better)
{
    if (better->set != finding->set || overlap(finding, better) * 100 < finding->matched * COVERED_SHARE)
        return false;
    return better->verdict == VERDICT_IDENTICAL || finding->verdict == VERDICT_FRAGMENT ||
           finding->matched * MUCH_LARGER > better->matched;
}

/* Whether the better finding already states that the whole object is this reference. */
static bool is_said(const struct finding *finding, const struct finding *better)
{
    return better->verdict == VERDICT_IDENTICAL && better->set == finding->set &&
           better->file == finding->file;
}

/* A finding, and those that were kept so far. */
struct rivalry {
    const struct finding *finding, *kept;
    bool all;
};

static bool is_redundant(const void *arg, size_t number)
{
    const struct rivalry *rivalry = arg;
    const struct finding *better = &rivalry->kept[number];

    return is_said(rivalry->finding, better) || (!rivalry->all && is_explained(rivalry->finding, better));
}

/* The byte in the middle of those that match: whatever explains more than half of them spans it. */
static uint64_t middle_of(const struct finding *finding)
{
    uint64_t left = finding->matched / 2;

    for (size_t i = 0; i < finding->range_count; i++) {
        const uint64_t len = finding->ranges[i].obj_end - finding->ranges[i].obj_start;

        if (left < len)
            return finding->ranges[i].obj_start + left;
        left -= len;
    }
    return finding->span.obj_start;
}

/* Counts an explained finding, and what was counted with it, in the better one. */
static void count_in(struct finding *better, const struct finding *finding)
{
    better->also += 1 + finding->also;
    if (finding->family > better->family)
        better->family = finding->family;
}

/* Of near-copies, several findings may count the same ones, and none those that the set does not know. */
static void count_families(struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        struct finding *finding = &findings->list[i];

        if (finding->family)
            finding->also = finding->family - 1;
    }
}

/* Drops findings that repeat an identical one, and those that a better one explains, which counts them. */
static int drop_explained(struct findings *findings, uint64_t least, bool all, struct spans *spans,
                          struct error *err)
{
    struct finding *list = findings->list;
    const size_t count = findings->count;
    int result = 0;

    findings->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct rivalry rivalry = {&list[i], list, all};
        const bool is_small = list[i].matched < least && list[i].verdict != VERDICT_IDENTICAL;
        const size_t better =
            is_small ? SPANS_NONE : spans_first(spans, middle_of(&list[i]), is_redundant, &rivalry);

        if (better != SPANS_NONE && !is_said(&list[i], &list[better]))
            count_in(&list[better], &list[i]);
        if (result == 0 && !is_small && better == SPANS_NONE) {
            const size_t number = findings->count++;

            list[number] = list[i];
            result = spans_add(spans, list[i].span.obj_start, list[i].span.obj_end, number, err);
        } else {
            free(list[i].ranges);
        }
    }
    return result;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

int choice_make(struct findings *findings, uint64_t least, bool all, struct error *err)
{
    const size_t count = findings->count;
    uint64_t *middles = malloc((count + 1) * sizeof *middles);
    struct spans spans = {0};
    int result = -1;

    if (!middles)
        return error_set(err, "out of memory for %zu findings", count);
    for (size_t i = 0; i < count; i++)
        middles[i] = middle_of(&findings->list[i]);
    if (count) {
        qsort(middles, count, sizeof *middles, by_number);
        qsort(findings->list, count, sizeof *findings->list, by_certainty);
    }
    if (spans_open(&spans, middles, count, err) == 0)
        result = drop_explained(findings, least, all, &spans, err);
    count_families(findings);
    if (findings->count)
        qsort(findings->list, findings->count, sizeof *findings->list, by_worth);
    spans_release(&spans);
    free(middles);
    return result;
}
