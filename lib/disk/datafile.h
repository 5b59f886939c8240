/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DATAFILE_H
#define KITH_DATAFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "disk/content.h"

/* A file of a container, opened for reading. */
struct datafile {
    int fd;
    uint64_t size;
    struct content *content; /* read in place of the descriptor, unless NULL */
};

/* content: borrowed, and read in place of a file of the host, so that path is merely its name; or NULL.  -1
 * with a message that names the file.  After success, close it once. */
int datafile_open(struct datafile *file, const char *path, struct content *content, struct error *err);
void datafile_close(struct datafile *file);
/* Reads all of the bytes; -1 with errno set, even if the file merely ends too early. */
int datafile_read(const struct datafile *file, uint64_t offset, void *into, size_t len);

#endif
