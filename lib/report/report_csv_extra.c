/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_csv_extra.h"

#include "base/csv.h"
#include "base/escape.h"
#include "report/report_values.h"

/* Each appends the text of a cell, which may be empty. */

static void add_id(struct buffer *text, const struct case_row *row)
{
    if (row->has_finding)
        casefile_put_id(text, &row->id);
}

static void add_twins(struct buffer *text, const struct case_row *row)
{
    for (size_t i = 0; i < row->twin_count; i++) {
        buffer_add_text(text, i ? " " : "");
        casefile_put_id(text, &row->twins[i].id);
        buffer_add_char(text, '=');
        report_values_foreign(text, row->twins[i].address);
    }
}

static void add_allocated(struct buffer *text, const struct case_row *row)
{
    buffer_add_text(text, row->object.flags & OBJECT_ALLOCATED ? "yes" : "no");
}

static void add_time(struct buffer *text, const struct case_row *row, enum object_time time)
{
    const struct object_stamp *stamp = &row->object.times[time];

    if (stamp->seconds || stamp->nanoseconds)
        report_values_zone_time(text, stamp->seconds, stamp->nanoseconds, REPORT_ZONE_UTC);
}

static void add_mtime(struct buffer *text, const struct case_row *row)
{
    add_time(text, row, OBJECT_MTIME);
}

static void add_atime(struct buffer *text, const struct case_row *row)
{
    add_time(text, row, OBJECT_ATIME);
}

static void add_ctime(struct buffer *text, const struct case_row *row)
{
    add_time(text, row, OBJECT_CTIME);
}

static void add_crtime(struct buffer *text, const struct case_row *row)
{
    add_time(text, row, OBJECT_CRTIME);
}

static void add_digest(struct buffer *text, const struct digest_values *digests, enum digest_kind kind)
{
    if (digests->kinds & DIGEST_BIT(kind))
        escape_hex(text, digests->bytes[kind], digest_len(kind));
}

static void add_md5(struct buffer *text, const struct case_row *row)
{
    add_digest(text, &row->object.digests, DIGEST_MD5);
}

static void add_sha256(struct buffer *text, const struct case_row *row)
{
    add_digest(text, &row->object.digests, DIGEST_SHA256);
}

static void add_ref_md5(struct buffer *text, const struct case_row *row)
{
    add_digest(text, &row->reference.digests, DIGEST_MD5);
}

static void add_ref_sha256(struct buffer *text, const struct case_row *row)
{
    add_digest(text, &row->reference.digests, DIGEST_SHA256);
}

static void add_ref_size(struct buffer *text, const struct case_row *row)
{
    if (row->has_finding)
        buffer_add_number(text, row->finding.ref_size);
}

static void add_range(struct buffer *text, uint64_t start, uint64_t end)
{
    buffer_add_text(text, text->len ? " " : "");
    buffer_add_number(text, start);
    buffer_add_char(text, '-');
    buffer_add_number(text, end);
}

static void add_obj_ranges(struct buffer *text, const struct case_row *row)
{
    for (size_t i = 0; i < row->finding.range_count; i++)
        add_range(text, row->finding.ranges[i].obj_start, row->finding.ranges[i].obj_end);
}

static void add_ref_ranges(struct buffer *text, const struct case_row *row)
{
    for (size_t i = 0; i < row->finding.range_count; i++)
        add_range(text, row->finding.ranges[i].ref_start, row->finding.ranges[i].ref_end);
}

static void add_piece(void *arg, const struct object_run *piece)
{
    add_range(arg, piece->image, piece->image + piece->len);
}

static void add_image_ranges(struct buffer *text, const struct case_row *row)
{
    for (size_t i = 0; i < row->finding.range_count; i++)
        casefile_pieces(&row->object, row->finding.ranges[i].obj_start, row->finding.ranges[i].obj_end,
                        add_piece, text);
}

/* Of the first byte of the span. */
static void add_image_start(struct buffer *text, const struct case_row *row)
{
    uint64_t image, len;

    if (row->has_finding && casefile_on_image(&row->object, row->finding.span.obj_start, &image, &len))
        buffer_add_number(text, image);
}

static void add_proved(struct buffer *text, const struct case_row *row)
{
    if (row->has_finding)
        buffer_add_number(text, row->finding.proved);
}

static void add_blocks(struct buffer *text, const struct case_row *row)
{
    if (row->has_finding)
        buffer_add_number(text, row->finding.blocks);
}

static void add_also(struct buffer *text, const struct case_row *row)
{
    if (row->has_finding)
        buffer_add_number(text, row->finding.also);
}

static const struct {
    const char *name;
    bool is_number;
    void (*add)(struct buffer *text, const struct case_row *row);
} extras[REPORT_CSV_EXTRAS] = {
    {"id", false, add_id},
    {"twins", false, add_twins},
    {"allocated", false, add_allocated},
    {"mtime", false, add_mtime},
    {"atime", false, add_atime},
    {"ctime", false, add_ctime},
    {"crtime", false, add_crtime},
    {"md5", false, add_md5},
    {"sha256", false, add_sha256},
    {"ref_size", true, add_ref_size},
    {"ref_md5", false, add_ref_md5},
    {"ref_sha256", false, add_ref_sha256},
    {"image_start", true, add_image_start},
    {"obj_ranges", false, add_obj_ranges},
    {"ref_ranges", false, add_ref_ranges},
    {"image_ranges", false, add_image_ranges},
    {"proved", true, add_proved},
    {"blocks", true, add_blocks},
    {"also", true, add_also},
};

const char *report_csv_extra_name(size_t column)
{
    return column < REPORT_CSV_EXTRAS ? extras[column].name : NULL;
}

bool report_csv_extra_is_number(size_t column)
{
    return column < REPORT_CSV_EXTRAS && extras[column].is_number;
}

void report_csv_extra_header(struct buffer *line, unsigned columns)
{
    for (size_t i = 0; i < REPORT_CSV_EXTRAS; i++)
        if (columns & 1u << i)
            csv_cell(line, extras[i].name);
}

void report_csv_extra(struct buffer *line, const struct case_row *row, unsigned columns)
{
    struct buffer text = {0};

    for (size_t i = 0; i < REPORT_CSV_EXTRAS; i++) {
        if (!(columns & 1u << i))
            continue;
        extras[i].add(&text, row);
        csv_text(line, &text);
    }
    buffer_release(&text);
}
