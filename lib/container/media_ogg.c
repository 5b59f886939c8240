/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bytes.h"
#include "container/media_inner.h"

/*
 * Ogg (RFC 3533): pages of several logical streams.  Tags lie in a packet of the stream, so a change of them
 * moves all pages.  "stream" is the packets of a logical stream, without the headers of pages, and without
 * the tags, which are "comments".
 *
 * Streams that are played at the same time are a group: all begin before any of them goes on.  Groups follow
 * one another.
 */

enum {
    PAGE_HEADER = 27,
    MOST_SEGMENTS = 255,
    MOST_STREAMS = 16, /* of a group: for each of them the group is read again */
    BEGINS = 2,        /* a flag of the first page of a stream */
};

struct walk {
    uint64_t at;      /* the next page */
    uint64_t payload; /* of the present page: where the next segment lies */
    unsigned segment, segments;
    uint8_t lacing[MOST_SEGMENTS];
    uint64_t packet;
    bool in_packet; /* the packet goes on */
    bool is_comment;
    bool is_over;
};

struct stream {
    uint32_t serial;
    bool has_comments, is_flac;
};

struct ogg {
    struct media media;
    uint64_t group, first_data; /* the first page of the group, and the first that begins no stream */
    uint64_t end;               /* of the group */
    struct stream streams[MOST_STREAMS];
    unsigned count, next; /* streams of the group */
    struct stream stream; /* of the present member */
    bool wants_comments;  /* the present member is comments */
    bool has_too_many, is_cut;
    struct walk walk;
};

static uint32_t serial_of(const uint8_t *header)
{
    return bytes_load32(header + 14);
}

/* The header of the page at a place, with its table of segments; NULL: there is none. */
static const uint8_t *page_at(struct media *media, uint64_t at)
{
    const uint8_t *bytes = media_bytes(media, at, PAGE_HEADER);

    if (!bytes || memcmp(bytes, "OggS", 5) != 0)
        return NULL;
    return media_bytes(media, at, PAGE_HEADER + (size_t)bytes[26]);
}

static uint64_t page_len(const uint8_t *header)
{
    uint64_t len = PAGE_HEADER + (uint64_t)header[26];

    for (unsigned i = 0; i < header[26]; i++)
        len += header[PAGE_HEADER + i];
    return len;
}

/* Looks for a page after damage, from `at` on.  Returns where it is, or the size of the content. */
static uint64_t find_page(struct media *media, uint64_t at)
{
    while (at < media->size) {
        size_t len;
        const uint8_t *bytes = media_view(media, at, PAGE_HEADER, &len);
        const uint8_t *found = memmem(bytes, len, "OggS", 5);

        if (found)
            return at + (uint64_t)(found - bytes);
        if (len <= 4)
            break;
        at += len - 4;
    }
    return media->size;
}

/* ---- packets ---- */

/* Moves on to the next page of the stream.  False after the last one of the group. */
static bool next_page(struct ogg *ogg)
{
    struct media *media = &ogg->media;
    struct walk *walk = &ogg->walk;

    while (walk->at < media->size) {
        const uint8_t *header = page_at(media, walk->at);
        const uint64_t start = walk->at;

        if (!header && media->is_carved)
            break;
        if (!header) {
            walk->at = find_page(media, start + 1);
            continue;
        }
        if (start >= ogg->first_data && (header[5] & BEGINS))
            break;
        walk->at += page_len(header);
        if (serial_of(header) != ogg->stream.serial)
            continue;
        walk->payload = start + PAGE_HEADER + header[26];
        walk->segments = header[26];
        walk->segment = 0;
        memcpy(walk->lacing, header + PAGE_HEADER, header[26]);
        return true;
    }
    ogg->is_cut |= walk->at > media->size;
    if (walk->at > media->size)
        walk->at = media->size;
    return false;
}

/* Whether the packet that begins belongs to the tags: the second one does; and for FLAC all that are no
 * frames. */
static bool is_comment(struct ogg *ogg)
{
    const struct walk *walk = &ogg->walk;
    const uint8_t *bytes;

    if (!ogg->stream.has_comments || walk->packet == 0)
        return false;
    if (walk->packet == 1 || !ogg->stream.is_flac)
        return walk->packet == 1;
    bytes = media_bytes(&ogg->media, walk->payload, 1);
    return bytes && *bytes != 0xff;
}

/* The rest of the packet in this page. */
static struct media_range take_packet(struct ogg *ogg)
{
    struct walk *walk = &ogg->walk;
    struct media_range range = {walk->payload, 0};
    uint8_t lacing = 255;

    while (lacing == 255 && walk->segment < walk->segments) {
        lacing = walk->lacing[walk->segment++];
        range.len += lacing;
    }
    walk->payload += range.len;
    walk->in_packet = lacing == 255;
    walk->packet += lacing != 255;
    if (range.start > ogg->media.size)
        range.start = ogg->media.size;
    if (range.len > ogg->media.size - range.start)
        range.len = ogg->media.size - range.start;
    return range;
}

static int more_packets(struct media *media, struct error *err)
{
    struct ogg *ogg = (struct ogg *)media;
    struct walk *walk = &ogg->walk;

    (void)err;
    while (!walk->is_over) {
        if (walk->segment == walk->segments) {
            walk->is_over = !next_page(ogg);
            continue;
        }
        if (!walk->in_packet)
            walk->is_comment = is_comment(ogg);
        if (ogg->wants_comments && walk->packet > 1 && !walk->is_comment)
            break;
        media->range = take_packet(ogg);
        if (walk->is_comment == ogg->wants_comments)
            return 1;
        media->range.len = 0;
    }
    walk->is_over = true;
    if (!ogg->wants_comments)
        ogg->end = walk->at;
    return 0;
}

/* ---- streams ---- */

/* From the first packet, which begins with the name of the codec. */
static struct stream stream_of(struct media *media, uint64_t page, const uint8_t *header)
{
    static const char *const with_comments[] = {"\x01vorbis", "OpusHead", "Speex   ", "\x80theora",
                                                "\177FLAC"};
    struct stream stream = {.serial = serial_of(header)};
    const uint8_t *packet = media_bytes(media, page + PAGE_HEADER + header[26], 8);

    for (size_t i = 0; packet && i < sizeof with_comments / sizeof *with_comments; i++)
        stream.has_comments |= memcmp(packet, with_comments[i], strlen(with_comments[i])) == 0;
    stream.is_flac = packet && packet[0] == 0x7f;
    return stream;
}

/* Notes the streams that begin where the last group ended.  False if there are none. */
static bool begin_group(struct ogg *ogg)
{
    struct media *media = &ogg->media;
    const uint8_t *header;

    ogg->group = ogg->first_data = ogg->end;
    ogg->count = ogg->next = 0;
    while ((header = page_at(media, ogg->first_data)) != NULL && (header[5] & BEGINS)) {
        const uint64_t at = ogg->first_data;

        ogg->first_data += page_len(header);
        if (ogg->count < MOST_STREAMS)
            ogg->streams[ogg->count++] = stream_of(media, at, header);
        else
            ogg->has_too_many = true;
    }
    return ogg->count > 0;
}

static void begin_stream(struct ogg *ogg, struct container_member *member)
{
    const bool is_next = ogg->wants_comments || !ogg->streams[ogg->next].has_comments;

    ogg->stream = ogg->streams[ogg->next];
    ogg->next += is_next;
    ogg->wants_comments = !is_next;
    ogg->walk = (struct walk){.at = ogg->group};
    media_member(member, is_next ? "stream" : "comments");
    ogg->media.more = more_packets;
}

static int step(struct media *media, struct container_member *member, struct error *err)
{
    struct ogg *ogg = (struct ogg *)media;

    if (ogg->next < ogg->count || begin_group(ogg)) {
        begin_stream(ogg, member);
        return 1;
    }
    if (ogg->has_too_many)
        return error_set(err, "has more than %d streams at a time", MOST_STREAMS);
    return ogg->is_cut ? error_set(err, "is cut off") : 0;
}

static uint64_t end_of_pages(struct container *container)
{
    const struct ogg *ogg = (const struct ogg *)container;

    return ogg->end;
}

static struct container *open_ogg(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    struct media *media = media_new(sizeof(struct ogg), sight, watch, err);

    if (!media)
        return NULL;
    media->step = step;
    media->container.end = end_of_pages;
    return &media->container;
}

static bool matches(const struct container_sight *sight)
{
    return sight->head_len > PAGE_HEADER + 1 && memcmp(sight->head, "OggS", 5) == 0 &&
           (sight->head[5] & 7) == BEGINS && sight->head[26] > 0;
}

static const struct container_magic magic[] = {{0, 6, "OggS\0\2"}, {0}};

const struct container_format media_format_ogg = {
    .name = "ogg", .first = "O", .magic = magic, .matches = matches, .open = open_ogg};
