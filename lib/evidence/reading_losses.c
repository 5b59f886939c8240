/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "evidence/batch.h"
#include "evidence/reading.h"

/* Losses: the items of a task that could not be done, and their numbers. */

enum { SYSTEM_NUMBERS = 4 };

/* Returns one number from a task's arguments: after numbers_before, and `each` for every item before this
 * one. */
static uint64_t argument(struct wire task, size_t numbers_before, size_t each, uint32_t item)
{
    uint64_t skip = numbers_before + (uint64_t)each * item;

    while (skip-- > 0 && !task.broken)
        wire_get(&task);
    return wire_get(&task);
}

uint64_t reading_item_count(const char *data, size_t len)
{
    struct wire task = {data, len, false};

    switch (wire_get(&task)) {
    case TASK_OBJECTS:
        return argument(task, SYSTEM_NUMBERS + 2, 0, 0);
    case TASK_RANGES:
        return argument(task, 2, 0, 0);
    case TASK_FILES:
        return argument(task, 0, 0, 0);
    default:
        return 0;
    }
}

/* Unclaimed ranges share one number, since there are more of them when other objects are lost; this way the
 * numbers that follow do not depend on that. */
static bool has_one_number(const char *data, size_t len)
{
    struct wire task = {data, len, false};

    return wire_get(&task) == TASK_RANGES && argument(task, 1, 0, 0);
}

uint64_t reading_number_count(const char *task, size_t len)
{
    return has_one_number(task, len) ? 1 : reading_item_count(task, len);
}

uint64_t reading_item_number(const struct taking *taking, uint64_t item)
{
    return taking->result.tag + (has_one_number(taking->result.task, taking->result.task_len) ? 0 : item);
}

bool reading_is_lost(const struct crew_result *result)
{
    return result->loss_count && result->losses[result->loss_count - 1].item == CREW_WHOLE_TASK;
}

/* The type of the attribute that holds a file's content, as libtsk numbers them. */
enum { DEFAULT_DATA = 1, NTFS_DATA = 128 };

static void hand_over_lost(struct reading *reading, uint32_t item, const char *reason)
{
    struct object *object = &reading->object;

    object->item = reading_item_number(&reading->taking, item);
    object_blame(object, OBJECT_UNREADABLE, "%s", reason);
    reading_take_object(reading, object);
}

/* What is packed in the objects of an item was lost, not these. */
static void take_lost_members(struct reading *reading, struct wire task, uint32_t item, const char *reason)
{
    switch (wire_get(&task)) {
    case TASK_OBJECTS:
        reading_problem(reading, "inode %" PRIu64 ": containers in it were not opened, or not to the end: %s",
                        argument(task, SYSTEM_NUMBERS + 3, 2, item), reason);
        break;
    case TASK_RANGES:
        reading_problem(reading,
                        "bytes from %" PRIu64 ": containers in them were not opened, or not to the end: %s",
                        argument(task, 3, 3, item), reason);
        break;
    default:
        wire_get(&task);
        for (uint32_t i = 0; i <= item; i++)
            if (!object_decode(&task, &reading->object))
                return;
        reading_problem(reading, "%.*s: containers in it were not opened, or not to the end: %s",
                        (int)reading->object.stream.len, reading->object.stream.data, reason);
        break;
    }
}

/* An object of which nothing is known except that it exists. */
static void take_lost_object(struct reading *reading, struct wire task, uint32_t item, const char *reason)
{
    struct object *object = &reading->object;
    const uint64_t inode = argument(task, SYSTEM_NUMBERS + 3, 2, item);
    bool allocated = reading->names && names_know(reading->names, inode, true);

    object_reset(object);
    object->kind = allocated ? OBJECT_FILE : OBJECT_DELETED;
    object->flags = (allocated ? OBJECT_ALLOCATED : 0) |
                    (argument(task, SYSTEM_NUMBERS + 4, 2, item) ? 0 : OBJECT_UNWANTED);
    object->inode = inode;
    object->type =
        reading->system && reading->system->facts.plan == FILESYSTEM_RECORDS ? NTFS_DATA : DEFAULT_DATA;
    hand_over_lost(reading, item, reason);
}

static void take_lost_file(struct reading *reading, struct wire task, uint32_t item, const char *reason)
{
    wire_get(&task);
    for (uint32_t i = 0; i <= item; i++)
        if (!object_decode(&task, &reading->object))
            return;
    hand_over_lost(reading, item, reason);
}

static void take_lost_range(struct reading *reading, struct wire task, uint32_t item, const char *reason)
{
    struct object *object = &reading->object;

    object_reset(object);
    object->kind = (enum object_kind)(argument(task, 0, 0, 0) % OBJECT_KINDS);
    object->start = argument(task, 3, 3, item);
    object->size = argument(task, 4, 3, item);
    object->flags = OBJECT_RANGE | (argument(task, 5, 3, item) ? 0 : OBJECT_UNWANTED);
    reading_claim_lost(reading, object->start, object->size);
    hand_over_lost(reading, item, reason);
}

/* item: as the crew counts it. */
static void take_loss(struct reading *reading, struct wire task, uint32_t item, const char *reason)
{
    static const char *const subjects[] = {
        [TASK_TABLE] = "cannot read the partition table",
        [TASK_SYSTEMS] = "cannot open a file system",
        [TASK_LIST] = "files that no folder lists may be missing",
        [TASK_STRUCTURES] = "cannot list the file system's structures",
        [TASK_DIGEST] = "cannot compute the digest of the image",
    };
    const struct crew_result *result = &reading->taking.result;
    const bool halved = evidence_rules_has_halves(result->task, result->task_len);
    uint64_t kind;
    size_t system = SYSTEM_NUMBERS;

    if (halved && item % BATCH_HALVES) {
        take_lost_members(reading, task, item / BATCH_HALVES, reason);
        return;
    }
    item = halved ? item / BATCH_HALVES : item;
    kind = wire_get(&task);
    if (kind < sizeof subjects / sizeof *subjects && subjects[kind]) {
        reading_problem(reading, "%s: %s", subjects[kind], reason);
        return;
    }
    switch (kind) {
    case TASK_IMAGE:
        if (!reading->failed)
            error_set(reading->err, "%s: cannot open the image: %s", reading->path, reason);
        reading->failed = true;
        break;
    case TASK_FOLDERS:
        reading_problem(reading, "cannot read folder %" PRIu64 ": %s", argument(task, system + 1, 1, item),
                        reason);
        break;
    case TASK_OBJECTS:
        take_lost_object(reading, task, item, reason);
        break;
    case TASK_BLOCKS:
        reading_problem(reading, "cannot list the free blocks from %" PRIu64 " to %" PRIu64 ": %s",
                        argument(task, system, 0, 0), argument(task, system + 1, 0, 0), reason);
        break;
    case TASK_RANGES:
        take_lost_range(reading, task, item, reason);
        break;
    case TASK_FILES:
        take_lost_file(reading, task, item, reason);
        break;
    default: /* TASK_RECORDS: the rest of the record may still be readable */
        reading_problem(reading, "cannot read the names of inode %" PRIu64 ": %s",
                        argument(task, system, 0, 0) + item, reason);
        break;
    }
}

/* The whole task was given up: every item not already lost is lost now. */
static void take_whole_loss(struct reading *reading, const struct crew_result *result)
{
    const struct wire wire = {result->task, result->task_len, false};
    const struct crew_loss *own = result->losses, *whole = own + result->loss_count - 1;
    const bool halved = evidence_rules_has_halves(result->task, result->task_len);
    struct crew_task task = {.data = result->task, .len = result->task_len};

    evidence_rules_limit(&task, &reading->bounds);
    for (uint32_t item = 0; item < task.items; item++) {
        const bool is_own = own->item == item;

        if (!halved || item % BATCH_HALVES == 0) /* with an object, what is packed in it is lost as well */
            take_loss(reading, wire, item, is_own ? own->reason : whole->reason);
        own += is_own;
    }
}

/* Reported in between the objects that were read, so that item numbers never decrease. */
void reading_take_losses(struct reading *reading, uint64_t before)
{
    struct taking *taking = &reading->taking;
    const struct crew_result *result = &taking->result;
    const struct wire task = {result->task, result->task_len, false};

    if (reading_is_lost(result)) {
        take_whole_loss(reading, result);
        return;
    }
    for (; taking->losses_reported < result->loss_count; taking->losses_reported++) {
        const struct crew_loss *loss = &result->losses[taking->losses_reported];

        if (loss->item >= before)
            return;
        take_loss(reading, task, loss->item, loss->reason);
    }
}
