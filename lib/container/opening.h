/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_OPENING_H
#define KITH_OPENING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "container/container.h"
#include "disk/content.h"
#include "disk/object.h"

/*
 * Opens containers: finds the members in the content of an object, the members of these, and so on.
 *
 * Whatever keeps a container from being opened to its end - damage, a limit, encryption - becomes a member
 * too: without content, unreadable, and with the reason as its problem.  So nothing that was recognised is
 * passed over in silence.
 *
 * An object may cost at most OPENING_LEAST bytes of members, plus OPENING_RATIO for each of its own that is
 * stored, on all levels together; whatever it claims.
 */
enum opening_mode {
    OPENING_NO,    /* nothing */
    OPENING_KNOWN, /* content that begins as a container */
    OPENING_ALL,   /* also containers in free space and slack, and encoded text anywhere in a file */
    OPENING_MODES,
};

enum {
    OPENING_USUAL_DEPTH = 5,
    OPENING_MOST_DEPTH = OBJECT_MOST_LEVELS,
    OPENING_MOST_MEMBERS = 250000, /* of an object, on all levels */
    OPENING_RATIO = 250,
    OPENING_LEAST = 64 << 20, /* in bytes */
    OPENING_ROOM = 24 << 20,  /* bytes of members held in memory at a time, on all levels together */
    /* What a worker needs at most in addition: two open containers on each level would be CONTAINER_MEMORY
     * each, but those with large dictionaries are seldom nested. */
    OPENING_MEMORY = 2 * CONTAINER_MEMORY + OPENING_ROOM,
};

/* Returns "no", "known", "all"; NULL after the last. */
const char *opening_mode_name(unsigned mode);

struct opening_sink {
    /* Whether to look into an object or member, once it was taken.  NULL: into all. */
    bool (*opens)(void *arg, const struct object *object);
    /*
     * Takes a member.  content: its bytes, which can be read until this returns, best in order, since going
     * back may mean to unpack the container again; NULL if there are none to be read, and the object says
     * why.  Returns false if no further members can be taken.
     */
    bool (*member)(void *arg, struct object *member, struct content *content);
    void (*progress)(void *arg); /* called often */
    /* Called before each step that may end the process: opening a container, going on to its next member.
     * Returns NULL, or why the object must not be opened any further.  May be NULL. */
    const char *(*step)(void *arg);
    void *arg;
};

struct opening;

/* Folders below which opening_new reads; ends with NULL. */
extern const char *const opening_folders[];

/* Which containers are opened. */
struct opening_extent {
    enum opening_mode mode;
    unsigned depth; /* of nesting, at most OPENING_MOST_DEPTH */
    bool is_chosen; /* the depth: what is nested deeper is not reported either */
};

/* Prepares the formats, so it must be called while files can still be opened.  NULL on error. */
struct opening *opening_new(const struct opening_extent *extent, const struct opening_sink *sink,
                            struct error *err);
void opening_free(struct opening *opening);

/* Begins an object.  If this returns true, it is free space or slack, whose bytes must be passed to
 * opening_notice and opening_skip, from offset 0 on, to find the containers in it. */
bool opening_begin(struct opening *opening, const struct object *object);
void opening_notice(struct opening *opening, const void *data, size_t len);
void opening_skip(struct opening *opening, uint64_t len); /* zeros */

/* Opens the object that was begun, if it is a container or holds any.  At most `most` bytes are unpacked, if
 * that is less than the object may yield. */
void opening_object(struct opening *opening, const struct object *object, struct content *content,
                    uint64_t most);

#endif
