/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/csv.h"
#include "base/escape.h"
#include "command.h"
#include "formats.h"
#include "sets_thin_inner.h"

enum { MOST_SHOWN = 10 /* files, in text */ };

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static double covered(const struct sets_thin_job *job, size_t document)
{
    return job->covered[sets_thin_document(job, document)->content];
}

/* ---- the removed files ---- */

static int compare_covered(const void *a, const void *b, void *arg)
{
    const struct sets_thin_job *job = arg;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    if (covered(job, x) < covered(job, y) || covered(job, x) > covered(job, y))
        return covered(job, x) < covered(job, y) ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* The removed documents, the least covered first; NULL without memory.  The caller frees it. */
static size_t *list_removed(const struct sets_thin_job *job)
{
    size_t *list = NULL, count = 0;

    if (array_resize(&list, job->removed + 1))
        return NULL;
    for (size_t i = 0; i < job->input.collection.document_count && count < job->removed; i++)
        if (sets_thin_is_removed(job, i))
            list[count++] = i;
    qsort_r(list, count, sizeof *list, compare_covered, (void *)job);
    return list;
}

static const struct collection_document *representative_of(const struct sets_thin_job *job, size_t document)
{
    return collection_first(&job->input.collection,
                            job->clusters.leaders[sets_thin_document(job, document)->content]);
}

/* ---- text ---- */

static void show_recall(const struct sets_thin_job *job)
{
    static const char *const names[SIZES] = {"whole files", "pieces of 64 KiB", "pieces of 16 KiB",
                                             "pieces of 4 KiB"};

    say("found if their SHA-1 is unknown, by files of their cluster (intervals of 95 %%):");
    for (int size = 0; size < SIZES; size++) {
        const uint64_t tried = job->after.tried[size];
        double low[2] = {0}, high[2] = {0};

        if (!tried)
            continue;
        sketch_interval((double)job->before.found[size], (double)tried, &low[0], &high[0]);
        sketch_interval((double)job->after.found[size], (double)tried, &low[1], &high[1]);
        say("  %-17s %" PRIu64 " of %" PRIu64 " before (%.1f to %.1f %%), %" PRIu64
            " after (%.1f to %.1f %%)",
            names[size], job->before.found[size], tried, 100 * low[0], 100 * high[0], job->after.found[size],
            100 * low[1], 100 * high[1]);
    }
}

static void show_removed(const struct sets_thin_job *job)
{
    size_t *list = list_removed(job);

    if (!list) {
        complain("out of memory");
        return;
    }
    say("least of their samples in records that are kept:");
    for (size_t i = 0; i < job->removed && i < MOST_SHOWN; i++)
        say("  %3.0f %%  %s", 100 * covered(job, list[i]),
            collection_name(&job->input.collection, sets_thin_document(job, list[i])));
    free(list);
}

static void show_remarks(const struct sets_thin_job *job)
{
    if (!job->removed && !job->input.collection.document_count)
        say("nothing to thin: no file has a record");
    else if (!job->removed)
        say("nothing to thin: no record is that much like another");
    if (job->after.bytes >= job->before.bytes)
        say("the new set is not smaller than the old one");
}

static void show_text(const struct sets_thin_job *job)
{
    const uint64_t files = job->input.collection.document_count, removed = job->removed;

    say("%s: %" PRIu64 " file%s with a record; %" PRIu64 " keep%s it, %" PRIu64
        " similar to one of these %s hash-only",
        job->path, files, plural(files), files - removed, files - removed == 1 ? "s" : "", removed,
        removed == 1 ? "becomes" : "become");
    if (job->kept_count)
        say("%" PRIu64 " similar file%s keep%s it because of %s own content", job->kept_count,
            plural(job->kept_count), job->kept_count == 1 ? "s" : "", job->kept_count == 1 ? "its" : "their");
    say("size: %" PRIu64 " bytes before, %" PRIu64 " after (%.1f %%)", job->before.bytes, job->after.bytes,
        percent(job->after.bytes, job->before.bytes));
    show_remarks(job);
    if (!removed)
        return;
    say("samples of the removed records that a kept record has: %.1f %%", 100 * job->covered_share);
    if (job->block_count)
        say("digests of their blocks that a kept record has: %" PRIu64 " of %zu (%.1f %%)", job->blocks_there,
            job->block_count, percent(job->blocks_there, job->block_count));
    show_recall(job);
    show_removed(job);
}

/* ---- JSON ---- */

static void add_recall(const struct sets_thin_job *job, struct buffer *out)
{
    static const char *const names[SIZES] = {"whole", "pieces_64k", "pieces_16k", "pieces_4k"};

    for (int size = 0; size < SIZES; size++) {
        const uint64_t tried = job->after.tried[size],
                       found[2] = {job->before.found[size], job->after.found[size]};

        buffer_printf(out, ",\"%s\":{\"tried\":%" PRIu64, names[size], tried);
        for (int i = 0; i < 2; i++) {
            const char *when = i ? "_after" : "";
            double low, high;

            buffer_printf(out, ",\"found%s\":%" PRIu64, when, found[i]);
            if (!tried)
                continue;
            sketch_interval((double)found[i], (double)tried, &low, &high);
            buffer_printf(out, ",\"low%s\":%.4f,\"high%s\":%.4f", when, low, when, high);
        }
        buffer_add_char(out, '}');
    }
}

static void add_name(const struct sets_thin_job *job, const struct collection_document *document,
                     struct buffer *out)
{
    const char *name = collection_name(&job->input.collection, document);

    escape_json(out, name, strlen(name));
}

static void add_removed(const struct sets_thin_job *job, size_t i, struct buffer *out)
{
    const struct collection_document *document = sets_thin_document(job, i);
    const struct likeness *l = &job->clusters.likenesses[document->content];

    buffer_add_text(out, "{\"name\":");
    add_name(job, document, out);
    buffer_add_text(out, ",\"representative\":");
    add_name(job, representative_of(job, i), out);
    buffer_printf(out,
                  ",\"resemblance\":%.4f,\"resemblance_low\":%.4f,\"resemblance_high\":%.4f"
                  ",\"containment\":%.4f,\"covered\":%.4f}",
                  l->resemblance, l->resemblance_low, l->resemblance_high, l->a_in_b, covered(job, i));
}

static void show_json(const struct sets_thin_job *job)
{
    struct buffer out = {0};
    size_t *list = list_removed(job);

    buffer_add_text(&out, "{\"set\":");
    escape_json(&out, job->path, strlen(job->path));
    buffer_printf(&out,
                  ",\"records\":%zu,\"removed\":%" PRIu64 ",\"kept_for_own_content\":%" PRIu64
                  ",\"blocks\":%zu,\"blocks_after\":%" PRIu64 ",\"size\":%" PRIu64 ",\"size_after\":%" PRIu64
                  ",\"covered\":%.4f,\"common_fingerprints\":%" PRIu64,
                  job->input.collection.document_count, job->removed, job->kept_count, job->block_count,
                  job->blocks_there, job->before.bytes, job->after.bytes, job->covered_share,
                  job->clusters.common);
    add_recall(job, &out);
    buffer_add_text(&out, ",\"thinned\":[");
    for (size_t i = 0; list && i < job->removed; i++) {
        if (i)
            buffer_add_char(&out, ',');
        add_removed(job, list[i], &out);
    }
    buffer_add_text(&out, "]}\n");
    out.failed |= !list;
    put_output(&out);
    free(list);
    buffer_release(&out);
}

/* ---- CSV ---- */

static void put_row(const struct sets_thin_job *job, size_t i, struct buffer *out)
{
    const struct collection_document *document = sets_thin_document(job, i),
                                     *kept = representative_of(job, i);
    const struct likeness *l = &job->clusters.likenesses[document->content];
    const double values[] = {l->resemblance, l->resemblance_low, l->resemblance_high, l->a_in_b,
                             covered(job, i)};
    const char *name = collection_name(&job->input.collection, document),
               *kept_name = collection_name(&job->input.collection, kept);
    char text[40];

    csv_path(out, name, strlen(name));
    csv_number(out, document->size);
    csv_hex(out, document->sha1, DIGEST_SHA1_LEN);
    csv_path(out, kept_name, strlen(kept_name));
    csv_hex(out, kept->sha1, DIGEST_SHA1_LEN);
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        snprintf(text, sizeof text, "%.4f", values[k]);
        csv_cell(out, text);
    }
    csv_end_line(out);
}

static void show_csv(const struct sets_thin_job *job)
{
    static const struct csv_column columns[] = {{"name", false},
                                                {"name_hex", false},
                                                {"size", true},
                                                {"sha1", false},
                                                {"representative", false},
                                                {"representative_hex", false},
                                                {"representative_sha1", false},
                                                {"resemblance", true},
                                                {"resemblance_low", true},
                                                {"resemblance_high", true},
                                                {"containment", true},
                                                {"covered", true}};
    struct buffer out = {0};
    size_t *list = list_removed(job);

    csv_header(&out, columns, sizeof columns / sizeof *columns);
    csv_end_line(&out);
    for (size_t i = 0; list && i < job->removed; i++)
        put_row(job, list[i], &out);
    out.failed |= !list;
    put_output(&out);
    free(list);
    buffer_release(&out);
}

void sets_thin_report(const struct sets_thin_job *job)
{
    if (job->thin->format == FORMAT_JSON)
        show_json(job);
    else if (job->thin->format == FORMAT_CSV)
        show_csv(job);
    else if (!job->thin->quiet)
        show_text(job);
}
