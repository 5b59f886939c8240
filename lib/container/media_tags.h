/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MEDIA_TAGS_H
#define KITH_MEDIA_TAGS_H

#include "container/media_inner.h"

/*
 * Tags that stand before and after sound of any format: ID3v2 before it; APEv2, Lyrics3 and ID3v1 after it.
 * Each is a member ("id3v2", "ape", "lyrics3", "id3v1"), followed by the pictures that are attached to it
 * ("picture").
 */

enum { MEDIA_TAGS_MOST = 16 };

struct media_tags {
    uint64_t start, end; /* of the sound */
    struct media_tag {
        const char *name;
        uint64_t start, len;
    } list[MEDIA_TAGS_MOST];
    unsigned count, given;
    uint64_t at, stop; /* in the tag that was given last: where the next frame or item is */
    unsigned version;  /* of ID3v2 */
};

/* Finds the tags; in free space only those before the sound.  Tags of which there are too many are left to
 * the sound. */
void media_tags_find(struct media *media, struct media_tags *tags);

/* The next member.  Returns 1, or 0 if there is none. */
int media_tags_next(struct media *media, struct media_tags *tags, struct container_member *member);

/* The length of an ID3v2 tag, from its first ten bytes; 0: there is none. */
uint64_t media_tags_id3(const uint8_t *bytes);

#endif
