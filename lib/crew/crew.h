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
 * Work done by processes that may die: each worker is a sandboxed process of its own, forked from this one.
 *
 * A task is bytes, and descriptors that go with it; it is made of items, numbered from 0 by whoever works on
 * it.  Tasks are handed back in the order they came in, with all that the worker sent for them, so the
 * outcome does not depend on the number of workers.  A worker that dies, or spends too much CPU time on an
 * item without progress, is replaced. The item it was at is tried once more (not after a time-out), then left
 * out and recorded as a loss; the rest of the task is done by the next worker, from the start.
 *
 * What a worker sends is as little to be trusted as the evidence that it reads: it may have been taken over.
 * So nothing here rests on it.  A task has a limit on the bytes of its result, on the CPU time and on the
 * time that all tries of it take together, and on their number; beyond one of them it is lost as a whole.
 * What comes for it is judged by the job's owner, and a worker that sent anything else is killed.
 */

struct crew_worker; /* the worker's side */
struct crew_result;

struct crew_job {
    /* In the worker, files can still be opened below the folders; NULL: the worker cannot work, err says why.
     */
    void *(*start)(void *arg, struct crew_worker *worker, struct error *err);
    /* In the worker, in the sandbox.  The descriptors are closed by the crew afterwards. */
    void (*work)(void *state, struct crew_worker *worker, const void *task, size_t len, const int *fds,
                 unsigned fd_count);
    void *arg;                  /* for start */
    const char *const *folders; /* that start may read below; ends with NULL */
    uint64_t memory;            /* bytes of address space that a worker may use */
    bool no_sandbox;            /* work even where this system lacks a part of the sandbox */
    unsigned seconds;           /* of CPU time without progress; see crew_task for the whole of a task */
    unsigned patience;          /* so many times as long anything may take, if it waits for a disk */
    /*
     * Whether what a worker has sent for a task is acceptable: in this process, while it comes (only the
     * beginning is there; may be left out now and then) and when it is complete.  state: accept_size bytes
     * for this task, zeros when a worker begins it.  NULL: everything is.
     */
    bool (*accept)(void *arg, void *state, const struct crew_result *result, bool complete);
    void *accept_arg;
    size_t accept_size;
    const atomic_bool *stop; /* becomes true when nobody wants the rest any more; may be NULL */
    void (*idle)(void *arg); /* in this process, several times a second while it waits; may be NULL */
    void *idle_arg;
};

/* ---- the worker's side ---- */

/* Begins an item; false if it is to be left out. */
bool crew_begin(struct crew_worker *worker, uint32_t item);
/* The current item is getting on: it has the full time again.  bytes are added to the crew's count. */
void crew_progress(struct crew_worker *worker, uint64_t bytes);
/* Adds to the task's result. */
void crew_send(struct crew_worker *worker, const void *data, size_t len);
/* There is not enough memory to do this item: the process ends, and the parent records why. */
_Noreturn void crew_give_up(void);

/* ---- the parent's side ---- */

enum {
    CREW_MAX_FDS = 64,
    CREW_WHOLE_TASK = UINT32_MAX, /* a loss of all of a task: no item in it can be blamed */
};

/* What there is to be done, and the most that may come of it. */
struct crew_task {
    uint64_t tag;
    const void *data;
    size_t len;
    const int *fds;
    unsigned fd_count;
    uint32_t items;   /* that it is made of; no other can be lost */
    uint64_t seconds; /* of CPU time that it may take in all */
    uint64_t most;    /* bytes of its result */
};

struct crew_loss {
    uint32_t item;
    char reason[80]; /* "the worker died: Segmentation fault" */
};

struct crew_result {
    uint64_t tag;
    const char *task; /* as it was pushed */
    size_t task_len;
    const char *data; /* what the worker sent; as the losses, valid until the next call */
    size_t len;
    const struct crew_loss *losses; /* by item */
    size_t loss_count;
};

struct crew;

/* Starts the workers; waits until each has started, and fails with the first error of start, or if a part of
 * the sandbox is missing, unless the job says that it may be. */
struct crew *crew_new(const struct crew_job *job, unsigned workers, struct error *err);
/* Kills the workers. */
void crew_free(struct crew *crew);

/* SANDBOX_NO_*: what the workers' sandbox lacks. */
unsigned crew_missing(const struct crew *crew);

/* Whether as many tasks are with it as can be; whether none is. */
bool crew_full(const struct crew *crew);
bool crew_empty(const struct crew *crew);
/* Must not be called while the crew is full.  The task is copied; the descriptors become the crew's. */
int crew_push(struct crew *crew, const struct crew_task *task, struct error *err);
/* Waits for the oldest task; 1, 0 if there is none, -1 if no worker can be started any more, or job.stop is
 * true. */
int crew_pop(struct crew *crew, struct crew_result *result, struct error *err);

/* Bytes of progress so far, of all workers. */
uint64_t crew_bytes(const struct crew *crew);

#endif
