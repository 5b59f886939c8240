/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crew/crew_inner.h"

/* The process of a worker, seen from the parent: from the fork to the end, and what that end means. */

void crew_process_fail(struct crew *crew, const char *text)
{
    if (!crew->failed)
        error_set(&crew->failure, "%s", text);
    crew->failed = true;
}

int64_t crew_process_clock(clockid_t clock)
{
    struct timespec now;

    if (clock_gettime(clock, &now))
        return 0;
    return (int64_t)now.tv_sec * CREW_SECOND + now.tv_nsec;
}

int64_t crew_process_cpu(pid_t pid)
{
    clockid_t clock;

    return clock_getcpuclockid(pid, &clock) ? 0 : crew_process_clock(clock);
}

void crew_process_forget(struct crew_process *worker)
{
    worker->progress = atomic_load(&worker->page->progress);
    worker->cpu = worker->cpu_seen = crew_process_cpu(worker->pid);
    worker->waited = worker->still = 0;
}

void crew_process_forget_task(struct crew_process *worker)
{
    crew_process_forget(worker);
    worker->task_cpu = worker->cpu;
    worker->task_waited = 0;
}

/* No worker inherits the page of another, of any crew.  Should the kernel refuse, the harm is limited: a
 * worker that was taken over could get innocent ones stopped. */
void crew_process_share(const struct crew_process *worker, bool share)
{
    madvise(worker->page, sizeof *worker->page, share ? MADV_DOFORK : MADV_DONTFORK);
}

void crew_process_not_started(struct crew *crew, const char *text)
{
    if (++crew->failed_starts == STARTS)
        crew_process_fail(crew, text);
}

void crew_process_fork(struct crew *crew, struct crew_process *worker)
{
    const pid_t parent = getpid();
    int pair[2];
    struct error err;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        error_errno(&err, "cannot create a socket");
        crew_process_not_started(crew, err.text);
        return;
    }
    crew_process_share(worker, true);
    worker->pid = fork();
    if (worker->pid == 0)
        crew_worker_run(&crew->job, pair[1], worker->page, parent);
    crew_process_share(worker, false);
    if (worker->pid < 0) {
        error_errno(&err, "cannot start a process");
        crew_process_not_started(crew, err.text);
        close(pair[0]);
        worker->pid = 0;
    } else {
        worker->socket = pair[0];
        crew_process_forget_task(worker);
    }
    close(pair[1]);
}

static void describe_end(char *text, size_t size, int status)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        snprintf(text, size, "the worker was stopped by the sandbox");
    else if (WIFSIGNALED(status))
        snprintf(text, size, "the worker died: %s", strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == EXIT_NO_MEMORY)
        snprintf(text, size, "the worker ran out of memory");
    else
        snprintf(text, size, "the worker died: exit status %d", WEXITSTATUS(status));
}

/* A process that is already dying keeps its own exit status. */
void crew_process_end(struct crew_process *worker, char *reason, size_t size)
{
    int status = SIGKILL;

    kill(worker->pid, SIGKILL);
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (worker->verdict[0])
        snprintf(reason, size, "%s", worker->verdict);
    else
        describe_end(reason, size, status);
    close(worker->socket);
    worker->pid = 0;
    worker->started = false;
    worker->received = 0;
    worker->verdict[0] = '\0';
}

/* Adds the time of this attempt to the task, except for time without progress, which has its own limit. */
static void charge(struct task *task, const struct crew_process *worker, enum loss loss)
{
    const bool timed_out = loss == TIMED_OUT;

    task->cpu += (timed_out ? worker->cpu : crew_process_cpu(worker->pid)) - worker->task_cpu;
    task->waited += worker->task_waited - (timed_out ? worker->waited : 0);
}

void crew_process_lost(struct crew *crew, struct crew_process *worker, enum loss loss)
{
    const bool started = worker->started;
    struct task *task = worker->task;
    char reason[sizeof worker->verdict];

    if (task)
        charge(task, worker, loss);
    crew_process_end(worker, reason, sizeof reason);
    worker->task = NULL;
    crew->time_outs += loss == TIMED_OUT;
    crew->exhausted += loss == EXHAUSTED;
    if (!started)
        crew_process_not_started(crew, reason);
    if (!task)
        return;
    crew_task_retry(task, atomic_load(&worker->page->item), atomic_load(&worker->page->step), reason, loss);
    if (task->losses.failed || task->suspects.failed)
        crew_process_fail(crew, "out of memory");
}

void crew_process_condemn(struct crew *crew, struct crew_process *worker, const char *verdict)
{
    snprintf(worker->verdict, sizeof worker->verdict, "%s", verdict);
    crew_process_lost(crew, worker, OFFENDED);
}
