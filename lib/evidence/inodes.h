/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_INODES_H
#define KITH_INODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of arbitrary inode numbers, up to many millions.  Initialize to zeros. */
struct inodes {
    uint64_t *slots; /* inode number + 1; 0: a free slot */
    size_t count, room;
};

/* Returns 1 if it was added, 0 if it was already there, -1 if out of memory. */
int inodes_add(struct inodes *inodes, uint64_t inode);
bool inodes_have(const struct inodes *inodes, uint64_t inode);
/*
 * Turns the set into a sorted list of its members, at the front of slots; afterwards it can only be released.
 */
const uint64_t *inodes_sort(struct inodes *inodes);
void inodes_release(struct inodes *inodes);

#endif
