/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/worker.h"

#include <stdlib.h>

#include "base/memory.h"
#include "evidence/evidence_wire.h"
#include "evidence/worker_inner.h"

static void note_progress(void *arg)
{
    crew_progress(arg, 0);
}

static void pass_on(void *arg, const void *data, size_t len)
{
    crew_stream(arg, data, len);
}

static struct medium *open_medium(struct evidence_worker *worker, struct error *err)
{
    const struct worker_setup *setup = worker->setup;
    char *const *files = setup->files;

    if (!setup->object)
        return medium_open(files, setup->count, setup->type, setup->force, err);
    worker->outer = medium_open(files, setup->count, NULL, setup->force, err);
    if (!worker->outer)
        return NULL;
    content_runs_init(&worker->object, worker->outer, setup->object);
    return medium_open_content(&worker->object.content, setup->object_name, setup->type, setup->force, err);
}

static int open_worker(struct evidence_worker *worker, struct error *err)
{
    const struct worker_setup *setup = worker->setup;
    const struct inspector *inspector = setup->inspector;

    if (inspector && !(worker->inspector = inspector->open(inspector->arg, &worker->watch, err)))
        return -1;
    worker->batch = batch_new(inspector, worker->inspector, worker->crew, err);
    if (!worker->batch)
        return -1;
    batch_deliver(worker->batch, worker_send_object, worker);
    if (inspector && setup->opening.mode != OPENING_NO &&
        batch_open(worker->batch, &setup->opening, &worker->allowance, err))
        return -1;
    if (!setup->files)
        return 0;
    worker->medium = open_medium(worker, err);
    worker->disk = worker->medium ? disk_open(worker->medium, err) : NULL;
    if (!worker->disk)
        return -1;
    if (setup->digests)
        worker->digest =
            digest_new(setup->digests | DIGEST_BIT(DIGEST_SHA1) | medium_stored(worker->medium)->kinds, err);
    return setup->digests && !worker->digest ? -1 : 0;
}

_Static_assert((int)INSPECTOR_STREAM_MAX == (int)CREW_STREAM_MAX, "both name the same limit");

/* On failure the process exits, so what has been opened is not released piece by piece. */
void *worker_start(void *arg, struct crew_worker *crew, struct error *err)
{
    struct evidence_worker *worker = memory_new(sizeof *worker, err);

    if (!worker)
        return NULL;
    worker->setup = arg;
    worker->crew = crew;
    worker->watch = (struct inspector_watch){note_progress, pass_on, crew};
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
        worker_do_image(worker);
        break;
    case TASK_TABLE:
        worker_do_table(worker, task);
        break;
    case TASK_SYSTEMS:
        worker_do_systems(worker, task);
        break;
    case TASK_FOLDERS:
        worker_do_folders(worker, task);
        break;
    case TASK_RECORDS:
        worker_do_records(worker, task);
        break;
    case TASK_LIST:
        worker_do_list(worker);
        break;
    case TASK_OBJECTS:
        worker_do_objects(worker, task);
        break;
    case TASK_BLOCKS:
        worker_do_blocks(worker, task);
        break;
    case TASK_STRUCTURES:
        worker_do_structures(worker);
        break;
    case TASK_RANGES:
        worker_do_ranges(worker, task);
        break;
    case TASK_FILES:
        worker_do_files(worker, task, fds, fd_count);
        break;
    default:
        worker_do_digest(worker);
        break;
    }
}

enum { KEPT = 4 }; /* the room for members divided by this is shared among the items */

/* One problem message is held back for send_cut. */
static void set_limits(struct evidence_worker *worker, const void *task, size_t len)
{
    const uint64_t size = worker->medium ? medium_size(worker->medium) : 0;

    for (int i = 0; i < EVIDENCE_MESSAGES; i++)
        worker->left[i] = evidence_rules_most(task, len, (enum evidence_message)i, size);
    worker->left[MESSAGE_PROBLEM]--;
    worker->cut = false;
    worker->sent = worker->begun = 0;
    worker->member_room = EVIDENCE_MEMBER_BYTES - EVIDENCE_LAST_MEMBER;
    worker->items = evidence_rules_items(task, len);
    worker->share = (struct worker_share){0};
    if (worker->items > 0)
        worker->share = (struct worker_share){worker->member_room / KEPT / worker->items,
                                              worker->left[MESSAGE_MEMBER] / KEPT / worker->items};
    worker->allowance = (struct allowance){.most = evidence_rules_allowance(task, len)};
}

static void send_cut(struct evidence_worker *worker)
{
    struct error err;

    error_set(&err, "part of the evidence claims to hold more than the image has room for, or is damaged in "
                    "too many places: the listing is incomplete");
    worker->left[MESSAGE_PROBLEM] = 1;
    worker_send_problem(worker, &err);
}

/* Lets the parent verify that nothing is missing. */
static void send_done(struct evidence_worker *worker)
{
    const uint64_t sent = worker->sent;

    worker_put(worker, MESSAGE_DONE);
    wire_put(&worker->out, sent);
    wire_put(&worker->out, worker->begun);
    worker_send(worker);
}

void worker_work(void *state, struct crew_worker *crew, const void *data, size_t len, const int *fds,
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
    if (needs_system(kind) && !worker_use_system(worker, &system, &err))
        worker_send_problem(worker, &err);
    else
        do_task(worker, kind, &task, fds, fd_count);
    worker_send(worker);
    if (worker->medium)
        worker_send_bad(worker);
    if (worker->cut)
        send_cut(worker);
    send_done(worker);
}
