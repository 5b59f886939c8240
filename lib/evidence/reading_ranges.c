/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/reading.h"

/* Ranges that belong to no file. */

enum {
    RANGES_PER_TASK = 512,
    RANGE_TASK_LEN = 32 << 20,
};

/* Larger ranges are split into several objects, so that several workers can share the work and a failure
 * costs little. */
#define LARGEST_RANGE ((uint64_t)1 << 30)

/*
 * The task being built.  Its ranges lie in a growing buffer rather than a fixed array: once reading has
 * failed no task is handed out any more, and there is still room for whatever is added.
 */
struct range_task {
    struct reading *reading;
    enum object_kind kind;
    /* with one_number: whether content is wanted, asked when that number was given out */
    bool one_number, is_wanted;
    struct buffer ranges; /* start, len, whether its content is wanted: in the task's own format */
    size_t count;
    uint64_t len;
};

/* Hands the task out, unless reading has failed, and empties it in any case. */
static void give_ranges(struct range_task *task)
{
    struct reading *reading = task->reading;

    if (task->ranges.failed)
        reading_out_of_memory(reading);
    if (task->count > 0 && !reading->failed) {
        reading_begin(reading, TASK_RANGES);
        wire_put(&reading->task, (uint64_t)task->kind);
        wire_put(&reading->task, task->one_number);
        wire_put(&reading->task, task->count);
        buffer_add(&reading->task, task->ranges.data, task->ranges.len);
        reading_give(reading, NULL, 0);
    }
    buffer_reset(&task->ranges);
    task->count = 0;
    task->len = 0;
}

static void add_range(struct range_task *task, uint64_t start, uint64_t len)
{
    wire_put(&task->ranges, start);
    wire_put(&task->ranges, len);
    wire_put(&task->ranges, task->one_number ? task->is_wanted : reading_number(task->reading, NULL, 0));
    task->count++;
    task->len += len;
    if (task->count == RANGES_PER_TASK || task->len >= RANGE_TASK_LEN)
        give_ranges(task);
}

static void read_ranges(struct range_task *task, const struct range *ranges, size_t count)
{
    struct reading *reading = task->reading;

    for (size_t i = 0; i < count && !reading->failed; i++) {
        uint64_t start = ranges[i].start, end = start + ranges[i].len;

        while (start < end && !reading->failed) {
            uint64_t border = (start / LARGEST_RANGE + 1) * LARGEST_RANGE, stop = border < end ? border : end;

            add_range(task, start, stop - start);
            start = stop;
        }
    }
    give_ranges(task);
    reading_drain(reading);
    buffer_release(&task->ranges);
}

void reading_ranges(struct reading *reading, enum object_kind kind, const struct range *ranges, size_t count)
{
    struct range_task task = {.reading = reading, .kind = kind};

    for (size_t i = 0; i < count && !reading_wants(reading, kind); i++)
        reading_claim_range(reading, kind, &ranges[i]);
    if (reading_wants(reading, kind))
        read_ranges(&task, ranges, count);
}

/* Each range is a task of its own, since they may overlap. */
void reading_asked(struct reading *reading, const struct ranges *ranges)
{
    struct range_task task = {.reading = reading, .kind = OBJECT_IMAGE};

    for (size_t i = 0; i < ranges->count && reading_wants(reading, OBJECT_IMAGE) && !reading->failed; i++) {
        const struct range *range = &ranges->list[i];

        if (range->start > reading->size || range->len > reading->size - range->start)
            continue;
        add_range(&task, range->start, range->len);
        give_ranges(&task);
    }
    reading_drain(reading);
    buffer_release(&task.ranges);
}

/*
 * Works in windows, since a hostile file system may leave every other block unclaimed.  A window has one item
 * number, whatever is found in it: the ranges of lost objects show up here, and must not change the numbers
 * that follow.
 */
void reading_unclaimed(struct reading *reading, uint64_t start, uint64_t end)
{
    struct ranges left = {0};

    while (start < end && reading_tracks(reading) && !reading->failed) {
        uint64_t border = (start / LARGEST_RANGE + 1) * LARGEST_RANGE, stop = border < end ? border : end;

        left.count = 0;
        if (account_unclaimed(reading->account, start, stop, &left))
            reading_out_of_memory(reading);
        read_ranges(&(struct range_task){.reading = reading,
                                         .kind = OBJECT_UNCLAIMED,
                                         .one_number = true,
                                         .is_wanted = reading_number(reading, NULL, 0)},
                    left.list, left.count);
        start = stop;
    }
    ranges_release(&left);
}
