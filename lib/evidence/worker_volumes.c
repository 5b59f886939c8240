/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "disk/format.h"
#include "evidence/evidence_wire.h"
#include "evidence/worker_inner.h"

/* The image, its partition table, and the file systems in its volumes. */

enum {
    BLANK_HEAD = 64 << 20, /* Bytes at the start of a volume; if these and its end are zeros, it is empty. */
    BLANK_TAIL = 1 << 20,
    BLANK_PIECE = 1 << 20,
};

void worker_do_image(struct evidence_worker *worker)
{
    const char *format = medium_format(worker->medium), *files;
    size_t files_len;

    worker_put(worker, MESSAGE_IMAGE);
    wire_put_bytes(&worker->out, format, strlen(format));
    wire_put(&worker->out, medium_size(worker->medium));
    wire_put(&worker->out, medium_sector_size(worker->medium));
    evidence_put_digests(&worker->out, medium_stored(worker->medium));
    files = medium_extents(worker->medium, &files_len);
    wire_put_bytes(&worker->out, files, files_len);
    worker_send(worker);
    for (const char *line = medium_damages(worker->medium); *line; line += strcspn(line, "\n") + 1) {
        struct error err;

        error_set(&err, "%.*s", (int)strcspn(line, "\n"), line);
        worker_send_problem(worker, &err);
    }
}

static void found_volume(void *arg, const struct disk_volume *volume)
{
    struct evidence_worker *worker = arg;

    if (!worker_may_send(worker, MESSAGE_VOLUME))
        return;
    worker_put(worker, MESSAGE_VOLUME);
    wire_put_numbers(&worker->out,
                     (const uint64_t[]){volume->number, volume->start, volume->len, volume->missing}, 4);
    wire_put_bytes(&worker->out, volume->about, strlen(volume->about));
}

static size_t read_head(struct evidence_worker *worker, uint64_t start, uint64_t len,
                        uint8_t head[FORMAT_HEAD])
{
    const uint64_t size = medium_size(worker->medium), left = start < size ? size - start : 0;
    size_t head_len = len < FORMAT_HEAD ? (size_t)len : FORMAT_HEAD;

    if (head_len > left)
        head_len = (size_t)left;
    medium_read(worker->medium, start, head, head_len);
    return head_len;
}

static bool begins_like_table(struct evidence_worker *worker, uint64_t offset)
{
    uint8_t *head = malloc(FORMAT_HEAD);
    bool is_table = head && format_is_table(head, read_head(worker, offset, FORMAT_HEAD, head));

    free(head);
    return is_table;
}

void worker_do_table(struct evidence_worker *worker, struct wire *task)
{
    uint64_t offset = wire_get(task);
    bool is_cut = wire_get(task) != 0;
    const char *type = "";
    struct error err, fault;
    int result;

    if (!worker_begin_item(worker, 0) || (is_cut && !begins_like_table(worker, offset)))
        return;
    result = disk_volumes(worker->disk, offset, is_cut, &type, found_volume, worker, &fault, &err);
    if (fault.text[0] && !is_cut) /* otherwise it was reported the first time */
        worker_send_problem(worker, &fault);
    if (result < 0)
        worker_send_problem(worker, &err);
    if (result == 0) {
        worker_put(worker, MESSAGE_TABLE);
        wire_put_bytes(&worker->out, type, strlen(type));
    }
}

struct filesystem *worker_use_system(struct evidence_worker *worker, const struct disk_system *system,
                                     struct error *err)
{
    const struct disk_system *last = &worker->system;

    if (worker->filesystem && last->offset == system->offset && last->type == system->type &&
        last->in_pool == system->in_pool && last->block == system->block)
        return worker->filesystem;
    filesystem_close(worker->filesystem);
    worker->system = *system;
    worker->filesystem = filesystem_open(worker->disk, system, err);
    return worker->filesystem;
}

static void put_facts(struct buffer *out, const struct filesystem_facts *facts)
{
    const uint64_t numbers[] = {
        (uint64_t)facts->plan, facts->first_inode, facts->last_inode, facts->root, facts->first_block,
        facts->last_block,     facts->block_size,  facts->start,      facts->len,  facts->inodes_doubtful,
        facts->has_meta_groups};

    _Static_assert(sizeof numbers == EVIDENCE_FACTS * sizeof *numbers, "must match what the parent reads");
    buffer_add(out, numbers, sizeof numbers);
}

static void found_system(void *arg, const struct disk_system *system, const char *name)
{
    struct evidence_worker *worker = arg;
    struct filesystem *filesystem;
    struct error err;

    filesystem = worker_use_system(worker, system, &err);
    if (!filesystem) {
        struct error which;

        error_set(&which, "%s at byte %" PRIu64 ": %s", name, system->offset, err.text);
        worker_send_problem(worker, &which);
        return;
    }
    if (!worker_may_send(worker, MESSAGE_SYSTEM))
        return;
    worker_put(worker, MESSAGE_SYSTEM);
    wire_put(&worker->out, worker->item);
    evidence_put_system(&worker->out, system);
    wire_put_bytes(&worker->out, name, strlen(name));
    put_facts(&worker->out, filesystem_facts(filesystem));
}

/*
 * Returns whether a volume without a known file system is empty.  Every file system keeps structures near its
 * start or its end, so only these are read: reading all of a large disk would take as long as scanning it.
 */
static bool is_blank(struct evidence_worker *worker, uint64_t start, uint64_t len)
{
    const uint64_t head = len < BLANK_HEAD ? len : BLANK_HEAD,
                   tail = len - head < BLANK_TAIL ? len - head : BLANK_TAIL;
    uint8_t *piece = malloc(BLANK_PIECE);
    bool blank = piece != NULL;

    for (uint64_t done = 0; blank && done < head + tail;) {
        const uint64_t left = done < head ? head - done : head + tail - done,
                       at = done < head ? done : len - left;
        const size_t some = left < BLANK_PIECE ? (size_t)left : BLANK_PIECE;

        medium_read(worker->medium, start + at, piece, some);
        blank = !medium_bad_bytes(worker->medium, start + at, some) && !piece[0] &&
                memcmp(piece, piece + 1, some - 1) == 0;
        crew_progress(worker->crew, 0);
        done += some;
    }
    free(piece);
    return blank;
}

/* cause: why no file system was found. */
static void send_content(struct evidence_worker *worker, uint64_t start, uint64_t len, bool found,
                         const struct error *cause)
{
    uint8_t *head = malloc(FORMAT_HEAD);
    size_t head_len = head ? read_head(worker, start, len, head) : 0;
    struct format_content content = format_content(head, head_len);
    const char *system = format_system(head, head_len);
    struct error err;

    if (!found && system && !content.name) {
        error_set(&err, "what begins at byte %" PRIu64 " looks like %s, but %.1000s", start, system,
                  cause->text);
        worker_send_problem(worker, &err);
        content.name = system;
    }
    worker_put(worker, MESSAGE_CONTENT);
    wire_put(&worker->out, worker->item);
    wire_put_bytes(&worker->out, content.name, content.name ? strlen(content.name) : 0);
    wire_put(&worker->out, content.encrypted != 0);
    wire_put(&worker->out, content.no_files || (!found && !content.name && is_blank(worker, start, len)));
    free(head);
}

void worker_do_systems(struct evidence_worker *worker, struct wire *task)
{
    size_t type_len, count;
    const char *type_at = wire_get_bytes(task, &type_len);
    char type[32] = "";
    struct error err;
    int missing;

    if (type_len < sizeof type)
        memcpy(type, type_at, type_len);
    count = wire_get_count(task, 16);
    for (size_t i = 0; i < count; i++) {
        uint64_t start = wire_get(task), len = wire_get(task);

        if (!worker_begin_item(worker, (uint32_t)i))
            continue;
        worker->item = (uint32_t)i;
        missing = disk_systems(worker->disk, start, type[0] ? type : NULL, found_system, worker, &err);
        if (missing && type[0])
            worker_send_problem(worker, &err);
        send_content(worker, start, len, !missing || type[0], &err);
        worker_send(worker);
    }
}
