/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "match/matcher_inner.h"

enum {
    LEAST_SOLID = 128, /* bytes that match without a break, */
    SOLID_ANCHORS = 3, /* with so many matches, */
    FAR_ANCHORS = 5,   /* or so many where the reference was not thought to be, */
    RICH_WINDOW = 32,  /* in each so many of which */
    RICH_BYTES = 9,    /* are so many different ones, */
    RICH_DIFFERENCES = 10,
    RICH_BEFORE = 24, /* and so many differences to bytes up to so far before */
    RICH_TRIES = 64,
    DENSE_ANCHORS = 12,
    EDGE_SHARE = 20,   /* of the object: so much may lie outside of what is known to match */
    STRAY_ANCHORS = 3, /* fewer matches that lie */
    STRAY_LEAST = 256, /* farther off, in bytes, */
    STRAY_SHARE = 16,  /* and a share of the reference's length, */
    STRAY_MOST = 4096, /* up to so much, say nothing; */
    STRAY_GAP = 64,    /* nor do those so many samples away from all others */
};

static const double dense_share = 0.05; /* of the samples, that match */
static const double nearly = 0.98;      /* all of it, but for estimates at the ends */
static const double mostly = 0.9;
static const double cut_off = 0.1; /* of the reference: then it is no newer version */
static const double embedded_share = 0.8;

/* ---- which ranges to believe ---- */

/* Whether a diagonal is one of the candidate's, or about. */
static bool lies_near(const struct aligning *a, int64_t diagonal)
{
    const struct cluster *cluster = &a->candidate->cluster;
    const uint64_t share = a->place.len / STRAY_SHARE;
    const int64_t slack = STRAY_LEAST + (int64_t)(share < STRAY_MOST ? share : STRAY_MOST);

    return diagonal >= cluster->low - slack && diagonal <= cluster->high + slack;
}

static bool is_near(const struct aligning *a, const struct estimate_range *range)
{
    return lies_near(a, (int64_t)(a->start + range->a_start - range->b_start));
}

/* Whether the ranges before and behind it are far away. */
static bool stands_alone(const struct aligning *a, const struct estimate *estimate, size_t i)
{
    const struct estimate_range *range = &estimate->ranges[i];
    const uint64_t gap = (uint64_t)STRAY_GAP * a->window->params.c;

    return estimate->range_count > 1 && (i == 0 || range[0].a_start > range[-1].a_end + gap) &&
           (i + 1 == estimate->range_count || range[1].a_start > range[0].a_end + gap);
}

/* A match or two elsewhere may be chance: on the right diagonal, too, where a sample is known by its place
 * and its character alone. */
static bool is_stray(const struct aligning *a, const struct estimate *estimate, size_t i)
{
    return estimate->ranges[i].anchors < STRAY_ANCHORS &&
           (!is_near(a, &estimate->ranges[i]) || stands_alone(a, estimate, i));
}

int matcher_judge_ranges(struct aligning *a, const struct estimate *estimate, struct finding *finding)
{
    size_t count = 0;

    a->anchors = 0;
    if (finding_resize(finding, estimate->range_count, a->err))
        return -1;
    for (size_t i = 0; i < estimate->range_count; i++) {
        const struct estimate_range *range = &estimate->ranges[i];

        if (is_stray(a, estimate, i))
            continue;
        a->anchors += range->anchors;
        finding->ranges[count++] = (struct finding_range){a->start + range->a_start, a->start + range->a_end,
                                                          range->b_start, range->b_end};
    }
    finding->range_count = count;
    finding_measure(finding);
    return 0;
}

/* ---- whether it is evidence ---- */

static size_t samples_in(const struct record *record, uint64_t start, uint64_t end)
{
    size_t count = 0;

    for (size_t i = 0; i < record->count && record->samples[i].pos < end; i++)
        count += record->samples[i].pos >= start;
    return count;
}

/*
 * Samples that line up are not always content in common: tables of relocations, of addresses or of glyphs are
 * alike in all programs and fonts, as they count up in the same way.  So there must be a stretch in which
 * everything matches, of bytes that vary as text, code or pictures do; or else so many matches in such bytes
 * among what does not match that dense edits explain it.
 */

/* How many different bytes a window has, or differences to the bytes so far before. */
static unsigned count_different(const uint8_t *window, size_t stride)
{
    bool seen[256] = {false};
    unsigned count = 0;

    for (size_t i = 0; i < RICH_WINDOW; i++) {
        const uint8_t value = (uint8_t)(window[i] - (stride ? *(window + i - stride) : 0));

        count += !seen[value];
        seen[value] = true;
    }
    return count;
}

/* What counts up in steps of two, four or 24 bytes has few differences. */
static bool is_rich(const uint8_t *window)
{
    static const size_t strides[] = {1, 2, 3, 4, 8, 12, 16, RICH_BEFORE};

    if (count_different(window, 0) < RICH_BYTES)
        return false;
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
        if (count_different(window, strides[i]) < RICH_DIFFERENCES)
            return false;
    return true;
}

/* Bytes of the object from start to end in windows that are rich, up to most; all if they cannot be read
 * again: nobody knows better. */
static size_t rich_bytes(const struct aligning *a, uint64_t start, uint64_t end, size_t most)
{
    struct content *content = a->object->content;
    uint64_t at = start > RICH_BEFORE ? start - RICH_BEFORE : 0;
    size_t rich = 0;

    while (at + RICH_BEFORE + RICH_WINDOW <= end && rich < most) {
        const size_t len = end - at < ALIGNER_PIECE ? (size_t)(end - at) : ALIGNER_PIECE;

        if (!content || content->read(content, at, a->piece, len))
            return (size_t)(end - start);
        for (size_t i = RICH_BEFORE; i + RICH_WINDOW <= len && rich < most; i += RICH_WINDOW)
            rich += is_rich(a->piece + i) ? RICH_WINDOW : 0;
        at += len - RICH_BEFORE - (len - RICH_BEFORE) % RICH_WINDOW;
    }
    return rich;
}

/* Whether pos, which grows from call to call, lies in a range; *range: the first that ends behind it. */
static bool is_in_range(const struct finding *finding, uint64_t pos, size_t *range)
{
    while (*range < finding->range_count && finding->ranges[*range].obj_end <= pos)
        ++*range;
    return *range < finding->range_count && pos >= finding->ranges[*range].obj_start;
}

static size_t samples_in_ranges(const struct aligning *a, const struct finding *finding)
{
    size_t count = 0, range = 0;

    for (size_t i = 0; i < a->window->count; i++)
        count += is_in_range(finding, a->start + a->window->samples[i].pos, &range);
    return count;
}

/* The share of the samples in the ranges that lie in bytes that vary, by some of them. */
static double rich_share(const struct aligning *a, const struct finding *finding)
{
    const size_t step = samples_in_ranges(a, finding) / RICH_TRIES + 1;
    size_t inside = 0, tried = 0, rich = 0, range = 0;

    for (size_t i = 0; i < a->window->count; i++) {
        const uint64_t pos = a->start + a->window->samples[i].pos;

        if (!is_in_range(finding, pos, &range) || inside++ % step != 0)
            continue;
        tried++;
        rich += rich_bytes(a, pos, pos + RICH_WINDOW, 1) > 0;
    }
    return tried ? (double)rich / (double)tried : 0;
}

static bool has_density(const struct aligning *a, const struct estimate *e, const struct finding *finding)
{
    const uint64_t different =
        a->anchors < e->shared ? a->anchors : e->shared; /* not phrases that come again */
    const struct finding_range *span = &finding->span;
    const size_t in_window = samples_in(a->window, span->obj_start - a->start, span->obj_end - a->start);
    const size_t in_reference = samples_in(a->reference, span->ref_start, span->ref_end);
    const size_t fewer = in_window < in_reference ? in_window : in_reference;

    if (different < DENSE_ANCHORS || (double)different < dense_share * (double)fewer)
        return false;
    return (double)different * rich_share(a, finding) >= DENSE_ANCHORS;
}

static bool is_solid(const struct aligning *a, const struct estimate *estimate)
{
    for (size_t i = 0; i < estimate->solid_count; i++)
        if (estimate->solid[i].anchors >= (is_near(a, &estimate->solid[i]) ? SOLID_ANCHORS : FAR_ANCHORS) &&
            rich_bytes(a, a->start + estimate->solid[i].a_start, a->start + estimate->solid[i].a_end,
                       LEAST_SOLID) >= LEAST_SOLID)
            return true;
    return false;
}

bool matcher_judge_is_evidence(const struct aligning *a, const struct estimate *estimate,
                               const struct finding *finding)
{
    return is_solid(a, estimate) || has_density(a, estimate, finding);
}

/* ---- what it is ---- */

/* Ends of ranges that are not proved are known about as well as samples lie close. */
static uint64_t slack_of(const struct aligning *a, const struct finding *finding)
{
    return finding_is_complete(finding) ? 0 : 2 * (uint64_t)a->place.c;
}

static int64_t diagonal_of(const struct finding_range *range)
{
    return (int64_t)(range->obj_start - range->ref_start);
}

/* The ranges on the diagonal of the longest one. */
static struct finding_range main_piece(const struct finding *finding, uint64_t *matched)
{
    const struct finding_range *longest = &finding->ranges[0];
    struct finding_range piece;

    for (size_t i = 1; i < finding->range_count; i++)
        if (finding->ranges[i].obj_end - finding->ranges[i].obj_start > longest->obj_end - longest->obj_start)
            longest = &finding->ranges[i];
    piece = *longest;
    *matched = 0;
    for (size_t i = 0; i < finding->range_count; i++) {
        const struct finding_range *range = &finding->ranges[i];

        if (diagonal_of(range) != diagonal_of(longest) ||
            range->obj_end - range->obj_start != range->ref_end - range->ref_start)
            continue;
        *matched += range->obj_end - range->obj_start;
        if (range->obj_start < piece.obj_start) {
            piece.obj_start = range->obj_start;
            piece.ref_start = range->ref_start;
        }
        if (range->obj_end > piece.obj_end) {
            piece.obj_end = range->obj_end;
            piece.ref_end = range->ref_end;
        }
    }
    return piece;
}

/* Whether what matches is one stretch in both; content that repeats may have been found elsewhere in the
 * reference. */
static bool is_one_piece(const struct finding *finding, struct finding_range *piece)
{
    uint64_t matched;

    *piece = main_piece(finding, &matched);
    return piece->obj_end - piece->obj_start == piece->ref_end - piece->ref_start &&
           (double)matched >= nearly * (double)(piece->obj_end - piece->obj_start) &&
           (double)matched >= mostly * (double)finding->matched;
}

/* The rest is repetition. */
static void keep_piece(struct finding *finding, const struct finding_range *piece)
{
    finding->ranges[0] = *piece;
    finding->range_count = 1;
    finding_measure(finding);
}

/* Whether the object is nothing but a part of the reference: cut out of it, or much of it cut off. */
static bool is_nothing_else(const struct aligning *a, const struct finding_range *piece, uint64_t slack)
{
    const uint64_t outside = piece->obj_start + a->object->size - piece->obj_end;
    const uint64_t before = piece->ref_start, behind = a->place.len - piece->ref_end;

    return outside <= slack + a->object->size / EDGE_SHARE &&
           ((before > slack && behind > slack) ||
            (double)(before + behind) >= cut_off * (double)a->place.len);
}

/*
 * What is roughly as long as the reference and shares half of it is a variant, unless it is more exactly
 * told: all of the reference with other things before and behind it is embedded, and an object that is
 * nothing but a part of it, cut out or cut off, is a fragment.  (A reference to which something was only
 * added, before or behind, is a variant.)
 */
static enum verdict verdict_of_kin(const struct aligning *a, struct finding *finding)
{
    const uint64_t slack = slack_of(a, finding);
    struct finding_range piece;
    uint64_t before, behind, missing_before, missing_behind, missing;
    enum verdict verdict = VERDICT_VARIANT;

    if (!is_one_piece(finding, &piece))
        return VERDICT_VARIANT;
    before = piece.obj_start;
    behind = a->object->size - piece.obj_end;
    missing_before = piece.ref_start;
    missing_behind = a->place.len - piece.ref_end;
    missing = missing_before + missing_behind;
    if (missing <= slack && (a->object->range || (before > slack && behind > slack)))
        verdict = VERDICT_EMBEDDED;
    else if (missing > slack && (a->object->range || is_nothing_else(a, &piece, slack)))
        verdict = VERDICT_FRAGMENT;
    if (verdict != VERDICT_VARIANT)
        keep_piece(finding, &piece);
    return verdict;
}

/* Ranges far from where the reference lies as a whole are mere repetition. */
static void keep_near(const struct aligning *a, struct finding *finding)
{
    size_t kept = 0;

    for (size_t i = 0; i < finding->range_count; i++)
        if (lies_near(a, diagonal_of(&finding->ranges[i])))
            finding->ranges[kept++] = finding->ranges[i];
    finding->range_count = kept;
    finding_measure(finding);
}

/* Whether all of the reference, or nearly, lies in the object: as it is or with edits.  If it does so in one
 * place, others are forgotten. */
static bool is_embedded(const struct aligning *a, const struct estimate *e, struct finding *finding)
{
    uint64_t near = 0;

    if (finding_is_complete(finding))
        return true;
    for (size_t i = 0; i < finding->range_count; i++)
        if (lies_near(a, diagonal_of(&finding->ranges[i])))
            near += finding->ranges[i].ref_end - finding->ranges[i].ref_start;
    if ((double)near < embedded_share * (double)a->place.len)
        return near > 0 && e->b_in_a >= embedded_share;
    keep_near(a, finding);
    return true;
}

enum verdict matcher_judge_verdict(const struct aligning *a, const struct comparison *comparison,
                                   struct finding *finding)
{
    const struct estimate *e = &comparison->estimate;

    if (a->whole && (comparison->verdict == COMPARE_VARIANT ||
                     (comparison->verdict == COMPARE_EMBEDDED && a->object->size / 2 <= a->place.len &&
                      a->place.len / 2 <= a->object->size)))
        return verdict_of_kin(a, finding);
    if (comparison->verdict == COMPARE_EMBEDDED && comparison->a_in_b && !finding_is_complete(finding))
        return VERDICT_FRAGMENT;
    return is_embedded(a, e, finding) ? VERDICT_EMBEDDED : VERDICT_FRAGMENT;
}
