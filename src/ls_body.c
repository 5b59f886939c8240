/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "ls_report.h"
#include "ls_values.h"

/* A name must not contain the separator. */
static void body_name(struct buffer *out, const char *path)
{
    struct buffer text = {0};

    escape_text(&text, path, strlen(path));
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] == '|')
            buffer_add_text(out, "\\x7c");
        else
            buffer_add_char(out, text.data[i]);
    buffer_inherit(out, &text);
    buffer_release(&text);
}

static void body_mode(struct buffer *out, const struct object *object)
{
    char type = S_ISDIR(object->mode) ? 'd' : S_ISLNK(object->mode) ? 'l' : S_ISREG(object->mode) ? 'r' : '-';

    buffer_printf(out, "%c/%c", type, type);
    for (int i = 8; i >= 0; i--)
        buffer_add_char(out, object->mode >> i & 1 ? "xwr"[i % 3] : '-');
}

static bool is_dated(const struct object *object)
{
    for (int i = 0; i < OBJECT_TIMES; i++)
        if (object->times[i].seconds)
            return true;
    return false;
}

static void put_object(struct ls_report *report, const struct ls_entry *entry)
{
    struct buffer *line = &report->out.line;
    const struct object *object = entry->object;
    const char *path = entry->paths;

    /* without times there is nothing for a time line, and most containers do not state any */
    if (object->flags & OBJECT_RANGE || (object->kind == OBJECT_MEMBER && !is_dated(object)))
        return;
    for (size_t i = 0; i < (entry->path_count ? entry->path_count : 1); i++, path = ls_values_next(path)) {
        if (entry->digests->kinds & DIGEST_BIT(DIGEST_MD5))
            ls_values_digest(line, entry->digests, DIGEST_MD5);
        else
            buffer_add_char(line, '0');
        buffer_add_text(line, "|/");
        if (strcmp(entry->volume->label, "-") != 0)
            buffer_printf(line, "%s/", entry->volume->label);
        body_name(line, path);
        buffer_add_text(line, object->flags & OBJECT_ALLOCATED ? "|" : " (deleted)|");
        object_address(line, object);
        buffer_add_char(line, '|');
        body_mode(line, object);
        buffer_printf(
            line, "|%" PRIu32 "|%" PRIu32 "|%" PRIu64 "|%" PRId64 "|%" PRId64 "|%" PRId64 "|%" PRId64 "\n",
            object->uid, object->gid, object->size, object->times[OBJECT_ATIME].seconds,
            object->times[OBJECT_MTIME].seconds, object->times[OBJECT_CTIME].seconds,
            object->times[OBJECT_CRTIME].seconds);
    }
}

const struct ls_operations ls_body = {.object = put_object};
