/* SPDX-License-Identifier: Apache-2.0 */
#include "container/warc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "container/window.h"

enum {
    HEADER = 32 << 10, /* bytes of the longest header of a record, or of HTTP */
    MOST_NAME = 4096,
    CHUNK_HEADER = 256, /* bytes of the longest line before a chunk */
    BETWEEN = 16,       /* bytes of line ends between records */
    MOST_DIGITS = 18,
    MOST_WASTED = 16 << 20, /* bytes of what only looked like headers */
};

struct warc {
    struct container container;
    struct window window;
    const struct container_watch *watch;
    uint64_t at;   /* of the next record */
    uint64_t last; /* the end of the last one */
    bool is_carved, is_damaged, is_cut;
    uint64_t wasted;
    /* the present member: */
    char name[MOST_NAME];
    size_t name_len;
    uint64_t start, data, end; /* data: what is read next */
    bool is_chunked;
    uint64_t chunk; /* bytes left in it */
    bool is_inside; /* of the chunks; not before the first */
};

/* ---- headers ---- */

struct lines {
    const char *at, *end;
};

struct field {
    const char *name, *value;
    size_t name_len, len;
};

static const char *trim(const char *at, const char **end)
{
    while (at < *end && (*at == ' ' || *at == '\t'))
        at++;
    while (*end > at && ((*end)[-1] == ' ' || (*end)[-1] == '\r'))
        (*end)--;
    return at;
}

/* The next line that is a field; false at the empty line, after which `at` is, and at the end. */
static bool next_field(struct lines *lines, struct field *field)
{
    while (lines->at < lines->end) {
        const char *line = lines->at, *end = memchr(line, '\n', (size_t)(lines->end - line)), *colon;

        if (!end)
            return false;
        lines->at = end + 1;
        if (trim(line, &end) == end)
            return false;
        colon = memchr(line, ':', (size_t)(end - line));
        if (!colon)
            continue;
        field->name = line;
        field->name_len = (size_t)(colon - line);
        field->value = trim(colon + 1, &end);
        field->len = (size_t)(end - field->value);
        return true;
    }
    return false;
}

static bool is_named(const struct field *field, const char *name)
{
    return field->name_len == strlen(name) && strncasecmp(field->name, name, field->name_len) == 0;
}

static bool has_value(const struct field *field, const char *value)
{
    return field->len >= strlen(value) && strncasecmp(field->value, value, strlen(value)) == 0;
}

/* Of codings in the order in which they were applied: the last one. */
static bool ends_with(const struct field *field, const char *value)
{
    const size_t len = strlen(value);

    return field->len >= len && strncasecmp(field->value + field->len - len, value, len) == 0;
}

/* How long the header is that begins with this line, with the empty line at its end; 0: it does not end. */
static size_t header_len(const uint8_t *bytes, size_t len)
{
    const uint8_t *at = bytes, *end = bytes + len;

    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        at++;
        if (at < end && *at == '\n')
            return (size_t)(at + 1 - bytes);
        if (end - at > 1 && at[0] == '\r' && at[1] == '\n')
            return (size_t)(at + 2 - bytes);
    }
    return 0;
}

static int64_t number_of(const struct field *field)
{
    int64_t number = 0;

    for (size_t i = 0; i < field->len; i++) {
        if (field->value[i] < '0' || field->value[i] > '9' || i == MOST_DIGITS)
            return -1;
        number = number * 10 + (field->value[i] - '0');
    }
    return field->len > 0 ? number : -1;
}

/* ---- records ---- */

struct record {
    int64_t len;   /* of its block; -1: not stated */
    bool is_page;  /* it has what somebody can have written */
    bool is_http;  /* after a header of HTTP */
    size_t header; /* bytes of its own */
};

static void set_name(struct warc *warc, const struct field *field)
{
    const char *value = field->value;
    size_t len = field->len;

    if (len >= 2 && value[0] == '<' && value[len - 1] == '>') { /* as wget writes it */
        value++;
        len -= 2;
    }
    warc->name_len = len < MOST_NAME ? len : MOST_NAME;
    memcpy(warc->name, value, warc->name_len);
}

/* Reads the header of the record at warc->at; false if there is none. */
static bool read_record(struct warc *warc, struct record *record)
{
    size_t len;
    const uint8_t *bytes = window_view(&warc->window, warc->at, HEADER, &len);
    struct lines lines;
    struct field field;

    *record = (struct record){.len = -1};
    len = len < HEADER ? len : HEADER;
    if (len < 5 || memcmp(bytes, "WARC/", 5) != 0 || (record->header = header_len(bytes, len)) == 0)
        return false;
    warc->name_len = 0;
    lines = (struct lines){(const char *)bytes, (const char *)bytes + record->header};
    while (next_field(&lines, &field))
        if (is_named(&field, "WARC-Type"))
            record->is_page = has_value(&field, "response") || has_value(&field, "resource") ||
                              has_value(&field, "conversion") || has_value(&field, "continuation");
        else if (is_named(&field, "Content-Length"))
            record->len = number_of(&field);
        else if (is_named(&field, "Content-Type"))
            record->is_http = has_value(&field, "application/http");
        else if (is_named(&field, "WARC-Target-URI"))
            set_name(warc, &field);
    return record->len >= 0;
}

/* Passes the line ends between records; false at the end of the content. */
static bool pass_blank(struct warc *warc)
{
    size_t len, i = 0;
    const uint8_t *bytes = window_view(&warc->window, warc->at, BETWEEN, &len);

    while (i < len && i < BETWEEN && (bytes[i] == '\r' || bytes[i] == '\n'))
        i++;
    warc->at += i;
    return i < len;
}

/* After damage, goes on with the next line that begins a record. */
static bool find_record(struct warc *warc)
{
    static const char start[] = "\nWARC/1.";
    const size_t start_len = strlen(start);

    warc->is_damaged = true;
    for (;;) {
        size_t len;
        const uint8_t *bytes = window_view(&warc->window, warc->at, HEADER, &len), *found;

        if (len < start_len)
            return false;
        found = memmem(bytes, len, start, start_len);
        warc->at += found ? (uint64_t)(found - bytes) + 1 : len - start_len + 1;
        warc->watch->progress(warc->watch->arg);
        if (found)
            return true;
    }
}

/* ---- chunks ---- */

/* Reads the line before a chunk.  Returns its length, or 0 if there is none. */
static size_t read_chunk_line(struct warc *warc, uint64_t at, uint64_t *size)
{
    size_t len, i = 0;
    const char *bytes = (const char *)window_view(&warc->window, at, CHUNK_HEADER, &len), *end;

    if (len > warc->end - at)
        len = (size_t)(warc->end - at);
    len = len < CHUNK_HEADER ? len : CHUNK_HEADER;
    end = memchr(bytes, '\n', len);
    *size = 0;
    for (; end && i < 8 && bytes + i < end; i++) {
        const char c = (char)(bytes[i] | 0x20);

        if (c >= 'a' && c <= 'f')
            *size = *size << 4 | (uint64_t)(c - 'a' + 10);
        else if (bytes[i] >= '0' && bytes[i] <= '9')
            *size = *size << 4 | (uint64_t)(bytes[i] - '0');
        else
            break;
    }
    if (!end || i == 0 || (bytes[i] != '\r' && bytes[i] != '\n' && bytes[i] != ';' && bytes[i] != ' '))
        return 0;
    return (size_t)(end + 1 - bytes);
}

/* Moves on to the next chunk.  Returns 1, 0 after the last one, -1 if there is none. */
static int next_chunk(struct warc *warc)
{
    size_t len;
    const uint8_t *bytes;

    if (warc->is_inside) { /* a line end follows the last one */
        bytes = window_view(&warc->window, warc->data, 2, &len);
        if (len > 0 && bytes[0] == '\r') {
            warc->data++;
            bytes++;
            len--;
        }
        warc->data += len > 0 && bytes[0] == '\n';
    }
    if (warc->data >= warc->end)
        return -1;
    len = read_chunk_line(warc, warc->data, &warc->chunk);
    if (len == 0)
        return -1;
    warc->data += len;
    warc->is_inside = true;
    return warc->chunk > 0;
}

/* ---- members ---- */

/* What follows the header of HTTP. Some programs state chunks, but have joined them. */
static void pass_http(struct warc *warc)
{
    size_t len;
    const uint8_t *bytes = window_view(&warc->window, warc->data, HEADER, &len);
    struct lines lines;
    struct field field;
    uint64_t size;

    if (len > warc->end - warc->data)
        len = (size_t)(warc->end - warc->data);
    len = len < HEADER ? len : HEADER;
    if (len < 5 || memcmp(bytes, "HTTP/", 5) != 0 || (len = header_len(bytes, len)) == 0)
        return;
    lines = (struct lines){(const char *)bytes, (const char *)bytes + len};
    while (next_field(&lines, &field))
        if (is_named(&field, "Transfer-Encoding"))
            warc->is_chunked = ends_with(&field, "chunked");
    warc->data += len;
    if (warc->is_chunked && read_chunk_line(warc, warc->data, &size) == 0)
        warc->is_chunked = false;
}

static void begin_block(struct warc *warc, const struct record *record)
{
    const uint64_t size = warc->window.size;

    warc->data = warc->at + record->header;
    warc->is_cut = (uint64_t)record->len > size - warc->data;
    warc->end = warc->is_cut ? size : warc->data + (uint64_t)record->len;
    warc->is_chunked = warc->is_inside = false;
    warc->chunk = 0;
    warc->at = warc->last = warc->end;
    if (record->is_http)
        pass_http(warc);
    warc->start = warc->data;
}

static int next_member(struct container *container, struct container_member *member, struct error *err)
{
    struct warc *warc = (struct warc *)container;
    struct record record;

    while (pass_blank(warc)) {
        warc->watch->progress(warc->watch->arg);
        if (!read_record(warc, &record)) {
            warc->wasted += HEADER;
            if (warc->is_carved || warc->wasted > MOST_WASTED || !find_record(warc))
                break;
            continue;
        }
        begin_block(warc, &record);
        if (!record.is_page || warc->data == warc->end)
            continue;
        *member =
            (struct container_member){.name = warc->name,
                                      .name_len = warc->name_len,
                                      .size = warc->is_chunked ? CONTAINER_UNKNOWN : warc->end - warc->data};
        return 1;
    }
    if (warc->window.is_broken)
        return error_set(err, "cannot be read");
    return warc->is_damaged ? error_set(err, "is damaged") : warc->is_cut ? error_set(err, "is cut off") : 0;
}

static ssize_t read_member(struct container *container, void *into, size_t len, struct error *err)
{
    struct warc *warc = (struct warc *)container;
    const uint8_t *bytes;
    uint64_t left = warc->end - warc->data;
    size_t got;

    if (warc->is_chunked && warc->chunk == 0) {
        const int more = next_chunk(warc);

        if (more <= 0) {
            warc->data = more == 0 ? warc->end : warc->data;
            return more < 0 ? error_set(err, warc->is_cut ? "it is cut off" : "its chunks are damaged") : 0;
        }
        left = warc->end - warc->data;
    }
    if (warc->is_chunked && warc->chunk < left)
        left = warc->chunk;
    if (left == 0)
        return warc->is_cut || warc->is_chunked ? error_set(err, "it is cut off") : 0;
    bytes = window_view(&warc->window, warc->data, 1, &got);
    if (got == 0)
        return error_set(err, "it cannot be read");
    got = got < len ? got : len;
    got = got < left ? got : (size_t)left;
    memcpy(into, bytes, got);
    warc->data += got;
    warc->chunk -= warc->is_chunked ? got : 0;
    return (ssize_t)got;
}

static uint64_t place_of_member(struct container *container)
{
    const struct warc *warc = (const struct warc *)container;

    return warc->is_chunked ? CONTAINER_UNKNOWN : warc->start;
}

static uint64_t end_of_file(struct container *container)
{
    return ((const struct warc *)container)->last;
}

/* ---- the format ---- */

static void close_warc(struct container *container)
{
    struct warc *warc = (struct warc *)container;

    window_release(&warc->window);
    free(warc);
}

static struct container *open_warc(const struct container_sight *sight, const struct container_watch *watch,
                                   struct error *err)
{
    struct warc *warc = memory_new(sizeof *warc, err);

    if (!warc)
        return NULL;
    warc->container = (struct container){next_member, read_member, place_of_member, end_of_file, close_warc};
    warc->watch = watch;
    warc->is_carved = sight->is_carved;
    if (window_init(&warc->window, sight->content, false, err)) {
        free(warc);
        return NULL;
    }
    return &warc->container;
}

static bool matches(const struct container_sight *sight)
{
    return sight->head_len >= 10 && memcmp(sight->head, "WARC/", 5) == 0 &&
           (sight->head[5] == '0' || sight->head[5] == '1') && sight->head[6] == '.' &&
           (sight->head[8] == '\r' || sight->head[8] == '\n');
}

static const struct container_magic magic[] = {{0, 7, "WARC/1."}, {0, 0, NULL}};

const struct container_format warc_format = {
    .name = "warc", .first = "W", .magic = magic, .matches = matches, .open = open_warc};
