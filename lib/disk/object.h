/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_OBJECT_H
#define KITH_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/wire.h"

/* An object: one stream of bytes of the evidence, and where it lies. */

enum object_kind {
    OBJECT_FILE,
    OBJECT_DELETED,
    OBJECT_ORPHAN,      /* a deleted file that no folder leads to */
    OBJECT_STREAM,      /* besides a file's content: an alternate data stream, a resource fork */
    OBJECT_SLACK,       /* after a file's end in its last block, or reserved but not yet written */
    OBJECT_UNALLOCATED, /* free blocks; a volume without a known file system */
    OBJECT_UNCLAIMED,   /* blocks in use that belong to no other object: see account.h */
    OBJECT_GAP,         /* between volumes, and after a file system in its volume */
    OBJECT_METADATA,    /* the file system's own files, tables and logs; links, devices */
    OBJECT_FOLDER,
    OBJECT_MEMBER, /* of a container: found in the content of another object, its parent */
    OBJECT_IMAGE,  /* the image as a whole, or a range of it that was asked for */
    OBJECT_KINDS,
};

#define OBJECT_BIT(kind) (1u << (kind))
/* All kinds that hold bytes of the disk; and the default, with what is packed in these. */
#define OBJECT_STORED (OBJECT_BIT(OBJECT_MEMBER) - 1)
#define OBJECT_USUAL  (OBJECT_STORED | OBJECT_BIT(OBJECT_MEMBER))
/* In a set of kinds: also include metadata and folders without blocks of their own (NTFS names and times,
 * devices), whose bytes lie in other metadata. */
#define OBJECT_DETAILS OBJECT_BIT(OBJECT_KINDS)

enum {
    OBJECT_ALLOCATED = 1,
    OBJECT_RESIDENT = 2, /* stored in the file system's records, hence without runs */
    OBJECT_COMPRESSED = 4,
    OBJECT_ENCRYPTED = 8,
    OBJECT_RANGE = 16,       /* identified by position: slack, unallocated, gap */
    OBJECT_HOST = 32,        /* a file of the host */
    OBJECT_UNWANTED = 64,    /* its content was not selected, and not inspected */
    OBJECT_DISK_IMAGE = 128, /* a file of the host that looks like a disk image */
    OBJECT_FLAGS = 256,      /* above all flags */
};

enum object_time { OBJECT_MTIME, OBJECT_ATIME, OBJECT_CTIME, OBJECT_CRTIME, OBJECT_TIMES };

struct object_stamp {
    int64_t seconds; /* since 1970, UTC; 0: unknown */
    uint32_t nanoseconds;
};

/* Part of the content that is stored as it is: bytes of the object from `offset` on, at `image` on the image.
 * What no run covers is zeros; of a member, it is stored packed. */
struct object_run {
    uint64_t offset, image, len;
};

enum object_state {
    OBJECT_WHOLE,
    OBJECT_PARTIAL, /* some bytes could not be read and are treated as zeros */
    OBJECT_UNREADABLE,
    OBJECT_CHANGED, /* it changed while it was read */
};

struct object {
    /* The number of the item that it came from (an inode, a range, a file of the host).  Not part of the
     * encoded message. */
    uint64_t item;
    enum object_kind kind;
    unsigned flags;
    uint64_t inode; /* of an object of a file system, with the type and id of the attribute */
    uint32_t type, id;
    uint64_t start; /* of a range: first byte on the image */
    uint64_t size;
    struct object_stamp times[OBJECT_TIMES];
    uint32_t mode, uid, gid; /* mode: including the file type, as in stat(2) */
    struct buffer stream;    /* the attribute's name, if it has one */
    /* Of a member: the address of its parent, the rest of its own address, and its path in the object on the
     * disk: the names on all levels with slashes between them, raw bytes except NUL. */
    struct buffer parent, member, inner;
    struct object_run *runs; /* sorted by offset */
    size_t run_count, run_room;
    enum object_state state;
    struct buffer problem; /* why it is not OBJECT_WHOLE */
    struct buffer result;  /* produced by the inspector */
};

/* Initialize an object to zeros; reset empties it and keeps the memory. */
void object_reset(struct object *object);
void object_release(struct object *object);
/* Returns whether memory ran out for any part of it. */
bool object_failed(const struct object *object);

/* "file", "deleted", ...; find returns -1 for an unknown name. */
const char *object_kind_name(enum object_kind kind);
int object_kind_find(const char *name, size_t len);

/* Adds a run, merging it with the last one if it continues that.  -1 if out of memory, or if it starts before
 * the end of the last one. */
int object_add_run(struct object *object, uint64_t offset, uint64_t image, uint64_t len);

/* Return the bytes in runs; and how many of them lie in a range of the image. */
uint64_t object_stored(const struct object *object);
uint64_t object_overlap(const struct object *object, uint64_t image, uint64_t len);

/* Sets the state and its reason, unless the present state is at least as bad. */
void object_blame(struct object *object, enum object_state state, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Appends an object's address, in printable ASCII:
 *
 *     address = base [ "/" level *( "//" level ) ]
 *     base    = "1234-128-3" (inode, type, id) | "@4096+65536" (start, length) | "-" (a file of the host)
 *     level   = opener [ "@" offset ] "/" [ name ] [ ";" number ]
 *
 * A level leads from an object to one of its members.  It consists of the opener ("zip"), in lower-case
 * letters and digits, where in the object the container begins unless that is its start, and the member's
 * name, as in "1234-128-1/zip/word/document.xml" and "@4096+65536/zip@512/a.txt".  In names, everything
 * except printable ASCII, and also space % ; \ and ", is written as %XX; so is a slash that begins or ends
 * the name or follows another literal slash.  Hence a name never contains a separator, and two members have
 * the same address only if the names on all levels are equal.  In that case, and if a name is empty or too
 * long, the member's number in its parent makes the address unique.
 */
void object_address(struct buffer *out, const struct object *object);

enum {
    OBJECT_MOST_LEVELS = 8,
    OBJECT_MOST_OPENER = 15,   /* in characters */
    OBJECT_MOST_MEMBER = 1024, /* in characters, of a level without its number */
    OBJECT_MOST_INNER = 4096,  /* in bytes; the rest of a longer path is left out */
};

/* A member as described by its opener; everything is borrowed. */
struct object_member {
    const char *opener;
    uint64_t offset;  /* in the parent, where the container begins */
    const char *name; /* arbitrary bytes, including slashes */
    size_t name_len;
    uint64_t number;  /* position in the container, from 1 on */
    bool is_repeated; /* an earlier member has the same name */
};

/*
 * Makes an object a member of another one: sets its kind, address and inner path, and copies the parent's
 * inode, type, id and start.  The parent is not needed afterwards.  -1 if the nesting would be too deep, or
 * if out of memory (object_failed).
 */
int object_set_parent(struct object *object, const struct object *parent, const struct object_member *member);

/* A level of an address; everything points into it. */
struct object_level {
    const char *opener, *name; /* the name is escaped; empty if the member has none, or a very long one */
    size_t opener_len, name_len;
    uint64_t offset;
    uint64_t number; /* of the member; 0: its name alone makes the address unique */
};

/* Return whether these characters are the address of an object on the disk; and whether an address is that of
 * something packed in the object with the other address, on any level. */
bool object_is_base(const char *address, size_t len);
bool object_is_below(const char *wanted, const char *address);
/* The length of the address of the object on the disk at the start of an address; and of that of what a
 * member is packed in, 0 if the address is not a member's. */
size_t object_base_len(const char *address);
size_t object_parent_len(const char *address);
/* Reads the level at *at, which is the rest of an address after one of these lengths, and moves *at after it.
 * Returns false at the end, or if that is no level. */
bool object_next_level(const char **at, struct object_level *level);
/* Appends the name of the member, raw. */
void object_level_name(struct buffer *out, const struct object_level *level);

/* Encode an object as a message and decode it; false if the message is malformed. */
void object_encode(struct buffer *out, const struct object *object);
bool object_decode(struct wire *wire, struct object *object);

/* Reads a message without copying; returns true for exactly those messages that object_decode accepts. */
struct object_view {
    enum object_kind kind;
    unsigned flags;
    uint64_t inode, start, size;
    const char *stream; /* points into the message */
    size_t stream_len, result_len;
    bool in_one_piece; /* stored in a single run that begins at start */
};
bool object_view(struct wire *wire, struct object_view *view);

#endif
