/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "ls_report.h"
#include "ls_values.h"

static void json_text(struct buffer *out, const char *name, const char *data, size_t len)
{
    buffer_printf(out, "%s\"%s\":", out->len && out->data[out->len - 1] == '{' ? "" : ",", name);
    escape_json(out, data, len);
}

static void json_made(struct buffer *out, const char *name, struct buffer *text)
{
    if (text->len)
        json_text(out, name, text->data, text->len);
    buffer_reset(text);
}

static void json_paths(struct buffer *out, const struct ls_entry *entry)
{
    const char *path = entry->paths;

    if (entry->path_count == 0)
        return;
    json_text(out, "path", path, strlen(path));
    if (escape_needed(path, strlen(path))) {
        buffer_add_text(out, ",\"path_hex\":\"");
        escape_hex(out, path, strlen(path));
        buffer_add_char(out, '"');
    }
    for (size_t i = 1; i < entry->path_count; i++) {
        path = ls_values_next(path);
        buffer_add_text(out, i == 1 ? ",\"also\":[" : ",");
        escape_json(out, path, strlen(path));
    }
    if (entry->path_count > 1)
        buffer_add_char(out, ']');
}

static void json_runs(struct buffer *out, const struct object *object)
{
    buffer_add_text(out, ",\"runs\":[");
    for (size_t i = 0; i < object->run_count; i++)
        buffer_printf(out, "%s{\"offset\":%" PRIu64 ",\"image_offset\":%" PRIu64 ",\"length\":%" PRIu64 "}",
                      i ? "," : "", object->runs[i].offset, object->runs[i].image, object->runs[i].len);
    buffer_add_char(out, ']');
}

static void put_object(struct ls_report *report, const struct ls_entry *entry)
{
    static const char *const times[] = {"mtime", "atime", "ctime", "crtime"};
    struct buffer text = {0}, *line = &report->out.line;
    const struct object *object = entry->object;
    const char *kind = object_kind_name(object->kind);
    const enum report_zone zone =
        ls_values_has_zone(entry->volume) ? REPORT_ZONE_UTC : REPORT_ZONE_NONE;

    buffer_add_char(line, '{');
    json_text(line, "evidence", report->evidence, strlen(report->evidence));
    json_text(line, "volume", entry->volume->label, strlen(entry->volume->label));
    object_address(&text, object);
    json_made(line, "address", &text);
    json_text(line, "kind", kind, strlen(kind));
    json_paths(line, entry);
    buffer_printf(line, ",\"size\":%" PRIu64 ",\"allocated\":%s", object->size,
                  object->flags & OBJECT_ALLOCATED ? "true" : "false");
    for (int i = 0; i < OBJECT_TIMES; i++) {
        ls_values_stamp(&text, &object->times[i], zone);
        json_made(line, times[i], &text);
    }
    ls_values_flags(&text, object);
    json_made(line, "flags", &text);
    json_runs(line, object);
    for (int i = 0; i < DIGEST_KINDS; i++) {
        ls_values_digest(&text, entry->digests, (enum digest_kind)i);
        json_made(line, digest_name((enum digest_kind)i), &text);
    }
    ls_values_state(&text, object);
    json_made(line, "status", &text);
    buffer_add_text(line, "}\n");
    buffer_inherit(line, &text);
    buffer_release(&text);
}

static void put_account(struct ls_report *report, const struct report_account *account)
{
    report_account_json(account, &report->out.line, report->evidence);
}

const struct ls_operations ls_json = {
    .object = put_object, .whole = ls_report_whole_object, .account = put_account};
