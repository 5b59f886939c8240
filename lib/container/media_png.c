/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "container/media_inner.h"
#include "container/media_rows.h"
#include "disk/deflate.h"

/*
 * PNG (ISO 15948) and APNG: chunks.  "picture" is the contents of IHDR, PLTE and tRNS, and then the pixels,
 * decompressed and without filters, row by row: the same, however well they were compressed.  "frame" is the
 * pixels of each further frame.
 *
 * "text/" and a keyword are texts, "xmp" is one of them; "icc" and "exif" what their names say; "after" what
 * follows the file.  Other chunks that are not a part of the standard are members by their types.
 */

enum {
    SIGNATURE = 8,
    CHUNK_HEADER = 8,
    CHUNK_FRAME = 12, /* header, and checksum after the body */
    HEADER_LEN = 13,
    INDEXED = 3, /* colour type */
    MOST_PALETTE = 3 * 256,
    MOST_ALPHA = 256,
    LONGEST_KEYWORD = 79,
    DESCRIPTION = 1 << 10, /* of an international text: keyword, language, keyword in the language */
};

#define TYPE(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

enum phase { METADATA, PICTURE, FRAMES, AFTER, DONE };

struct chunk {
    uint32_t type;
    uint64_t body, len;
};

struct png {
    struct media media;
    enum phase phase;
    uint64_t at;         /* the next chunk, of those that are being listed */
    uint64_t end;        /* after the last chunk */
    uint64_t first_data; /* the first IDAT chunk; 0: none */
    uint32_t wanted;     /* type of the chunks that the present member consists of */
    uint64_t data;       /* the next chunk of it */
    uint8_t header[HEADER_LEN], prefix[HEADER_LEN + MOST_PALETTE + MOST_ALPHA];
    size_t prefix_len, prefix_given;
    struct media_rows rows;
    size_t row_at, row_end; /* what is left of a row */
    struct deflate *deflate;
    bool is_ended;     /* the compressed data, of the present member */
    bool is_short;     /* a row of it was cut off */
    const char *fault; /* of the chunks */
    char name[sizeof "text/" + LONGEST_KEYWORD];
};

/* ---- chunks ---- */

static bool is_letter(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The chunk at *at, which is moved after it.  What is cut off is shorter. */
static bool next_chunk(struct png *png, uint64_t *at, struct chunk *chunk)
{
    struct media *media = &png->media;
    const uint8_t *bytes = media_bytes(media, *at, CHUNK_HEADER);
    uint64_t left;

    if (!bytes) {
        png->fault = "is cut off";
        return false;
    }
    for (int i = 4; i < CHUNK_HEADER; i++)
        if (!is_letter(bytes[i]) || bytes[0] > 0x7f) {
            png->fault = "is damaged";
            return false;
        }
    *chunk = (struct chunk){media_be32(bytes + 4), *at + CHUNK_HEADER, media_be32(bytes)};
    left = media->size - chunk->body;
    *at += CHUNK_FRAME + chunk->len;
    if (*at > media->size)
        *at = media->size;
    if (chunk->len > left)
        chunk->len = left;
    return true;
}

static int more_chunks(struct media *media, struct error *err)
{
    struct png *png = (struct png *)media;
    const uint64_t skipped = png->wanted == TYPE('f', 'd', 'A', 'T') ? 4 : 0;
    struct chunk chunk;

    (void)err;
    while (png->data < png->end && next_chunk(png, &png->data, &chunk)) {
        if (chunk.type == png->wanted && chunk.len >= skipped) {
            media->range = (struct media_range){chunk.body + skipped, chunk.len - skipped};
            return 1;
        }
        if (png->wanted == TYPE('f', 'd', 'A', 'T') && chunk.type == TYPE('f', 'c', 'T', 'L'))
            break;
    }
    png->data = png->end;
    return 0;
}

/* ---- compressed data ---- */

/* Decompresses up to `room` bytes.  Returns how many; fewer at the end of the data, or if they are damaged.
 */
static size_t inflate(struct png *png, uint8_t *into, size_t room, struct error *err)
{
    struct deflate_step step = {.into = into, .room = room};
    int more = 1;

    while (step.room > 0 && !png->is_ended && more == 1) {
        const size_t before = step.room;
        size_t len;
        const uint8_t *bytes = media_ready(&png->media, &len, err);

        if (!bytes)
            break;
        step.packed = bytes;
        step.packed_len = len;
        more = deflate_step(png->deflate, &step);
        media_taken(&png->media, len - step.packed_len);
        png->is_ended = more == 0;
        if (len == 0 && step.room == before) /* nothing is left in the decompressor either */
            break;
    }
    return room - step.room;
}

static ssize_t unpack_text(struct media *media, void *into, size_t len, struct error *err)
{
    struct png *png = (struct png *)media;
    const size_t got = inflate(png, into, len, err);

    if (got == 0 && !png->is_ended && len > 0)
        return error_set(err, "its compressed data is damaged or cut off");
    return (ssize_t)got;
}

/* Moves on to the next row.  Returns 1, 0 after the last one, -1 if it is not there. */
static int next_row(struct png *png, struct error *err)
{
    struct media_rows *rows = &png->rows;
    size_t len;

    if (!png->is_short && !media_rows_next(rows))
        return 0;
    len = png->is_short ? 0 : inflate(png, rows->row, rows->row_len, err);
    png->is_short = len < rows->row_len;
    if (len < 2 || media_rows_unfilter(rows, len) != 0)
        return error_set(err, "its compressed data is damaged or cut off");
    png->row_at = 1;
    png->row_end = len;
    return 1;
}

static ssize_t unpack_pixels(struct media *media, void *into, size_t len, struct error *err)
{
    struct png *png = (struct png *)media;
    const bool in_prefix = png->prefix_given < png->prefix_len;
    size_t *at = in_prefix ? &png->prefix_given : &png->row_at;
    size_t left;

    if (!in_prefix && png->row_at == png->row_end) {
        const int found = next_row(png, err);

        if (found <= 0)
            return found;
    }
    left = (in_prefix ? png->prefix_len : png->row_end) - *at;
    if (len > left)
        len = left;
    memcpy(into, (in_prefix ? png->prefix : png->rows.row) + *at, len);
    *at += len;
    return (ssize_t)len;
}

/* Makes what was found the content of the member, decompressed. */
static void give_packed(struct png *png, struct container_member *member,
                        ssize_t (*unpack)(struct media *media, void *into, size_t len, struct error *err))
{
    member->size = CONTAINER_UNKNOWN;
    png->is_ended = deflate_begin(png->deflate) != 0;
    png->media.unpack = unpack;
}

/* ---- pictures ---- */

/* Makes the pixels in chunks of a type the content of the member. */
static void give_pixels(struct png *png, struct container_member *member, const uint8_t *header,
                        uint32_t wanted, uint64_t data)
{
    struct error err;

    png->row_at = png->row_end = 0;
    png->is_short = false;
    png->wanted = wanted;
    png->data = data;
    png->media.more = more_chunks;
    give_packed(png, member, unpack_pixels);
    if (media_rows_begin(&png->rows, header, &err) != 0)
        member->problem = "its header is invalid, or its rows are too long";
}

static bool next_picture(struct png *png, struct container_member *member)
{
    png->phase = FRAMES;
    if (png->first_data == 0)
        return false;
    media_member(member, "picture");
    png->prefix_given = 0;
    give_pixels(png, member, png->header, TYPE('I', 'D', 'A', 'T'), png->first_data);
    return true;
}

/* A frame that is not the picture: the size is in fcTL, the rest of the header is the picture's. */
static bool next_frame(struct png *png, struct container_member *member)
{
    struct chunk chunk;

    while (png->at < png->end && next_chunk(png, &png->at, &chunk)) {
        const uint8_t *control = chunk.type == TYPE('f', 'c', 'T', 'L') && chunk.len >= 12
                                     ? media_bytes(&png->media, chunk.body, 12)
                                     : NULL;
        uint8_t header[HEADER_LEN];
        struct chunk next;
        uint64_t after = png->at;

        if (!control)
            continue;
        memcpy(header, png->header, HEADER_LEN);
        memcpy(header, control + 4, 8);
        if (!next_chunk(png, &after, &next) || next.type != TYPE('f', 'd', 'A', 'T'))
            continue;
        media_member(member, "frame");
        png->prefix_given = png->prefix_len;
        give_pixels(png, member, header, TYPE('f', 'd', 'A', 'T'), png->at);
        return true;
    }
    png->phase = AFTER;
    return false;
}

/* ---- metadata ---- */

/* Chunks of the standard that describe how the picture is shown, or hold it. */
static const uint32_t known[] = {
    TYPE('I', 'H', 'D', 'R'), TYPE('P', 'L', 'T', 'E'), TYPE('I', 'D', 'A', 'T'), TYPE('I', 'E', 'N', 'D'),
    TYPE('t', 'R', 'N', 'S'), TYPE('c', 'H', 'R', 'M'), TYPE('g', 'A', 'M', 'A'), TYPE('s', 'B', 'I', 'T'),
    TYPE('s', 'R', 'G', 'B'), TYPE('c', 'I', 'C', 'P'), TYPE('m', 'D', 'C', 'V'), TYPE('c', 'L', 'L', 'I'),
    TYPE('b', 'K', 'G', 'D'), TYPE('h', 'I', 'S', 'T'), TYPE('p', 'H', 'Y', 's'), TYPE('s', 'P', 'L', 'T'),
    TYPE('t', 'I', 'M', 'E'), TYPE('a', 'c', 'T', 'L'), TYPE('f', 'c', 'T', 'L'), TYPE('f', 'd', 'A', 'T'),
    TYPE('o', 'F', 'F', 's'), TYPE('v', 'p', 'A', 'g'),
};

static bool is_known(uint32_t type)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == type)
            return true;
    return false;
}

/* Keeps what the picture begins with. */
static void note_chunk(struct png *png, const struct chunk *chunk, uint64_t start)
{
    const bool is_header = chunk->type == TYPE('I', 'H', 'D', 'R') && png->prefix_len == 0;
    const bool is_palette = chunk->type == TYPE('t', 'R', 'N', 'S') ||
                            (chunk->type == TYPE('P', 'L', 'T', 'E') && png->header[9] == INDEXED);
    const size_t room = sizeof png->prefix - png->prefix_len;
    size_t len = is_header ? HEADER_LEN : chunk->len < room ? (size_t)chunk->len : room;
    const uint8_t *bytes;

    if (chunk->type == TYPE('I', 'D', 'A', 'T') && png->first_data == 0)
        png->first_data = start;
    if (!(is_header || (is_palette && png->first_data == 0)) || chunk->len < len)
        return;
    bytes = media_bytes(&png->media, chunk->body, len);
    if (!bytes)
        return;
    memcpy(png->prefix + png->prefix_len, bytes, len);
    png->prefix_len += len;
    if (is_header)
        memcpy(png->header, bytes, HEADER_LEN);
}

/* Where a string that ends with a zero at the latest ends; len: nowhere. */
static size_t end_of_string(const uint8_t *bytes, size_t len, size_t at)
{
    const uint8_t *end = at < len ? memchr(bytes + at, 0, len - at) : NULL;

    return end ? (size_t)(end - bytes) : len;
}

/* How many bytes of a text or profile precede its content; len: all of them.  Says whether it is compressed.
 */
static size_t before_content(uint32_t type, const uint8_t *bytes, size_t len, size_t keyword_end,
                             bool *is_packed)
{
    size_t at = keyword_end + 1;

    *is_packed = type == TYPE('z', 'T', 'X', 't') || type == TYPE('i', 'C', 'C', 'P');
    if (*is_packed)
        return at + 1;
    if (type == TYPE('i', 'T', 'X', 't') && at < len) {
        *is_packed = bytes[at] != 0;
        at = end_of_string(bytes, len, at + 2) + 1; /* language */
        at = end_of_string(bytes, len, at) + 1;     /* keyword in that language */
    }
    return at;
}

static bool has_keyword(uint32_t type)
{
    return type == TYPE('t', 'E', 'X', 't') || type == TYPE('z', 'T', 'X', 't') ||
           type == TYPE('i', 'T', 'X', 't') || type == TYPE('i', 'C', 'C', 'P');
}

static void give_text(struct png *png, struct container_member *member, const struct chunk *chunk)
{
    const size_t most = chunk->len < DESCRIPTION ? (size_t)chunk->len : DESCRIPTION;
    size_t got, keyword, start;
    const uint8_t *bytes = media_view(&png->media, chunk->body, most, &got);
    bool is_packed;

    if (got > most)
        got = most;
    keyword = end_of_string(bytes, got, 0);
    start = before_content(chunk->type, bytes, got, keyword, &is_packed);
    if (start > got)
        start = got;
    if (keyword > LONGEST_KEYWORD)
        keyword = LONGEST_KEYWORD;
    memcpy(png->name, "text/", 5);
    memcpy(png->name + 5, bytes, keyword);
    png->name[5 + keyword] = '\0';
    media_member_range(&png->media, member, png->name, chunk->body + start, chunk->len - start);
    if (strcmp(png->name, "text/XML:com.adobe.xmp") == 0)
        *member = (struct container_member){.name = "xmp", .name_len = 3, .size = member->size};
    if (chunk->type == TYPE('i', 'C', 'C', 'P'))
        *member = (struct container_member){.name = "icc", .name_len = 3, .size = member->size};
    if (is_packed)
        give_packed(png, member, unpack_text);
}

static void give_chunk(struct png *png, struct container_member *member, const struct chunk *chunk)
{
    if (has_keyword(chunk->type)) {
        give_text(png, member, chunk);
        return;
    }
    for (int i = 0; i < 4; i++)
        png->name[i] = (char)(chunk->type >> (24 - 8 * i));
    png->name[4] = '\0';
    media_member_range(&png->media, member, chunk->type == TYPE('e', 'X', 'I', 'f') ? "exif" : png->name,
                       chunk->body, chunk->len);
}

static bool next_metadata(struct png *png, struct container_member *member)
{
    struct chunk chunk = {0};

    while (chunk.type != TYPE('I', 'E', 'N', 'D')) {
        const uint64_t start = png->at;

        if (!next_chunk(png, &png->at, &chunk))
            break;
        note_chunk(png, &chunk, start);
        if (is_known(chunk.type) || chunk.len == 0)
            continue;
        give_chunk(png, member, &chunk);
        return true;
    }
    png->end = png->at;
    png->at = SIGNATURE;
    png->phase = PICTURE;
    return false;
}

/* ---- the container ---- */

static bool next_after(struct png *png, struct container_member *member)
{
    struct media *media = &png->media;

    png->phase = DONE;
    if (png->fault || media->is_carved || png->end >= media->size)
        return false;
    media_member_range(media, member, "after", png->end, media->size - png->end);
    return true;
}

static int step(struct media *media, struct container_member *member, struct error *err)
{
    struct png *png = (struct png *)media;

    if ((png->phase == METADATA && next_metadata(png, member)) ||
        (png->phase == PICTURE && next_picture(png, member)) ||
        (png->phase == FRAMES && next_frame(png, member)) || (png->phase == AFTER && next_after(png, member)))
        return 1;
    return png->fault ? error_set(err, "%s", png->fault) : 0;
}

static uint64_t end_of_chunks(struct container *container)
{
    const struct png *png = (const struct png *)container;

    return png->end > png->at ? png->end : png->at;
}

static void close_png(struct container *container)
{
    struct png *png = (struct png *)container;

    deflate_free(png->deflate);
    media_rows_release(&png->rows);
    free(png);
}

static struct container *open_png(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    struct png *png = (struct png *)media_new(sizeof *png, sight, watch, err);

    if (!png)
        return NULL;
    png->media.step = step;
    png->media.container.end = end_of_chunks;
    png->media.container.close = close_png;
    png->at = SIGNATURE;
    png->deflate = deflate_new(DEFLATE_ZLIB);
    if (!png->deflate) {
        error_set(err, "out of memory");
        close_png(&png->media.container);
        return NULL;
    }
    return &png->media.container;
}

static bool matches(const struct container_sight *sight)
{
    return sight->head_len > SIGNATURE + CHUNK_FRAME + HEADER_LEN &&
           memcmp(sight->head, "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", 16) == 0;
}

static const struct container_magic magic[] = {{0, 8, "\x89PNG\r\n\x1a\n"}, {0}};

const struct container_format media_format_png = {
    .name = "png", .first = "\x89", .magic = magic, .matches = matches, .open = open_png};
