/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "container/media_tags.h"

/*
 * MPEG audio (ISO 11172-3, 13818-3): frames, each with a header from which its length follows.  "stream" is
 * all frames joined; except the first one if it holds no sound but a description of the stream, which
 * programs rewrite: that is "xing".  Bytes between frames belong to neither.
 */

enum { FRAME_HEADER = 4, SAME_STREAM = 0xfffe0c00 }; /* version, layer and sampling rate do not change */

enum phase { TAGS, XING, STREAM, DONE };

struct mp3 {
    struct media media;
    struct media_tags tags;
    enum phase phase;
    uint64_t at;
    uint32_t first; /* header of the first frame; 0: there is none */
    bool is_cut;
};

/* In kbit/s: version 1, layers I to III; version 2, layer I, and II and III. */
static const uint16_t rates[5][16] = {
    {0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
    {0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
    {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
    {0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
    {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
};

/* The length of the frame with this header; 0: it is no header of a frame, or does not state the length. */
static uint32_t frame_len(uint32_t header)
{
    static const uint16_t samplings[] = {44100, 48000, 32000};
    const unsigned version = header >> 19 & 3, layer = 4 - (header >> 17 & 3), padding = header >> 9 & 1;
    const unsigned row = version == 3 ? layer - 1 : layer == 1 ? 3 : 4;
    uint32_t rate, sampling;

    if (header >> 21 != 0x7ff || version == 1 || layer == 4 || (header >> 10 & 3) == 3)
        return 0;
    rate = 1000u * rates[row][header >> 12 & 15];
    sampling = samplings[header >> 10 & 3];
    sampling = version == 3 ? sampling : version == 2 ? sampling / 2 : sampling / 4;
    if (rate == 0)
        return 0;
    if (layer == 1)
        return (12 * rate / sampling + padding) * 4;
    return (layer == 3 && version != 3 ? 72 : 144) * rate / sampling + padding;
}

/* The length of the frame at a place, which may be cut off by the end of the sound; 0: there is no frame of
 * this stream. */
static uint32_t frame_at(struct mp3 *mp3, uint64_t at)
{
    const uint8_t *bytes;
    uint32_t header;

    if (at >= mp3->tags.end || mp3->tags.end - at < FRAME_HEADER)
        return 0;
    bytes = media_bytes(&mp3->media, at, FRAME_HEADER);
    if (!bytes || bytes[0] != 0xff)
        return 0;
    header = media_be32(bytes);
    return mp3->first == 0 || ((header ^ mp3->first) & SAME_STREAM) == 0 ? frame_len(header) : 0;
}

/* Whether frames begin here: another one follows the first, or nothing. */
static bool frames_at(struct mp3 *mp3, uint64_t at)
{
    const uint32_t len = frame_at(mp3, at);

    return len > 0 && (frame_at(mp3, at + len) > 0 || (mp3->first != 0 && mp3->tags.end - at <= len));
}

/* Looks for frames from `at` on, which is moved to them, or to the end. */
static bool find_frames(struct mp3 *mp3)
{
    while (mp3->at < mp3->tags.end) {
        size_t len;
        const uint8_t *bytes = media_view(&mp3->media, mp3->at, FRAME_HEADER, &len);
        const uint8_t *sync = memchr(bytes, 0xff, len);

        if (len == 0)
            return false;
        mp3->at += sync ? (uint64_t)(sync - bytes) : len;
        if (sync && frames_at(mp3, mp3->at))
            return true;
        mp3->at += sync != NULL;
    }
    return false;
}

static int more_stream(struct media *media, struct error *err)
{
    struct mp3 *mp3 = (struct mp3 *)media;
    uint64_t start;
    uint32_t len;

    (void)err;
    if (frame_at(mp3, mp3->at) == 0 && (media->is_carved || !find_frames(mp3)))
        return 0;
    start = mp3->at;
    while (mp3->at - start < MEDIA_WINDOW / 2 && (len = frame_at(mp3, mp3->at)) > 0) {
        mp3->is_cut = len > mp3->tags.end - mp3->at;
        mp3->at += mp3->is_cut ? mp3->tags.end - mp3->at : len;
    }
    media->range = (struct media_range){start, mp3->at - start};
    return 1;
}

/* Whether the first frame describes the stream: as Xing and LAME do, after the (empty) side information of
 * the frame, or as Fraunhofer does. */
static bool is_description(const uint8_t *frame, size_t len)
{
    const uint32_t header = media_be32(frame);
    const bool is_first = (header >> 19 & 3) == 3, is_mono = (header >> 6 & 3) == 3;
    const size_t at = is_first ? (is_mono ? 21 : 36) : is_mono ? 13 : 21;

    if (len < 40)
        return false;
    return memcmp(frame + at, "Xing", 4) == 0 || memcmp(frame + at, "Info", 4) == 0 ||
           memcmp(frame + 36, "VBRI", 4) == 0;
}

static bool next_xing(struct mp3 *mp3, struct container_member *member)
{
    const uint32_t len = mp3->first ? frame_at(mp3, mp3->at) : 0;
    const uint8_t *bytes = len < 40 ? NULL : media_bytes(&mp3->media, mp3->at, 40);

    if (!bytes || !is_description(bytes, 40))
        return false;
    media_member_range(&mp3->media, member, "xing", mp3->at, len);
    mp3->at += mp3->media.range.len;
    return true;
}

static bool next_stream(struct mp3 *mp3, struct container_member *member)
{
    if (mp3->first == 0 || mp3->at >= mp3->tags.end)
        return false;
    media_member(member, "stream");
    mp3->media.more = more_stream;
    return true;
}

static int step(struct media *media, struct container_member *member, struct error *err)
{
    struct mp3 *mp3 = (struct mp3 *)media;

    if (mp3->phase == TAGS && media_tags_next(media, &mp3->tags, member))
        return 1;
    while (mp3->phase != DONE)
        switch (++mp3->phase) {
        case XING:
            if (next_xing(mp3, member))
                return 1;
            break;
        case STREAM:
            if (next_stream(mp3, member))
                return 1;
            break;
        default:
            break;
        }
    return mp3->is_cut ? error_set(err, "is cut off") : 0;
}

static uint64_t end_of_frames(struct container *container)
{
    const struct mp3 *mp3 = (const struct mp3 *)container;

    return mp3->at < mp3->tags.end ? mp3->at : mp3->media.size;
}

static struct container *open_mp3(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    struct mp3 *mp3 = (struct mp3 *)media_new(sizeof *mp3, sight, watch, err);
    const uint8_t *bytes;

    if (!mp3)
        return NULL;
    mp3->media.step = step;
    mp3->media.container.end = end_of_frames;
    media_tags_find(&mp3->media, &mp3->tags);
    mp3->at = mp3->tags.start;
    if ((!sight->is_carved || frames_at(mp3, mp3->at)) && find_frames(mp3)) {
        bytes = media_bytes(&mp3->media, mp3->at, FRAME_HEADER);
        mp3->first = bytes ? media_be32(bytes) : 0;
    }
    return &mp3->media.container;
}

/* ---- recognition ---- */

/* Whether the head begins with three frames of a stream, the first of them perhaps a description. */
static bool begins_with_frames(const struct container_sight *sight)
{
    size_t at = 0;

    for (int i = 0; i < 3; i++) {
        const uint32_t header = at + FRAME_HEADER <= sight->head_len ? media_be32(sight->head + at) : 0;

        if (((header ^ media_be32(sight->head)) & SAME_STREAM) != 0 || frame_len(header) == 0)
            return false;
        at += frame_len(header);
    }
    return true;
}

static bool has_tag_at_end(const struct container_sight *sight)
{
    struct media *media = media_new(sizeof *media, sight, NULL, NULL);
    struct media_tags tags = {0};

    if (media)
        media_tags_find(media, &tags);
    free(media);
    return tags.count > 0;
}

/* What follows an ID3v2 tag decides: it may as well be another format's, or nothing.  In free space there
 * must be a frame. */
static bool follows_tag(const struct container_sight *sight, uint64_t tag)
{
    uint8_t bytes[FRAME_HEADER];

    if (content_read(sight->content, tag, bytes, FRAME_HEADER) != 0)
        return false;
    return sight->is_carved ? frame_len(media_be32(bytes)) > 0 : memcmp(bytes, "fLaC", 4) != 0;
}

/* Frames without any tag are no container: their only member would be themselves. */
static bool matches(const struct container_sight *sight)
{
    uint64_t tag;

    if (sight->head_len < 40)
        return false;
    tag = media_tags_id3(sight->head);
    if (tag > 0)
        return follows_tag(sight, tag);
    return sight->head[0] == 0xff && (sight->head[1] & 0xe0) == 0xe0 && begins_with_frames(sight) &&
           (is_description(sight->head, sight->head_len) || has_tag_at_end(sight));
}

static const struct container_magic magic[] = {{0, 4, "ID3\2"}, {0, 4, "ID3\3"}, {0, 4, "ID3\4"}, {0}};

const struct container_format media_format_mp3 = {
    .name = "mp3", .first = "I\xff", .magic = magic, .matches = matches, .open = open_mp3};
