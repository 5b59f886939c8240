/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <unistd.h>

#include "evidence/evidence_wire.h"
#include "evidence/reading.h"

/* Tasks, from creation until their results have been processed. */

bool reading_number(struct reading *reading, const char *paths, size_t count)
{
    const struct evidence_options *options = reading->options;

    return reading->next_item++ >= options->first_item &&
           (!paths || !options->wanted || options->wanted(options->wanted_arg, paths, count));
}

void reading_begin(struct reading *reading, enum evidence_task kind)
{
    buffer_reset(&reading->task);
    wire_put(&reading->task, (uint64_t)kind);
}

void reading_begin_system(struct reading *reading, enum evidence_task kind)
{
    reading_begin(reading, kind);
    evidence_put_system(&reading->task, &reading->system->system);
}

static void take_one(struct reading *reading)
{
    struct taking *taking = &reading->taking;
    struct wire wire;

    *taking = (struct taking){.losses_reported = 0};
    if (crew_pop(reading->crew, &taking->result, reading->err) < 0) {
        reading->failed = true;
        reading->stopped = reading->options->stop && atomic_load(reading->options->stop);
        return;
    }
    taking->item_count = reading_item_count(taking->result.task, taking->result.task_len);
    wire = (struct wire){taking->result.data, taking->result.len, false};
    while (wire_more(&wire))
        reading_take_message(reading, &wire);
    if (wire.broken || (!taking->done && !reading_is_lost(&taking->result)))
        reading_problem(reading, "invalid result from a worker; part of the evidence may be missing");
    reading_take_losses(reading, UINT64_MAX);
    reading->partial |= taking->result.cut_count > 0; /* rows say where */
    if (reading->options->bytes)
        atomic_store(reading->options->bytes, crew_bytes(reading->crew));
}

/* What is left when all objects before those of the task have come, at the most.  A worker need not unpack
 * more: it would be dropped. */
static void limit_members(struct reading *reading)
{
    struct allowance allowance = reading->allowance;

    if (!reading->options->unpacked_most)
        allowance_grow(&allowance, reading->coming);
    wire_put(&reading->task, allowance_left(&allowance));
}

/* Sets the limits of the task that was built. */
static void limit_task(struct reading *reading, struct crew_task *task)
{
    task->data = reading->task.data;
    task->len = reading->task.len;
    evidence_rules_limit(task, &reading->bounds);
}

void reading_give(struct reading *reading, const int *fds, unsigned fd_count)
{
    struct crew_task task = {.fds = fds, .fd_count = fd_count};

    while (crew_full(reading->crew) && !reading->failed)
        take_one(reading);
    if (evidence_rules_has_halves(reading->task.data, reading->task.len))
        limit_members(reading);
    if (reading->task.failed)
        reading_out_of_memory(reading);
    if (reading->failed) {
        for (unsigned i = 0; i < fd_count; i++)
            close(fds[i]);
    } else {
        limit_task(reading, &task);
        task.tag = reading->next_item - reading_number_count(reading->task.data, reading->task.len);
        if (crew_push(reading->crew, &task, reading->err))
            reading->failed = true;
    }
}

void reading_give_digest(struct reading *reading)
{
    struct crew_task task = {.tag = 0};

    if (!reading->digester || reading->failed)
        return;
    reading_begin(reading, TASK_DIGEST);
    limit_task(reading, &task);
    if (crew_push(reading->digester, &task, reading->err))
        reading->failed = true;
}

void reading_drain(struct reading *reading)
{
    while (!crew_empty(reading->crew) && !reading->failed)
        take_one(reading);
}
