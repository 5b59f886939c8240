/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/csv.h"
#include "report/report.h"
#include "report/report_csv_extra.h"
#include "report/report_values.h"

static const struct csv_column columns[] = {
    {"evidence", false},   {"volume", false},   {"address", false},  {"kind", false},
    {"path", false},       {"path_hex", false}, {"size", true},      {"sha1", false},
    {"verdict", false},    {"set", false},      {"set_kind", false}, {"ref_id", true},
    {"ref_name", false},   {"ref_sha1", false}, {"obj_start", true}, {"obj_end", true},
    {"ref_start", true},   {"ref_end", true},   {"matched", true},   {"resemblance", true},
    {"containment", true}, {"edits", true},     {"edits_low", true}, {"edits_high", true},
    {"e_value", true},     {"proof", false},    {"status", false},   {"score", true},
    {"order", false},      {"objects", true}};

enum { COLUMNS = sizeof columns / sizeof *columns };

static int begin(struct report_writer *writer, struct casefile *casefile, struct error *err)
{
    (void)casefile;
    csv_header(&writer->out.line, columns, COLUMNS);
    report_csv_extra_header(&writer->out.line, writer->options.extra_columns);
    csv_end_line(&writer->out.line);
    return report_stream_put(&writer->out, err);
}

static int begin_excel(struct report_writer *writer, struct casefile *casefile, struct error *err)
{
    csv_bom(&writer->out.line);
    return begin(writer, casefile, err);
}

static void add_sha1(struct buffer *line, const struct digest_values *digests)
{
    csv_hex(line, digests->bytes[DIGEST_SHA1],
            digests->kinds & DIGEST_BIT(DIGEST_SHA1) ? DIGEST_SHA1_LEN : 0);
}

static void add_object(struct buffer *line, const struct case_row *row)
{
    const struct case_object *object = &row->object;

    csv_foreign(line, row->evidence->path, strlen(row->evidence->path));
    csv_cell(line, object->volume);
    csv_cell(line, object->address);
    csv_cell(line, object_kind_name(object->kind));
    csv_path(line, object->paths, object->path_count ? strlen(object->paths) : 0);
    csv_number(line, object->size);
    add_sha1(line, &object->digests);
}

static void add_edits(struct buffer *line, struct buffer *text, const struct finding *finding)
{
    const double edits[] = {finding->edits, finding->edits_low, finding->edits_high};

    for (int i = 0; i < 3; i++) {
        if (finding->has_edits)
            buffer_add_fixed(text, edits[i], 0);
        csv_text(line, text);
    }
}

static void add_measures(struct buffer *line, const struct finding *finding)
{
    struct buffer text = {0};

    buffer_add_fixed(&text, finding->resemblance, 3);
    csv_text(line, &text);
    buffer_add_fixed(&text, finding->containment, 3);
    csv_text(line, &text);
    add_edits(line, &text, finding);
    report_values_e(&text, finding->ln_e);
    csv_text(line, &text);
    finding_proof(finding, &text);
    csv_text(line, &text);
    buffer_release(&text);
}

static void add_finding(struct buffer *line, const struct case_row *row)
{
    const struct finding *finding = &row->finding;

    csv_cell(line, finding_verdict_name(finding->verdict));
    csv_foreign(line, row->set->name, strlen(row->set->name));
    csv_cell(line, refset_kind_name(row->set->kind));
    csv_number(line, finding->file);
    csv_foreign(line, row->reference.name, row->reference.name_len);
    add_sha1(line, &row->reference.digests);
    csv_number(line, finding->span.obj_start);
    csv_number(line, finding->span.obj_end);
    csv_number(line, finding->span.ref_start);
    csv_number(line, finding->span.ref_end);
    csv_number(line, finding->matched);
    add_measures(line, finding);
}

/* Without a finding 16 columns are empty, and the one of the proof has the reason. */
static void add_nothing(struct buffer *line, const struct case_object *object)
{
    csv_cell(line, finding_verdict_name(object->verdict));
    for (int i = 0; i < 16; i++)
        csv_cell(line, "");
    csv_foreign(line, object->reason, strlen(object->reason));
}

static void add_row(struct report_writer *writer, const struct case_row *row)
{
    struct buffer *line = &writer->out.line;
    struct buffer text = {0};

    add_object(line, row);
    if (row->has_finding)
        add_finding(line, row);
    else
        add_nothing(line, &row->object);
    csv_cell(line, row->object.partial ? "partial" : "ok");
    if (row->has_finding)
        buffer_add_fixed(&text, row->finding.score, 3);
    csv_text(line, &text);
    csv_cell(line, row->has_finding ? finding_order(&row->finding) : "");
    if (writer->shared)
        buffer_add_number(&text, writer->shared->objects);
    csv_text(line, &text);
    report_csv_extra(line, row, writer->options.extra_columns);
    csv_end_line(line);
    buffer_release(&text);
}

static int put_row(struct report_writer *writer, const struct case_row *row, struct error *err)
{
    add_row(writer, row);
    return report_stream_put(&writer->out, err);
}

static int put_row_excel(struct report_writer *writer, const struct case_row *row, struct error *err)
{
    struct csv_column all[COLUMNS + REPORT_CSV_EXTRAS];
    size_t count = COLUMNS;

    memcpy(all, columns, sizeof columns);
    for (size_t i = 0; i < REPORT_CSV_EXTRAS; i++)
        if (writer->options.extra_columns & 1u << i)
            all[count++] = (struct csv_column){report_csv_extra_name(i), report_csv_extra_is_number(i)};
    add_row(writer, row);
    csv_excel(&writer->out.line, 0, all, count);
    return report_stream_put(&writer->out, err);
}

const struct report_operations report_csv = {.begin = begin, .finding = put_row};
const struct report_operations report_csv_excel = {.begin = begin_excel, .finding = put_row_excel};
