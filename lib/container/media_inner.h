/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MEDIA_INNER_H
#define KITH_MEDIA_INNER_H

#include "container/media.h"

/*
 * What the formats of media have in common.  A member is a sequence of ranges of the content, which its
 * format determines one after another while the member is read; so the content is read once, and nothing is
 * kept of it.
 */

enum { MEDIA_WINDOW = 64 << 10 };

struct media_range {
    uint64_t start, len;
};

/* Each format embeds this as its first member. */
struct media {
    struct container container;
    struct content *content;
    const struct container_watch *watch;
    uint64_t size; /* of the content */
    bool is_carved;
    struct media_range range; /* of the present member: what is left of the range that is being read */
    /* Sets `range` to the next one of the present member, which lies in the content and may be empty. Returns
     * 1, 0 after the last one, -1 on error.  NULL: `range` is the only one. */
    int (*more)(struct media *media, struct error *err);
    /* As `read` of a container, if the present member is not stored as it is: takes the bytes of its ranges
     * with media_ready.  NULL: it is. */
    ssize_t (*unpack)(struct media *media, void *into, size_t len, struct error *err);
    /* As `next` of a container; all ranges of the last member have been determined. */
    int (*step)(struct media *media, struct container_member *member, struct error *err);
    uint64_t window_start;
    size_t window_len;
    uint8_t window[MEDIA_WINDOW];
};

/* Allocates `size` bytes for a format's struct, and sets it up; media_close frees it.  NULL on error. */
struct media *media_new(size_t size, const struct container_sight *sight, const struct container_watch *watch,
                        struct error *err);

/*
 * Returns the bytes at a place of the content, *len of them: at least `want`, which is at most MEDIA_WINDOW,
 * unless the content ends before or cannot be read.  They are valid until the next call.
 */
const uint8_t *media_view(struct media *media, uint64_t at, size_t want, size_t *len);
/* The same if there are `want` bytes, otherwise NULL. */
const uint8_t *media_bytes(struct media *media, uint64_t at, size_t want);

/* The next bytes in the ranges of the present member, *len of them; 0 at its end.  NULL on error. media_taken
 * moves on by `len` bytes of them. */
const uint8_t *media_ready(struct media *media, size_t *len, struct error *err);
void media_taken(struct media *media, size_t len);

/* Reports that a long call is getting on. */
void media_progress(struct media *media);

/* Describe a member, without a problem: one of unknown size; and one that is a range of the content, which
 * is truncated to what there is of it.  `name` must live as long as the container. */
void media_member(struct container_member *member, const char *name);
void media_member_range(struct media *media, struct container_member *member, const char *name,
                        uint64_t start, uint64_t len);

/* Loads an unaligned big-endian 16-bit number. */
static inline uint32_t media_be16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

/* Loads an unaligned big-endian 32-bit number. */
static inline uint32_t media_be32(const uint8_t *p)
{
    return media_be16(p) << 16 | media_be16(p + 2);
}

#endif
