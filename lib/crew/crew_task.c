/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crew/crew_inner.h"

static void task_close_fds(struct task *task)
{
    for (unsigned i = 0; i < task->fd_count; i++)
        close(task->fds[i]);
    task->fd_count = 0;
}

struct task *crew_task_new(const struct crew_task *given, size_t accept_size)
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

void crew_task_free(struct task *task)
{
    if (!task)
        return;
    task_close_fds(task);
    buffer_release(&task->suspects);
    buffer_release(&task->losses);
    buffer_release(&task->result);
    buffer_release(&task->accept);
    free(task);
}

size_t crew_task_loss_count(const struct task *task)
{
    return task->losses.len / sizeof(struct crew_loss);
}

const struct crew_loss *crew_task_losses(const struct task *task)
{
    return (const struct crew_loss *)(const void *)task->losses.data;
}

struct crew_result crew_task_result(const struct task *task)
{
    return (struct crew_result){.tag = task->tag,
                                .task = task->data,
                                .task_len = task->len,
                                .data = task->result.data,
                                .len = task->result.len,
                                .losses = crew_task_losses(task),
                                .loss_count = crew_task_loss_count(task)};
}

static bool task_lost(const struct task *task, uint32_t item)
{
    const struct crew_loss *losses = crew_task_losses(task);

    for (size_t i = 0; i < crew_task_loss_count(task); i++)
        if (losses[i].item == item)
            return true;
    return false;
}

static void task_lose(struct task *task, uint32_t item, const char *reason)
{
    struct crew_loss loss = {.item = item}, *losses;
    size_t i = crew_task_loss_count(task);

    snprintf(loss.reason, sizeof loss.reason, "%s", reason);
    buffer_add(&task->losses, &loss, sizeof loss);
    if (task->losses.failed)
        return;
    losses = (struct crew_loss *)(void *)task->losses.data;
    for (; i > 0 && losses[i - 1].item > item; i--)
        losses[i] = losses[i - 1];
    losses[i] = loss;
}

/* Adds a suspect; returns whether it already was one. */
static bool task_suspect(struct task *task, uint32_t item)
{
    for (size_t i = 0; i < task->suspects.len; i += sizeof item)
        if (memcmp(task->suspects.data + i, &item, sizeof item) == 0)
            return true;
    buffer_add(&task->suspects, &item, sizeof item);
    return false;
}

void crew_task_finish(struct task *task)
{
    task->state = FINISHED;
    task_close_fds(task);
}

static void task_give_up(struct task *task, const char *reason)
{
    task_lose(task, CREW_WHOLE_TASK, reason);
    crew_task_finish(task);
}

/* Offences also count for the task as a whole; otherwise a worker could blame each item in turn. */
void crew_task_retry(struct task *task, uint32_t item, const char *reason, enum loss loss)
{
    const bool is_item = item < task->items && !task_lost(task, item);

    buffer_reset(&task->result);
    task->state = WAITING;
    if (is_item && (loss == TIMED_OUT || (loss != EXHAUSTED && task_suspect(task, item))))
        task_lose(task, item, reason);
    if (!is_item || loss == OFFENDED)
        task->failures++;
    if (loss == EXHAUSTED || task->failures == STARTS)
        task_give_up(task, reason);
}
