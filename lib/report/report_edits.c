/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_edits.h"

#include <inttypes.h>
#include <math.h>

#include "report/report_values.h"

/* From here on a resemblance is written as 1.000. */
static const double whole_resemblance = 0.9995;

static const char other_order[] = "same content in another order";

/*
 * Edits that the lengths do not explain, though all samples are common.  A few come from short insertions and
 * deletions between samples; content that moved costs its length twice.
 */
enum { MOVED_BYTES = 512 };
static const double moved_share = 0.01;

static bool is_reordered(const struct report_edits *e)
{
    const double longer = (double)(e->a_len > e->b_len ? e->a_len : e->b_len);
    const double shorter = (double)(e->a_len > e->b_len ? e->b_len : e->a_len);
    const double unexplained = e->edits - (longer - shorter);

    return e->reordered || (e->resemblance >= whole_resemblance && unexplained >= MOVED_BYTES &&
                            unexplained >= moved_share * longer);
}

static void add_bytes(struct buffer *out, double bytes)
{
    const uint64_t count = (uint64_t)llround(bytes);

    report_values_count(out, count, "byte");
    buffer_add_text(out, count == 1 ? " differs" : " differ");
}

static void add_interval(const struct report_edits *e, struct buffer *out)
{
    const uint64_t low = (uint64_t)llround(e->low), high = (uint64_t)llround(e->high);

    if (low != high)
        buffer_add_text(out, "about ");
    add_bytes(out, e->edits);
    if (low == high)
        return;
    buffer_add_text(out, " (");
    report_values_number(out, low);
    buffer_add_text(out, " to ");
    report_values_number(out, high);
    buffer_add_char(out, ')');
}

void report_edits(const struct report_edits *e, struct buffer *out)
{
    if (e->identical || (!e->not_identical && llround(e->high) == 0)) {
        buffer_add_text(out,
                        e->identical || e->proved ? "no byte differs" : "no difference seen in the samples");
    } else if (llround(e->edits) == 0 ||
               (e->not_identical && llround(e->edits) == 1 && llround(e->high) > 1)) {
        /* no sample shows a difference: for what is known to differ the estimate may have been raised to 1 */
        buffer_add_text(out, e->not_identical ? "not identical; probably at most " : "probably at most ");
        add_bytes(out, fmax(e->high, 1));
    } else {
        if (is_reordered(e))
            buffer_printf(out, "%s; compared in place, ", other_order);
        add_interval(e, out);
    }
}

void report_edits_of(const struct case_row *row, struct buffer *out)
{
    const struct finding *finding = &row->finding;
    const struct finding_range *span = &finding->span;
    const bool is_part = finding->verdict == VERDICT_EMBEDDED;
    const struct report_edits edits = {.edits = finding->edits,
                                       .low = finding->edits_low,
                                       .high = finding->edits_high,
                                       .resemblance = is_part ? finding->containment : finding->resemblance,
                                       .a_len = is_part ? span->obj_end - span->obj_start : row->object.size,
                                       .b_len = is_part ? span->ref_end - span->ref_start : finding->ref_size,
                                       .proved = finding_is_complete(finding),
                                       .not_identical = finding->verdict == VERDICT_VARIANT,
                                       .reordered = finding->reordered};

    if (finding->has_edits)
        report_edits(&edits, out);
    else
        buffer_add_text(out, other_order);
}

void report_edits_members(const struct case_row *row, struct buffer *out)
{
    const struct finding *finding = &row->finding;
    const uint64_t found = finding_members(finding);

    if (found == finding->blocks && finding->proved < found)
        buffer_add_text(out, "versions of ");
    if (found == finding->blocks && finding->verdict != VERDICT_VARIANT)
        buffer_add_text(out, "all documents of the reference, among others: ");
    else if (found == finding->blocks)
        buffer_add_text(out, finding->proved < found ? "the same documents: "
                                                     : "same documents, container differs: ");
    buffer_printf(out, "%" PRIu64 " of %" PRIu64 " members identical", finding->proved, finding->blocks);
    if (found > finding->proved)
        buffer_printf(out, ", %" PRIu64 " varied", found - finding->proved);
}
