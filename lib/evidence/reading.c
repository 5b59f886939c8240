/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/reading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evidence/evidence_wire.h"

/* ---- losses ---- */

enum { SYSTEM_NUMBERS = 4 };

/* The number of an item's inode, or the start of its range, as its task was given it. */
static uint64_t argument(struct wire task, size_t numbers_before, size_t each, uint32_t item)
{
    uint64_t skip = numbers_before + (uint64_t)each * item;

    while (skip-- > 0 && !task.broken)
        wire_get(&task);
    return wire_get(&task);
}

/* How many items a task has that have numbers and give objects. */
static uint64_t item_count(const char *data, size_t len)
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

/* Ranges that are found only by what others are lost have one number together, so that the numbers after them
 * do not depend on that. */
static bool has_one_number(const char *data, size_t len)
{
    struct wire task = {data, len, false};

    return wire_get(&task) == TASK_RANGES && argument(task, 1, 0, 0);
}

static uint64_t number_of(const struct taking *taking, uint64_t item)
{
    return taking->result.tag + (has_one_number(taking->result.task, taking->result.task_len) ? 0 : item);
}

/* Types of the attribute that a file's content is, as libtsk numbers them. */
enum { DEFAULT_DATA = 1, NTFS_DATA = 128 };

static void hand_over_lost(struct reading *reading, uint32_t item, const char *reason)
{
    struct object *object = &reading->object;

    object->item = number_of(&reading->taking, item);
    object_blame(object, OBJECT_UNREADABLE, "%s", reason);
    reading_take_object(reading, object);
}

/* An object of which nothing is known but that it is there. */
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

static void take_loss(struct reading *reading, struct wire task, uint32_t item, const char *reason)
{
    uint64_t kind = wire_get(&task);
    size_t system = SYSTEM_NUMBERS;

    switch (kind) {
    case TASK_IMAGE:
        if (!reading->failed)
            error_set(reading->err, "%s: the image cannot be opened: %s", reading->path, reason);
        reading->failed = true;
        break;
    case TASK_TABLE:
        reading_problem(reading, "the partition table: %s", reason);
        break;
    case TASK_SYSTEMS:
        reading_problem(reading, "a file system could not be opened: %s", reason);
        break;
    case TASK_FOLDERS:
        reading_problem(reading, "folder %" PRIu64 ": %s", argument(task, system + 1, 1, item), reason);
        break;
    case TASK_LIST:
        reading_problem(reading, "files that no folder names may be missing: %s", reason);
        break;
    case TASK_OBJECTS:
        take_lost_object(reading, task, item, reason);
        break;
    case TASK_BLOCKS:
        reading_problem(reading, "free blocks %" PRIu64 " to %" PRIu64 ": %s", argument(task, system, 0, 0),
                        argument(task, system + 1, 0, 0), reason);
        break;
    case TASK_STRUCTURES:
        reading_problem(reading, "the file system's structures: %s", reason);
        break;
    case TASK_RANGES:
        take_lost_range(reading, task, item, reason);
        break;
    case TASK_FILES:
        take_lost_file(reading, task, item, reason);
        break;
    case TASK_DIGEST:
        reading_problem(reading, "the digest of the image: %s", reason);
        break;
    default: /* TASK_RECORDS: what else is in the record may be read all the same */
        reading_problem(reading, "the names of inode %" PRIu64 ": %s", argument(task, system, 0, 0) + item,
                        reason);
        break;
    }
}

/* All of a task was given up: nothing came of it, and each item that was not lost before is lost now. */
static void take_whole_loss(struct reading *reading, const struct crew_result *result)
{
    const struct wire wire = {result->task, result->task_len, false};
    const struct crew_loss *own = result->losses, *whole = own + result->loss_count - 1;
    struct crew_task task = {.data = result->task, .len = result->task_len};

    evidence_rules_limit(&task, &reading->bounds);
    for (uint32_t item = 0; item < task.items; item++)
        take_loss(reading, wire, item, own->item == item ? own++->reason : whole->reason);
}

/* Of the items before one.  They come between the objects that were read, so that numbers never get less. */
static void take_losses(struct reading *reading, uint64_t before)
{
    struct taking *taking = &reading->taking;
    const struct crew_result *result = &taking->result;
    const struct wire task = {result->task, result->task_len, false};

    if (result->loss_count && result->losses[result->loss_count - 1].item == CREW_WHOLE_TASK) {
        take_whole_loss(reading, result);
        return;
    }
    for (; taking->losses_told < result->loss_count; taking->losses_told++) {
        const struct crew_loss *loss = &result->losses[taking->losses_told];

        if (loss->item >= before)
            return;
        take_loss(reading, task, loss->item, loss->reason);
    }
}

/* ---- messages ---- */

enum { MAX_VOLUMES = 1024, MAX_BAD = 1 << 16 };

static void take_text(struct wire *wire, char *out, size_t room)
{
    size_t len;
    const char *data = wire_get_bytes(wire, &len);

    if (len >= room)
        len = room - 1;
    memcpy(out, data, len);
    out[len] = '\0';
}

static void take_image(struct reading *reading, struct wire *wire)
{
    size_t names_len = 0;
    const char *names;

    take_text(wire, reading->format, sizeof reading->format);
    reading->size = wire_get(wire);
    reading->sector_size = (uint32_t)wire_get(wire);
    evidence_get_digests(wire, &reading->stored);
    reading->bounds.size = reading->size;
    names = wire_get_bytes(wire, &names_len);
    if (!wire->broken)
        reading_extents_take(reading, names, names_len);
}

static bool is_known_volume(const struct reading *reading, const struct volume *volume)
{
    for (size_t i = 0; i < reading->volume_count; i++)
        if (reading->volumes[i].start == volume->start && reading->volumes[i].len == volume->len)
            return true;
    for (size_t i = 0; i < reading->answer_count; i++)
        if (reading->answer[i].start == volume->start && reading->answer[i].len == volume->len)
            return true;
    return false;
}

static void take_volume(struct reading *reading, struct wire *wire)
{
    struct volume *volumes = realloc(reading->answer, (reading->answer_count + 1) * sizeof *volumes);
    struct volume volume = {0};
    uint64_t missing;

    volume.number = wire_get(wire);
    volume.start = wire_get(wire);
    volume.len = wire_get(wire);
    missing = wire_get(wire);
    take_text(wire, volume.about, sizeof volume.about);
    if (!volumes) {
        reading_out_of_memory(reading);
        return;
    }
    reading->answer = volumes;
    if (missing)
        reading_problem(reading,
                        "of volume %" PRIu64 " at byte %" PRIu64 " %" PRIu64
                        " bytes lie behind the end of the image",
                        volume.number, volume.start, missing);
    if (wire->broken || volume.len == 0 || volume.start >= reading->size ||
        volume.len > reading->size - volume.start)
        return;
    if (is_known_volume(reading, &volume))
        reading_note(reading, "volume %" PRIu64 " is the same as one before it", volume.number);
    else if (reading->volume_count + reading->answer_count >= MAX_VOLUMES)
        reading_problem(reading, "there are more than %d volumes; volume %" PRIu64 " is left out",
                        MAX_VOLUMES, volume.number);
    else
        reading->answer[reading->answer_count++] = volume;
}

/* The volume that an answer is about. */
static struct volume *asked_volume(struct reading *reading, struct wire *wire)
{
    uint64_t item = wire_get(wire);

    if (wire->broken || item >= reading->asked_count) {
        wire->broken = true;
        return NULL;
    }
    return &reading->asked[item];
}

/* What a worker tells is not to be trusted: no number may be larger than the image allows. */
static void clip_facts(const struct reading *reading, struct filesystem_facts *facts)
{
    uint64_t most_inodes = reading->size / FILESYSTEM_SMALLEST_INODE + FILESYSTEM_MORE_INODES;
    uint64_t most_blocks = reading->size / (facts->block_size ? facts->block_size : 512);

    if (facts->last_inode > facts->first_inode + most_inodes)
        facts->last_inode = facts->first_inode + most_inodes;
    if (facts->last_block > most_blocks)
        facts->last_block = most_blocks;
}

static void take_system(struct reading *reading, struct wire *wire)
{
    struct volume *volume = asked_volume(reading, wire);
    struct system system = {0}, *systems;
    struct filesystem_facts *facts = &system.facts;

    evidence_get_system(wire, &system.system);
    take_text(wire, system.name, sizeof system.name);
    facts->plan = (enum filesystem_plan)(wire_get(wire) & 3);
    facts->first_inode = wire_get(wire);
    facts->last_inode = wire_get(wire);
    facts->root = wire_get(wire);
    facts->first_block = wire_get(wire);
    facts->last_block = wire_get(wire);
    facts->block_size = (uint32_t)wire_get(wire);
    facts->start = wire_get(wire);
    facts->len = wire_get(wire);
    facts->inodes_doubtful = wire_get(wire) != 0;
    facts->has_meta_groups = wire_get(wire) != 0;
    clip_facts(reading, facts);
    systems = volume ? realloc(volume->systems, (volume->system_count + 1) * sizeof *systems) : NULL;
    if (!systems) {
        if (volume)
            reading_out_of_memory(reading);
        return;
    }
    volume->systems = systems;
    if (!wire->broken)
        volume->systems[volume->system_count++] = system;
}

static void take_content(struct reading *reading, struct wire *wire)
{
    struct volume *volume = asked_volume(reading, wire);
    char name[sizeof volume->content];
    bool encrypted, no_files;

    take_text(wire, name, sizeof name);
    encrypted = wire_get(wire) != 0;
    no_files = wire_get(wire) != 0;
    if (volume && !wire->broken) {
        memcpy(volume->content, name, sizeof name);
        volume->encrypted = encrypted;
        volume->no_files = no_files;
    }
}

static void take_name(struct reading *reading, struct wire *wire)
{
    struct filesystem_name name = {0};

    name.inode = wire_get(wire);
    name.parent = wire_get(wire);
    name.parent_sequence = (uint32_t)wire_get(wire);
    name.allocated = wire_get(wire) != 0;
    name.folder = wire_get(wire) != 0;
    name.name = wire_get_bytes(wire, &name.len);
    if (!wire->broken)
        reading_take_name(reading, &name);
}

static void take_use(struct reading *reading, struct wire *wire)
{
    uint64_t inode = wire_get(wire), sequence = wire_get(wire), allocated = wire_get(wire);

    if (!wire->broken && reading->naming &&
        names_set_sequence(reading->names, inode, (uint32_t)sequence, allocated != 0))
        reading_out_of_memory(reading);
}

/*
 * Each worker reports what it finds; the sink gets what is new.  Every stretch is found in its place: of so
 * many that nobody can read the report not all are kept.
 */
static int add_bad(struct reading *reading, uint64_t start, uint64_t len)
{
    const bool room = reading->bad.count < MAX_BAD;

    if (!room && !reading->bad_cut)
        reading_problem(reading,
                        "more than %d stretches of the image cannot be read; not all of them are listed",
                        MAX_BAD);
    reading->bad_cut |= !room;
    if (!room)
        return 0;
    if (ranges_overlap(&reading->bad, start, len) < len && reading->sink->bad)
        reading->sink->bad(reading->sink->arg, start, len);
    return ranges_insert(&reading->bad, start, len);
}

static int add_found(struct reading *reading, uint64_t start, uint64_t len)
{
    return ranges_add(&reading->found, start, len);
}

static void take_range(struct reading *reading, struct wire *wire,
                       int (*add)(struct reading *reading, uint64_t start, uint64_t len))
{
    uint64_t start = wire_get(wire), len = wire_get(wire);

    if (start > INT64_MAX || len > INT64_MAX)
        wire->broken = true;
    if (!wire->broken && add(reading, start, len))
        reading_out_of_memory(reading);
}

/* Only a task that has items can have objects, and they come in order. */
static void take_object(struct reading *reading, struct wire *wire)
{
    struct taking *taking = &reading->taking;
    const uint64_t item = wire_get(wire);

    if (item < taking->item || item >= taking->item_count)
        wire->broken = true;
    if (wire->broken)
        return;
    taking->item = item;
    take_losses(reading, item);
    if (!object_decode(wire, &reading->object))
        return;
    reading->object.item = number_of(taking, item);
    reading_take_object(reading, &reading->object);
}

static void take_message(struct reading *reading, struct wire *wire)
{
    char text[5200];

    switch (wire_get(wire)) {
    case MESSAGE_IMAGE:
        take_image(reading, wire);
        break;
    case MESSAGE_TABLE:
        take_text(wire, reading->table, sizeof reading->table);
        break;
    case MESSAGE_VOLUME:
        take_volume(reading, wire);
        break;
    case MESSAGE_SYSTEM:
        take_system(reading, wire);
        break;
    case MESSAGE_CONTENT:
        take_content(reading, wire);
        break;
    case MESSAGE_NAME:
        take_name(reading, wire);
        break;
    case MESSAGE_USE:
        take_use(reading, wire);
        break;
    case MESSAGE_OBJECT:
        take_object(reading, wire);
        break;
    case MESSAGE_RUN:
        take_range(reading, wire, add_found);
        break;
    case MESSAGE_BAD:
        take_range(reading, wire, add_bad);
        break;
    case MESSAGE_DIGEST:
        evidence_get_digests(wire, &reading->whole);
        break;
    case MESSAGE_DONE: /* its numbers are compared by evidence_rules_accept */
        wire_get(wire);
        wire_get(wire);
        reading->taking.done = true;
        break;
    case MESSAGE_PROBLEM:
        take_text(wire, text, sizeof text);
        reading_problem(reading, "%s", text);
        break;
    default:
        wire->broken = true;
        break;
    }
}

/* ---- tasks ---- */

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

/* Nothing came of the task, which its last loss says. */
static bool is_given_up(const struct crew_result *result)
{
    return result->loss_count && result->losses[result->loss_count - 1].item == CREW_WHOLE_TASK;
}

static void take_one(struct reading *reading)
{
    struct taking *taking = &reading->taking;
    struct wire wire;

    *taking = (struct taking){.losses_told = 0};
    if (crew_pop(reading->crew, &taking->result, reading->err) < 0) {
        reading->failed = true;
        reading->stopped = reading->options->stop && atomic_load(reading->options->stop);
        return;
    }
    taking->item_count = item_count(taking->result.task, taking->result.task_len);
    wire = (struct wire){taking->result.data, taking->result.len, false};
    while (wire_more(&wire))
        take_message(reading, &wire);
    if (wire.broken || (!taking->done && !is_given_up(&taking->result)))
        reading_problem(reading, "invalid result from a worker; a part of the evidence may be missing");
    take_losses(reading, UINT64_MAX);
    if (reading->options->bytes)
        atomic_store(reading->options->bytes, crew_bytes(reading->crew));
}

static uint64_t number_count(const char *task, size_t len)
{
    return has_one_number(task, len) ? 1 : item_count(task, len);
}

/* The task that was made, with what may come of it. */
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
    if (reading->task.failed)
        reading_out_of_memory(reading);
    if (reading->failed) {
        for (unsigned i = 0; i < fd_count; i++)
            close(fds[i]);
    } else {
        limit_task(reading, &task);
        task.tag = reading->next_item - number_count(reading->task.data, reading->task.len);
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
