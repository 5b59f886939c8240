/* SPDX-License-Identifier: Apache-2.0 */
#include "ls_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "ls_values.h"
#include "report/report_values.h"

/* ---- shared by the human-readable formats ---- */

void ls_text_size(struct buffer *out, uint64_t bytes)
{
    struct buffer text = {0};

    report_values_size(&text, bytes);
    buffer_printf(out, "%10.*s", (int)text.len, text.len ? text.data : "");
    buffer_inherit(out, &text);
    buffer_release(&text);
}

static void add_bold(struct ls_report *report, const char *text)
{
    buffer_printf(&report->out.line, "%s%s%s", report->colours ? "\033[1m" : "", text,
                  report->colours ? "\033[0m" : "");
}

void ls_text_volume(struct ls_report *report, const struct evidence_volume *volume)
{
    struct buffer *line = &report->out.line;
    const char *in = volume->system[0]    ? volume->system
                     : volume->content[0] ? volume->content
                                          : "no known file system";

    if (volume->len == 0)
        return;
    buffer_add_text(line, "volume ");
    add_bold(report, volume->label);
    buffer_printf(line, ": ");
    escape_text(line, in, strlen(in));
    if (volume->encrypted)
        buffer_add_text(line, ", ENCRYPTED, content not examined");
    else if (volume->unexamined)
        buffer_add_text(line, ", files in it not examined");
    buffer_add_text(line, ", ");
    report_values_size(line, volume->len);
    if (volume->about[0]) {
        buffer_add_text(line, ", ");
        escape_text(line, volume->about, strlen(volume->about));
    }
    buffer_add_char(line, '\n');
}

static bool is_equal(const struct digest_values *a, const struct digest_values *b, enum digest_kind kind)
{
    return memcmp(a->bytes[kind], b->bytes[kind], digest_len(kind)) == 0;
}

void ls_text_whole(struct ls_report *report, uint64_t size, const struct digest_values *values,
                   const struct digest_values *stored)
{
    struct buffer *line = &report->out.line;

    (void)size;
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        if (!(values->kinds & DIGEST_BIT(kind)))
            continue;
        buffer_printf(line, "%-6s of the image: ", digest_name((enum digest_kind)kind));
        ls_values_digest(line, values, (enum digest_kind)kind);
        if (stored->kinds & DIGEST_BIT(kind))
            buffer_add_text(line, is_equal(values, stored, (enum digest_kind)kind)
                                      ? "  (matches the hash stored in it)"
                                      : "  (DOES NOT MATCH the hash stored in it)");
        buffer_add_char(line, '\n');
    }
}

void ls_text_image(struct ls_report *report, const struct evidence_image *image)
{
    struct buffer *line = &report->out.line;

    escape_text(line, report->evidence, strlen(report->evidence));
    buffer_printf(line, ": %s image, ", image->format);
    report_values_size(line, image->size);
    buffer_printf(line, ", sectors of %" PRIu32 " bytes, partition table: %s\n", image->sector_size,
                  image->table[0] ? image->table : "none");
}

void ls_text_account(struct ls_report *report, const struct report_account *account)
{
    report_account_text(account, &report->out.line, 4);
}

/* ---- a line for each object ---- */

/* Adds the text in a column, cut after `most` bytes, and empties it. */
static void add_column(struct buffer *line, int width, int most, struct buffer *text)
{
    buffer_printf(line, "%-*.*s  ", width, text->len < (size_t)most ? (int)text->len : most,
                  text->len ? text->data : "");
    buffer_reset(text);
}

/* With seconds: fractions would make the column too wide. */
static void add_time(struct buffer *line, const struct ls_report *report, const struct ls_entry *entry,
                     struct buffer *text)
{
    const bool has_zone = ls_values_has_zone(entry->volume, entry->object);
    const struct object_stamp stamp = {.seconds = entry->object->times[OBJECT_MTIME].seconds};

    ls_values_stamp(text, &stamp, has_zone ? report->zone : REPORT_ZONE_NONE);
    if (text->len && !has_zone)
        buffer_add_text(text, " no zone");
    add_column(line, !has_zone ? 27 : report->zone == REPORT_ZONE_LOCAL ? 25 : 20, 40, text);
}

static void put_object(struct ls_report *report, const struct ls_entry *entry)
{
    struct buffer text = {0}, *line = &report->out.line;
    const struct object *object = entry->object;
    const char *path = entry->paths;

    buffer_printf(line, "%-11s ", object_kind_name(object->kind));
    ls_text_size(line, object->size);
    buffer_add_text(line, "  ");
    add_time(line, report, entry, &text);
    for (int i = 0; i < DIGEST_KINDS; i++)
        if (report->digests & DIGEST_BIT(i)) {
            ls_values_digest(line, entry->digests, (enum digest_kind)i);
            buffer_add_text(line, "  ");
        }
    object_address(&text, object);
    add_column(line, 14, 200, &text);
    for (size_t i = 0; i < entry->path_count; i++, path = ls_values_next(path)) {
        buffer_add_text(line, i ? "  =  " : "");
        escape_text(line, path, strlen(path));
    }
    if (object->state != OBJECT_WHOLE) {
        ls_values_state(&text, object);
        buffer_add_text(line, "  [");
        escape_text(line, text.data, text.len);
        buffer_add_char(line, ']');
    }
    buffer_add_char(line, '\n');
    buffer_inherit(line, &text);
    buffer_release(&text);
}

const struct ls_operations ls_table = {.image = ls_text_image,
                                       .volume = ls_text_volume,
                                       .object = put_object,
                                       .whole = ls_text_whole,
                                       .account = ls_text_account};
