/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "evidence/worker_inner.h"

/* Objects of inodes, what lies outside files, and ranges of the image. */

static int found_object(void *arg, struct object *object, struct content *content)
{
    struct evidence_worker *worker = arg;

    object->flags |= worker->item_flags;
    if (!(worker->wanted & OBJECT_BIT(object->kind)))
        object->flags |= OBJECT_UNWANTED;
    return batch_add(worker->batch, worker->medium, worker->item, object, content);
}

/* Consecutive inodes that fail for the same reason are reported as one problem. */
struct failures {
    uint64_t first, last;
    struct error cause;
    bool any;
};

static void report_failures(struct evidence_worker *worker, struct failures *failures)
{
    struct error err;

    if (failures->any && failures->first == failures->last)
        error_set(&err, "inode %" PRIu64 " %.1000s", failures->first, failures->cause.text);
    else if (failures->any)
        error_set(&err, "inodes %" PRIu64 " to %" PRIu64 " %.1000s", failures->first, failures->last,
                  failures->cause.text);
    if (failures->any)
        worker_send_problem(worker, &err);
    failures->any = false;
}

static void add_failure(struct evidence_worker *worker, struct failures *failures, uint64_t inode,
                        const struct error *cause)
{
    if (!failures->any || failures->last + 1 != inode || strcmp(failures->cause.text, cause->text) != 0) {
        report_failures(worker, failures);
        failures->first = inode;
        failures->cause = *cause;
        failures->any = true;
    }
    failures->last = inode;
}

void worker_do_objects(struct evidence_worker *worker, struct wire *task)
{
    unsigned kinds = (unsigned)wire_get(task), wanted = (unsigned)wire_get(task);
    size_t count = wire_get_count(task, 16);
    struct failures failures = {0};
    struct error err;

    worker->wanted = wanted;
    for (size_t i = 0; i < count; i++) {
        uint64_t inode = wire_get(task);

        worker->item_flags = worker_wanted_flag(task);
        worker->item = (uint32_t)i;
        if (worker_begin_halves(worker, (uint32_t)i) &&
            filesystem_objects(worker->filesystem, inode, kinds, found_object, worker, &err))
            add_failure(worker, &failures, inode, &err);
    }
    report_failures(worker, &failures);
    batch_flush(worker->batch, worker->medium);
}

static void found_run(void *arg, uint64_t start, uint64_t len)
{
    struct evidence_worker *worker = arg;

    if (!worker_may_send(worker, MESSAGE_RUN))
        return;
    worker_put(worker, MESSAGE_RUN);
    wire_put(&worker->out, start);
    wire_put(&worker->out, len);
    worker_send(worker);
}

void worker_do_blocks(struct evidence_worker *worker, struct wire *task)
{
    uint64_t first = wire_get(task), last = wire_get(task);
    struct error err;

    if (worker_begin_item(worker, 0) &&
        filesystem_unallocated(worker->filesystem, first, last, found_run, worker_getting_on, worker, &err))
        worker_send_problem(worker, &err);
}

static void keep_range(void *arg, uint64_t start, uint64_t len)
{
    struct evidence_worker *worker = arg;

    if (ranges_add(&worker->found, start, len))
        worker->out.failed = true;
}

/* The file system reports them in any order, and possibly more than once. */
void worker_do_structures(struct evidence_worker *worker)
{
    struct error err;

    worker->found.count = 0;
    if (!worker_begin_item(worker, 0))
        return;
    if (filesystem_structures(worker->filesystem, keep_range, worker_getting_on, worker, &err))
        worker_send_problem(worker, &err);
    ranges_sort(&worker->found);
    for (size_t i = 0; i < worker->found.count; i++)
        found_run(worker, worker->found.list[i].start, worker->found.list[i].len);
}

void worker_do_ranges(struct evidence_worker *worker, struct wire *task)
{
    uint64_t kind = wire_get(task), one_number = wire_get(task);
    size_t count = wire_get_count(task, 24);
    struct object object = {0};

    (void)one_number; /* used only by the parent */
    for (size_t i = 0; i < count && kind < OBJECT_KINDS; i++) {
        object_reset(&object);
        object.kind = (enum object_kind)kind;
        object.start = wire_get(task);
        object.size = wire_get(task);
        object.flags = OBJECT_RANGE | worker_wanted_flag(task);
        if (worker_begin_halves(worker, (uint32_t)i) &&
            (object_add_run(&object, 0, object.start, object.size) ||
             batch_add(worker->batch, worker->medium, (uint32_t)i, &object, NULL)))
            crew_give_up();
    }
    batch_flush(worker->batch, worker->medium);
    object_release(&object);
}
