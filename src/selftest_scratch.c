/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    OPEN_FOLDERS = 16,
    RANDOM_CHARS = 6, /* that mkdtemp adds */
    NEW_SECONDS = 60,
};

static const char prefix[] = "kith-selftest-";
/* A file that says what the folder is: a report of the user's may have such a name as well. */
static const char mark[] = ".temporary-files-of-kith-selftest";

/* Whether the name is one that mkdtemp makes here. */
static bool is_ours(const char *name)
{
    return strncmp(name, prefix, sizeof prefix - 1) == 0 && strlen(name) == sizeof prefix - 1 + RANDOM_CHARS;
}

/* Whether a folder was left by a process that crashed: it has the mark, and nobody has it locked.  A new one
 * may not be locked yet. */
static bool is_stale(int folder)
{
    struct stat st;

    return fstat(folder, &st) == 0 && st.st_uid == geteuid() && st.st_mtime < time(NULL) - NEW_SECONDS &&
           faccessat(folder, mark, F_OK, AT_SYMLINK_NOFOLLOW) == 0 && flock(folder, LOCK_EX | LOCK_NB) == 0;
}

static void remove_stale(const char *above)
{
    const struct dirent *entry;
    DIR *names = opendir(above);

    while (names && (entry = readdir(names))) {
        struct selftest_scratch stale = {NULL, -1};

        if (!is_ours(entry->d_name))
            continue;
        stale.folder = openat(dirfd(names), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (stale.folder < 0)
            continue;
        if (is_stale(stale.folder) && asprintf(&stale.path, "%s/%s", above, entry->d_name) < 0)
            stale.path = NULL;
        selftest_scratch_remove(&stale);
    }
    if (names)
        closedir(names);
}

int selftest_scratch_make(struct selftest_scratch *scratch, struct error *err)
{
    const char *above = getenv("TMPDIR");

    scratch->folder = -1;
    if (!above || !*above)
        above = "/tmp";
    remove_stale(above);
    if (asprintf(&scratch->path, "%s/%sXXXXXX", above, prefix) < 0) {
        scratch->path = NULL;
        return error_set(err, "out of memory");
    }
    if (!mkdtemp(scratch->path)) {
        error_errno(err, "%s: cannot create a folder for temporary files", above);
        free(scratch->path);
        scratch->path = NULL;
        return -1;
    }
    scratch->folder = open(scratch->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (scratch->folder < 0 || flock(scratch->folder, LOCK_EX))
        error_errno(err, "%s", scratch->path);
    else if (selftest_scratch_write(scratch, mark, "", 0, err) == 0)
        return 0;
    selftest_scratch_remove(scratch);
    return -1;
}

static int remove_item(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)st;
    (void)type;
    (void)place;
    remove(path);
    return 0;
}

void selftest_scratch_remove(struct selftest_scratch *scratch)
{
    if (scratch->folder >= 0)
        close(scratch->folder);
    if (scratch->path)
        nftw(scratch->path, remove_item, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    free(scratch->path);
    *scratch = (struct selftest_scratch){NULL, -1};
}

int selftest_scratch_folder(const struct selftest_scratch *scratch, const char *name, struct error *err)
{
    return mkdirat(scratch->folder, name, 0700) ? error_errno(err, "%s/%s", scratch->path, name) : 0;
}

void selftest_scratch_drop(const struct selftest_scratch *scratch, const char *name)
{
    char *path;

    if (asprintf(&path, "%s/%s", scratch->path, name) < 0)
        return;
    nftw(path, remove_item, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    free(path);
}

int selftest_scratch_write(const struct selftest_scratch *scratch, const char *name, const void *data,
                           size_t len, struct error *err)
{
    const int fd = openat(scratch->folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const char *at = data;

    if (fd < 0)
        return error_errno(err, "%s/%s", scratch->path, name);
    while (len > 0) {
        const ssize_t put = write(fd, at, len);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            error_errno(err, "%s/%s", scratch->path, name);
            close(fd);
            return -1;
        }
        at += put;
        len -= (size_t)put;
    }
    return close(fd) ? error_errno(err, "%s/%s", scratch->path, name) : 0;
}

static int read_all(int fd, struct buffer *out)
{
    struct stat st;
    ssize_t got;
    char *room;

    if (fstat(fd, &st))
        return -1;
    room = st.st_size > 0 ? buffer_extend(out, (size_t)st.st_size) : NULL;
    for (size_t at = 0; room && at < (size_t)st.st_size; at += (size_t)got) {
        got = read(fd, room + at, (size_t)st.st_size - at);
        if (got < 0 && errno == EINTR) {
            got = 0;
        } else if (got <= 0) {
            errno = got < 0 ? errno : EIO;
            return -1;
        }
    }
    errno = ENOMEM;
    return out->failed ? -1 : 0;
}

int selftest_scratch_read(const struct selftest_scratch *scratch, const char *name, struct buffer *out,
                          struct error *err)
{
    const int fd = openat(scratch->folder, name, O_RDONLY | O_CLOEXEC);
    int result;

    buffer_reset(out);
    if (fd < 0)
        return error_errno(err, "%s/%s", scratch->path, name);
    result = read_all(fd, out) ? error_errno(err, "%s/%s", scratch->path, name) : 0;
    close(fd);
    return result;
}
