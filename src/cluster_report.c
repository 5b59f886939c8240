/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/escape.h"
#include "disk/object.h"
#include "formats.h"
#include "report/report_values.h"
#include "terminal.h"

enum role { ROLE_REPRESENTATIVE, ROLE_IDENTICAL, ROLE_SIMILAR, ROLE_COPY };

static const char *const roles[] = {"representative", "identical", "similar", "copy"};

/* A member of a cluster. */
struct member {
    size_t cluster; /* from 1 */
    const struct collection_document *document;
    enum role role;
    const struct likeness *likeness; /* of it and the representative; NULL: it is the representative */
};

/* ---- documents ---- */

void cluster_report_name(const struct cluster_report *report, const struct collection_document *document,
                         struct buffer *out)
{
    const char *path = report->paths[document->origin.source],
               *name = collection_name(report->collection, document);

    escape_text(out, path, strlen(path));
    if (!document->origin.is_source) {
        if (path[0] && path[strlen(path) - 1] != '/')
            buffer_add_char(out, '/');
        escape_text(out, name, strlen(name));
    }
    if (document->origin.kind != OBJECT_FILE)
        buffer_printf(out, " (%s)", object_kind_name((enum object_kind)document->origin.kind));
}

static const char *kind_of(const struct collection_document *document)
{
    return object_kind_name((enum object_kind)document->origin.kind);
}

void cluster_report_kind(const struct collection_document *document, struct buffer *out)
{
    csv_cell(out, kind_of(document));
}

void cluster_report_csv(const struct cluster_report *report, const struct collection_document *document,
                        struct buffer *out)
{
    const char *path = report->paths[document->origin.source],
               *name = collection_name(report->collection, document);

    csv_foreign(out, path, strlen(path));
    csv_path(out, name, strlen(name));
    csv_number(out, document->size);
    csv_hex(out, document->sha1, DIGEST_SHA1_LEN);
}

void cluster_report_json(const struct cluster_report *report, const struct collection_document *document,
                         const char *prefix, struct buffer *out)
{
    const char *path = report->paths[document->origin.source],
               *name = collection_name(report->collection, document);

    buffer_printf(out, "\"%sevidence\":", prefix);
    escape_json(out, path, strlen(path));
    buffer_printf(out, ",\"%spath\":", prefix);
    escape_json(out, name, strlen(name));
    if (escape_needed(name, strlen(name))) {
        buffer_printf(out, ",\"%spath_hex\":\"", prefix);
        escape_hex(out, name, strlen(name));
        buffer_add_char(out, '"');
    }
    buffer_printf(out, ",\"%ssize\":%" PRIu64 ",\"%ssha1\":\"", prefix, document->size, prefix);
    escape_hex(out, document->sha1, DIGEST_SHA1_LEN);
    buffer_printf(out, "\",\"%skind\":\"%s\"", prefix, kind_of(document));
}

/* ---- members ---- */

static struct member member_of(const struct cluster_report *report, size_t cluster, size_t index)
{
    const struct clusters *clusters = report->clusters;
    const uint32_t *documents = &clusters->documents[clusters->starts[cluster]];
    const struct collection_document *first = &report->collection->documents[documents[0]];
    const struct collection_document *document = &report->collection->documents[documents[index]];
    static const struct likeness same = {.has_resemblance = true,
                                         .has_containment = true,
                                         .has_edits = true,
                                         .has_interval = true,
                                         .resemblance = 1,
                                         .a_in_b = 1,
                                         .b_in_a = 1};

    if (index == 0)
        return (struct member){cluster + 1, document, ROLE_REPRESENTATIVE, NULL};
    if (document->content == first->content)
        return (struct member){cluster + 1, document, ROLE_IDENTICAL, &same};
    return (struct member){cluster + 1, document,
                           report->collection->contents[document->content].document == documents[index]
                               ? ROLE_SIMILAR
                               : ROLE_COPY,
                           &clusters->likenesses[document->content]};
}

/* "resemblance 0.93, edits 120"; or its role, if that says it all. */
static void describe(const struct member *member, bool at_least, struct buffer *out)
{
    const struct likeness *l = member->likeness;

    if (!l || member->role == ROLE_IDENTICAL) {
        buffer_add_text(out, roles[member->role]);
        return;
    }
    if (member->role == ROLE_COPY)
        buffer_add_text(out, "copy, ");
    if (l->has_resemblance)
        buffer_printf(out, "resemblance %s%.2f", at_least ? "at least " : "", l->resemblance);
    if (l->has_share_intervals)
        buffer_printf(out, " (%.2f to %.2f, n = %" PRIu64 ")", l->resemblance_low, l->resemblance_high,
                      l->compared);
    if (l->has_edits)
        buffer_printf(out, "%sedits %.0f", l->has_resemblance ? ", " : "", l->edits);
    if (l->has_interval)
        buffer_printf(out, " (%.0f to %.0f)", l->edits_low, l->edits_high);
}

static void put_text(const struct cluster_report *report, const struct member *member, struct buffer *out)
{
    struct buffer size = {0}, text = {0};

    describe(member, report->at_least, &text);
    report_values_size(&size, member->document->size);
    if (!text.failed && !size.failed)
        buffer_printf(out, "  %-68.*s %10.*s  ", (int)text.len, text.data, (int)size.len, size.data);
    cluster_report_name(report, member->document, out);
    buffer_add_char(out, '\n');
    buffer_inherit(out, &text);
    buffer_inherit(out, &size);
    buffer_release(&text);
    buffer_release(&size);
}

void cluster_report_decimal(struct buffer *out, double value, int digits)
{
    char text[400];

    snprintf(text, sizeof text, "%.*f", digits, value);
    csv_cell(out, text);
}

static void put_value(struct buffer *out, bool has, double value, int digits)
{
    if (has)
        cluster_report_decimal(out, value, digits);
    else
        csv_cell(out, "");
}

/* Identical documents need no interval. */
static void put_intervals(struct buffer *out, const struct likeness *l)
{
    const bool has = l->has_share_intervals, both = has && l->has_containment;

    put_value(out, has, l->resemblance_low, 4);
    put_value(out, has, l->resemblance_high, 4);
    put_value(out, both, l->a_in_b_low, 4);
    put_value(out, both, l->a_in_b_high, 4);
    put_value(out, both, l->b_in_a_low, 4);
    put_value(out, both, l->b_in_a_high, 4);
    put_value(out, has, (double)l->common, 0);
    put_value(out, has, (double)l->compared, 0);
}

static void put_csv(const struct cluster_report *report, const struct member *member, struct buffer *out)
{
    static const struct likeness none = {0};
    const struct likeness *l = member->likeness ? member->likeness : &none;

    csv_number(out, member->cluster);
    csv_cell(out, roles[member->role]);
    cluster_report_csv(report, member->document, out);
    put_value(out, l->has_resemblance, l->resemblance, 4);
    put_value(out, l->has_containment, l->a_in_b, 4);
    put_value(out, l->has_containment, l->b_in_a, 4);
    put_value(out, l->has_edits, l->edits, 0);
    put_value(out, l->has_interval, l->edits_low, 0);
    put_value(out, l->has_interval, l->edits_high, 0);
    cluster_report_kind(member->document, out);
    put_intervals(out, l);
    csv_end_line(out);
}

static void add_intervals(const struct likeness *l, struct buffer *out)
{
    buffer_printf(out, ",\"resemblance_low\":%.4f,\"resemblance_high\":%.4f", l->resemblance_low,
                  l->resemblance_high);
    if (l->has_containment)
        buffer_printf(out,
                      ",\"containment_low\":%.4f,\"containment_high\":%.4f"
                      ",\"containment_reverse_low\":%.4f,\"containment_reverse_high\":%.4f",
                      l->a_in_b_low, l->a_in_b_high, l->b_in_a_low, l->b_in_a_high);
    buffer_printf(out, ",\"common\":%" PRIu64 ",\"compared\":%" PRIu64, l->common, l->compared);
}

static void put_json(const struct cluster_report *report, const struct member *member, struct buffer *out)
{
    const struct likeness *l = member->likeness;

    buffer_add_char(out, '{');
    cluster_report_json(report, member->document, "", out);
    if (l)
        buffer_printf(out, ",\"role\":\"%s\"", roles[member->role]);
    if (l && l->has_resemblance)
        buffer_printf(out, ",\"resemblance%s\":%.4f", report->at_least ? "_at_least" : "", l->resemblance);
    if (l && l->has_containment)
        buffer_printf(out, ",\"containment\":%.4f,\"containment_reverse\":%.4f", l->a_in_b, l->b_in_a);
    if (l && l->has_share_intervals)
        add_intervals(l, out);
    if (l && l->has_edits)
        buffer_printf(out, ",\"edits\":%.0f", l->edits);
    if (l && l->has_interval)
        buffer_printf(out, ",\"edits_low\":%.0f,\"edits_high\":%.0f", l->edits_low, l->edits_high);
    buffer_add_char(out, '}');
}

/* ---- clusters ---- */

static void begin_cluster(const struct cluster_report *report, size_t cluster, size_t count,
                          struct buffer *out)
{
    if (report->format == FORMAT_TEXT)
        buffer_printf(out, "%scluster %zu: %zu files\n", cluster ? "\n" : "", cluster + 1, count);
    else if (report->format == FORMAT_JSON)
        buffer_printf(out, "{\"cluster\":%zu,\"files\":%zu,\"representative\":", cluster + 1, count);
}

static void write_cluster(const struct cluster_report *report, size_t cluster, struct buffer *out)
{
    const size_t *starts = report->clusters->starts, count = starts[cluster + 1] - starts[cluster];

    begin_cluster(report, cluster, count, out);
    for (size_t i = 0; i < count; i++) {
        const struct member member = member_of(report, cluster, i);

        if (report->format == FORMAT_TEXT) {
            put_text(report, &member, out);
        } else if (report->format == FORMAT_CSV) {
            put_csv(report, &member, out);
        } else {
            buffer_add_text(out, i == 1 ? ",\"members\":[" : i ? "," : "");
            put_json(report, &member, out);
        }
        if (out->len > 1 << 16) {
            put_output(out);
            buffer_reset(out);
        }
    }
    if (report->format == FORMAT_JSON)
        buffer_add_text(out, "]}\n");
}

/* ---- the summary ---- */

void cluster_report_losses(const struct cluster_report *report, uint64_t common, struct buffer *out)
{
    const struct {
        uint64_t count;
        const char *one, *many;
    } losses[] = {
        {report->losses.empty, "empty file is left out", "empty files are left out"},
        {report->losses.hash_only, "hash-only entry of a set is left out",
         "hash-only entries of sets are left out"},
        {report->losses.boilerplate,
         "member of a container is left out, since unrelated documents have the same",
         "members of containers are left out, since unrelated documents have the same"},
        {report->losses.links, "further hard link to the same file is left out",
         "further hard links to the same files are left out"},
        {report->losses.unread, "file could not be read", "files could not be read"},
        {report->losses.too_large, "file is too large for the scheme", "files are too large for the scheme"},
        {report->clusters ? report->clusters->indistinct : 0,
         "file has too few samples to be compared: only its copies would be found",
         "files have too few samples to be compared: only their copies would be found"},
    };

    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (losses[i].count) {
            report_values_number(out, losses[i].count);
            buffer_printf(out, " %s\n", losses[i].count == 1 ? losses[i].one : losses[i].many);
        }
    if (common == 0)
        return;
    report_values_count(out, common, "fingerprint");
    buffer_add_text(out, " in more than ");
    report_values_count(out, report->most_shared, "file");
    buffer_printf(out, " %s to some of these only\n", common == 1 ? "leads" : "lead");
}

/* How pairs were found, unless by the index. */
static void add_candidates(const struct clusters *c, struct buffer *out)
{
    if (c->candidates == CLUSTERS_INDEX)
        return;
    buffer_printf(out, "pairs by %s of fingerprints of %" PRIu32 " bits, up to %" PRIu32 " of which differ",
                  clusters_candidates_name(c->candidates), c->groups.k, c->groups.rh);
    if (c->candidates != CLUSTERS_SCAN)
        buffer_printf(out, ", in %" PRIu32 " groups", c->groups.m);
    buffer_add_char(out, '\n');
}

/* As Broder 1997 counts: clusters of identical documents only, and the others. */
static void add_summary(const struct cluster_report *report, struct buffer *out)
{
    const struct clusters *c = report->clusters;

    report_values_count(out, report->collection->document_count, "file");
    buffer_add_text(out, ", ");
    report_values_number(out, report->collection->content_count);
    buffer_add_text(out, " different; ");
    report_values_count(out, c->count, "cluster");
    if (c->count) {
        buffer_add_text(out, " of ");
        report_values_count(out, c->clustered, "file");
        buffer_add_text(out, ":\n  ");
        report_values_count(out, c->same_count, "cluster");
        buffer_add_text(out, " of identical files only (");
        report_values_count(out, c->same, "file");
        buffer_add_text(out, "),\n  ");
        report_values_count(out, c->count - c->same_count, "cluster");
        buffer_add_text(out, " with similar files (");
        report_values_count(out, c->clustered - c->same, "file");
        buffer_add_char(out, ')');
    }
    buffer_add_char(out, '\n');
    add_candidates(c, out);
    cluster_report_losses(report, c->common, out);
}

void cluster_report_losses_json(const struct cluster_report *report, uint64_t common, struct buffer *out)
{
    const struct cluster_losses *l = &report->losses;

    buffer_printf(out,
                  ",\"empty\":%" PRIu64 ",\"links\":%" PRIu64 ",\"hash_only\":%" PRIu64 ",\"unread\":%" PRIu64
                  ",\"too_large\":%" PRIu64 ",\"common_fingerprints\":%" PRIu64,
                  l->empty, l->links, l->hash_only, l->unread, l->too_large, common);
}

static void add_json_summary(const struct cluster_report *report, struct buffer *out)
{
    const struct clusters *c = report->clusters;

    buffer_printf(out,
                  "{\"summary\":{\"files\":%zu,\"different\":%zu,\"clusters\":%zu,\"clustered_files\":%zu,"
                  "\"identical_clusters\":%zu,\"identical_files\":%zu,\"too_few_samples\":%zu",
                  report->collection->document_count, report->collection->content_count, c->count,
                  c->clustered, c->same_count, c->same, c->indistinct);
    cluster_report_losses_json(report, c->common, out);
    if (c->candidates != CLUSTERS_INDEX)
        buffer_printf(out, ",\"candidates\":\"%s\",\"bits\":%" PRIu32 ",\"distance\":%" PRIu32,
                      clusters_candidates_name(c->candidates), c->groups.k, c->groups.rh);
    if (c->candidates != CLUSTERS_INDEX && c->candidates != CLUSTERS_SCAN)
        buffer_printf(out, ",\"groups\":%" PRIu32, c->groups.m);
    buffer_add_text(out, "}}\n");
}

void cluster_report_put_summary(const struct cluster_report *report, const struct buffer *out)
{
    if (report->format == FORMAT_TEXT)
        put_output(out);
    else if (!out->failed)
        fwrite(out->data, 1, out->len, stderr);
    note_output(out);
}

static void write_summary(const struct cluster_report *report, struct buffer *out)
{
    if (report->format == FORMAT_JSON) {
        add_json_summary(report, out);
        put_output(out);
    } else if (!report->quiet) {
        if (report->format == FORMAT_TEXT && report->clusters->count)
            buffer_add_char(out, '\n');
        add_summary(report, out);
        cluster_report_put_summary(report, out);
    }
}

static void put_header(const struct cluster_report *report, struct buffer *out)
{
    const struct csv_column columns[] = {{"cluster", true},
                                         {"role", false},
                                         {"evidence", false},
                                         {"path", false},
                                         {"path_hex", false},
                                         {"size", true},
                                         {"sha1", false},
                                         {report->at_least ? "resemblance_at_least" : "resemblance", true},
                                         {"containment", true},
                                         {"containment_reverse", true},
                                         {"edits", true},
                                         {"edits_low", true},
                                         {"edits_high", true},
                                         {"kind", false},
                                         {"resemblance_low", true},
                                         {"resemblance_high", true},
                                         {"containment_low", true},
                                         {"containment_high", true},
                                         {"containment_reverse_low", true},
                                         {"containment_reverse_high", true},
                                         {"common", true},
                                         {"compared", true}};

    csv_header(out, columns, sizeof columns / sizeof *columns);
    csv_end_line(out);
}

void cluster_report_write(const struct cluster_report *report)
{
    struct buffer out = {0};

    if (report->format == FORMAT_CSV)
        put_header(report, &out);
    for (size_t i = 0; i < report->clusters->count && !ferror(stdout); i++)
        write_cluster(report, i, &out);
    put_output(&out);
    buffer_reset(&out);
    write_summary(report, &out);
    buffer_release(&out);
}
