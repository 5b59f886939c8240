/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster_passages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/csv.h"
#include "compare/compare.h"
#include "formats.h"
#include "report/report_values.h"
#include "terminal.h"

/* A content that lies in another one. */
struct inclusion {
    uint32_t part, whole;
    double containment, reverse; /* of the part in the whole, and of the whole in the part */
    uint64_t matched;            /* bytes of the part */
};

struct passages {
    const struct cluster_report *report;
    double least; /* containment */
    struct inclusion *list;
    size_t count, room;
    struct comparer *comparer;
    uint64_t common;
};

/* ---- finding ---- */

static int add(struct passages *passages, struct inclusion inclusion, struct error *err)
{
    if (inclusion.containment < passages->least || inclusion.matched == 0)
        return 0;
    if (array_reserve(&passages->list, &passages->room, passages->count + 1))
        return error_set(err, "out of memory for %zu pairs of files", passages->count);
    passages->list[passages->count++] = inclusion;
    return 0;
}

static int take_pair(void *arg, const struct pair *pair, struct error *err)
{
    const struct likeness *l = &pair->likeness;

    return add(arg, (struct inclusion){pair->a, pair->b, l->a_in_b, l->b_in_a, l->a_matched}, err) ||
                   add(arg, (struct inclusion){pair->b, pair->a, l->b_in_a, l->a_in_b, l->b_matched}, err)
               ? -1
               : 0;
}

static int compare_inclusions(const void *x, const void *y)
{
    const struct inclusion *a = x, *b = y;

    if (a->containment < b->containment || a->containment > b->containment)
        return a->containment > b->containment ? -1 : 1;
    if (a->matched != b->matched)
        return a->matched > b->matched ? -1 : 1;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    return a->whole < b->whole ? -1 : a->whole > b->whole;
}

/* ---- writing ---- */

static void put_csv(const struct passages *passages, const struct inclusion *inclusion,
                    const struct estimate *e, struct buffer *out)
{
    const struct collection *collection = passages->report->collection;
    struct buffer text = {0};

    cluster_report_csv(passages->report, collection_first(collection, inclusion->part), out);
    cluster_report_csv(passages->report, collection_first(collection, inclusion->whole), out);
    cluster_report_decimal(out, inclusion->containment, 4);
    cluster_report_decimal(out, inclusion->reverse, 4);
    csv_number(out, inclusion->matched);
    for (size_t i = 0; i < e->range_count; i++)
        buffer_printf(&text, "%s%" PRIu64 "-%" PRIu64 "@%" PRIu64 "-%" PRIu64, i ? " " : "",
                      e->ranges[i].a_start, e->ranges[i].a_end, e->ranges[i].b_start, e->ranges[i].b_end);
    csv_text(out, &text);
    csv_end_line(out);
    buffer_release(&text);
}

static void put_json(const struct passages *passages, const struct inclusion *inclusion,
                     const struct estimate *e, struct buffer *out)
{
    const struct collection *collection = passages->report->collection;

    buffer_add_char(out, '{');
    cluster_report_json(passages->report, collection_first(collection, inclusion->part), "", out);
    buffer_add_char(out, ',');
    cluster_report_json(passages->report, collection_first(collection, inclusion->whole), "in_", out);
    buffer_printf(out,
                  ",\"containment\":%.4f,\"containment_reverse\":%.4f,\"matched\":%" PRIu64 ",\"ranges\":[",
                  inclusion->containment, inclusion->reverse, inclusion->matched);
    for (size_t i = 0; i < e->range_count; i++)
        buffer_printf(
            out,
            "%s{\"start\":%" PRIu64 ",\"end\":%" PRIu64 ",\"in_start\":%" PRIu64 ",\"in_end\":%" PRIu64 "}",
            i ? "," : "", e->ranges[i].a_start, e->ranges[i].a_end, e->ranges[i].b_start, e->ranges[i].b_end);
    buffer_add_text(out, "]}\n");
}

static void put_text(const struct passages *passages, const struct inclusion *inclusion,
                     const struct estimate *e, struct buffer *out)
{
    const struct collection *collection = passages->report->collection;

    cluster_report_name(passages->report, collection_first(collection, inclusion->part), out);
    buffer_printf(out, "\n  %.0f %% in ", 100 * inclusion->containment);
    cluster_report_name(passages->report, collection_first(collection, inclusion->whole), out);
    buffer_add_text(out, ", ");
    report_values_size(out, inclusion->matched);
    buffer_add_char(out, '\n');
    for (size_t i = 0; i < e->range_count; i++)
        buffer_printf(out, "    bytes %" PRIu64 " to %" PRIu64 " at %" PRIu64 " to %" PRIu64 "\n",
                      e->ranges[i].a_start, e->ranges[i].a_end, e->ranges[i].b_start, e->ranges[i].b_end);
}

/* Compares again, for the ranges. */
static int put(const struct passages *passages, const struct inclusion *inclusion, struct buffer *out,
               struct error *err)
{
    const struct record part = collection_record(passages->report->collection, inclusion->part),
                        whole = collection_record(passages->report->collection, inclusion->whole);
    struct comparison comparison;

    if (compare_relate(passages->comparer, &part, &whole, NULL, &comparison, err))
        return -1;
    buffer_reset(out);
    if (passages->report->format == FORMAT_CSV)
        put_csv(passages, inclusion, &comparison.estimate, out);
    else if (passages->report->format == FORMAT_JSON)
        put_json(passages, inclusion, &comparison.estimate, out);
    else
        put_text(passages, inclusion, &comparison.estimate, out);
    put_output(out);
    return 0;
}

static void put_header(struct buffer *out)
{
    static const struct csv_column columns[] = {
        {"evidence", false}, {"path", false},        {"path_hex", false},   {"size", true},
        {"sha1", false},     {"in_evidence", false}, {"in_path", false},    {"in_path_hex", false},
        {"in_size", true},   {"in_sha1", false},     {"containment", true}, {"containment_reverse", true},
        {"matched", true},   {"ranges", false}};

    csv_header(out, columns, sizeof columns / sizeof *columns);
    csv_end_line(out);
    put_output(out);
}

static void write_summary(const struct passages *passages, struct buffer *out)
{
    const struct cluster_report *report = passages->report;

    if (report->quiet || report->format == FORMAT_JSON)
        return;
    buffer_reset(out);
    report_values_count(out, report->collection->document_count, "file");
    buffer_add_text(out, ", ");
    report_values_number(out, report->collection->content_count);
    buffer_add_text(out, " different; ");
    report_values_count(out, passages->count, "case");
    buffer_printf(out, " of at least %.0f %% of one in another\n", 100 * passages->least);
    cluster_report_losses(report, passages->common, out);
    cluster_report_put_summary(report, out);
}

static int write_all(struct passages *passages, struct error *err)
{
    struct buffer out = {0};
    int result = 0;

    passages->comparer = compare_new(err);
    if (!passages->comparer)
        return -1;
    if (passages->report->format == FORMAT_CSV)
        put_header(&out);
    for (size_t i = 0; i < passages->count && !result && !ferror(stdout); i++)
        result = put(passages, &passages->list[i], &out, err);
    if (!result)
        write_summary(passages, &out);
    buffer_release(&out);
    compare_free(passages->comparer);
    return result;
}

int cluster_passages_write(const struct cluster_report *report, const struct clusters_options *options,
                           struct error *err)
{
    struct passages passages = {.report = report, .least = options->limits.containment};
    int result =
        clusters_find_pairs(report->collection, options, take_pair, &passages, &passages.common, err);

    if (!result) {
        if (passages.count > 1)
            qsort(passages.list, passages.count, sizeof *passages.list, compare_inclusions);
        result = write_all(&passages, err);
    }
    free(passages.list);
    return result;
}
