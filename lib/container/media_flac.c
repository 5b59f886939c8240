/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "container/media_tags.h"

/*
 * FLAC (RFC 9639): blocks of metadata, each a member (of pictures only the picture itself), and then the
 * frames, which are "stream".
 */

enum { BLOCK_HEADER = 4, PADDING = 1, PICTURE = 6, INVALID = 127 };

static const char *const names[] = {"streaminfo", "padding",  "application", "seektable",
                                    "comments",   "cuesheet", "picture"};

enum phase { BLOCKS, STREAM, DONE, CUT_OFF, DAMAGED };

struct flac {
    struct media media;
    struct media_tags tags;
    enum phase phase;
    uint64_t at;
    char name[16];
};

/* Where the picture begins in the body of its block; `end`: nowhere. */
static uint64_t picture_in(struct media *media, uint64_t body, uint64_t end)
{
    uint64_t at = body + 4;

    /* media type and description, each after its length */
    for (int text = 0; text < 2; text++) {
        const uint8_t *bytes = at < end ? media_bytes(media, at, 4) : NULL;

        if (!bytes)
            return end;
        at += 4 + (uint64_t)media_be32(bytes);
    }
    at += 20; /* width, height, depth, colours, length of the picture */
    return at < end ? at : end;
}

static void give_block(struct flac *flac, struct container_member *member, unsigned type, uint64_t start,
                       uint64_t end)
{
    struct media *media = &flac->media;

    if (type == PICTURE)
        start = picture_in(media, start, end);
    snprintf(flac->name, sizeof flac->name, "block%u", type);
    media_member_range(media, member, type < sizeof names / sizeof *names ? names[type] : flac->name, start,
                       end - start);
}

/* The next block; 0 after the last one. */
static int next_block(struct flac *flac, struct container_member *member)
{
    while (flac->phase == BLOCKS) {
        const uint64_t at = flac->at, left = flac->tags.end - at;
        const uint8_t *bytes = left < BLOCK_HEADER ? NULL : media_bytes(&flac->media, at, BLOCK_HEADER);
        const unsigned type = bytes ? bytes[0] & 0x7fu : INVALID;
        uint64_t len;

        if (type == INVALID) {
            flac->phase = left < BLOCK_HEADER ? CUT_OFF : DAMAGED;
            return 0;
        }
        len = BLOCK_HEADER + (uint64_t)(media_be32(bytes) & 0xffffff);
        if (len > left)
            len = left;
        if (bytes[0] & 0x80)
            flac->phase = STREAM;
        flac->at += len;
        if (type == PADDING)
            continue;
        give_block(flac, member, type, at + BLOCK_HEADER, flac->at);
        return 1;
    }
    return 0;
}

static int next_stream(struct flac *flac, struct container_member *member)
{
    if (flac->phase != STREAM || flac->at >= flac->tags.end)
        return 0;
    media_member_range(&flac->media, member, "stream", flac->at, flac->tags.end - flac->at);
    flac->phase = DONE;
    return 1;
}

static int step(struct media *media, struct container_member *member, struct error *err)
{
    struct flac *flac = (struct flac *)media;

    if (media_tags_next(media, &flac->tags, member))
        return 1;
    if (next_block(flac, member) || next_stream(flac, member))
        return 1;
    return flac->phase == DAMAGED ? error_set(err, "has a damaged block of metadata, or none")
           : flac->phase == DONE  ? 0
                                  : error_set(err, "is cut off");
}

static struct container *open_flac(const struct container_sight *sight, const struct container_watch *watch,
                                   struct error *err)
{
    struct flac *flac = (struct flac *)media_new(sizeof *flac, sight, watch, err);

    if (!flac)
        return NULL;
    flac->media.step = step;
    media_tags_find(&flac->media, &flac->tags);
    flac->at = flac->tags.end - flac->tags.start < 4 ? flac->tags.end : flac->tags.start + 4;
    return &flac->media.container;
}

/* "fLaC", perhaps after a tag. */
static bool matches(const struct container_sight *sight)
{
    uint8_t bytes[4];
    uint64_t tag;

    if (sight->head_len < 42)
        return false;
    if (memcmp(sight->head, "fLaC", 4) == 0 && (sight->head[4] & 0x7f) == 0 &&
        memcmp(sight->head + 5, "\0\0\x22", 3) == 0)
        return true;
    tag = media_tags_id3(sight->head);
    return tag > 0 && content_read(sight->content, tag, bytes, 4) == 0 && memcmp(bytes, "fLaC", 4) == 0;
}

const struct container_format media_format_flac = {
    .name = "flac", .first = "fI", .matches = matches, .open = open_flac};
