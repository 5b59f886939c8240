/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "evidence/reading.h"

/* Incoming names: each is added to the names of its file system, and folders are queued for reading. */

static int append(struct folder_list *list, uint64_t inode)
{
    if (array_reserve(&list->inodes, &list->room, list->count + 1))
        return -1;
    list->inodes[list->count++] = inode;
    return 0;
}

int reading_add_folder(struct reading *reading, uint64_t inode, bool deleted)
{
    if (deleted)
        return append(&reading->naming.deleted, inode);
    switch (inodes_add(&reading->naming.seen, inode)) {
    case 1:
        return append(&reading->naming.next, inode);
    default:
        return 0;
    case -1:
        return -1;
    }
}

/* A file found only by searching the whole file system; it may carry its own name. */
static int take_listed(struct reading *reading, const struct filesystem_name *name)
{
    int is_new = inodes_add(&reading->all, name->inode);

    if (is_new <= 0)
        return is_new;
    if (!name->allocated && name->len &&
        names_add(reading->names, name->inode, 0, 0, NAMES_TOP | (name->folder ? NAMES_FOLDER : 0),
                  name->name, name->len))
        return -1;
    return name->folder ? reading_add_folder(reading, name->inode, !name->allocated) : 0;
}

static int take_found(struct reading *reading, const struct filesystem_name *name)
{
    unsigned flags = (name->allocated ? NAMES_ALLOCATED : 0) | (name->folder ? NAMES_FOLDER : 0);
    enum filesystem_plan plan = reading->system->facts.plan;

    if (name->inode == 0 && plan != FILESYSTEM_RECORDS && !name->allocated)
        return 0; /* the name no longer leads to an inode */
    if (names_add(reading->names, name->inode, name->parent, name->parent_sequence, flags, name->name,
                  name->len))
        return -1;
    if ((plan == FILESYSTEM_BY_LIST || plan == FILESYSTEM_BY_NAME) &&
        inodes_add(&reading->all, name->inode) < 0)
        return -1;
    return name->folder && plan != FILESYSTEM_RECORDS
               ? reading_add_folder(reading, name->inode, !name->allocated)
               : 0;
}

/* Folders may share their blocks, and so list more names than the disk has room for. */
static bool too_many(struct reading *reading)
{
    bool over = names_count(reading->names) > reading->size / EVIDENCE_SMALLEST_NAME + EVIDENCE_MORE_NAMES;

    if (over && !reading->naming.is_cut) {
        bool forgiving = reading->forgiving;

        reading->naming.is_cut = true;
        reading->forgiving = false;
        reading_problem(reading,
                        "the folders list more names than the image has room for; some names are missing");
        reading->forgiving = forgiving;
    }
    return over;
}

void reading_take_name(struct reading *reading, const struct filesystem_name *name)
{
    if (reading->naming.phase == NAMING_NOTHING || too_many(reading))
        return;
    if (reading->naming.phase == NAMING_LISTED ? take_listed(reading, name) : take_found(reading, name))
        reading_out_of_memory(reading);
}
