/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reading.h"

/* An image: its volumes in the order of the disk, what is in them, and what lies between. */
enum {
    INODES_PER_TASK = 512,
    BLOCKS_PER_TASK = 1 << 19,
    TASKS_PER_WINDOW = 8, /* of free blocks that are collected before they are handed over */
    RANGES_PER_TASK = 512,
    RANGE_TASK_LEN = 32 << 20,
    LARGEST_CLUSTER = 64 << 10,
};

/* A stretch that is larger is several objects, so that many can read it and an accident costs little. */
#define LARGEST_RANGE ((uint64_t)1 << 30)

/* ---- stretches without files ---- */

struct range_task {
    struct reading *reading;
    enum object_kind kind;
    struct range ranges[RANGES_PER_TASK];
    size_t count;
    uint64_t len;
};

static void give_ranges(struct range_task *task)
{
    struct reading *reading = task->reading;

    if (task->count == 0 || reading->failed)
        return;
    reading_begin(reading, TASK_RANGES);
    wire_put(&reading->task, (uint64_t)task->kind);
    wire_put(&reading->task, task->count);
    for (size_t i = 0; i < task->count; i++) {
        wire_put(&reading->task, task->ranges[i].start);
        wire_put(&reading->task, task->ranges[i].len);
        wire_put(&reading->task, reading_number(reading, NULL, 0));
    }
    reading_give(reading, NULL, 0);
    task->count = 0;
    task->len = 0;
}

void reading_ranges(struct reading *reading, enum object_kind kind, const struct range *ranges, size_t count)
{
    struct range_task task = {.reading = reading, .kind = kind};

    if (!(reading->options->kinds & OBJECT_BIT(kind)))
        return;
    for (size_t i = 0; i < count; i++) {
        uint64_t start = ranges[i].start, end = start + ranges[i].len;

        while (start < end) {
            uint64_t border = (start / LARGEST_RANGE + 1) * LARGEST_RANGE, stop = border < end ? border : end;

            task.ranges[task.count++] = (struct range){start, stop - start};
            task.len += stop - start;
            start = stop;
            if (task.count == RANGES_PER_TASK || task.len >= RANGE_TASK_LEN)
                give_ranges(&task);
        }
    }
    give_ranges(&task);
    reading_drain(reading);
}

/* ---- a file system ---- */

static unsigned kinds_to_ask(const struct reading *reading)
{
    unsigned kinds = reading->options->kinds;

    /* Which of the two a file is, is seen only with its names. */
    if (kinds & (OBJECT_BIT(OBJECT_DELETED) | OBJECT_BIT(OBJECT_ORPHAN)))
        kinds |= OBJECT_BIT(OBJECT_DELETED);
    return kinds;
}

static void begin_objects(struct reading *reading, size_t count)
{
    reading_begin_system(reading, TASK_OBJECTS);
    wire_put(&reading->task, kinds_to_ask(reading));
    wire_put(&reading->task, count);
}

/*
 * An item of the task.  Whether its content is wanted is asked with the names of the inode that allocated
 * files have, or if there are none those that survive.  Of one with too many names not all are known: it is
 * read.
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
    size_t count = reading->all.count;
    const uint64_t *list = inodes_sort(&reading->all);

    for (size_t i = 0; i < count && !reading->failed; i += INODES_PER_TASK) {
        size_t some = count - i < INODES_PER_TASK ? count - i : INODES_PER_TASK;

        begin_objects(reading, some);
        for (size_t k = 0; k < some; k++)
            put_inode(reading, list[i + k]);
        reading_give(reading, NULL, 0);
    }
    reading_drain(reading);
}

/* Free blocks in windows; a stretch that reaches the end of one goes on in the next. */
static void read_free_blocks(struct reading *reading)
{
    const struct filesystem_facts *facts = &reading->system->facts;
    struct ranges *free = &reading->free;
    unsigned in_window = 0;

    free->count = 0;
    if (!(reading->options->kinds & OBJECT_BIT(OBJECT_UNALLOCATED)))
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
        if (last == facts->last_block)
            reading_ranges(reading, OBJECT_UNALLOCATED, free->list, free->count);
        else if (free->count > 1) {
            reading_ranges(reading, OBJECT_UNALLOCATED, free->list, free->count - 1);
            free->list[0] = free->list[free->count - 1];
            free->count = 1;
        }
        if (last == facts->last_block)
            break;
    }
}

/* Less than a cluster is often missing, and nothing with it. */
static void tell_cut(struct reading *reading, const struct system *system)
{
    const struct filesystem_facts *facts = &system->facts;
    uint64_t there = facts->start < reading->size ? reading->size - facts->start : 0;

    if (facts->len > there)
        (facts->len - there < LARGEST_CLUSTER ? reading_note : reading_problem)(
            reading,
            "the %s file system at byte %" PRIu64 " goes on %" PRIu64 " bytes behind the end of the image",
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
                     "%llu allocated files in the %s file system at byte %" PRIu64 " are named by no folder",
                     reading->nameless, system->name, system->facts.start);
}

static void read_system(struct reading *reading, const struct system *system)
{
    const struct filesystem_facts *facts = &system->facts;

    reading->system = system;
    if (facts->has_meta_groups)
        reading_problem(reading,
                        "the %s file system at byte %" PRIu64
                        " has meta_bg, of which libtsk reads only the first groups: inodes "
                        "behind %" PRIu64 " and blocks behind %" PRIu64 " are missing",
                        system->name, facts->start, facts->last_inode, facts->last_block);
    if (facts->inodes_doubtful)
        reading_problem(reading,
                        "the %s file system claims more inodes than it has room for; only the first %" PRIu64
                        " were looked at",
                        system->name, facts->last_inode - facts->first_inode + 1);
    tell_cut(reading, system);
    if (reading->options->kinds & ~(unsigned)(OBJECT_BIT(OBJECT_UNALLOCATED) | OBJECT_BIT(OBJECT_GAP)))
        read_inodes(reading);
    read_free_blocks(reading);
    reading->system = NULL;
}

/* ---- volumes ---- */

/* Several file systems in one volume have addresses of their own: the label tells them apart. */
static void show_volume(struct reading *reading, const struct volume *volume, const struct system *system)
{
    if (system && volume->system_count > 1)
        snprintf(reading->label, sizeof reading->label, "%s/%s%zu", volume->label,
                 system->system.in_pool ? "apfs" : system->name, (size_t)(system - volume->systems));
    else
        snprintf(reading->label, sizeof reading->label, "%s", volume->label);
    reading->shown = (struct evidence_volume){.label = reading->label,
                                              .start = volume->start,
                                              .len = volume->len,
                                              .about = volume->about,
                                              .system = system ? system->name : "",
                                              .content = volume->content,
                                              .encrypted = volume->encrypted};
    reading->sink->volume(reading->sink->arg, &reading->shown);
}

/* Behind the file system: the volume may be larger. */
static void read_rest(struct reading *reading, const struct volume *volume)
{
    uint64_t end = volume->start;
    const uint64_t volume_end = volume->start + volume->len;

    for (size_t i = 0; i < volume->system_count; i++) {
        const struct filesystem_facts *facts = &volume->systems[i].facts;

        if (facts->start >= volume->start && facts->len <= INT64_MAX - facts->start &&
            facts->start + facts->len > end)
            end = facts->start + facts->len;
    }
    if (end < volume_end)
        reading_ranges(reading, OBJECT_GAP, &(struct range){end, volume_end - end}, 1);
}

static void read_volume(struct reading *reading, const struct volume *volume)
{
    if (volume->system_count == 0) {
        show_volume(reading, volume, NULL);
        if (reading->options->system_type)
            return; /* what was asked for is not there, and that was told */
        if (volume->content[0])
            reading_note(reading, "volume %s holds %s%s, of which no files can be told", volume->label,
                         volume->content, volume->encrypted ? " (encrypted)" : "");
        reading_ranges(reading, OBJECT_UNALLOCATED, &(struct range){volume->start, volume->len}, 1);
        return;
    }
    for (size_t i = 0; i < volume->system_count && !reading->failed; i++) {
        show_volume(reading, volume, &volume->systems[i]);
        read_system(reading, &volume->systems[i]);
    }
    if (!volume->systems[0].system.in_pool) /* a pool fills its volume */
        read_rest(reading, volume);
}

static void read_gap(struct reading *reading, uint64_t start, uint64_t end)
{
    reading->shown = (struct evidence_volume){
        .label = "-", .start = start, .len = end - start, .about = "", .system = "", .content = ""};
    reading_ranges(reading, OBJECT_GAP, &(struct range){start, end - start}, 1);
}

static void read_volumes(struct reading *reading)
{
    uint64_t end = 0; /* of what was read */

    for (size_t i = 0; i < reading->volume_count && !reading->failed; i++) {
        const struct volume *volume = &reading->volumes[i];

        if (volume->start > end && !reading->options->has_offset)
            read_gap(reading, end, volume->start);
        read_volume(reading, volume);
        if (volume->start + volume->len > end)
            end = volume->start + volume->len;
    }
    if (end < reading->size && !reading->options->has_offset && !reading->failed)
        read_gap(reading, end, reading->size);
}

/* ---- finding them ---- */

static int compare_volumes(const void *a, const void *b)
{
    const struct volume *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void add_volume(struct reading *reading, const char *label, uint64_t start)
{
    struct volume *volumes = realloc(reading->volumes, (reading->volume_count + 1) * sizeof *volumes);

    if (!volumes) {
        reading_out_of_memory(reading);
        return;
    }
    reading->volumes = volumes;
    volumes[reading->volume_count] = (struct volume){.start = start, .len = reading->size - start};
    snprintf(volumes[reading->volume_count].label, sizeof volumes->label, "%s", label);
    reading->volume_count++;
}

static void ask_table(struct reading *reading, uint64_t offset, bool is_cut)
{
    reading_begin(reading, TASK_TABLE);
    wire_put(&reading->task, offset);
    wire_put(&reading->task, is_cut);
    reading_give(reading, NULL, 0);
    reading_drain(reading);
}

/* Asks for the file systems in the volumes from first on. */
static void ask_systems(struct reading *reading, size_t first, const char *type)
{
    reading_begin(reading, TASK_SYSTEMS);
    wire_put_bytes(&reading->task, type ? type : "", type ? strlen(type) : 0);
    wire_put(&reading->task, reading->volume_count - first);
    for (size_t i = first; i < reading->volume_count; i++) {
        wire_put(&reading->task, reading->volumes[i].start);
        wire_put(&reading->task, reading->volumes[i].len);
    }
    reading->first_volume = first;
    reading_give(reading, NULL, 0);
    reading_drain(reading);
}

static bool is_unknown(const struct volume *volume)
{
    return volume->system_count == 0 && !volume->content[0];
}

static void label_volumes(struct reading *reading, size_t first, const struct volume *within)
{
    for (size_t i = first; i < reading->volume_count; i++) {
        struct volume *volume = &reading->volumes[i];

        if (within)
            snprintf(volume->label, sizeof volume->label, "%" PRIu64 ".%" PRIu64 "@%" PRIu64, within->number,
                     volume->number, volume->start);
        else
            snprintf(volume->label, sizeof volume->label, "%" PRIu64 "@%" PRIu64, volume->number,
                     volume->start);
    }
}

static void forget_volume(struct reading *reading, size_t i)
{
    free(reading->volumes[i].systems);
    memmove(&reading->volumes[i], &reading->volumes[i + 1],
            (--reading->volume_count - i) * sizeof *reading->volumes);
}

static bool is_label(const char *table)
{
    return strcmp(table, "bsd") == 0 || strcmp(table, "sun") == 0;
}

/* A BSD or Sun label in a partition divides that again.  Entries that stand for all of it are no volumes. */
static void look_into(struct reading *reading, size_t i)
{
    const struct volume outer = reading->volumes[i];
    size_t first = reading->volume_count;
    char table[sizeof reading->table];

    memcpy(table, reading->table, sizeof table);
    reading->table[0] = '\0';
    reading->forgiving = true;
    ask_table(reading, outer.start, false);
    reading->forgiving = false;
    for (size_t k = first; k < reading->volume_count;) {
        const struct volume *inner = &reading->volumes[k];
        bool inside = inner->start >= outer.start && inner->start + inner->len <= outer.start + outer.len &&
                      inner->len < outer.len;

        if (inside && is_label(reading->table))
            k++;
        else
            forget_volume(reading, k);
    }
    memcpy(reading->table, table, sizeof table);
    if (reading->volume_count == first)
        return;
    label_volumes(reading, first, &outer);
    ask_systems(reading, first, reading->options->system_type);
    forget_volume(reading, i);
}

/* A volume in which nothing was found, and that holds others, is only the room that they lie in. */
static void drop_containers(struct reading *reading)
{
    for (size_t i = 0; i < reading->volume_count;) {
        const struct volume *outer = &reading->volumes[i];
        bool holds = false;

        for (size_t k = 0; k < reading->volume_count && is_unknown(outer); k++) {
            const struct volume *inner = &reading->volumes[k];

            holds = holds || (k != i && inner->start >= outer->start && inner->len < outer->len &&
                              inner->start + inner->len <= outer->start + outer->len);
        }
        if (holds)
            forget_volume(reading, i);
        else
            i++;
    }
}

static bool begins_with_volume(const struct reading *reading)
{
    for (size_t i = 0; i < reading->volume_count; i++)
        if (reading->volumes[i].start == 0)
            return true;
    return false;
}

/* A disc's image may have a partition table besides, for starting a computer from it. */
static void look_for_disc(struct reading *reading)
{
    size_t at = reading->volume_count;

    if (begins_with_volume(reading))
        return;
    add_volume(reading, "-", 0);
    reading->forgiving = true;
    ask_systems(reading, at, "iso9660");
    reading->forgiving = false;
    if (at < reading->volume_count && reading->volumes[at].system_count == 0)
        forget_volume(reading, at);
}

/* The volumes of a partition table, and what is in them. */
static void open_volumes(struct reading *reading)
{
    size_t count;

    label_volumes(reading, 0, NULL);
    ask_systems(reading, 0, reading->options->system_type);
    count = reading->volume_count;
    for (size_t i = 0; i < count && !reading->failed;) {
        size_t before = reading->volume_count;

        if (is_unknown(&reading->volumes[i]) && !is_label(reading->table))
            look_into(reading, i);
        if (reading->volume_count == before)
            i++;
        else
            count--;
    }
    drop_containers(reading);
    if (!reading->options->system_type)
        look_for_disc(reading);
}

/* A disk without a partition table is one volume, unless the table tells of more than the image holds. */
static void open_whole(struct reading *reading)
{
    add_volume(reading, "-", 0);
    ask_systems(reading, 0, reading->options->system_type);
    if (reading->volume_count == 0 || !is_unknown(&reading->volumes[0]))
        return;
    ask_table(reading, 0, true);
    if (reading->volume_count == 1)
        return;
    reading_problem(reading, "the partition table tells of more than the image holds: it is cut");
    forget_volume(reading, 0);
    open_volumes(reading);
}

static void find_volumes(struct reading *reading)
{
    const struct evidence_options *options = reading->options;
    const uint64_t start = options->sector * reading->sector_size;
    char label[64];

    if (options->has_offset) {
        snprintf(label, sizeof label, "-@%" PRIu64, start);
        add_volume(reading, label, start);
        ask_systems(reading, 0, options->system_type);
        if (reading->volume_count && is_unknown(&reading->volumes[0]) && !options->system_type)
            reading_problem(reading, "at sector %" PRIu64 " begins no file system", options->sector);
    } else {
        ask_table(reading, 0, false);
        if (reading->volume_count)
            open_volumes(reading);
        else
            open_whole(reading);
    }
    if (reading->volume_count)
        qsort(reading->volumes, reading->volume_count, sizeof *reading->volumes, compare_volumes);
}

/* A file in which nothing of a disk can be seen is a file. */
static bool is_plain(const struct reading *reading)
{
    const struct evidence_options *options = reading->options;
    struct stat st;

    return !options->image_type && !options->system_type && !options->has_offset &&
           strcmp(reading->format, "raw") == 0 && reading->volume_count <= 1 &&
           (reading->volume_count == 0 || (is_unknown(&reading->volumes[0]) && !reading->table[0])) &&
           stat(reading->path, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == reading->size;
}

void reading_image(struct reading *reading)
{
    const struct evidence_options *options = reading->options;

    reading_begin(reading, TASK_IMAGE);
    reading_give(reading, NULL, 0);
    reading_drain(reading);
    if (!reading->failed && options->has_offset && options->sector >= reading->size / reading->sector_size) {
        error_set(reading->err, "%s: there is no sector %" PRIu64 " in it, it has %" PRIu64, reading->path,
                  options->sector, reading->size / reading->sector_size);
        reading->failed = true;
    }
    if (!reading->failed && reading->size > 0)
        find_volumes(reading);
    if (reading->failed)
        return;
    if (is_plain(reading)) {
        reading_file(reading);
        return;
    }
    reading->sink->image(reading->sink->arg, &(struct evidence_image){.format = reading->format,
                                                                      .table = reading->table,
                                                                      .size = reading->size,
                                                                      .sector_size = reading->sector_size});
    read_volumes(reading);
}
