/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CREW_H
#define KITH_CREW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

/*
 * A pool of worker processes that may crash: each worker is forked from this process and runs in a sandbox.
 *
 * A task is a block of bytes with file descriptors.  It consists of items, which the worker numbers from 0.
 * Results are returned in the order in which tasks were pushed, each with everything its worker sent, so the
 * outcome does not depend on the number of workers.  A worker that dies, or that uses too much CPU time on an
 * item without progress, is replaced.  Its current item is retried once (after a time-out, not at all), then
 * left out and recorded as a loss; the next worker does the rest of the task, from the start.
 *
 * An item may consist of steps, of which the last ones can be left out.  If a worker dies at a step, the item
 * is cut there instead of being left out: it is tried once more, up to that step.  If that does not help
 * either, it is left out.
 *
 * A worker may have been taken over by the evidence it reads, so its messages deserve no more trust than the
 * evidence.  Every task has limits: on the size of its result, on CPU time and elapsed time over all
 * attempts, and on their number.  A task that exceeds one is lost as a whole.  The job's owner decides
 * whether a result is acceptable; a worker that sends anything else is killed.
 */

struct crew_worker; /* in the worker's process */
struct crew_result;

struct crew_job {
    /* Runs in the worker, which can still open files below the folders.  Returns the worker's state, or NULL
     * with err filled if it cannot work. */
    void *(*start)(void *arg, struct crew_worker *worker, struct error *err);
    /* Does a task, in the worker and in the sandbox.  The crew closes the descriptors afterwards. */
    void (*work)(void *state, struct crew_worker *worker, const void *task, size_t len, const int *fds,
                 unsigned fd_count);
    void *arg;                  /* for start */
    const char *const *folders; /* below which start may read files; ends with NULL */
    uint64_t memory;            /* limit on the address space of a worker, in bytes */
    bool no_sandbox;            /* work even if the system lacks a part of the sandbox */
    unsigned seconds;           /* limit on CPU time without progress; for whole tasks see crew_task */
    unsigned patience;          /* limits on elapsed time are this many times those on CPU time */
    /*
     * Whether a worker's result for a task is acceptable; NULL accepts everything.  Runs in this process,
     * from time to time while the result arrives (only its beginning is there) and when it is complete.
     * state: accept_size bytes per task, zeroed when a worker begins it.
     */
    bool (*accept)(void *arg, void *state, const struct crew_result *result, bool complete);
    void *accept_arg;
    size_t accept_size;
    /*
     * Takes what a worker streams (crew_stream), in this process and as it arrives: before the result of the
     * task, from all workers in turn, and again from its beginning if a task is repeated.  Returns
     * whether it is acceptable.  NULL accepts nothing.
     */
    bool (*stream)(void *arg, const void *data, size_t len);
    void *stream_arg;
    const atomic_bool *stop; /* set to true to abandon all work; may be NULL */
    void (*idle)(void *arg); /* called in this process several times a second while waiting; may be NULL */
    void *idle_arg;
};

/* ---- the worker's side ---- */

/* Begins an item; returns false if it must be left out. */
bool crew_begin(struct crew_worker *worker, uint32_t item);
/* Begins a step of the current item; steps are numbered from 1, on every attempt alike.  Returns NULL, or why
 * the item must end before this step. */
const char *crew_step(struct crew_worker *worker, uint32_t step);
/* Reports progress on the current item, which restarts its time limit, and adds bytes to the crew's count. */
void crew_progress(struct crew_worker *worker, uint64_t bytes);
/* Appends to the task's result. */
void crew_send(struct crew_worker *worker, const void *data, size_t len);
/* Passes at most CREW_STREAM_MAX bytes to job.stream at once; waits until the parent has room for them.  It
 * is for content of any size, since nothing is kept for the result. */
enum { CREW_STREAM_MAX = 64 << 10 };
void crew_stream(struct crew_worker *worker, const void *data, size_t len);
/* Ends the process for lack of memory; the parent records the reason for the current item. */
_Noreturn void crew_give_up(void);

/* ---- the parent's side ---- */

enum {
    CREW_MAX_FDS = 64,
    CREW_WHOLE_TASK = UINT32_MAX, /* a whole task was lost: no single item can be blamed */
};

/* A task and its limits. */
struct crew_task {
    uint64_t tag;
    const void *data;
    size_t len;
    const int *fds;
    unsigned fd_count;
    uint32_t items;   /* their number; only these can be lost */
    uint64_t seconds; /* limit on CPU time, all attempts together */
    uint64_t most;    /* limit on the size of the result, in bytes */
};

struct crew_loss {
    uint32_t item;
    char reason[80]; /* "the worker died: Segmentation fault" */
};

struct crew_result {
    uint64_t tag;
    const char *task; /* as pushed */
    size_t task_len;
    const char *data; /* what the worker sent; like the losses, valid until the next call */
    size_t len;
    const struct crew_loss *losses; /* sorted by item */
    size_t loss_count;
    size_t cut_count; /* items that ended before one of their steps, which are no losses */
};

struct crew;

/* Starts the workers and waits until all are running.  NULL on error: the first error of job.start, or a part
 * of the sandbox is missing and the job does not allow that. */
struct crew *crew_new(const struct crew_job *job, unsigned workers, struct error *err);
/* Kills the workers.  NULL is fine. */
void crew_free(struct crew *crew);

/* The parts that the workers' sandbox lacks: a set of SANDBOX_NO_*. */
unsigned crew_missing(const struct crew *crew);

/* Whether the queue of tasks is full; whether it is empty. */
bool crew_full(const struct crew *crew);
bool crew_empty(const struct crew *crew);
/* Must not be called while the crew is full.  Copies the task and takes ownership of its descriptors.  -1
 * without memory; the descriptors are closed then, too. */
int crew_push(struct crew *crew, const struct crew_task *task, struct error *err);
/* Waits for the oldest task.  Returns 1 with its result, 0 if there is none, -1 if no more workers can be
 * started or job.stop is true. */
int crew_pop(struct crew *crew, struct crew_result *result, struct error *err);

/* Bytes of progress of all workers so far. */
uint64_t crew_bytes(const struct crew *crew);

#endif
