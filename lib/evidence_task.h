/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_TASK_H
#define KITH_EVIDENCE_TASK_H

#include <stdint.h>

#include "crew.h"
#include "disk.h"
#include "inspector.h"
#include "wire.h"

/*
 * What the parent asks of a worker, and what comes back: numbers and bytes as in wire.h.  A task begins with
 * its kind, a result is a row of messages that each begin with theirs.
 */
enum evidence_task {
    TASK_IMAGE,   /* - */
    TASK_TABLE,   /* offset, whether the image may be cut */
    TASK_SYSTEMS, /* type or nothing; count, (start, len)...: an item each */
    TASK_FOLDERS, /* system; count, inode...: an item each */
    TASK_RECORDS, /* system; first, count: an item each */
    TASK_LIST,    /* system */
    TASK_OBJECTS, /* system; kinds; count, (inode, whether its content is wanted)...: an item each */
    TASK_BLOCKS,  /* system; first, last */
    TASK_RANGES,  /* kind; count, (start, len, whether its content is wanted)...: an item each */
    TASK_FILES,   /* count, object...: an item each, with its descriptor */
    TASK_DIGEST,  /* - */
};

enum evidence_message {
    MESSAGE_IMAGE,   /* format, size, sector size; kinds of stored digests, bytes of each */
    MESSAGE_TABLE,   /* type */
    MESSAGE_VOLUME,  /* number, start, len, bytes missing, about */
    MESSAGE_SYSTEM,  /* item; system; name; facts */
    MESSAGE_CONTENT, /* item; name; encrypted */
    MESSAGE_NAME,    /* inode, parent, parent's sequence, allocated, folder, name */
    MESSAGE_USE,     /* inode, sequence, allocated */
    MESSAGE_OBJECT,  /* item, never less than that of the one before; object */
    MESSAGE_RUN,     /* start, len: free */
    MESSAGE_DIGEST,  /* kinds, bytes of each */
    MESSAGE_BAD,     /* start, len: of the image, not readable */
    MESSAGE_PROBLEM, /* text */
};

/* What a worker is started with. */
struct evidence_setup {
    char *const *files; /* of the image; NULL: only files of the host are read */
    size_t count;
    uint64_t bytes;   /* in these files */
    const char *type; /* of the image, or NULL */
    const struct inspector *inspector;
    unsigned digests; /* a set of DIGEST_BIT, for TASK_DIGEST; 0: none is asked for */
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
