/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/pairs.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/queue.h"

enum {
    SLICE = 64, /* documents in a job */
    SLICES_PER_THREAD = 8,
};

/* The state of a thread. */
struct worker {
    const struct pairs_plan *plan;
    struct overlap overlap;
    void *judge;
    uint32_t *taken; /* groups in which a relative was found */
    size_t taken_room;
};

/* A job: some documents, and what was found. */
struct slice {
    const struct pairs_query *query; /* NULL: measure */
    const uint32_t *others;
    struct likeness *likenesses;
    uint32_t from, to;
    struct pair *list;
    size_t count, room;
    bool failed;
    struct error err;
};

struct pairs {
    struct pairs_plan plan;
    struct worker *workers; /* one for each thread, and one for the caller's */
    struct queue *queue;    /* NULL if there is one thread */
    struct slice *slices;
    size_t depth, next;
};

/* ---- one document ---- */

static bool is_taken(const struct worker *worker, size_t taken, uint32_t group)
{
    for (size_t i = 0; i < taken; i++)
        if (worker->taken[i] == group)
            return true;
    return false;
}

static int add_pair(struct slice *slice, uint32_t a, uint32_t b, const struct likeness *likeness)
{
    if (array_reserve(&slice->list, &slice->room, slice->count + 1))
        return error_set(&slice->err, "out of memory for pairs of documents");
    slice->list[slice->count++] = (struct pair){a, b, *likeness};
    return 0;
}

static int take_group(struct worker *worker, size_t *taken, uint32_t group, struct error *err)
{
    if (array_reserve(&worker->taken, &worker->taken_room, *taken + 1))
        return error_set(err, "out of memory for pairs of documents");
    worker->taken[(*taken)++] = group;
    return 0;
}

/* Examines the candidates in the overlap. */
static int examine(struct worker *worker, struct slice *slice, uint32_t document)
{
    const struct likeness_judge *judge = &worker->plan->judge;
    const struct pairs_query *query = slice->query;
    const struct overlap *overlap = &worker->overlap;
    const uint32_t own = query->within  ? PAIRS_NO_GROUP
                         : query->group ? query->group(query->arg, document)
                                        : document;
    size_t taken = 0, compared = 0;

    for (size_t i = 0; i < overlap->count; i++) {
        const uint32_t other = overlap->list[i];
        const uint32_t group = query->group ? query->group(query->arg, other) : other;
        struct likeness likeness;
        int related;

        if (other == document || group == PAIRS_NO_GROUP || group == own ||
            !judge->may(worker->judge, document, other, overlap->counts[other]) ||
            (query->once && is_taken(worker, taken, group)))
            continue;
        if (query->most && compared++ == query->most) {
            if (query->cut)
                atomic_fetch_add_explicit(query->cut, 1, memory_order_relaxed);
            break;
        }
        related = judge->compare(worker->judge, document, other, &likeness, &slice->err);
        if (related < 0 || (related && add_pair(slice, document, other, &likeness)) ||
            (related && query->once && take_group(worker, &taken, group, &slice->err)))
            return -1;
    }
    return 0;
}

static int find_one(struct worker *worker, struct slice *slice, uint32_t document)
{
    const struct pairs_query *query = slice->query;
    const uint32_t end = query->end < document ? query->end : document;
    int result;

    if (query->start >= end)
        return 0;
    worker->plan->candidates(worker->plan->arg, document, query->start, end, &worker->overlap);
    overlap_sort(&worker->overlap);
    result = examine(worker, slice, document);
    overlap_reset(&worker->overlap);
    return result;
}

static int measure_one(struct worker *worker, struct slice *slice, uint32_t document)
{
    const uint32_t other = slice->others[document];

    return other == document ? 0
                             : worker->plan->judge.compare(worker->judge, document, other,
                                                           &slice->likenesses[document], &slice->err);
}

/* ---- a slice ---- */

static bool is_stopped(const struct pairs_plan *plan)
{
    return plan->stop && atomic_load(plan->stop);
}

static void work(void *state, void *job)
{
    struct worker *worker = state;
    struct slice *slice = job;

    for (uint32_t d = slice->from; d < slice->to && !slice->failed && !is_stopped(worker->plan); d++)
        slice->failed = (slice->query ? find_one(worker, slice, d) : measure_one(worker, slice, d)) < 0;
    if (worker->plan->count && slice->query)
        atomic_fetch_add_explicit(worker->plan->count, slice->to - slice->from, memory_order_relaxed);
}

struct receiver {
    int (*found)(void *arg, const struct pair *pair, struct error *err);
    void *arg;
};

static int finish(const struct slice *slice, const struct receiver *receiver, struct error *err)
{
    if (slice->failed) {
        if (err)
            *err = slice->err;
        return -1;
    }
    for (size_t i = 0; i < slice->count; i++)
        if (receiver->found(receiver->arg, &slice->list[i], err))
            return -1;
    return 0;
}

/* The slices are a ring with one more than the queue holds, so a new one is never in use. */
static int submit(struct pairs *pairs, const struct slice *job, const struct receiver *receiver,
                  struct error *err)
{
    struct slice *slice = &pairs->slices[pairs->next++ % pairs->depth];
    struct pair *list = slice->list;
    const size_t room = slice->room;

    *slice = *job;
    slice->list = list;
    slice->room = room;
    if (!pairs->queue) {
        work(&pairs->workers[0], slice);
        return finish(slice, receiver, err);
    }
    if (queue_full(pairs->queue) && finish(queue_pop(pairs->queue), receiver, err))
        return -1;
    queue_push(pairs->queue, slice);
    return 0;
}

static int run(struct pairs *pairs, const struct slice *whole, const struct receiver *receiver,
               struct error *err)
{
    struct slice *done, job = *whole;
    int result = 0;

    for (uint32_t d = whole->from; d < whole->to && !result && !is_stopped(&pairs->plan); d = job.to) {
        job.from = d;
        job.to = whole->to - d > SLICE ? d + SLICE : whole->to;
        result = submit(pairs, &job, receiver, err);
    }
    while (pairs->queue && (done = queue_pop(pairs->queue)))
        if (!result)
            result = finish(done, receiver, err);
    return result ? -1 : is_stopped(&pairs->plan);
}

/* ---- the interface ---- */

int pairs_find(struct pairs *pairs, const struct pairs_query *query,
               int (*found)(void *arg, const struct pair *pair, struct error *err), void *arg,
               struct error *err)
{
    const struct slice whole = {.query = query, .from = query->from, .to = query->to};

    return run(pairs, &whole, &(struct receiver){found, arg}, err);
}

int pairs_find_here(struct pairs *pairs, const struct pairs_query *query,
                    int (*found)(void *arg, const struct pair *pair, struct error *err), void *arg,
                    struct error *err)
{
    struct worker *worker = &pairs->workers[pairs->plan.threads];
    struct slice slice = {.query = query};
    int result = 0;

    for (uint32_t d = query->from; d < query->to && !result && !is_stopped(&pairs->plan); d++) {
        slice.count = 0;
        slice.failed = find_one(worker, &slice, d) < 0;
        result = finish(&slice, &(struct receiver){found, arg}, err);
    }
    free(slice.list);
    return result ? -1 : is_stopped(&pairs->plan);
}

static int found_nothing(void *arg, const struct pair *pair, struct error *err)
{
    (void)arg;
    (void)pair;
    (void)err;
    return 0;
}

int pairs_measure(struct pairs *pairs, const uint32_t *others, struct likeness *likenesses, struct error *err)
{
    const struct slice whole = {
        .others = others, .likenesses = likenesses, .to = (uint32_t)pairs->plan.documents};

    return run(pairs, &whole, &(struct receiver){found_nothing, NULL}, err);
}

static int make_workers(struct pairs *pairs, struct error *err)
{
    const unsigned threads = pairs->plan.threads;
    void *states[PAIRS_MOST_THREADS];

    for (unsigned i = 0; i <= threads; i++) {
        struct worker *worker = &pairs->workers[i];

        worker->plan = &pairs->plan;
        if (overlap_make(&worker->overlap, pairs->plan.documents, err) ||
            !(worker->judge = pairs->plan.judge.open(pairs->plan.judge.arg, err)))
            return -1;
        if (i < threads)
            states[i] = worker;
    }
    if (threads > 1 && !(pairs->queue = queue_new(threads, pairs->depth - 1, work, states, err)))
        return -1;
    return 0;
}

struct pairs *pairs_new(const struct pairs_plan *plan, struct error *err)
{
    struct pairs *pairs = memory_new(sizeof *pairs, err);

    if (!pairs)
        return NULL;
    pairs->plan = *plan;
    pairs->depth = (size_t)plan->threads * SLICES_PER_THREAD + 1;
    pairs->workers = memory_new((plan->threads + 1) * sizeof *pairs->workers, err);
    pairs->slices = pairs->workers ? memory_new(pairs->depth * sizeof *pairs->slices, err) : NULL;
    if (pairs->slices && make_workers(pairs, err) == 0)
        return pairs;
    pairs_free(pairs);
    return NULL;
}

void pairs_free(struct pairs *pairs)
{
    if (!pairs)
        return;
    queue_free(pairs->queue);
    for (unsigned i = 0; pairs->workers && i <= pairs->plan.threads; i++) {
        if (pairs->workers[i].judge)
            pairs->plan.judge.close(pairs->workers[i].judge);
        overlap_release(&pairs->workers[i].overlap);
        free(pairs->workers[i].taken);
    }
    for (size_t i = 0; pairs->slices && i < pairs->depth; i++)
        free(pairs->slices[i].list);
    free(pairs->workers);
    free(pairs->slices);
    free(pairs);
}
