/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_NAMES_H
#define KITH_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * The names of a file system's files, collected in any order, then asked for by inode.  Made for millions:
 * some 24 bytes a name besides its text.
 *
 * Paths are made of names by following the parents.  Nothing is to be trusted: there are circles, parents
 * that are no folders or are gone, names with slashes, and paths that are longer than anything.
 */
struct names;

/* NULL without memory. */
struct names *names_new(void);
void names_free(struct names *names);

enum {
    NAMES_ALLOCATED = 1,
    NAMES_FOLDER = 2,
    NAMES_TOP = 4, /* nothing is above it: it lies in the folder of lost files */
};

/*
 * Adds a name; -1 without memory.  parent_sequence: the use of the parent's inode that is meant, 0 if inodes
 * are not told apart by use.
 */
int names_add(struct names *names, uint64_t inode, uint64_t parent, uint32_t parent_sequence, unsigned flags,
              const char *name, size_t len);
/* Which use of the inode this is, where names tell that of their parent. */
int names_set_sequence(struct names *names, uint64_t inode, uint32_t sequence, bool allocated);

/* To be called when all are there, before asking. */
void names_finish(struct names *names, uint64_t root);

/* Whether any name of that inode is there: an allocated one's, or a deleted one's. */
bool names_know(const struct names *names, uint64_t inode, bool allocated);

/*
 * Adds the paths of an inode to the buffer, without a leading slash, sorted, each followed by a zero byte;
 * returns their number.  An allocated inode has the names that are; a deleted one all that survive.  lost: if
 * none of them leads to the root; it then begins with $OrphanFiles.  Of a path that is too long only the end
 * is told, behind "...", and of an inode with too many names only some: then more is set.
 */
size_t names_paths(struct names *names, uint64_t inode, bool allocated, struct buffer *paths, bool *lost,
                   bool *more);

/* How many were added. */
size_t names_count(const struct names *names);

#endif
