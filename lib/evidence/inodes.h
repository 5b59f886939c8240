/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_INODES_H
#define KITH_INODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of inode numbers, any of them, up to many millions.  One of zeros is empty. */
struct inodes {
    uint64_t *slots; /* number + 1; 0 is a free one */
    size_t count, room;
};

/* 1 if it was not there yet, 0 if it was, -1 without memory. */
int inodes_add(struct inodes *inodes, uint64_t inode);
bool inodes_have(const struct inodes *inodes, uint64_t inode);
/* Turns the set into the sorted list of its members, at the front of slots; after that it can only be
 * released. */
const uint64_t *inodes_sort(struct inodes *inodes);
void inodes_release(struct inodes *inodes);

#endif
