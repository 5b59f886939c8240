/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_OBJECT_H
#define KITH_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/wire.h"

/* One stream of bytes of the evidence, and where it lies. */

enum object_kind {
    OBJECT_FILE,
    OBJECT_DELETED,
    OBJECT_ORPHAN,      /* an unallocated file that no folder leads to */
    OBJECT_STREAM,      /* beside a file's content: an alternate data stream, a resource fork */
    OBJECT_SLACK,       /* behind the end of a file, or not yet written by it, in its last blocks */
    OBJECT_UNALLOCATED, /* free blocks; a volume without a file system that is known */
    OBJECT_UNCLAIMED,   /* blocks in use that belong to no object: see account.h */
    OBJECT_GAP,         /* between volumes, and behind a file system in its volume */
    OBJECT_METADATA,    /* the file system's own: files, tables, logs; links, devices */
    OBJECT_FOLDER,
    OBJECT_IMAGE, /* the whole of it */
    OBJECT_KINDS,
};

#define OBJECT_BIT(kind) (1u << (kind))
/* All that holds bytes of the disk: what is read by default. */
#define OBJECT_STORED (OBJECT_BIT(OBJECT_IMAGE) - 1)
/* Also in a set of kinds: metadata and folders that fill no block of their own, such as NTFS's names and
 * times, or devices.  Their bytes lie in other metadata. */
#define OBJECT_DETAILS OBJECT_BIT(OBJECT_KINDS)

enum {
    OBJECT_ALLOCATED = 1,
    OBJECT_RESIDENT = 2, /* stored in the file system's records, so without runs */
    OBJECT_COMPRESSED = 4,
    OBJECT_ENCRYPTED = 8,
    OBJECT_RANGE = 16,       /* known by where it lies: slack, unallocated, gap */
    OBJECT_HOST = 32,        /* a file of the host */
    OBJECT_UNWANTED = 64,    /* its content was not asked for, and not inspected */
    OBJECT_DISK_IMAGE = 128, /* a file of the host that looks like a disk image */
    OBJECT_MEMBER = 256,     /* found in the content of another object, its parent */
    OBJECT_FLAGS = 512,      /* all are below */
};

enum object_time { OBJECT_MTIME, OBJECT_ATIME, OBJECT_CTIME, OBJECT_CRTIME, OBJECT_TIMES };

struct object_stamp {
    int64_t seconds; /* since 1970, UTC; 0: unknown */
    uint32_t nanoseconds;
};

/* A part of the content that is stored as it is: bytes of the object, from .. on the image.  What no run
 * holds is zeros. */
struct object_run {
    uint64_t offset, image, len;
};

enum object_state {
    OBJECT_WHOLE,
    OBJECT_PARTIAL, /* some bytes could not be read: they are taken as zeros */
    OBJECT_UNREADABLE,
    OBJECT_CHANGED, /* while it was read */
};

struct object {
    /* The piece of work that it came from (an inode, a range, a file of the host): its number in what is
     * read. Not a part of the message. */
    uint64_t item;
    enum object_kind kind;
    unsigned flags;
    uint64_t inode; /* of a file system's object, with the attribute's type and id */
    uint32_t type, id;
    uint64_t start; /* of a range: its first byte on the image */
    uint64_t size;
    struct object_stamp times[OBJECT_TIMES];
    uint32_t mode, uid, gid; /* mode: with the type of the file, as stat(2) tells it */
    struct buffer stream;    /* the attribute's name, if it has one */
    /* Of a member: the address of its parent, and what follows that in its own. */
    struct buffer parent, member;
    struct object_run *runs; /* by offset */
    size_t run_count, run_room;
    enum object_state state;
    struct buffer problem; /* why it is not whole */
    struct buffer result;  /* what the inspector made of it */
};

/* An object of zeros is an empty one; reset keeps the memory. */
void object_reset(struct object *object);
void object_release(struct object *object);
/* Whether memory ran out for something of it. */
bool object_failed(const struct object *object);

/* "file", "deleted" .. ; find: -1 if there is none of that name. */
const char *object_kind_name(enum object_kind kind);
int object_kind_find(const char *name, size_t len);

/* Adds a run, joined with the last one if it goes on there; -1 without memory, or if it lies before the end
 * of the last. */
int object_add_run(struct object *object, uint64_t offset, uint64_t image, uint64_t len);

/* Bytes in runs; and whether any of them lie in a range of the image. */
uint64_t object_stored(const struct object *object);
uint64_t object_overlap(const struct object *object, uint64_t image, uint64_t len);

/* A worse state replaces a better one, with its reason. */
void object_blame(struct object *object, enum object_state state, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * What an object is called, in printable ASCII:
 *
 *     address = base [ "/" level *( "//" level ) ]
 *     base    = "1234-128-3" (inode, type, id) | "@4096+65536" (start, length) | "-" (a file of the host)
 *     level   = opener "/" [ name ] [ ";" number ]
 *
 * A level leads from an object to one of its members: what found it ("zip"), in lower-case letters and
 * digits, and its name, as in "1234-128-1/zip/word/document.xml".  In names all but printable ASCII, and also
 * space % ; \ and ", is %XX; so is a slash at either end or after another one that stays.  So no name holds a
 * separator, and two members have the same address only if the names of all levels are the same.  Then, and
 * where a name is empty or too long to be written, the member's number in its parent makes the difference.
 */
void object_address(struct buffer *out, const struct object *object);

enum {
    OBJECT_MOST_LEVELS = 8,
    OBJECT_MOST_OPENER = 15,   /* characters */
    OBJECT_MOST_MEMBER = 1024, /* characters of a level, but its number */
};

/* A member as its opener sees it; all is borrowed. */
struct object_member {
    const char *opener;
    const char *name; /* any bytes, also slashes */
    size_t name_len;
    uint64_t number;  /* in its parent, whatever the opener counts */
    bool is_repeated; /* another member has that name, too */
};

/*
 * Makes an object a member of another one, which need not stay: it gets its address, and the parent's inode,
 * type, id and start.  -1: it would be nested too deeply, or there is no memory (object_failed).
 */
int object_set_parent(struct object *object, const struct object *parent, const struct object_member *member);

/* As a message, and back; false if it is none. */
void object_encode(struct buffer *out, const struct object *object);
bool object_decode(struct wire *wire, struct object *object);

/* The same without copying: true for exactly the messages that can be decoded, and what they say. */
struct object_view {
    enum object_kind kind;
    unsigned flags;
    uint64_t inode, start, size;
    const char *stream; /* lies in the message */
    size_t stream_len, result_len;
    bool in_one_piece; /* it is stored in one run, from start on */
};
bool object_view(struct wire *wire, struct object_view *view);

#endif
