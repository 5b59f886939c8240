/* SPDX-License-Identifier: Apache-2.0 */
#include "sets_thin.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/memory.h"
#include "cluster_input.h"
#include "command.h"
#include "interrupt.h"
#include "match/matcher.h"
#include "set/refset_cache.h"
#include "sets_combine.h"

enum { CACHE_BYTES = 64 << 20, MOST_LOST = 20 /* shown by name */ };

/* How many of the removed records a set finds, as if each were a new version: its own digests are unknown. */
struct recall {
    uint64_t found;
    uint64_t by_representative; /* of these, found related to the representative */
    uint64_t bytes;             /* of the set's file */
};

struct job {
    const struct sets_thin *thin;
    char *path; /* of the set */
    struct cluster_input input;
    struct clusters clusters;
    size_t next;      /* document that the copy comes to next */
    uint64_t removed; /* records */
    bool *lost;       /* by document: it is no longer found */
    struct recall before, after;
};

static const struct collection_document *document_of(const struct job *job, size_t i)
{
    return &job->input.collection.documents[i];
}

static bool is_removed(const struct job *job, size_t i)
{
    const uint32_t content = document_of(job, i)->content;

    return job->clusters.leaders[content] != content;
}

/* ---- writing the set ---- */

/* The files come in the order in which the collection was filled. */
static void remove_record(void *arg, uint64_t id, struct known *known)
{
    struct job *job = arg;

    if (job->next == job->input.collection.document_count || document_of(job, job->next)->origin.id != id)
        return;
    if (is_removed(job, job->next)) {
        known->has_record = false;
        known->record.count = 0;
        buffer_reset(&known->blocks);
        job->removed++;
    }
    job->next++;
}

static int write_set(struct job *job, const char *output)
{
    const struct sets_combine combine = {.flags = job->thin->flags,
                                         .output = output,
                                         .change = remove_record,
                                         .change_arg = job,
                                         .quiet = job->thin->quiet || !job->thin->output || job->thin->json,
                                         .progress = job->thin->progress};

    return sets_combine(&combine, SETS_MERGE, 1, &job->path);
}

/* ---- recall ---- */

/* A set open for matching. */
struct searched {
    struct refset *set;
    struct refset_search *search;
    struct refset_cache *cache;
    struct matcher *matcher;
    struct findings findings;
};

static void close_searched(struct searched *searched)
{
    matcher_free(searched->matcher);
    refset_cache_free(searched->cache);
    refset_search_free(searched->search);
    refset_close(searched->set, NULL);
    finding_list_release(&searched->findings);
}

static int open_searched(struct searched *searched, const char *path, struct error *err)
{
    const struct matcher_options options = {.most_ln_e = log(MATCHER_USUAL_E), .all_references = true};
    struct set *set;

    *searched = (struct searched){.set = refset_open(path, REFSET_READ, err)};
    if (searched->set)
        searched->search =
            refset_search_new(searched->set, REFSET_SEARCH_FEATURES | REFSET_SEARCH_DIGESTS, err);
    if (searched->search)
        searched->cache = refset_cache_new(searched->search, CACHE_BYTES, err);
    if (!searched->cache)
        return -1;
    set = refset_cache_set(searched->cache);
    searched->matcher = matcher_new(&set, 1, &options, err);
    return searched->matcher ? 0 : -1;
}

/* The number of the representative in the set, by its SHA-1; 0 if it is not there. */
static int find_representative(const struct job *job, struct searched *searched, uint32_t content,
                               uint64_t *file, struct error *err)
{
    const struct collection_document *leader =
        collection_first(&job->input.collection, job->clusters.leaders[content]);
    struct digest_values digests = {.kinds = DIGEST_BIT(DIGEST_SHA1)};

    memcpy(digests.bytes[DIGEST_SHA1], leader->sha1, DIGEST_SHA1_LEN);
    return refset_search_digests(searched->search, &digests, 0, file, err);
}

static int search_one(struct job *job, struct searched *searched, size_t i, struct recall *recall,
                      struct error *err)
{
    const uint32_t content = document_of(job, i)->content;
    const struct record record = collection_record(&job->input.collection, content);
    const struct digest_values unknown = {0};
    struct findings *findings = &searched->findings;
    enum verdict verdict;
    uint64_t representative = 0;

    matcher_begin(searched->matcher, record.len, record.params.c, NULL);
    if (matcher_take(searched->matcher, record.samples, record.count, err) ||
        matcher_end(searched->matcher, &unknown, record.coincidence, findings, &verdict, err) ||
        find_representative(job, searched, content, &representative, err))
        return -1;
    job->lost[i] = findings->count == 0;
    recall->found += findings->count > 0;
    for (size_t k = 0; k < findings->count; k++)
        if (findings->list[k].file == representative) {
            recall->by_representative++;
            break;
        }
    return 0;
}

/* The time for each record is bounded by its size; the progress counts them. */
static int measure(struct job *job, const char *path, struct recall *recall, struct error *err)
{
    struct searched searched;
    struct stat st;
    int result = open_searched(&searched, path, err);

    if (stat(path, &st) == 0)
        recall->bytes = (uint64_t)st.st_size;
    for (size_t i = 0; i < job->input.collection.document_count && !result; i++) {
        if (atomic_load(interrupt_flag()))
            result = 1;
        else if (is_removed(job, i))
            result = search_one(job, &searched, i, recall, err);
    }
    close_searched(&searched);
    return result;
}

/* ---- the report ---- */

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static void show_lost(const struct job *job)
{
    unsigned shown = 0;

    for (size_t i = 0; i < job->input.collection.document_count; i++)
        if (is_removed(job, i) && job->lost[i] && shown++ < MOST_LOST)
            say("  not found: %s", collection_name(&job->input.collection, document_of(job, i)));
    if (shown > MOST_LOST)
        say("  and %u more", shown - MOST_LOST);
}

static void show_text(const struct job *job)
{
    const uint64_t files = job->input.collection.document_count, removed = job->removed;

    say("%s: %" PRIu64 " file%s with a record; %" PRIu64 " keep%s it, %" PRIu64
        " similar to one of these %s hash-only",
        job->path, files, plural(files), files - removed, files - removed == 1 ? "s" : "", removed,
        removed == 1 ? "becomes" : "become");
    say("size: %" PRIu64 " bytes before, %" PRIu64 " after (%.1f %%)", job->before.bytes, job->after.bytes,
        percent(job->after.bytes, job->before.bytes));
    if (!removed)
        return;
    say("found as related files, if their SHA-1 were unknown: %" PRIu64 " of %" PRIu64
        " before (%.1f %%), %" PRIu64 " after (%.1f %%)",
        job->before.found, removed, percent(job->before.found, removed), job->after.found,
        percent(job->after.found, removed));
    say("related to their representative: %" PRIu64 " before (%.1f %%), %" PRIu64 " after (%.1f %%)",
        job->before.by_representative, percent(job->before.by_representative, removed),
        job->after.by_representative, percent(job->after.by_representative, removed));
    show_lost(job);
}

static void show_json(const struct job *job)
{
    struct buffer out = {0};

    buffer_add_text(&out, "{\"set\":");
    escape_json(&out, job->path, strlen(job->path));
    buffer_printf(&out,
                  ",\"records\":%zu,\"removed\":%" PRIu64 ",\"size\":%" PRIu64 ",\"size_after\":%" PRIu64
                  ",\"found\":%" PRIu64 ",\"found_after\":%" PRIu64 ",\"representative\":%" PRIu64
                  ",\"representative_after\":%" PRIu64 ",\"lost\":[",
                  job->input.collection.document_count, job->removed, job->before.bytes, job->after.bytes,
                  job->before.found, job->after.found, job->before.by_representative,
                  job->after.by_representative);
    for (size_t i = 0, shown = 0; i < job->input.collection.document_count; i++)
        if (is_removed(job, i) && job->lost[i]) {
            const char *name = collection_name(&job->input.collection, document_of(job, i));

            buffer_add_text(&out, shown++ ? "," : "");
            escape_json(&out, name, strlen(name));
        }
    buffer_add_text(&out, "]}\n");
    put_output(&out);
    buffer_release(&out);
}

/* ---- all of it ---- */

static int measure_both(struct job *job, const char *output)
{
    struct error err;
    int result;

    result = measure(job, job->path, &job->before, &err);
    if (!result)
        result = measure(job, output, &job->after, &err);
    if (result < 0)
        complain_error(&err);
    if (result > 0)
        complain("interrupted");
    return result < 0 ? EXIT_USAGE : result > 0 ? EXIT_INTERRUPTED : EXIT_DONE;
}

static int thin_into(struct job *job, const char *output)
{
    int status = write_set(job, output);

    if (status != EXIT_DONE)
        return status;
    status = measure_both(job, output);
    if (status == EXIT_DONE && job->thin->json)
        show_json(job);
    else if (status == EXIT_DONE)
        show_text(job);
    return status;
}

/* Without an output the set is written to a folder of its own and removed. */
static int thin_and_report(struct job *job)
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

static int find_clusters(struct job *job)
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

int sets_thin(const struct sets_thin *thin, char *path)
{
    struct job job = {.thin = thin, .path = path};
    struct error err;
    int status = EXIT_USAGE;

    job.input.sketch = sketch_defaults(SKETCH_GF8);
    job.input.run.options = evidence_flags_defaults(0);
    job.input.run.quiet = thin->quiet;
    if (cluster_input_check(&job.input, 1, &path) == 0)
        status = cluster_input_read(&job.input, 1, &path);
    if (status == EXIT_DONE)
        status = find_clusters(&job);
    if (status == EXIT_DONE) {
        job.lost = memory_new(job.input.collection.document_count + 1, &err);
        if (!job.lost)
            complain_error(&err);
        status = job.lost ? thin_and_report(&job) : EXIT_USAGE;
    }
    free(job.lost);
    clusters_release(&job.clusters);
    cluster_input_release(&job.input);
    return status;
}
