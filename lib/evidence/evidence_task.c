/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/evidence_task.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/ranges.h"
#include "crew/sandbox.h"
#include "disk/filesystem.h"
#include "disk/format.h"
#include "disk/medium.h"
#include "evidence/batch.h"

enum {
    DIGEST_PIECE = 4 << 20,
    LIST_STEP = 1024,
    BLANK_HEAD = 64 << 20, /* of a volume: if that is zeros, and its end, it is empty */
    BLANK_TAIL = 1 << 20,
    BLANK_PIECE = 1 << 20,
    MOST_DATA_RUNS = 4096, /* of a file of the host; what is behind is read as it is */
};

/* A worker: all of this is in a process of its own. */
struct evidence_worker {
    const struct evidence_setup *setup;
    struct crew_worker *crew;
    struct medium *medium;
    struct disk *disk;
    struct filesystem *filesystem; /* the one that was used last */
    struct disk_system system;
    void *inspector;
    struct batch *batch;
    struct digest *digest; /* made while libcrypto may still read its files */
    struct buffer out;
    uint32_t item;       /* of the task */
    unsigned item_flags; /* of its objects, besides their own */
    unsigned wanted;     /* kinds of objects whose content is wanted */
    uint64_t steps;
    struct ranges found;              /* structures */
    uint64_t left[EVIDENCE_MESSAGES]; /* that the task may still give */
    bool cut;                         /* it had more to give */
    uint64_t sent, begun;             /* messages, and items, of the task */
};

/* ---- both sides ---- */

void evidence_put_system(struct buffer *out, const struct disk_system *system)
{
    wire_put(out, system->offset);
    wire_put(out, system->type);
    wire_put(out, system->in_pool);
    wire_put(out, system->block);
}

void evidence_get_system(struct wire *wire, struct disk_system *system)
{
    system->offset = wire_get(wire);
    system->type = (uint32_t)wire_get(wire);
    system->in_pool = wire_get(wire) != 0;
    system->block = wire_get(wire);
}

void evidence_put_digests(struct buffer *out, const struct digest_values *values)
{
    wire_put(out, values->kinds);
    buffer_add(out, values->bytes, sizeof values->bytes);
}

void evidence_get_digests(struct wire *wire, struct digest_values *values)
{
    values->kinds = (unsigned)wire_get(wire) & (DIGEST_BIT(DIGEST_KINDS) - 1);
    for (size_t i = 0; i < sizeof values->bytes / 8; i++) {
        uint64_t part = wire_get(wire);

        memcpy((char *)values->bytes + 8 * i, &part, sizeof part);
    }
}

/* ---- sending ---- */

static void put_message(struct evidence_worker *worker, enum evidence_message message)
{
    wire_put(&worker->out, message);
    worker->sent++;
}

static bool begin_item(struct evidence_worker *worker, uint32_t item)
{
    if (!crew_begin(worker->crew, item))
        return false;
    worker->begun++;
    return true;
}

/* What does not fit into memory is not left out silently. */
static void send_out(struct evidence_worker *worker)
{
    if (worker->out.failed)
        crew_give_up();
    if (worker->out.len)
        crew_send(worker->crew, worker->out.data, worker->out.len);
    buffer_reset(&worker->out);
}

/* Evidence can be made so that there is no end of it: the parent does not take more than it has room for. */
static bool may_send(struct evidence_worker *worker, enum evidence_message message)
{
    if (worker->left[message] == 0) {
        worker->cut = true;
        return false;
    }
    worker->left[message]--;
    return true;
}

static void send_problem(struct evidence_worker *worker, const struct error *err)
{
    if (!may_send(worker, MESSAGE_PROBLEM))
        return;
    put_message(worker, MESSAGE_PROBLEM);
    wire_put_bytes(&worker->out, err->text, strlen(err->text));
    send_out(worker);
}

static void send_name(struct evidence_worker *worker, const struct filesystem_name *name)
{
    if (!may_send(worker, MESSAGE_NAME))
        return;
    put_message(worker, MESSAGE_NAME);
    wire_put(&worker->out, name->inode);
    wire_put(&worker->out, name->parent);
    wire_put(&worker->out, name->parent_sequence);
    wire_put(&worker->out, name->allocated);
    wire_put(&worker->out, name->folder);
    wire_put_bytes(&worker->out, name->name, name->len < EVIDENCE_MOST_NAME ? name->len : EVIDENCE_MOST_NAME);
    send_out(worker);
}

/* Unreadable ranges come before the objects that lie on them, so that the account can count them as such. */
static void send_bad(struct evidence_worker *worker)
{
    size_t count;
    const struct range *bad = medium_news(worker->medium, &count);

    for (size_t i = 0; i < count && may_send(worker, MESSAGE_BAD); i++) {
        put_message(worker, MESSAGE_BAD);
        wire_put(&worker->out, bad[i].start);
        wire_put(&worker->out, bad[i].len);
    }
    if (count)
        send_out(worker);
}

static void send_object(void *arg, const struct object *object)
{
    struct evidence_worker *worker = arg;

    if (worker->medium)
        send_bad(worker);
    if (!may_send(worker, MESSAGE_OBJECT))
        return;
    put_message(worker, MESSAGE_OBJECT);
    wire_put(&worker->out, object->item);
    object_encode(&worker->out, object);
    send_out(worker);
}

/* ---- the image and what lies in it ---- */

static void do_image(struct evidence_worker *worker)
{
    const char *format = medium_format(worker->medium), *files;
    size_t files_len;

    put_message(worker, MESSAGE_IMAGE);
    wire_put_bytes(&worker->out, format, strlen(format));
    wire_put(&worker->out, medium_size(worker->medium));
    wire_put(&worker->out, medium_sector_size(worker->medium));
    evidence_put_digests(&worker->out, medium_stored(worker->medium));
    files = medium_extents(worker->medium, &files_len);
    wire_put_bytes(&worker->out, files, files_len);
    send_out(worker);
    for (const char *line = medium_damages(worker->medium); *line; line += strcspn(line, "\n") + 1) {
        struct error err;

        error_set(&err, "%.*s", (int)strcspn(line, "\n"), line);
        send_problem(worker, &err);
    }
}

static void found_volume(void *arg, const struct disk_volume *volume)
{
    struct evidence_worker *worker = arg;

    if (!may_send(worker, MESSAGE_VOLUME))
        return;
    put_message(worker, MESSAGE_VOLUME);
    wire_put(&worker->out, volume->number);
    wire_put(&worker->out, volume->start);
    wire_put(&worker->out, volume->len);
    wire_put(&worker->out, volume->missing);
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

static void do_table(struct evidence_worker *worker, struct wire *task)
{
    uint64_t offset = wire_get(task);
    bool is_cut = wire_get(task) != 0;
    const char *type = "";
    struct error err, fault;
    int result;

    if (!begin_item(worker, 0) || (is_cut && !begins_like_table(worker, offset)))
        return;
    result = disk_volumes(worker->disk, offset, is_cut, &type, found_volume, worker, &fault, &err);
    if (fault.text[0] && !is_cut) /* it is asked for the second time then */
        send_problem(worker, &fault);
    if (result < 0)
        send_problem(worker, &err);
    if (result == 0) {
        put_message(worker, MESSAGE_TABLE);
        wire_put_bytes(&worker->out, type, strlen(type));
    }
}

static struct filesystem *use_system(struct evidence_worker *worker, const struct disk_system *system,
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

    _Static_assert(sizeof numbers == EVIDENCE_FACTS * sizeof *numbers, "both sides know their number");
    buffer_add(out, numbers, sizeof numbers);
}

static void found_system(void *arg, const struct disk_system *system, const char *name)
{
    struct evidence_worker *worker = arg;
    struct filesystem *filesystem;
    struct error err;

    filesystem = use_system(worker, system, &err);
    if (!filesystem) {
        struct error which;

        error_set(&which, "%s at byte %" PRIu64 ": %s", name, system->offset, err.text);
        send_problem(worker, &which);
        return;
    }
    if (!may_send(worker, MESSAGE_SYSTEM))
        return;
    put_message(worker, MESSAGE_SYSTEM);
    wire_put(&worker->out, worker->item);
    evidence_put_system(&worker->out, system);
    wire_put_bytes(&worker->out, name, strlen(name));
    put_facts(&worker->out, filesystem_facts(filesystem));
}

/*
 * Whether a volume without a known file system is empty.  Every file system keeps structures near its start
 * or its end, so only these are read: all of a large disk would take as long as a scan of it.
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
static void tell_content(struct evidence_worker *worker, uint64_t start, uint64_t len, bool found,
                         const struct error *cause)
{
    uint8_t *head = malloc(FORMAT_HEAD);
    size_t head_len = head ? read_head(worker, start, len, head) : 0;
    struct format_content content = format_content(head, head_len);
    const char *system = format_system(head, head_len);
    struct error err;

    if (!found && system && !content.name) {
        error_set(&err, "at byte %" PRIu64 " begins what looks like %s, but %.1000s", start, system,
                  cause->text);
        send_problem(worker, &err);
        content.name = system;
    }
    put_message(worker, MESSAGE_CONTENT);
    wire_put(&worker->out, worker->item);
    wire_put_bytes(&worker->out, content.name, content.name ? strlen(content.name) : 0);
    wire_put(&worker->out, content.encrypted != 0);
    wire_put(&worker->out, content.no_files || (!found && !content.name && is_blank(worker, start, len)));
    free(head);
}

static void do_systems(struct evidence_worker *worker, struct wire *task)
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

        if (!begin_item(worker, (uint32_t)i))
            continue;
        worker->item = (uint32_t)i;
        missing = disk_systems(worker->disk, start, type[0] ? type : NULL, found_system, worker, &err);
        if (missing && type[0])
            send_problem(worker, &err);
        tell_content(worker, start, len, !missing || type[0], &err);
        send_out(worker);
    }
}

/* ---- names ---- */

/* Some calls give very many: their worker is alive as long as they go on. */
static void getting_on(void *arg)
{
    struct evidence_worker *worker = arg;

    crew_progress(worker->crew, 0);
}

static int found_name(void *arg, const struct filesystem_name *name)
{
    struct evidence_worker *worker = arg;

    if (++worker->steps % LIST_STEP == 0)
        getting_on(worker);
    send_name(worker, name);
    return 0;
}

static void do_folders(struct evidence_worker *worker, struct wire *task)
{
    size_t count = wire_get_count(task, 8);
    struct error err;

    for (size_t i = 0; i < count; i++) {
        uint64_t inode = wire_get(task);

        if (begin_item(worker, (uint32_t)i) &&
            filesystem_folder(worker->filesystem, inode, found_name, worker, &err))
            send_problem(worker, &err);
    }
}

struct record {
    struct evidence_worker *worker;
    bool folder, allocated;
};

static int found_record_name(void *arg, const struct filesystem_name *name)
{
    struct record *record = arg;

    record->folder = name->folder;
    record->allocated = name->allocated;
    send_name(record->worker, name);
    return 0;
}

static void do_records(struct evidence_worker *worker, struct wire *task)
{
    uint64_t first = wire_get(task), count = wire_get(task);
    struct error err;

    for (uint64_t i = 0; i < count && i < UINT32_MAX; i++) {
        struct record record = {.worker = worker};
        uint32_t sequence = 0;

        if (!begin_item(worker, (uint32_t)i))
            continue;
        if (filesystem_names(worker->filesystem, first + i, &sequence, found_record_name, &record, &err))
            continue; /* the same record will not be readable as an object either, and that is told */
        if (record.folder) {
            put_message(worker, MESSAGE_USE);
            wire_put(&worker->out, first + i);
            wire_put(&worker->out, sequence);
            wire_put(&worker->out, record.allocated);
            send_out(worker);
        }
    }
}

static void do_list(struct evidence_worker *worker)
{
    struct error err;

    if (begin_item(worker, 0) && filesystem_list(worker->filesystem, found_name, worker, &err))
        send_problem(worker, &err);
}

/* ---- objects ---- */

/* What an item's objects get from the number that tells whether its content is wanted. */
static unsigned wanted_flag(struct wire *task)
{
    return wire_get(task) ? 0 : OBJECT_UNWANTED;
}

static int found_object(void *arg, struct object *object, struct content *content)
{
    struct evidence_worker *worker = arg;

    object->flags |= worker->item_flags;
    if (!(worker->wanted & OBJECT_BIT(object->kind)))
        object->flags |= OBJECT_UNWANTED;
    return batch_add(worker->batch, worker->medium, worker->item, object, content);
}

/* Neighbours that fail for the same reason are one problem. */
struct failures {
    uint64_t first, last;
    struct error cause;
    bool any;
};

static void tell_failures(struct evidence_worker *worker, struct failures *failures)
{
    struct error err;

    if (failures->any && failures->first == failures->last)
        error_set(&err, "inode %" PRIu64 " %.1000s", failures->first, failures->cause.text);
    else if (failures->any)
        error_set(&err, "inodes %" PRIu64 " to %" PRIu64 " %.1000s", failures->first, failures->last,
                  failures->cause.text);
    if (failures->any)
        send_problem(worker, &err);
    failures->any = false;
}

static void add_failure(struct evidence_worker *worker, struct failures *failures, uint64_t inode,
                        const struct error *cause)
{
    if (!failures->any || failures->last + 1 != inode || strcmp(failures->cause.text, cause->text) != 0) {
        tell_failures(worker, failures);
        failures->first = inode;
        failures->cause = *cause;
        failures->any = true;
    }
    failures->last = inode;
}

static void do_objects(struct evidence_worker *worker, struct wire *task)
{
    unsigned kinds = (unsigned)wire_get(task), wanted = (unsigned)wire_get(task);
    size_t count = wire_get_count(task, 16);
    struct failures failures = {0};
    struct error err;

    worker->wanted = wanted;
    for (size_t i = 0; i < count; i++) {
        uint64_t inode = wire_get(task);

        worker->item_flags = wanted_flag(task);
        worker->item = (uint32_t)i;
        if (begin_item(worker, (uint32_t)i) &&
            filesystem_objects(worker->filesystem, inode, kinds, found_object, worker, &err))
            add_failure(worker, &failures, inode, &err);
    }
    tell_failures(worker, &failures);
    batch_flush(worker->batch, worker->medium, send_object, worker);
}

static void found_run(void *arg, uint64_t start, uint64_t len)
{
    struct evidence_worker *worker = arg;

    if (!may_send(worker, MESSAGE_RUN))
        return;
    put_message(worker, MESSAGE_RUN);
    wire_put(&worker->out, start);
    wire_put(&worker->out, len);
    send_out(worker);
}

static void do_blocks(struct evidence_worker *worker, struct wire *task)
{
    uint64_t first = wire_get(task), last = wire_get(task);
    struct error err;

    if (begin_item(worker, 0) &&
        filesystem_unallocated(worker->filesystem, first, last, found_run, getting_on, worker, &err))
        send_problem(worker, &err);
}

static void keep_range(void *arg, uint64_t start, uint64_t len)
{
    struct evidence_worker *worker = arg;

    if (ranges_add(&worker->found, start, len))
        worker->out.failed = true;
}

/* They may come in any order, and several times. */
static void do_structures(struct evidence_worker *worker)
{
    struct error err;

    worker->found.count = 0;
    if (!begin_item(worker, 0))
        return;
    if (filesystem_structures(worker->filesystem, keep_range, getting_on, worker, &err))
        send_problem(worker, &err);
    ranges_sort(&worker->found);
    for (size_t i = 0; i < worker->found.count; i++)
        found_run(worker, worker->found.list[i].start, worker->found.list[i].len);
}

static void do_ranges(struct evidence_worker *worker, struct wire *task)
{
    uint64_t kind = wire_get(task), one_number = wire_get(task);
    size_t count = wire_get_count(task, 24);
    struct object object = {0};

    (void)one_number; /* the parent's business */
    for (size_t i = 0; i < count && kind < OBJECT_KINDS; i++) {
        object_reset(&object);
        object.kind = (enum object_kind)kind;
        object.start = wire_get(task);
        object.size = wire_get(task);
        object.flags = OBJECT_RANGE | wanted_flag(task);
        if (begin_item(worker, (uint32_t)i) &&
            (object_add_run(&object, 0, object.start, object.size) ||
             batch_add(worker->batch, worker->medium, (uint32_t)i, &object, NULL)))
            crew_give_up();
    }
    batch_flush(worker->batch, worker->medium, send_object, worker);
    object_release(&object);
}

/* ---- files of the host ---- */

static bool same_times(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static void keep_object(void *arg, const struct object *object)
{
    object_encode(arg, object);
}

/* Where it has data, as far as it says: its holes need not be read, which would be slower than all else. */
static int add_data_runs(struct object *object, int fd, const struct stat *st)
{
    const off_t size = (off_t)object->size;

    if (!S_ISREG(st->st_mode) || (uint64_t)st->st_blocks * 512 >= (uint64_t)st->st_size)
        return object_add_run(object, 0, 0, object->size);
    for (off_t at = 0, end; at < size; at = end) {
        const off_t data = lseek(fd, at, SEEK_DATA);

        if (data < 0 && errno == ENXIO) /* nothing but a hole is left */
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
 * By its name, or its beginning and its end, as an image that is given on the command line.  Whether it is a
 * part of one, the parent sees: its neighbours are not in a worker's reach.
 */
static bool looks_like_image(struct medium *medium, const struct object *object)
{
    static uint8_t head[40 << 10], tail[512];
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

/* The file is its own medium: its bytes are the image. */
static void do_file(struct evidence_worker *worker, uint32_t item, struct object *object, int fd)
{
    struct stat before, after;
    struct object done = {0};
    struct buffer encoded = {0};
    struct wire wire;
    struct error err;
    struct medium *medium = sandbox_fstat(fd, &before) == 0 ? medium_open_fd(fd, "it", &err) : NULL;

    if (!medium) {
        object_blame(object, OBJECT_UNREADABLE, "it cannot be read");
        object->item = item;
        send_object(worker, object);
        return;
    }
    object->run_count = 0;
    object->size = medium_size(medium);
    if (looks_like_image(medium, object))
        object->flags |= OBJECT_DISK_IMAGE;
    batch_trust(worker->batch);
    if (add_data_runs(object, fd, &before) || batch_add(worker->batch, medium, item, object, NULL))
        crew_give_up();
    batch_flush(worker->batch, medium, keep_object, &encoded);
    wire = (struct wire){encoded.data, encoded.len, false};
    if (encoded.failed || !object_decode(&wire, &done))
        crew_give_up();
    if (sandbox_fstat(fd, &after) != 0 || !same_times(&before, &after))
        object_blame(&done, OBJECT_CHANGED, "it changed while it was read");
    done.run_count = 0;
    done.item = item;
    send_object(worker, &done);
    medium_close(medium);
    object_release(&done);
    buffer_release(&encoded);
}

static void do_files(struct evidence_worker *worker, struct wire *task, const int *fds, unsigned fd_count)
{
    size_t count = wire_get_count(task, 8);
    struct object object = {0};

    for (size_t i = 0; i < count && i < fd_count && object_decode(task, &object); i++)
        if (begin_item(worker, (uint32_t)i))
            do_file(worker, (uint32_t)i, &object, fds[i]);
    object_release(&object);
}

/* ---- the whole image ---- */

static int digest_image(struct evidence_worker *worker, struct digest_values *values, struct error *err)
{
    const uint64_t size = medium_size(worker->medium);
    uint8_t *piece = malloc(DIGEST_PIECE);
    int failed = piece ? digest_begin(worker->digest, err) : error_set(err, "out of memory");

    for (uint64_t at = 0; at < size && !failed;) {
        size_t len = size - at < DIGEST_PIECE ? (size_t)(size - at) : DIGEST_PIECE;

        medium_read(worker->medium, at, piece, len);
        failed = digest_update(worker->digest, piece, len, err);
        crew_progress(worker->crew, len);
        at += len;
    }
    if (!failed)
        failed = digest_final(worker->digest, values, err);
    free(piece);
    return failed;
}

static void do_digest(struct evidence_worker *worker)
{
    struct digest_values values = {0};
    struct error err;

    if (!worker->digest || !begin_item(worker, 0))
        return;
    if (digest_image(worker, &values, &err)) {
        send_problem(worker, &err);
    } else {
        put_message(worker, MESSAGE_DIGEST);
        evidence_put_digests(&worker->out, &values);
    }
}

/* ---- a worker's life ---- */

static int open_worker(struct evidence_worker *worker, struct error *err)
{
    const struct evidence_setup *setup = worker->setup;
    const struct inspector *inspector = setup->inspector;

    if (inspector && !(worker->inspector = inspector->open(inspector->arg, err)))
        return -1;
    worker->batch = batch_new(inspector, worker->inspector, worker->crew, err);
    if (!worker->batch)
        return -1;
    if (!setup->files)
        return 0;
    worker->medium = medium_open(setup->files, setup->count, setup->type, setup->force, err);
    worker->disk = worker->medium ? disk_open(worker->medium, err) : NULL;
    if (!worker->disk)
        return -1;
    if (setup->digests)
        worker->digest =
            digest_new(setup->digests | DIGEST_BIT(DIGEST_SHA1) | medium_stored(worker->medium)->kinds, err);
    return setup->digests && !worker->digest ? -1 : 0;
}

/* When it fails the process ends: what was opened is not given back one by one. */
void *evidence_task_start(void *arg, struct crew_worker *crew, struct error *err)
{
    struct evidence_worker *worker = calloc(1, sizeof *worker);

    if (!worker) {
        error_set(err, "out of memory");
        return NULL;
    }
    worker->setup = arg;
    worker->crew = crew;
    if (open_worker(worker, err)) {
        free(worker);
        return NULL;
    }
    return worker;
}

static bool needs_system(uint64_t kind)
{
    return kind == TASK_FOLDERS || kind == TASK_RECORDS || kind == TASK_LIST || kind == TASK_OBJECTS ||
           kind == TASK_BLOCKS || kind == TASK_STRUCTURES;
}

static void do_task(struct evidence_worker *worker, uint64_t kind, struct wire *task, const int *fds,
                    unsigned fd_count)
{
    switch (kind) {
    case TASK_IMAGE:
        do_image(worker);
        break;
    case TASK_TABLE:
        do_table(worker, task);
        break;
    case TASK_SYSTEMS:
        do_systems(worker, task);
        break;
    case TASK_FOLDERS:
        do_folders(worker, task);
        break;
    case TASK_RECORDS:
        do_records(worker, task);
        break;
    case TASK_LIST:
        do_list(worker);
        break;
    case TASK_OBJECTS:
        do_objects(worker, task);
        break;
    case TASK_BLOCKS:
        do_blocks(worker, task);
        break;
    case TASK_STRUCTURES:
        do_structures(worker);
        break;
    case TASK_RANGES:
        do_ranges(worker, task);
        break;
    case TASK_FILES:
        do_files(worker, task, fds, fd_count);
        break;
    default:
        do_digest(worker);
        break;
    }
}

/* One problem is kept for the last word. */
static void set_limits(struct evidence_worker *worker, const void *task, size_t len)
{
    const uint64_t size = worker->medium ? medium_size(worker->medium) : 0;

    for (int i = 0; i < EVIDENCE_MESSAGES; i++)
        worker->left[i] = evidence_rules_most(task, len, (enum evidence_message)i, size);
    worker->left[MESSAGE_PROBLEM]--;
    worker->cut = false;
    worker->sent = worker->begun = 0;
}

static void send_cut(struct evidence_worker *worker)
{
    struct error err;

    error_set(&err,
              "a part of the evidence claims to hold more than the image has room for, or is damaged in "
              "too many places: not all of it is listed");
    worker->left[MESSAGE_PROBLEM] = 1;
    send_problem(worker, &err);
}

/* So that the parent knows that all of it came. */
static void send_done(struct evidence_worker *worker)
{
    const uint64_t sent = worker->sent;

    put_message(worker, MESSAGE_DONE);
    wire_put(&worker->out, sent);
    wire_put(&worker->out, worker->begun);
    send_out(worker);
}

void evidence_task_work(void *state, struct crew_worker *crew, const void *data, size_t len, const int *fds,
                        unsigned fd_count)
{
    struct evidence_worker *worker = state;
    struct wire task = {data, len, false};
    uint64_t kind = wire_get(&task);
    struct disk_system system;
    struct error err;

    (void)crew;
    set_limits(worker, data, len);
    if (needs_system(kind))
        evidence_get_system(&task, &system);
    if (needs_system(kind) && !use_system(worker, &system, &err))
        send_problem(worker, &err);
    else
        do_task(worker, kind, &task, fds, fd_count);
    send_out(worker);
    if (worker->medium)
        send_bad(worker);
    if (worker->cut)
        send_cut(worker);
    send_done(worker);
}
