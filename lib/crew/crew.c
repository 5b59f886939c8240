/* SPDX-License-Identifier: Apache-2.0 */
#include "crew/crew.h"

#include <assert.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "crew/crew_inner.h"

/* Limit on results that wait for older tasks: beyond it only the worker on the oldest task is read from. */
static const size_t HELD_MAX = (size_t)256 << 20;

/* Oldest task first, so a retry precedes all others. */
static void hand_out(struct crew *crew)
{
    struct task *task = crew->oldest;

    for (unsigned i = 0; i < crew->worker_count && !crew->failed; i++) {
        struct crew_process *worker = &crew->workers[i];

        if (!worker->started || worker->task)
            continue;
        while (task && task->state != WAITING)
            task = task->next;
        if (!task)
            return;
        crew_process_give(crew, worker, task);
    }
}

/* Bounds memory to HELD_MAX plus the largest result of one task. */
static bool holds_much(const struct crew *crew)
{
    size_t held = 0;

    for (const struct task *task = crew->oldest; task; task = task->next)
        held += task->result.len;
    return held > HELD_MAX;
}

static void await(struct crew *crew, int milliseconds)
{
    const bool much = holds_much(crew);

    for (unsigned i = 0; i < crew->worker_count; i++) {
        struct crew_process *worker = &crew->workers[i];
        const bool more = worker->task && !crew_process_has_order(worker);

        worker->held = much && worker->task && worker->task != crew->oldest;
        crew->polled[i] = (struct pollfd){.fd = worker->pid && !worker->held ? worker->socket : -1,
                                          .events = (short)(more ? POLLIN | POLLOUT : POLLIN)};
    }
    if (poll(crew->polled, crew->worker_count, milliseconds) < 0)
        for (unsigned i = 0; i < crew->worker_count; i++)
            crew->polled[i].revents = 0;
}

/* Does one round of everything. */
static void serve(struct crew *crew, int milliseconds)
{
    for (unsigned i = 0; i < crew->worker_count && !crew->failed; i++)
        if (!crew->workers[i].pid)
            crew_process_fork(crew, &crew->workers[i]);
    if (crew->failed)
        return;
    await(crew, milliseconds);
    for (unsigned i = 0; i < crew->worker_count; i++) {
        struct crew_process *worker = &crew->workers[i];
        const short events = crew->polled[i].revents;

        if ((events & POLLOUT) && worker->task)
            crew_process_send(crew, worker);
        if ((events & ~POLLOUT) && worker->pid)
            crew_process_receive(crew, worker);
    }
    crew_process_watch(crew);
    hand_out(crew);
}

static bool all_started(const struct crew *crew)
{
    for (unsigned i = 0; i < crew->worker_count; i++)
        if (!crew->workers[i].started)
            return false;
    return true;
}

static int map_pages(struct crew *crew, unsigned workers, struct error *err)
{
    for (; crew->worker_count < workers; crew->worker_count++) {
        struct crew_page *page =
            mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        if (page == MAP_FAILED)
            return error_errno(err, "cannot share memory with a worker");
        crew->workers[crew->worker_count].page = page;
        crew_process_share(&crew->workers[crew->worker_count], false);
    }
    return 0;
}

static int start_all(struct crew *crew, struct error *err)
{
    while (!crew->failed && !all_started(crew))
        serve(crew, TICK_MS);
    crew->complete = true;
    return crew->failed ? error_set(err, "%s", crew->failure.text) : 0;
}

struct crew *crew_new(const struct crew_job *job, unsigned workers, struct error *err)
{
    struct crew *crew = memory_new(sizeof *crew + workers * sizeof *crew->workers, err);

    if (!crew)
        return NULL;
    crew->job = *job;
    crew->depth = 4 * (size_t)workers + 4;
    crew->end = &crew->oldest;
    crew->watched = crew_process_clock(CLOCK_MONOTONIC);
    crew->polled = memory_new(workers * sizeof *crew->polled, err);
    if (crew->polled && map_pages(crew, workers, err) == 0 && start_all(crew, err) == 0)
        return crew;
    crew_free(crew);
    return NULL;
}

void crew_free(struct crew *crew)
{
    if (!crew)
        return;
    for (unsigned i = 0; i < crew->worker_count; i++) {
        struct crew_process *worker = &crew->workers[i];
        char reason[sizeof worker->verdict];

        if (worker->pid)
            crew_process_end(worker, reason, sizeof reason);
        buffer_release(&worker->order);
        munmap(worker->page, sizeof *worker->page);
    }
    while (crew->oldest) {
        struct task *task = crew->oldest;

        crew->oldest = task->next;
        crew_task_free(task);
    }
    crew_task_free(crew->popped);
    free(crew->polled);
    free(crew);
}

unsigned crew_missing(const struct crew *crew)
{
    return crew->missing;
}

bool crew_full(const struct crew *crew)
{
    return crew->count >= crew->depth;
}

bool crew_empty(const struct crew *crew)
{
    return crew->count == 0;
}

static void forget_popped(struct crew *crew)
{
    crew_task_free(crew->popped);
    crew->popped = NULL;
}

int crew_push(struct crew *crew, const struct crew_task *task, struct error *err)
{
    struct task *added;

    assert(!crew_full(crew) && task->fd_count <= CREW_MAX_FDS);
    forget_popped(crew);
    added = crew_task_new(task, crew->job.accept_size);
    if (!added) {
        for (unsigned i = 0; i < task->fd_count; i++)
            close(task->fds[i]);
        return error_set(err, "out of memory");
    }
    *crew->end = added;
    crew->end = &added->next;
    crew->count++;
    serve(crew, 0); /* crew_pop reports failures */
    return 0;
}

static struct task *take_oldest(struct crew *crew)
{
    struct task *task = crew->oldest;

    crew->oldest = task->next;
    if (!crew->oldest)
        crew->end = &crew->oldest;
    crew->count--;
    return task;
}

static bool is_stopped(const struct crew *crew)
{
    return crew->job.stop && atomic_load(crew->job.stop);
}

int crew_pop(struct crew *crew, struct crew_result *result, struct error *err)
{
    struct task *task;

    forget_popped(crew);
    if (!crew->oldest)
        return 0;
    while (crew->oldest->state != FINISHED && !crew->failed && !is_stopped(crew)) {
        if (crew->job.idle)
            crew->job.idle(crew->job.idle_arg);
        serve(crew, TICK_MS);
    }
    if (is_stopped(crew))
        return error_set(err, "stopped");
    if (crew->oldest->state != FINISHED)
        return error_set(err, "%s", crew->failure.text);
    task = take_oldest(crew);
    crew->popped = task;
    *result = crew_task_result(task);
    return 1;
}

uint64_t crew_bytes(const struct crew *crew)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < crew->worker_count; i++)
        sum += atomic_load_explicit(&crew->workers[i].page->bytes, memory_order_relaxed);
    return sum;
}
