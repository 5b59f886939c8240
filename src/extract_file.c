/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extract_inner.h"

int extract_file_fail(struct extract *extract, const struct error *err)
{
    if (!extract->failed)
        complain_error(err);
    extract->failed = true;
    return -1;
}

static int fail_errno(const struct extract_file *file)
{
    struct error err;

    error_errno(&err, "%s/%s", file->extract->folder, file->name);
    return extract_file_fail(file->extract, &err);
}

int extract_file_open(struct extract_file *file, struct extract *extract, char *name)
{
    struct error err;

    file->extract = extract;
    file->name = name;
    file->done = 0;
    file->digest = digest_new(DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256), &err);
    if (!file->digest || digest_begin(file->digest, &err))
        return extract_file_fail(extract, &err);
    file->fd = openat(extract->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file->fd >= 0)
        return 0;
    fail_errno(file);
    free(file->name); /* what has it is not ours */
    file->name = NULL;
    return -1;
}

static int write_all(const struct extract_file *file, const char *data, size_t len)
{
    for (size_t done = 0; done < len;) {
        const ssize_t got = pwrite(file->fd, data + done, len - done, (off_t)(file->done + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -1;
        done += (size_t)got;
    }
    return 0;
}

static int add_zeros(struct digest *digest, uint64_t len, struct error *err)
{
    static const char zeros[1 << 16];

    for (; len > 0; len -= len < sizeof zeros ? len : sizeof zeros)
        if (digest_update(digest, zeros, len < sizeof zeros ? (size_t)len : sizeof zeros, err))
            return -1;
    return 0;
}

int extract_file_add(struct extract_file *file, const void *data, uint64_t len)
{
    struct error err;

    if (data ? digest_update(file->digest, data, (size_t)len, &err) : add_zeros(file->digest, len, &err))
        return extract_file_fail(file->extract, &err);
    if (data && write_all(file, data, (size_t)len))
        return fail_errno(file);
    if (!data && file->bad.count < EXTRACT_MOST_BAD && ranges_reserve(&file->bad)) {
        error_set(&err, "out of memory");
        return extract_file_fail(file->extract, &err);
    }
    if (!data)
        ranges_cover(&file->bad, file->done, len, EXTRACT_MOST_BAD);
    file->done += len;
    return 0;
}

int extract_file_finish(struct extract_file *file)
{
    struct error err;
    int result = 0;

    if (digest_final(file->digest, &file->values, &err))
        result = extract_file_fail(file->extract, &err);
    digest_free(file->digest);
    file->digest = NULL;
    if (result == 0 && ftruncate(file->fd, (off_t)file->done)) /* it may end with bytes that cannot be read */
        result = fail_errno(file);
    if (close(file->fd) && result == 0)
        result = fail_errno(file);
    file->fd = -1;
    return result;
}

void extract_file_remove(struct extract_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    if (file->name)
        unlinkat(file->extract->fd, file->name, 0);
    extract_file_release(file);
}

void extract_file_release(struct extract_file *file)
{
    digest_free(file->digest);
    free(file->name);
    ranges_release(&file->bad);
    *file = (struct extract_file){.start = file->start, .len = file->len, .fd = -1};
}
