/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_WALK_H
#define KITH_WALK_H

#include <sys/types.h>

#include "base/error.h"

/*
 * The files below a folder of the host, in the order of their names' bytes at each level, so always the same.
 * Symbolic links are not followed.  Nothing is opened but folders; paths may be longer than PATH_MAX.
 */
enum walk_result {
    WALK_END,
    WALK_FILE,    /* a regular file */
    WALK_SPECIAL, /* a device, FIFO or socket; mode tells */
    WALK_LINK,    /* a symbolic link */
    WALK_ERROR,   /* a folder that cannot be read, or without memory; the walk goes on behind it */
};

struct walk_item {
    const char *path; /* valid until the next call */
    mode_t mode;      /* only the type */
};

struct walk;

/* NULL without memory. */
struct walk *walk_new(const char *folder, struct error *err);
void walk_free(struct walk *walk);
enum walk_result walk_next(struct walk *walk, struct walk_item *item, struct error *err);

/*
 * open(2) for reading that leaves the access time alone where that is allowed, does not wait for a FIFO's
 * writer, and takes paths of any length.  flags are added.
 */
int walk_open(const char *path, int flags);

/* "a FIFO", "a character device" .. for the type of a mode. */
const char *walk_kind(mode_t mode);

#endif
