/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_WORKER_INNER_H
#define KITH_WORKER_INNER_H

/* What the files of this module share: worker.c is given the tasks, the others do them, worker_send.c
 * answers. */

#include "base/digest.h"
#include "base/ranges.h"
#include "base/wire.h"
#include "disk/disk.h"
#include "disk/filesystem.h"
#include "disk/medium.h"
#include "evidence/batch.h"
#include "evidence/evidence_rules.h"
#include "evidence/worker.h"

/* A worker: all of this is in a process of its own. */
struct evidence_worker {
    const struct worker_setup *setup;
    struct crew_worker *crew;
    struct medium *medium;
    struct disk *disk;
    struct filesystem *filesystem; /* the one that was used last */
    struct disk_system system;
    struct inspector_watch watch; /* of the inspector */
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

/* ---- tasks, one each; wire: what follows the kind and the file system ---- */

/* The image, a partition table, the file systems of volumes: worker_volumes.c. */
void worker_do_image(struct evidence_worker *worker);
void worker_do_table(struct evidence_worker *worker, struct wire *task);
void worker_do_systems(struct evidence_worker *worker, struct wire *task);
/* Makes it the one that is read; NULL if it cannot be opened. */
struct filesystem *worker_use_system(struct evidence_worker *worker, const struct disk_system *system,
                                     struct error *err);

/* Names in folders, in records, of files that no folder names: worker_names.c. */
void worker_do_folders(struct evidence_worker *worker, struct wire *task);
void worker_do_records(struct evidence_worker *worker, struct wire *task);
void worker_do_list(struct evidence_worker *worker);

/* Objects of inodes, free blocks, structures, stretches of the image: worker_objects.c. */
void worker_do_objects(struct evidence_worker *worker, struct wire *task);
void worker_do_blocks(struct evidence_worker *worker, struct wire *task);
void worker_do_structures(struct evidence_worker *worker);
void worker_do_ranges(struct evidence_worker *worker, struct wire *task);

/* Files of the host, by their descriptors: worker_files.c. */
void worker_do_files(struct evidence_worker *worker, struct wire *task, const int *fds, unsigned fd_count);

/* The digests of the image: worker_digest.c. */
void worker_do_digest(struct evidence_worker *worker);

/* ---- answers: worker_send.c ---- */

/* Begins an item of the task; false if it is to be left out. */
bool worker_begin_item(struct evidence_worker *worker, uint32_t item);
/* What an item's objects get from the number that says whether its content is wanted. */
unsigned worker_wanted_flag(struct wire *task);
/* The current item is making progress: some calls give very many answers.  arg is the worker. */
void worker_getting_on(void *arg);

/* Whether the task may give one more of these; else that is noted. */
bool worker_may_send(struct evidence_worker *worker, enum evidence_message message);
/* Begins a message in worker->out, to which its parts are added; sends what is there, or gives up. */
void worker_put(struct evidence_worker *worker, enum evidence_message message);
void worker_send(struct evidence_worker *worker);
/* Whole messages, if they may be sent.  arg is the worker, and before an object go unreadable ranges. */
void worker_send_problem(struct evidence_worker *worker, const struct error *err);
void worker_send_bad(struct evidence_worker *worker);
void worker_send_object(void *arg, const struct object *object);

#endif
