/* SPDX-License-Identifier: Apache-2.0 */
#include "sets_thin.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/memory.h"
#include "cluster_input.h"
#include "command.h"
#include "interrupt.h"
#include "match/matcher.h"
#include "set/refset_cache.h"
#include "sets_combine.h"

enum { CACHE_BYTES = 64 << 20, MOST_LOST = 10 /* shown by name */ };

/* What is searched for: whole records, as new versions whose SHA-1 is unknown, and pieces of them. */
enum { WHOLE, PIECE_64K, PIECE_16K, PIECE_4K, SIZES };

static const uint64_t piece_bytes[SIZES] = {0, 64 << 10, 16 << 10, 4 << 10};
static const char *const size_names[SIZES] = {"whole files", "pieces of 64 KiB", "pieces of 16 KiB",
                                              "pieces of 4 KiB"};

/* How many of them a set finds, by a file of the same cluster; of whole records, by another one. */
struct recall {
    uint64_t tried[SIZES], found[SIZES];
    uint64_t bytes; /* of the set's file */
};

struct job {
    const struct sets_thin *thin;
    char *path; /* of the set */
    struct cluster_input input;
    struct clusters clusters;
    size_t next;          /* document that the copy comes to next */
    uint64_t removed;     /* records */
    uint64_t blocks;      /* their digests of blocks */
    double *covered;      /* by document: the share of its samples that a kept record has */
    double covered_share; /* of all samples of removed records */
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
        job->blocks += known->blocks.len / DIGEST_SHA1_LEN;
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

/* Whether a file of either set, other than `except`, is in the leader's cluster; -1 on error. */
static int is_of_cluster(const struct job *job, struct searched *searched, uint64_t file, uint32_t leader,
                         uint64_t except, struct error *err)
{
    const struct collection *collection = &job->input.collection;
    struct set_file known = {0};
    uint32_t content = UINT32_MAX;
    int found;

    if (file == except || (found = refset_search_file(searched->search, file, &known, err)) == 0)
        return 0;
    if (found > 0)
        content = collection_find(collection, known.digests.bytes[DIGEST_SHA1], known.size);
    set_file_release(&known);
    return found < 0 ? -1 : content != UINT32_MAX && job->clusters.leaders[content] == leader;
}

/* Searches for the samples of a record from `start` on; size 0: for all of it. */
static int search_piece(struct searched *searched, const struct record *record, uint64_t start, uint64_t size,
                        struct error *err)
{
    const struct digest_values unknown = {0};
    enum verdict verdict;

    matcher_begin(searched->matcher, size ? size : record->len, record->params.c, NULL);
    for (size_t i = 0; i < record->count; i++) {
        struct sample sample = record->samples[i];

        if (sample.pos < start || (size && sample.pos - start + record->params.n > size))
            continue;
        sample.pos -= start;
        if (matcher_take(searched->matcher, &sample, 1, err))
            return -1;
    }
    return matcher_end(searched->matcher, &unknown, record->coincidence, &searched->findings, &verdict, err);
}

/* The place of a piece differs from record to record, and is the same in every run. */
static uint64_t place_of(size_t document, uint64_t len, uint64_t size)
{
    const double golden = 0.6180339887498949 * (double)(document + 1);

    return (uint64_t)((golden - floor(golden)) * (double)(len - size));
}

/* own: the number of the record in the set if it must not find itself, else 0. */
static int search_one(const struct job *job, struct searched *searched, size_t i, int size, uint64_t own,
                      struct recall *recall, struct error *err)
{
    const uint32_t content = document_of(job, i)->content;
    const struct record record = collection_record(&job->input.collection, content);
    const uint64_t bytes = piece_bytes[size];
    int found = 0;

    if (record.len < bytes)
        return 0;
    if (search_piece(searched, &record, bytes ? place_of(i, record.len, bytes) : 0, bytes, err))
        return -1;
    recall->tried[size]++;
    for (size_t k = 0; k < searched->findings.count && !found; k++)
        found = is_of_cluster(job, searched, searched->findings.list[k].file, job->clusters.leaders[content],
                              own, err);
    recall->found[size] += found > 0;
    return found < 0 ? -1 : 0;
}

static int measure(const struct job *job, const char *path, bool is_old, struct recall *recall,
                   struct error *err)
{
    struct searched searched;
    struct stat st;
    int result = open_searched(&searched, path, err);

    if (stat(path, &st) == 0)
        recall->bytes = (uint64_t)st.st_size;
    for (size_t i = 0; i < job->input.collection.document_count && !result; i++)
        for (int size = 0; size < SIZES && !result && is_removed(job, i); size++) {
            const uint64_t own = is_old && size == WHOLE ? document_of(job, i)->origin.id : 0;

            result =
                atomic_load(interrupt_flag()) ? 1 : search_one(job, &searched, i, size, own, recall, err);
        }
    close_searched(&searched);
    return result;
}

/* ---- what remains of the samples ---- */

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* The fingerprints of all records that are kept, sorted. */
static int gather_kept(const struct job *job, uint64_t **kept, size_t *count, struct error *err)
{
    size_t room = 0;

    for (size_t i = 0; i < job->input.collection.content_count; i++) {
        const struct collection_content *content = &job->input.collection.contents[i];

        if (job->clusters.leaders[i] != i)
            continue;
        if (array_reserve(kept, &room, *count + content->count))
            return error_set(err, "out of memory for the samples of a set");
        for (size_t k = 0; k < content->count; k++)
            (*kept)[(*count)++] = content->samples[k].fp;
    }
    if (*count > 1)
        qsort(*kept, *count, sizeof **kept, compare_numbers);
    return 0;
}

static int measure_covered(struct job *job, struct error *err)
{
    uint64_t *kept = NULL, all = 0, all_there = 0;
    size_t count = 0;
    const int result = gather_kept(job, &kept, &count, err);

    for (size_t i = 0; i < job->input.collection.document_count && !result; i++) {
        const struct collection_content *content =
            &job->input.collection.contents[document_of(job, i)->content];
        size_t there = 0;

        for (size_t k = 0; k < content->count && is_removed(job, i); k++)
            there += count && bsearch(&content->samples[k].fp, kept, count, sizeof *kept, compare_numbers);
        job->covered[i] = content->count ? (double)there / (double)content->count : 1;
        all += is_removed(job, i) ? content->count : 0;
        all_there += there;
    }
    job->covered_share = all ? (double)all_there / (double)all : 1;
    free(kept);
    return result;
}

/* ---- the report ---- */

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static int compare_covered(const void *a, const void *b, void *arg)
{
    const struct job *job = arg;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    if (job->covered[x] < job->covered[y] || job->covered[x] > job->covered[y])
        return job->covered[x] < job->covered[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Passes on the removed documents, the least covered first. */
static int each_removed(const struct job *job,
                        void (*each)(const struct job *job, size_t document, size_t number,
                                     struct buffer *out),
                        struct buffer *out)
{
    size_t *list = NULL, count = 0;

    if (array_resize(&list, job->removed + 1))
        return -1;
    for (size_t i = 0; i < job->input.collection.document_count && count < job->removed; i++)
        if (is_removed(job, i))
            list[count++] = i;
    qsort_r(list, count, sizeof *list, compare_covered, (void *)job);
    for (size_t i = 0; i < count && i < MOST_LOST; i++)
        each(job, list[i], i, out);
    free(list);
    return 0;
}

static void show_removed(const struct job *job, size_t document, size_t number, struct buffer *out)
{
    (void)out;
    if (number == 0)
        say("least of their samples in records that are kept:");
    say("  %3.0f %%  %s", 100 * job->covered[document],
        collection_name(&job->input.collection, document_of(job, document)));
}

static void show_recall(const struct job *job)
{
    say("found if their SHA-1 is unknown, by files of their cluster:");
    for (int size = 0; size < SIZES; size++) {
        const uint64_t tried = job->after.tried[size];
        double low = 0, high = 0;

        if (!tried)
            continue;
        sketch_interval((double)job->after.found[size], (double)tried, &low, &high);
        say("  %-17s %" PRIu64 " of %" PRIu64 " before (%.1f %%), %" PRIu64
            " after (%.1f %%, interval of 95 %% %.1f to %.1f %%)",
            size_names[size], job->before.found[size], tried, percent(job->before.found[size], tried),
            job->after.found[size], percent(job->after.found[size], tried), 100 * low, 100 * high);
    }
}

static void show_text(const struct job *job)
{
    const uint64_t files = job->input.collection.document_count, removed = job->removed;

    say("%s: %" PRIu64 " file%s with a record; %" PRIu64 " keep%s it, %" PRIu64
        " similar to one of these %s hash-only, without %" PRIu64 " digest%s of blocks",
        job->path, files, plural(files), files - removed, files - removed == 1 ? "s" : "", removed,
        removed == 1 ? "becomes" : "become", job->blocks, plural(job->blocks));
    say("size: %" PRIu64 " bytes before, %" PRIu64 " after (%.1f %%)", job->before.bytes, job->after.bytes,
        percent(job->after.bytes, job->before.bytes));
    if (!removed)
        return;
    say("samples of the removed records that a kept record has: %.1f %%", 100 * job->covered_share);
    show_recall(job);
    if (each_removed(job, show_removed, NULL))
        complain("out of memory");
}

static void add_removed(const struct job *job, size_t document, size_t number, struct buffer *out)
{
    const char *name = collection_name(&job->input.collection, document_of(job, document));

    buffer_printf(out, "%s{\"covered\":%.4f,\"name\":", number ? "," : "", job->covered[document]);
    escape_json(out, name, strlen(name));
    buffer_add_char(out, '}');
}

static void show_json(const struct job *job)
{
    static const char *const names[SIZES] = {"whole", "pieces_64k", "pieces_16k", "pieces_4k"};
    struct buffer out = {0};

    buffer_add_text(&out, "{\"set\":");
    escape_json(&out, job->path, strlen(job->path));
    buffer_printf(&out,
                  ",\"records\":%zu,\"removed\":%" PRIu64 ",\"removed_blocks\":%" PRIu64 ",\"size\":%" PRIu64
                  ",\"size_after\":%" PRIu64 ",\"covered\":%.4f",
                  job->input.collection.document_count, job->removed, job->blocks, job->before.bytes,
                  job->after.bytes, job->covered_share);
    for (int size = 0; size < SIZES; size++)
        buffer_printf(&out,
                      ",\"%s\":{\"tried\":%" PRIu64 ",\"found\":%" PRIu64 ",\"found_after\":%" PRIu64 "}",
                      names[size], job->after.tried[size], job->before.found[size], job->after.found[size]);
    buffer_add_text(&out, ",\"least_covered\":[");
    if (each_removed(job, add_removed, &out))
        out.failed = true;
    buffer_add_text(&out, "]}\n");
    put_output(&out);
    buffer_release(&out);
}

/* ---- all of it ---- */

static int measure_both(struct job *job, const char *output)
{
    struct error err;
    int result;

    result = measure_covered(job, &err);
    if (!result)
        result = measure(job, job->path, true, &job->before, &err);
    if (!result)
        result = measure(job, output, false, &job->after, &err);
    if (result < 0)
        complain_error(&err);
    if (result > 0)
        complain(job->thin->output ? "interrupted; %s was written, but what it lost was not measured"
                                   : "interrupted",
                 output);
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
        job.covered = memory_new((job.input.collection.document_count + 1) * sizeof *job.covered, &err);
        if (!job.covered)
            complain_error(&err);
        status = job.covered ? thin_and_report(&job) : EXIT_USAGE;
    }
    free(job.covered);
    clusters_release(&job.clusters);
    cluster_input_release(&job.input);
    return status;
}
