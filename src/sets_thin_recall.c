/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <sys/stat.h>

#include "interrupt.h"
#include "match/matcher.h"
#include "set/refset_cache.h"
#include "sets_thin_inner.h"

enum { CACHE_BYTES = 64 << 20 };

static const uint64_t piece_bytes[SIZES] = {0, 64 << 10, 16 << 10, 4 << 10};

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
static int is_of_cluster(const struct sets_thin_job *job, struct searched *searched, uint64_t file,
                         uint32_t leader, uint64_t except, struct error *err)
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
static int search_one(const struct sets_thin_job *job, struct searched *searched, size_t i, int size,
                      uint64_t own, struct sets_thin_recall *recall, struct error *err)
{
    const uint32_t content = sets_thin_document(job, i)->content;
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

int sets_thin_measure(const struct sets_thin_job *job, const char *path, bool is_old,
                      struct sets_thin_recall *recall, struct error *err)
{
    struct searched searched;
    struct stat st;
    int result = open_searched(&searched, path, err);

    if (stat(path, &st) == 0)
        recall->bytes = (uint64_t)st.st_size;
    for (size_t i = 0; i < job->input.collection.document_count && !result; i++)
        for (int size = 0; size < SIZES && !result && sets_thin_is_removed(job, i); size++) {
            const uint64_t own = is_old && size == WHOLE ? sets_thin_document(job, i)->origin.id : 0;

            result =
                atomic_load(interrupt_flag()) ? 1 : search_one(job, &searched, i, size, own, recall, err);
        }
    close_searched(&searched);
    return result;
}
