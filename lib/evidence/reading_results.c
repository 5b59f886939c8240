/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "evidence/batch.h"
#include "evidence/evidence_wire.h"
#include "evidence/reading.h"

/* Processes the messages of a result. */

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
    if (reading->bounds.bytes == 0) /* a device */
        reading_allow_members(reading, reading->size);
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
    struct volume volume = {0};
    uint64_t missing;

    volume.number = wire_get(wire);
    volume.start = wire_get(wire);
    volume.len = wire_get(wire);
    missing = wire_get(wire);
    take_text(wire, volume.about, sizeof volume.about);
    if (array_resize(&reading->answer, reading->answer_count + 1)) {
        reading_out_of_memory(reading);
        return;
    }
    if (missing)
        reading_problem(reading,
                        "volume %" PRIu64 " at byte %" PRIu64 ": %" PRIu64
                        " bytes lie beyond the end of the image",
                        volume.number, volume.start, missing);
    if (wire->broken || volume.len == 0 || volume.start >= reading->size ||
        volume.len > reading->size - volume.start)
        return;
    if (is_known_volume(reading, &volume))
        reading_note(reading, "volume %" PRIu64 " covers the same bytes as an earlier one", volume.number);
    else if (reading->volume_count + reading->answer_count >= MAX_VOLUMES)
        reading_problem(reading, "more than %d volumes; volume %" PRIu64 " is skipped", MAX_VOLUMES,
                        volume.number);
    else
        reading->answer[reading->answer_count++] = volume;
}

/* The volume that an answer refers to. */
static struct volume *asked_volume(struct reading *reading, struct wire *wire)
{
    uint64_t item = wire_get(wire);

    if (wire->broken || item >= reading->asked_count) {
        wire->broken = true;
        return NULL;
    }
    return &reading->asked[item];
}

/* Workers are not trusted: no number may exceed what the image allows. */
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
    struct system system = {0};
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
    if (!volume)
        return;
    if (array_resize(&volume->systems, volume->system_count + 1))
        reading_out_of_memory(reading);
    else if (!wire->broken)
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

    if (!wire->broken && reading->naming.phase != NAMING_NOTHING &&
        names_set_sequence(reading->names, inode, (uint32_t)sequence, allocated != 0))
        reading_out_of_memory(reading);
}

/*
 * Each worker reports what it finds; the sink gets only what is new.  The number kept is limited: nobody
 * could read a report of more.
 */
static int add_bad(struct reading *reading, uint64_t start, uint64_t len)
{
    const bool room = reading->bad.count < MAX_BAD;

    if (!room && !reading->bad_cut)
        reading_problem(
            reading, "more than %d ranges of the image cannot be read; not all of them are listed", MAX_BAD);
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

/* Only tasks with numbered items yield objects, and these come in order. */
static void take_object(struct reading *reading, struct wire *wire)
{
    struct taking *taking = &reading->taking;
    const uint64_t item = wire_get(wire);

    if (item < taking->item || item >= taking->item_count)
        wire->broken = true;
    if (wire->broken)
        return;
    taking->item = item;
    reading_take_losses(reading, item * BATCH_HALVES);
    if (!object_decode(wire, &reading->object))
        return;
    reading->object.item = reading_item_number(taking, item);
    reading_take_object(reading, &reading->object);
}

/* A member of the object that came last. */
static void take_member(struct reading *reading, struct wire *wire)
{
    const uint64_t item = wire_get(wire);

    if (item != reading->taking.item)
        wire->broken = true;
    if (wire->broken || !object_decode(wire, &reading->object))
        return;
    reading->object.item = reading_item_number(&reading->taking, item);
    reading_take_member(reading, &reading->object);
}

void reading_take_message(struct reading *reading, struct wire *wire)
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
    case MESSAGE_MEMBER:
        take_member(reading, wire);
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
    case MESSAGE_DONE: /* evidence_rules_accept has compared its numbers */
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
