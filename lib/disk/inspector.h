/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_INSPECTOR_H
#define KITH_INSPECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "disk/content.h"
#include "disk/object.h"

/*
 * What is done with the content of objects, in the process that reads them: hash it, sample it, match it.  An
 * object's bytes come in order and in pieces, between begin and end; end puts what came out into
 * object->result.  There, object->item counts from the first item of the task.
 */
struct inspector_watch {
    /* Much is being done for one object: so that it is not taken for stuck. */
    void (*progress)(void *arg);
    void *arg;
};

struct inspector {
    /* Once in each worker, before its sandbox is closed.  Later no file can be opened or looked for: an
     * SQLite database is to be read in the one transaction that open began, with temp_store in memory.  The
     * watch is there as long as the worker. */
    void *(*open)(void *arg, const struct inspector_watch *watch, struct error *err);
    /*
     * false: its content is not wanted.  content: the object's bytes once more, any of them, from now on
     * until end returns.  That is no progress: what an inspector reads again counts as its own time (crew.h),
     * unless it reports to the watch, which it may only do if there is an end to it.
     */
    bool (*begin)(void *state, const struct object *object, struct content *content);
    void (*data)(void *state, const void *data, size_t len);
    void (*zeros)(void *state, uint64_t len);
    /* Zeros too, of an object that has so many that nobody can hash them all: it gets no digest.  May be
     * NULL: such an object is unreadable, unless it is a file of the host. */
    void (*hole)(void *state, uint64_t len);
    void (*end)(void *state, struct object *object);
    void *arg;                  /* for open */
    const char *const *folders; /* that open reads below, ends with NULL; may be NULL */
    uint64_t memory;            /* bytes of address space that it needs besides */
};

/* Zeros for an inspector to which they are data like any other: gives them to `data` in pieces. */
void inspector_zeros(void (*data)(void *state, const void *data, size_t len), void *state, uint64_t len);

/* Does nothing with the content: all of it is read, which shows what cannot be. */
extern const struct inspector inspector_reader;

#endif
