/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "crew/crew_inner.h"
#include "crew/sandbox.h"

struct crew_worker {
    int socket;
    struct crew_page *page;
    const uint32_t *left_out;
    size_t left_out_count;
    const struct cut *cuts;
    size_t cut_count;
    uint32_t item; /* the current one */
    uint64_t sent; /* bytes of the task's result */
    struct frame out;
};

static int compare_items(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

bool crew_begin(struct crew_worker *worker, uint32_t item)
{
    if (worker->left_out_count > 0 &&
        bsearch(&item, worker->left_out, worker->left_out_count, sizeof item, compare_items))
        return false;
    worker->item = item;
    /* Before the item, or it would seem to be a step of the new one. */
    atomic_store_explicit(&worker->page->step, 0, memory_order_relaxed);
    atomic_store_explicit(&worker->page->item, item, memory_order_release);
    crew_progress(worker, 0);
    return true;
}

const char *crew_step(struct crew_worker *worker, uint32_t step)
{
    for (size_t i = 0; i < worker->cut_count; i++)
        if (worker->cuts[i].item == worker->item && worker->cuts[i].step <= step)
            return worker->cuts[i].reason;
    atomic_store_explicit(&worker->page->step, step, memory_order_release);
    return NULL;
}

/* Only this process writes them, so that adding need not be atomic. */
static void add(_Atomic uint64_t *sum, uint64_t more)
{
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + more, memory_order_relaxed);
}

void crew_progress(struct crew_worker *worker, uint64_t bytes)
{
    add(&worker->page->bytes, bytes);
    add(&worker->page->progress, 1);
}

/* Exits if the parent is gone. */
static void send_frame(struct crew_worker *worker, enum kind kind, size_t len)
{
    const char *next = (const char *)&worker->out;
    size_t left = sizeof worker->out.head + len;

    worker->out.head = (struct head){(uint32_t)kind, (uint32_t)len};
    while (left > 0) {
        ssize_t sent = send(worker->socket, next, left, MSG_NOSIGNAL);

        if (sent < 0 && errno != EINTR)
            _exit(EXIT_FAILURE);
        if (sent > 0) {
            next += sent;
            left -= (size_t)sent;
        }
    }
    worker->out.head.len = 0;
}

static void send_data(struct crew_worker *worker)
{
    worker->sent += worker->out.head.len;
    send_frame(worker, DATA, worker->out.head.len);
}

void crew_send(struct crew_worker *worker, const void *data, size_t len)
{
    const char *next = data;

    while (len > 0) {
        const size_t room = FRAME_MAX - worker->out.head.len, part = len < room ? len : room;

        memcpy(worker->out.data + worker->out.head.len, next, part);
        worker->out.head.len += (uint32_t)part;
        next += part;
        len -= part;
        if (worker->out.head.len == FRAME_MAX)
            send_data(worker);
    }
}

static void send_text(struct crew_worker *worker, enum kind kind, const void *data, size_t len)
{
    memcpy(worker->out.data, data, len);
    send_frame(worker, kind, len);
}

void crew_stream(struct crew_worker *worker, const void *data, size_t len)
{
    _Static_assert((int)CREW_STREAM_MAX <= (int)FRAME_MAX, "it must fit into a frame");
    if (worker->out.head.len > 0)
        send_data(worker);
    send_text(worker, STREAM, data, len);
}

_Noreturn void crew_give_up(void)
{
    _exit(EXIT_NO_MEMORY);
}

static void receive(const struct crew_worker *worker, void *to, size_t len)
{
    for (char *next = to; len > 0;) {
        ssize_t got = recv(worker->socket, next, len, MSG_WAITALL);

        if (got == 0 || (got < 0 && errno != EINTR))
            _exit(EXIT_FAILURE);
        if (got > 0) {
            next += got;
            len -= (size_t)got;
        }
    }
}

/* The descriptors arrive with the first byte. */
static void receive_order(const struct crew_worker *worker, struct order *order, int *fds)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(CREW_MAX_FDS * sizeof(int))];
    } control;
    struct iovec part = {order, sizeof *order};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *with;
    ssize_t got;

    do
        got = recvmsg(worker->socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        _exit(EXIT_FAILURE);
    with = CMSG_FIRSTHDR(&message);
    if (with && with->cmsg_type == SCM_RIGHTS)
        memcpy(fds, CMSG_DATA(with), with->cmsg_len - CMSG_LEN(0));
    receive(worker, (char *)order + got, sizeof *order - (size_t)got);
    if ((with ? with->cmsg_len - CMSG_LEN(0) : 0) !=
        order->fd_count * sizeof *fds) /* some are missing: too many open files */
        _exit(EXIT_FAILURE);
}

static void work_on_next(struct crew_worker *worker, const struct crew_job *job, void *state)
{
    struct order order = {0};
    int fds[CREW_MAX_FDS];
    uint32_t *left_out;
    struct cut *cuts;
    char *task;

    receive_order(worker, &order, fds);
    left_out = malloc(order.left_out * sizeof *left_out + 1);
    cuts = malloc(order.cut * sizeof *cuts + 1);
    task = malloc(order.len + 1);
    if (!left_out || !cuts || !task)
        crew_give_up();
    receive(worker, left_out, order.left_out * sizeof *left_out);
    receive(worker, cuts, order.cut * sizeof *cuts);
    receive(worker, task, order.len);
    worker->left_out = left_out;
    worker->left_out_count = order.left_out;
    worker->cuts = cuts;
    worker->cut_count = order.cut;
    worker->sent = 0;
    job->work(state, worker, task, order.len, fds, order.fd_count);
    for (uint32_t i = 0; i < order.fd_count; i++)
        close(fds[i]);
    free(task);
    free(cuts);
    free(left_out);
    if (worker->out.head.len > 0)
        send_data(worker);
    send_text(worker, DONE, &worker->sent, sizeof worker->sent);
}

/* Drops the parent's handlers, and ignores SIGINT: only the parent decides what an interrupt means. */
static void reset_signals(void)
{
    sigset_t none;

    for (int i = 1; i <= SIGRTMAX; i++)
        signal(i, i == SIGINT ? SIG_IGN : SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Takes a line of /proc/self/maps and unmaps a shared, writable mapping of a file.  The page shared with the
 * parent is anonymous and listed as /dev/zero. */
static void forget_if_shared(const char *line)
{
    void *start, *end;
    char access[8];
    int path = 0;

    if (sscanf(line, "%p-%p %7s %*s %*s %*s %n", &start, &end, access, &path) == 3 && path &&
        access[1] == 'w' && access[3] == 's' && line[path] == '/' &&
        strncmp(line + path, "/dev/zero", 9) != 0)
        munmap(start, (size_t)((char *)end - (char *)start));
}

/* Unmaps what the parent has mapped of files, such as a database's. */
static int forget_shared_files(struct error *err)
{
    struct buffer maps = {0};
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    char piece[4096], *line, *rest;
    ssize_t got;

    while (fd >= 0 && (got = read(fd, piece, sizeof piece)) > 0)
        buffer_add(&maps, piece, (size_t)got);
    if (fd >= 0)
        close(fd);
    buffer_add_char(&maps, '\0');
    if (maps.failed)
        return error_set(err, "out of memory");
    for (line = strtok_r(maps.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        forget_if_shared(line);
    buffer_release(&maps);
    return 0;
}

/* Closes all descriptors except the socket, and replaces the standard ones by /dev/null, so that nothing of
 * the parent's can be reached. */
static int keep_only(int *socket, struct error *err)
{
    const int kept = STDERR_FILENO + 1;
    int high = fcntl(*socket, F_DUPFD_CLOEXEC, kept + 1), null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (high < 0 || null < 0)
        return error_errno(err, "cannot redirect the standard descriptors to /dev/null");
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
#ifndef SANDBOX_SANITIZED
    dup2(null, STDERR_FILENO);
#endif
    dup2(high, kept);
    closefrom(kept + 1);
    *socket = kept;
    return 0;
}

static bool refuses(const struct crew_job *job, unsigned missing, struct error *err)
{
    if (!missing || job->no_sandbox)
        return false;
    error_set(err, "this system lacks %s", sandbox_lack(missing));
    return true;
}

/* Must not use stdio: a thread of the parent may have held its locks during the fork. */
static void *start(struct crew_worker *worker, const struct crew_job *job, unsigned *missing,
                   struct error *err)
{
    unsigned also_missing;
    void *state;

    if (forget_shared_files(err) || keep_only(&worker->socket, err))
        return NULL;
    setenv("TZ", "UTC0", 1); /* so the C library needs no time zone file later */
    tzset();
    if (sandbox_limit(job->folders, job->memory, missing, err) || refuses(job, *missing, err))
        return NULL;
    state = job->start(job->arg, worker, err);
    if (!state || sandbox_close(&also_missing, err) || refuses(job, also_missing, err))
        return NULL;
    *missing |= also_missing;
    return state;
}

_Noreturn void crew_worker_run(const struct crew_job *job, int socket, struct crew_page *page, pid_t parent)
{
    struct crew_worker *worker = calloc(1, sizeof *worker);
    struct error err = {""};
    unsigned missing;
    void *state;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!worker || getppid() != parent) /* the parent may have died before prctl */
        _exit(EXIT_FAILURE);
    reset_signals();
    *worker = (struct crew_worker){.socket = socket, .page = page};
    state = start(worker, job, &missing, &err);
    if (!state) {
        send_text(worker, FAILED, err.text, strnlen(err.text, sizeof err.text));
        _exit(EXIT_FAILURE);
    }
    send_text(worker, STARTED, &missing, sizeof missing);
    for (;;)
        work_on_next(worker, job, state);
}
