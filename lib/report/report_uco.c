/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "report/report.h"
#include "report/report_uco_case.h"
#include "report/report_values.h"

struct report_uco {
    struct report_uco_write write;
    struct case_finding_id last; /* rows of the same object share its nodes */
};

static int begin(struct report_writer *writer, struct casefile *casefile, struct error *err)
{
    struct report_uco *state = memory_new(sizeof *state, err);

    writer->state = state;
    if (!state ||
        report_uco_write_begin(&state->write, &writer->out.line, casefile_info(casefile)->uuid, err))
        return -1;
    return report_uco_case(&writer->out, &state->write, casefile, err);
}

static void release(struct report_writer *writer)
{
    struct report_uco *state = writer->state;

    if (state)
        report_uco_write_release(&state->write);
    free(state);
}

static void end_node(struct json_write *out)
{
    json_write_close(out, '}');
    buffer_add_char(out->to, '\n');
}

/* ---- the object ---- */

static void put_times(struct report_uco_write *write, const struct case_object *object)
{
    static const char *const keys[OBJECT_TIMES] = {
        [OBJECT_MTIME] = "uco-observable:modifiedTime",
        [OBJECT_ATIME] = "uco-observable:accessedTime",
        [OBJECT_CTIME] = "uco-observable:metadataChangeTime",
        [OBJECT_CRTIME] = "uco-observable:observableCreatedTime",
    };
    struct buffer text = {0};

    for (int i = 0; i < OBJECT_TIMES; i++) {
        if (report_values_stamp(&text, &object->times[i]))
            report_uco_write_typed(write, keys[i], "xsd:dateTime", text.data, text.len);
        buffer_reset(&text);
    }
    buffer_inherit(write->out.to, &text);
    buffer_release(&text);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The bytes of a path whose escaped text differs from them follow in a member of kith's own. */
static void put_path(struct json_write *out, const char *path, size_t len)
{
    json_write_bytes(out, "uco-observable:filePath", path, len);
    if (escape_needed(path, len))
        json_write_hex(out, "kith:filePathHex", path, len);
}

static void put_file(struct report_uco_write *write, const char *name, const struct case_object *object)
{
    struct json_write *out = &write->out;
    const char *file = last_part(object->paths);

    report_uco_write_node(write, NULL, name, ":file", "uco-observable:FileFacet", NULL);
    json_write_bytes(out, "uco-observable:fileName", file, strlen(file));
    put_path(out, object->paths, strlen(object->paths));
    json_write_number(out, "uco-observable:sizeInBytes", object->size);
    json_write_bool(out, "uco-observable:isDirectory", object->kind == OBJECT_FOLDER);
    json_write_text(out, "uco-observable:allocationStatus",
                    object->flags & OBJECT_ALLOCATED ? "Allocated" : "Unallocated");
    put_times(write, object);
    json_write_close(out, '}');
}

/* The object, and that it lies on the evidence. */
static void put_object(struct report_uco_write *write, const char *name, const struct case_row *row)
{
    const struct case_object *object = &row->object;
    struct json_write *out = &write->out;

    report_uco_write_node(write, NULL, name, "",
                          object->path_count ? "uco-observable:File" : "uco-observable:ObservableObject",
                          "kith:Object");
    json_write_text(out, "kith:volume", object->volume);
    json_write_text(out, "kith:address", object->address);
    json_write_text(out, "kith:kind", object_kind_name(object->kind));
    json_write_bool(out, "kith:chunk", object->chunk);
    json_write_text(out, "kith:status", report_values_status(object));
    if (!row->has_finding)
        json_write_text(out, "kith:verdict", finding_verdict_name(object->verdict));
    json_write_open(out, "uco-core:hasFacet", '[');
    if (object->path_count)
        put_file(write, name, object);
    report_uco_write_node(write, NULL, name, ":content", "uco-observable:ContentDataFacet", NULL);
    json_write_number(out, "uco-observable:sizeInBytes", object->size);
    report_uco_write_digests(write, "uco-observable:hash", name, &object->digests);
    json_write_close(out, '}');
    json_write_close(out, ']');
    end_node(out);
}

/* Begins the relationship between a thing and what it lies in. */
static void begin_place(struct report_uco_write *write, const char *name, const char *in)
{
    report_uco_write_node(write, NULL, name, ":place", "uco-observable:ObservableRelationship", NULL);
    report_uco_write_ref(write, "uco-core:source", name);
    report_uco_write_ref(write, "uco-core:target", in);
    json_write_text(&write->out, "uco-core:kindOfRelationship", "Contained_Within");
    json_write_bool(&write->out, "uco-core:isDirectional", true);
}

/* The objects that a member is packed in, from the innermost to the one on the disk, which lies on the
 * evidence.  Sets `in` to the name of the first. */
static void put_parents(struct report_uco_write *write, char in[REPORT_UCO_NAME_ROOM],
                        const struct case_row *row, const char *evidence)
{
    const struct case_object *object = &row->object;
    struct json_write *out = &write->out;
    char name[REPORT_UCO_NAME_ROOM], next[REPORT_UCO_NAME_ROOM];
    struct buffer address = {0};
    size_t len = object_parent_len(object->address);

    report_uco_write_place_name(write, in, row, len);
    memcpy(name, in, sizeof name);
    while (len > 0 && !address.failed) {
        buffer_reset(&address);
        buffer_add(&address, object->address, len);
        buffer_add_char(&address, '\0');
        report_uco_write_node(write, NULL, name, "", "uco-observable:ObservableObject", "kith:Object");
        json_write_text(out, "kith:volume", object->volume);
        json_write_bytes(out, "kith:address", object->address, len);
        end_node(out);
        len = address.failed ? 0 : object_parent_len(address.data);
        if (len)
            report_uco_write_place_name(write, next, row, len);
        begin_place(write, name, len ? next : evidence);
        end_node(out);
        if (len)
            memcpy(name, next, sizeof name);
    }
    buffer_inherit(out->to, &address);
    buffer_release(&address);
}

static void put_place(struct report_uco_write *write, const char *name, const struct case_row *row)
{
    const struct case_object *object = &row->object;
    struct json_write *out = &write->out;
    char in[REPORT_UCO_NAME_ROOM], evidence[REPORT_UCO_NAME_ROOM], suffix[40];

    report_uco_write_evidence_name(evidence, casefile_first_reading(row->evidence));
    if (object->kind == OBJECT_MEMBER)
        put_parents(write, in, row, evidence);
    begin_place(write, name, object->kind == OBJECT_MEMBER ? in : evidence);
    if (object->run_count) {
        json_write_open(out, "uco-core:hasFacet", '[');
        for (size_t i = 0; i < object->run_count; i++) {
            snprintf(suffix, sizeof suffix, ":run%zu", i);
            report_uco_write_node(write, NULL, name, suffix, "uco-observable:DataRangeFacet", NULL);
            json_write_number(out, "uco-observable:rangeOffset", object->runs[i].image);
            json_write_number(out, "uco-observable:rangeSize", object->runs[i].len);
            json_write_number(out, "kith:objectOffset", object->runs[i].offset);
            json_write_close(out, '}');
        }
        json_write_close(out, ']');
    }
    end_node(out);
}

/* ---- the finding ---- */

static void put_reference(struct report_uco_write *write, const char *name, const struct case_row *row)
{
    struct json_write *out = &write->out;

    report_uco_write_node(write, NULL, name, "", "uco-observable:ObservableObject", "kith:Reference");
    json_write_number(out, "kith:referenceNumber", row->finding.file);
    json_write_name(out, "kith:setName", row->set->name, strlen(row->set->name));
    json_write_text(out, "kith:setKind", refset_kind_name(row->set->kind));
    json_write_open(out, "uco-core:hasFacet", '[');
    report_uco_write_node(write, NULL, name, ":file", "uco-observable:FileFacet", NULL);
    put_path(out, row->reference.name, row->reference.name_len);
    json_write_close(out, '}');
    report_uco_write_node(write, NULL, name, ":content", "uco-observable:ContentDataFacet", NULL);
    json_write_number(out, "uco-observable:sizeInBytes", row->finding.ref_size);
    report_uco_write_digests(write, "uco-observable:hash", name, &row->reference.digests);
    json_write_close(out, '}');
    json_write_close(out, ']');
    end_node(out);
}

static void put_scores(struct report_uco_write *write, const char *name, const struct case_row *row,
                       uint64_t objects)
{
    const struct finding *finding = &row->finding;
    struct json_write *out = &write->out;
    struct buffer text = {0};

    report_uco_write_node(write, NULL, name, ":scores", "uco-core:Facet", "kith:FindingFacet");
    casefile_put_id(&text, &row->id);
    json_write_made(out, "kith:number", &text);
    json_write_text(out, "kith:verdict", finding_verdict_name(finding->verdict));
    json_write_real(out, "kith:score", 3, finding->score);
    json_write_text(out, "kith:order", finding_order(finding));
    json_write_real(out, "kith:resemblance", 3, finding->resemblance);
    json_write_real(out, "kith:containment", 3, finding->containment);
    if (finding->has_edits) {
        json_write_real(out, "kith:edits", 0, finding->edits);
        json_write_real(out, "kith:editsLow", 0, finding->edits_low);
        json_write_real(out, "kith:editsHigh", 0, finding->edits_high);
    }
    report_values_e(&text, finding->ln_e);
    report_uco_write_typed(write, "kith:eValue", "xsd:double", text.data, text.len);
    buffer_reset(&text);
    finding_proof(finding, &text);
    json_write_made(out, "kith:proof", &text);
    json_write_number(out, "kith:matched", finding->matched);
    json_write_number(out, "kith:also", finding->also);
    json_write_number(out, "kith:objects", objects);
    json_write_close(out, '}');
    buffer_inherit(out->to, &text);
    buffer_release(&text);
}

/* A matching range: its place in the object and, in terms of kith's own, in the reference. */
static void put_range(struct report_uco_write *write, const char *name, size_t number,
                      const struct finding_range *range)
{
    struct json_write *out = &write->out;
    char suffix[40];

    snprintf(suffix, sizeof suffix, ":range%zu", number);
    report_uco_write_node(write, NULL, name, suffix, "uco-observable:DataRangeFacet", "kith:MatchFacet");
    json_write_number(out, "uco-observable:rangeOffset", range->obj_start);
    json_write_number(out, "uco-observable:rangeSize", range->obj_end - range->obj_start);
    json_write_number(out, "kith:referenceOffset", range->ref_start);
    json_write_number(out, "kith:referenceSize", range->ref_end - range->ref_start);
    json_write_close(out, '}');
}

static void put_twins(struct json_write *out, const struct case_row *row)
{
    if (row->twin_count == 0)
        return;
    json_write_open(out, "kith:alsoAt", '[');
    for (size_t i = 0; i < row->twin_count; i++)
        json_write_text(out, NULL, row->twins[i].address);
    json_write_close(out, ']');
}

static int put_finding(struct report_writer *writer, const char *object, const char *reference,
                       const char *name, const struct case_row *row, struct error *err)
{
    struct report_uco_write *write = &((struct report_uco *)writer->state)->write;
    struct json_write *out = &write->out;
    int result = 0;

    report_uco_write_node(write, NULL, name, "", "uco-observable:ObservableRelationship", "kith:Finding");
    report_uco_write_ref(write, "uco-core:source", object);
    report_uco_write_ref(write, "uco-core:target", reference);
    json_write_text(out, "uco-core:kindOfRelationship",
                    row->finding.verdict == VERDICT_EMBEDDED ? "Contains" : "Related_To");
    json_write_bool(out, "uco-core:isDirectional", true);
    put_twins(out, row);
    json_write_open(out, "uco-core:hasFacet", '[');
    put_scores(write, name, row, writer->shared->objects);
    for (size_t i = 0; i < row->finding.range_count && result == 0; i++) {
        put_range(write, name, i, &row->finding.ranges[i]);
        result = report_stream_put(&writer->out, err);
    }
    json_write_close(out, ']');
    end_node(out);
    report_uco_write_node(write, NULL, REPORT_UCO_CASE_ACTION, "", "case-investigation:InvestigativeAction",
                          NULL);
    report_uco_write_ref(write, "uco-action:result", name);
    end_node(out);
    return result;
}

static int put_row(struct report_writer *writer, const struct case_row *row, struct error *err)
{
    struct report_uco *state = writer->state;
    char object[REPORT_UCO_NAME_ROOM], reference[REPORT_UCO_NAME_ROOM], finding[REPORT_UCO_NAME_ROOM];
    int result = 0;

    report_uco_write_row_names(row, object, reference, finding);
    if (state->last.evidence != row->id.evidence || state->last.object != row->id.object) {
        put_object(&state->write, object, row);
        put_place(&state->write, object, row);
    }
    state->last = row->id;
    if (row->has_finding) {
        put_reference(&state->write, reference, row);
        result = put_finding(writer, object, reference, finding, row, err);
    }
    if (report_uco_write_failed(&state->write, err))
        return -1;
    return result ? result : report_stream_put(&writer->out, err);
}

static int end(struct report_writer *writer, struct error *err)
{
    buffer_add_text(&writer->out.line, "]}\n");
    return report_stream_put(&writer->out, err);
}

const struct report_operations report_uco = {
    .begin = begin, .finding = put_row, .end = end, .release = release};
