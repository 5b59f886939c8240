/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/walk.h"
#include "evidence/reading.h"

/* Files of the host: the parent opens them, and workers read them through the descriptors they are passed. */
enum {
    FILES_PER_TASK = 16,
    /* approximately; the work of unfinished tasks is lost when the program is killed */
    BYTES_PER_TASK = 64 << 20,
};

struct files {
    struct reading *reading;
    struct buffer objects; /* encoded */
    int fds[FILES_PER_TASK];
    unsigned count;
    uint64_t bytes;
    unsigned long long links;
};

static void give_files(struct files *files)
{
    struct reading *reading = files->reading;

    if (files->count == 0)
        return;
    if (files->objects.failed)
        reading_out_of_memory(reading);
    reading_begin(reading, TASK_FILES);
    wire_put(&reading->task, files->count);
    buffer_add(&reading->task, files->objects.data, files->objects.len);
    reading_give(reading, files->fds, files->count);
    buffer_reset(&files->objects);
    files->count = 0;
    files->bytes = 0;
}

static struct object_stamp stamp(const struct timespec *time)
{
    return (struct object_stamp){time->tv_sec, (uint32_t)time->tv_nsec};
}

static void describe(struct object *object, const char *path, const struct stat *st)
{
    object_reset(object);
    object->kind = OBJECT_FILE;
    object->flags = OBJECT_ALLOCATED | OBJECT_HOST;
    object->inode = st->st_ino;
    object->size = (uint64_t)st->st_size;
    object->mode = st->st_mode;
    object->uid = st->st_uid;
    object->gid = st->st_gid;
    object->times[OBJECT_MTIME] = stamp(&st->st_mtim);
    object->times[OBJECT_ATIME] = stamp(&st->st_atim);
    object->times[OBJECT_CTIME] = stamp(&st->st_ctim);
    buffer_add_text(&object->stream, path);
}

/* shown: the path that options->wanted is asked with. */
static void number_file(struct reading *reading, struct object *object, const char *shown)
{
    object->item = reading->next_item;
    if (!reading_number(reading, shown, 1))
        object->flags |= OBJECT_UNWANTED;
}

static void report_unreadable(struct files *files, const char *shown, const struct stat *st,
                              const char *reason)
{
    struct reading *reading = files->reading;
    struct object *object = &reading->object; /* the buffer that results are decoded into, too */

    give_files(files); /* results of earlier files must be delivered first */
    reading_drain(reading);
    if (reading->failed)
        return;
    describe(object, shown, st);
    object_blame(object, OBJECT_UNREADABLE, "%s", reason);
    number_file(reading, object, shown);
    reading_take_object(reading, object);
}

static void add_file(struct files *files, const char *path, const char *shown, int flags)
{
    struct reading *reading = files->reading;
    struct stat st = {0};
    int fd = walk_open(path, flags);

    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        report_unreadable(files, shown, &st, fd < 0 ? strerror(errno) : "it is no longer a regular file");
        if (fd >= 0)
            close(fd);
        return;
    }
    if (files->bytes + (uint64_t)st.st_size > BYTES_PER_TASK)
        give_files(files);
    describe(&reading->object, shown, &st);
    number_file(reading, &reading->object, shown);
    object_encode(&files->objects, &reading->object);
    files->fds[files->count++] = fd;
    files->bytes += (uint64_t)st.st_size;
    reading->coming += (uint64_t)st.st_size;
    if (files->count == FILES_PER_TASK)
        give_files(files);
}

static void show_host(struct reading *reading)
{
    reading->shown = (struct evidence_volume){.label = "-", .about = "", .system = "", .content = ""};
}

void reading_file(struct reading *reading)
{
    struct files files = {.reading = reading};
    const char *slash = strrchr(reading->path, '/');

    if (!reading->options->files_expected && !reading->options->as_file)
        reading->sink->note(reading->sink->arg,
                            "no partition table or file system found; it is read as a plain file");
    show_host(reading);
    add_file(&files, reading->path, slash && slash[1] ? slash + 1 : reading->path, 0);
    give_files(&files);
    reading_drain(reading);
    buffer_release(&files.objects);
}

/* Returns the path relative to the folder. */
static const char *below(const char *folder, const char *path)
{
    size_t len = strlen(folder);

    if (strncmp(folder, path, len) != 0)
        return path;
    path += len;
    while (*path == '/')
        path++;
    return path;
}

static void read_walk(struct files *files, struct walk *walk)
{
    struct reading *reading = files->reading;
    struct walk_item item;
    enum walk_result result;
    struct error err;

    while (!reading->failed && (result = walk_next(walk, &item, &err)) != WALK_END) {
        if (result == WALK_FILE)
            add_file(files, item.path, below(reading->path, item.path), O_NOFOLLOW);
        else if (result == WALK_ERROR)
            reading_problem(reading, "%s", err.text);
        else
            files->links++;
    }
}

void reading_folder(struct reading *reading)
{
    struct files files = {.reading = reading};
    struct walk *walk = walk_new(reading->path, reading->err);

    show_host(reading);
    if (!walk) {
        reading->failed = true;
        return;
    }
    read_walk(&files, walk);
    give_files(&files);
    reading_drain(reading);
    walk_free(walk);
    buffer_release(&files.objects);
    if (reading->images && !reading->options->images)
        reading_note(
            reading,
            reading->images == 1
                ? "%llu file looks like a disk image and was read as a plain file (use --images to open it)"
                : "%llu files look like disk images and were read as plain files (use --images to open "
                  "them)",
            reading->images);
    if (files.links) {
        char text[128];

        snprintf(text, sizeof text, "links and special files skipped: %llu", files.links);
        reading->sink->note(reading->sink->arg, text);
    }
}
