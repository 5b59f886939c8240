/* SPDX-License-Identifier: Apache-2.0 */
#include "base/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buffer.h"

struct walk_entry {
    mode_t mode; /* file type bits; 0 if readdir does not report them */
    char *name;
};

/* A folder being walked: its entries, and the length of its path including the slash. */
struct level {
    struct walk_entry *entries;
    size_t count, next;
    size_t path_len;
};

struct walk {
    struct level *levels;
    size_t depth, room;
    struct buffer path; /* of the item, terminated */
    bool descend;       /* the item is a folder, to be entered by the next call */
};

/* ---- opening ---- */

static int open_quietly(int at, const char *path, int flags)
{
    int fd = openat(at, path, flags | O_NOATIME);

    return fd < 0 && errno == EPERM ? openat(at, path, flags) : fd;
}

/* Where to split an overlong path: after the last slash within PATH_MAX, or 0. */
static size_t cut_path(const char *path)
{
    for (size_t i = PATH_MAX - 1; i > 0; i--)
        if (path[i] == '/')
            return i;
    return 0;
}

int walk_open(const char *path, int flags)
{
    int at = AT_FDCWD, fd, saved;

    while (strlen(path) >= PATH_MAX) {
        const size_t len = cut_path(path);
        char part[PATH_MAX];

        if (len == 0) {
            errno = ENAMETOOLONG;
            fd = -1;
        } else {
            memcpy(part, path, len);
            part[len] = '\0';
            fd = openat(at, part, O_PATH | O_DIRECTORY | O_CLOEXEC);
        }
        if (at != AT_FDCWD) {
            saved = errno;
            close(at);
            errno = saved;
        }
        if (fd < 0)
            return -1;
        at = fd;
        path += len;
        path += strspn(path, "/"); /* the rest must not look absolute */
        if (!*path)
            path = ".";
    }
    fd = open_quietly(at, path, flags | O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (at != AT_FDCWD) {
        saved = errno;
        close(at);
        errno = saved;
    }
    return fd;
}

const char *walk_kind(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFIFO:
        return "a FIFO";
    case S_IFCHR:
        return "a character device";
    case S_IFBLK:
        return "a block device";
    case S_IFSOCK:
        return "a socket";
    case S_IFDIR:
        return "a folder";
    case S_IFLNK:
        return "a symbolic link";
    case S_IFREG:
        return "a file";
    default:
        return "a file of unknown type";
    }
}

/* ---- folders ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct walk_entry *)a)->name, ((const struct walk_entry *)b)->name);
}

static void release_level(struct level *level)
{
    for (size_t i = 0; i < level->count; i++)
        free(level->entries[i].name);
    free(level->entries);
}

static int add_entry(struct level *level, size_t *room, const struct dirent *dirent)
{
    struct walk_entry *entry;

    if (array_reserve(&level->entries, room, level->count + 1))
        return -1;
    entry = &level->entries[level->count];
    *entry = (struct walk_entry){(mode_t)DTTOIF(dirent->d_type), strdup(dirent->d_name)};
    if (!entry->name)
        return -1;
    level->count++;
    return 0;
}

/* Reads and sorts the entries; -1 and errno if some may be missing. */
static int read_entries(struct level *level, DIR *dir)
{
    const struct dirent *dirent;
    size_t room = 0;
    int saved;

    for (errno = 0; (dirent = readdir(dir)); errno = 0)
        if (strcmp(dirent->d_name, ".") != 0 && strcmp(dirent->d_name, "..") != 0 &&
            add_entry(level, &room, dirent))
            break;
    saved = errno;
    if (level->count)
        qsort(level->entries, level->count, sizeof *level->entries, by_name);
    errno = saved;
    return dirent || saved ? -1 : 0;
}

/*
 * Reads the folder at walk->path, which may have changed meanwhile, and makes it the innermost level.  After
 * an error the level holds the entries that could be read.
 */
static int enter(struct walk *walk, bool follow, struct error *err)
{
    struct level level = {0};
    int fd = walk_open(walk->path.data, O_DIRECTORY | (follow ? 0 : O_NOFOLLOW));
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    int failed =
        !dir || array_reserve(&walk->levels, &walk->room, walk->depth + 1) || read_entries(&level, dir);

    if (failed)
        error_errno(err, "%s", walk->path.data);
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    if (failed && level.count == 0) {
        release_level(&level);
        return -1;
    }
    walk->path.len = strlen(walk->path.data);
    if (walk->path.len && walk->path.data[walk->path.len - 1] != '/')
        buffer_add_char(&walk->path, '/');
    level.path_len = walk->path.len;
    buffer_add_char(&walk->path, '\0');
    walk->levels[walk->depth++] = level;
    return failed ? -1 : 0;
}

struct walk *walk_new(const char *folder, struct error *err)
{
    struct walk *walk = calloc(1, sizeof *walk);

    if (walk) {
        walk->descend = true;
        buffer_add(&walk->path, folder, strlen(folder) + 1);
        if (!walk->path.failed)
            return walk;
    }
    error_set(err, "%s: out of memory", folder);
    walk_free(walk);
    return NULL;
}

void walk_free(struct walk *walk)
{
    if (!walk)
        return;
    for (size_t i = 0; i < walk->depth; i++)
        release_level(&walk->levels[i]);
    free(walk->levels);
    buffer_release(&walk->path);
    free(walk);
}

/* Some file systems do not report the type in readdir.  Returns 0 and errno if it cannot be determined. */
static mode_t type_of(const char *path)
{
    struct stat st;
    int fd = walk_open(path, O_PATH | O_NOFOLLOW), failed = fd < 0 || fstat(fd, &st), saved = errno;

    if (fd >= 0)
        close(fd);
    errno = saved;
    return failed ? 0 : st.st_mode & S_IFMT;
}

/* The next entry of any level, leaving levels that are finished; false at the end. */
static bool next_entry(struct walk *walk, struct walk_entry **entry)
{
    while (walk->depth) {
        struct level *level = &walk->levels[walk->depth - 1];

        if (level->next < level->count) {
            *entry = &level->entries[level->next++];
            walk->path.len = level->path_len;
            buffer_add(&walk->path, (*entry)->name, strlen((*entry)->name) + 1);
            return true;
        }
        release_level(level);
        walk->depth--;
    }
    return false;
}

enum walk_result walk_next(struct walk *walk, struct walk_item *item, struct error *err)
{
    struct walk_entry *entry;

    for (;;) {
        if (walk->descend) {
            walk->descend = false;
            if (enter(walk, walk->depth == 0, err)) {
                item->path = walk->path.data;
                return WALK_ERROR;
            }
        }
        if (!next_entry(walk, &entry))
            return WALK_END;
        if (walk->path.failed) {
            item->path = entry->name;
            error_set(err, "%s: out of memory", entry->name);
            return WALK_ERROR;
        }
        *item = (struct walk_item){walk->path.data, entry->mode ? entry->mode : type_of(walk->path.data)};
        if (item->mode == 0) {
            error_errno(err, "%s", walk->path.data);
            return WALK_ERROR;
        }
        if (S_ISREG(item->mode))
            return WALK_FILE;
        if (S_ISLNK(item->mode))
            return WALK_LINK;
        if (!S_ISDIR(item->mode))
            return WALK_SPECIAL;
        walk->descend = true;
    }
}
