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

static size_t suspect_count(const struct task *task)
{
    return task->suspects.len / sizeof(struct suspect);
}

static struct suspect *suspects_of(const struct task *task)
{
    return (struct suspect *)(void *)task->suspects.data;
}

void crew_task_put_cuts(const struct task *task, struct buffer *out)
{
    for (size_t i = 0; i < suspect_count(task); i++)
        if (suspects_of(task)[i].is_cut)
            buffer_add(out, &suspects_of(task)[i].cut, sizeof(struct cut));
}

size_t crew_task_cut_count(const struct task *task)
{
    size_t count = 0;

    for (size_t i = 0; i < suspect_count(task); i++)
        count += suspects_of(task)[i].is_cut;
    return count;
}

struct crew_result crew_task_result(const struct task *task)
{
    return (struct crew_result){.tag = task->tag,
                                .task = task->data,
                                .task_len = task->len,
                                .data = task->result.data,
                                .len = task->result.len,
                                .losses = crew_task_losses(task),
                                .loss_count = crew_task_loss_count(task),
                                .cut_count = crew_task_cut_count(task)};
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

static struct suspect *find_suspect(const struct task *task, uint32_t item)
{
    for (size_t i = 0; i < suspect_count(task); i++)
        if (suspects_of(task)[i].cut.item == item)
            return &suspects_of(task)[i];
    return NULL;
}

/* An offence at a step says nothing about the step. */
static void cut_or_lose(struct task *task, struct suspect *suspect, const char *reason, enum loss loss)
{
    if (suspect->is_cut || suspect->cut.step == 0 || loss == OFFENDED) {
        suspect->is_cut = false;
        task_lose(task, suspect->cut.item, reason);
        return;
    }
    suspect->is_cut = true;
    snprintf(suspect->cut.reason, sizeof suspect->cut.reason, "%s", reason);
}

/* The first time the item is retried, unless it would merely take as long again. */
static void blame_item(struct task *task, uint32_t item, uint32_t step, const char *reason, enum loss loss)
{
    struct suspect *known = find_suspect(task, item), *suspect = known;

    if (!known) {
        buffer_add(&task->suspects, &(struct suspect){.cut = {.item = item, .step = step}}, sizeof *suspect);
        suspect = task->suspects.failed ? NULL : find_suspect(task, item);
    }
    if (!suspect || (!known && loss != TIMED_OUT))
        return;
    suspect->cut.step = step < suspect->cut.step ? step : suspect->cut.step;
    cut_or_lose(task, suspect, reason, loss);
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
void crew_task_retry(struct task *task, uint32_t item, uint32_t step, const char *reason, enum loss loss)
{
    const bool is_item = item < task->items && !task_lost(task, item);

    buffer_reset(&task->result);
    task->state = WAITING;
    if (is_item && loss != EXHAUSTED)
        blame_item(task, item, step, reason, loss);
    if (!is_item || loss == OFFENDED)
        task->failures++;
    if (loss == EXHAUSTED || task->failures == STARTS)
        task_give_up(task, reason);
}
