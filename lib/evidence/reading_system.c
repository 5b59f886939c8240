/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "evidence/reading.h"

/* A file system: its names, then all inodes in order, then what lies outside files. */
enum {
    INODES_PER_TASK = 512,
    BLOCKS_PER_TASK = 1 << 19,
    TASKS_PER_WINDOW = 8, /* of free blocks, collected before they are handed out */
    LARGEST_CLUSTER = 64 << 10,
};

/* The kinds whose content is wanted. */
static unsigned wanted_kinds(const struct reading *reading)
{
    unsigned kinds = reading->options->kinds;

    /* Only its names show whether a file is deleted or an orphan. */
    if (kinds & (OBJECT_BIT(OBJECT_DELETED) | OBJECT_BIT(OBJECT_ORPHAN)))
        kinds |= OBJECT_BIT(OBJECT_DELETED);
    /* Members alone are those of all objects. */
    return kinds == OBJECT_BIT(OBJECT_MEMBER) ? OBJECT_STORED : kinds;
}

static void begin_objects(struct reading *reading, size_t count)
{
    reading_begin_system(reading, TASK_OBJECTS);
    wire_put(&reading->task,
             reading_tracks(reading) ? reading->options->kinds | OBJECT_STORED : wanted_kinds(reading));
    wire_put(&reading->task, wanted_kinds(reading));
    wire_put(&reading->task, count);
}

/*
 * Appends an inode as an item.  options->wanted is asked with its allocated names, or if there are none with
 * those that survive.  An inode with too many names to ask with is read without asking.
 */
static void put_inode(struct reading *reading, uint64_t inode)
{
    const struct evidence_options *options = reading->options;
    struct buffer *paths = &reading->paths;
    bool wanted, lost, more = false;
    size_t count = 0;

    buffer_reset(paths);
    if (options->wanted && reading->names && reading->next_item >= options->first_item)
        count =
            names_paths(reading->names, inode, names_know(reading->names, inode, true), paths, &lost, &more);
    if (paths->failed)
        reading_out_of_memory(reading);
    wanted = reading_number(reading, more || paths->failed ? NULL : count ? paths->data : "", count);
    wire_put(&reading->task, inode);
    wire_put(&reading->task, wanted);
}

static void read_all_inodes(struct reading *reading)
{
    const struct filesystem_facts *facts = &reading->system->facts;

    for (uint64_t first = facts->first_inode; first <= facts->last_inode && !reading->failed;
         first += INODES_PER_TASK) {
        uint64_t left = facts->last_inode - first + 1,
                 count = left < INODES_PER_TASK ? left : INODES_PER_TASK;

        begin_objects(reading, (size_t)count);
        for (uint64_t i = 0; i < count; i++)
            put_inode(reading, first + i);
        reading_give(reading, NULL, 0);
    }
    reading_drain(reading);
}

static void read_known_inodes(struct reading *reading)
{
    struct inodes all = reading->all; /* complete by now */
    size_t count = all.count;
    const uint64_t *list = inodes_sort(&all);

    reading->all = (struct inodes){0};
    for (size_t i = 0; i < count && !reading->failed; i += INODES_PER_TASK) {
        size_t some = count - i < INODES_PER_TASK ? count - i : INODES_PER_TASK;

        begin_objects(reading, some);
        for (size_t k = 0; k < some; k++)
            put_inode(reading, list[i + k]);
        reading_give(reading, NULL, 0);
    }
    reading_drain(reading);
    inodes_release(&all);
}

/* Turns the ranges found into objects; the last one may continue in the next window. */
static void read_window(struct reading *reading, bool is_last)
{
    struct ranges free = reading->found;

    reading->found = (struct ranges){.list = NULL};
    if (!is_last && free.count > 0) {
        const struct range last = free.list[--free.count];

        if (ranges_add(&reading->found, last.start, last.len))
            reading_out_of_memory(reading);
    }
    reading_ranges(reading, OBJECT_UNALLOCATED, free.list, free.count);
    ranges_release(&free);
}

/* Works in windows; a range that reaches the end of one continues in the next. */
static void read_free_blocks(struct reading *reading)
{
    const struct filesystem_facts *facts = &reading->system->facts;
    unsigned in_window = 0;

    reading->found.count = 0;
    if (!reading_wants(reading, OBJECT_UNALLOCATED) && !reading_tracks(reading))
        return;
    for (uint64_t first = facts->first_block; first <= facts->last_block && !reading->failed;
         first += BLOCKS_PER_TASK) {
        uint64_t last =
            facts->last_block - first < BLOCKS_PER_TASK ? facts->last_block : first + BLOCKS_PER_TASK - 1;

        reading_begin_system(reading, TASK_BLOCKS);
        wire_put(&reading->task, first);
        wire_put(&reading->task, last);
        reading_give(reading, NULL, 0);
        if (++in_window < TASKS_PER_WINDOW && last != facts->last_block)
            continue;
        in_window = 0;
        reading_drain(reading);
        read_window(reading, last == facts->last_block);
        if (last == facts->last_block)
            break;
    }
}

/* Tables, superblocks, boot areas, bitmaps: whatever is neither a file nor free. */
static void read_structures(struct reading *reading)
{
    struct ranges found;

    reading->found.count = 0;
    if (!reading_wants(reading, OBJECT_METADATA) && !reading_tracks(reading))
        return;
    reading_begin_system(reading, TASK_STRUCTURES);
    reading_give(reading, NULL, 0);
    reading_drain(reading);
    found = reading->found;
    reading->found = (struct ranges){.list = NULL};
    ranges_sort(&found);
    reading_ranges(reading, OBJECT_METADATA, found.list, found.count);
    ranges_release(&found);
}

/* Often less than a cluster is missing, and no data with it: that is only a note. */
static void report_cut(struct reading *reading, const struct system *system)
{
    const struct filesystem_facts *facts = &system->facts;
    uint64_t there = facts->start < reading->size ? reading->size - facts->start : 0;

    if (facts->len > there)
        (facts->len - there < LARGEST_CLUSTER ? reading_note : reading_problem)(
            reading,
            "the %s file system at byte %" PRIu64 " extends %" PRIu64 " bytes beyond the end of the image",
            system->name, facts->start, facts->len - there);
}

static void read_inodes(struct reading *reading)
{
    const struct system *system = reading->system;

    reading->nameless = 0;
    reading_names(reading);
    if (system->facts.plan == FILESYSTEM_BY_LIST || system->facts.plan == FILESYSTEM_BY_NAME)
        read_known_inodes(reading);
    else
        read_all_inodes(reading);
    reading_forget_names(reading);
    if (reading->nameless)
        reading_note(reading,
                     "allocated files that no folder lists in the %s file system at byte %" PRIu64 ": %llu",
                     system->name, system->facts.start, reading->nameless);
}

void reading_system(struct reading *reading, const struct system *system)
{
    const struct filesystem_facts *facts = &system->facts;

    reading->system = system;
    if (facts->has_meta_groups) /* QUIRK_EXT_META_GROUPS */
        reading_problem(reading,
                        "the %s file system at byte %" PRIu64
                        " uses meta_bg, of which libtsk can read only the first groups: inodes after %" PRIu64
                        " are not listed, and blocks after %" PRIu64 " are reported as unclaimed",
                        system->name, facts->start, facts->last_inode, facts->last_block);
    if (facts->inodes_doubtful)
        reading_problem(reading,
                        "the %s file system claims more inodes than it has room for; only the first %" PRIu64
                        " were examined",
                        system->name, facts->last_inode - facts->first_inode + 1);
    report_cut(reading, system);
    if (reading->options->kinds & ~(unsigned)(OBJECT_BIT(OBJECT_UNALLOCATED) | OBJECT_BIT(OBJECT_GAP)))
        read_inodes(reading);
    read_structures(reading);
    read_free_blocks(reading);
    reading->system = NULL;
}
