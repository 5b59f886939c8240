/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "crew/crew_inner.h"

/* Time limits of workers: without progress, and per task. */

enum {
    MOST_HALVINGS = 8,  /* of the time limit of an item */
    TASK_HALVINGS = 4,  /* of the time limit of a task */
    START_TIMES = 15,   /* the limit for starting is this many times that of an item */
    LEAST_WAIT_S = 300, /* minimum elapsed time before a worker counts as hung */
    STANDSTILL_S = 10,  /* the same for a worker that is asleep and used no processor meanwhile */
};

/* Counts the time in which the worker used no processor, while it was not waiting for the parent. */
static void watch_cpu(struct crew_process *worker, int64_t cpu, int64_t passed)
{
    worker->still = worker->held || cpu != worker->cpu_seen ? 0 : worker->still + passed;
    worker->cpu_seen = cpu;
}

/*
 * A worker with a task only reads files, and the parent reads from it.  So if it sleeps (state S; waiting for
 * a disk is state D) it waits for itself, as libtsk does when it deadlocks on its own locks.
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
    end = strrchr(text, ')'); /* ends the program's name */
    return end && strncmp(end, ") S", 3) == 0;
}

/*
 * Progress is only what the worker claims, so the whole task has a limit, too.  It is aimed at workers that
 * were taken over: an honest one at a thousandth of the usual speed is still far from it.
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
    /* Each time-out halves the next limit, so that even an image where everything hangs comes to an end. */
    const unsigned halvings = crew->time_outs < MOST_HALVINGS ? crew->time_outs : MOST_HALVINGS;
    const unsigned seconds = most >> halvings > 0 ? most >> halvings : 1;
    const int64_t all = (int64_t)most * crew->job.patience,
                  wait = (all > LEAST_WAIT_S ? all : LEAST_WAIT_S) >> halvings;
    const int64_t cpu = crew_process_cpu(worker->pid);

    watch_cpu(worker, cpu, passed);
    if (worker->held) /* it is waiting for the parent */
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
    if (cpu - worker->cpu > seconds * CREW_SECOND)
        snprintf(worker->verdict, sizeof worker->verdict,
                 "the worker was stopped after %u s of CPU time without progress", seconds);
    else if (worker->waited > wait * CREW_SECOND ||
             (worker->still > STANDSTILL_S * CREW_SECOND && is_asleep(worker->pid)))
        snprintf(worker->verdict, sizeof worker->verdict, "the worker does not respond");
    else
        return;
    crew_process_lost(crew, worker, TIMED_OUT);
}

/*
 * If this was not called for a while, because the parent was busy or stopped, a worker may have finished long
 * ago.  Then its messages are read first, and its time is checked next time.
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
