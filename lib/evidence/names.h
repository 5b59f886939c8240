/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_NAMES_H
#define KITH_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * The names of a file system's files: collected in any order, then looked up by inode.  Made for millions of
 * names; each takes about 24 bytes plus its text.
 *
 * Paths are built by following the parents.  Nothing can be trusted: there may be cycles, parents that are
 * missing or are not folders, names with slashes, and paths of any length.
 */
struct names;

/* NULL if out of memory. */
struct names *names_new(void);
void names_free(struct names *names);

enum {
    NAMES_ALLOCATED = 1,
    NAMES_FOLDER = 2,
    NAMES_TOP = 4, /* it has no parent: it belongs in the folder of orphans */
};

/*
 * Adds a name; -1 if out of memory.  parent_sequence: which use of the parent's inode is meant; 0 if the file
 * system does not distinguish uses.
 */
int names_add(struct names *names, uint64_t inode, uint64_t parent, uint32_t parent_sequence, unsigned flags,
              const char *name, size_t len);
/* Records the current use of an inode, where names state the use of their parent.  -1 if out of memory. */
int names_set_sequence(struct names *names, uint64_t inode, uint32_t sequence, bool allocated);

/* Call after all names have been added, before any lookup. */
void names_finish(struct names *names, uint64_t root);

/* Returns true if the inode has a name; with allocated, only allocated names count. */
bool names_know(const struct names *names, uint64_t inode, bool allocated);

/*
 * Appends the paths of an inode to the buffer, sorted, without a leading slash, each NUL-terminated; returns
 * their number.  For an allocated inode these are its allocated names, for a deleted one all that survive.
 * lost is set if none of them leads to the root; they then begin with $OrphanFiles.  Of an overlong path only
 * the end is kept, after "..."; if an inode has too many names, only some are returned and more is set.
 */
size_t names_paths(struct names *names, uint64_t inode, bool allocated, struct buffer *paths, bool *lost,
                   bool *more);

/* Returns how many names were added. */
size_t names_count(const struct names *names);

#endif
