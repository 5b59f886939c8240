/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crew/sandbox.h"
#include "disk/format.h"
#include "evidence/worker_inner.h"

/* Files of the host, passed as descriptors. */

enum { MOST_DATA_RUNS = 4096 }; /* of a file; beyond that, holes are read as well */

static bool same_times(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* A file of the host that is being read. */
struct host_file {
    struct evidence_worker *worker;
    int fd;
    struct stat before; /* when it was opened */
};

/* Without its runs, which are places in the file itself, not on an image. */
static bool send_file(void *arg, struct object *object)
{
    const struct host_file *file = arg;
    const size_t runs = object->run_count;
    struct stat after;
    bool more;

    if (sandbox_fstat(file->fd, &after) != 0 || !same_times(&file->before, &after))
        object_blame(object, OBJECT_CHANGED, "it changed while it was read");
    object->run_count = 0;
    more = worker_send_object(file->worker, object);
    object->run_count = runs;
    return more;
}

/* Adds its data as runs, as far as its file system reports holes: reading these would take longer than
 * everything else. */
static int add_data_runs(struct object *object, int fd, const struct stat *st)
{
    const off_t size = (off_t)object->size;

    if (!S_ISREG(st->st_mode) || (uint64_t)st->st_blocks * 512 >= (uint64_t)st->st_size)
        return object_add_run(object, 0, 0, object->size);
    for (off_t at = 0, end; at < size; at = end) {
        const off_t data = lseek(fd, at, SEEK_DATA);

        if (data < 0 && errno == ENXIO) /* the rest is a hole */
            return 0;
        at = data > at ? data : at;
        end = data < 0 || object->run_count >= MOST_DATA_RUNS ? size : lseek(fd, at, SEEK_HOLE);
        if (end <= at || end > size)
            end = size;
        if (object_add_run(object, (uint64_t)at, (uint64_t)at, (uint64_t)(end - at)))
            return -1;
    }
    return 0;
}

/*
 * Judges by its name, or by its start and end, as for an image given on the command line.  Whether the file
 * is a later part of an image is for the parent to find out: a worker cannot see its neighbours.
 */
static bool looks_like_image(struct medium *medium, const struct object *object)
{
    uint8_t head[40 << 10], tail[512];
    const uint64_t size = medium_size(medium);
    const size_t len = size < sizeof head ? (size_t)size : sizeof head,
                 name_len = object->stream.len < 255 ? object->stream.len : 255;
    char name[256] = "";
    struct format_verdict verdict;

    if (name_len)
        memcpy(name, object->stream.data + object->stream.len - name_len, name_len);
    if (size > 0 && medium_is_named_image(name))
        return true;
    if (size < sizeof tail)
        return false;
    medium_read(medium, 0, head, len);
    medium_read(medium, size - sizeof tail, tail, sizeof tail);
    verdict = format_container(head, len, tail, sizeof tail, size);
    return verdict.format != FORMAT_RAW ||
           (len == sizeof head && (format_is_table(head, len) || format_system(head, len)));
}

/* The file serves as its own medium. */
static void do_file(struct evidence_worker *worker, uint32_t item, struct object *object, int fd)
{
    struct host_file file = {.worker = worker, .fd = fd};
    struct error err;
    struct medium *medium = sandbox_fstat(fd, &file.before) == 0 ? medium_open_fd(fd, "it", &err) : NULL;

    if (!medium) {
        object_blame(object, OBJECT_UNREADABLE, "it cannot be read");
        object->item = item;
        worker_send_object(worker, object);
        return;
    }
    object->run_count = 0;
    object->size = medium_size(medium);
    if (looks_like_image(medium, object))
        object->flags |= OBJECT_DISK_IMAGE;
    batch_trust(worker->batch);
    batch_deliver(worker->batch, send_file, &file);
    if (add_data_runs(object, fd, &file.before) || batch_add(worker->batch, medium, item, object, NULL))
        crew_give_up();
    batch_flush(worker->batch, medium);
    medium_close(medium);
}

void worker_do_files(struct evidence_worker *worker, struct wire *task, const int *fds, unsigned fd_count)
{
    size_t count = wire_get_count(task, 8);
    struct object object = {0};

    for (size_t i = 0; i < count && i < fd_count && object_decode(task, &object); i++)
        if (worker_begin_halves(worker, (uint32_t)i))
            do_file(worker, (uint32_t)i, &object, fds[i]);
    object_release(&object);
}
