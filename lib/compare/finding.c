/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/finding.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

enum {
    /* From a few times as many rare bytes on, only their share counts.  Of 288 pairs of files, the ranks of
     * the score and of the share of bytes in common have a correlation of .653; with 256 it is .639, with
     * 4096 .638, and that of the share of samples alone is .633. */
    SCORE_BYTES = 1024,
    /* From this number on, `also` states how many references have the bytes, and does not only count matches:
     * that many are evidence only as near-copies of each other (match/families.h). */
    VERY_MANY = 64,
};

static const char *const names[VERDICTS] = {"identical", "variant",     "embedded",   "fragment", "none",
                                            "too-small", "low-entropy", "unreadable", "skipped"};

const char *finding_verdict_name(enum verdict verdict)
{
    return names[verdict];
}

int finding_verdict_find(const char *name, size_t len)
{
    return search_name(names, VERDICTS, name, len);
}

const char *finding_proof_name(enum proof proof)
{
    static const char *const grades[PROOFS] = {[PROOF_ESTIMATE] = "estimate",
                                               [PROOF_BLOCKS] = "blocks",
                                               [PROOF_SHA1] = "sha1",
                                               [PROOF_MEMBERS] = "members"};

    return grades[proof];
}

void finding_proof(const struct finding *finding, struct buffer *out)
{
    buffer_add_text(out, finding_proof_name(finding->proof));
    if (finding->proof == PROOF_BLOCKS || finding->proof == PROOF_MEMBERS)
        buffer_printf(out, " %" PRIu64 "/%" PRIu64, finding->proved, finding->blocks);
}

/* ---- lists ---- */

void finding_list_reset(struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        free(findings->list[i].ranges);
    findings->count = 0;
    findings->lacks = 0;
}

void finding_list_release(struct findings *findings)
{
    finding_list_reset(findings);
    free(findings->list);
    *findings = (struct findings){0};
}

struct finding *finding_list_add(struct findings *findings, struct error *err)
{
    if (array_reserve(&findings->list, &findings->room, findings->count + 1)) {
        error_set(err, "out of memory for %zu findings", findings->count + 1);
        return NULL;
    }
    findings->list[findings->count] = (struct finding){0};
    return &findings->list[findings->count++];
}

int finding_resize(struct finding *finding, size_t ranges, struct error *err)
{
    if (array_resize(&finding->ranges, ranges))
        return error_set(err, "out of memory for %zu ranges", ranges);
    finding->range_count = ranges;
    return 0;
}

static uint64_t smaller(uint64_t x, uint64_t y)
{
    return x < y ? x : y;
}

static uint64_t larger(uint64_t x, uint64_t y)
{
    return x > y ? x : y;
}

void finding_rate(struct finding *finding, double rarity)
{
    const double share = finding->verdict == VERDICT_VARIANT ? finding->resemblance : finding->containment;
    const double rare = rarity * finding->containment * (double)finding->ref_size;

    finding->rarity = rarity;
    finding->score = finding->verdict == VERDICT_IDENTICAL ? 1 : share * (1 - exp(-rare / SCORE_BYTES));
}

const char *finding_order(const struct finding *finding)
{
    return finding->reordered ? "other" : "same";
}

uint64_t finding_family(const struct finding *finding)
{
    return finding->also >= VERY_MANY ? finding->also + 1 : 0;
}

uint64_t finding_members(const struct finding *finding)
{
    return (uint64_t)llround(finding->containment * (double)finding->blocks);
}

void finding_measure(struct finding *finding)
{
    uint64_t end = 0;

    finding->matched = 0;
    finding->span = (struct finding_range){0};
    for (size_t i = 0; i < finding->range_count; i++) {
        const struct finding_range *range = &finding->ranges[i];
        const uint64_t start = larger(range->obj_start, end);

        if (i == 0)
            finding->span = *range;
        finding->span.obj_start = smaller(finding->span.obj_start, range->obj_start);
        finding->span.obj_end = larger(finding->span.obj_end, range->obj_end);
        finding->span.ref_start = smaller(finding->span.ref_start, range->ref_start);
        finding->span.ref_end = larger(finding->span.ref_end, range->ref_end);
        if (range->obj_end > start) {
            finding->matched += range->obj_end - start;
            end = range->obj_end;
        }
    }
}

bool finding_is_complete(const struct finding *finding)
{
    const struct finding_range *piece = finding->ranges;

    /* Blocks may also be found apart from each other, or overlapping where content repeats itself. */
    return finding->proof != PROOF_ESTIMATE && finding->proved == finding->blocks &&
           finding->range_count == 1 && piece->ref_start == 0 && piece->ref_end == finding->ref_size &&
           piece->obj_end - piece->obj_start == finding->ref_size;
}

/* ---- messages ---- */

/* Minimum size in a message: four numbers, and twenty. */
enum { RANGE_BYTES = 32, FINDING_BYTES = 8 * 20 };

static void put_double(struct buffer *out, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    wire_put(out, bits);
}

static double get_double(struct wire *wire)
{
    const uint64_t bits = wire_get(wire);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put_range(struct buffer *out, const struct finding_range *range)
{
    wire_put(out, range->obj_start);
    wire_put(out, range->obj_end);
    wire_put(out, range->ref_start);
    wire_put(out, range->ref_end);
}

static void put_finding(struct buffer *out, const struct finding *finding)
{
    wire_put(out, finding->verdict);
    wire_put(out, finding->set);
    wire_put(out, finding->file);
    wire_put(out, finding->ref_size);
    put_double(out, finding->resemblance);
    put_double(out, finding->containment);
    put_double(out, finding->score);
    wire_put(out, finding->reordered);
    wire_put(out, finding->has_edits);
    put_double(out, finding->edits);
    put_double(out, finding->edits_low);
    put_double(out, finding->edits_high);
    put_double(out, finding->ln_e);
    wire_put(out, finding->proof);
    wire_put(out, finding->proved);
    wire_put(out, finding->blocks);
    wire_put(out, finding->also);
    features_encode(out, &finding->features);
    wire_put(out, finding->range_count);
    for (size_t i = 0; i < finding->range_count; i++)
        put_range(out, &finding->ranges[i]);
}

void finding_list_encode(struct buffer *out, const struct findings *findings)
{
    wire_put(out, findings->count);
    wire_put(out, findings->lacks);
    for (size_t i = 0; i < findings->count; i++)
        put_finding(out, &findings->list[i]);
}

static void get_range(struct wire *wire, struct finding_range *range)
{
    range->obj_start = wire_get(wire);
    range->obj_end = wire_get(wire);
    range->ref_start = wire_get(wire);
    range->ref_end = wire_get(wire);
}

static bool are_sound(const struct finding_range *ranges, size_t count, uint64_t size, uint64_t ref_size)
{
    for (size_t i = 0; i < count; i++) {
        const struct finding_range *range = &ranges[i];

        if (range->obj_start > range->obj_end || range->obj_end > size || range->ref_start > range->ref_end ||
            range->ref_end > ref_size || (i && range->obj_start < ranges[i - 1].obj_start))
            return false;
    }
    return true;
}

static bool is_share(double x)
{
    return x >= 0 && x <= 1;
}

static bool is_count(double x)
{
    return x >= 0 && x < 1e19;
}

static bool is_sound(const struct finding *finding, uint64_t size)
{
    return is_share(finding->resemblance) && is_share(finding->containment) && is_share(finding->score) &&
           (!finding->reordered || finding->verdict == VERDICT_VARIANT) && is_count(finding->edits) &&
           is_count(finding->edits_low) && is_count(finding->edits_high) && finding->ln_e < INFINITY &&
           finding->ref_size <= INT64_MAX && size <= INT64_MAX && finding->proved <= finding->blocks &&
           features_are_sound(&finding->features) &&
           are_sound(finding->ranges, finding->range_count, size, finding->ref_size);
}

bool finding_list_is_sound(const struct findings *findings, uint64_t size)
{
    for (size_t i = 0; i < findings->count; i++)
        if (!is_sound(&findings->list[i], size))
            return false;
    return true;
}

static bool get_finding(struct wire *wire, uint64_t size, struct finding *finding)
{
    const uint64_t verdict = wire_get(wire), set = wire_get(wire);
    uint64_t reordered, proof;
    size_t count;

    finding->file = wire_get(wire);
    finding->ref_size = wire_get(wire);
    finding->resemblance = get_double(wire);
    finding->containment = get_double(wire);
    finding->score = get_double(wire);
    reordered = wire_get(wire);
    finding->has_edits = wire_get(wire) != 0;
    finding->edits = get_double(wire);
    finding->edits_low = get_double(wire);
    finding->edits_high = get_double(wire);
    finding->ln_e = get_double(wire);
    proof = wire_get(wire);
    finding->proved = wire_get(wire);
    finding->blocks = wire_get(wire);
    finding->also = wire_get(wire);
    if (!features_decode(wire, &finding->features))
        return false;
    count = wire_get_count(wire, RANGE_BYTES);
    if (verdict > VERDICT_FRAGMENT || set > UINT32_MAX || reordered > 1 || proof >= PROOFS ||
        finding_resize(finding, count, NULL))
        return false;
    finding->verdict = (enum verdict)verdict;
    finding->set = (uint32_t)set;
    finding->reordered = reordered != 0;
    finding->proof = (enum proof)proof;
    for (size_t i = 0; i < count; i++)
        get_range(wire, &finding->ranges[i]);
    if (!is_sound(finding, size))
        return false;
    finding_measure(finding);
    return !wire->broken;
}

bool finding_list_decode(struct wire *wire, uint64_t size, struct findings *findings)
{
    const size_t count = wire_get_count(wire, FINDING_BYTES);

    const uint64_t lacks = wire_get(wire);

    finding_list_reset(findings);
    if (lacks > (FINDINGS_CUT | FINDINGS_COMMON))
        return false;
    findings->lacks = (unsigned)lacks;
    for (size_t i = 0; i < count; i++) {
        struct finding *finding = finding_list_add(findings, NULL);

        if (!finding || !get_finding(wire, size, finding))
            return false;
    }
    return !wire->broken;
}
