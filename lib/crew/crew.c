/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "crew/crew_inner.h"
#include "crew/sandbox.h"

enum {
    TICK_MS = 100,
    MOST_HALVINGS = 8,  /* of the time that an item gets, */
    TASK_HALVINGS = 4,  /* and a task */
    START_TIMES = 15,   /* an item's time, for a start */
    LEAST_WAIT_S = 300, /* of time without an answer */
    STANDSTILL_S = 10,  /* of time asleep */
};

/* Results of tasks that wait for older ones: beyond that only the worker at the oldest task is listened to.
 */
static const size_t HELD_MAX = (size_t)256 << 20;
static const size_t JUDGE_STEP = 4 * FRAME_MAX;
static const int64_t SECOND = 1000000000;

struct worker {
    pid_t pid; /* 0: there is none */
    int socket;
    struct page *page;
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
    bool held;           /* nobody listens to it for now */
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
    struct worker workers[];
};

/* ---- workers ---- */

static void fail(struct crew *crew, const char *text)
{
    if (!crew->failed)
        error_set(&crew->failure, "%s", text);
    crew->failed = true;
}

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec now;

    if (clock_gettime(clock, &now))
        return 0;
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

static int64_t cpu_time(pid_t pid)
{
    clockid_t clock;

    return clock_getcpuclockid(pid, &clock) ? 0 : nanoseconds(clock);
}

static void forget_time(struct worker *worker)
{
    worker->progress = atomic_load(&worker->page->progress);
    worker->cpu = cpu_time(worker->pid);
    worker->waited = 0;
}

static void forget_task_time(struct worker *worker)
{
    forget_time(worker);
    worker->task_cpu = worker->cpu;
    worker->task_waited = 0;
}

/* The memory of the others, of any crew, is none of a worker's business: no child has it but its own.  Should
 * the kernel refuse, one that was taken over can only have others stopped that are not to blame. */
static void share_page(const struct worker *worker, bool share)
{
    madvise(worker->page, sizeof *worker->page, share ? MADV_DOFORK : MADV_DONTFORK);
}

static void start_failed(struct crew *crew, const char *text)
{
    if (++crew->failed_starts == STARTS)
        fail(crew, text);
}

static void worker_fork(struct crew *crew, struct worker *worker)
{
    const pid_t parent = getpid();
    int pair[2];
    struct error err;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        error_errno(&err, "cannot make a socket");
        start_failed(crew, err.text);
        return;
    }
    share_page(worker, true);
    worker->pid = fork();
    if (worker->pid == 0)
        crew_worker_run(&crew->job, pair[1], worker->page, parent);
    share_page(worker, false);
    if (worker->pid < 0) {
        error_errno(&err, "cannot start a process");
        start_failed(crew, err.text);
        close(pair[0]);
        worker->pid = 0;
    } else {
        worker->socket = pair[0];
        forget_task_time(worker);
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

/* Kills it if it is alive.  One that is dying already keeps the cause that it dies of. */
static void worker_end(struct worker *worker, char *reason, size_t size)
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

/* The time of an item that got on with nothing has a limit of its own. */
static void charge(struct task *task, const struct worker *worker, enum loss loss)
{
    const bool timed_out = loss == TIMED_OUT;

    task->cpu += (timed_out ? worker->cpu : cpu_time(worker->pid)) - worker->task_cpu;
    task->waited += worker->task_waited - (timed_out ? worker->waited : 0);
}

static void worker_lost(struct crew *crew, struct worker *worker, enum loss loss)
{
    const bool started = worker->started;
    struct task *task = worker->task;
    char reason[sizeof worker->verdict];

    if (task)
        charge(task, worker, loss);
    worker_end(worker, reason, sizeof reason);
    worker->task = NULL;
    crew->time_outs += loss == TIMED_OUT;
    crew->exhausted += loss == EXHAUSTED;
    if (!started)
        start_failed(crew, reason);
    if (!task)
        return;
    crew_task_retry(task, atomic_load(&worker->page->item), reason, loss);
    if (task->losses.failed || task->suspects.failed)
        fail(crew, "out of memory");
}

static void worker_condemn(struct crew *crew, struct worker *worker, const char *verdict)
{
    snprintf(worker->verdict, sizeof worker->verdict, "%s", verdict);
    worker_lost(crew, worker, OFFENDED);
}

/* ---- tasks to workers ---- */

static unsigned parts_to_send(struct worker *worker, struct iovec *parts)
{
    const size_t ahead = worker->order.len;
    struct task *task = worker->task;
    unsigned count = 0;

    if (worker->sent < ahead)
        parts[count++] = (struct iovec){worker->order.data + worker->sent, ahead - worker->sent};
    if (task->len > 0) {
        const size_t done = worker->sent > ahead ? worker->sent - ahead : 0;

        parts[count++] = (struct iovec){task->data + done, task->len - done};
    }
    return count;
}

static bool worker_has_order(const struct worker *worker)
{
    return worker->sent == worker->order.len + worker->task->len;
}

static ssize_t send_part(struct worker *worker)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(CREW_MAX_FDS * sizeof(int))];
    } control = {.room = {0}};
    const size_t len = worker->task->fd_count * sizeof(int);
    struct iovec parts[2];
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = parts_to_send(worker, parts)};

    if (worker->sent == 0 && len > 0) {
        control.head =
            (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(len)};
        memcpy(CMSG_DATA(&control.head), worker->task->fds, len);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(len);
    }
    return sendmsg(worker->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* As much as goes at once.  That a worker has died is learnt when it is read from. */
static void worker_send(struct crew *crew, struct worker *worker)
{
    char verdict[sizeof worker->verdict];

    while (!worker_has_order(worker)) {
        ssize_t sent = send_part(worker);

        if (sent >= 0) {
            worker->sent += (size_t)sent;
            continue;
        }
        if (errno == EINTR)
            continue;
        /* ETOOMANYREFS: too many descriptors are on their way, all in all. */
        if (errno != EAGAIN && errno != EPIPE && errno != ECONNRESET && errno != ETOOMANYREFS) {
            snprintf(verdict, sizeof verdict, "the task cannot be sent: %s", strerror(errno));
            worker_condemn(crew, worker, verdict);
        }
        return;
    }
}

static void worker_give(struct crew *crew, struct worker *worker, struct task *task)
{
    const struct crew_loss *losses = crew_task_losses(task);
    struct order order = {task->len, (uint32_t)crew_task_loss_count(task), task->fd_count};

    buffer_reset(&worker->order);
    buffer_add(&worker->order, &order, sizeof order);
    for (size_t i = 0; i < crew_task_loss_count(task); i++)
        buffer_add(&worker->order, &losses[i].item, sizeof losses[i].item);
    if (worker->order.failed) {
        fail(crew, "out of memory");
        return;
    }
    if (task->accept.len)
        memset(task->accept.data, 0, task->accept.len);
    task->judge_at = JUDGE_STEP;
    task->state = WORKED_ON;
    worker->task = task;
    worker->sent = 0;
    atomic_store(&worker->page->item, CREW_WHOLE_TASK);
    forget_task_time(worker);
    worker_send(crew, worker);
}

/* The oldest first, so one that is to be done again comes before the others. */
static void hand_out(struct crew *crew)
{
    struct task *task = crew->oldest;

    for (unsigned i = 0; i < crew->worker_count && !crew->failed; i++) {
        struct worker *worker = &crew->workers[i];

        if (!worker->started || worker->task)
            continue;
        while (task && task->state != WAITING)
            task = task->next;
        if (!task)
            return;
        worker_give(crew, worker, task);
    }
}

/* ---- results from workers ---- */

static bool take_start(struct crew *crew, struct worker *worker, size_t len)
{
    unsigned missing;

    if (worker->started || len != sizeof missing)
        return false;
    memcpy(&missing, worker->in.data, sizeof missing);
    crew->missing |= missing & (SANDBOX_NO_LANDLOCK | SANDBOX_NO_SECCOMP);
    crew->failed_starts = 0;
    worker->started = true;
    return true;
}

/* A worker that cannot start says so, and that is final when the crew is new. */
static bool take_failure(struct crew *crew, struct worker *worker, size_t len)
{
    char reason[sizeof worker->verdict];
    struct error err;

    if (worker->started)
        return false;
    error_set(&err, "%.*s", (int)len, worker->in.data);
    worker_end(worker, reason, sizeof reason);
    if (!crew->complete)
        fail(crew, err.text);
    start_failed(crew, err.text);
    return true;
}

static struct crew_result result_of(const struct task *task)
{
    return (struct crew_result){.tag = task->tag,
                                .task = task->data,
                                .task_len = task->len,
                                .data = task->result.data,
                                .len = task->result.len,
                                .losses = crew_task_losses(task),
                                .loss_count = crew_task_loss_count(task)};
}

/* False: the worker was killed for what it sent. */
static bool judge(struct crew *crew, struct worker *worker, bool complete)
{
    const struct crew_job *job = &crew->job;
    const struct crew_result result = result_of(worker->task);

    if (!job->accept || job->accept(job->accept_arg, worker->task->accept.data, &result, complete))
        return true;
    worker_condemn(crew, worker, "invalid result from the worker");
    return false;
}

/* It is judged now and then as it comes, so that nobody has to hold much of what is worth nothing: whenever
 * it has become larger by half, since a message that is not complete is looked at again. */
static bool take_data(struct crew *crew, struct worker *worker, size_t len)
{
    struct task *task = worker->task;

    if (!task || task->state != WORKED_ON)
        return false;
    if (len > task->most || task->result.len > task->most - len) {
        worker_condemn(crew, worker, "the worker sent more than its task can give");
        return true;
    }
    buffer_add(&task->result, worker->in.data, len);
    if (task->result.failed)
        fail(crew, "out of memory");
    if (task->result.len < task->judge_at || !judge(crew, worker, false))
        return true;
    task->judge_at = task->result.len + task->result.len / 2;
    return true;
}

/* Whatever was lost on the way, or is left out, is missed: the worker counts, too. */
static bool take_end(struct crew *crew, struct worker *worker, size_t len)
{
    uint64_t sent;

    if (!worker->task || !worker_has_order(worker) || len != sizeof sent)
        return false;
    memcpy(&sent, worker->in.data, sizeof sent);
    if (sent != worker->task->result.len)
        return false;
    if (judge(crew, worker, true)) {
        crew_task_finish(worker->task);
        worker->task = NULL;
    }
    return true;
}

/* False if it breaks the protocol. */
static bool take_frame(struct crew *crew, struct worker *worker)
{
    const struct head *head = &worker->in.head;

    if (head->len > FRAME_MAX)
        return false;
    switch (head->kind) {
    case STARTED:
        return take_start(crew, worker, head->len);
    case FAILED:
        return take_failure(crew, worker, head->len);
    case DATA:
        return take_data(crew, worker, head->len);
    case DONE:
        return take_end(crew, worker, head->len);
    default:
        return false;
    }
}

static size_t frame_len(const struct worker *worker)
{
    const size_t head = sizeof worker->in.head;

    return worker->received < head ? head : head + worker->in.head.len;
}

/* Receives what there is of the next frame: 1 if that is all of it, 0 if not yet, -1 if no more will come. */
static int receive_frame(struct worker *worker)
{
    while (worker->received < sizeof worker->in.head ||
           (worker->in.head.len <= FRAME_MAX && worker->received < frame_len(worker))) {
        ssize_t got = recv(worker->socket, (char *)&worker->in + worker->received,
                           frame_len(worker) - worker->received, MSG_DONTWAIT);

        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return 0;
        if (got <= 0)
            return -1;
        worker->received += (size_t)got;
    }
    worker->received = 0;
    return 1;
}

static void worker_receive(struct crew *crew, struct worker *worker)
{
    const int result = receive_frame(worker);

    if (result < 0)
        worker_lost(crew, worker, DIED);
    else if (result > 0 && !take_frame(crew, worker))
        worker_condemn(crew, worker, "the worker broke the protocol");
}

/* ---- time ---- */

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
static bool is_exhausted(const struct crew *crew, struct worker *worker)
{
    const struct task *task = worker->task;
    const unsigned halvings = crew->exhausted < TASK_HALVINGS ? crew->exhausted : TASK_HALVINGS;
    const uint64_t all = task ? task->seconds : START_TIMES * (uint64_t)crew->job.seconds;
    const uint64_t seconds = all >> halvings, wait = seconds * crew->job.patience;
    const int64_t cpu = (task ? task->cpu : 0) + cpu_time(worker->pid) - worker->task_cpu;
    const int64_t waited = (task ? task->waited : 0) + worker->task_waited;

    if (cpu > 0 && (uint64_t)(cpu / SECOND) >= seconds)
        snprintf(worker->verdict, sizeof worker->verdict,
                 "the worker was stopped after %" PRIu64 " s of CPU time for one task", seconds);
    else if ((uint64_t)(waited / SECOND) >= wait)
        snprintf(worker->verdict, sizeof worker->verdict,
                 "the worker was stopped after %" PRIu64 " s for one task", wait);
    else
        return false;
    return true;
}

static void worker_watch(struct crew *crew, struct worker *worker, int64_t passed)
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
        worker_lost(crew, worker, EXHAUSTED);
        return;
    }
    if (worker->progress != atomic_load(&worker->page->progress)) {
        forget_time(worker);
        return;
    }
    if (!worker->held)
        worker->waited += passed;
    if (cpu_time(worker->pid) - worker->cpu > seconds * SECOND)
        snprintf(worker->verdict, sizeof worker->verdict,
                 "the worker was stopped after %u s of CPU time without progress", seconds);
    else if (worker->waited > wait * SECOND ||
             (worker->waited > STANDSTILL_S * SECOND && is_asleep(worker->pid)))
        snprintf(worker->verdict, sizeof worker->verdict, "the worker does not answer");
    else
        return;
    worker_lost(crew, worker, TIMED_OUT);
}

/*
 * When nobody looked for a while, because the parent was busy or stopped, a worker may have been done long
 * ago: then what it sent is read first, and it is judged next time.
 */
static void watch(struct crew *crew)
{
    const int64_t now = nanoseconds(CLOCK_MONOTONIC), passed = now - crew->watched;

    if (passed < TICK_MS * (SECOND / 1000))
        return;
    crew->watched = now;
    if (passed > SECOND)
        return;
    for (unsigned i = 0; i < crew->worker_count; i++) {
        struct worker *worker = &crew->workers[i];

        if (worker->pid && (!worker->started || worker->task))
            worker_watch(crew, worker, passed);
    }
}

/* ---- the crew ---- */

/* Memory is bounded: by what is held for tasks that have to wait, and what one task may give. */
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
        struct worker *worker = &crew->workers[i];
        const bool more = worker->task && !worker_has_order(worker);

        worker->held = much && worker->task && worker->task != crew->oldest;
        crew->polled[i] = (struct pollfd){.fd = worker->pid && !worker->held ? worker->socket : -1,
                                          .events = (short)(more ? POLLIN | POLLOUT : POLLIN)};
    }
    if (poll(crew->polled, crew->worker_count, milliseconds) < 0)
        for (unsigned i = 0; i < crew->worker_count; i++)
            crew->polled[i].revents = 0;
}

/* One round of all that there is to do. */
static void serve(struct crew *crew, int milliseconds)
{
    for (unsigned i = 0; i < crew->worker_count && !crew->failed; i++)
        if (!crew->workers[i].pid)
            worker_fork(crew, &crew->workers[i]);
    if (crew->failed)
        return;
    await(crew, milliseconds);
    for (unsigned i = 0; i < crew->worker_count; i++) {
        struct worker *worker = &crew->workers[i];
        const short events = crew->polled[i].revents;

        if ((events & POLLOUT) && worker->task)
            worker_send(crew, worker);
        if ((events & ~POLLOUT) && worker->pid)
            worker_receive(crew, worker);
    }
    watch(crew);
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
        struct page *page =
            mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        if (page == MAP_FAILED)
            return error_errno(err, "cannot share memory with a worker");
        crew->workers[crew->worker_count].page = page;
        share_page(&crew->workers[crew->worker_count], false);
    }
    return 0;
}

struct crew *crew_new(const struct crew_job *job, unsigned workers, struct error *err)
{
    struct crew *crew = calloc(1, sizeof *crew + workers * sizeof *crew->workers);

    if (crew)
        crew->polled = calloc(workers, sizeof *crew->polled);
    if (!crew || !crew->polled) {
        error_set(err, "out of memory");
        free(crew);
        return NULL;
    }
    crew->job = *job;
    crew->depth = 4 * (size_t)workers + 4;
    crew->end = &crew->oldest;
    crew->watched = nanoseconds(CLOCK_MONOTONIC);
    if (map_pages(crew, workers, err)) {
        crew_free(crew);
        return NULL;
    }
    while (!crew->failed && !all_started(crew))
        serve(crew, TICK_MS);
    crew->complete = true;
    if (crew->failed) {
        error_set(err, "%s", crew->failure.text);
        crew_free(crew);
        return NULL;
    }
    return crew;
}

void crew_free(struct crew *crew)
{
    if (!crew)
        return;
    for (unsigned i = 0; i < crew->worker_count; i++) {
        struct worker *worker = &crew->workers[i];
        char reason[sizeof worker->verdict];

        if (worker->pid)
            worker_end(worker, reason, sizeof reason);
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

static struct task *task_new(const struct crew_task *given, size_t accept_size)
{
    struct task *task = malloc(sizeof *task + given->len);

    if (!task)
        return NULL;
    *task = (struct task){.tag = given->tag,
                          .len = given->len,
                          .fd_count = given->fd_count,
                          .items = given->items,
                          .seconds = given->seconds,
                          .most = given->most};
    if (accept_size > 0 && !buffer_extend(&task->accept, accept_size)) {
        free(task);
        return NULL;
    }
    if (given->len > 0)
        memcpy(task->data, given->data, given->len);
    if (given->fd_count > 0)
        memcpy(task->fds, given->fds, given->fd_count * sizeof *given->fds);
    return task;
}

int crew_push(struct crew *crew, const struct crew_task *task, struct error *err)
{
    struct task *added;

    assert(!crew_full(crew) && task->fd_count <= CREW_MAX_FDS);
    forget_popped(crew);
    added = task_new(task, crew->job.accept_size);
    if (!added) {
        for (unsigned i = 0; i < task->fd_count; i++)
            close(task->fds[i]);
        return error_set(err, "out of memory");
    }
    *crew->end = added;
    crew->end = &added->next;
    crew->count++;
    serve(crew, 0); /* if it fails, so will crew_pop */
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
        return error_set(err, "it was stopped");
    if (crew->oldest->state != FINISHED)
        return error_set(err, "%s", crew->failure.text);
    task = take_oldest(crew);
    crew->popped = task;
    *result = result_of(task);
    return 1;
}

uint64_t crew_bytes(const struct crew *crew)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < crew->worker_count; i++)
        sum += atomic_load_explicit(&crew->workers[i].page->bytes, memory_order_relaxed);
    return sum;
}
