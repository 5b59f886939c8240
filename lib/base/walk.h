/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_WALK_H
#define KITH_WALK_H

#include <sys/types.h>

#include "base/error.h"

/*
 * Walks the files below a host folder, each level sorted by the bytes of the names, so the order is always
 * the same.  Symbolic links are not followed.  Only folders are opened; paths may be longer than PATH_MAX.
 */
enum walk_result {
    WALK_END,
    WALK_FILE,    /* a regular file */
    WALK_SPECIAL, /* a device, FIFO or socket, according to mode */
    WALK_LINK,    /* a symbolic link */
    WALK_ERROR,   /* an unreadable folder, or out of memory; the walk continues after it */
};

struct walk_item {
    const char *path; /* valid until the next call */
    mode_t mode;      /* the file type bits only */
};

struct walk;

/* NULL if memory runs out. */
struct walk *walk_new(const char *folder, struct error *err);
void walk_free(struct walk *walk);
enum walk_result walk_next(struct walk *walk, struct walk_item *item, struct error *err);

/*
 * open(2) for reading, with additional flags: preserves the access time where permitted, does not block on a
 * FIFO, and takes paths of any length.
 */
int walk_open(const char *path, int flags);

/* The type of a mode in words: "a FIFO", "a character device", ... */
const char *walk_kind(mode_t mode);

#endif
