/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/report.h"
#include "report/report_dfxml_case.h"
#include "report/report_values.h"
#include "report/report_xml.h"

/* A file object stays open while rows of the same object follow. */
struct report_dfxml {
    bool open;
    struct case_finding_id last;
};

static int begin(struct report_writer *writer, struct casefile *casefile, struct error *err)
{
    writer->state = memory_new(sizeof(struct report_dfxml), err);
    return writer->state ? report_dfxml_case(&writer->out, casefile, err) : -1;
}

static void release(struct report_writer *writer)
{
    free(writer->state);
}

/* ---- the object ---- */

static void put_paths(struct buffer *out, const struct case_object *object)
{
    const char *path = object->paths;

    for (size_t i = 0; i < object->path_count; i++, path += strlen(path) + 1)
        report_xml_name(out, "    <filename", path, strlen(path), "</filename>\n");
}

/* The first number of an address such as 1234-128-3; those of ranges and of the host's files have none, and a
 * member has only that of the object that it is packed in. */
static void put_inode(struct buffer *out, const struct case_object *object)
{
    const char *address = object->address;
    const size_t digits = strspn(address, "0123456789");

    if (object->kind == OBJECT_MEMBER || digits == 0 || address[digits] != '-')
        return;
    buffer_add_text(out, "    <inode>");
    buffer_add(out, address, digits);
    buffer_add_text(out, "</inode>\n");
}

static void put_times(struct buffer *out, const struct case_object *object)
{
    /* in the order of the schema, which is that of fiwalk */
    static const struct {
        const char *name;
        enum object_time time;
    } times[] = {
        {"mtime", OBJECT_MTIME}, {"ctime", OBJECT_CTIME}, {"atime", OBJECT_ATIME}, {"crtime", OBJECT_CRTIME}};

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct buffer text = {0};

        if (report_values_stamp(&text, &object->times[times[i].time]))
            buffer_printf(out, "    <%s>%.*s</%s>\n", times[i].name, (int)text.len, text.data, times[i].name);
        buffer_inherit(out, &text);
        buffer_release(&text);
    }
}

static void put_runs(struct buffer *out, const struct case_object *object)
{
    if (object->run_count == 0 && (object->kind == OBJECT_MEMBER || !(object->flags & OBJECT_RESIDENT)))
        return;
    buffer_printf(out, "    <byte_runs%s>\n", object->runs_cut ? " kith:cut=\"1\"" : "");
    for (size_t i = 0; i < object->run_count; i++) {
        buffer_add_text(out, "      <byte_run");
        report_xml_number(out, "file_offset", object->runs[i].offset);
        report_xml_number(out, "img_offset", object->runs[i].image);
        report_xml_number(out, "len", object->runs[i].len);
        buffer_add_text(out, "/>\n");
    }
    if (object->run_count == 0) {
        buffer_add_text(out, "      <byte_run file_offset=\"0\"");
        report_xml_number(out, "len", object->size);
        buffer_add_text(out, " type=\"resident\"/>\n");
    }
    buffer_add_text(out, "    </byte_runs>\n");
}

static void put_parent(struct buffer *out, const struct case_object *object)
{
    struct buffer parent = {0};

    if (object->kind != OBJECT_MEMBER)
        return;
    buffer_add(&parent, object->address, object_parent_len(object->address));
    buffer_add_char(&parent, '\0');
    report_xml_text(out, "kith:parent", parent.failed ? "" : parent.data);
    buffer_inherit(out, &parent);
    buffer_release(&parent);
}

static void open_object(struct buffer *out, const struct case_row *row)
{
    const struct case_object *object = &row->object;
    const bool folder = object->kind == OBJECT_FOLDER, file = object->path_count && !folder;

    buffer_add_text(out, "  <fileobject");
    report_xml_number(out, "kith:evidence", row->evidence->number);
    report_xml_text(out, "kith:volume", object->volume);
    report_xml_text(out, "kith:address", object->address);
    report_xml_text(out, "kith:kind", object_kind_name(object->kind));
    put_parent(out, object);
    if (object->chunk)
        buffer_add_text(out, " kith:chunk=\"1\"");
    report_xml_text(out, "kith:status", report_values_status(object));
    buffer_add_text(out, ">\n");
    put_paths(out, object);
    if (object->reason[0])
        report_xml_element(out, "    <error>", object->reason, "</error>\n");
    buffer_printf(out, "    <id>%" PRIu64 ".%" PRIu64 "</id>\n", row->id.evidence, row->id.object);
    buffer_printf(out, "    <name_type>%c</name_type>\n", folder ? 'd' : file ? 'r' : '-');
    buffer_printf(out, "    <filesize>%" PRIu64 "</filesize>\n", object->size);
    buffer_printf(out, "    <alloc>%d</alloc>\n", object->flags & OBJECT_ALLOCATED ? 1 : 0);
    if (object->kind == OBJECT_ORPHAN)
        buffer_add_text(out, "    <orphan>1</orphan>\n");
    if (object->flags & OBJECT_COMPRESSED)
        buffer_add_text(out, "    <compressed>1</compressed>\n");
    put_inode(out, object);
    put_times(out, object);
    put_runs(out, object);
    report_xml_digests(out, "    <hashdigest", &object->digests, "</hashdigest>\n");
}

static void close_object(struct report_writer *writer)
{
    struct report_dfxml *state = writer->state;

    if (state->open)
        buffer_add_text(&writer->out.line, "  </fileobject>\n");
    state->open = false;
}

/* ---- the finding ---- */

static void put_measures(struct buffer *out, const struct finding *finding, uint64_t objects)
{
    buffer_printf(out, " score=\"%.3f\" order=\"%s\" resemblance=\"%.3f\" containment=\"%.3f\"",
                  finding->score, finding_order(finding), finding->resemblance, finding->containment);
    if (finding->has_edits)
        buffer_printf(out, " edits=\"%.0f\" edits_low=\"%.0f\" edits_high=\"%.0f\"", finding->edits,
                      finding->edits_low, finding->edits_high);
    buffer_add_text(out, " e_value=\"");
    report_values_e(out, finding->ln_e);
    buffer_printf(out, "\" proof=\"%s\"", finding_proof_name(finding->proof));
    report_xml_number(out, "proved", finding->proved);
    report_xml_number(out, "blocks", finding->blocks);
    report_xml_number(out, "also", finding->also);
    report_xml_number(out, "objects", objects);
    report_xml_number(out, "matched", finding->matched);
}

static void put_reference(struct buffer *out, const struct case_row *row)
{
    buffer_add_text(out, "      <kith:set");
    report_xml_number(out, "number", (uint64_t)row->finding.set + 1);
    report_xml_text(out, "kind", refset_kind_name(row->set->kind));
    report_xml_name(out, "", row->set->name, strlen(row->set->name), "</kith:set>\n");
    buffer_add_text(out, "      <kith:reference");
    report_xml_number(out, "number", row->finding.file);
    report_xml_number(out, "size", row->finding.ref_size);
    report_xml_name(out, "", row->reference.name, row->reference.name_len, "</kith:reference>\n");
    report_xml_digests(out, "      <kith:reference_hashdigest", &row->reference.digests,
                       "</kith:reference_hashdigest>\n");
}

static void put_twins(struct buffer *out, const struct case_row *row)
{
    for (size_t i = 0; i < row->twin_count; i++) {
        buffer_add_text(out, "      <kith:twin number=\"");
        casefile_put_id(out, &row->twins[i].id);
        buffer_add_char(out, '"');
        report_xml_text(out, "kind", object_kind_name(row->twins[i].kind));
        report_xml_text(out, "address", row->twins[i].address);
        buffer_add_text(out, "/>\n");
    }
}

static void put_image(void *arg, const struct object_run *piece)
{
    struct buffer *out = arg;

    buffer_add_text(out, "<kith:image");
    report_xml_number(out, "offset", piece->image);
    report_xml_number(out, "len", piece->len);
    buffer_add_text(out, "/>");
}

static int put_ranges(struct report_writer *writer, const struct case_row *row, struct error *err)
{
    const struct finding *finding = &row->finding;
    struct buffer *out = &writer->out.line;
    int result = 0;

    for (size_t i = 0; i < finding->range_count && result == 0; i++) {
        const struct finding_range *range = &finding->ranges[i];

        buffer_add_text(out, "      <kith:range");
        report_xml_number(out, "object_start", range->obj_start);
        report_xml_number(out, "object_end", range->obj_end);
        report_xml_number(out, "reference_start", range->ref_start);
        report_xml_number(out, "reference_end", range->ref_end);
        buffer_add_char(out, '>');
        casefile_pieces(&row->object, range->obj_start, range->obj_end, put_image, out);
        buffer_add_text(out, "</kith:range>\n");
        result = report_stream_put(&writer->out, err);
    }
    return result;
}

static int put_finding(struct report_writer *writer, const struct case_row *row, struct error *err)
{
    struct buffer *out = &writer->out.line;
    int result;

    buffer_add_text(out, "    <kith:finding number=\"");
    casefile_put_id(out, &row->id);
    buffer_printf(out, "\" verdict=\"%s\"", finding_verdict_name(row->finding.verdict));
    put_measures(out, &row->finding, writer->shared->objects);
    buffer_add_text(out, ">\n");
    put_reference(out, row);
    put_twins(out, row);
    result = put_ranges(writer, row, err);
    buffer_add_text(out, "    </kith:finding>\n");
    return result;
}

static int put_row(struct report_writer *writer, const struct case_row *row, struct error *err)
{
    struct report_dfxml *state = writer->state;
    int result = 0;

    if (!state->open || state->last.evidence != row->id.evidence || state->last.object != row->id.object) {
        close_object(writer);
        open_object(&writer->out.line, row);
    }
    state->open = true;
    state->last = row->id;
    if (row->has_finding)
        result = put_finding(writer, row, err);
    else
        buffer_printf(&writer->out.line, "    <kith:no_finding verdict=\"%s\"/>\n",
                      finding_verdict_name(row->object.verdict));
    return result ? result : report_stream_put(&writer->out, err);
}

static int end(struct report_writer *writer, struct error *err)
{
    close_object(writer);
    buffer_printf(&writer->out.line, "  <kith:end rows=\"%" PRIu64 "\"/>\n</dfxml>\n", writer->rows);
    return report_stream_put(&writer->out, err);
}

const struct report_operations report_dfxml = {
    .begin = begin, .finding = put_row, .end = end, .release = release};
