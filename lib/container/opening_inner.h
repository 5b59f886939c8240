/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_OPENING_INNER_H
#define KITH_OPENING_INNER_H

/* Shared by the files of this module: opening.c walks through containers, opening_bytes.c reads their
 * members, opening_carve.c finds containers in free space. */

#include "base/siphash.h"
#include "container/opening.h"
#include "disk/content_part.h"

/* An open container and its present member. */
struct opening_level {
    const struct object *parent;
    const struct container_format *format;
    struct container_sight sight;
    uint8_t head[CONTAINER_HEAD];
    struct content_part part; /* of the parent's content, if it begins later */
    uint64_t offset;          /* in the parent's content */
    struct container *container;
    uint64_t number;   /* of the present member */
    uint64_t unpacked; /* bytes of the members before it */
    struct object object;
    /* The hashes of the names so far; 0: free.  NULL: none. */
    uint64_t *names;
    size_t name_count, name_room;
};

/*
 * A container that is opened once more, at the same member, to go back in it.  A reader of an archive
 * typically has a place in its directory and one in its data, and at both goes on slowly, so there are two of
 * these, each with the bytes that it yielded last.
 */
enum { OPENING_AGAIN = 2, OPENING_RECENT = 256 << 10 };

struct opening_again {
    struct container *container;
    uint64_t at;     /* the next byte that it yields */
    uint8_t *recent; /* OPENING_RECENT bytes, of which the first recent_len come just before that */
    size_t recent_len;
    unsigned turn; /* when it was used last */
};

/* The bytes of the present member of a level: the first ones in memory, the rest as it is unpacked. */
struct opening_bytes {
    struct content content;
    struct opening *opening;
    struct opening_level *level;
    uint8_t *head;
    size_t head_len, head_room, head_most;
    uint64_t place; /* in the content, where they are stored as they are; or CONTAINER_UNKNOWN */
    uint64_t at;    /* next byte that the level's container yields */
    struct opening_again again[OPENING_AGAIN];
    unsigned turn;
};

struct opening {
    enum opening_mode mode;
    unsigned depth;
    bool is_chosen; /* the depth */
    struct opening_sink sink;
    struct container_watch watch;
    uint8_t key[SIPHASH_KEY_LEN];
    struct opening_level levels[OPENING_MOST_DEPTH + 1]; /* the last one only says that it is too deep */
    size_t room_left;                                    /* of OPENING_ROOM, in bytes */
    /* Of the object, on all levels: bytes and members that it may still yield, bytes that may be unpacked
     * again. */
    uint64_t left, again_left, members_left;
    bool is_spent;       /* something could not be unpacked again, and that has not been reported */
    bool stopped;        /* nothing more is opened in this object */
    bool is_told;        /* and that has been reported */
    const char *refusal; /* of sink.step; NULL: none */
    uint8_t *window;     /* CONTAINER_PIECE bytes */
    struct carve *carve; /* opening_carve.c */
    uint64_t passed;     /* bytes of the object that were passed to opening_notice, or skipped */
    uint64_t first[256]; /* by the first byte of content, the formats that it may be of, as such bits */
    uint64_t noticed;    /* a bit for each of container_formats: something of it was noticed */
};

/* ---- opening_bytes.c ---- */

/*
 * Makes the present member readable.  Fills the object's size, and blames it for what is missing.  Charges
 * opening->left; if that is exhausted, the member is cut short and the opening is stopped.
 */
void opening_bytes_load(struct opening_bytes *bytes, struct opening *opening, struct opening_level *level,
                        uint64_t stated);
void opening_bytes_release(struct opening_bytes *bytes);
/* Adds the runs in which the bytes are stored as they are, as far as that is certain. */
void opening_bytes_locate(struct opening_bytes *bytes);

/* ---- opening_carve.c ---- */

/* NULL if out of memory. */
struct carve *opening_carve_new(void);
void opening_carve_free(struct carve *carve);
/* Whether the object's bytes are looked through; whether they should be, but free space is not to be opened.
 */
bool opening_carve_is_on(const struct carve *carve);
bool opening_carve_is_closed(const struct carve *carve);
/* The first start of a container that was noticed at this offset or after it; CONTAINER_UNKNOWN if there is
 * none. */
uint64_t opening_carve_next(const struct carve *carve, uint64_t from);

#endif
