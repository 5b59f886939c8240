/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CREW_INNER_H
#define KITH_CREW_INNER_H

/* Shared by the two sides of a crew, worker and parent. */

#include <poll.h>
#include <sys/types.h>
#include <time.h>

#include "crew/crew.h"

enum {
    TICK_MS = 100,
    FRAME_MAX = 64 * 1024,
    CHECK_STEP = 4 * FRAME_MAX, /* bytes of a result before it is first checked */
    STARTS = 3,                 /* attempts to start a worker, or at a task if no single item can be blamed */
    EXIT_NO_MEMORY = 9,
};

/* Messages of a worker. */
enum kind {
    STARTED, /* with an unsigned: the missing parts of the sandbox */
    FAILED,  /* with an error message */
    DATA,
    STREAM, /* for job.stream */
    DONE,   /* with a uint64_t: the total size of the task's DATA */
};

struct head {
    uint32_t kind, len;
};

struct frame {
    struct head head;
    char data[FRAME_MAX];
};

/* Where an item must end, and why. */
struct cut {
    uint32_t item, step;
    char reason[sizeof((struct crew_loss *)NULL)->reason];
};

/* What a worker receives: this, the numbers of the items to leave out, those to cut, and the task's data. */
struct order {
    uint64_t len;
    uint32_t left_out, cut, fd_count;
};

/* Memory shared between a worker and the parent.  The worker may write anything to it at any time. */
struct crew_page {
    _Atomic uint64_t progress, bytes;
    _Atomic uint32_t item; /* the current one; CREW_WHOLE_TASK before the first */
    _Atomic uint32_t step; /* of this item; 0 before the first */
};

/* The whole life of a worker, in the child process. */
_Noreturn void crew_worker_run(const struct crew_job *job, int socket, struct crew_page *page, pid_t parent);

/* ---- the parent: tasks ---- */

enum task_state { WAITING, WORKED_ON, FINISHED };

/* An item at which a worker was lost. */
struct suspect {
    struct cut cut; /* the first step at which that happened */
    bool is_cut;
};

struct task {
    struct task *next;
    uint64_t tag;
    enum task_state state;
    int fds[CREW_MAX_FDS];
    unsigned fd_count;
    unsigned failures;   /* for which no single item can be blamed */
    int64_t cpu, waited; /* nanoseconds, in earlier attempts */
    uint32_t items;
    uint64_t seconds, most;
    struct buffer suspects; /* struct suspect */
    struct buffer losses;   /* struct crew_loss, sorted by item */
    struct buffer result;
    size_t check_at;      /* size of the result at which it is next checked */
    struct buffer accept; /* the state of job.accept */
    size_t len;
    char data[];
};

/* Makes a waiting task: copies the data, takes over the descriptors, and adds accept_size bytes of state for
 * job.accept.  NULL without memory; the descriptors then remain the caller's. */
struct task *crew_task_new(const struct crew_task *given, size_t accept_size);
/* NULL is fine. */
void crew_task_free(struct task *task);
size_t crew_task_loss_count(const struct task *task);
const struct crew_loss *crew_task_losses(const struct task *task);
size_t crew_task_cut_count(const struct task *task);
void crew_task_put_cuts(const struct task *task, struct buffer *out);
/* The result as far as it has arrived; valid until more is added. */
struct crew_result crew_task_result(const struct task *task);
/* Marks the task as done and closes its descriptors. */
void crew_task_finish(struct task *task);

/* Why a worker was lost. */
enum loss {
    DIED,
    TIMED_OUT, /* on one item */
    OFFENDED,  /* sent something forbidden, so the item it claims to be at is doubtful, too */
    EXHAUSTED, /* used up the time of the whole task */
};

/*
 * Called when the worker on this task was lost: drops what it sent and makes the task wait for another
 * worker.  item and step: where the worker claims to have been, which may be any numbers.  The item is
 * retried once, then cut, then given up, or the whole task is; so there are at most 3 * items + 3 attempts.
 */
void crew_task_retry(struct task *task, uint32_t item, uint32_t step, const char *reason, enum loss loss);

/* ---- the parent: workers ---- */

#define CREW_SECOND ((int64_t)1000000000) /* nanoseconds */

/* A worker, as the parent sees it. */
struct crew_process {
    pid_t pid; /* 0: no process */
    int socket;
    struct crew_page *page;
    bool started;
    struct task *task;   /* its current task, or NULL */
    struct buffer order; /* sent before the task's data */
    size_t sent;         /* bytes of order and data */
    size_t received;     /* bytes of `in` */
    struct frame in;
    uint64_t progress;   /* page->progress, as last seen to change */
    int64_t cpu;         /* CPU time at that moment, nanoseconds */
    int64_t waited;      /* elapsed time since then */
    int64_t cpu_seen;    /* CPU time, as last seen to change */
    int64_t still;       /* elapsed time since then */
    int64_t task_cpu;    /* CPU time when it got its task, or started */
    int64_t task_waited; /* elapsed time since then */
    bool held;           /* its messages are not being read */
    char verdict[80];    /* why it was killed */
};

struct crew {
    struct crew_job job;
    size_t depth, count;
    struct task *oldest, **end;
    struct task *popped;
    unsigned missing;
    unsigned failed_starts; /* in succession */
    unsigned time_outs;     /* of items */
    unsigned exhausted;     /* tasks that ran out of time */
    int64_t watched;        /* time of the last check */
    bool complete;          /* all workers have been running */
    bool failed;
    struct error failure;
    struct pollfd *polled;
    unsigned worker_count;
    struct crew_process workers[];
};

/* Makes the whole crew fail; the first reason is kept. */
void crew_process_fail(struct crew *crew, const char *text);

/* The time of a clock, and the CPU time of a process, in nanoseconds; 0 if unknown. */
int64_t crew_process_clock(clockid_t clock);
int64_t crew_process_cpu(pid_t pid);
/* Restarts the time without progress; the second also restarts the time of the task. */
void crew_process_forget(struct crew_process *worker);
void crew_process_forget_task(struct crew_process *worker);

/* Whether processes forked from now on inherit the worker's page. */
void crew_process_share(const struct crew_process *worker, bool share);
/* Starts a worker.  A failure is counted by not_started; after STARTS failures in succession the crew fails.
 */
void crew_process_fork(struct crew *crew, struct crew_process *worker);
void crew_process_not_started(struct crew *crew, const char *text);
/* Kills the worker if it is alive; writes why it ended to reason, at most size bytes. */
void crew_process_end(struct crew_process *worker, char *reason, size_t size);
/* Ends a worker, if it is alive, and has its task retried or given up.  condemn does so for an offence. */
void crew_process_lost(struct crew *crew, struct crew_process *worker, enum loss loss);
void crew_process_condemn(struct crew *crew, struct crew_process *worker, const char *verdict);

/* crew_send.c: crew_process_give assigns a task to an idle worker, crew_process_send sends as much of it as
 * possible without blocking, and crew_process_has_order returns whether all of it was sent. */
void crew_process_give(struct crew *crew, struct crew_process *worker, struct task *task);
void crew_process_send(struct crew *crew, struct crew_process *worker);
bool crew_process_has_order(const struct crew_process *worker);

/* crew_receive.c: handles the next frame if all of it has arrived. */
void crew_process_receive(struct crew *crew, struct crew_process *worker);

/* crew_watch.c: ends workers that take too long; call it often. */
void crew_process_watch(struct crew *crew);

#endif
