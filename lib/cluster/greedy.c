/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/greedy.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"

/* Documents that are compared with earlier clusters by several threads, and then with those begun among
 * themselves. */
enum { ROUND = 1024 };

/* Which clusters have a fingerprint: lists that begin at heads[fingerprint], the latest cluster first. */
struct node {
    uint32_t leader;
    uint32_t next; /* index of a node, from 1; 0: none */
};

struct greedy {
    const struct postings *postings;
    uint32_t *heads, *lengths; /* of the lists */
    uint64_t common;           /* lists that are longer than the index allows */
    struct node *nodes;
    size_t node_count, node_room;
    uint32_t *leaders;
    uint32_t settled; /* documents before this one have their leaders */
    struct likeness *likenesses;
};

static void candidates(const void *arg, uint32_t document, uint32_t from, uint32_t before,
                       struct overlap *overlap)
{
    const struct greedy *greedy = arg;
    const struct postings *p = greedy->postings;

    for (size_t i = p->firsts[document]; i < p->firsts[document + 1]; i++) {
        const uint32_t g = p->groups[i];
        uint32_t left = greedy->lengths[g] > p->most ? POSTINGS_HOLDERS : UINT32_MAX;

        for (uint32_t at = greedy->heads[g]; at && left > 0; at = greedy->nodes[at - 1].next, left--) {
            const uint32_t leader = greedy->nodes[at - 1].leader;

            if (leader < from)
                break;
            if (leader < before)
                overlap_add(overlap, leader);
        }
    }
}

static int begin_cluster(struct greedy *greedy, uint32_t document, struct error *err)
{
    const struct postings *p = greedy->postings;
    const size_t first = p ? p->firsts[document] : 0, end = p ? p->firsts[document + 1] : 0;

    greedy->leaders[document] = document;
    if (array_reserve(&greedy->nodes, &greedy->node_room, greedy->node_count + end - first))
        return error_set(err, "out of memory for %zu fingerprints of clusters", greedy->node_count);
    if (greedy->node_count + end - first > UINT32_MAX)
        return error_set(err, "too many fingerprints of clusters");
    for (size_t i = first; i < end; i++) {
        uint32_t *head = &greedy->heads[p->groups[i]];

        greedy->nodes[greedy->node_count++] = (struct node){document, *head};
        *head = (uint32_t)greedy->node_count;
        greedy->common += greedy->lengths[p->groups[i]]++ == p->most;
    }
    return 0;
}

/* Only first members of clusters are candidates. */
static uint32_t group(const void *arg, uint32_t document)
{
    const struct greedy *greedy = arg;

    return document >= greedy->settled || greedy->leaders[document] == document ? document : PAIRS_NO_GROUP;
}

/* Keeps the leader that the document resembles most; of equals, the earliest. */
static int choose(void *arg, const struct pair *pair, struct error *err)
{
    struct greedy *greedy = arg;
    uint32_t *leader = &greedy->leaders[pair->a];
    struct likeness *best = &greedy->likenesses[pair->a];

    (void)err;
    if (*leader == pair->a || pair->likeness.resemblance > best->resemblance ||
        (pair->likeness.resemblance >= best->resemblance && pair->b < *leader)) {
        *leader = pair->b;
        *best = pair->likeness;
    }
    return 0;
}

static int run_round(struct pairs *pairs, struct greedy *greedy, uint32_t from, uint32_t to,
                     struct error *err)
{
    struct pairs_query query = {.from = from, .to = to, .end = from, .group = group, .arg = greedy};
    int result;

    for (uint32_t d = from; d < to; d++)
        greedy->leaders[d] = d;
    greedy->settled = from;
    result = pairs_find(pairs, &query, choose, greedy, err);
    query.start = from;
    for (uint32_t d = from; d < to && !result; d++) {
        query.from = query.end = d;
        query.to = d + 1;
        greedy->settled = d;
        result = pairs_find_here(pairs, &query, choose, greedy, err);
        if (!result && greedy->leaders[d] == d)
            result = begin_cluster(greedy, d, err);
    }
    return result;
}

static int run(struct greedy *greedy, const struct pairs_plan *plan, struct error *err)
{
    struct pairs_plan own = *plan;
    struct pairs *pairs;
    int result = 0;

    if (greedy->postings) {
        own.candidates = candidates;
        own.arg = greedy;
    }
    pairs = pairs_new(&own, err);
    if (!pairs)
        return -1;
    for (size_t d = 0; d < plan->documents && !result; d += ROUND)
        result = run_round(pairs, greedy, (uint32_t)d,
                           (uint32_t)(plan->documents - d > ROUND ? d + ROUND : plan->documents), err);
    pairs_free(pairs);
    return result;
}

int greedy_run(const struct pairs_plan *plan, const struct postings *postings, uint32_t *leaders,
               struct likeness *likenesses, uint64_t *common, struct error *err)
{
    struct greedy greedy = {.postings = postings, .leaders = leaders, .likenesses = likenesses};
    int result = -1;

    if (postings)
        greedy.heads = memory_new((postings->group_count + 1) * sizeof *greedy.heads, err);
    if (greedy.heads)
        greedy.lengths = memory_new((postings->group_count + 1) * sizeof *greedy.lengths, err);
    if (!postings || greedy.lengths)
        result = run(&greedy, plan, err);
    if (common)
        *common = greedy.common;
    free(greedy.heads);
    free(greedy.lengths);
    free(greedy.nodes);
    return result;
}
