/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_WORKER_H
#define KITH_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "crew/crew.h"
#include "disk/inspector.h"

/*
 * The worker's side of reading evidence: it is given tasks and answers with messages (evidence_rules.h has
 * both). All evidence is parsed here, in a process of its own, in its sandbox.
 */

/* What a worker is started with. */
struct worker_setup {
    char *const *files; /* of the image; NULL: only files of the host are read */
    size_t count;
    uint64_t bytes;   /* in these files */
    const char *type; /* of the image, or NULL */
    bool force;       /* read a damaged container */
    const struct inspector *inspector;
    /* A set of DIGEST_BIT, for TASK_DIGEST, besides those that the container holds; 0: none is asked for. */
    unsigned digests;
};

/* For crew_job; arg is a struct worker_setup, which must stay. */
void *worker_start(void *arg, struct crew_worker *worker, struct error *err);
void worker_work(void *state, struct crew_worker *worker, const void *task, size_t len, const int *fds,
                 unsigned fd_count);

#endif
