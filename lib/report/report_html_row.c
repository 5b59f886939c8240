/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_html_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_write.h"
#include "report/report_edits.h"
#include "report/report_previews.h"

enum {
    FLAG_CHUNK = 1,
    FLAG_PARTIAL = 2,
    FLAG_PROVED = 4, /* all matching ranges are proved */
    LONGEST_NAME = 2000,
    NAME_END = 500, /* what is kept of the end of a longer one */
};

/* A row under construction. */
struct row {
    struct json_write json;
    struct buffer text; /* work space, empty between values */
};

/* ---- values ---- */

/* Copies a name; the middle of a very long one is left out, since 50,000 of them would make a page that no
 * browser opens. */
static void shorten(struct buffer *out, const char *name, size_t len)
{
    if (len <= LONGEST_NAME) {
        buffer_add(out, name, len);
        return;
    }
    buffer_add(out, name, LONGEST_NAME - NAME_END);
    buffer_printf(out, " [... %zu bytes ...] ", len - LONGEST_NAME);
    buffer_add(out, name + len - NAME_END, NAME_END);
}

/* Writes the text in the work space as a string, and empties that. */
static void put_text(struct row *row)
{
    json_write_made(&row->json, NULL, &row->text);
}

static void put_name(struct row *row, const char *name, size_t len)
{
    shorten(&row->text, name, len);
    put_text(row);
}

static void put_string(struct row *row, const char *string)
{
    put_name(row, string, strlen(string));
}

/* JavaScript's numbers hold 53 bits; larger ones become text. */
static void put_number(struct row *row, uint64_t number)
{
    if (number < UINT64_C(1) << 53) {
        json_write_number(&row->json, NULL, number);
    } else {
        buffer_printf(&row->text, "%" PRIu64, number);
        put_text(row);
    }
}

static void put_raw(struct row *row, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put_raw(struct row *row, const char *fmt, ...)
{
    char value[40];
    va_list args;

    va_start(args, fmt);
    vsnprintf(value, sizeof value, fmt, args);
    va_end(args);
    json_write_raw(&row->json, NULL, value);
}

static void put_sha1(struct row *row, const struct digest_values *digests)
{
    if (digests->kinds & DIGEST_BIT(DIGEST_SHA1))
        escape_hex(&row->text, digests->bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    put_text(row);
}

/* ---- where it lies ---- */

uint64_t report_html_row_place(const struct case_row *row)
{
    const uint64_t offset = row->finding.range_count ? row->finding.ranges[0].obj_start : 0;
    uint64_t image, len;

    return casefile_on_image(&row->object, offset, &image, &len) ? image : UINT64_MAX;
}

static void put_range(struct row *out, const struct case_object *object, const struct finding_range *range)
{
    uint64_t image, len;

    put_number(out, range->obj_start);
    put_number(out, range->obj_end - range->obj_start);
    put_number(out, range->ref_start);
    put_number(out, range->ref_end - range->ref_start);
    if (!casefile_on_image(object, range->obj_start, &image, &len)) {
        put_raw(out, "-1");
        len = 0;
    } else {
        put_number(out, image);
    }
    put_number(out, len);
}

static int by_length(const void *a, const void *b)
{
    const struct finding_range *x = a, *y = b;
    const uint64_t x_len = x->obj_end - x->obj_start, y_len = y->obj_end - y->obj_start;

    return x_len != y_len ? x_len < y_len ? 1 : -1 : x->obj_start < y->obj_start ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
    const struct finding_range *x = a, *y = b;

    return x->obj_start < y->obj_start ? -1 : x->obj_start > y->obj_start;
}

/* The longest ranges, in the order in which they lie; a copy, NULL if memory runs out. */
static struct finding_range *longest(const struct finding *finding)
{
    struct finding_range *ranges = malloc(finding->range_count * sizeof *ranges);

    if (!ranges)
        return NULL;
    memcpy(ranges, finding->ranges, finding->range_count * sizeof *ranges);
    qsort(ranges, finding->range_count, sizeof *ranges, by_length);
    qsort(ranges, REPORT_HTML_ROW_RANGES, sizeof *ranges, by_place);
    return ranges;
}

static void put_ranges(struct row *out, const struct case_row *row)
{
    const struct finding *finding = &row->finding;
    const bool cut = finding->range_count > REPORT_HTML_ROW_RANGES;
    const size_t count = cut ? REPORT_HTML_ROW_RANGES : finding->range_count;
    struct finding_range *chosen = cut ? longest(finding) : finding->ranges;

    if (cut && !chosen)
        out->json.to->failed = true;
    json_write_open(&out->json, NULL, '[');
    for (size_t i = 0; i < count && chosen; i++)
        put_range(out, &row->object, &chosen[i]);
    json_write_close(&out->json, ']');
    put_number(out, finding->range_count - count);
    if (cut)
        free(chosen);
}

/* The addresses of the first ones, and how many more there are: the members of a container may be many. */
static void put_twins(struct row *out, const struct case_row *row)
{
    enum { MOST = 100 };

    json_write_open(&out->json, NULL, '[');
    for (size_t i = 0; i < row->twin_count && i < MOST; i++) {
        json_write_open(&out->json, NULL, '[');
        casefile_put_id(&out->text, &row->twins[i].id);
        put_text(out);
        put_string(out, row->twins[i].name);
        put_string(out, object_kind_name(row->twins[i].kind));
        json_write_close(&out->json, ']');
    }
    if (row->twin_count > MOST)
        put_number(out, row->twin_count - MOST);
    json_write_close(&out->json, ']');
}

/* ---- a row ---- */

static void put_times(struct row *out, const struct case_object *object, enum report_zone zone)
{
    json_write_open(&out->json, NULL, '[');
    for (int i = 0; i < OBJECT_TIMES; i++) {
        const struct object_stamp *stamp = &object->times[i];

        if (stamp->seconds)
            report_values_zone_time(&out->text, stamp->seconds, stamp->nanoseconds, zone);
        put_text(out);
    }
    json_write_close(&out->json, ']');
}

static void put_object(struct row *out, const struct case_row *row, enum report_zone zone)
{
    const struct case_object *object = &row->object;
    const unsigned flags = (object->chunk ? FLAG_CHUNK : 0) | (object->partial ? FLAG_PARTIAL : 0) |
                           (row->has_finding && finding_is_complete(&row->finding) ? FLAG_PROVED : 0);

    if (row->has_finding)
        casefile_put_id(&out->text, &row->id);
    put_text(out);
    put_number(out, row->has_finding ? row->finding.verdict : object->verdict);
    put_number(out, object->evidence);
    put_string(out, object->volume);
    put_string(out, object_kind_name(object->kind));
    put_string(out, object->address);
    put_string(out, object->path_count ? object->paths : "");
    put_number(out, object->path_count);
    put_number(out, object->size);
    put_sha1(out, &object->digests);
    put_number(out, flags);
    put_string(out, object->reason);
    put_times(out, object, zone);
}

static void put_scores(struct row *out, const struct case_row *row)
{
    const struct finding *finding = &row->finding;

    put_raw(out, "%.3f", finding->resemblance);
    put_raw(out, "%.3f", finding->containment);
    put_raw(out, "%.3f", finding->score);
    put_number(out, finding->reordered);
    if (finding->has_edits || finding->reordered)
        report_edits_of(row, &out->text);
    if (finding->proof == PROOF_MEMBERS)
        report_edits_members(row, &out->text);
    put_text(out);
    report_values_e(&out->text, finding->ln_e);
    put_text(out);
    if (isinf(finding->ln_e))
        put_raw(out, "null");
    else
        put_raw(out, "%.1f", fmax(finding->ln_e, -1e6));
    put_number(out, finding->proof);
    finding_proof(finding, &out->text);
    put_text(out);
    put_number(out, finding->also);
}

static void put_shared(struct row *out, const struct report_shared *shared)
{
    put_number(out, shared->objects);
    put_number(out, shared->is_common ? shared->findings : 0);
}

static void put_finding(struct row *out, const struct case_row *row, const struct report_shared *shared,
                        const struct report_preview *preview)
{
    const struct finding *finding = &row->finding;

    put_number(out, finding->set);
    put_number(out, finding->file);
    put_name(out, row->reference.name, row->reference.name_len);
    put_sha1(out, &row->reference.digests);
    put_number(out, finding->ref_size);
    put_number(out, finding->matched);
    put_scores(out, row);
    put_ranges(out, row);
    put_twins(out, row);
    put_shared(out, shared);
    if (preview) {
        json_write_raw(&out->json, NULL, "");
        buffer_add(out->json.to, preview->json.data, preview->json.len);
        buffer_inherit(out->json.to, &preview->json);
    }
}

void report_html_row_json(struct buffer *json, const struct case_row *row, const struct report_shared *shared,
                          const struct report_options *options)
{
    struct row out = {.json = {.to = json}};

    json_write_open(&out.json, NULL, '[');
    put_object(&out, row, options->zone);
    if (row->has_finding)
        put_finding(&out, row, shared, report_previews_find(options->previews, &row->id));
    json_write_close(&out.json, ']');
    buffer_inherit(json, &out.text);
    buffer_release(&out.text);
}

/* ---- without scripts ---- */

/* A cell with the text in the buffer, which is emptied. */
static void add_cell(struct buffer *out, struct buffer *text, const char *attributes)
{
    buffer_printf(out, "<td%s>", attributes);
    escape_xml(out, text->len ? text->data : "", text->len);
    buffer_add_text(out, "</td>");
    buffer_inherit(out, text);
    buffer_reset(text);
}

static void add_found(struct buffer *out, struct buffer *text, const struct case_row *row)
{
    static const char number[] = " class=\"number\"", name[] = " class=\"name\"";
    const struct finding *finding = &row->finding;

    shorten(text, row->reference.name, row->reference.name_len);
    add_cell(out, text, name);
    report_values_size(text, finding->matched);
    add_cell(out, text, number);
    buffer_printf(text, "%.3f", finding->score);
    add_cell(out, text, number);
    report_values_e(text, finding->ln_e);
    add_cell(out, text, number);
    finding_proof(finding, text);
    add_cell(out, text, "");
}

void report_html_row_plain(struct buffer *out, const struct case_row *row)
{
    const struct case_object *object = &row->object;
    struct buffer text = {0};

    buffer_add_text(out, "<tr class=\"finding\"><th scope=\"row\">");
    if (row->has_finding)
        casefile_put_id(out, &row->id);
    buffer_printf(out, "</th><td class=\"badge\">%s</td>",
                  finding_verdict_name(row->has_finding ? row->finding.verdict : object->verdict));
    if (object->path_count)
        shorten(&text, object->paths, strlen(object->paths));
    else
        buffer_printf(&text, "%s %s", object_kind_name(object->kind), object->address);
    add_cell(out, &text, " class=\"name\"");
    report_values_size(&text, object->size);
    add_cell(out, &text, " class=\"number\"");
    if (row->has_finding) {
        add_found(out, &text, row);
    } else {
        shorten(&text, object->reason, strlen(object->reason));
        add_cell(out, &text, " colspan=\"5\"");
    }
    buffer_add_text(out, "</tr>\n");
    buffer_inherit(out, &text);
    buffer_release(&text);
}
