/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_WORKER_INNER_H
#define KITH_WORKER_INNER_H

/* Shared by the files of this module: worker.c receives the tasks, the others carry them out, worker_send.c
 * answers. */

#include "base/digest.h"
#include "base/ranges.h"
#include "base/wire.h"
#include "disk/content_runs.h"
#include "disk/disk.h"
#include "disk/filesystem.h"
#include "disk/medium.h"
#include "evidence/allowance.h"
#include "evidence/batch.h"
#include "evidence/evidence_rules.h"
#include "evidence/worker.h"

/* The state of a worker process. */
struct evidence_worker {
    const struct worker_setup *setup;
    struct crew_worker *crew;
    struct medium *medium;
    struct medium *outer; /* the image that the medium is an object of; or NULL */
    struct content_runs object;
    struct disk *disk;
    struct filesystem *filesystem; /* the one used last */
    struct disk_system system;
    struct inspector_watch watch; /* passed to the inspector */
    void *inspector;
    struct batch *batch;
    struct digest *digest; /* created while libcrypto can still open its files */
    struct buffer out;
    uint32_t item;       /* number in the task */
    unsigned item_flags; /* added to the flags of the item's objects */
    unsigned wanted;     /* kinds of objects whose content is wanted */
    uint64_t steps;
    struct ranges found;              /* structures */
    uint64_t left[EVIDENCE_MESSAGES]; /* messages of each kind that the task may still send */
    bool cut;                         /* these limits cut something off */
    uint64_t sent, begun;             /* messages sent and items begun in this task */
    uint64_t member_room;             /* bytes that it may still send of members */
    struct worker_share {
        uint64_t bytes, members;
    } share,                    /* of members, for each item of the task at the least, */
        kept;                   /* and for all those after the present one */
    uint64_t items;             /* of the task */
    struct allowance allowance; /* by this task */
};

/* ---- tasks, one function each; wire is positioned after the kind and the file system ---- */

/* The image, a partition table, the file systems of volumes: worker_volumes.c. */
void worker_do_image(struct evidence_worker *worker);
void worker_do_table(struct evidence_worker *worker, struct wire *task);
void worker_do_systems(struct evidence_worker *worker, struct wire *task);
/* Opens a file system, or reuses the one that is open; NULL on error. */
struct filesystem *worker_use_system(struct evidence_worker *worker, const struct disk_system *system,
                                     struct error *err);

/* Names found in folders, in records, and of files that no folder lists: worker_names.c. */
void worker_do_folders(struct evidence_worker *worker, struct wire *task);
void worker_do_records(struct evidence_worker *worker, struct wire *task);
void worker_do_list(struct evidence_worker *worker);

/* Objects of inodes, free blocks, structures, ranges of the image: worker_objects.c. */
void worker_do_objects(struct evidence_worker *worker, struct wire *task);
void worker_do_blocks(struct evidence_worker *worker, struct wire *task);
void worker_do_structures(struct evidence_worker *worker);
void worker_do_ranges(struct evidence_worker *worker, struct wire *task);

/* Files of the host, passed as descriptors: worker_files.c. */
void worker_do_files(struct evidence_worker *worker, struct wire *task, const int *fds, unsigned fd_count);

/* The digests of the image: worker_digest.c. */
void worker_do_digest(struct evidence_worker *worker);

/* ---- answers: worker_send.c ---- */

/* Begins an item of the task; false if it must be skipped.  The second is for items that the batch divides
 * into halves. */
bool worker_begin_item(struct evidence_worker *worker, uint32_t item);
bool worker_begin_halves(struct evidence_worker *worker, uint32_t item);
/* Reads whether an item's content is wanted; returns the flag for its objects: 0 or OBJECT_UNWANTED. */
unsigned worker_wanted_flag(struct wire *task);
/* Reports progress on the current item, for calls that yield very many results.  arg is the worker. */
void worker_getting_on(void *arg);

/* Returns whether the task may send another message of this kind; if not, notes that something is left out.
 */
bool worker_may_send(struct evidence_worker *worker, enum evidence_message message);
/* worker_put begins a message in worker->out, to which the caller adds its parts; worker_send sends what is
 * there, or gives up if memory ran out. */
void worker_put(struct evidence_worker *worker, enum evidence_message message);
void worker_send(struct evidence_worker *worker);
/* Send whole messages, within the limits.  worker_send_object (arg is the worker) reports unreadable ranges
 * first; it returns false if no further members may be sent. */
void worker_send_problem(struct evidence_worker *worker, const struct error *err);
void worker_send_bad(struct evidence_worker *worker);
bool worker_send_object(void *arg, struct object *object);

#endif
