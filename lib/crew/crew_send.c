/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "crew/crew_inner.h"

/* Sends tasks to workers. */

static unsigned parts_to_send(struct crew_process *worker, struct iovec *parts)
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

bool crew_process_has_order(const struct crew_process *worker)
{
    return worker->sent == worker->order.len + worker->task->len;
}

static ssize_t send_part(struct crew_process *worker)
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

/* A worker that has died is noticed when it is read from. */
void crew_process_send(struct crew *crew, struct crew_process *worker)
{
    char verdict[sizeof worker->verdict];

    while (!crew_process_has_order(worker)) {
        ssize_t sent = send_part(worker);

        if (sent >= 0) {
            worker->sent += (size_t)sent;
            continue;
        }
        if (errno == EINTR)
            continue;
        /* ETOOMANYREFS: too many descriptors in flight, system-wide. */
        if (errno != EAGAIN && errno != EPIPE && errno != ECONNRESET && errno != ETOOMANYREFS) {
            snprintf(verdict, sizeof verdict, "cannot send the task to the worker: %s", strerror(errno));
            crew_process_condemn(crew, worker, verdict);
        }
        return;
    }
}

void crew_process_give(struct crew *crew, struct crew_process *worker, struct task *task)
{
    const struct crew_loss *losses = crew_task_losses(task);
    const struct order order = {.len = task->len,
                                .left_out = (uint32_t)crew_task_loss_count(task),
                                .cut = (uint32_t)crew_task_cut_count(task),
                                .fd_count = task->fd_count};

    buffer_reset(&worker->order);
    buffer_add(&worker->order, &order, sizeof order);
    for (size_t i = 0; i < crew_task_loss_count(task); i++)
        buffer_add(&worker->order, &losses[i].item, sizeof losses[i].item);
    crew_task_put_cuts(task, &worker->order);
    if (worker->order.failed) {
        crew_process_fail(crew, "out of memory");
        return;
    }
    if (task->accept.len)
        memset(task->accept.data, 0, task->accept.len);
    task->check_at = CHECK_STEP;
    task->state = WORKED_ON;
    worker->task = task;
    worker->sent = 0;
    atomic_store(&worker->page->item, CREW_WHOLE_TASK);
    atomic_store(&worker->page->step, 0);
    crew_process_forget_task(worker);
    crew_process_send(crew, worker);
}
