/* SPDX-License-Identifier: Apache-2.0 */
#include "match/choice.h"

#include <math.h>
#include <stdlib.h>

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

/* Near-copies may have all samples in common; then only the proof distinguishes them. */
static double worth(const struct finding *finding)
{
    const uint64_t matched = finding->matched < finding->ref_size ? finding->matched : finding->ref_size;

    return (double)matched * (1 + fmax(finding->resemblance, finding->containment) + proved_share(finding));
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

/* Drops findings that repeat an identical one, and those that a better one explains, which counts them. */
static size_t drop_explained(struct finding *list, size_t count, uint64_t least, bool all)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        bool drop = list[i].matched < least && list[i].verdict != VERDICT_IDENTICAL;

        for (size_t k = 0; k < kept && !drop; k++) {
            drop = is_said(&list[i], &list[k]);
            if (!drop && !all && is_explained(&list[i], &list[k])) {
                list[k].also += 1 + list[i].also;
                drop = true;
            }
        }
        if (drop)
            free(list[i].ranges);
        else
            list[kept++] = list[i];
    }
    return kept;
}

void choice_make(struct findings *findings, uint64_t least, bool all)
{
    if (!findings->count)
        return;
    qsort(findings->list, findings->count, sizeof *findings->list, by_certainty);
    findings->count = drop_explained(findings->list, findings->count, least, all);
    qsort(findings->list, findings->count, sizeof *findings->list, by_worth);
}
