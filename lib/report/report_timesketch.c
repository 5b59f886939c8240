/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "report/report.h"
#include "report/report_values.h"

/* One event for each known time of an object.  Names of members and descriptions of times are those of Plaso
 * where it has any, since timelines are searched by them. */

static const char *const descriptions[OBJECT_TIMES] = {
    [OBJECT_MTIME] = "Content Modification Time",
    [OBJECT_ATIME] = "Last Access Time",
    [OBJECT_CTIME] = "Metadata Modification Time",
    [OBJECT_CRTIME] = "Creation Time",
};

/* "variant of report.doc (notable set leaks): home/a.doc", as raw bytes: escaped when it is written. */
static void put_message(struct json_write *out, const struct case_row *row)
{
    static const char *const relations[] = {[VERDICT_IDENTICAL] = "identical to ",
                                            [VERDICT_VARIANT] = "variant of ",
                                            [VERDICT_EMBEDDED] = "contains ",
                                            [VERDICT_FRAGMENT] = "contains a fragment of "};
    const struct case_object *object = &row->object;
    struct buffer text = {0};

    if (row->has_finding) {
        buffer_add_text(&text, relations[row->finding.verdict]);
        buffer_add(&text, row->reference.name, row->reference.name_len);
        buffer_printf(&text, " (%s set ", refset_kind_name(row->set->kind));
        buffer_add_text(&text, row->set->name);
        buffer_add_text(&text, "): ");
    } else {
        buffer_printf(&text, "%s: ", finding_verdict_name(object->verdict));
    }
    buffer_add_text(&text, object->path_count ? object->paths : object->address);
    json_write_made(out, "message", &text);
    buffer_release(&text);
}

static void put_time(struct json_write *out, const struct object_stamp *stamp, const struct buffer *datetime)
{
    char text[24];

    json_write_bytes(out, "datetime", datetime->data, datetime->len);
    snprintf(text, sizeof text, "%" PRId64, stamp->seconds * 1000000 + stamp->nanoseconds / 1000);
    json_write_raw(out, "timestamp", text);
}

static void put_digests(struct json_write *out, const struct digest_values *digests,
                        const char *const names[])
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (digests->kinds & DIGEST_BIT(kind))
            json_write_hex(out, names[kind], digests->bytes[kind], digest_len((enum digest_kind)kind));
}

static void put_object(struct json_write *out, const struct case_row *row)
{
    static const char *const names[DIGEST_KINDS] = {
        [DIGEST_SHA1] = "sha1_hash", [DIGEST_MD5] = "md5_hash", [DIGEST_SHA256] = "sha256_hash"};
    const struct case_object *object = &row->object;

    json_write_name(out, "evidence", row->evidence->path, strlen(row->evidence->path));
    json_write_text(out, "volume", object->volume);
    json_write_text(out, "address", object->address);
    json_write_text(out, "kind", object_kind_name(object->kind));
    if (object->kind == OBJECT_MEMBER)
        json_write_bytes(out, "parent", object->address, object_parent_len(object->address));
    if (object->path_count)
        json_write_name(out, "filename", object->paths, strlen(object->paths));
    json_write_number(out, "file_size", object->size);
    json_write_bool(out, "is_allocated", object->flags & OBJECT_ALLOCATED);
    put_digests(out, &object->digests, names);
    json_write_text(out, "status", report_values_status(object));
}

static void put_finding(struct json_write *out, const struct case_row *row, uint64_t objects)
{
    static const char *const names[DIGEST_KINDS] = {[DIGEST_SHA1] = "reference_sha1_hash",
                                                    [DIGEST_MD5] = "reference_md5_hash",
                                                    [DIGEST_SHA256] = "reference_sha256_hash"};
    const struct finding *finding = &row->finding;
    struct buffer text = {0};

    casefile_put_id(&text, &row->id);
    json_write_made(out, "finding", &text);
    json_write_name(out, "set", row->set->name, strlen(row->set->name));
    json_write_text(out, "set_kind", refset_kind_name(row->set->kind));
    json_write_number(out, "reference", finding->file);
    json_write_name(out, "reference_name", row->reference.name, row->reference.name_len);
    put_digests(out, &row->reference.digests, names);
    json_write_number(out, "matched", finding->matched);
    json_write_real(out, "score", 3, finding->score);
    json_write_text(out, "order", finding_order(finding));
    report_values_e(&text, finding->ln_e);
    json_write_made(out, "e_value", &text);
    finding_proof(finding, &text);
    json_write_made(out, "proof", &text);
    json_write_number(out, "objects", objects);
    buffer_inherit(out->to, &text);
    buffer_release(&text);
}

static void put_event(struct json_write *out, const struct case_row *row, enum object_time time,
                      const struct report_shared *shared, const struct buffer *datetime)
{
    const char *verdict = finding_verdict_name(row->has_finding ? row->finding.verdict : row->object.verdict);

    json_write_open(out, NULL, '{');
    put_message(out, row);
    put_time(out, &row->object.times[time], datetime);
    json_write_text(out, "timestamp_desc", descriptions[time]);
    json_write_text(out, "data_type", row->has_finding ? "kith:finding" : "kith:object");
    json_write_open(out, "tag", '[');
    json_write_text(out, NULL, verdict);
    json_write_close(out, ']');
    json_write_text(out, "verdict", verdict);
    put_object(out, row);
    if (row->has_finding)
        put_finding(out, row, shared->objects);
    json_write_close(out, '}');
    json_write_line(out);
}

static int put_row(struct report_writer *writer, const struct case_row *row, struct error *err)
{
    struct json_write out = {.to = &writer->out.line};
    struct buffer datetime = {0};

    for (int time = 0; time < OBJECT_TIMES; time++) {
        buffer_reset(&datetime);
        if (report_values_stamp(&datetime, &row->object.times[time]))
            put_event(&out, row, (enum object_time)time, writer->shared, &datetime);
    }
    buffer_inherit(&writer->out.line, &datetime);
    buffer_release(&datetime);
    return report_stream_put(&writer->out, err);
}

const struct report_operations report_timesketch = {.finding = put_row};
