/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "crew/crew_inner.h"

/* Whether workers get on: the time that they take for an item, and for a task. */

enum {
    MOST_HALVINGS = 8,  /* of the time that an item gets, */
    TASK_HALVINGS = 4,  /* and a task */
    START_TIMES = 15,   /* an item's time, for a start */
    LEAST_WAIT_S = 300, /* of time without an answer */
    STANDSTILL_S = 10,  /* of time asleep */
};

/*
 * A worker with a task reads from files and the parent reads from it: if it sleeps, and does not wait for a
 * disk, it waits for itself, as libtsk does for its own locks.
 */
static bool is_asleep(pid_t pid)
{
    char path[40], text[256] = "";
    const char *end;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return false;
    if (!fgets(text, sizeof text, file))
        text[0] = '\0';
    fclose(file);
    end = strrchr(text, ')'); /* of the program's name */
    return end && strncmp(end, ") S", 3) == 0;
}

/*
 * Progress is what the worker says it is, so all of a task has a limit besides.  It is for workers that were
 * taken over: what reads and compares at a thousandth of the usual speed is still far from it.
 */
static bool is_exhausted(const struct crew *crew, struct crew_process *worker)
{
    const struct task *task = worker->task;
    const unsigned halvings = crew->exhausted < TASK_HALVINGS ? crew->exhausted : TASK_HALVINGS;
    const uint64_t all = task ? task->seconds : START_TIMES * (uint64_t)crew->job.seconds;
    const uint64_t seconds = all >> halvings, wait = seconds * crew->job.patience;
    const int64_t cpu = (task ? task->cpu : 0) + crew_process_cpu(worker->pid) - worker->task_cpu;
    const int64_t waited = (task ? task->waited : 0) + worker->task_waited;

    if (cpu > 0 && (uint64_t)(cpu / CREW_SECOND) >= seconds)
        snprintf(worker->verdict, sizeof worker->verdict,
                 "the worker was stopped after %" PRIu64 " s of CPU time for one task", seconds);
    else if ((uint64_t)(waited / CREW_SECOND) >= wait)
        snprintf(worker->verdict, sizeof worker->verdict,
                 "the worker was stopped after %" PRIu64 " s for one task", wait);
    else
        return false;
    return true;
}

static void process_watch(struct crew *crew, struct crew_process *worker, int64_t passed)
{
    const unsigned most = crew->job.seconds;
    /* An image on which everything hangs must end too: each time-out halves what the next one gets. */
    const unsigned halvings = crew->time_outs < MOST_HALVINGS ? crew->time_outs : MOST_HALVINGS;
    const unsigned seconds = most >> halvings > 0 ? most >> halvings : 1;
    const int64_t all = (int64_t)most * crew->job.patience,
                  wait = (all > LEAST_WAIT_S ? all : LEAST_WAIT_S) >> halvings;

    if (worker->held) /* it waits for the parent */
        worker->waited = 0;
    else
        worker->task_waited += passed;
    if (is_exhausted(crew, worker)) {
        crew_process_lost(crew, worker, EXHAUSTED);
        return;
    }
    if (worker->progress != atomic_load(&worker->page->progress)) {
        crew_process_forget(worker);
        return;
    }
    if (!worker->held)
        worker->waited += passed;
    if (crew_process_cpu(worker->pid) - worker->cpu > seconds * CREW_SECOND)
        snprintf(worker->verdict, sizeof worker->verdict,
                 "the worker was stopped after %u s of CPU time without progress", seconds);
    else if (worker->waited > wait * CREW_SECOND ||
             (worker->waited > STANDSTILL_S * CREW_SECOND && is_asleep(worker->pid)))
        snprintf(worker->verdict, sizeof worker->verdict, "the worker does not answer");
    else
        return;
    crew_process_lost(crew, worker, TIMED_OUT);
}

/*
 * When nobody looked for a while, because the parent was busy or stopped, a worker may have been done long
 * ago: then what it sent is read first, and it is judged next time.
 */
void crew_process_watch(struct crew *crew)
{
    const int64_t now = crew_process_clock(CLOCK_MONOTONIC), passed = now - crew->watched;

    if (passed < TICK_MS * (CREW_SECOND / 1000))
        return;
    crew->watched = now;
    if (passed > CREW_SECOND)
        return;
    for (unsigned i = 0; i < crew->worker_count; i++) {
        struct crew_process *worker = &crew->workers[i];

        if (worker->pid && (!worker->started || worker->task))
            process_watch(crew, worker, passed);
    }
}
