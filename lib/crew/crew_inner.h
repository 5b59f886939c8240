/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CREW_INNER_H
#define KITH_CREW_INNER_H

/* What the two sides of a crew, and the parent's tasks, share. */

#include <sys/types.h>

#include "crew/crew.h"

enum {
    FRAME_MAX = 64 * 1024,
    STARTS = 3, /* tries to start a worker, and of a task of which no item can be blamed */
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
struct page {
    _Atomic uint64_t progress, bytes;
    _Atomic uint32_t item; /* that it is at; CREW_WHOLE_TASK before the first */
};

/* The life of a worker: from the fork to its end. */
_Noreturn void crew_worker_run(const struct crew_job *job, int socket, struct page *page, pid_t parent);

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

/* NULL is fine. */
void crew_task_free(struct task *task);
size_t crew_task_loss_count(const struct task *task);
const struct crew_loss *crew_task_losses(const struct task *task);
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

#endif
