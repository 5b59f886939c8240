/* SPDX-License-Identifier: Apache-2.0 */
#include "container/media_tags.h"

#include <string.h>

#include "base/bytes.h"

enum {
    ID3_HEADER = 10,
    ID3_FOOTER = 0x10,
    ID3_EXTENDED = 0x40,
    ID3_UNSYNCHRONISED = 0x80,
    ID3V1_LEN = 128,
    APE_FOOTER = 32,
    LYRICS_FOOTER = 15,
    LONGEST_DESCRIPTION = 4 << 10, /* of a picture */
};

/* ---- where the tags are ---- */

static uint32_t syncsafe(const uint8_t *p)
{
    return (p[0] & 127u) << 21 | (p[1] & 127u) << 14 | (p[2] & 127u) << 7 | (p[3] & 127u);
}

uint64_t media_tags_id3(const uint8_t *bytes)
{
    if (memcmp(bytes, "ID3", 3) != 0 || bytes[3] < 2 || bytes[3] > 4 || ((bytes[6] | bytes[7]) & 0x80) ||
        ((bytes[8] | bytes[9]) & 0x80))
        return 0;
    return ID3_HEADER + (uint64_t)syncsafe(bytes + 6) +
           (bytes[5] & ID3_FOOTER && bytes[3] == 4 ? ID3_HEADER : 0);
}

static void add(struct media_tags *tags, const char *name, uint64_t start, uint64_t len)
{
    tags->list[tags->count++] = (struct media_tag){name, start, len};
}

static bool find_id3v2(struct media *media, struct media_tags *tags)
{
    const uint8_t *bytes = media_bytes(media, tags->start, ID3_HEADER);
    uint64_t len = bytes ? media_tags_id3(bytes) : 0;

    if (len > media->size - tags->start)
        len = media->size - tags->start;
    if (len > 0)
        add(tags, "id3v2", tags->start, len);
    tags->start += len;
    return len > 0;
}

/* The last bytes of the sound as far as it is known; NULL if it is shorter. */
static const uint8_t *bytes_before_end(struct media *media, const struct media_tags *tags, size_t len)
{
    return tags->end - tags->start < len ? NULL : media_bytes(media, tags->end - len, len);
}

static uint64_t ape_len(const uint8_t *footer)
{
    const bool has_header = bytes_load32(footer + 20) >> 31;

    if (memcmp(footer, "APETAGEX", 8) != 0)
        return 0;
    return (uint64_t)bytes_load32(footer + 12) + (has_header ? APE_FOOTER : 0);
}

static uint64_t lyrics_len(const uint8_t *footer)
{
    uint64_t len = 0;

    if (memcmp(footer + 6, "LYRICS200", 9) != 0)
        return 0;
    for (int i = 0; i < 6; i++) {
        if (footer[i] < '0' || footer[i] > '9')
            return 0;
        len = len * 10 + (footer[i] - '0');
    }
    return len + LYRICS_FOOTER;
}

static bool find_last(struct media *media, struct media_tags *tags)
{
    const char *name = "id3v1";
    const uint8_t *bytes = bytes_before_end(media, tags, ID3V1_LEN);
    uint64_t len = bytes && memcmp(bytes, "TAG", 3) == 0 ? ID3V1_LEN : 0;

    if (len == 0 && (bytes = bytes_before_end(media, tags, APE_FOOTER)) != NULL) {
        name = "ape";
        len = ape_len(bytes);
    }
    if (len == 0 && (bytes = bytes_before_end(media, tags, LYRICS_FOOTER)) != NULL) {
        name = "lyrics3";
        len = lyrics_len(bytes);
    }
    if (len < LYRICS_FOOTER || len > tags->end - tags->start)
        return false;
    tags->end -= len;
    add(tags, name, tags->end, len);
    return true;
}

void media_tags_find(struct media *media, struct media_tags *tags)
{
    *tags = (struct media_tags){.end = media->size};
    while (tags->count < MEDIA_TAGS_MOST / 2 && find_id3v2(media, tags))
        ;
    while (!media->is_carved && tags->count < MEDIA_TAGS_MOST && find_last(media, tags))
        ;
}

/* ---- the pictures in them ---- */

/* The byte after a text that ends with a zero, of one or two bytes, and begins at `at`; or len. */
static size_t after_text(const uint8_t *bytes, size_t len, size_t at, size_t width)
{
    for (; at + width <= len; at += width)
        if (bytes[at] == 0 && bytes[at + width - 1] == 0)
            return at + width;
    return len;
}

/* Where the picture begins in the body of an APIC or PIC frame; len: nowhere. */
static size_t picture_in_frame(const uint8_t *body, size_t len, unsigned version)
{
    size_t at;

    if (len < 6)
        return len;
    at = version == 2 ? 4 : after_text(body, len, 1, 1);
    return after_text(body, len, at + 1, body[0] == 1 || body[0] == 2 ? 2 : 1);
}

static int give_picture(struct media *media, struct container_member *member, uint64_t start, uint64_t len,
                        bool is_packed)
{
    media_member_range(media, member, "picture", start, len);
    if (is_packed)
        member->problem = "it is compressed, encrypted or unsynchronised";
    return 1;
}

static void begin_id3(struct media *media, struct media_tags *tags, const struct media_tag *tag)
{
    const uint8_t *bytes = media_bytes(media, tag->start, ID3_HEADER + 4);

    tags->at = tag->start + ID3_HEADER;
    tags->stop = tag->start + tag->len;
    if (!bytes)
        return;
    tags->version = bytes[3];
    /* before version 4, sizes do not count the bytes that unsynchronisation adds: frames cannot be found */
    if (tags->version < 4 && (bytes[5] & ID3_UNSYNCHRONISED))
        tags->at = tags->stop;
    if (tags->version == 3 && (bytes[5] & ID3_EXTENDED))
        tags->at += 4 + (uint64_t)media_be32(bytes + ID3_HEADER);
    if (tags->version == 4 && (bytes[5] & ID3_EXTENDED))
        tags->at += syncsafe(bytes + ID3_HEADER);
}

static int next_in_id3(struct media *media, struct media_tags *tags, struct container_member *member)
{
    const size_t header = tags->version == 2 ? 6 : ID3_HEADER;

    while (tags->at < tags->stop && tags->stop - tags->at > header) {
        const uint64_t body = tags->at + header;
        const uint8_t *bytes = media_bytes(media, tags->at, header);
        bool is_picture, is_packed;
        uint64_t len;
        size_t most, got, start;

        if (!bytes || bytes[0] == 0)
            return 0;
        len = tags->version == 2 ? media_be32(bytes + 2) & 0xffffff
                                 : (tags->version == 3 ? media_be32 : syncsafe)(bytes + 4);
        is_picture = memcmp(bytes, tags->version == 2 ? "PIC" : "APIC", tags->version == 2 ? 3 : 4) == 0;
        is_packed = tags->version > 2 && (bytes[9] & (tags->version == 3 ? 0xc0 : 0x0e));
        if (len > tags->stop - body)
            len = tags->stop - body;
        tags->at = body + len;
        if (!is_picture)
            continue;
        most = len < LONGEST_DESCRIPTION ? (size_t)len : LONGEST_DESCRIPTION;
        bytes = media_view(media, body, most, &got);
        if (got > most)
            got = most;
        start = is_packed ? 0 : picture_in_frame(bytes, got, tags->version);
        if (start < got)
            return give_picture(media, member, body + start, len - start, is_packed);
    }
    return 0;
}

/* Items of an APE tag: length, flags, key, value; that of a cover is a file name, and the picture. */
static int next_in_ape(struct media *media, struct media_tags *tags, struct container_member *member)
{
    while (tags->at < tags->stop && tags->stop - tags->at > 8) {
        const uint64_t left = tags->stop - tags->at;
        const size_t most = left < LONGEST_DESCRIPTION ? (size_t)left : LONGEST_DESCRIPTION;
        size_t got, value, start;
        const uint8_t *bytes = media_view(media, tags->at, most, &got);
        const uint64_t item = tags->at;
        uint64_t len;

        if (got > most)
            got = most;
        if (got < 9)
            return 0;
        value = after_text(bytes, got, 8, 1);
        len = value + (uint64_t)bytes_load32(bytes);
        if (len > left)
            len = left;
        tags->at += len;
        start = after_text(bytes, got, value, 1);
        if (got > 17 && memcmp(bytes + 8, "Cover Art", 9) == 0 && start < len && start < got)
            return give_picture(media, member, item + start, len - start, false);
    }
    return 0;
}

static void begin_ape(struct media *media, struct media_tags *tags, const struct media_tag *tag)
{
    const uint8_t *bytes = media_bytes(media, tag->start, 8);

    tags->at = tag->start + (bytes && memcmp(bytes, "APETAGEX", 8) == 0 ? APE_FOOTER : 0);
    tags->stop = tag->start + tag->len - APE_FOOTER;
    tags->version = 0;
}

int media_tags_next(struct media *media, struct media_tags *tags, struct container_member *member)
{
    const struct media_tag *tag;

    if (tags->version > 0 ? next_in_id3(media, tags, member) : next_in_ape(media, tags, member))
        return 1;
    if (tags->given == tags->count)
        return 0;
    tag = &tags->list[tags->given++];
    tags->at = tags->stop = 0;
    if (strcmp(tag->name, "id3v2") == 0)
        begin_id3(media, tags, tag);
    if (strcmp(tag->name, "ape") == 0)
        begin_ape(media, tags, tag);
    media_member_range(media, member, tag->name, tag->start, tag->len);
    return 1;
}
