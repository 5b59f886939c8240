/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CONTAINER_H
#define KITH_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "disk/content.h"
#include "disk/object.h"

/*
 * Containers: content in which other files are packed, whether as an archive, a mail or a document.  A format
 * opens one from its content, which can be read at any place, and yields the members one after another; the
 * bytes of a member can be read once, in order, until the next member is asked for.
 *
 * Containers are hostile.  Limits on the number, size and nesting of members are the caller's business
 * (opening.h).  A format has to keep its memory within CONTAINER_MEMORY, to take a bounded time for each
 * call, and to open no file, since it runs in a sandbox that kills whoever tries.  It calls the watch
 * whenever a call may take long.
 */

#define CONTAINER_UNKNOWN UINT64_MAX

enum {
    CONTAINER_HEAD = 4 << 10,    /* bytes at the start of the content that a format sees at once */
    CONTAINER_MEMORY = 96 << 20, /* bytes that an open container may allocate at the most */
    CONTAINER_PIECE = 64 << 10,  /* bytes that `read` is asked for at a time */
};

/* What a format is recognised by. */
struct container_sight {
    struct content *content;
    const uint8_t *head; /* the first bytes of the content */
    size_t head_len;     /* CONTAINER_HEAD, or the size of the content if that is less */
    uint64_t size;       /* of the content */
    bool is_carved;      /* the content begins with the container, but may go on after its end */
};

struct container_member {
    const char *name; /* as stored, raw bytes; may be empty; valid until the next call */
    size_t name_len;
    uint64_t size;       /* as the container states it, which may be false; or CONTAINER_UNKNOWN */
    const char *problem; /* why it cannot be read: "it is encrypted"; NULL: it can be */
    struct object_stamp times[OBJECT_TIMES];
    uint32_t mode, uid, gid; /* as in stat(2); 0: unknown */
};

/* Each format embeds this as its first member. */
struct container {
    /* Moves on to the next member.  Returns 1, 0 after the last one, or -1 if no more can be found because
     * the container is damaged, cut off or of an unsupported kind: err says which, without a subject ("is cut
     * off"). */
    int (*next)(struct container *container, struct container_member *member, struct error *err);
    /* Reads on in the present member.  Returns the number of bytes, 0 at its end, -1 if the rest of it cannot
     * be read. */
    ssize_t (*read)(struct container *container, void *into, size_t len, struct error *err);
    /*
     * From where on in the content the bytes of the present member may be stored as they are: there, or at
     * most CONTAINER_PIECE later.  Asked before any of them is read.  It is a hint, which the caller checks.
     * CONTAINER_UNKNOWN: they are packed, or in several pieces.  NULL: all members are.
     */
    uint64_t (*place)(struct container *container);
    /* Where the container ends in the content, as far as it has been read: carving continues there.  NULL:
     * unknown. */
    uint64_t (*end)(struct container *container);
    void (*close)(struct container *container);
};

struct container_watch {
    void (*progress)(void *arg); /* a long call is still getting on */
    void *arg;
};

/* Bytes by which the start of a container in free space is noticed. */
struct container_magic {
    uint16_t at; /* bytes after the start */
    uint8_t len; /* at least 2; 0: the list ends */
    const char *bytes;
};

struct container_format {
    const char *name; /* in addresses: lower-case letters and digits, at most OBJECT_MOST_OPENER */
    /* What to look for at every sector of free space, where all that `matches` accepts is then opened.  NULL:
     * the signature is not sure enough for that. */
    const struct container_magic *magic;
    /* It is a disk image: among the files of a folder, the user decides whether it is read as evidence. */
    bool is_evidence;
    /* Another format opens the same content, and reports what is wrong with it if both cannot. */
    bool is_second;
    bool is_guess; /* it has no signature, so it is looked for only if everything is to be opened */
    /* Of a guess: whether something may be found in content of which these bytes, at least a few kilobytes,
     * are a piece, or at the boundary between it and the piece before.  Cheap, so that content without any is
     * not read again.  NULL: not known. */
    bool (*notices)(const uint8_t *data, size_t len);
    /* Called once in each worker while files can still be opened: for libraries that read some when they are
     * first used.  NULL: nothing to do.  -1 on error. */
    int (*prepare)(struct error *err);
    /* The values that the first byte of such content may have; matches is not asked about any other.  NULL:
     * all. */
    const char *first;
    /* Whether the content seems to be of this format.  Reads beyond the head only if the head, or the size,
     * makes that likely. */
    bool (*matches)(const struct container_sight *sight);
    /* Opens it; content and watch must outlive the container.  NULL on error. */
    struct container *(*open)(const struct container_sight *sight, const struct container_watch *watch,
                              struct error *err);
};

enum { CONTAINER_MOST_FORMATS = 64 }; /* opening_inner.h has a bit for each */

/* The formats in the order in which they are tried; ends with NULL.  Content may be of several. */
extern const struct container_format *const container_formats[];

#endif
