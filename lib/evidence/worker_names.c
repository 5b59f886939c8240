/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/worker_inner.h"

/* The names in a file system: in folders, in records, or wherever else they can be found. */

enum { LIST_STEP = 1024 };

static void send_name(struct evidence_worker *worker, const struct filesystem_name *name)
{
    if (!worker_may_send(worker, MESSAGE_NAME))
        return;
    worker_put(worker, MESSAGE_NAME);
    wire_put_numbers(
        &worker->out,
        (const uint64_t[]){name->inode, name->parent, name->parent_sequence, name->allocated, name->folder},
        5);
    wire_put_bytes(&worker->out, name->name, name->len < EVIDENCE_MOST_NAME ? name->len : EVIDENCE_MOST_NAME);
    worker_send(worker);
}

static int found_name(void *arg, const struct filesystem_name *name)
{
    struct evidence_worker *worker = arg;

    if (++worker->steps % LIST_STEP == 0)
        worker_getting_on(worker);
    send_name(worker, name);
    return 0;
}

void worker_do_folders(struct evidence_worker *worker, struct wire *task)
{
    size_t count = wire_get_count(task, 8);
    struct error err;

    for (size_t i = 0; i < count; i++) {
        uint64_t inode = wire_get(task);

        if (worker_begin_item(worker, (uint32_t)i) &&
            filesystem_folder(worker->filesystem, inode, found_name, worker, &err))
            worker_send_problem(worker, &err);
    }
}

struct record_use {
    struct evidence_worker *worker;
    bool folder, allocated;
};

static int found_record_name(void *arg, const struct filesystem_name *name)
{
    struct record_use *record = arg;

    record->folder = name->folder;
    record->allocated = name->allocated;
    send_name(record->worker, name);
    return 0;
}

void worker_do_records(struct evidence_worker *worker, struct wire *task)
{
    uint64_t first = wire_get(task), count = wire_get(task);
    struct error err;

    for (uint64_t i = 0; i < count && i < UINT32_MAX; i++) {
        struct record_use record = {.worker = worker};
        uint32_t sequence = 0;

        if (!worker_begin_item(worker, (uint32_t)i))
            continue;
        if (filesystem_names(worker->filesystem, first + i, &sequence, found_record_name, &record, &err))
            continue; /* the record cannot be read as an object either, which is reported then */
        if (record.folder) {
            worker_put(worker, MESSAGE_USE);
            wire_put_numbers(&worker->out, (const uint64_t[]){first + i, sequence, record.allocated}, 3);
            worker_send(worker);
        }
    }
}

void worker_do_list(struct evidence_worker *worker)
{
    struct error err;

    if (worker_begin_item(worker, 0) && filesystem_list(worker->filesystem, found_name, worker, &err))
        worker_send_problem(worker, &err);
}
