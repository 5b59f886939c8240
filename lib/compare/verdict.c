/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/verdict.h"

/* lib/match/README.md lists the data on which the effect of other values was measured; where kith compare is
 * named, the pairs are those given to it. */
enum {
    /* Fewer samples justify neither "nothing in common" nor "something in common".  With 2: no difference;
     * with 8: kith compare misses one more of 218 pairs. */
    FEW_SAMPLES = 4,
    /* Content with fewer than 1/8 of the samples expected from its length has low entropy: one of 2,500 other
     * files.  With 1/4: four of them; with 1/16: none. */
    DULL_SHARE = 8,
    /* Matches that make a range evidence.  With 1: no difference; with 4: one pair fewer. */
    EVIDENCE_ANCHORS = 2,
    /* Smaller objects (in bytes) are too small to rule out a match.  With 128: no difference; with 512: the
     * test unrelated_content_matches_nothing fails. */
    LEAST_SIZE = 256,
    /* A twentieth of an object may lie outside the part known to match.  With 1/10: the test
     * an_edited_file_is_a_variant_with_about_that_many_edits fails; with 1/40: no difference on the corpora.
     */
    EDGE_SHARE = 20,
    /* "Near" means within this many bytes of the reference's diagonals, plus a share of its length to allow
     * for insertions, up to a bound; test: near_is_a_share_of_the_reference.  Halving or doubling any of them
     * changes ranges, but no planted file and at most one pair. */
    STRAY_LEAST = 256,
    STRAY_SHARE = 16,
    STRAY_MOST = 4096,
    /* Samples that occur once in each: fewer say nothing about the order of contents.  Halving or doubling it
     * makes no difference. */
    LEAST_SINGLE = 12,
    /* Of these: fewer that are out of order may be phrases that both happen to have.  With 1, two more
     * licences of 2 KB in 11,000 findings of other files are called reordered. */
    LEAST_MOVED = 8,
    /* Of the different samples that both have, one in this many must occur once in each.  Text of few words
     * has all combinations of them, often, however unrelated it is.  Of 298 text files with shuffled lines
     * two have fewer, and of 110 other reordered files none (one in two: 20 and one); random text of 8 or 40
     * words, which was called reordered, has three in ten at most. */
    SINGLE_SHARE = 3,
};

/* By definition: at least half of each; nearly all of one.  With a variant_share of 0.75, 15 of 178 pairs are
 * no longer variants; with 0.25, 13 more pairs are, and so are 22 of 56 files that share one block.  With an
 * embedded_share of 0.6 or 0.9 the verdict on one of 238 planted files changes. */
static const double variant_share = 0.5;
static const double embedded_share = 0.8;
/* Content in another order has at most this share of the samples that occur once in each in the same order.
 * Chosen on one half of the pairs; of the 243 versions and edits in the other half, 6 have less, in all of
 * which much has moved, and the next ones 0.88, 0.92 and more; of 159 files with shuffled blocks, lines or
 * rows, or halves that changed places, 158 have less (0.6: 147; 0.75: 153), of 7 whose keys of JSON were
 * reordered 5. */
static const double same_order = 0.85;
/* Share of samples; below it even long ranges do not make a variant.  No difference on the corpora from 0.025
 * to 0.1; test: half_of_each_makes_a_variant_if_samples_agree. */
static const double least_containment = 0.05;
/* Share of samples, for repetitive content without ranges.  Halved: no difference; doubled: kith compare
 * finds one pair fewer. */
static const double chance_containment = 0.01;
/* A piece matches completely, except for estimated ends; and it is most of what matches.  No difference on
 * the corpora from 0.96 to 0.99 and from 0.8 to 0.95, respectively. */
static const double nearly = 0.98;
static const double mostly = 0.9;
/* Share of the reference; an object that lacks more is a part of it, not another version.  With 0.05, 9 more
 * of 336 fragments are recognized, but a file with noise is called one, too; with 0.2, 17 fewer. */
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

/* Whether at least half of each is in the other, but not in the same order. */
static bool is_reordered(const struct estimate *e)
{
    return e->a_in_b >= variant_share && e->b_in_a >= variant_share && e->single >= LEAST_SINGLE &&
           SINGLE_SHARE * e->single >= e->shared && e->single - e->in_order >= LEAST_MOVED &&
           (double)e->in_order <= same_order * (double)e->single;
}

void verdict_of_pair(const struct record *a, const struct record *b, struct comparison *out)
{
    struct estimate *e = &out->estimate;
    const double a_share = a->len ? (double)e->a_matched / (double)a->len : 0;
    const double b_share = b->len ? (double)e->b_matched / (double)b->len : 0;
    const double containment = e->a_in_b > e->b_in_a ? e->a_in_b : e->b_in_a;
    /* Then content repeats: it is not a variant, whatever the samples say. */
    const bool much_longer = a->len / 2 > b->len || b->len / 2 > a->len;
    const bool shares = e->shared >= FEW_SAMPLES && containment > chance_containment;

    out->reordered = !much_longer && is_reordered(e);
    if (!has_evidence(e) && !shares) {
        out->verdict = verdict_without_match(a->count, a->len, out->c);
        if (out->verdict == COMPARE_NONE)
            out->verdict = verdict_without_match(b->count, b->len, out->c);
        e->range_count = 0;
        e->a_matched = e->b_matched = 0;
    } else if ((a_share >= variant_share && b_share >= variant_share && containment >= least_containment) ||
               (e->resemblance >= variant_share && !much_longer) || out->reordered) {
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

/* If content was added at one end only, the object is a newer version rather than a container. */
enum verdict verdict_of_whole(const struct finding_range *range, uint64_t obj_size, bool range_only)
{
    const uint64_t before = range->obj_start, after = obj_size - range->obj_end;

    return !range_only && (before == 0 || after == 0) && obj_size / 2 <= range->ref_end ? VERDICT_VARIANT
                                                                                        : VERDICT_EMBEDDED;
}

bool verdict_lies_near(const struct verdict_case *c, int64_t diagonal)
{
    const uint64_t share = c->ref_size / STRAY_SHARE;
    const int64_t slack = STRAY_LEAST + (int64_t)(share < STRAY_MOST ? share : STRAY_MOST);

    return diagonal >= c->low - slack && diagonal <= c->high + slack;
}

/* Unless proved, the ends of ranges are only as precise as the distance between samples that match. */
static uint64_t slack_of(const struct verdict_case *c, const struct finding *finding)
{
    const uint64_t shared = c->comparison->estimate.shared;
    const uint64_t distance = shared ? finding->matched / shared : 0;

    if (finding_is_complete(finding))
        return 0;
    return 2 * (distance > c->ref_c ? distance : c->ref_c);
}

static int64_t diagonal_of(const struct finding_range *range)
{
    return (int64_t)(range->obj_start - range->ref_start);
}

/* Joins the ranges on the diagonal of the longest one. */
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

/* Whether the match is one contiguous piece in both; repetitive content may have matched elsewhere in the
 * reference. */
static bool is_one_piece(const struct finding *finding, struct finding_range *piece)
{
    uint64_t matched;

    *piece = main_piece(finding, &matched);
    return piece->obj_end - piece->obj_start == piece->ref_end - piece->ref_start &&
           (double)matched >= nearly * (double)(piece->obj_end - piece->obj_start) &&
           (double)matched >= mostly * (double)finding->matched;
}

/* Drops all other ranges, which are mere repetition. */
static void keep_piece(struct finding *finding, const struct finding_range *piece)
{
    finding->ranges[0] = *piece;
    finding->range_count = 1;
    finding_measure(finding);
}

/* Whether the object is just a part of the reference: cut out of it, or with much of it cut off. */
static bool is_nothing_else(const struct verdict_case *c, const struct finding_range *piece, uint64_t slack)
{
    const uint64_t outside = piece->obj_start + c->obj_size - piece->obj_end;
    const uint64_t before = piece->ref_start, after = c->ref_size - piece->ref_end;

    return outside <= slack + c->obj_size / EDGE_SHARE &&
           ((before > slack && after > slack) || (double)(before + after) >= cut_off * (double)c->ref_size);
}

/*
 * An object about as long as the reference that shares half of it is a variant, unless a more specific
 * verdict applies: the whole reference with other content before and after it is embedded, and an object that
 * is just a part of the reference is a fragment.  (If content was added only before or only after it, the
 * object is a variant.)
 */
static enum verdict verdict_of_related(const struct verdict_case *c, struct finding *finding)
{
    const uint64_t slack = slack_of(c, finding);
    struct finding_range piece;
    uint64_t before, after, missing_before, missing_after, missing;
    enum verdict verdict = VERDICT_VARIANT;

    if (!is_one_piece(finding, &piece))
        return VERDICT_VARIANT;
    before = piece.obj_start;
    after = c->obj_size - piece.obj_end;
    missing_before = piece.ref_start;
    missing_after = c->ref_size - piece.ref_end;
    missing = missing_before + missing_after;
    if (missing <= slack && (c->range_only || (before > slack && after > slack)))
        verdict = VERDICT_EMBEDDED;
    else if (missing > slack && (c->range_only || is_nothing_else(c, &piece, slack)))
        verdict = VERDICT_FRAGMENT;
    if (verdict != VERDICT_VARIANT)
        keep_piece(finding, &piece);
    return verdict;
}

/* Drops ranges far from where the reference as a whole was found: mere repetition. */
static void keep_near(const struct verdict_case *c, struct finding *finding)
{
    size_t kept = 0;

    for (size_t i = 0; i < finding->range_count; i++)
        if (verdict_lies_near(c, diagonal_of(&finding->ranges[i])))
            finding->ranges[kept++] = finding->ranges[i];
    finding->range_count = kept;
    finding_measure(finding);
}

/* Whether the object contains all or nearly all of the reference, possibly with edits.  If so in one place,
 * ranges elsewhere are dropped. */
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

bool verdict_is_reordered(const struct verdict_case *c)
{
    return c->comparison->reordered && c->whole && !c->range_only;
}

enum verdict verdict_of_finding(const struct verdict_case *c, struct finding *finding)
{
    const struct comparison *comparison = c->comparison;

    finding->reordered = verdict_is_reordered(c) && !finding_is_complete(finding);
    if (finding->reordered)
        return VERDICT_VARIANT;
    if (c->whole && (comparison->verdict == COMPARE_VARIANT ||
                     (comparison->verdict == COMPARE_EMBEDDED && c->obj_size / 2 <= c->ref_size &&
                      c->ref_size / 2 <= c->obj_size)))
        return verdict_of_related(c, finding);
    if (comparison->verdict == COMPARE_EMBEDDED && comparison->a_in_b && !finding_is_complete(finding))
        return VERDICT_FRAGMENT;
    return is_embedded(c, finding) ? VERDICT_EMBEDDED : VERDICT_FRAGMENT;
}
