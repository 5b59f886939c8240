/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/report.h"
#include "report/report_group.h"
#include "report/report_jsonl_case.h"
#include "report/report_values.h"

enum { MOST_WAITING = 1 << 20 }; /* bytes of a line, which may have many ranges in many pieces */

static int begin(struct report_writer *writer, struct casefile *casefile, struct error *err)
{
    writer->state = memory_new(sizeof(struct report_group), err);
    return writer->state ? report_jsonl_case(&writer->out, casefile, err) : -1;
}

static void release(struct report_writer *writer)
{
    free(writer->state);
}

/* ---- the object ---- */

static void put_pair(struct json_write *out, const char *key, uint64_t start, uint64_t end)
{
    json_write_open(out, key, '[');
    json_write_number(out, NULL, start);
    json_write_number(out, NULL, end);
    json_write_close(out, ']');
}

static const char *next_path(const char *path)
{
    return path + strlen(path) + 1;
}

static void put_paths(struct json_write *out, const struct case_object *object)
{
    const char *path = object->paths;

    if (object->path_count == 0)
        return;
    json_write_name(out, "path", path, strlen(path));
    if (object->path_count == 1)
        return;
    json_write_open(out, "more_paths", '[');
    for (size_t i = 1; i < object->path_count; i++) {
        path = next_path(path);
        json_write_open(out, NULL, '{');
        json_write_name(out, "path", path, strlen(path));
        json_write_close(out, '}');
    }
    json_write_close(out, ']');
}

static void put_evidence(struct json_write *out, const struct case_evidence *evidence)
{
    json_write_open(out, "evidence", '{');
    json_write_number(out, "number", evidence->number);
    json_write_name(out, "path", evidence->path, strlen(evidence->path));
    json_write_close(out, '}');
}

static void put_times(struct json_write *out, const struct case_object *object)
{
    static const char *const names[OBJECT_TIMES] = {"mtime", "atime", "ctime", "crtime"};
    struct buffer text = {0};

    json_write_open(out, "times", '{');
    for (int i = 0; i < OBJECT_TIMES; i++) {
        const struct object_stamp *stamp = &object->times[i];

        if (!stamp->seconds && !stamp->nanoseconds)
            continue;
        report_values_zone_time(&text, stamp->seconds, stamp->nanoseconds, REPORT_ZONE_UTC);
        json_write_made(out, names[i], &text);
    }
    json_write_close(out, '}');
    buffer_release(&text);
}

static void put_parent(struct json_write *out, const struct case_object *object)
{
    if (object->kind == OBJECT_MEMBER)
        json_write_bytes(out, "parent", object->address, object_parent_len(object->address));
}

/* Of a member, most of which are stored packed: the bytes that lie on the image as they are. */
static void put_stored(struct json_write *out, const struct case_object *object)
{
    if (object->kind != OBJECT_MEMBER || object->run_count == 0)
        return;
    json_write_open(out, "stored", '[');
    for (size_t i = 0; i < object->run_count; i++) {
        const struct object_run *run = &object->runs[i];

        json_write_open(out, NULL, '{');
        put_pair(out, "object", run->offset, run->offset + run->len);
        put_pair(out, "image", run->image, run->image + run->len);
        json_write_close(out, '}');
    }
    json_write_close(out, ']');
}

static void put_object(struct json_write *out, const struct case_row *row)
{
    const struct case_object *object = &row->object;

    put_evidence(out, row->evidence);
    json_write_open(out, "object", '{');
    json_write_text(out, "volume", object->volume);
    json_write_text(out, "address", object->address);
    json_write_text(out, "kind", object_kind_name(object->kind));
    put_parent(out, object);
    json_write_bool(out, "chunk", object->chunk);
    json_write_bool(out, "allocated", object->flags & OBJECT_ALLOCATED);
    put_paths(out, object);
    json_write_number(out, "size", object->size);
    put_stored(out, object);
    put_times(out, object);
    report_jsonl_digests(out, "digests", &object->digests);
    json_write_text(out, "status", report_values_status(object));
    if (object->reason[0])
        json_write_text(out, "reason", object->reason);
    json_write_close(out, '}');
}

/* ---- the finding ---- */

static void put_set(struct json_write *out, const struct case_set *set, uint32_t number)
{
    json_write_open(out, "set", '{');
    json_write_number(out, "number", (uint64_t)number + 1);
    json_write_name(out, "name", set->name, strlen(set->name));
    json_write_text(out, "kind", refset_kind_name(set->kind));
    json_write_close(out, '}');
}

static void put_reference(struct json_write *out, const struct case_row *row)
{
    json_write_open(out, "reference", '{');
    json_write_number(out, "number", row->finding.file);
    json_write_name(out, "name", row->reference.name, row->reference.name_len);
    json_write_number(out, "size", row->finding.ref_size);
    report_jsonl_digests(out, "digests", &row->reference.digests);
    json_write_close(out, '}');
}

static void put_e(struct json_write *out, double ln_e)
{
    struct buffer text = {0};

    report_values_e(&text, ln_e);
    buffer_add_char(&text, '\0');
    json_write_raw(out, "e_value", text.failed ? "null" : text.data);
    buffer_inherit(out->to, &text);
    buffer_release(&text);
}

static void put_edits(struct json_write *out, const struct finding *finding)
{
    if (!finding->has_edits)
        return;
    json_write_open(out, "edits", '{');
    json_write_real(out, "estimate", 0, finding->edits);
    json_write_real(out, "low", 0, finding->edits_low);
    json_write_real(out, "high", 0, finding->edits_high);
    json_write_close(out, '}');
}

static void put_proof(struct json_write *out, const struct finding *finding)
{
    json_write_open(out, "proof", '{');
    json_write_text(out, "grade", finding_proof_name(finding->proof));
    json_write_number(out, "proved", finding->proved);
    json_write_number(out, "blocks", finding->blocks);
    if (finding->proof == PROOF_MEMBERS)
        json_write_number(out, "found", finding_members(finding));
    json_write_close(out, '}');
}

static void put_piece(void *arg, const struct object_run *piece)
{
    put_pair(arg, NULL, piece->image, piece->image + piece->len);
}

/* object: to write where on the image its bytes lie; or NULL */
static void put_range(struct json_write *out, const char *key, const struct finding_range *range,
                      const struct case_object *object)
{
    json_write_open(out, key, '{');
    put_pair(out, "object", range->obj_start, range->obj_end);
    put_pair(out, "reference", range->ref_start, range->ref_end);
    if (object && object->run_count) {
        json_write_open(out, "image", '[');
        casefile_pieces(object, range->obj_start, range->obj_end, put_piece, out);
        json_write_close(out, ']');
    }
    json_write_close(out, '}');
}

static int put_ranges(struct report_writer *writer, struct json_write *out, const struct case_row *row,
                      struct error *err)
{
    int result = 0;

    json_write_open(out, "ranges", '[');
    for (size_t i = 0; i < row->finding.range_count && result == 0; i++) {
        put_range(out, NULL, &row->finding.ranges[i], &row->object);
        if (writer->out.line.len > MOST_WAITING)
            result = report_stream_put(&writer->out, err);
    }
    json_write_close(out, ']');
    return result;
}

static void put_id(struct json_write *out, const char *key, const struct case_finding_id *id)
{
    struct buffer text = {0};

    casefile_put_id(&text, id);
    json_write_made(out, key, &text);
    buffer_release(&text);
}

static void put_twins(struct json_write *out, const struct case_row *row)
{
    if (row->twin_count == 0)
        return;
    json_write_open(out, "twins", '[');
    for (size_t i = 0; i < row->twin_count; i++) {
        json_write_open(out, NULL, '{');
        put_id(out, "id", &row->twins[i].id);
        json_write_text(out, "kind", object_kind_name(row->twins[i].kind));
        json_write_text(out, "address", row->twins[i].address);
        json_write_close(out, '}');
    }
    json_write_close(out, ']');
}

/* How many objects have the content; and, if it is common, the finding that reports for people list. */
static void put_shared(struct json_write *out, const struct report_shared *shared)
{
    json_write_number(out, "objects", shared->objects);
    if (shared->is_common)
        put_id(out, "common", &shared->listed);
}

static void put_finding(struct json_write *out, const struct case_row *row)
{
    const struct finding *finding = &row->finding;

    json_write_text(out, "verdict", finding_verdict_name(finding->verdict));
    put_set(out, row->set, finding->set);
    put_reference(out, row);
    put_twins(out, row);
    json_write_real(out, "score", 3, finding->score);
    json_write_text(out, "order", finding_order(finding));
    json_write_real(out, "resemblance", 3, finding->resemblance);
    json_write_real(out, "containment", 3, finding->containment);
    put_edits(out, finding);
    put_e(out, finding->ln_e);
    put_proof(out, finding);
    json_write_number(out, "also", finding->also);
    json_write_number(out, "matched", finding->matched);
    put_range(out, "span", &finding->span, NULL);
}

/* A line before the rows of each reference. */
static void put_group(struct json_write *out, const struct case_row *row)
{
    json_write_open(out, NULL, '{');
    json_write_text(out, "schema", REPORT_JSONL_SCHEMA);
    json_write_text(out, "type", "reference");
    put_set(out, row->set, row->finding.set);
    put_reference(out, row);
    json_write_close(out, '}');
    json_write_line(out);
}

static int put_row(struct report_writer *writer, const struct case_row *row, struct error *err)
{
    struct json_write out = {.to = &writer->out.line};
    int result = 0;

    if (writer->options.by_reference && report_group_begins(writer->state, row) && row->has_finding)
        put_group(&out, row);

    json_write_open(&out, NULL, '{');
    json_write_text(&out, "schema", REPORT_JSONL_SCHEMA);
    json_write_text(&out, "type", row->has_finding ? "finding" : "object");
    if (row->has_finding)
        put_id(&out, "id", &row->id);
    put_object(&out, row);
    if (row->has_finding) {
        put_finding(&out, row);
        put_shared(&out, writer->shared);
        result = put_ranges(writer, &out, row, err);
    } else {
        json_write_text(&out, "verdict", finding_verdict_name(row->object.verdict));
    }
    json_write_close(&out, '}');
    json_write_line(&out);
    return result ? result : report_stream_put(&writer->out, err);
}

/* Without it a report that was cut at the end of a line would look complete. */
static int end(struct report_writer *writer, struct error *err)
{
    struct json_write out = {.to = &writer->out.line};

    json_write_open(&out, NULL, '{');
    json_write_text(&out, "schema", REPORT_JSONL_SCHEMA);
    json_write_text(&out, "type", "end");
    json_write_number(&out, "rows", writer->rows);
    json_write_close(&out, '}');
    json_write_line(&out);
    return report_stream_put(&writer->out, err);
}

const struct report_operations report_jsonl = {
    .begin = begin, .finding = put_row, .end = end, .release = release};
