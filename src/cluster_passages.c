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
    uint32_t copy;               /* a document that repeats the content of another; NO_COPY: none */
    double containment, reverse; /* of the part in the whole, and of the whole in the part */
    double low, high;            /* of the containment, an interval of 95 % */
    uint64_t matched;            /* bytes of the part */
    double share;                /* of it, by samples or by bytes, whichever is less */
};

#define NO_COPY UINT32_MAX

struct passages {
    const struct cluster_report *report;
    double least; /* containment */
    bool certain; /* of the low end of its interval */
    const atomic_bool *stop;
    struct inclusion *list;
    size_t count, room;
    struct comparer *comparer;
    struct clusters_pairs pairs;
    bool has_families;
};

/* Files that resemble each other by that are a family. */
static const double family_resemblance = 0.9;

/* ---- finding ---- */

static int add(struct passages *passages, struct inclusion inclusion, struct error *err)
{
    const uint64_t size = collection_first(passages->report->collection, inclusion.part)->size;
    const double by_bytes = size ? (double)inclusion.matched / (double)size : 0;

    if ((passages->certain ? inclusion.low : inclusion.containment) < passages->least ||
        inclusion.matched == 0)
        return 0;
    inclusion.share = by_bytes < inclusion.containment ? by_bytes : inclusion.containment;
    if (array_reserve(&passages->list, &passages->room, passages->count + 1))
        return error_set(err, "out of memory for %zu pairs of files", passages->count);
    passages->list[passages->count++] = inclusion;
    return 0;
}

static int take_pair(void *arg, const struct pair *pair, struct error *err)
{
    const struct likeness *l = &pair->likeness;
    const struct inclusion one = {.part = pair->a,
                                  .whole = pair->b,
                                  .copy = NO_COPY,
                                  .containment = l->a_in_b,
                                  .low = l->a_in_b_low,
                                  .high = l->a_in_b_high,
                                  .reverse = l->b_in_a,
                                  .matched = l->a_matched},
                           other = {.part = pair->b,
                                    .whole = pair->a,
                                    .copy = NO_COPY,
                                    .containment = l->b_in_a,
                                    .low = l->b_in_a_low,
                                    .high = l->b_in_a_high,
                                    .reverse = l->a_in_b,
                                    .matched = l->b_matched};

    return add(arg, one, err) || add(arg, other, err) ? -1 : 0;
}

/* The fullest containment: files that are identical to an earlier one. */
static int add_copies(struct passages *passages, struct error *err)
{
    const struct collection *collection = passages->report->collection;

    for (size_t i = 0; i < collection->document_count; i++) {
        const struct collection_document *document = &collection->documents[i];
        const struct inclusion copy = {.part = document->content,
                                       .whole = document->content,
                                       .copy = (uint32_t)i,
                                       .containment = 1,
                                       .low = 1,
                                       .high = 1,
                                       .reverse = 1,
                                       .matched = document->size};

        if (collection->contents[document->content].document != i && add(passages, copy, err))
            return -1;
    }
    return 0;
}

static int compare_inclusions(const void *x, const void *y)
{
    const struct inclusion *a = x, *b = y;

    if (a->share < b->share || a->share > b->share)
        return a->share > b->share ? -1 : 1;
    if (a->matched != b->matched)
        return a->matched > b->matched ? -1 : 1;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    if (a->whole != b->whole)
        return a->whole < b->whole ? -1 : 1;
    return a->copy < b->copy ? -1 : a->copy > b->copy;
}

/* ---- writing ---- */

static const struct collection_document *part_of(const struct passages *passages,
                                                 const struct inclusion *inclusion)
{
    const struct collection *collection = passages->report->collection;

    return inclusion->copy == NO_COPY ? collection_first(collection, inclusion->part)
                                      : &collection->documents[inclusion->copy];
}

static void put_csv(const struct passages *passages, const struct inclusion *inclusion,
                    const struct estimate *e, struct buffer *out)
{
    const struct collection *collection = passages->report->collection;
    struct buffer text = {0};

    cluster_report_csv(passages->report, part_of(passages, inclusion), out);
    cluster_report_csv(passages->report, collection_first(collection, inclusion->whole), out);
    cluster_report_decimal(out, inclusion->containment, 4);
    cluster_report_decimal(out, inclusion->reverse, 4);
    csv_number(out, inclusion->matched);
    for (size_t i = 0; i < e->range_count; i++)
        buffer_printf(&text, "%s%" PRIu64 "-%" PRIu64 "@%" PRIu64 "-%" PRIu64, i ? " " : "",
                      e->ranges[i].a_start, e->ranges[i].a_end, e->ranges[i].b_start, e->ranges[i].b_end);
    csv_text(out, &text);
    cluster_report_kind(part_of(passages, inclusion), out);
    cluster_report_kind(collection_first(collection, inclusion->whole), out);
    cluster_report_decimal(out, inclusion->low, 4);
    cluster_report_decimal(out, inclusion->high, 4);
    csv_end_line(out);
    buffer_release(&text);
}

static void put_json(const struct passages *passages, const struct inclusion *inclusion,
                     const struct estimate *e, struct buffer *out)
{
    const struct collection *collection = passages->report->collection;

    buffer_add_char(out, '{');
    cluster_report_json(passages->report, part_of(passages, inclusion), "", out);
    buffer_add_char(out, ',');
    cluster_report_json(passages->report, collection_first(collection, inclusion->whole), "in_", out);
    buffer_printf(out,
                  ",\"containment\":%.4f,\"containment_low\":%.4f,\"containment_high\":%.4f"
                  ",\"containment_reverse\":%.4f,\"matched\":%" PRIu64 ",\"ranges\":[",
                  inclusion->containment, inclusion->low, inclusion->high, inclusion->reverse,
                  inclusion->matched);
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

    cluster_report_name(passages->report, part_of(passages, inclusion), out);
    buffer_printf(out, "\n  %.0f %% (%.0f to %.0f %%) of its samples, %.0f %% of its bytes in ",
                  100 * inclusion->containment, 100 * inclusion->low, 100 * inclusion->high,
                  100 * (double)inclusion->matched / (double)part_of(passages, inclusion)->size);
    cluster_report_name(passages->report, collection_first(collection, inclusion->whole), out);
    buffer_add_text(out, ", ");
    report_values_size(out, inclusion->matched);
    buffer_add_char(out, '\n');
    for (size_t i = 0; i < e->range_count; i++)
        buffer_printf(out, "    bytes %" PRIu64 " to %" PRIu64 " at %" PRIu64 " to %" PRIu64 "\n",
                      e->ranges[i].a_start, e->ranges[i].a_end, e->ranges[i].b_start, e->ranges[i].b_end);
}

/* Compares again, for the ranges: those of all pairs would take much memory to save little time. */
static int find_ranges(const struct passages *passages, const struct inclusion *inclusion,
                       struct estimate_range *all, struct comparison *comparison, struct error *err)
{
    const struct record part = collection_record(passages->report->collection, inclusion->part),
                        whole = collection_record(passages->report->collection, inclusion->whole);

    if (inclusion->copy == NO_COPY)
        return compare_relate(passages->comparer, &part, &whole, NULL, comparison, err);
    *all = (struct estimate_range){0, part.len, 0, part.len, part.count};
    *comparison = (struct comparison){.estimate = {.ranges = all, .range_count = 1}};
    return 0;
}

static int put(const struct passages *passages, const struct inclusion *inclusion, struct buffer *out,
               struct error *err)
{
    struct comparison comparison;
    struct estimate_range all;

    if (find_ranges(passages, inclusion, &all, &comparison, err))
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
        {"evidence", false}, {"path", false},           {"path_hex", false},
        {"size", true},      {"sha1", false},           {"in_evidence", false},
        {"in_path", false},  {"in_path_hex", false},    {"in_size", true},
        {"in_sha1", false},  {"containment", true},     {"containment_reverse", true},
        {"matched", true},   {"ranges", false},         {"kind", false},
        {"in_kind", false},  {"containment_low", true}, {"containment_high", true}};

    csv_header(out, columns, sizeof columns / sizeof *columns);
    csv_end_line(out);
    put_output(out);
}

/* Which pairs were not compared. */
static void add_limits(const struct passages *passages, struct buffer *out)
{
    if (passages->has_families)
        buffer_printf(
            out, "of files that resemble each other by %.0f %%, only the closest is listed with another\n",
            100 * family_resemblance);
    if (passages->pairs.cut) {
        report_values_count(out, passages->pairs.cut, "file");
        buffer_printf(out,
                      " with samples of more than %" PRIu32 " others %s compared with the closest only\n",
                      passages->pairs.most, passages->pairs.cut == 1 ? "was" : "were");
    }
}

/* Near the limit, many estimates are above it only by chance. */
static uint64_t count_certain(const struct passages *passages)
{
    uint64_t count = 0;

    for (size_t i = 0; i < passages->count; i++)
        count += passages->list[i].low >= passages->least;
    return count;
}

static void write_summary(const struct passages *passages, struct buffer *out)
{
    const struct cluster_report *report = passages->report;
    const uint64_t certain = count_certain(passages);

    buffer_reset(out);
    if (report->format == FORMAT_JSON) {
        buffer_printf(out, "{\"summary\":{\"files\":%zu,\"different\":%zu,\"cases\":%zu",
                      report->collection->document_count, report->collection->content_count, passages->count);
        buffer_printf(out, ",\"certain\":%" PRIu64 ",\"families\":%s,\"cut\":%" PRIu64, certain,
                      passages->has_families ? "true" : "false", passages->pairs.cut);
        cluster_report_losses_json(report, passages->pairs.common, out);
        buffer_add_text(out, "}}\n");
        put_output(out);
        return;
    }
    if (report->quiet)
        return;
    report_values_count(out, report->collection->document_count, "file");
    buffer_add_text(out, ", ");
    report_values_number(out, report->collection->content_count);
    buffer_add_text(out, " different; ");
    report_values_count(out, passages->count, "case");
    buffer_printf(out, " of at least %.0f %% of one in another, ", 100 * passages->least);
    report_values_number(out, certain);
    buffer_add_text(out, " of them by the whole interval of 95 %\n");
    add_limits(passages, out);
    cluster_report_losses(report, passages->pairs.common, out);
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
        result =
            passages->stop && atomic_load(passages->stop) ? 1 : put(passages, &passages->list[i], &out, err);
    if (!result)
        write_summary(passages, &out);
    buffer_release(&out);
    compare_free(passages->comparer);
    return result;
}

/* The families are those of greedy clustering. */
static int find_families(struct passages *passages, const struct clusters_options *options,
                         struct clusters *families, struct error *err)
{
    const size_t contents = passages->report->collection->content_count;
    struct clusters_options close = *options;
    int result;

    close.method = CLUSTERS_GREEDY;
    close.limits = (struct likeness_limits){.resemblance = family_resemblance};
    close.count = NULL;
    result = clusters_find(families, passages->report->collection, &close, err);
    passages->pairs.families = families->leaders;
    for (size_t i = 0; i < contents && !result; i++)
        passages->has_families |= families->leaders[i] != i;
    return result;
}

static int find_all(struct passages *passages, const struct clusters_options *options, struct error *err)
{
    struct clusters families = {0};
    int result = passages->pairs.most ? find_families(passages, options, &families, err) : 0;

    if (!result)
        result = clusters_find_pairs(passages->report->collection, options, &passages->pairs, take_pair,
                                     passages, err);
    passages->pairs.families = NULL;
    clusters_release(&families);
    return result ? result : add_copies(passages, err);
}

int cluster_passages_write(const struct cluster_report *report, const struct clusters_options *options,
                           uint32_t most, struct error *err)
{
    struct passages passages = {.report = report,
                                .least = options->limits.containment,
                                .certain = options->limits.certain,
                                .stop = options->stop,
                                .pairs = {.most = most}};
    int result = find_all(&passages, options, err);

    if (!result) {
        if (passages.count > 1)
            qsort(passages.list, passages.count, sizeof *passages.list, compare_inclusions);
        result = write_all(&passages, err);
    }
    free(passages.list);
    return result;
}
