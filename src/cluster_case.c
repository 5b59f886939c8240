/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster_case.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "case/casefile.h"
#include "cluster/bounds.h"

static const struct sampler_params no_samples = {SAMPLER_GF8, SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C, 0};

/* A row of the case: an object, and one of its findings if it has any. */
struct entry {
    uint32_t evidence; /* from 0 */
    uint64_t item, size;
    enum object_kind kind;
    size_t volume, address, name; /* offsets of texts */
    uint8_t sha1[DIGEST_SHA1_LEN];
    bool is_source; /* the evidence is this file */
    bool has_finding;
    uint32_t reference;
    double resemblance;
};

struct input {
    struct casefile *casefile;
    struct cluster_report *report;
    struct collection objects, references; /* references: numbers for their digests */
    struct entry *entries;
    size_t count, room;
    struct buffer texts;
    char **paths; /* of the evidence */
    struct bounds_finding *findings;
    size_t finding_count;
};

/* ---- reading ---- */

static size_t keep_text(struct input *input, const char *text)
{
    const size_t at = input->texts.len;

    buffer_add(&input->texts, text, strlen(text) + 1);
    return at;
}

static int number_reference(struct input *input, const struct case_row *row, struct entry *entry,
                            struct error *err)
{
    const struct record record = {
        .params = no_samples, .len = row->finding.ref_size, .digests = row->reference.digests};
    const struct collection *references = &input->references;

    if (!(record.digests.kinds & DIGEST_BIT(DIGEST_SHA1)))
        return 0;
    if (collection_add(&input->references, &record, "", (struct collection_origin){0}, err))
        return -1;
    entry->has_finding = true;
    entry->reference = references->documents[references->document_count - 1].content;
    entry->resemblance = row->finding.verdict == VERDICT_IDENTICAL ? 1 : row->finding.resemblance;
    return 0;
}

/* Evidence that is a single file has its digests. */
static bool is_evidence(const struct case_row *row)
{
    const struct digest_values *whole = &row->evidence->digests;

    return row->object.flags & OBJECT_HOST && whole->kinds & DIGEST_BIT(DIGEST_SHA1) &&
           memcmp(whole->bytes[DIGEST_SHA1], row->object.digests.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN) == 0;
}

static int take_row(struct input *input, const struct case_row *row, struct error *err)
{
    const struct case_object *object = &row->object;
    struct entry *entry;

    if (array_reserve(&input->entries, &input->room, input->count + 1))
        return error_set(err, "out of memory for %zu objects", input->count);
    entry = &input->entries[input->count];
    *entry = (struct entry){.evidence = (uint32_t)casefile_first_reading(row->evidence) - 1,
                            .item = object->item,
                            .size = object->size,
                            .kind = object->kind,
                            .is_source = is_evidence(row),
                            .volume = keep_text(input, object->volume),
                            .address = keep_text(input, object->address),
                            .name = keep_text(input, object->path_count ? object->paths : object->address)};
    if (input->texts.failed)
        return error_set(err, "out of memory for names of objects");
    memcpy(entry->sha1, object->digests.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    input->count++;
    return row->has_finding ? number_reference(input, row, entry, err) : 0;
}

static int read_rows(struct input *input, struct error *err)
{
    const struct case_filter filter = {.known = true, .objects = true};
    struct case_reader *reader = casefile_reader_new(input->casefile, &filter, err);
    struct case_row row;
    int result = reader ? 0 : -1;

    while (!result && (result = casefile_reader_next(reader, &row, err)) > 0) {
        const bool has_digest = row.object.digests.kinds & DIGEST_BIT(DIGEST_SHA1);

        input->report->losses.empty += row.object.size == 0;
        input->report->losses.unread += row.object.size > 0 && !has_digest;
        result = row.object.size && has_digest ? take_row(input, &row, err) : 0;
    }
    casefile_reader_free(reader);
    return result;
}

static int read_paths(struct input *input, struct error *err)
{
    struct case_evidence evidence;
    size_t count = 0;
    int found;

    while ((found = casefile_evidence(input->casefile, count + 1, &evidence, err)) > 0) {
        if (array_resize(&input->paths, count + 2) || !(input->paths[count] = strdup(evidence.path)))
            return error_set(err, "out of memory");
        input->paths[++count] = NULL;
    }
    return found;
}

/* ---- objects ---- */

static int compare_entries(const void *x, const void *y, void *arg)
{
    const struct entry *a = x, *b = y;
    const char *texts = arg;
    int order;

    if (a->evidence != b->evidence)
        return a->evidence < b->evidence ? -1 : 1;
    if (a->item != b->item)
        return a->item < b->item ? -1 : 1;
    order = strcmp(texts + a->volume, texts + b->volume);
    return order ? order : strcmp(texts + a->address, texts + b->address);
}

/* In an image the volume's label comes first, as in cluster_input.c. */
static int add_object(struct input *input, const struct entry *entry, struct error *err)
{
    const char *volume = input->texts.data + entry->volume, *name = input->texts.data + entry->name;
    struct record record = {.params = no_samples, .len = entry->size};
    const struct collection_origin origin = {entry->evidence, entry->item, entry->kind, entry->is_source};
    struct buffer path = {0};
    int result;

    record.digests.kinds = DIGEST_BIT(DIGEST_SHA1);
    memcpy(record.digests.bytes[DIGEST_SHA1], entry->sha1, DIGEST_SHA1_LEN);
    if (*volume && strcmp(volume, "-") != 0)
        buffer_printf(&path, "%s/", volume);
    buffer_add(&path, name, strlen(name) + 1);
    result = path.failed ? error_set(err, "out of memory for names of objects")
                         : collection_add(&input->objects, &record, path.data, origin, err);
    buffer_release(&path);
    return result;
}

/* An object has a row for each finding. */
static int make_objects(struct input *input, struct error *err)
{
    input->findings = memory_new((input->count + 1) * sizeof *input->findings, err);
    if (!input->findings)
        return -1;
    if (input->count > 1)
        qsort_r(input->entries, input->count, sizeof *input->entries, compare_entries, input->texts.data);
    for (size_t i = 0; i < input->count; i++) {
        const struct entry *entry = &input->entries[i];
        const struct collection *objects = &input->objects;

        if ((i == 0 || compare_entries(entry - 1, entry, input->texts.data) != 0) &&
            add_object(input, entry, err))
            return -1;
        if (entry->has_finding)
            input->findings[input->finding_count++] =
                (struct bounds_finding){objects->documents[objects->document_count - 1].content,
                                        entry->reference, entry->resemblance};
    }
    return 0;
}

/* ---- clusters ---- */

static int find_clusters(struct input *input, const struct clusters_options *options,
                         struct clusters *clusters, struct error *err)
{
    const size_t contents = input->objects.content_count;
    const double resemblance = options->limits.resemblance;
    int result;

    if (clusters_prepare(clusters, &input->objects, err))
        return -1;
    result = options->method == CLUSTERS_SINGLE ? bounds_link(input->findings, input->finding_count,
                                                              resemblance, clusters->leaders, contents, err)
                                                : bounds_join(input->findings, input->finding_count,
                                                              resemblance, clusters->leaders, contents, err);
    if (result)
        return -1;
    bounds_measure(input->findings, input->finding_count, clusters->leaders, clusters->likenesses, contents);
    return clusters_list(clusters, &input->objects, err);
}

static int cluster_and_write(struct input *input, const struct clusters_options *options, struct error *err)
{
    struct cluster_report *report = input->report;
    struct clusters clusters = {0};
    int result = find_clusters(input, options, &clusters, err);

    clusters.indistinct = 0; /* nothing was compared */
    report->collection = &input->objects;
    report->clusters = &clusters;
    report->paths = input->paths;
    report->at_least = true;
    if (!result)
        cluster_report_write(report);
    report->clusters = NULL;
    clusters_release(&clusters);
    return result;
}

int cluster_case_write(const char *path, const struct clusters_options *options,
                       struct cluster_report *report, struct error *err)
{
    struct input input = {.report = report, .casefile = casefile_open_report(path, err)};
    int result = -1;

    if (input.casefile && read_paths(&input, err) == 0 && read_rows(&input, err) == 0 &&
        make_objects(&input, err) == 0)
        result = cluster_and_write(&input, options, err);
    if (input.casefile)
        casefile_close(input.casefile, NULL);
    for (size_t i = 0; input.paths && input.paths[i]; i++)
        free(input.paths[i]);
    free(input.paths);
    free(input.entries);
    free(input.findings);
    buffer_release(&input.texts);
    report->collection = NULL;
    report->paths = NULL;
    collection_release(&input.objects);
    collection_release(&input.references);
    return result;
}
