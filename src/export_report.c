/* SPDX-License-Identifier: Apache-2.0 */
#include "export_report.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/csv.h"
#include "base/escape.h"
#include "base/json_write.h"

static const char *first_name(const struct known *known)
{
    return known->names.len ? known->names.data : "";
}

static bool has(const struct known *known, enum digest_kind kind)
{
    return known->digests.kinds & DIGEST_BIT(kind);
}

static void add_hex(struct buffer *line, const struct known *known, enum digest_kind kind)
{
    escape_hex(line, known->digests.bytes[kind], digest_len(kind));
}

/* ---- CSV ---- */

static void csv_number_if(struct buffer *line, bool there, uint64_t number)
{
    if (there)
        csv_number(line, number);
    else
        csv_cell(line, "");
}

static void csv_file(struct export_report *report, uint64_t id, uint64_t source, const struct known *known)
{
    struct buffer *line = &report->out.line;
    const char *name = first_name(known);

    csv_number(line, id);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        csv_hex(line, known->digests.bytes[kind],
                has(known, (enum digest_kind)kind) ? digest_len((enum digest_kind)kind) : 0);
    csv_number_if(line, known->has_size, known->size);
    csv_path(line, name, strlen(name));
    csv_number(line, source);
    csv_number_if(line, known->has_record, known->record.params.c);
    csv_number_if(line, known->has_record, known->record.count);
    csv_end_line(line);
}

/* ---- JSON lines ---- */

static void json_names(struct json_write *out, const struct known *known)
{
    const char *name = first_name(known), *end = known->names.data + known->names.len;
    uint64_t origin;

    if (!known->names.len)
        return;
    json_write_text(out, "name", name);
    name += strlen(name) + 1;
    if (name == end)
        return;
    json_write_open(out, "names", '[');
    for (const char *at = name; at < end; at += strlen(at) + 1)
        json_write_text(out, NULL, at);
    json_write_close(out, ']');
    json_write_open(out, "names_from", '[');
    for (size_t at = sizeof origin; at < known->origins.len; at += sizeof origin) {
        memcpy(&origin, known->origins.data + at, sizeof origin);
        json_write_number(out, NULL, origin);
    }
    json_write_close(out, ']');
}

static void json_record(struct json_write *out, const struct known *known)
{
    struct record record = known->record;
    struct buffer text = {0};

    record.digests = known->digests;
    record.name = (struct buffer){.data = (char *)first_name(known), .len = strlen(first_name(known))};
    record_format(&record, &text);
    buffer_inherit(out->to, &text);
    if (!text.failed)
        json_write_bytes(out, "record", text.data, text.len - 1);
    buffer_release(&text);
    if (known->blocks.len)
        json_write_hex(out, "blocks", known->blocks.data, known->blocks.len);
}

static void json_file(struct export_report *report, uint64_t source, const struct known *known)
{
    struct json_write out = {.to = &report->out.line};

    json_write_open(&out, NULL, '{');
    json_write_number(&out, "from", source);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (has(known, (enum digest_kind)kind))
            json_write_hex(&out, digest_name((enum digest_kind)kind), known->digests.bytes[kind],
                           digest_len((enum digest_kind)kind));
    if (known->has_size)
        json_write_number(&out, "size", known->size);
    json_names(&out, known);
    if (known->has_record)
        json_record(&out, known);
    json_write_close(&out, '}');
    json_write_line(&out);
}

static void json_begin(struct export_report *report, const struct refset_info *info)
{
    const struct refset_params *params = &info->params;
    const bool has_key = sampler_key_is_set(params->key);
    struct json_write out = {.to = &report->out.line};

    json_write_open(&out, NULL, '{');
    json_write_number(&out, "kith-set", has_key ? 2 : 1);
    json_write_text(&out, "name", params->name);
    json_write_text(&out, "kind", refset_kind_name(params->kind));
    json_write_text(&out, "category", params->category);
    json_write_text(&out, "scheme", "gf8");
    json_write_number(&out, "n", params->n);
    json_write_number(&out, "c", params->c);
    json_write_number(&out, "block", params->block);
    json_write_number(&out, "common", params->common);
    if (has_key)
        json_write_hex(&out, "key", params->key, sizeof params->key);
    json_write_close(&out, '}');
    json_write_line(&out);
    report_stream_put(&report->out, NULL);
}

void export_report_source(struct export_report *report, const struct refset_source *source)
{
    struct json_write out = {.to = &report->out.line};
    const time_t seconds = (time_t)source->time;
    struct tm tm = {0};
    char text[64] = "";

    if (report->form != EXPORT_JSON)
        return;
    if (source->time && gmtime_r(&seconds, &tm))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    json_write_open(&out, NULL, '{');
    json_write_number(&out, "source", source->id);
    json_write_bytes(&out, "path", source->path, source->path_len);
    json_write_text(&out, "kind", source->kind);
    json_write_text(&out, "format", source->format);
    if (source->has_sha256)
        json_write_hex(&out, "sha256", source->sha256, DIGEST_SHA256_LEN);
    json_write_text(&out, "time", text);
    json_write_text(&out, "tool", source->tool);
    json_write_text(&out, "note", source->note);
    json_write_close(&out, '}');
    json_write_line(&out);
    report_stream_put(&report->out, NULL);
}

/* ---- sha1sum, hashdeep ---- */

/*
 * Names that would break the line are written as coreutils does: a backslash before the digest, and escapes
 * in the name.  sha1sum -c rejects other escapes, so none of them can be taken for another file.
 */
static void sha1sum_file(struct export_report *report, const struct known *known)
{
    const char *name = first_name(known);
    struct buffer *line = &report->out.line;
    bool marked;

    if (!has(known, DIGEST_SHA1) || !*name) {
        report->left_out++;
        return;
    }
    marked = strpbrk(name, "\\\n\r") || (!report->exact && escape_unsafe(name, strlen(name)));
    if (marked)
        buffer_add_char(line, '\\');
    add_hex(line, known, DIGEST_SHA1);
    buffer_add_text(line, "  ");
    if (marked)
        escape_marked(line, name, strlen(name), report->exact);
    else
        buffer_add_text(line, name);
    buffer_add_char(line, '\n');
}

/* The columns of hashdeep, in its order. */
static const enum digest_kind hashdeep_kinds[] = {DIGEST_MD5, DIGEST_SHA1, DIGEST_SHA256};

static void hashdeep_begin(struct export_report *report, const struct refset_info *info)
{
    struct buffer *line = &report->out.line;

    buffer_add_text(line, "%%%% HASHDEEP-1.0\n%%%% size");
    for (int i = 0; i < 3; i++)
        if (report->digests & DIGEST_BIT(hashdeep_kinds[i]))
            buffer_printf(line, ",%s", digest_name(hashdeep_kinds[i]));
    buffer_add_text(line, ",filename\n## ");
    escape_text(line, info->params.name, strlen(info->params.name));
    buffer_add_char(line, '\n');
    report_stream_put(&report->out, NULL);
}

static void hashdeep_file(struct export_report *report, const struct known *known)
{
    struct buffer *line = &report->out.line;
    const char *name = first_name(known);

    if (!known->has_size || (report->digests & ~known->digests.kinds)) {
        report->left_out++;
        return;
    }
    buffer_printf(line, "%" PRIu64, known->size);
    for (int i = 0; i < 3; i++)
        if (report->digests & DIGEST_BIT(hashdeep_kinds[i])) {
            buffer_add_char(line, ',');
            add_hex(line, known, hashdeep_kinds[i]);
        }
    buffer_add_char(line, ',');
    if (report->exact && !strpbrk(name, "\n\r")) /* hashdeep cannot express these */
        buffer_add_text(line, name);
    else
        escape_sparing(line, name, strlen(name));
    buffer_add_char(line, '\n');
}

/* ---- all ---- */

void export_report_begin(struct export_report *report, const struct refset_info *info)
{
    if (report->form == EXPORT_JSON)
        json_begin(report, info);
    if (report->form == EXPORT_HASHDEEP)
        hashdeep_begin(report, info);
    if (report->form == EXPORT_CSV)
        fputs("id,sha1,md5,sha256,size,name,name_hex,source,c,samples\r\n", report->out.to);
}

int export_report_file(struct export_report *report, uint64_t id, uint64_t source, const struct known *known)
{
    switch (report->form) {
    case EXPORT_CSV:
        csv_file(report, id, source, known);
        break;
    case EXPORT_JSON:
        json_file(report, source, known);
        break;
    case EXPORT_SHA1SUM:
        sha1sum_file(report, known);
        break;
    case EXPORT_HASHDEEP:
        hashdeep_file(report, known);
        break;
    }
    return report_stream_put(&report->out, NULL) < 0 ? -1 : 0;
}

void export_report_release(struct export_report *report)
{
    report_stream_release(&report->out);
}
