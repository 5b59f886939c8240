/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "evidence/reading.h"

/*
 * The names of a file system.  Folders are read level by level, each once, so that the result does not depend
 * on the number of workers, and cycles or depth do no harm.  Deleted folders come last: the inodes they list
 * have often been reused.
 */
enum { FOLDERS_PER_TASK = 64, RECORDS_PER_TASK = 4096 };

static int compare_inodes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* In disk order, so that neighbouring folders are read together. */
static void read_level(struct reading *reading, const struct folder_list *level)
{
    uint64_t *folders = level->inodes;
    const size_t count = level->count;

    qsort(folders, count, sizeof *folders, compare_inodes);
    for (size_t i = 0; i < count && !reading->failed; i += FOLDERS_PER_TASK) {
        size_t some = count - i < FOLDERS_PER_TASK ? count - i : FOLDERS_PER_TASK;

        reading_begin_system(reading, TASK_FOLDERS);
        wire_put(&reading->task, some);
        for (size_t k = 0; k < some; k++)
            wire_put(&reading->task, folders[i + k]);
        reading_give(reading, NULL, 0);
    }
    reading_drain(reading);
}

/* Detaches a list, since reading its folders may add to it. */
static struct folder_list take_list(struct folder_list *list)
{
    const struct folder_list taken = *list;

    *list = (struct folder_list){0};
    return taken;
}

static void read_levels(struct reading *reading)
{
    while (reading->naming.next.count && !reading->failed) {
        const struct folder_list level = take_list(&reading->naming.next);

        read_level(reading, &level);
        free(level.inodes);
    }
}

/* Reads the deleted folders; these may list more of them. */
static void read_deleted(struct reading *reading)
{
    reading->forgiving = true;
    while (reading->naming.deleted.count && !reading->failed) {
        const struct folder_list deleted = take_list(&reading->naming.deleted);

        for (size_t i = 0; i < deleted.count; i++)
            if (reading_add_folder(reading, deleted.inodes[i], false))
                reading_out_of_memory(reading);
        free(deleted.inodes);
        read_levels(reading);
    }
    reading->forgiving = false;
}

static void read_folders(struct reading *reading)
{
    /* QUIRK_ORPHAN_ROOT */
    if (reading->system->facts.plan == FILESYSTEM_BY_NUMBER &&
        reading->system->facts.root == reading->system->facts.last_inode) {
        reading_problem(reading, "libtsk finds no files in the %s file system", reading->system->name);
        return;
    }
    if (reading_add_folder(reading, reading->system->facts.root, false))
        reading_out_of_memory(reading);
    read_levels(reading);
    read_deleted(reading);
    if (reading->system->facts.plan != FILESYSTEM_BY_LIST)
        return;
    reading->naming.phase = NAMING_LISTED;
    reading_begin_system(reading, TASK_LIST);
    reading_give(reading, NULL, 0);
    reading_drain(reading);
    reading->naming.phase = NAMING_FOUND;
    read_levels(reading);
    read_deleted(reading);
}

static void read_records(struct reading *reading)
{
    const struct filesystem_facts *facts = &reading->system->facts;

    for (uint64_t first = facts->first_inode; first <= facts->last_inode && !reading->failed;
         first += RECORDS_PER_TASK) {
        uint64_t left = facts->last_inode - first + 1;

        reading_begin_system(reading, TASK_RECORDS);
        wire_put(&reading->task, first);
        wire_put(&reading->task, left < RECORDS_PER_TASK ? left : RECORDS_PER_TASK);
        reading_give(reading, NULL, 0);
    }
    reading_drain(reading);
}

void reading_names(struct reading *reading)
{
    reading->names = names_new();
    reading->naming.is_cut = false;
    if (!reading->names) {
        reading_out_of_memory(reading);
        return;
    }
    reading->naming.phase = NAMING_FOUND;
    if (reading->system->facts.plan == FILESYSTEM_RECORDS)
        read_records(reading);
    else
        read_folders(reading);
    reading->naming.phase = NAMING_NOTHING;
    inodes_release(&reading->naming.seen);
    names_finish(reading->names, reading->system->facts.root);
}

void reading_forget_names(struct reading *reading)
{
    names_free(reading->names);
    reading->names = NULL;
    inodes_release(&reading->naming.seen);
    inodes_release(&reading->all);
    free(reading->naming.next.inodes);
    free(reading->naming.deleted.inodes);
    reading->naming = (struct folder_reading){.is_cut = false};
}
