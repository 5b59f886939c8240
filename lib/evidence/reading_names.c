/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "evidence/reading.h"

/*
 * The names of a file system.  Folders are read level by level, each once, so what is found does not depend
 * on the number of workers, and neither circles nor depth matter.  Deleted folders come after all others:
 * what they name was often used again since.
 */
enum { FOLDERS_PER_TASK = 64, RECORDS_PER_TASK = 4096 };

static int compare_inodes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* In the order of the disk, so that neighbours are read together. */
static void read_level(struct reading *reading, uint64_t *folders, size_t count)
{
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

static void read_levels(struct reading *reading)
{
    while (reading->next_count && !reading->failed) {
        uint64_t *level = reading->next_level;
        size_t count = reading->next_count;

        reading->next_level = NULL;
        reading->next_count = reading->next_room = 0;
        read_level(reading, level, count);
        free(level);
    }
}

/* What deleted folders name; among that may be more of them. */
static void read_deleted(struct reading *reading)
{
    reading->forgiving = true;
    while (reading->deleted_count && !reading->failed) {
        uint64_t *deleted = reading->deleted;
        size_t count = reading->deleted_count;

        reading->deleted = NULL;
        reading->deleted_count = reading->deleted_room = 0;
        for (size_t i = 0; i < count; i++)
            if (reading_add_folder(reading, deleted[i], false))
                reading_out_of_memory(reading);
        free(deleted);
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
    reading->listing = true;
    reading_begin_system(reading, TASK_LIST);
    reading_give(reading, NULL, 0);
    reading_drain(reading);
    reading->listing = false;
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
    reading->names_cut = false;
    if (!reading->names) {
        reading_out_of_memory(reading);
        return;
    }
    reading->naming = true;
    if (reading->system->facts.plan == FILESYSTEM_RECORDS)
        read_records(reading);
    else
        read_folders(reading);
    reading->naming = false;
    inodes_release(&reading->seen);
    names_finish(reading->names, reading->system->facts.root);
}

void reading_forget_names(struct reading *reading)
{
    names_free(reading->names);
    reading->names = NULL;
    inodes_release(&reading->seen);
    inodes_release(&reading->all);
    free(reading->next_level);
    free(reading->deleted);
    reading->next_level = reading->deleted = NULL;
    reading->next_count = reading->next_room = reading->deleted_count = reading->deleted_room = 0;
}
