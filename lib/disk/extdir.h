/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXTDIR_H
#define KITH_EXTDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The names in a block of an ext2/3/4 folder, including deleted ones: removing an entry only extends the
 * length of the entry before it.  Needed because of QUIRK_EXT_FOLDER_TIME.
 */
struct extdir_name {
    uint64_t inode;
    bool allocated;
    uint8_t type; /* EXTDIR_* or another; EXTDIR_UNKNOWN if the file system does not record it */
    const char *name;
    size_t len;
};

enum { EXTDIR_UNKNOWN = 0, EXTDIR_FOLDER = 2 };

struct extdir {
    bool has_types;      /* entries record the type of the file (a feature of the file system) */
    uint64_t last_inode; /* a deleted entry with a higher inode is rejected */
    int (*found)(void *arg, const struct extdir_name *name); /* not 0: stop */
    void *arg;
};

/* Reports all names except "." and "..".  -1 if the chain of entries is broken; the names found have been
 * reported. */
int extdir_block(const struct extdir *dir, const uint8_t *block, size_t len);

#endif
