/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/reading.h"

/* Stretches that belong to no file. */

enum {
    RANGES_PER_TASK = 512,
    RANGE_TASK_LEN = 32 << 20,
};

/* A stretch that is larger is several objects, so that many can read it and an accident costs little. */
#define LARGEST_RANGE ((uint64_t)1 << 30)

/*
 * The task that is being made.  Its ranges lie in a buffer, not in an array of fixed size: once reading has
 * failed nothing is given out any more, and there is still room for whatever is added.
 */
struct range_task {
    struct reading *reading;
    enum object_kind kind;
    bool one_number, is_wanted; /* the number that all have was given out, with that answer */
    struct buffer ranges;       /* start, len, whether its content is wanted: as the task has them */
    size_t count;
    uint64_t len;
};

/* Empties it, whether it could be given out or not. */
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

/*
 * In windows, since a hostile file system may leave every other block to nobody.  A window has one number,
 * whatever is found in it: when objects are lost, what they lay in is found here, and the numbers after it
 * stay as they are.
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
