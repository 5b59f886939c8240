/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_RULES_H
#define KITH_EVIDENCE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crew/crew.h"

/*
 * The protocol between parent and workers, in numbers and bytes as in wire.h.  A task begins with its kind;
 * its result is a sequence of messages, each beginning with its own kind.
 */
enum evidence_task {
    TASK_IMAGE,      /* - */
    TASK_TABLE,      /* offset, whether to allow for a truncated image */
    TASK_SYSTEMS,    /* type or ""; count, (start, len)...: one item each */
    TASK_FOLDERS,    /* system; count, inode...: one item each */
    TASK_RECORDS,    /* system; first, count: one item each */
    TASK_LIST,       /* system */
    TASK_OBJECTS,    /* system; kinds, kinds whose content is wanted; count, (inode, whether its content is
                        wanted)...: one item each */
    TASK_STRUCTURES, /* system */
    TASK_BLOCKS,     /* system; first, last */
    TASK_RANGES, /* kind; whether all share one number; count, (start, len, whether its content is wanted)...:
                    one item each */
    TASK_FILES,  /* count, object...: one item each, with its descriptor */
    TASK_DIGEST, /* - */
};

/*
 * An item of TASK_OBJECTS, TASK_RANGES and TASK_FILES counts as two for the crew: 2 * i is its objects, 2 * i
 * + 1 what is packed in them (batch.h), and either can be lost.  At its end, such a task has a further
 * number: how many bytes its members may cost at most (allowance.h).
 */
bool evidence_rules_has_halves(const void *task, size_t len);
uint64_t evidence_rules_allowance(const void *task, size_t len);

enum evidence_message {
    MESSAGE_IMAGE,   /* format, size, sector size; kinds of stored digests, bytes of each; names of the
                        container's other files, each NUL-terminated */
    MESSAGE_TABLE,   /* type */
    MESSAGE_VOLUME,  /* number, start, len, missing bytes, description */
    MESSAGE_SYSTEM,  /* item; system; name; facts */
    MESSAGE_CONTENT, /* item; name or ""; encrypted; whether it holds no files */
    MESSAGE_NAME,    /* inode, parent, parent's sequence, allocated, folder, name */
    MESSAGE_USE,     /* inode, sequence, allocated */
    MESSAGE_OBJECT,  /* item, in ascending order; object */
    MESSAGE_MEMBER,  /* item; object, packed in the one before it */
    MESSAGE_RUN,     /* start, len: free blocks, or a structure */
    MESSAGE_DIGEST,  /* kinds, bytes of each */
    MESSAGE_BAD,     /* start, len: unreadable bytes of the image */
    MESSAGE_PROBLEM, /* text */
    MESSAGE_DONE,    /* number of messages before this one, number of items begun; the last message */
    EVIDENCE_MESSAGES,
};

enum {
    EVIDENCE_FACTS = 11, /* numbers in MESSAGE_SYSTEM */
    /* Bytes that a name occupies on disk at the least.  Folders may share blocks and so claim more names than
     * the image has room for; a few more than that are accepted. */
    EVIDENCE_SMALLEST_NAME = 12,
    EVIDENCE_MORE_NAMES = 1024,
    EVIDENCE_MOST_NAME = 4096, /* bytes of a name; longer ones are truncated */
    /* Of a task's result: bytes of members, and room for the last one, which says that there are more. */
    EVIDENCE_MEMBER_BYTES = 192 << 20,
    EVIDENCE_LAST_MEMBER = 1 << 20,
};

/*
 * What a task's result may contain: which messages, how many, and with which values, as far as the task
 * determines them.  A compromised worker can omit or forge what it finds in its own tasks, and nothing else:
 * the parent accepts a result only if this task can produce each message in it, and kills the worker
 * otherwise.
 *
 * Honest workers observe the limits too (evidence_rules_most), because evidence can be crafted to yield any
 * number of names or objects.
 */

/* What is known of the evidence when a result is checked. */
struct evidence_bounds {
    uint64_t bytes;   /* in the image's files; 0: unknown */
    uint64_t size;    /* of the image; 0 until it is known, and for files of the host */
    unsigned seconds; /* of CPU time that an item may take without progress */
    bool opens;       /* containers are opened */
};

/* Sets the number of items of a task, and its limits on CPU time and on the size of the result. */
void evidence_rules_limit(struct crew_task *task, const struct evidence_bounds *bounds);

/* Returns the number of items of a task. */
uint64_t evidence_rules_items(const void *task, size_t len);

/* Returns how many messages of a kind a task's result may contain, for an image of this size. */
uint64_t evidence_rules_most(const void *task, size_t len, enum evidence_message message, uint64_t size);

/* Callback for crew_job; arg is a struct evidence_bounds. */
bool evidence_rules_accept(void *arg, void *state, const struct crew_result *result, bool complete);
extern const size_t evidence_rules_state;

/*
 * Returns the number at a given place within an item, in a task whose items are numbers; 0 if there is none.
 */
uint64_t evidence_rules_argument(const void *task, size_t len, uint64_t item, size_t place);

#endif
