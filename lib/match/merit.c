/* SPDX-License-Identifier: Apache-2.0 */
#include "match/merit.h"

#include <math.h>
#include <stdlib.h>

/*
 * For the corpora behind these figures see README.md.  Before these rules a third of 7,700 other files was
 * reported as fragments of 212 references, because of their tables (HACKING.md).
 */
enum {
    /* Bytes that match without a break.  Halving it gains 6 findings in other files and a wrong one in
     * FRASH's noise; doubling it loses 2 in other files and 15 of pairs. */
    LEAST_SOLID = 128,
    /* Matches among these bytes.  2 gains 3 findings in other files and a pair; 6 loses 3 pairs and 5
     * findings. */
    SOLID_ANCHORS = 3,
    /* Matches among these bytes if they lie off the reference's diagonals.  3 gains 17 rows of pairs and a
     * finding in other files; 10 loses 9 rows of pairs and 3 findings of the tar. */
    FAR_ANCHORS = 5,
    /* Bytes that vary: each window of RICH_WINDOW bytes has ...  Halving the window loses 5 cases of noise
     * and 2 findings in other files; doubling it gains one and 2, and 35 rows of pairs. */
    RICH_WINDOW = 32,
    /* ... this many distinct ones.  4 gains a case of noise; 14 loses a pair and 5 cases of noise. */
    RICH_BYTES = 9,
    /* ... and this many distinct differences to earlier bytes (tables_of_ascending_numbers_are_no_evidence).
     * Halving it gains 16 rows of pairs; doubling it loses 3 pairs, 5 cases of noise and 2 fragments. */
    RICH_DIFFERENCES = 10,
    /* ... up to this far before: the size of a symbol or relocation of ELF64. */
    RICH_BEFORE = 24,
    /* Samples that are examined.  Halving it loses a case of noise; doubling it makes no difference. */
    RICH_TRIES = 64,
    RICH_PIECE = 4 << 10, /* bytes read at once: a page */
    /* Matches that are evidence even without such a stretch.  Halving it gains 23 findings in other files and
     * 3 pairs; doubling it loses 6 pairs and 5 cases of noise, and
     * an_edited_file_is_a_variant_with_about_that_many_edits fails. */
    DENSE_ANCHORS = 12,
    /* Fewer matches than STRAY_ANCHORS are ignored if they lie far from the reference's diagonals, or
     * STRAY_GAP samples away from all others (chance_matches_far_from_a_fragment_are_not_part_of_it).
     * 2 keeps all pairs, with 40 fewer rows; 6 gains 2 pairs, 90 rows, and 9 more in the tar.  Halving or
     * doubling the gap changes ranges of 94 or 45 rows, but no pair. */
    STRAY_ANCHORS = 3,
    STRAY_GAP = 64,
};

/* The share of the samples that must match.  Halving it gains a pair, but 3 of 5 new findings in noise are
 * wrong; doubling it loses 3 cases of noise, and an_edited_file_is_a_variant_with_about_that_many_edits
 * fails. */
static const double dense_share = 0.05;

struct verdict_case merit_case(const struct alignment *alignment)
{
    const struct cluster *cluster = &alignment->chain->cluster;

    return (struct verdict_case){.comparison = &alignment->comparison,
                                 .obj_size = alignment->subject->size,
                                 .ref_size = alignment->record->place.len,
                                 .ref_c = alignment->record->place.c,
                                 .low = cluster->low,
                                 .high = cluster->high,
                                 .whole = alignment->whole,
                                 .range_only = alignment->subject->range};
}

/* ---- which ranges to accept ---- */

static bool is_near(const struct alignment *a, const struct estimate_range *range)
{
    const struct verdict_case c = merit_case(a);

    return verdict_lies_near(&c, (int64_t)(a->start + range->a_start - range->b_start));
}

/* Whether the ranges before and after it are far away. */
static bool stands_alone(const struct alignment *a, const struct estimate *estimate, size_t i)
{
    const struct estimate_range *range = &estimate->ranges[i];
    const uint64_t gap = (uint64_t)STRAY_GAP * a->window->params.c;

    return estimate->range_count > 1 && (i == 0 || range[0].a_start > range[-1].a_end + gap) &&
           (i + 1 == estimate->range_count || range[1].a_start > range[0].a_end + gap);
}

/* A match or two elsewhere may be due to chance; so may isolated ones on the right diagonal, where samples
 * are recognized by place and character alone. */
static bool is_stray(const struct alignment *a, const struct estimate *estimate, size_t i)
{
    return estimate->ranges[i].anchors < STRAY_ANCHORS &&
           (!is_near(a, &estimate->ranges[i]) || stands_alone(a, estimate, i));
}

int merit_ranges(const struct alignment *a, struct finding *finding, uint64_t *anchors, struct error *err)
{
    const struct estimate *estimate = &a->comparison.estimate;
    size_t count = 0;

    *anchors = 0;
    if (finding_resize(finding, estimate->range_count, err))
        return -1;
    for (size_t i = 0; i < estimate->range_count; i++) {
        const struct estimate_range *range = &estimate->ranges[i];

        if (is_stray(a, estimate, i))
            continue;
        *anchors += range->anchors;
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

/* Whether a window has at least this many distinct bytes or, with a stride, distinct differences to the bytes
 * `stride` before.  The first few bytes of nearly every window do. */
static bool has_different(const uint8_t *window, size_t stride, unsigned least)
{
    uint64_t seen[4] = {0};
    unsigned different = 0;

    for (size_t i = 0; i < RICH_WINDOW && different < least; i++) {
        const uint8_t value = (uint8_t)(window[i] - (stride ? *(window + i - stride) : 0));
        const uint64_t bit = (uint64_t)1 << value % 64;

        different += !(seen[value / 64] & bit);
        seen[value / 64] |= bit;
    }
    return different >= least;
}

/* Data that counts up in steps of two, four or 24 bytes has few distinct differences. */
static bool is_rich(const uint8_t *window)
{
    static const size_t strides[] = {1, 2, 3, 4, 8, 12, 16, RICH_BEFORE};

    if (!has_different(window, 0, RICH_BYTES))
        return false;
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
        if (!has_different(window, strides[i], RICH_DIFFERENCES))
            return false;
    return true;
}

size_t merit_rich_bytes(struct content *content, uint64_t start, uint64_t end, size_t most)
{
    uint64_t at = start > RICH_BEFORE ? start - RICH_BEFORE : 0;
    uint8_t piece[RICH_PIECE];
    size_t rich = 0;

    while (at + RICH_BEFORE + RICH_WINDOW <= end && rich < most) {
        const size_t len = end - at < RICH_PIECE ? (size_t)(end - at) : RICH_PIECE;

        if (!content || content_read(content, at, piece, len))
            return (size_t)(end - start);
        for (size_t i = RICH_BEFORE; i + RICH_WINDOW <= len && rich < most; i += RICH_WINDOW)
            rich += is_rich(piece + i) ? RICH_WINDOW : 0;
        at += len - RICH_BEFORE - (len - RICH_BEFORE) % RICH_WINDOW;
    }
    return rich;
}

bool merit_is_rich_at(struct content *content, uint64_t pos)
{
    return merit_rich_bytes(content, pos, pos + RICH_WINDOW, 1) > 0;
}

/* Whether pos, which grows from call to call, lies in a range; *range: the first one that ends after pos. */
static bool is_in_range(const struct finding *finding, uint64_t pos, size_t *range)
{
    while (*range < finding->range_count && finding->ranges[*range].obj_end <= pos)
        ++*range;
    return *range < finding->range_count && pos >= finding->ranges[*range].obj_start;
}

static size_t samples_in_ranges(const struct alignment *a, const struct finding *finding)
{
    size_t count = 0, range = 0;

    for (size_t i = 0; i < a->window->count; i++)
        count += is_in_range(finding, a->start + a->window->samples[i].pos, &range);
    return count;
}

/* The share of the samples in the ranges that lie in bytes that vary, estimated from some of them. */
static double rich_share(const struct alignment *a, const struct finding *finding)
{
    const size_t step = samples_in_ranges(a, finding) / RICH_TRIES + 1;
    size_t inside = 0, tried = 0, rich = 0, range = 0;

    for (size_t i = 0; i < a->window->count; i++) {
        const uint64_t pos = a->start + a->window->samples[i].pos;

        if (!is_in_range(finding, pos, &range) || inside++ % step != 0)
            continue;
        tried++;
        rich += merit_is_rich_at(a->subject->content, pos);
    }
    return tried ? (double)rich / (double)tried : 0;
}

/* How many times as dense as usual the samples are.  Each is then less content, so more of them are required:
 * of 50,000 pairs of unrelated PDF and documents, 463 had 12 mark-up words in common at C = 32; with the
 * powers in has_density it is 9, with twice the powers 1, but then 22 instead of 27 of 40 texts of 1,000
 * bytes that were quoted and wrapped anew are found. */
static double density(const struct alignment *a)
{
    const uint32_t c = a->window->params.c;

    return c < SAMPLER_DEFAULT_C ? (double)SAMPLER_DEFAULT_C / c : 1;
}

bool merit_is_many(const struct alignment *a, double different)
{
    return different >= DENSE_ANCHORS * pow(density(a), 0.25);
}

/* Whether at least half of the object and half of the reference match. */
static bool is_half_of_both(const struct alignment *a)
{
    const struct estimate *estimate = &a->comparison.estimate;

    return estimate->a_matched >= a->subject->size / 2 && estimate->b_matched >= a->record->place.len / 2;
}

/* The number of samples of which some must match: of the span, in the content that has fewer.  In a log most
 * of them recur: of versions of a whole only different ones count, as of those that match.  Without that
 * condition there are 242 more fragments in 45,000 rows of files of different packages, with it none. */
static double samples_to_match(const struct alignment *a, const struct finding_range *span)
{
    const struct estimate *estimate = &a->comparison.estimate;
    const double in_window =
        (double)samples_in(a->window, span->obj_start - a->start, span->obj_end - a->start);
    const double in_reference = (double)samples_in(a->reference, span->ref_start, span->ref_end);
    const double all = fmin(in_window, in_reference);

    return is_half_of_both(a) ? fmin(all, fmin((double)estimate->of_a, (double)estimate->of_b)) : all;
}

static bool has_density(const struct alignment *a, const struct finding *finding, uint64_t anchors)
{
    const double share = dense_share * pow(density(a), 0.5);
    const uint64_t shared = a->comparison.estimate.shared;
    const uint64_t different = anchors < shared ? anchors : shared; /* phrases that recur count once */

    return merit_is_many(a, (double)different) &&
           (double)different >= share * samples_to_match(a, &finding->span) &&
           merit_is_many(a, (double)different * rich_share(a, finding));
}

static bool is_solid(const struct alignment *a, const struct estimate *estimate)
{
    for (size_t i = 0; i < estimate->solid_count; i++)
        if (estimate->solid[i].anchors >= (is_near(a, &estimate->solid[i]) ? SOLID_ANCHORS : FAR_ANCHORS) &&
            merit_rich_bytes(a->subject->content, a->start + estimate->solid[i].a_start,
                             a->start + estimate->solid[i].a_end, LEAST_SOLID) >= LEAST_SOLID)
            return true;
    return false;
}

bool merit_is_evidence(const struct alignment *a, const struct finding *finding, uint64_t anchors)
{
    return is_solid(a, &a->comparison.estimate) || has_density(a, finding, anchors);
}
