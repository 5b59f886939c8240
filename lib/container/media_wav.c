/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bytes.h"
#include "container/media_tags.h"

/*
 * RIFF WAVE, and RF64 (EBU Tech 3306): chunks.  That of the samples is "stream"; the others are members by
 * their names
 * ("LIST", "bext").  What follows the file is "after".
 */

enum { CHUNK_HEADER = 8, RIFF_HEADER = 12 };

struct wav {
    struct media media;
    struct media_tags tags; /* of a chunk that is an ID3v2 tag */
    uint64_t at, end;
    uint64_t stream_len; /* from the chunk of an RF64 file that states it; 0: unknown */
    bool is_cut, after_given;
    char name[5];
};

/* RF64 files state 32-bit lengths elsewhere; and those that were written without seeking back, not at all. */
static bool is_stated(uint32_t len)
{
    return len != UINT32_MAX;
}

/* Names are padded with spaces. */
static void take_name(struct wav *wav, const uint8_t *bytes)
{
    size_t len = 4;

    while (len > 0 && (bytes[len - 1] == ' ' || bytes[len - 1] == '\0'))
        len--;
    memcpy(wav->name, bytes, len);
    wav->name[len] = '\0';
}

static void give_chunk(struct wav *wav, struct container_member *member, uint64_t start, uint64_t len)
{
    struct media *media = &wav->media;
    const uint8_t *bytes = len < 10 ? NULL : media_bytes(media, start, 10);

    if (bytes && strncasecmp(wav->name, "id3", 4) == 0 && media_tags_id3(bytes) > 0) {
        wav->tags = (struct media_tags){.list = {{"id3v2", start, len}}, .count = 1};
        media_tags_next(media, &wav->tags, member);
        return;
    }
    media_member_range(media, member, strcmp(wav->name, "data") == 0 ? "stream" : wav->name, start, len);
}

/* The length of the body of a chunk; that of the samples may be stated in another chunk. */
static uint64_t chunk_len(struct wav *wav, uint64_t body, uint32_t stated)
{
    const uint64_t left = wav->end - body;
    uint64_t len = stated;

    if (strcmp(wav->name, "ds64") == 0) {
        const uint8_t *sizes = media_bytes(&wav->media, body, 16);

        wav->stream_len = sizes ? bytes_load64(sizes + 8) : 0;
    }
    if (strcmp(wav->name, "data") == 0 && !is_stated(stated))
        len = wav->stream_len ? wav->stream_len : left;
    wav->is_cut |= len > left;
    return len < left ? len : left;
}

static int next_chunk(struct wav *wav, struct container_member *member)
{
    while (wav->at < wav->end && wav->end - wav->at > CHUNK_HEADER) {
        const uint8_t *bytes = media_bytes(&wav->media, wav->at, CHUNK_HEADER);
        const uint64_t body = wav->at + CHUNK_HEADER;
        uint64_t len;

        if (!bytes)
            return 0;
        take_name(wav, bytes);
        len = chunk_len(wav, body, bytes_load32(bytes + 4));
        wav->at = body + len + (len & 1);
        if (strcmp(wav->name, "JUNK") == 0 || strcmp(wav->name, "PAD") == 0 || len == 0)
            continue;
        give_chunk(wav, member, body, len);
        return 1;
    }
    return 0;
}

static int next_after(struct wav *wav, struct container_member *member)
{
    if (wav->after_given || wav->media.is_carved || wav->end >= wav->media.size)
        return 0;
    wav->after_given = true;
    media_member_range(&wav->media, member, "after", wav->end, wav->media.size - wav->end);
    return 1;
}

static int step(struct media *media, struct container_member *member, struct error *err)
{
    struct wav *wav = (struct wav *)media;

    if (media_tags_next(media, &wav->tags, member) || next_chunk(wav, member) || next_after(wav, member))
        return 1;
    return wav->is_cut ? error_set(err, "is cut off") : 0;
}

static uint64_t end_of_file(struct container *container)
{
    const struct wav *wav = (const struct wav *)container;

    return wav->end;
}

static struct container *open_wav(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    struct wav *wav = (struct wav *)media_new(sizeof *wav, sight, watch, err);
    const uint8_t *bytes;

    if (!wav)
        return NULL;
    wav->media.step = step;
    wav->media.container.end = end_of_file;
    wav->at = RIFF_HEADER;
    wav->end = sight->size;
    bytes = media_bytes(&wav->media, 0, RIFF_HEADER);
    if (bytes && is_stated(bytes_load32(bytes + 4)) && bytes_load32(bytes + 4) > 0) {
        const uint64_t end = CHUNK_HEADER + (uint64_t)bytes_load32(bytes + 4);

        wav->is_cut = end > wav->end;
        if (end < wav->end)
            wav->end = end;
    }
    return &wav->media.container;
}

static bool matches(const struct container_sight *sight)
{
    return sight->head_len > RIFF_HEADER + CHUNK_HEADER &&
           (memcmp(sight->head, "RIFF", 4) == 0 || memcmp(sight->head, "RF64", 4) == 0) &&
           memcmp(sight->head + 8, "WAVE", 4) == 0 &&
           (!sight->is_carved || bytes_load32(sight->head + 4) <= sight->size);
}

static const struct container_magic magic[] = {
    {8, 8, "WAVEfmt "}, {8, 8, "WAVEJUNK"}, {8, 8, "WAVEbext"}, {0}};

const struct container_format media_format_wav = {
    .name = "wav", .first = "R", .magic = magic, .matches = matches, .open = open_wav};
