/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/clusters.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cluster/greedy.h"
#include "cluster/linkage.h"
#include "cluster/neighbours.h"

const char *clusters_method_name(enum clusters_method method)
{
    static const char *const names[] = {"greedy", "single"};

    return names[method];
}

const char *clusters_candidates_name(enum clusters_candidates candidates)
{
    static const char *const names[] = {"index", "hamming", "alg-h", "alg-g", "scan"};

    return names[candidates];
}

void clusters_release(struct clusters *clusters)
{
    free(clusters->leaders);
    free(clusters->likenesses);
    free(clusters->starts);
    free(clusters->documents);
    *clusters = (struct clusters){0};
}

/* ---- finding ---- */

/* What all methods need; not to be copied, since the parts point to each other. */
struct search {
    struct postings postings;     /* for CLUSTERS_INDEX */
    struct neighbours neighbours; /* for the others */
    struct collection_judge judge;
    struct pairs_plan plan;
};

static void candidates_by_index(const void *arg, uint32_t document, uint32_t from, uint32_t before,
                                struct overlap *overlap)
{
    postings_overlap(arg, document, from, before, overlap);
}

static void candidates_by_bits(const void *arg, uint32_t document, uint32_t from, uint32_t before,
                               struct overlap *overlap)
{
    neighbours_overlap(arg, document, from, before, overlap);
}

static struct neighbours_options neighbours_of(const struct clusters_options *options)
{
    return (struct neighbours_options){
        .algorithm = options->candidates == CLUSTERS_ALG_G   ? GROUPS_G
                     : options->candidates == CLUSTERS_ALG_H ? GROUPS_H
                                                             : GROUPS_SCAN,
        .fastest = options->candidates == CLUSTERS_HAMMING,
        .m = options->groups,
        .resemblance = options->limits.resemblance,
        .run = {.threads = options->threads, .stop = options->stop, .count = options->count}};
}

int clusters_check_groups(const struct clusters_options *options, uint32_t bits, struct error *err)
{
    const struct neighbours_options neighbours = neighbours_of(options);

    return neighbours_check(&neighbours, bits, err);
}

static int find_neighbours(struct search *search, const struct collection *collection,
                           const struct clusters_options *options, struct error *err)
{
    const struct neighbours_options neighbours = neighbours_of(options);
    const int result = neighbours_find(&search->neighbours, collection, &neighbours, err);

    if (options->count) /* next, the same contents are compared */
        atomic_store(options->count, 0);
    return result;
}

/* Fills in how candidates were found. */
static void note_candidates(struct clusters *clusters, const struct search *search,
                            const struct clusters_options *options)
{
    static const enum clusters_candidates names[] = {CLUSTERS_ALG_G, CLUSTERS_ALG_H, CLUSTERS_SCAN};

    if (options->candidates == CLUSTERS_INDEX)
        return;
    clusters->candidates = names[search->neighbours.algorithm];
    clusters->groups = search->neighbours.params;
}

static int begin_search(struct search *search, const struct collection *collection,
                        const struct clusters_options *options, struct error *err)
{
    struct postings_source source = collection_source(collection);
    const bool by_index = options->candidates == CLUSTERS_INDEX;

    *search = (struct search){.judge = {collection, by_index ? &search->postings : NULL, options->limits}};
    search->plan =
        (struct pairs_plan){.documents = collection->content_count,
                            .candidates = by_index ? candidates_by_index : candidates_by_bits,
                            .arg = by_index ? (const void *)&search->postings : &search->neighbours,
                            .judge = collection_judge(&search->judge),
                            .threads = options->threads,
                            .stop = options->stop,
                            .count = options->count};
    source.stop = options->stop;
    if (by_index)
        return postings_build(&search->postings, &source, options->common, err);
    return find_neighbours(search, collection, options, err);
}

static void end_search(struct search *search)
{
    postings_release(&search->postings);
    neighbours_release(&search->neighbours);
}

static int link_contents(struct clusters *clusters, const struct search *search, struct error *err)
{
    struct pairs *pairs = pairs_new(&search->plan, err);
    int result = -1;

    if (pairs)
        result = linkage_run(pairs, (uint32_t)search->plan.documents, clusters->leaders, err);
    if (!result)
        result = pairs_measure(pairs, clusters->leaders, clusters->likenesses, err);
    pairs_free(pairs);
    return result;
}

static int find_leaders(struct clusters *clusters, const struct search *search,
                        const struct clusters_options *options, struct error *err)
{
    const bool by_index = options->candidates == CLUSTERS_INDEX;

    if (options->method == CLUSTERS_SINGLE)
        return link_contents(clusters, search, err);
    return greedy_run(&search->plan, by_index ? &search->postings : NULL, clusters->leaders,
                      clusters->likenesses, &clusters->common, err);
}

/* ---- listing ---- */

/* Counts the documents of each leader; sizes has one more element, for the caller. */
static void count_documents(const struct clusters *clusters, const struct collection *collection,
                            uint32_t *sizes)
{
    for (size_t i = 0; i < collection->content_count; i++)
        sizes[clusters->leaders[i]] += collection->contents[i].copies;
}

/* Numbers the clusters by the first document of each leader; places: by content, where its cluster's next
 * document goes, or SIZE_MAX. */
static void number_clusters(struct clusters *clusters, const struct collection *collection,
                            const uint32_t *sizes, size_t *places)
{
    for (size_t i = 0; i < collection->content_count; i++) {
        places[i] = SIZE_MAX;
        if (clusters->leaders[i] != i)
            continue;
        if (sizes[i] < 2) {
            clusters->indistinct += collection_is_indistinct(collection, (uint32_t)i);
            continue;
        }
        if (sizes[i] == collection->contents[i].copies) {
            clusters->same_count++;
            clusters->same += sizes[i];
        }
        clusters->starts[clusters->count++] = places[i] = clusters->clustered;
        clusters->clustered += sizes[i];
    }
    clusters->starts[clusters->count] = clusters->clustered;
}

int clusters_list(struct clusters *clusters, const struct collection *collection, struct error *err)
{
    const size_t contents = collection->content_count;
    uint32_t *sizes = memory_new((contents + 1) * sizeof *sizes, err);
    size_t *places = sizes ? memory_new((contents + 1) * sizeof *places, err) : NULL;

    clusters->starts = places ? memory_new((contents + 1) * sizeof *clusters->starts, err) : NULL;
    clusters->documents =
        clusters->starts ? memory_new((collection->document_count + 1) * sizeof *clusters->documents, err)
                         : NULL;
    if (clusters->documents) {
        count_documents(clusters, collection, sizes);
        number_clusters(clusters, collection, sizes, places);
        for (size_t d = 0; d < collection->document_count; d++) {
            size_t *place = &places[clusters->leaders[collection->documents[d].content]];

            if (*place != SIZE_MAX)
                clusters->documents[(*place)++] = (uint32_t)d;
        }
    }
    free(sizes);
    free(places);
    return clusters->documents ? 0 : -1;
}

/* ---- the interface ---- */

int clusters_prepare(struct clusters *clusters, const struct collection *collection, struct error *err)
{
    *clusters = (struct clusters){0};
    clusters->leaders = memory_new((collection->content_count + 1) * sizeof *clusters->leaders, err);
    if (clusters->leaders)
        clusters->likenesses =
            memory_new((collection->content_count + 1) * sizeof *clusters->likenesses, err);
    return clusters->likenesses ? 0 : -1;
}

int clusters_find(struct clusters *clusters, const struct collection *collection,
                  const struct clusters_options *options, struct error *err)
{
    struct search search;
    int result;

    if (clusters_prepare(clusters, collection, err))
        return -1;
    result = begin_search(&search, collection, options, err);
    if (!result)
        result = find_leaders(clusters, &search, options, err);
    if (options->method != CLUSTERS_GREEDY)
        clusters->common = search.postings.common;
    note_candidates(clusters, &search, options);
    end_search(&search);
    return result ? result : clusters_list(clusters, collection, err);
}

static uint32_t family(const void *arg, uint32_t content)
{
    const uint32_t *families = arg;

    return families[content];
}

int clusters_find_pairs(const struct collection *collection, const struct clusters_options *options,
                        struct clusters_pairs *which,
                        int (*found)(void *arg, const struct pair *pair, struct error *err), void *arg,
                        struct error *err)
{
    const uint32_t contents = (uint32_t)collection->content_count;
    atomic_ullong cut = 0;
    const struct pairs_query query = {.to = contents,
                                      .end = contents,
                                      .once = which->families != NULL,
                                      .within = which->families != NULL,
                                      .most = which->most,
                                      .cut = &cut,
                                      .group = which->families ? family : NULL,
                                      .arg = which->families};
    struct search search;
    struct pairs *pairs = NULL;
    int result = begin_search(&search, collection, options, err);

    if (!result) {
        pairs = pairs_new(&search.plan, err);
        result = pairs ? pairs_find(pairs, &query, found, arg, err) : -1;
    }
    which->cut = cut;
    which->common = search.postings.common;
    pairs_free(pairs);
    end_search(&search);
    return result;
}
