/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/queue.h"
#include "cluster/groups_inner.h"

/*
 * All pairs: the calling thread reads the indexes, which a connection to the database can do only in one
 * thread, and passes on what is found; other threads count and measure.
 */
enum { DEPTH_PER_THREAD = 4 };

/* A job: a document, and those after it that are near it. */
struct job {
    uint32_t one;
    struct groups_reading reading;
    uint32_t *hits;
    size_t count, room;
    uint64_t candidates;
    bool failed;
};

/* The state of a thread. */
struct worker {
    const struct groups *groups;
    struct groups_finder finder;
};

struct hunt {
    struct groups *groups;
    const struct groups_run *run;
    groups_pair *found;
    void *arg;
    struct worker *workers;
    struct job *jobs; /* a ring with one more than the queue holds, so a new one is never in use */
    size_t depth, next;
    struct queue *queue; /* NULL if there is one thread */
};

static void work(void *state, void *arg)
{
    struct worker *worker = state;
    struct job *job = arg;

    groups_find(worker->groups, &job->reading, &worker->finder);
    job->candidates = worker->finder.candidate_count;
    job->count = worker->finder.hit_count;
    job->failed = array_reserve(&job->hits, &job->room, job->count) != 0;
    if (!job->failed && job->count)
        memcpy(job->hits, worker->finder.hits, job->count * sizeof *job->hits);
}

static int finish(struct hunt *hunt, const struct job *job, struct error *err)
{
    struct groups *groups = hunt->groups;
    const uint64_t *query = groups_bits(groups, job->one);

    if (job->failed)
        return error_set(err, "out of memory");
    groups->work.candidates += job->candidates;
    for (size_t i = 0; i < job->count; i++) {
        const uint32_t other = job->hits[i];

        if (hunt->found(hunt->arg, groups->documents[job->one], groups->documents[other],
                        groups_distance(groups, query, other), err))
            return -1;
    }
    if (hunt->run->count)
        atomic_fetch_add_explicit(hunt->run->count, 1, memory_order_relaxed);
    return 0;
}

static int submit(struct hunt *hunt, enum groups_algorithm algorithm, uint32_t one, struct error *err)
{
    struct job *job = &hunt->jobs[hunt->next++ % hunt->depth];

    job->one = one;
    if (groups_read(hunt->groups, algorithm, groups_bits(hunt->groups, one), one + 1, &job->reading, err))
        return -1;
    if (!hunt->queue) {
        work(&hunt->workers[0], job);
        return finish(hunt, job, err);
    }
    if (queue_full(hunt->queue) && finish(hunt, queue_pop(hunt->queue), err))
        return -1;
    queue_push(hunt->queue, job);
    return 0;
}

static bool is_stopped(const struct groups_run *run)
{
    return run->stop && atomic_load(run->stop);
}

static int find_all(struct hunt *hunt, enum groups_algorithm algorithm, struct error *err)
{
    const struct groups *groups = hunt->groups;
    const struct job *done;
    int result = 0;

    for (uint32_t one = 0; result == 0 && one < groups->count && !is_stopped(hunt->run); one++)
        if (!groups_is_removed(groups, one))
            result = submit(hunt, algorithm, one, err);
    while (hunt->queue && (done = queue_pop(hunt->queue)))
        if (result == 0)
            result = finish(hunt, done, err);
    return result ? -1 : is_stopped(hunt->run);
}

static int open_hunt(struct hunt *hunt, struct error *err)
{
    const unsigned threads = hunt->run->threads;
    void **states;

    hunt->depth = (size_t)threads * DEPTH_PER_THREAD + 1;
    hunt->workers = memory_new(threads * sizeof *hunt->workers, err);
    hunt->jobs = hunt->workers ? memory_new(hunt->depth * sizeof *hunt->jobs, err) : NULL;
    states = hunt->jobs ? memory_new(threads * sizeof *states, err) : NULL;
    if (!states)
        return -1;
    for (unsigned i = 0; i < threads; i++) {
        hunt->workers[i].groups = hunt->groups;
        states[i] = &hunt->workers[i];
        if (groups_finder_reserve(&hunt->workers[i].finder, hunt->groups->count, err)) {
            free(states);
            return -1;
        }
    }
    hunt->queue = threads > 1 ? queue_new(threads, hunt->depth - 1, work, states, err) : NULL;
    free(states);
    return threads > 1 && !hunt->queue ? -1 : 0;
}

static void close_hunt(struct hunt *hunt)
{
    queue_free(hunt->queue);
    for (unsigned i = 0; hunt->workers && i < hunt->run->threads; i++)
        groups_finder_release(&hunt->workers[i].finder);
    for (size_t i = 0; hunt->jobs && i < hunt->depth; i++) {
        free(hunt->jobs[i].reading.entries);
        free(hunt->jobs[i].hits);
    }
    free(hunt->workers);
    free(hunt->jobs);
}

int groups_pairs(struct groups *groups, enum groups_algorithm algorithm, const struct groups_run *run,
                 groups_pair *found, void *arg, struct error *err)
{
    struct hunt hunt = {.groups = groups, .run = run, .found = found, .arg = arg};
    int result;

    if (groups_check(&groups->params, algorithm, err) ||
        groups_finder_reserve(&groups->finder, groups->count, err))
        return -1;
    result = groups_index_until(groups, algorithm, run->stop, err);
    if (result)
        return result;
    result = open_hunt(&hunt, err) ? -1 : find_all(&hunt, algorithm, err);
    close_hunt(&hunt);
    return result;
}
