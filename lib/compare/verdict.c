/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/verdict.h"

/* What "half" and "twice" were measured on: lib/match/README.md; pairs are those that kith compare was given,
 * if it is named. */
enum {
    /* Fewer samples do not carry a verdict of "nothing in common", nor of "something".  2: no difference; 8:
     * compare finds one of 218 pairs fewer. */
    FEW_SAMPLES = 4,
    /* Content with fewer than 1/8 of the samples that its length promises has low entropy: one of 2,500 other
     * files.  1/4: four of them; 1/16: none. */
    DULL_SHARE = 8,
    /* Matches in a range that make it evidence.  1: no difference; 4: one pair fewer. */
    EVIDENCE_ANCHORS = 2,
    /* Bytes: in less one cannot say that there is nothing.  128: no difference; 512: the test
     * unrelated_content_matches_nothing fails. */
    LEAST_SIZE = 256,
    /* The part of an object, a twentieth, that may lie outside of what is known to match.  1/10: the test
     * a_file_with_edits_is_a_variant_with_about_so_many fails; 1/40: no difference on the corpora. */
    EDGE_SHARE = 20,
    /* Near are this many bytes off the reference's diagonals, and a share of its length for insertions, up to
     * a bound: the test near_is_a_share_of_the_reference.  With half and twice of each ranges differ, no
     * planted file and at most one pair more or fewer. */
    STRAY_LEAST = 256,
    STRAY_SHARE = 16,
    STRAY_MOST = 4096,
};

/* The verdicts' definitions: at least half of each; nearly all of one.  With 0.75 15 of 178 pairs are no
 * variants any more; with 0.25 13 more are, and 22 of 56 files that share one block.  With 0.6 and 0.9 one of
 * 238 planted files has another verdict. */
static const double variant_share = 0.5;
static const double embedded_share = 0.8;
/* Of samples: below it even long ranges are no versions of each other.  No difference on the corpora from
 * 0.025 to 0.1; half_of_each_makes_a_variant_if_samples_agree. */
static const double least_containment = 0.05;
/* Of samples that repeat and so have no range.  Half: no difference; twice: compare finds a pair fewer. */
static const double chance_containment = 0.01;
/* All of a piece matches but for estimates at its ends; and it is most of what matches.  No difference on the
 * corpora from 0.96 to 0.99, and from 0.8 to 0.95. */
static const double nearly = 0.98;
static const double mostly = 0.9;
/* Of the reference: an object that lacks so much is a part of it, not a newer version.  0.05: 9 more of 336
 * fragments are called so, but a file with noise, too; 0.2: 17 fewer. */
static const double cut_off = 0.1;

/* ---- two contents side by side ---- */

enum compare_verdict verdict_without_match(uint64_t count, uint64_t len, uint32_t c)
{
    if (count >= FEW_SAMPLES && count >= len / c / DULL_SHARE)
        return COMPARE_NONE;
    return len / c / DULL_SHARE >= 1 ? COMPARE_LOW_ENTROPY : COMPARE_TOO_SMALL;
}

static bool has_evidence(const struct estimate *estimate)
{
    for (size_t i = 0; i < estimate->range_count; i++)
        if (estimate->ranges[i].anchors >= EVIDENCE_ANCHORS)
            return true;
    return false;
}

void verdict_of_pair(const struct record *a, const struct record *b, struct comparison *out)
{
    struct estimate *e = &out->estimate;
    const double a_share = a->len ? (double)e->a_matched / (double)a->len : 0;
    const double b_share = b->len ? (double)e->b_matched / (double)b->len : 0;
    const double containment = e->a_in_b > e->b_in_a ? e->a_in_b : e->b_in_a;
    const bool much_longer =
        a->len / 2 > b->len || b->len / 2 > a->len; /* repeats: no version, whatever the samples */
    const bool shares = e->shared >= FEW_SAMPLES && containment > chance_containment;

    if (!has_evidence(e) && !shares) {
        out->verdict = verdict_without_match(a->count, a->len, out->c);
        if (out->verdict == COMPARE_NONE)
            out->verdict = verdict_without_match(b->count, b->len, out->c);
        e->range_count = 0;
        e->a_matched = e->b_matched = 0;
    } else if ((a_share >= variant_share && b_share >= variant_share && containment >= least_containment) ||
               (e->resemblance >= variant_share && !much_longer)) {
        out->verdict = COMPARE_VARIANT;
    } else if (a_share >= embedded_share || b_share >= embedded_share ||
               (!has_evidence(e) && containment >= embedded_share)) {
        out->verdict = COMPARE_EMBEDDED;
        out->b_in_a = has_evidence(e) ? b_share >= a_share : e->b_in_a >= e->a_in_b;
        out->a_in_b = !out->b_in_a;
    } else {
        out->verdict = COMPARE_FRAGMENT;
    }
}

/* ---- an object and a reference ---- */

enum verdict verdict_without_finding(uint64_t count, uint64_t len, uint32_t c)
{
    if (len < LEAST_SIZE)
        return VERDICT_TOO_SMALL;
    switch (verdict_without_match(count, len, c)) {
    case COMPARE_TOO_SMALL:
        return VERDICT_TOO_SMALL;
    case COMPARE_LOW_ENTROPY:
        return VERDICT_LOW_ENTROPY;
    default:
        return VERDICT_NONE;
    }
}

/* A file to which something was added at one end is a newer version rather than a container. */
enum verdict verdict_of_whole(const struct finding_range *range, uint64_t obj_size, bool range_only)
{
    const uint64_t before = range->obj_start, behind = obj_size - range->obj_end;

    return !range_only && (before == 0 || behind == 0) && obj_size / 2 <= range->ref_end ? VERDICT_VARIANT
                                                                                         : VERDICT_EMBEDDED;
}

bool verdict_lies_near(const struct verdict_case *c, int64_t diagonal)
{
    const uint64_t share = c->ref_size / STRAY_SHARE;
    const int64_t slack = STRAY_LEAST + (int64_t)(share < STRAY_MOST ? share : STRAY_MOST);

    return diagonal >= c->low - slack && diagonal <= c->high + slack;
}

/* Ends of ranges that are not proved are known about as well as samples lie close. */
static uint64_t slack_of(const struct verdict_case *c, const struct finding *finding)
{
    return finding_is_complete(finding) ? 0 : 2 * (uint64_t)c->ref_c;
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
static bool is_nothing_else(const struct verdict_case *c, const struct finding_range *piece, uint64_t slack)
{
    const uint64_t outside = piece->obj_start + c->obj_size - piece->obj_end;
    const uint64_t before = piece->ref_start, behind = c->ref_size - piece->ref_end;

    return outside <= slack + c->obj_size / EDGE_SHARE &&
           ((before > slack && behind > slack) || (double)(before + behind) >= cut_off * (double)c->ref_size);
}

/*
 * What is roughly as long as the reference and shares half of it is a variant, unless it is more exactly
 * told: all of the reference with other things before and behind it is embedded, and an object that is
 * nothing but a part of it, cut out or cut off, is a fragment.  (A reference to which something was only
 * added, before or behind, is a variant.)
 */
static enum verdict verdict_of_related(const struct verdict_case *c, struct finding *finding)
{
    const uint64_t slack = slack_of(c, finding);
    struct finding_range piece;
    uint64_t before, behind, missing_before, missing_behind, missing;
    enum verdict verdict = VERDICT_VARIANT;

    if (!is_one_piece(finding, &piece))
        return VERDICT_VARIANT;
    before = piece.obj_start;
    behind = c->obj_size - piece.obj_end;
    missing_before = piece.ref_start;
    missing_behind = c->ref_size - piece.ref_end;
    missing = missing_before + missing_behind;
    if (missing <= slack && (c->range_only || (before > slack && behind > slack)))
        verdict = VERDICT_EMBEDDED;
    else if (missing > slack && (c->range_only || is_nothing_else(c, &piece, slack)))
        verdict = VERDICT_FRAGMENT;
    if (verdict != VERDICT_VARIANT)
        keep_piece(finding, &piece);
    return verdict;
}

/* Ranges far from where the reference lies as a whole are mere repetition. */
static void keep_near(const struct verdict_case *c, struct finding *finding)
{
    size_t kept = 0;

    for (size_t i = 0; i < finding->range_count; i++)
        if (verdict_lies_near(c, diagonal_of(&finding->ranges[i])))
            finding->ranges[kept++] = finding->ranges[i];
    finding->range_count = kept;
    finding_measure(finding);
}

/* Whether all of the reference, or nearly, lies in the object: as it is or with edits.  If it does so in one
 * place, others are forgotten. */
static bool is_embedded(const struct verdict_case *c, struct finding *finding)
{
    uint64_t near = 0;

    if (finding_is_complete(finding))
        return true;
    for (size_t i = 0; i < finding->range_count; i++)
        if (verdict_lies_near(c, diagonal_of(&finding->ranges[i])))
            near += finding->ranges[i].ref_end - finding->ranges[i].ref_start;
    if ((double)near < embedded_share * (double)c->ref_size)
        return near > 0 && c->comparison->estimate.b_in_a >= embedded_share;
    keep_near(c, finding);
    return true;
}

enum verdict verdict_of_finding(const struct verdict_case *c, struct finding *finding)
{
    const struct comparison *comparison = c->comparison;

    if (c->whole && (comparison->verdict == COMPARE_VARIANT ||
                     (comparison->verdict == COMPARE_EMBEDDED && c->obj_size / 2 <= c->ref_size &&
                      c->ref_size / 2 <= c->obj_size)))
        return verdict_of_related(c, finding);
    if (comparison->verdict == COMPARE_EMBEDDED && comparison->a_in_b && !finding_is_complete(finding))
        return VERDICT_FRAGMENT;
    return is_embedded(c, finding) ? VERDICT_EMBEDDED : VERDICT_FRAGMENT;
}
