/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "matcher_inner.h"

enum {
    LEAST_SOLID = 128, /* bytes that match without a break, */
    SOLID_ANCHORS = 3, /* with so many matches, */
    RICH_WINDOW = 32,  /* in each so many of which */
    RICH_BYTES = 9,    /* are so many different ones */
    DENSE_ANCHORS = 12,
    EDGE_SHARE = 20,   /* of the object: so much may lie outside of what is known to match */
    STRAY_ANCHORS = 3, /* fewer matches that lie */
    STRAY_LEAST = 256, /* farther off, in bytes, */
    STRAY_SHARE = 16,  /* and a share of the reference's length, */
    STRAY_MOST = 4096, /* up to so much, say nothing */
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

/* A match or two elsewhere may be chance. */
static bool is_stray(const struct aligning *a, const struct estimate_range *range)
{
    return range->anchors < STRAY_ANCHORS && !is_near(a, range);
}

int judge_ranges(struct aligning *a, const struct estimate *estimate, struct finding *finding)
{
    size_t count = 0;

    a->anchors = 0;
    if (finding_resize(finding, estimate->range_count, a->err))
        return -1;
    for (size_t i = 0; i < estimate->range_count; i++) {
        const struct estimate_range *range = &estimate->ranges[i];

        if (is_stray(a, range))
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
 * Samples that line up are not always content in common: tables of relocations or of addresses are alike in
 * all programs, as they count up in the same way.  So there must be a stretch in which everything matches, of
 * bytes that vary as text, code or pictures do; or else so many matches among what does not match that dense
 * edits explain it.
 */
static bool has_density(const struct aligning *a, const struct finding_range *span)
{
    const size_t in_window = samples_in(a->window, span->obj_start - a->start, span->obj_end - a->start);
    const size_t in_reference = samples_in(a->reference, span->ref_start, span->ref_end);
    const size_t fewer = in_window < in_reference ? in_window : in_reference;

    return a->anchors >= DENSE_ANCHORS && (double)a->anchors >= dense_share * (double)fewer;
}

/* Bytes of the piece in windows that hold many different ones. */
static size_t rich_bytes(const uint8_t *piece, size_t len)
{
    unsigned counts[256] = {0}, different = 0;
    size_t rich = 0, end = 0;

    for (size_t i = 0; i < len; i++) {
        different += counts[piece[i]]++ == 0;
        if (i >= RICH_WINDOW)
            different -= --counts[piece[i - RICH_WINDOW]] == 0;
        if (i + 1 >= RICH_WINDOW && different >= RICH_BYTES) {
            rich += i + 1 - (end > i + 1 - RICH_WINDOW ? end : i + 1 - RICH_WINDOW);
            end = i + 1;
        }
    }
    return rich;
}

/* The bytes of a stretch that vary. */
static size_t rich_in(const struct aligning *a, const struct estimate_range *stretch)
{
    const struct aligner_object *object = a->object;
    size_t rich = 0;

    for (uint64_t at = stretch->a_start; at < stretch->a_end && rich < LEAST_SOLID;) {
        const size_t len =
            stretch->a_end - at < ALIGNER_PIECE ? (size_t)(stretch->a_end - at) : ALIGNER_PIECE;

        if (!object->content || object->content->read(object->content, a->start + at, a->piece, len))
            rich += len; /* nobody knows better */
        else
            rich += rich_bytes(a->piece, len);
        at += len;
    }
    return rich;
}

static bool is_solid(const struct aligning *a, const struct estimate *estimate)
{
    for (size_t i = 0; i < estimate->solid_count; i++)
        if (estimate->solid[i].anchors >= SOLID_ANCHORS && is_near(a, &estimate->solid[i]) &&
            rich_in(a, &estimate->solid[i]) >= LEAST_SOLID)
            return true;
    return false;
}

bool judge_is_evidence(const struct aligning *a, const struct estimate *estimate,
                       const struct finding *finding)
{
    return is_solid(a, estimate) || has_density(a, &finding->span);
}

/* ---- what it is ---- */

bool judge_is_complete(const struct aligning *a, const struct finding *finding)
{
    return finding->proof != PROOF_ESTIMATE && finding->proved == finding->blocks &&
           finding->span.ref_end - finding->span.ref_start == a->place.len && finding->range_count == 1;
}

/* Ends of ranges that are not proved are known about as well as samples lie close. */
static uint64_t slack_of(const struct aligning *a, const struct finding *finding)
{
    return judge_is_complete(a, finding) ? 0 : 2 * (uint64_t)a->place.c;
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

/* Whether all of the reference, or nearly, lies in one place: as it is or with edits.  If so, other places
 * are forgotten. */
static bool is_embedded(const struct aligning *a, const struct estimate *e, struct finding *finding)
{
    uint64_t near = 0;

    if (judge_is_complete(a, finding))
        return true;
    for (size_t i = 0; i < finding->range_count; i++)
        if (lies_near(a, diagonal_of(&finding->ranges[i])))
            near += finding->ranges[i].ref_end - finding->ranges[i].ref_start;
    if ((double)near < embedded_share * (double)a->place.len && (near == 0 || e->b_in_a < embedded_share))
        return false;
    keep_near(a, finding);
    return true;
}

enum verdict judge_verdict(const struct aligning *a, const struct comparison *comparison,
                           struct finding *finding)
{
    const struct estimate *e = &comparison->estimate;

    if (a->whole && (comparison->verdict == COMPARE_VARIANT ||
                     (comparison->verdict == COMPARE_EMBEDDED && a->object->size / 2 <= a->place.len &&
                      a->place.len / 2 <= a->object->size)))
        return verdict_of_kin(a, finding);
    if (comparison->verdict == COMPARE_EMBEDDED && comparison->a_in_b && !judge_is_complete(a, finding))
        return VERDICT_FRAGMENT;
    return is_embedded(a, e, finding) ? VERDICT_EMBEDDED : VERDICT_FRAGMENT;
}
