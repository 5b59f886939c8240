/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json_write.h"
#include "ls_report.h"
#include "ls_values.h"

/* Nothing if the text is empty. */
static void put_made(struct json_write *out, const char *name, struct buffer *text)
{
    if (text->len)
        json_write_made(out, name, text);
    buffer_inherit(out->to, text);
}

static void put_paths(struct json_write *out, const struct ls_entry *entry)
{
    const char *path = entry->paths;

    if (entry->path_count == 0)
        return;
    json_write_name(out, "path", path, strlen(path));
    if (entry->path_count == 1)
        return;
    json_write_open(out, "also", '[');
    for (size_t i = 1; i < entry->path_count; i++) {
        path = ls_values_next(path);
        json_write_text(out, NULL, path);
    }
    json_write_close(out, ']');
}

static void put_runs(struct json_write *out, const struct object *object)
{
    json_write_open(out, "runs", '[');
    for (size_t i = 0; i < object->run_count; i++) {
        json_write_open(out, NULL, '{');
        json_write_number(out, "offset", object->runs[i].offset);
        json_write_number(out, "image_offset", object->runs[i].image);
        json_write_number(out, "length", object->runs[i].len);
        json_write_close(out, '}');
    }
    json_write_close(out, ']');
}

static void put_times(struct json_write *out, struct buffer *text, const struct ls_entry *entry)
{
    static const char *const times[] = {"mtime", "atime", "ctime", "crtime"};
    const enum report_zone zone =
        ls_values_has_zone(entry->volume, entry->object) ? REPORT_ZONE_UTC : REPORT_ZONE_NONE;

    for (int i = 0; i < OBJECT_TIMES; i++) {
        ls_values_stamp(text, &entry->object->times[i], zone);
        put_made(out, times[i], text);
    }
}

static void put_object(struct ls_report *report, const struct ls_entry *entry)
{
    const struct object *object = entry->object;
    struct json_write out = {.to = &report->out.line};
    struct buffer text = {0};

    json_write_open(&out, NULL, '{');
    json_write_text(&out, "evidence", report->evidence);
    json_write_text(&out, "volume", entry->volume->label);
    object_address(&text, object);
    put_made(&out, "address", &text);
    json_write_text(&out, "kind", object_kind_name(object->kind));
    if (object->kind == OBJECT_MEMBER)
        json_write_bytes(&out, "parent", object->parent.data, object->parent.len);
    put_paths(&out, entry);
    json_write_number(&out, "size", object->size);
    json_write_bool(&out, "allocated", object->flags & OBJECT_ALLOCATED);
    put_times(&out, &text, entry);
    ls_values_flags(&text, object);
    put_made(&out, "flags", &text);
    put_runs(&out, object);
    for (int i = 0; i < DIGEST_KINDS; i++) {
        ls_values_digest(&text, entry->digests, (enum digest_kind)i);
        put_made(&out, digest_name((enum digest_kind)i), &text);
    }
    ls_values_state(&text, object);
    put_made(&out, "status", &text);
    json_write_close(&out, '}');
    json_write_line(&out);
    buffer_release(&text);
}

static void put_account(struct ls_report *report, const struct report_account *account)
{
    report_account_json(account, &report->out.line, report->evidence);
}

const struct ls_operations ls_json = {
    .object = put_object, .whole = ls_report_whole_object, .account = put_account};
