/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_edits.h"

#include <inttypes.h>
#include <math.h>

#include "report/report_values.h"

static const char other_order[] = "same content in another order";

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
        if (e->reordered)
            buffer_printf(out, "%s; compared in place, ", other_order);
        add_interval(e, out);
    }
}

void report_edits_of(const struct case_row *row, struct buffer *out)
{
    const struct finding *finding = &row->finding;
    const struct report_edits edits = {.edits = finding->edits,
                                       .low = finding->edits_low,
                                       .high = finding->edits_high,
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
