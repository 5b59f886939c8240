/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_TASK_H
#define KITH_EVIDENCE_TASK_H

#include <stdint.h>

#include "base/wire.h"
#include "crew/crew.h"
#include "disk/disk.h"
#include "disk/inspector.h"
#include "evidence/evidence_rules.h"

/* What a worker is started with. */
struct evidence_setup {
    char *const *files; /* of the image; NULL: only files of the host are read */
    size_t count;
    uint64_t bytes;   /* in these files */
    const char *type; /* of the image, or NULL */
    bool force;       /* read a damaged container */
    const struct inspector *inspector;
    /* A set of DIGEST_BIT, for TASK_DIGEST, besides those that the container holds; 0: none is asked for. */
    unsigned digests;
};

/* For crew_job; arg is a struct evidence_setup, which must stay. */
void *evidence_task_start(void *arg, struct crew_worker *worker, struct error *err);
void evidence_task_work(void *state, struct crew_worker *worker, const void *task, size_t len, const int *fds,
                        unsigned fd_count);

/* Both sides' way of writing the same things. */
void evidence_put_system(struct buffer *out, const struct disk_system *system);
void evidence_get_system(struct wire *wire, struct disk_system *system);
void evidence_put_digests(struct buffer *out, const struct digest_values *values);
void evidence_get_digests(struct wire *wire, struct digest_values *values);

#endif
