/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "report/report.h"
#include "report/report_values.h"

static void add_place(struct buffer *out, const struct case_object *object)
{
    if (object->path_count) {
        report_values_foreign(out, object->paths);
    } else {
        buffer_add_text(out, object_kind_name(object->kind));
        buffer_add_char(out, ' ');
        report_values_foreign(out, object->address);
    }
    if (strcmp(object->volume, "-") != 0) {
        buffer_add_text(out, " in volume ");
        report_values_foreign(out, object->volume);
    }
    buffer_add_text(out, " (");
    if (object->kind != OBJECT_FILE && object->path_count)
        buffer_printf(out, "%s, ", object_kind_name(object->kind));
    report_values_size(out, object->size);
    buffer_add_text(out, object->partial ? ", PARTIAL: not all of it could be read)" : ")");
}

static void add_numbers(struct buffer *out, const struct finding *finding)
{
    if (finding->verdict == VERDICT_IDENTICAL)
        return;
    buffer_printf(out, "\n           bytes %" PRIu64 " to %" PRIu64 ": bytes %" PRIu64 " to %" PRIu64 " of ",
                  finding->span.obj_start, finding->span.obj_end, finding->span.ref_start,
                  finding->span.ref_end);
    report_values_size(out, finding->ref_size);
    buffer_printf(out, "; resemblance %.3f, containment %.3f", finding->resemblance, finding->containment);
    if (finding->has_edits)
        buffer_printf(out, ", %.0f bytes to edit (%.0f to %.0f)", finding->edits, finding->edits_low,
                      finding->edits_high);
    buffer_add_text(out, "\n           E ");
    report_values_e(out, finding->ln_e);
    buffer_add_text(out, ", proof: ");
    finding_proof(finding, out);
    if (finding->also)
        buffer_printf(out, "; and %" PRIu64 " more references like it", finding->also);
}

static void add_finding(struct buffer *out, const struct case_row *row)
{
    buffer_add_text(out, "\n           of ");
    escape_text(out, row->reference.name, row->reference.name_len);
    buffer_add_text(out, " in ");
    report_values_foreign(out, row->set->name);
    buffer_printf(out, " (%s)", refset_kind_name(row->set->kind));
    add_numbers(out, &row->finding);
}

static int put_row(struct report_writer *writer, const struct case_row *row, struct error *err)
{
    struct buffer *out = &writer->out.line;
    const bool loud = writer->colours && row->has_finding && row->set->kind == REFSET_NOTABLE;

    buffer_printf(out, "%s%-10s%s ", loud ? "\033[1m" : "",
                  finding_verdict_name(row->has_finding ? row->finding.verdict : row->object.verdict),
                  loud ? "\033[0m" : "");
    add_place(out, &row->object);
    if (row->has_finding) {
        add_finding(out, row);
    } else if (row->object.reason[0]) {
        buffer_add_text(out, ": ");
        report_values_foreign(out, row->object.reason);
    }
    buffer_add_char(out, '\n');
    return report_stream_put(&writer->out, err);
}

const struct report_operations report_text = {.finding = put_row};
