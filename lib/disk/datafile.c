/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/datafile.h"

#include <errno.h>
#include <unistd.h>

#include "base/walk.h"

int datafile_open(struct datafile *file, const char *path, struct content *content, struct error *err)
{
    off_t size;

    if (content) {
        *file = (struct datafile){-1, content->size, content};
        return 0;
    }
    file->content = NULL;
    file->fd = walk_open(path, 0);
    if (file->fd < 0)
        return error_errno(err, "%s", path);
    size = lseek(file->fd, 0, SEEK_END); /* works for block devices, too */
    if (size < 0) {
        error_errno(err, "%s", path);
        close(file->fd);
        return -1;
    }
    file->size = (uint64_t)size;
    return 0;
}

void datafile_close(struct datafile *file)
{
    if (!file->content)
        close(file->fd);
}

int datafile_read(const struct datafile *file, uint64_t offset, void *into, size_t len)
{
    char *at = into;

    if (offset > file->size || len > file->size - offset) {
        errno = EIO;
        return -1;
    }
    if (file->content) {
        errno = EIO;
        return content_read(file->content, offset, into, len);
    }
    while (len > 0) {
        const ssize_t got = pread(file->fd, at, len, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got < 0 ? errno : EIO;
            return -1;
        }
        at += got;
        offset += (uint64_t)got;
        len -= (size_t)got;
    }
    return 0;
}
