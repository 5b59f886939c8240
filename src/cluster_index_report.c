/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster_index_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/escape.h"
#include "base/json_write.h"
#include "cluster/hamming.h"
#include "disk/object.h"
#include "formats.h"
#include "report/report_values.h"
#include "terminal.h"

/* The estimate 2E - 1 and its interval. */
struct estimate {
    double resemblance, low, high;
};

static struct estimate estimate(const struct cluster_index_report *report, bool is_identical,
                                uint32_t distance)
{
    struct estimate estimate = {1, 1, 1};

    if (is_identical)
        return estimate;
    sketch_interval(report->bits - distance, report->bits, &estimate.low, &estimate.high);
    estimate.low = 2 * estimate.low - 1;
    estimate.high = 2 * estimate.high - 1;
    estimate.resemblance = hamming_resemblance(report->bits, distance);
    return estimate;
}

static const char *kind_of(const struct fingerprints_document *document)
{
    return object_kind_name((enum object_kind)document->kind);
}

/* ---- rows ---- */

static void put_document_csv(struct buffer *out, const struct fingerprints_document *document)
{
    csv_path(out, document->path, strlen(document->path));
    csv_number(out, document->size);
    csv_hex(out, document->sha1, DIGEST_SHA1_LEN);
    csv_cell(out, kind_of(document));
}

static void put_number(struct buffer *out, double number)
{
    char text[40];

    snprintf(text, sizeof text, "%.4f", number);
    csv_cell(out, text);
}

static void put_csv(struct buffer *out, const struct fingerprints_document *document,
                    const struct fingerprints_document *near, bool is_identical,
                    const struct estimate *estimate)
{
    put_document_csv(out, document);
    csv_cell(out, is_identical ? "identical" : "similar");
    put_document_csv(out, near);
    put_number(out, estimate->resemblance);
    put_number(out, estimate->low);
    put_number(out, estimate->high);
    csv_end_line(out);
}

static void write_document(struct json_write *json, const char *prefix,
                           const struct fingerprints_document *document)
{
    char key[32];

    snprintf(key, sizeof key, "%spath", prefix);
    json_write_name(json, key, document->path, strlen(document->path));
    snprintf(key, sizeof key, "%ssize", prefix);
    json_write_number(json, key, document->size);
    snprintf(key, sizeof key, "%ssha1", prefix);
    json_write_hex(json, key, document->sha1, DIGEST_SHA1_LEN);
    snprintf(key, sizeof key, "%skind", prefix);
    json_write_text(json, key, kind_of(document));
}

static void write_number(struct json_write *json, const char *key, double number)
{
    char text[40];

    snprintf(text, sizeof text, "%.4f", number);
    json_write_raw(json, key, text);
}

static void put_json(struct buffer *out, const struct fingerprints_document *document,
                     const struct fingerprints_document *near, bool is_identical,
                     const struct estimate *estimate)
{
    struct json_write json = {out, false};

    json_write_open(&json, NULL, '{');
    write_document(&json, "", document);
    json_write_text(&json, "relation", is_identical ? "identical" : "similar");
    write_document(&json, "near_", near);
    write_number(&json, "resemblance", estimate->resemblance);
    write_number(&json, "resemblance_low", estimate->low);
    write_number(&json, "resemblance_high", estimate->high);
    json_write_close(&json, '}');
    json_write_line(&json);
}

static void put_name(struct buffer *out, const struct fingerprints_document *document)
{
    escape_text(out, document->path, strlen(document->path));
    if (document->kind != OBJECT_FILE)
        buffer_printf(out, " (%s)", kind_of(document));
    buffer_add_char(out, '\n');
}

static void put_text(struct buffer *out, bool is_next, const struct fingerprints_document *document,
                     const struct fingerprints_document *near, bool is_identical,
                     const struct estimate *estimate)
{
    if (!is_next)
        put_name(out, document);
    if (is_identical)
        buffer_add_text(out, "  identical                 ");
    else
        buffer_printf(out, "  %.2f (%.2f to %.2f)       ", estimate->resemblance, estimate->low,
                      estimate->high);
    put_name(out, near);
}

void cluster_index_report_pair(struct cluster_index_report *report,
                               const struct fingerprints_document *document,
                               const struct fingerprints_document *near, bool is_identical, uint32_t distance)
{
    const struct estimate figures = estimate(report, is_identical, distance);
    struct buffer out = {0};

    if (report->format == FORMAT_CSV)
        put_csv(&out, document, near, is_identical, &figures);
    else if (report->format == FORMAT_JSON)
        put_json(&out, document, near, is_identical, &figures);
    else
        put_text(&out, report->is_open, document, near, is_identical, &figures);
    put_output(&out);
    buffer_release(&out);
    report->is_open = true;
    report->pairs++;
}

void cluster_index_report_begin(struct cluster_index_report *report)
{
    static const struct csv_column columns[] = {
        {"path", false},           {"path_hex", false},       {"size", true},       {"sha1", false},
        {"kind", false},           {"relation", false},       {"near_path", false}, {"near_path_hex", false},
        {"near_size", true},       {"near_sha1", false},      {"near_kind", false}, {"resemblance", true},
        {"resemblance_low", true}, {"resemblance_high", true}};
    struct buffer out = {0};

    if (report->format == FORMAT_CSV) {
        csv_header(&out, columns, sizeof columns / sizeof *columns);
        csv_end_line(&out);
        put_output(&out);
    }
    buffer_release(&out);
}

/* ---- the summary ---- */

static void add_json_summary(const struct cluster_index_report *report,
                             const struct cluster_index_counts *counts, struct buffer *out)
{
    struct json_write json = {out, false};

    json_write_open(&json, NULL, '{');
    json_write_open(&json, "summary", '{');
    json_write_number(&json, "files", counts->files);
    json_write_number(&json, "added", counts->added);
    json_write_number(&json, "known", counts->known);
    json_write_number(&json, "too_few_samples", counts->small);
    json_write_number(&json, "empty", counts->empty);
    json_write_number(&json, "links", counts->links);
    json_write_number(&json, "unread", counts->left_out);
    json_write_number(&json, "pairs", report->pairs);
    json_write_number(&json, "cut", counts->cut);
    json_write_number(&json, "index_files", counts->index_files);
    json_write_number(&json, "index_different", counts->index_contents);
    json_write_number(&json, "bits", report->bits);
    json_write_number(&json, "groups", report->groups.m);
    json_write_number(&json, "distance", report->groups.rh);
    json_write_text(&json, "candidates", report->algorithm == GROUPS_H ? "alg-h" : "scan");
    json_write_close(&json, '}');
    json_write_close(&json, '}');
    json_write_line(&json);
}

static void add_count(struct buffer *out, uint64_t count, const char *after)
{
    if (count == 0)
        return;
    report_values_count(out, count, "file");
    buffer_printf(out, " %s\n", after);
}

static void add_summary(const struct cluster_index_report *report, const struct cluster_index_counts *counts,
                        struct buffer *out)
{
    report_values_count(out, counts->files, "file");
    buffer_add_text(out, ", ");
    report_values_number(out, counts->added);
    buffer_add_text(out, " added; ");
    report_values_count(out, report->pairs, "pair");
    buffer_printf(out, " by %s\n", report->algorithm == GROUPS_H ? "alg-h" : "scan");
    add_count(out, counts->known, "in the index before");
    add_count(out, counts->small, "with too few samples to be compared");
    add_count(out, counts->empty, "left out: empty");
    add_count(out, counts->links, "left out: hard-linked to another");
    add_count(out, counts->left_out, "could not be read");
    add_count(out, counts->cut, "near more than --most allows; only the nearest are listed");
    buffer_add_text(out, "the index has ");
    report_values_count(out, counts->index_files, "file");
    buffer_add_text(out, ", ");
    report_values_number(out, counts->index_contents);
    buffer_printf(out, " different; %" PRIu32 " bits in %" PRIu32 " groups, up to %" PRIu32 " bits differ\n",
                  report->bits, report->groups.m, report->groups.rh);
}

void cluster_index_report_end(const struct cluster_index_report *report,
                              const struct cluster_index_counts *counts, bool quiet)
{
    struct buffer out = {0};

    if (report->format == FORMAT_JSON)
        add_json_summary(report, counts, &out);
    else if (!quiet)
        add_summary(report, counts, &out);
    if (report->format == FORMAT_CSV && !out.failed)
        fwrite(out.data ? out.data : "", 1, out.len, stderr);
    else
        put_output(&out);
    note_output(&out);
    buffer_release(&out);
}
