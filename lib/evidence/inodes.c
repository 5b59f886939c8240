/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/inodes.h"

#include <stdlib.h>

/* Open addressing; the table is at most two thirds full. */
static size_t slot_of(const struct inodes *inodes, uint64_t inode)
{
    size_t slot = (size_t)((inode + 1) * 0x9e3779b97f4a7c15u >> 20) & (inodes->room - 1);

    while (inodes->slots[slot] && inodes->slots[slot] != inode + 1)
        slot = (slot + 1) & (inodes->room - 1);
    return slot;
}

static int grow(struct inodes *inodes)
{
    struct inodes bigger = {.room = inodes->room ? inodes->room * 2 : 64};

    bigger.slots = calloc(bigger.room, sizeof *bigger.slots);
    if (!bigger.slots)
        return -1;
    for (size_t i = 0; i < inodes->room; i++)
        if (inodes->slots[i])
            bigger.slots[slot_of(&bigger, inodes->slots[i] - 1)] = inodes->slots[i];
    bigger.count = inodes->count;
    free(inodes->slots);
    *inodes = bigger;
    return 0;
}

int inodes_add(struct inodes *inodes, uint64_t inode)
{
    size_t slot;

    if (inode == UINT64_MAX) /* no file system has that many inodes */
        return 0;
    if ((inodes->count + 1) * 3 > inodes->room * 2 && grow(inodes))
        return -1;
    slot = slot_of(inodes, inode);
    if (inodes->slots[slot])
        return 0;
    inodes->slots[slot] = inode + 1;
    inodes->count++;
    return 1;
}

bool inodes_have(const struct inodes *inodes, uint64_t inode)
{
    return inodes->room && inode != UINT64_MAX && inodes->slots[slot_of(inodes, inode)];
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

const uint64_t *inodes_sort(struct inodes *inodes)
{
    size_t kept = 0;

    for (size_t i = 0; i < inodes->room; i++)
        if (inodes->slots[i])
            inodes->slots[kept++] = inodes->slots[i] - 1;
    if (kept)
        qsort(inodes->slots, kept, sizeof *inodes->slots, compare);
    return inodes->slots;
}

void inodes_release(struct inodes *inodes)
{
    free(inodes->slots);
    *inodes = (struct inodes){0};
}
