/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FILE_H
#define KITH_FILE_H

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"

/* A whole file; the caller frees what is loaded. */

static inline uint8_t *file_load(const char *name, size_t *len)
{
    const int fd = open(name, O_RDONLY);
    struct stat status;
    uint8_t *data;

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fstat(fd, &status), 0);
    *len = (size_t)status.st_size;
    data = malloc(*len + 1);
    ck_assert_int_eq(read(fd, data, *len), (ssize_t)*len);
    close(fd);
    return data;
}

static inline void file_store(const char *name, const void *data, size_t len)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, data, len), (ssize_t)len);
    close(fd);
}

#endif
