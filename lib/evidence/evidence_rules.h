/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_RULES_H
#define KITH_EVIDENCE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crew/crew.h"

/*
 * What the parent asks of a worker, and what comes back: numbers and bytes as in wire.h.  A task begins with
 * its kind, a result is a row of messages that each begin with theirs.
 */
enum evidence_task {
    TASK_IMAGE,      /* - */
    TASK_TABLE,      /* offset, whether the image may be cut */
    TASK_SYSTEMS,    /* type or nothing; count, (start, len)...: an item each */
    TASK_FOLDERS,    /* system; count, inode...: an item each */
    TASK_RECORDS,    /* system; first, count: an item each */
    TASK_LIST,       /* system */
    TASK_OBJECTS,    /* system; kinds, those whose content is wanted; count, (inode, whether its content is
                      * wanted)...: an item each */
    TASK_STRUCTURES, /* system */
    TASK_BLOCKS,     /* system; first, last */
    TASK_RANGES, /* kind; whether all have one number; count, (start, len, whether its content is wanted)...:
                  * an item each */
    TASK_FILES,  /* count, object...: an item each, with its descriptor */
    TASK_DIGEST, /* - */
};

enum evidence_message {
    MESSAGE_IMAGE,   /* format, size, sector size; kinds of stored digests, bytes of each;
                      * names of other files of the container, each ended */
    MESSAGE_TABLE,   /* type */
    MESSAGE_VOLUME,  /* number, start, len, bytes missing, about */
    MESSAGE_SYSTEM,  /* item; system; name; facts */
    MESSAGE_CONTENT, /* item; name or nothing; encrypted; whether it can hold no files */
    MESSAGE_NAME,    /* inode, parent, parent's sequence, allocated, folder, name */
    MESSAGE_USE,     /* inode, sequence, allocated */
    MESSAGE_OBJECT,  /* item, never less than that of the one before; object */
    MESSAGE_RUN,     /* start, len: free, or a structure */
    MESSAGE_DIGEST,  /* kinds, bytes of each */
    MESSAGE_BAD,     /* start, len: of the image, not readable */
    MESSAGE_PROBLEM, /* text */
    MESSAGE_DONE,    /* messages before it; items that were begun: the last one */
    EVIDENCE_MESSAGES,
};

enum {
    EVIDENCE_FACTS = 11, /* numbers */
    EVIDENCE_SMALLEST_NAME =
        12,                     /* bytes that a name takes on the disk: folders may share their blocks, and */
    EVIDENCE_MORE_NAMES = 1024, /* so claim more names than there is room for; these come on top */
    EVIDENCE_MOST_NAME = 4096,  /* bytes of a name; what is longer is cut */
};

/*
 * What may come of a task: which messages, how many, and what they may say, as far as that follows from what
 * was asked.  A worker that was taken over can leave out or forge what it finds in its own tasks, and no
 * more: its result is taken only if each message in it is one that this task can give, and it is killed
 * otherwise.
 *
 * Honest workers keep to the numbers, too (evidence_rules_most): evidence can be made so that it would give
 * any number of names or objects.
 */

/* What is known of the evidence when a result is judged. */
struct evidence_bounds {
    uint64_t bytes;   /* in the image's files; 0: not known */
    uint64_t size;    /* of the image; 0 as long as it is not known, and for files of the host */
    unsigned seconds; /* of CPU time that an item may take without progress */
};

/* The items that a task has, and what it may take and give: those members of a crew_task. */
void evidence_rules_limit(struct crew_task *task, const struct evidence_bounds *bounds);

/* How many messages of a kind a task's result may hold, on an image of that size. */
uint64_t evidence_rules_most(const void *task, size_t len, enum evidence_message message, uint64_t size);

/* For crew_job: arg is a struct evidence_bounds. */
bool evidence_rules_accept(void *arg, void *state, const struct crew_result *result, bool complete);
extern const size_t evidence_rules_state;

/* A number of a task of items that are numbers: that at a place of an item's; 0 if there is none. */
uint64_t evidence_rules_argument(const void *task, size_t len, uint64_t item, size_t place);

#endif
