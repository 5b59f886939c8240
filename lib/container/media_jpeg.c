/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "container/media_inner.h"

/*
 * JPEG (ITU-T T.81): a sequence of segments, and entropy-coded data after each start of a scan.  "picture" is
 * what determines the picture, in the order of the file, a complete JPEG by itself.  Each item of metadata is
 * a member without the signatures of its segments; those of an item that was divided among several are
 * joined; a JFIF header is none unless it has a thumbnail.  "thumbnail" is the one in the Exif data; "after"
 * is what follows the end of the picture.
 */

enum { TEM = 0x01, SOF0 = 0xc0, SOI = 0xd8, EOI = 0xd9, SOS = 0xda, APP0 = 0xe0, APP14 = 0xee, COM = 0xfe };

static const struct kind {
    uint8_t marker;
    uint8_t signature_len, skipped; /* bytes of each segment, after its length */
    bool is_joined;
    const char *signature, *name;
} kinds[] = {
    {APP0, 5, 5, false, "JFIF", "jfif"},
    {APP0, 5, 5, false, "JFXX", "jfxx"},
    {APP0 + 1, 5, 6, true, "Exif", "exif"},
    {APP0 + 1, 29, 29, false, "http://ns.adobe.com/xap/1.0/", "xmp"},
    {APP0 + 1, 35, 75, true, "http://ns.adobe.com/xmp/extension/", "xmp-extension"},
    {APP0 + 2, 12, 14, true, "ICC_PROFILE", "icc"},
    {APP0 + 2, 4, 4, false, "MPF", "mpf"},
    {APP0 + 13, 14, 14, true, "Photoshop 3.0", "photoshop"},
    {COM, 0, 0, false, "", "comment"},
};

struct segment {
    uint8_t marker; /* 0: entropy-coded data; 0xff: a fill byte */
    uint64_t start, len;
};

struct walk {
    uint64_t at;
    bool in_scan, is_over;
    bool had_scan;
    const char *fault; /* why it is over before the end of the image */
};

enum phase { HEAD, PICTURE, LATE, AFTER, DONE };

struct jpeg {
    struct media media;
    enum phase phase;
    struct walk metadata, picture;
    uint64_t first_scan;
    bool has_late; /* there is metadata after it */
    bool has_picture;
    uint64_t most; /* bytes that a picture of this size can have */
    const struct kind *kind;
    char name[8];
    struct media_range thumbnail;
};

/* The number of bytes before a marker that ends the entropy-coded data, or could: bytes that were cut off. */
static size_t scan_len(const uint8_t *bytes, size_t len, bool is_strict)
{
    const uint8_t *at = bytes, *end = bytes + len;

    while ((at = memchr(at, 0xff, (size_t)(end - at))) != NULL) {
        if (end - at < 2)
            return (size_t)(at - bytes);
        if (at[1] >= (is_strict ? 0x01 : 0xc0) && (at[1] & 0xf8) != 0xd0)
            return (size_t)(at - bytes);
        at += 2;
        if (at == end)
            break;
    }
    return len;
}

static int stop(struct walk *walk, const char *fault)
{
    walk->is_over = true;
    walk->fault = fault;
    return 0;
}

static int give(struct walk *walk, struct segment *segment, uint8_t marker, uint64_t len)
{
    *segment = (struct segment){marker, walk->at, len};
    walk->at += len;
    walk->is_over |= marker == EOI;
    walk->in_scan = marker == 0 || marker == SOS;
    walk->had_scan |= marker == SOS;
    return 1;
}

static bool has_length(uint8_t marker)
{
    return marker >= SOF0 && marker <= COM && (marker < 0xd0 || marker > EOI) &&
           (marker < 0xf0 || marker == COM);
}

/* Between scans there are tables and metadata, but no frame. */
static bool is_expected(const struct walk *walk, uint8_t marker)
{
    return has_length(marker) && !(walk->had_scan && marker < 0xd0 && marker != 0xc4 && marker != 0xcc);
}

static int walk_marker(struct media *media, struct walk *walk, struct segment *segment)
{
    size_t left;
    const uint8_t *bytes = media_view(media, walk->at, 2, &left);
    uint64_t len;

    if (left < 2)
        return left == 1 && walk->had_scan ? give(walk, segment, 0, 1) : stop(walk, "is cut off");
    if (bytes[0] != 0xff)
        return stop(walk, "is damaged");
    if (bytes[1] == 0xff)
        return give(walk, segment, 0xff, 1);
    if (bytes[1] == EOI || bytes[1] == TEM || (bytes[1] == SOI && walk->at == 0))
        return give(walk, segment, bytes[1], 2);
    if (!is_expected(walk, bytes[1]))
        return walk->had_scan && !media->is_carved ? give(walk, segment, 0, 2) : stop(walk, "is damaged");
    bytes = media_bytes(media, walk->at, 4);
    if (!bytes)
        return stop(walk, "is cut off");
    len = media_be16(bytes + 2);
    if (len < 2)
        return stop(walk, "is damaged");
    if (2 + len > media->size - walk->at) {
        give(walk, segment, bytes[1], media->size - walk->at);
        stop(walk, "is cut off");
        return 1;
    }
    return give(walk, segment, bytes[1], 2 + len);
}

/* The next segment.  Returns 1, or 0 if there is none. */
static int walk_on(struct media *media, struct walk *walk, struct segment *segment)
{
    if (walk->is_over)
        return 0;
    if (walk->in_scan) {
        size_t len;
        const uint8_t *bytes = media_view(media, walk->at, 2, &len);
        const size_t scanned = scan_len(bytes, len, media->is_carved);

        if (scanned > 0)
            return give(walk, segment, 0, scanned);
    }
    return walk_marker(media, walk, segment);
}

static bool has_signature(struct media *media, const struct segment *segment, const char *signature,
                          size_t signature_len)
{
    const uint8_t *bytes;

    if (segment->len < 4 + signature_len)
        return false;
    bytes = media_bytes(media, segment->start + 4, signature_len);
    return bytes && memcmp(bytes, signature, signature_len) == 0;
}

static bool is_metadata(struct media *media, const struct segment *segment)
{
    if (segment->marker == APP14)
        return !has_signature(media, segment, "Adobe", 5);
    return segment->marker == COM || (segment->marker >= APP0 && segment->marker < APP0 + 16);
}

/* ---- the picture ---- */

static void note_frame(struct jpeg *jpeg, const struct segment *segment)
{
    const uint8_t *bytes = segment->len < 10 ? NULL : media_bytes(&jpeg->media, segment->start, 10);

    if (bytes && (segment->marker & 0xf0) == SOF0 && segment->marker != 0xc4 && segment->marker != 0xcc)
        jpeg->most = (uint64_t)media_be16(bytes + 5) * media_be16(bytes + 7) * bytes[9] * 4 + (1 << 20);
}

static int more_picture(struct media *media, struct error *err)
{
    struct jpeg *jpeg = (struct jpeg *)media;
    struct segment segment;

    (void)err;
    while (walk_on(media, &jpeg->picture, &segment)) {
        if (segment.marker == 0xff)
            continue;
        if (is_metadata(media, &segment)) {
            jpeg->has_late |= jpeg->first_scan > 0;
            continue;
        }
        note_frame(jpeg, &segment);
        if (segment.marker == SOS && jpeg->first_scan == 0)
            jpeg->first_scan = segment.start;
        /* in free space, other content follows what is left of a picture */
        if (media->is_carved && jpeg->first_scan > 0 && segment.start > jpeg->first_scan + jpeg->most)
            return stop(&jpeg->picture, "is damaged");
        media->range = (struct media_range){segment.start, segment.len};
        return 1;
    }
    return 0;
}

/* ---- metadata ---- */

static const struct kind *kind_of(struct media *media, const struct segment *segment)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (segment->marker == kinds[i].marker &&
            has_signature(media, segment, kinds[i].signature, kinds[i].signature_len))
            return &kinds[i];
    return NULL;
}

static struct media_range payload(const struct segment *segment, const struct kind *kind)
{
    const uint64_t skipped = 4u + (kind ? kind->skipped : 0u);

    if (segment->len <= skipped)
        return (struct media_range){segment->start, 0};
    return (struct media_range){segment->start + skipped, segment->len - skipped};
}

/* Goes on with the next segment if it belongs to the same item. */
static int more_metadata(struct media *media, struct error *err)
{
    struct jpeg *jpeg = (struct jpeg *)media;
    struct walk walk = jpeg->metadata;
    struct segment segment;

    (void)err;
    if (!jpeg->kind || !jpeg->kind->is_joined || walk.in_scan || !walk_on(media, &walk, &segment) ||
        kind_of(media, &segment) != jpeg->kind)
        return 0;
    jpeg->metadata = walk;
    media->range = payload(&segment, jpeg->kind);
    return 1;
}

static uint32_t tiff_number(const uint8_t *p, bool is_big, int bytes)
{
    if (is_big)
        return bytes == 2 ? media_be16(p) : media_be32(p);
    return bytes == 2 ? p[0] | (uint32_t)p[1] << 8 : bytes_load32(p);
}

/* The range of the thumbnail, relative to the TIFF header; length 0: there is none.  It is described in the
 * second directory. */
static struct media_range thumbnail_in(const uint8_t *tiff, size_t len)
{
    const bool is_big = tiff[0] == 'M';
    struct media_range found = {0, 0};
    uint64_t at = tiff_number(tiff + 4, is_big, 4);

    for (int directory = 0; directory < 2; directory++) {
        uint64_t entries;

        if (at < 8 || at + 2 > len)
            return found;
        entries = tiff_number(tiff + at, is_big, 2);
        if (at + 2 + entries * 12 > len)
            return found;
        for (uint64_t i = 0; directory == 1 && i < entries; i++) {
            const uint8_t *entry = tiff + at + 2 + i * 12;
            const uint32_t tag = tiff_number(entry, is_big, 2);

            if (tag == 0x201)
                found.start = tiff_number(entry + 8, is_big, 4);
            if (tag == 0x202)
                found.len = tiff_number(entry + 8, is_big, 4);
        }
        at += 2 + entries * 12;
        at = at + 4 > len ? 0 : tiff_number(tiff + at, is_big, 4);
    }
    return found;
}

static void find_thumbnail(struct jpeg *jpeg, struct media_range exif)
{
    size_t len;
    const uint8_t *tiff = media_view(&jpeg->media, exif.start, (size_t)exif.len, &len);
    struct media_range found;

    if (len > exif.len)
        len = (size_t)exif.len;
    if (len < 8 || (memcmp(tiff, "II*\0", 4) != 0 && memcmp(tiff, "MM\0*", 4) != 0))
        return;
    found = thumbnail_in(tiff, len);
    if (found.start >= 8 && found.len > 2 && found.start < len && found.len <= len - found.start &&
        tiff[found.start] == 0xff && tiff[found.start + 1] == SOI)
        jpeg->thumbnail = (struct media_range){exif.start + found.start, found.len};
}

/* Nearly every file says how many dots there are to the inch, and no more: that is not worth a member. */
static bool is_mere_jfif(const struct kind *kind, const struct segment *segment)
{
    enum { WITHOUT_THUMBNAIL = 18 };

    return kind == &kinds[0] && segment->len <= WITHOUT_THUMBNAIL;
}

/* The next item of metadata; at the start of the file those before the first scan.  0: there is none. */
static int next_metadata(struct jpeg *jpeg, struct container_member *member)
{
    struct media *media = &jpeg->media;
    struct segment segment;

    while (!(jpeg->phase == HEAD && jpeg->metadata.in_scan) && walk_on(media, &jpeg->metadata, &segment)) {
        if (!is_metadata(media, &segment)) {
            jpeg->has_picture |= segment.marker != SOI && segment.marker != 0xff;
            continue;
        }
        jpeg->kind = kind_of(media, &segment);
        if (is_mere_jfif(jpeg->kind, &segment))
            continue;
        snprintf(jpeg->name, sizeof jpeg->name, "app%u", (segment.marker - APP0) & 15u);
        media_member(member, jpeg->kind ? jpeg->kind->name : jpeg->name);
        media->range = payload(&segment, jpeg->kind);
        media->more = more_metadata;
        if (strcmp(member->name, "exif") == 0 && media->range.len > 0)
            find_thumbnail(jpeg, media->range);
        return 1;
    }
    return 0;
}

/* ---- the container ---- */

static int next_thumbnail(struct jpeg *jpeg, struct container_member *member)
{
    const struct media_range range = jpeg->thumbnail;

    if (range.len == 0)
        return 0;
    jpeg->thumbnail.len = 0;
    media_member_range(&jpeg->media, member, "thumbnail", range.start, range.len);
    return 1;
}

static int next_picture(struct jpeg *jpeg, struct container_member *member)
{
    if (!jpeg->has_picture)
        return 0;
    media_member(member, "picture");
    jpeg->media.more = more_picture;
    return 1;
}

static int next_after(struct jpeg *jpeg, struct container_member *member)
{
    const uint64_t end = jpeg->picture.at, size = jpeg->media.size;

    if (jpeg->picture.fault || jpeg->media.is_carved || !jpeg->has_picture || end >= size)
        return 0;
    media_member_range(&jpeg->media, member, "after", end, size - end);
    return 1;
}

static int next_of_phase(struct jpeg *jpeg, struct container_member *member)
{
    switch (jpeg->phase) {
    case HEAD:
        return next_metadata(jpeg, member);
    case PICTURE:
        return next_picture(jpeg, member);
    case LATE:
        return jpeg->has_late ? next_metadata(jpeg, member) : 0;
    case AFTER:
        return next_after(jpeg, member);
    default:
        return 0;
    }
}

static int step(struct media *media, struct container_member *member, struct error *err)
{
    struct jpeg *jpeg = (struct jpeg *)media;
    const char *fault;

    for (; jpeg->phase != DONE; jpeg->phase++) {
        if (next_thumbnail(jpeg, member))
            return 1;
        if (next_of_phase(jpeg, member)) {
            jpeg->phase += jpeg->phase == PICTURE || jpeg->phase == AFTER;
            return 1;
        }
    }
    fault = jpeg->has_picture ? jpeg->picture.fault : jpeg->metadata.fault;
    return fault ? error_set(err, "%s", fault) : 0;
}

static uint64_t end_of_picture(struct container *container)
{
    const struct jpeg *jpeg = (const struct jpeg *)container;

    return jpeg->picture.at;
}

static struct container *open_jpeg(const struct container_sight *sight, const struct container_watch *watch,
                                   struct error *err)
{
    struct media *media = media_new(sizeof(struct jpeg), sight, watch, err);

    if (!media)
        return NULL;
    media->step = step;
    media->container.end = end_of_picture;
    return &media->container;
}

/* ---- recognition ---- */

/* Whether there is metadata before the first scan, as far as the head goes. */
static bool head_has_metadata(const struct container_sight *sight)
{
    const uint8_t *head = sight->head;
    size_t at = 2;

    while (at + 9 <= sight->head_len && head[at] == 0xff && has_length(head[at + 1]) && head[at + 1] != SOS) {
        if (head[at + 1] >= APP0 && (head[at + 1] != APP14 || memcmp(head + at + 4, "Adobe", 5) != 0))
            return true;
        at += 2 + media_be16(head + at + 2);
    }
    return false;
}

/* Whether something follows the picture: the end of the content decides, or else the way there. */
static bool has_more(const struct container_sight *sight)
{
    uint8_t last[2];
    struct media *media;
    bool found;

    if (content_read(sight->content, sight->size - 2, last, 2) == 0 && last[0] == 0xff && last[1] == EOI)
        return false;
    media = media_new(sizeof(struct jpeg), sight, NULL, NULL);
    if (!media)
        return false;
    while (more_picture(media, NULL) == 1)
        ;
    found = ((struct jpeg *)media)->picture.at < sight->size;
    free(media);
    return found;
}

/* A picture that there is nothing to separate from is no container: its only member would be itself. */
static bool matches(const struct container_sight *sight)
{
    const uint8_t *head = sight->head;
    size_t next;

    if (sight->head_len < 12 || head[0] != 0xff || head[1] != SOI || head[2] != 0xff || !has_length(head[3]))
        return false;
    next = 4 + (size_t)media_be16(head + 4);
    if (next < 6 || (next < sight->head_len && head[next] != 0xff))
        return false;
    return sight->is_carved || head_has_metadata(sight) || has_more(sight);
}

static const struct container_magic magic[] = {{0, 3, "\xff\xd8\xff"}, {0}};

const struct container_format media_format_jpeg = {
    .name = "jpeg", .first = "\xff", .magic = magic, .matches = matches, .open = open_jpeg};
