/* SPDX-License-Identifier: Apache-2.0 */
#include "sets_thin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "command.h"
#include "formats.h"
#include "interrupt.h"
#include "set/refset.h"
#include "sets_combine.h"
#include "sets_thin_inner.h"

const struct collection_document *sets_thin_document(const struct sets_thin_job *job, size_t i)
{
    return &job->input.collection.documents[i];
}

static bool keeps_record(const struct sets_thin_job *job, uint32_t content)
{
    return job->clusters.leaders[content] == content || job->kept[content];
}

bool sets_thin_is_removed(const struct sets_thin_job *job, size_t i)
{
    return !keeps_record(job, sets_thin_document(job, i)->content);
}

/* ---- what remains of the samples ---- */

static int add_samples(struct tally *there, const struct collection_content *content, struct error *err)
{
    for (size_t k = 0; k < content->count; k++)
        if (!tally_add(there, content->samples[k].fp, err))
            return -1;
    return 0;
}

static double share_there(const struct tally *there, const struct collection_content *content)
{
    size_t count = 0;

    for (size_t k = 0; k < content->count; k++)
        count += tally_has(there, content->samples[k].fp);
    return content->count ? (double)count / (double)content->count : 1;
}

/* A member with too much content of its own keeps its record, and may then cover others. */
static int keep_own_content(struct sets_thin_job *job, struct tally *there, struct error *err)
{
    const struct collection *collection = &job->input.collection;

    for (size_t i = 0; i < collection->content_count; i++) {
        const struct collection_content *content = &collection->contents[i];

        if (job->clusters.leaders[i] == i || share_there(there, content) >= job->thin->covered)
            continue;
        job->kept[i] = true;
        job->kept_count += content->copies;
        if (add_samples(there, content, err))
            return -1;
    }
    return 0;
}

static void measure_covered(struct sets_thin_job *job, const struct tally *there)
{
    const struct collection *collection = &job->input.collection;
    double all = 0, all_there = 0;

    for (size_t i = 0; i < collection->content_count; i++) {
        const struct collection_content *content = &collection->contents[i];

        job->covered[i] = share_there(there, content);
        if (keeps_record(job, (uint32_t)i))
            continue;
        all += (double)content->count;
        all_there += job->covered[i] * (double)content->count;
    }
    job->covered_share = all > 0 ? all_there / all : 1;
}

/* Decides which members keep their records, and measures what these have of the others. */
static int cover(struct sets_thin_job *job, struct error *err)
{
    const struct collection *collection = &job->input.collection;
    struct tally there = {0};
    int result = 0;

    for (size_t i = 0; i < collection->content_count && !result; i++)
        if (job->clusters.leaders[i] == i)
            result = add_samples(&there, &collection->contents[i], err);
    if (!result)
        result = keep_own_content(job, &there, err);
    if (!result)
        measure_covered(job, &there);
    tally_release(&there);
    return result;
}

/* ---- writing the set ---- */

static int note_blocks(struct sets_thin_job *job, const struct buffer *blocks, bool is_kept)
{
    for (size_t at = 0; at + DIGEST_SHA1_LEN <= blocks->len; at += DIGEST_SHA1_LEN) {
        const uint64_t key = bytes_load64((const uint8_t *)blocks->data + at);

        if (is_kept && !tally_add(&job->kept_blocks, key, &job->err))
            return -1;
        if (is_kept)
            continue;
        if (array_reserve(&job->blocks, &job->block_room, job->block_count + 1))
            return error_set(&job->err, "out of memory for digests of blocks");
        job->blocks[job->block_count++] = key;
    }
    return 0;
}

/* The files come in the order in which the collection was filled. */
static void remove_record(void *arg, uint64_t id, struct known *known)
{
    struct sets_thin_job *job = arg;
    bool is_kept;

    if (job->next == job->input.collection.document_count ||
        sets_thin_document(job, job->next)->origin.id != id)
        return;
    is_kept = !sets_thin_is_removed(job, job->next++);
    if (!job->failed)
        job->failed = note_blocks(job, &known->blocks, is_kept) != 0;
    if (is_kept)
        return;
    known->has_record = false;
    known->record.count = 0;
    buffer_reset(&known->blocks);
    job->removed++;
}

static void count_blocks(struct sets_thin_job *job)
{
    for (size_t i = 0; i < job->block_count; i++)
        job->blocks_there += tally_has(&job->kept_blocks, job->blocks[i]);
}

static int write_set(struct sets_thin_job *job, const char *output)
{
    const struct sets_thin *thin = job->thin;
    const struct sets_combine combine = {.flags = thin->flags,
                                         .output = output,
                                         .change = remove_record,
                                         .change_arg = job,
                                         .quiet = thin->quiet || !thin->output || thin->format != FORMAT_TEXT,
                                         .progress = thin->progress};
    const int status = sets_combine(&combine, SETS_MERGE, 1, &job->path);

    if (!job->failed)
        return status;
    complain_error(&job->err);
    return EXIT_USAGE;
}

/* ---- all of it ---- */

static int measure_both(struct sets_thin_job *job, const char *output)
{
    struct error err;
    int result;

    count_blocks(job);
    result = sets_thin_measure(job, job->path, true, &job->before, &err);
    if (!result)
        result = sets_thin_measure(job, output, false, &job->after, &err);
    if (result < 0)
        complain_error(&err);
    if (result > 0)
        complain(job->thin->output ? "interrupted; %s was written, but what it lost was not measured"
                                   : "interrupted",
                 output);
    return result < 0 ? EXIT_USAGE : result > 0 ? EXIT_INTERRUPTED : EXIT_DONE;
}

static int thin_into(struct sets_thin_job *job, const char *output)
{
    int status = write_set(job, output);

    if (status != EXIT_DONE)
        return status;
    status = measure_both(job, output);
    if (status == EXIT_DONE)
        sets_thin_report(job);
    return status;
}

/* Without an output the set is written to a folder of its own and removed. */
static int thin_and_report(struct sets_thin_job *job)
{
    const char *place = getenv("TMPDIR");
    char folder[4000], output[4096];
    int status;

    if (job->thin->output)
        return thin_into(job, job->thin->output);
    snprintf(folder, sizeof folder, "%s/kith-thin.XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(folder)) {
        complain("%s: %m", folder);
        return EXIT_USAGE;
    }
    snprintf(output, sizeof output, "%s/set.kith", folder);
    status = thin_into(job, output);
    refset_remove(output);
    rmdir(folder);
    return status;
}

static int find_clusters(struct sets_thin_job *job)
{
    const struct clusters_options options = {.method = CLUSTERS_GREEDY,
                                             .limits = {.resemblance = job->thin->resemblance},
                                             .common = CLUSTERS_COMMON,
                                             .threads = job->input.run.options.workers,
                                             .stop = interrupt_flag()};
    struct error err;
    const int result = clusters_find(&job->clusters, &job->input.collection, &options, &err);

    if (result < 0)
        complain_error(&err);
    if (result > 0)
        complain("interrupted");
    return result < 0 ? EXIT_USAGE : result > 0 ? EXIT_INTERRUPTED : EXIT_DONE;
}

static int prepare(struct sets_thin_job *job)
{
    const size_t contents = job->input.collection.content_count;
    struct error err;
    int status = find_clusters(job);

    if (status != EXIT_DONE)
        return status;
    job->covered = memory_new((contents + 1) * sizeof *job->covered, &err);
    job->kept = job->covered ? memory_new((contents + 1) * sizeof *job->kept, &err) : NULL;
    if (job->kept && cover(job, &err) == 0)
        return EXIT_DONE;
    complain_error(&err);
    return EXIT_USAGE;
}

int sets_thin(const struct sets_thin *thin, char *path)
{
    struct sets_thin_job job = {.thin = thin, .path = path};
    int status = EXIT_USAGE;

    job.input.sketch = sketch_defaults(SKETCH_GF8);
    job.input.run.options = evidence_flags_defaults(0);
    job.input.run.quiet = thin->quiet;
    if (cluster_input_check(&job.input, 1, &path) == 0)
        status = cluster_input_read(&job.input, 1, &path);
    if (status == EXIT_DONE)
        status = prepare(&job);
    if (status == EXIT_DONE)
        status = thin_and_report(&job);
    free(job.covered);
    free(job.kept);
    free(job.blocks);
    tally_release(&job.kept_blocks);
    clusters_release(&job.clusters);
    cluster_input_release(&job.input);
    return status;
}
