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
 * An inspector processes the content of objects in the process that reads them: it hashes, samples or matches
 * it.  The bytes of an object are passed in order and in pieces, between begin and end; end stores the
 * outcome in object->result.  There, object->item counts from the first item of the task.
 */
enum { INSPECTOR_STREAM_MAX = 64 << 10 };

struct inspector_watch {
    /* Reports that a long computation on one object is still progressing, so that the worker does not appear
     * to be stuck. */
    void (*progress)(void *arg);
    /* Passes at most INSPECTOR_STREAM_MAX bytes to the sink's `stream` in the parent (evidence_sink.h), which
     * must have one.  Waits until they are taken: unlike a result, nothing is kept. */
    void (*stream)(void *arg, const void *data, size_t len);
    void *arg;
};

struct inspector {
    /*
     * Called once in each worker, before its sandbox is closed.  After that no file can be opened or looked
     * up: an SQLite database must be read within a single transaction begun by open, with temp_store in
     * memory.  The watch lives as long as the worker.
     */
    void *(*open)(void *arg, const struct inspector_watch *watch, struct error *err);
    /* Whether to read the content of an object at all, asked before anything of it is read; if not, neither
     * begin nor end is called.  NULL: all objects. */
    bool (*selects)(void *state, const struct object *object);
    /* Whether to open an object that may be a container, even if it was not selected; asked once more after
     * end.  NULL: all objects. */
    bool (*opens)(void *state, const struct object *object);
    /*
     * Returns false if the content is not wanted.  content: access to any of the object's bytes, from now
     * until end returns.  Re-reads do not reset the watchdog (crew.h): they count as the inspector's own time
     * unless it reports progress to the watch, which it may do only if its work is bounded.
     */
    bool (*begin)(void *state, const struct object *object, struct content *content);
    void (*data)(void *state, const void *data, size_t len);
    void (*zeros)(void *state, uint64_t len);
    /* Zeros as well, in an object with too many of them to be hashed, so that it gets no digest.  May be
     * NULL: such an object is then unreadable, unless it is a file of the host. */
    void (*hole)(void *state, uint64_t len);
    void (*end)(void *state, struct object *object);
    void *arg;                  /* passed to open */
    const char *const *folders; /* folders below which open reads; ends with NULL; may be NULL */
    uint64_t memory;            /* bytes of address space that it needs in addition */
};

/* Passes zeros to `data` in pieces, for inspectors that do not treat them specially. */
void inspector_zeros(void (*data)(void *state, const void *data, size_t len), void *state, uint64_t len);

/* Reads no content, except to find what is packed in it. */
extern const struct inspector inspector_closed;

/* Ignores the content; but all of it is read, which reveals what is unreadable. */
extern const struct inspector inspector_reader;

#endif
