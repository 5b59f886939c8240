/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CREW_INNER_H
#define KITH_CREW_INNER_H

/* What the two sides of a crew, and the parent's tasks, share. */

#include <poll.h>
#include <sys/types.h>
#include <time.h>

#include "crew/crew.h"

enum {
    TICK_MS = 100,
    FRAME_MAX = 64 * 1024,
    JUDGE_STEP = 4 * FRAME_MAX, /* bytes of a result before it is judged for the first time */
    STARTS = 3,                 /* tries to start a worker, and of a task of which no item can be blamed */
    EXIT_NO_MEMORY = 9,
};

/* What a worker sends. */
enum kind {
    STARTED, /* and an unsigned: what the sandbox lacks */
    FAILED,  /* and the message */
    DATA,
    DONE, /* and a uint64_t: the bytes of all DATA of the task */
};

struct head {
    uint32_t kind, len;
};

struct frame {
    struct head head;
    char data[FRAME_MAX];
};

/* What a worker is sent: this, the items to leave out by number, the task. */
struct order {
    uint64_t len;
    uint32_t left_out, fd_count;
};

/* Memory that a worker shares with the parent; it may write anything there at any time. */
struct crew_page {
    _Atomic uint64_t progress, bytes;
    _Atomic uint32_t item; /* that it is at; CREW_WHOLE_TASK before the first */
};

/* The life of a worker: from the fork to its end. */
_Noreturn void crew_worker_run(const struct crew_job *job, int socket, struct crew_page *page, pid_t parent);

/* ---- tasks, at the parent ---- */

enum task_state { WAITING, WORKED_ON, FINISHED };

struct task {
    struct task *next;
    uint64_t tag;
    enum task_state state;
    int fds[CREW_MAX_FDS];
    unsigned fd_count;
    unsigned failures;   /* for which no item can be blamed */
    int64_t cpu, waited; /* nanoseconds that the tries before this one took */
    uint32_t items;
    uint64_t seconds, most;
    struct buffer suspects; /* uint32_t: items that killed a worker once */
    struct buffer losses;   /* struct crew_loss, by item */
    struct buffer result;
    size_t judge_at;      /* so many bytes of it are there when it is judged the next time */
    struct buffer accept; /* the state of the job's accept */
    size_t len;
    char data[];
};

/* A copy, waiting, with accept_size bytes for the job's accept; the descriptors are moved.  NULL without
 * memory. */
struct task *crew_task_new(const struct crew_task *given, size_t accept_size);
/* NULL is fine. */
void crew_task_free(struct task *task);
size_t crew_task_loss_count(const struct task *task);
const struct crew_loss *crew_task_losses(const struct task *task);
/* What is there of its result; valid for as long as nothing is added. */
struct crew_result crew_task_result(const struct task *task);
/* It is done: its descriptors are closed. */
void crew_task_finish(struct task *task);
/* Why a worker was lost. */
enum loss {
    DIED,
    TIMED_OUT, /* at one item */
    OFFENDED,  /* it sent what it must not: what it says of the item is doubtful, too */
    EXHAUSTED, /* the time of the whole task */
};

/*
 * What a worker that was lost sent for it is dropped, and it waits for another one.  item: what the worker
 * said that it was at, which may be anything.  The item is tried once more, or given up, or all of the task
 * is: the number of tries is at most twice that of the items, and three.
 */
void crew_task_retry(struct task *task, uint32_t item, const char *reason, enum loss loss);

/* ---- workers, at the parent ---- */

#define CREW_SECOND ((int64_t)1000000000) /* nanoseconds */

/* A worker at the parent. */
struct crew_process {
    pid_t pid; /* 0: there is none */
    int socket;
    struct crew_page *page;
    bool started;
    struct task *task;   /* that it works on */
    struct buffer order; /* what goes ahead of the task's data */
    size_t sent;         /* of both */
    size_t received;     /* in `in` */
    struct frame in;
    uint64_t progress;   /* when it was last seen to move */
    int64_t cpu;         /* nanoseconds, at that time */
    int64_t waited;      /* since then */
    int64_t task_cpu;    /* nanoseconds when it was given its task, or started */
    int64_t task_waited; /* since then */
    bool held;           /* its messages are not read at present */
    char verdict[80];    /* why it was killed */
};

struct crew {
    struct crew_job job;
    size_t depth, count;
    struct task *oldest, **end;
    struct task *popped;
    unsigned missing;
    unsigned failed_starts; /* in a row */
    unsigned time_outs;     /* of items, */
    unsigned exhausted;     /* and tasks */
    int64_t watched;        /* when */
    bool complete;          /* all workers have started once */
    bool failed;
    struct error failure;
    struct pollfd *polled;
    unsigned worker_count;
    struct crew_process workers[];
};

/* The crew as a whole can do no more; the first reason is kept. */
void crew_process_fail(struct crew *crew, const char *text);

/* Nanoseconds of a clock, and of CPU time; 0 if that is not known. */
int64_t crew_process_clock(clockid_t clock);
int64_t crew_process_cpu(pid_t pid);
/* Its time without progress begins now; and so does that of its task. */
void crew_process_forget(struct crew_process *worker);
void crew_process_forget_task(struct crew_process *worker);

/* Whether children that are forked from now on have its page, too. */
void crew_process_share(const struct crew_process *worker, bool share);
/* Starts one; a failure counts as one of the crew's STARTS in a row, and those are what not_started counts.
 */
void crew_process_fork(struct crew *crew, struct crew_process *worker);
void crew_process_not_started(struct crew *crew, const char *text);
/* Kills it if it is alive; reason: why it ended, at most size bytes. */
void crew_process_end(struct crew_process *worker, char *reason, size_t size);
/* It has ended, or has to: its task is tried again or given up.  condemn: because it offended. */
void crew_process_lost(struct crew *crew, struct crew_process *worker, enum loss loss);
void crew_process_condemn(struct crew *crew, struct crew_process *worker, const char *verdict);

/* crew_send.c: gives it a task, of which as much is sent as goes at once; whether all of it was sent. */
void crew_process_give(struct crew *crew, struct crew_process *worker, struct task *task);
void crew_process_send(struct crew *crew, struct crew_process *worker);
bool crew_process_has_order(const struct crew_process *worker);

/* crew_receive.c: takes the next frame, if all of it has come. */
void crew_process_receive(struct crew *crew, struct crew_process *worker);

/* crew_watch.c: ends workers that take too long; to be called often. */
void crew_process_watch(struct crew *crew);

#endif
