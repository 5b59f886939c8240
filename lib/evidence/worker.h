/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_WORKER_H
#define KITH_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "container/opening.h"
#include "crew/crew.h"
#include "disk/inspector.h"
#include "disk/object.h"

/*
 * The worker's side of reading evidence: it receives tasks and answers with messages (both are in
 * evidence_rules.h).  All evidence is parsed here, in a sandboxed process of its own.
 */

/* Parameters of a worker. */
struct worker_setup {
    char *const *files; /* of the image; NULL: only files of the host are read */
    size_t count;
    uint64_t bytes;   /* total size of these files */
    const char *type; /* of the image; NULL: detect it */
    /* An object of the image is the image to read, and this its name; type is then its type.  Or NULL. */
    const struct object *object;
    const char *object_name;
    bool force; /* read what remains of a damaged container */
    const struct inspector *inspector;
    struct opening_extent opening; /* of containers; needs an inspector */
    /* A set of DIGEST_BIT for TASK_DIGEST, besides those stored in the container; 0: no TASK_DIGEST is
     * coming. */
    unsigned digests;
};

/* Callbacks for crew_job.  arg is a struct worker_setup, which must outlive the worker. */
void *worker_start(void *arg, struct crew_worker *worker, struct error *err);
void worker_work(void *state, struct crew_worker *worker, const void *task, size_t len, const int *fds,
                 unsigned fd_count);

#endif
