/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "crew/crew_inner.h"
#include "crew/sandbox.h"

/* Receives the messages of workers, frame by frame, and checks them. */

static bool take_start(struct crew *crew, struct crew_process *worker, size_t len)
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

/* A worker that cannot start says why.  For a new crew that is final. */
static bool take_failure(struct crew *crew, struct crew_process *worker, size_t len)
{
    char reason[sizeof worker->verdict];
    struct error err;

    if (worker->started)
        return false;
    error_set(&err, "%.*s", (int)len, worker->in.data);
    crew_process_end(worker, reason, sizeof reason);
    if (!crew->complete)
        crew_process_fail(crew, err.text);
    crew_process_not_started(crew, err.text);
    return true;
}

/* Returns false if the worker was killed for what it sent. */
static bool check(struct crew *crew, struct crew_process *worker, bool complete)
{
    const struct crew_job *job = &crew->job;
    const struct crew_result result = crew_task_result(worker->task);

    if (!job->accept || job->accept(job->accept_arg, worker->task->accept.data, &result, complete))
        return true;
    crew_process_condemn(crew, worker, "invalid result from the worker");
    return false;
}

/* The result is checked while it arrives, so that not much is kept of a bad one.  Each time it has grown by
 * half: an incomplete message is parsed again every time. */
static bool take_data(struct crew *crew, struct crew_process *worker, size_t len)
{
    struct task *task = worker->task;

    if (!task)
        return false;
    if (len > task->most || task->result.len > task->most - len) {
        crew_process_condemn(crew, worker, "the worker sent more than its task allows");
        return true;
    }
    buffer_add(&task->result, worker->in.data, len);
    if (task->result.failed)
        crew_process_fail(crew, "out of memory");
    if (task->result.len < task->check_at || !check(crew, worker, false))
        return true;
    task->check_at = task->result.len + task->result.len / 2;
    return true;
}

static bool take_stream(const struct crew *crew, const struct crew_process *worker, size_t len)
{
    return worker->task && crew->job.stream && len <= CREW_STREAM_MAX &&
           crew->job.stream(crew->job.stream_arg, worker->in.data, len);
}

/* The worker counts its bytes, too, so anything lost or left out is noticed. */
static bool take_end(struct crew *crew, struct crew_process *worker, size_t len)
{
    uint64_t sent;

    if (!worker->task || !crew_process_has_order(worker) || len != sizeof sent)
        return false;
    memcpy(&sent, worker->in.data, sizeof sent);
    if (sent != worker->task->result.len)
        return false;
    if (check(crew, worker, true)) {
        crew_task_finish(worker->task);
        worker->task = NULL;
    }
    return true;
}

/* Returns false if the frame breaks the protocol. */
static bool take_frame(struct crew *crew, struct crew_process *worker)
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
    case STREAM:
        return take_stream(crew, worker, head->len);
    case DONE:
        return take_end(crew, worker, head->len);
    default:
        return false;
    }
}

static size_t frame_len(const struct crew_process *worker)
{
    const size_t head = sizeof worker->in.head;

    return worker->received < head ? head : head + worker->in.head.len;
}

/* Receives what has arrived of the next frame.  Returns 1 if it is complete, 0 if not yet, -1 if the worker
 * is gone. */
static int receive_frame(struct crew_process *worker)
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

void crew_process_receive(struct crew *crew, struct crew_process *worker)
{
    const int result = receive_frame(worker);

    if (result < 0)
        crew_process_lost(crew, worker, DIED);
    else if (result > 0 && !take_frame(crew, worker))
        crew_process_condemn(crew, worker, "the worker broke the protocol");
}
