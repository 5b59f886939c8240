/* SPDX-License-Identifier: Apache-2.0 */
#include "ls_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/csv.h"
#include "base/escape.h"
#include "report/report_values.h"
#include "terminal.h"

/* A line of the summary: a volume, and what was found in it. */
struct ls_volume {
    char *text; /* escaped */
    unsigned long long count[OBJECT_KINDS], bytes[OBJECT_KINDS], damaged;
};

void ls_report_release(struct ls_report *report)
{
    buffer_release(&report->line);
    for (size_t i = 0; i < report->volume_count; i++)
        free(report->volumes[i].text);
    free(report->volumes);
    report->volumes = NULL;
    report->volume_count = 0;
}

static void write_line(struct ls_report *report)
{
    put_output(&report->line);
    buffer_reset(&report->line);
}

/* A text from which a part of the line was made. */
static void release_text(struct ls_report *report, struct buffer *text)
{
    buffer_inherit(&report->line, text);
    buffer_release(text);
}

/* ---- small texts ---- */

static void add_stamp(struct buffer *out, const struct object_stamp *stamp)
{
    if (stamp->seconds || stamp->nanoseconds)
        report_values_time(out, stamp->seconds, stamp->nanoseconds);
}

static void add_state(struct buffer *out, const struct object *object)
{
    static const char *const states[] = {"ok", "partial", "unreadable", "changed"};

    buffer_add_text(out, states[object->state]);
    if (object->problem.len) {
        buffer_add_text(out, ": ");
        buffer_add(out, object->problem.data, object->problem.len);
    }
}

/* Which of its properties change how the content is to be read. */
static void add_flags(struct buffer *out, const struct object *object)
{
    static const struct {
        unsigned flag;
        const char *name;
    } names[] = {
        {OBJECT_RESIDENT, "resident"}, {OBJECT_COMPRESSED, "compressed"}, {OBJECT_ENCRYPTED, "encrypted"}};
    size_t before = out->len;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (object->flags & names[i].flag)
            buffer_printf(out, "%s%s", out->len > before ? " " : "", names[i].name);
}

static void add_runs(struct buffer *out, const struct object *object)
{
    for (size_t i = 0; i < object->run_count; i++)
        buffer_printf(out, "%s%" PRIu64 "@%" PRIu64 "+%" PRIu64, i ? " " : "", object->runs[i].offset,
                      object->runs[i].image, object->runs[i].len);
}

static void add_digest(struct buffer *out, const struct digest_values *values, enum digest_kind kind)
{
    if (values->kinds & DIGEST_BIT(kind))
        escape_hex(out, values->bytes[kind], digest_len(kind));
}

/* The texts are made in a buffer of their own, then put into a cell or string. */
static const char *text_of(struct buffer *text)
{
    buffer_add_char(text, '\0');
    return text->failed ? "" : text->data;
}

static const char *next_path(const char *path)
{
    return path + strlen(path) + 1;
}

/* ---- CSV ---- */

static void csv_header(struct ls_report *report)
{
    static const char *const columns[] = {"evidence", "volume", "address",   "kind",  "path",  "path_hex",
                                          "size",     "sha1",   "allocated", "mtime", "atime", "ctime",
                                          "crtime",   "flags",  "runs",      "also",  "status"};

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        csv_cell(&report->line, columns[i]);
    for (int kind = DIGEST_MD5; kind < DIGEST_KINDS; kind++)
        if (report->digests & DIGEST_BIT(kind))
            csv_cell(&report->line, digest_name((enum digest_kind)kind));
    csv_end_line(&report->line);
}

static void csv_digest(struct buffer *line, const struct digest_values *values, enum digest_kind kind)
{
    csv_hex(line, values->bytes[kind], values->kinds & DIGEST_BIT(kind) ? digest_len(kind) : 0);
}

/* Other names of the same object; no path has two slashes together. */
static void csv_also(struct ls_report *report, const char *paths, size_t count)
{
    struct buffer also = {0};

    for (size_t i = 1; i < count; i++) {
        paths = next_path(paths);
        if (i > 1)
            buffer_add_text(&also, "//");
        buffer_add_text(&also, paths);
    }
    csv_foreign(&report->line, also.data ? also.data : "", also.len);
    release_text(report, &also);
}

static void csv_object(struct ls_report *report, const struct evidence_volume *volume,
                       const struct object *object, const struct digest_values *values, const char *paths,
                       size_t count)
{
    struct buffer text = {0}, *line = &report->line;

    csv_foreign(line, report->evidence, strlen(report->evidence));
    csv_cell(line, volume->label);
    object_address(&text, object);
    csv_text(line, &text);
    csv_cell(line, object_kind_name(object->kind));
    csv_path(line, paths, count ? strlen(paths) : 0);
    csv_number(line, object->size);
    csv_digest(line, values, DIGEST_SHA1);
    csv_cell(line, object->flags & OBJECT_ALLOCATED ? "1" : "0");
    for (int i = 0; i < OBJECT_TIMES; i++) {
        add_stamp(&text, &object->times[i]);
        csv_text(line, &text);
    }
    add_flags(&text, object);
    csv_text(line, &text);
    add_runs(&text, object);
    csv_text(line, &text);
    csv_also(report, paths, count);
    add_state(&text, object);
    csv_foreign(line, text.data, text.len);
    buffer_reset(&text);
    for (int kind = DIGEST_MD5; kind < DIGEST_KINDS; kind++)
        if (report->digests & DIGEST_BIT(kind))
            csv_digest(line, values, (enum digest_kind)kind);
    csv_end_line(line);
    release_text(report, &text);
}

/* ---- JSON ---- */

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

static void json_paths(struct buffer *out, const char *paths, size_t count)
{
    if (count == 0)
        return;
    json_text(out, "path", paths, strlen(paths));
    if (escape_needed(paths, strlen(paths))) {
        buffer_add_text(out, ",\"path_hex\":\"");
        escape_hex(out, paths, strlen(paths));
        buffer_add_char(out, '"');
    }
    for (size_t i = 1; i < count; i++) {
        paths = next_path(paths);
        buffer_add_text(out, i == 1 ? ",\"also\":[" : ",");
        escape_json(out, paths, strlen(paths));
    }
    if (count > 1)
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

static void json_object(struct ls_report *report, const struct evidence_volume *volume,
                        const struct object *object, const struct digest_values *values, const char *paths,
                        size_t count)
{
    static const char *const times[] = {"mtime", "atime", "ctime", "crtime"};
    struct buffer text = {0}, *line = &report->line;
    const char *kind = object_kind_name(object->kind);

    buffer_add_char(line, '{');
    json_text(line, "evidence", report->evidence, strlen(report->evidence));
    json_text(line, "volume", volume->label, strlen(volume->label));
    object_address(&text, object);
    json_made(line, "address", &text);
    json_text(line, "kind", kind, strlen(kind));
    json_paths(line, paths, count);
    buffer_printf(line, ",\"size\":%" PRIu64 ",\"allocated\":%s", object->size,
                  object->flags & OBJECT_ALLOCATED ? "true" : "false");
    for (int i = 0; i < OBJECT_TIMES; i++) {
        add_stamp(&text, &object->times[i]);
        json_made(line, times[i], &text);
    }
    add_flags(&text, object);
    json_made(line, "flags", &text);
    json_runs(line, object);
    for (int i = 0; i < DIGEST_KINDS; i++) {
        add_digest(&text, values, (enum digest_kind)i);
        json_made(line, digest_name((enum digest_kind)i), &text);
    }
    add_state(&text, object);
    json_made(line, "status", &text);
    buffer_add_text(line, "}\n");
    release_text(report, &text);
}

/* ---- mactime's body file ---- */

/* Its separator must not stand in a name. */
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

static void body_object(struct ls_report *report, const struct evidence_volume *volume,
                        const struct object *object, const struct digest_values *values, const char *paths,
                        size_t count)
{
    struct buffer *line = &report->line;

    if (object->flags & OBJECT_RANGE)
        return; /* what has no times has no place on a time line */
    for (size_t i = 0; i < (count ? count : 1); i++, paths = next_path(paths)) {
        if (values->kinds & DIGEST_BIT(DIGEST_MD5))
            add_digest(line, values, DIGEST_MD5);
        else
            buffer_add_char(line, '0');
        buffer_add_text(line, "|/");
        if (strcmp(volume->label, "-") != 0)
            buffer_printf(line, "%s/", volume->label);
        body_name(line, paths);
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

/* ---- for people ---- */

static void add_size(struct buffer *out, unsigned long long bytes)
{
    static const char units[][3] = {"B ", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    int unit = 0;

    for (; value >= 999.95 && unit < 6; unit++)
        value /= 1000;
    buffer_printf(out, unit ? "%7.1f %s" : "%7.0f %s", value, units[unit]);
}

static void table_object(struct ls_report *report, const struct object *object,
                         const struct digest_values *values, const char *paths, size_t count)
{
    struct buffer text = {0}, *line = &report->line;

    buffer_printf(line, "%-11s ", object_kind_name(object->kind));
    add_size(line, object->size);
    add_stamp(&text, &object->times[OBJECT_MTIME]);
    buffer_printf(line, "  %-20.19s  ", text_of(&text));
    buffer_reset(&text);
    for (int i = 0; i < DIGEST_KINDS; i++)
        if (report->digests & DIGEST_BIT(i)) {
            add_digest(line, values, (enum digest_kind)i);
            buffer_add_text(line, "  ");
        }
    object_address(&text, object);
    buffer_printf(line, "%-14s  ", text_of(&text));
    buffer_reset(&text);
    for (size_t i = 0; i < count; i++, paths = next_path(paths)) {
        buffer_add_text(line, i ? "  =  " : "");
        escape_text(line, paths, strlen(paths));
    }
    if (object->state != OBJECT_WHOLE) {
        add_state(&text, object);
        buffer_add_text(line, "  [");
        escape_text(line, text.data, text.len);
        buffer_add_char(line, ']');
    }
    buffer_add_char(line, '\n');
    release_text(report, &text);
}

static void add_bold(struct ls_report *report, const char *text)
{
    buffer_printf(&report->line, "%s%s%s", report->colours ? "\033[1m" : "", text,
                  report->colours ? "\033[0m" : "");
}

/* "volume 2@1048576: ext4, 14.7 MB, Linux (0x83)" */
static void describe_volume(struct ls_report *report, const struct evidence_volume *volume)
{
    struct buffer *line = &report->line;
    const char *in = volume->system[0]    ? volume->system
                     : volume->content[0] ? volume->content
                                          : "no file system that is known";

    if (volume->len == 0)
        return;
    buffer_add_text(line, "volume ");
    add_bold(report, volume->label);
    buffer_printf(line, ": ");
    escape_text(line, in, strlen(in));
    if (volume->encrypted && !strstr(in, "ncrypt"))
        buffer_add_text(line, " (encrypted)");
    buffer_add_text(line, ",");
    add_size(line, volume->len);
    if (volume->about[0]) {
        buffer_add_text(line, ", ");
        escape_text(line, volume->about, strlen(volume->about));
    }
    buffer_add_char(line, '\n');
}

/* ---- the summary ---- */

static struct ls_volume *add_volume(struct ls_report *report)
{
    struct ls_volume *volumes = realloc(report->volumes, (report->volume_count + 1) * sizeof *volumes);

    if (!volumes) {
        report->line.failed = true;
        return NULL;
    }
    report->volumes = volumes;
    volumes[report->volume_count] = (struct ls_volume){0};
    return &volumes[report->volume_count++];
}

static void count_object(struct ls_report *report, const struct object *object)
{
    struct ls_volume *volume;

    if (report->volume_count == 0 && !add_volume(report)) /* what lies in no volume */
        return;
    volume = &report->volumes[object->kind == OBJECT_GAP ? 0 : report->volume_count - 1];
    volume->count[object->kind]++;
    volume->bytes[object->kind] += object->size;
    volume->damaged += object->state != OBJECT_WHOLE;
}

static void write_counts(struct ls_report *report, const struct ls_volume *volume)
{
    for (int kind = 0; kind < OBJECT_KINDS; kind++)
        if (volume->count[kind]) {
            buffer_printf(&report->line, "    %-11s %9llu  ", object_kind_name((enum object_kind)kind),
                          volume->count[kind]);
            add_size(&report->line, volume->bytes[kind]);
            buffer_add_char(&report->line, '\n');
        }
    if (volume->damaged)
        buffer_printf(&report->line, "    %-11s %9llu\n", "not whole", volume->damaged);
}

void ls_report_end(struct ls_report *report)
{
    for (size_t i = 1; i < report->volume_count && report->form == LS_SUMMARY; i++) {
        buffer_add_text(&report->line, report->volumes[i].text ? report->volumes[i].text : "");
        write_counts(report, &report->volumes[i]);
    }
    if (report->volume_count && report->form == LS_SUMMARY) {
        const struct ls_volume *rest = &report->volumes[0];

        if (rest->count[OBJECT_GAP])
            buffer_add_text(&report->line, "between and behind file systems:\n");
        write_counts(report, rest);
    }
    write_line(report);
    for (size_t i = 0; i < report->volume_count; i++)
        free(report->volumes[i].text);
    report->volume_count = 0;
}

/* ---- what is told ---- */

void ls_report_evidence(struct ls_report *report, const char *path)
{
    report->evidence = path;
    if (report->form != LS_CSV || report->header_done)
        return;
    if (report->is_account)
        report_account_csv_header(&report->line);
    else
        csv_header(report);
    report->header_done = true;
}

void ls_report_account(struct ls_report *report, const struct report_account *account)
{
    if (account->count == 0)
        return;
    if (report->form == LS_CSV)
        report_account_csv(account, &report->line, report->evidence);
    else if (report->form == LS_JSON)
        report_account_json(account, &report->line, report->evidence);
    else
        report_account_text(account, &report->line, 4);
}

void ls_report_image(struct ls_report *report, const struct evidence_image *image)
{
    struct buffer *line = &report->line;

    if (report->form > LS_TABLE)
        return;
    escape_text(line, report->evidence, strlen(report->evidence));
    buffer_printf(line, ": %s image,", image->format);
    add_size(line, image->size);
    buffer_printf(line, ", sectors of %" PRIu32 " bytes, partition table: %s\n", image->sector_size,
                  image->table[0] ? image->table : "none");
    write_line(report);
}

void ls_report_volume(struct ls_report *report, const struct evidence_volume *volume)
{
    if (report->form > LS_TABLE)
        return;
    if (report->form == LS_SUMMARY) {
        struct ls_volume *added;

        if (report->volume_count == 0)
            add_volume(report);
        added = add_volume(report);
        write_line(report);
        describe_volume(report, volume);
        if (added)
            added->text = strndup(report->line.data ? report->line.data : "", report->line.len);
        if (!added || !added->text)
            report->line.failed = true;
        buffer_reset(&report->line);
    } else {
        describe_volume(report, volume);
        write_line(report);
    }
}

void ls_report_object(struct ls_report *report, const struct evidence_volume *volume,
                      const struct object *object, const struct digest_values *values, const char *paths,
                      size_t count)
{
    switch (report->form) {
    case LS_SUMMARY:
        count_object(report, object);
        return;
    case LS_TABLE:
        table_object(report, object, values, paths, count);
        break;
    case LS_CSV:
        csv_object(report, volume, object, values, paths, count);
        break;
    case LS_JSON:
        json_object(report, volume, object, values, paths, count);
        break;
    case LS_BODY:
        body_object(report, volume, object, values, paths, count);
        break;
    }
    if (report->line.len >= 1 << 16)
        write_line(report);
}

static bool is_equal(const struct digest_values *a, const struct digest_values *b, enum digest_kind kind)
{
    return memcmp(a->bytes[kind], b->bytes[kind], digest_len(kind)) == 0;
}

void ls_report_whole(struct ls_report *report, uint64_t size, const struct digest_values *values,
                     const struct digest_values *stored)
{
    const struct evidence_volume none = {.label = "-", .about = "", .system = "", .content = ""};
    struct object whole = {.kind = OBJECT_IMAGE, .flags = OBJECT_RANGE, .size = size};

    if (report->form == LS_CSV)
        csv_object(report, &none, &whole, values, "", 0);
    else if (report->form == LS_JSON)
        json_object(report, &none, &whole, values, "", 0);
    if (report->form > LS_TABLE)
        return;
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        if (!(values->kinds & DIGEST_BIT(kind)))
            continue;
        buffer_printf(&report->line, "%-6s of the image: ", digest_name((enum digest_kind)kind));
        add_digest(&report->line, values, (enum digest_kind)kind);
        if (stored->kinds & DIGEST_BIT(kind))
            buffer_add_text(&report->line, is_equal(values, stored, (enum digest_kind)kind)
                                               ? "  (as stored in it)"
                                               : "  (NOT as stored in it)");
        buffer_add_char(&report->line, '\n');
    }
}
