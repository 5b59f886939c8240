/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/path.h"
#include "disk/deflate.h"
#include "disk/ewf_inner.h"

/* The content of the sections of an E01 segment. */

enum {
    VOLUME_LEN = 1052,
    SMART_VOLUME_LEN = 94,
    TABLE_HEAD_LEN = 24,
    ERRORS_HEAD_LEN = 520,
    HASH_LEN = 36,
    DIGEST_LEN = 80,
    MOST_CHUNK = 1 << 27,
    MOST_TEXT = 1 << 16,
    MOST_DAMAGES = 1 << 16, /* bytes of text */
};

static const uint32_t COMPRESSED = 0x80000000;

/* ---- the files, and damage to them ---- */

int ewf_read_at(const struct ewf *ewf, size_t file, uint64_t offset, void *into, size_t len)
{
    return datafile_read(&ewf->files[file], offset, into, len);
}

int ewf_damage(struct ewf_opening *opening, const char *fmt, ...)
{
    struct buffer *damages = &opening->ewf->damages;
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (!opening->force)
        return error_set(opening->err, "%s: %s; use --force to read what remains",
                         opening->paths[opening->file], text);
    opening->gap = opening->damaged = true;
    if (damages->len < MOST_DAMAGES && opening->ewf->file_count > 1)
        buffer_printf(damages, "%s: %s\n", path_last(opening->paths[opening->file]), text);
    else if (damages->len < MOST_DAMAGES)
        buffer_printf(damages, "%s\n", text);
    return 0;
}

static bool sums_to(const uint8_t *data, size_t len, uint32_t sum)
{
    return deflate_checksum(data, len) == sum;
}

/* ---- the geometry ---- */

struct geometry {
    uint64_t chunks, sectors;
    uint32_t chunk_sectors, sector_size;
    const uint8_t *set_id;
    bool is_smart;
};

static bool is_zero(const uint8_t *data, size_t len)
{
    while (len > 0 && data[len - 1] == 0)
        len--;
    return len == 0;
}

static int check_geometry(struct ewf_opening *opening, const struct geometry *geometry)
{
    const uint64_t chunk = (uint64_t)geometry->chunk_sectors * geometry->sector_size;

    if (geometry->sectors == 0 || geometry->chunks == 0)
        return ewf_damage(opening,
                          "the media size is 0: the acquisition was not completed, or the file is damaged");
    if (geometry->sector_size < 512 || geometry->sector_size > 65536 || geometry->chunk_sectors == 0 ||
        chunk > MOST_CHUNK || geometry->sectors > INT64_MAX / geometry->sector_size ||
        geometry->chunks != (geometry->sectors + geometry->chunk_sectors - 1) / geometry->chunk_sectors)
        return ewf_damage(opening,
                          "invalid geometry: %" PRIu64 " sectors of %" PRIu32 " bytes in %" PRIu64
                          " chunks of %" PRIu32 " sectors",
                          geometry->sectors, geometry->sector_size, geometry->chunks,
                          geometry->chunk_sectors);
    return 1;
}

/* Returns whether the segment does not identify its set.  (S01 never does, nor do some programs that write
 * E01.) */
static bool is_anonymous(const struct ewf_opening *opening)
{
    return opening->has_geometry && !opening->is_identified && !is_zero(opening->ewf->set_id, EWF_SET_ID_LEN);
}

/* The first segment states the geometry, and the others repeat it. */
static int take_geometry(struct ewf_opening *opening, const struct geometry *geometry)
{
    struct ewf *ewf = opening->ewf;
    int sound;

    if (opening->has_geometry) {
        if (geometry->is_smart == ewf->is_smart &&
            memcmp(geometry->set_id, ewf->set_id, EWF_SET_ID_LEN) == 0 &&
            geometry->chunk_sectors == ewf->chunk_sectors && geometry->sector_size == ewf->sector_size &&
            (geometry->sectors == ewf->sectors || geometry->sectors == 0)) {
            opening->is_identified = true;
            return 0;
        }
        return ewf_damage(opening, "belongs to another image: its set identifier or geometry does not match "
                                   "the first segment")
                   ? -1
                   : 1; /* nothing in this segment can be used */
    }
    sound = check_geometry(opening, geometry);
    if (sound <= 0)
        return sound;
    ewf->sectors = geometry->sectors;
    ewf->chunk_count = geometry->chunks;
    ewf->chunk_sectors = geometry->chunk_sectors;
    ewf->sector_size = geometry->sector_size;
    ewf->is_smart = geometry->is_smart;
    memcpy(ewf->set_id, geometry->set_id, EWF_SET_ID_LEN);
    opening->has_geometry = opening->is_identified = true;
    return 0;
}

static int take_volume(struct ewf_opening *opening, const struct ewf_section *section)
{
    static const uint8_t none[EWF_SET_ID_LEN];
    const bool is_smart = section->size == EWF_DESCRIPTOR_LEN + SMART_VOLUME_LEN;
    const size_t len = is_smart ? SMART_VOLUME_LEN : VOLUME_LEN;
    uint8_t data[VOLUME_LEN];
    struct geometry geometry;

    if (ewf_read_at(opening->ewf, opening->file, section->at + EWF_DESCRIPTOR_LEN, data, len) ||
        !sums_to(data, len - 4, bytes_load32(data + len - 4)))
        return ewf_damage(opening, "wrong checksum of section \"%s\" at byte %" PRIu64, section->type,
                          section->at);
    geometry = (struct geometry){.chunks = bytes_load32(data + 4),
                                 .chunk_sectors = bytes_load32(data + 8),
                                 .sector_size = bytes_load32(data + 12),
                                 .sectors = is_smart ? bytes_load32(data + 16) : bytes_load64(data + 16),
                                 .set_id = is_smart ? none : data + 64,
                                 .is_smart = is_smart};
    return take_geometry(opening, &geometry);
}

/* ---- tables ---- */

/* The offset of a chunk.  Offsets of more than 31 bits come last; in the earlier ones a bit marks
 * compression. */
static uint64_t offset_of(const struct ewf_run *run, uint32_t i)
{
    return run->base + (i < run->plain_from ? run->entries[i] & ~COMPRESSED : run->entries[i]);
}

/* From the chunk that crosses 2 GiB on, the compression bit is part of the offset (EnCase 6.7). */
static uint32_t find_plain(const struct ewf_run *run)
{
    for (uint32_t i = 0; i + 1 < run->count; i++) {
        const uint32_t here = run->entries[i] & ~COMPRESSED, next = run->entries[i + 1];

        if ((next & ~COMPRESSED) < here && next > here && (uint64_t)here + (next - here) > INT32_MAX)
            return i + 1;
    }
    return run->count;
}

/* Returns whether the chunks of an S01 table are in ascending order, between the table and the end of the
 * section. */
static bool is_in_order(const struct ewf_run *run, const struct ewf_section *section)
{
    uint64_t least = section->at + EWF_DESCRIPTOR_LEN + TABLE_HEAD_LEN + (uint64_t)run->count * 4;

    for (uint32_t i = 0; i < run->count; i++) {
        const uint64_t offset = offset_of(run, i);

        if (offset < least || offset >= section->end)
            return false;
        least = offset + 1;
    }
    return true;
}

/* Reads a table and verifies its checksums; returns 0 if it is invalid.  It must end within its section, so
 * that no byte is read as part of two tables. */
static int load_table(struct ewf_opening *opening, const struct ewf_section *section, struct ewf_run *run)
{
    const struct ewf *ewf = opening->ewf;
    const uint64_t end = section->end, at = section->at + EWF_DESCRIPTOR_LEN;
    const size_t sum_len = ewf->is_smart ? 0 : 4;
    uint8_t head[TABLE_HEAD_LEN];
    uint64_t len;
    uint8_t *data;

    if (ewf_read_at(ewf, opening->file, at, head, sizeof head) || !sums_to(head, 20, bytes_load32(head + 20)))
        return 0;
    *run =
        (struct ewf_run){.file = opening->file, .count = bytes_load32(head), .base = bytes_load64(head + 8)};
    len = (uint64_t)run->count * 4;
    if (len + sum_len > end || at + TABLE_HEAD_LEN > end - len - sum_len ||
        run->base > ewf->files[opening->file].size)
        return 0;
    data = malloc((size_t)len + 4);
    if (!data)
        return error_set(opening->err, "%s: out of memory", opening->paths[opening->file]);
    if (ewf_read_at(ewf, opening->file, at + TABLE_HEAD_LEN, data, (size_t)len + sum_len) ||
        (sum_len && !sums_to(data, (size_t)len, bytes_load32(data + len)))) {
        free(data);
        return 0;
    }
    run->entries = (uint32_t *)(void *)data;
    for (uint32_t i = 0; i < run->count; i++)
        run->entries[i] = bytes_load32(data + (size_t)i * 4);
    run->plain_from = ewf->is_smart ? run->count : find_plain(run);
    if (!ewf->is_smart || is_in_order(run, section))
        return 1;
    free(data);
    return 0;
}

static int add_run(struct ewf_opening *opening, struct ewf_run *run)
{
    struct ewf *ewf = opening->ewf;
    struct ewf_run *runs;

    if (ewf->run_count % 64 == 0) {
        runs = realloc(ewf->runs, (ewf->run_count + 64) * sizeof *runs);
        if (!runs) {
            free(run->entries);
            return error_set(opening->err, "%s: out of memory", opening->paths[opening->file]);
        }
        ewf->runs = runs;
    }
    run->first = opening->chunks;
    run->after_gap = opening->gap;
    opening->gap = false;
    opening->chunks += run->count;
    ewf->runs[ewf->run_count++] = *run;
    return 0;
}

int ewf_settle_table(struct ewf_opening *opening)
{
    if (!opening->table_lost)
        return 0;
    opening->table_lost = false;
    return ewf_damage(opening, "the chunk table at byte %" PRIu64 "%s damaged", opening->table_at,
                      opening->ewf->is_smart ? " is" : " and its copy are");
}

/* Each table exists twice; the second one counts if the first one is damaged. */
static int take_table(struct ewf_opening *opening, const struct ewf_section *section)
{
    const struct ewf *ewf = opening->ewf;
    const struct ewf_run *last = ewf->run_count ? &ewf->runs[ewf->run_count - 1] : NULL;
    const bool is_copy = strcmp(section->type, "table2") == 0;
    struct ewf_run run;
    int loaded;

    if (is_anonymous(opening))
        return ewf_damage(opening, "no set identifier before the first chunk table") ? -1 : 1;
    if (!is_copy && ewf_settle_table(opening))
        return -1;
    loaded = load_table(opening, section, &run);
    if (loaded < 0)
        return -1;
    if (!loaded) {
        if (is_copy)
            return 0; /* the table itself has been used, or is lost */
        opening->table_lost = true;
        opening->table_at = section->at;
        return 0;
    }
    opening->table_lost = false;
    if (run.count == 0 || (last && last->file == run.file && offset_of(last, 0) == offset_of(&run, 0))) {
        free(run.entries);
        return 0;
    }
    if (last && last->file == run.file && offset_of(&run, 0) < offset_of(last, last->count - 1)) {
        free(run.entries);
        return ewf_damage(opening, "the chunk table at byte %" PRIu64 " lists chunks of another table",
                          section->at);
    }
    return add_run(opening, &run);
}

/* ---- sectors that the acquisition could not read ---- */

/* Sectors on the list are treated as unreadable even if the list is damaged. */
static int take_errors(struct ewf_opening *opening, const struct ewf_section *section)
{
    const uint64_t at = section->at + EWF_DESCRIPTOR_LEN, room = section->end > at + ERRORS_HEAD_LEN + 4
                                                                     ? section->end - at - ERRORS_HEAD_LEN - 4
                                                                     : 0;
    uint8_t head[ERRORS_HEAD_LEN] = {0}, *data;
    uint64_t count;
    bool sound;

    sound = ewf_read_at(opening->ewf, opening->file, at, head, sizeof head) == 0 &&
            sums_to(head, sizeof head - 4, bytes_load32(head + sizeof head - 4)) &&
            bytes_load32(head) <= room / 8;
    count = bytes_load32(head) < room / 8 ? bytes_load32(head) : room / 8;
    data = malloc((size_t)count * 8 + 4);
    if (!data)
        return error_set(opening->err, "%s: out of memory", opening->paths[opening->file]);
    if (ewf_read_at(opening->ewf, opening->file, at + sizeof head, data, (size_t)count * 8 + 4))
        count = 0;
    sound = sound && count == bytes_load32(head) &&
            sums_to(data, (size_t)count * 8, bytes_load32(data + count * 8));
    for (uint64_t i = 0; i < count; i++)
        if (ranges_add(&opening->ewf->unread, bytes_load32(data + i * 8), bytes_load32(data + i * 8 + 4))) {
            free(data);
            return error_set(opening->err, "%s: out of memory", opening->paths[opening->file]);
        }
    free(data);
    return sound ? 0
                 : ewf_damage(opening,
                              "the list of sectors unreadable during acquisition, at byte %" PRIu64
                              ", is damaged",
                              section->at);
}

/* ---- stored hashes ---- */

static const char hashes_damaged[] = "the stored hashes are damaged and were not compared";

/* Adds a note about damage that does not affect the content. */
static void add_damage(struct ewf_opening *opening, const char *text)
{
    if (opening->ewf->damages.len < MOST_TEXT)
        buffer_printf(&opening->ewf->damages, "%s\n", text);
}

static void add_hex(struct buffer *out, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        buffer_printf(out, "%02x", bytes[i]);
}

/* The first of several hashes is compared with the image; the others must be equal. */
static void store(struct ewf_opening *opening, enum digest_kind kind, const uint8_t *value)
{
    struct digest_values *stored = &opening->ewf->stored;
    struct buffer *damages = &opening->ewf->damages;
    const size_t len = digest_len(kind);

    if (is_zero(value, len))
        return;
    if (stored->kinds & DIGEST_BIT(kind)) {
        if (memcmp(stored->bytes[kind], value, len) == 0 || damages->len >= MOST_TEXT)
            return;
        buffer_printf(damages, "the stored hashes contradict each other: the %s is ", digest_name(kind));
        add_hex(damages, stored->bytes[kind], len);
        buffer_add_text(damages, " and ");
        add_hex(damages, value, len);
        buffer_add_char(damages, '\n');
        return;
    }
    memcpy(stored->bytes[kind], value, len);
    stored->kinds |= DIGEST_BIT(kind);
}

static void take_digests(struct ewf_opening *opening, const struct ewf_section *section, bool is_hash)
{
    uint8_t data[DIGEST_LEN];
    const size_t len = is_hash ? HASH_LEN : DIGEST_LEN;

    if (ewf_read_at(opening->ewf, opening->file, section->at + EWF_DESCRIPTOR_LEN, data, len) ||
        !sums_to(data, len - 4, bytes_load32(data + len - 4))) {
        add_damage(opening, hashes_damaged);
        return;
    }
    store(opening, DIGEST_MD5, data);
    if (!is_hash)
        store(opening, DIGEST_SHA1, data + DIGEST_MD5_LEN);
}

static bool take_hex(const char *text, uint8_t *out, size_t len)
{
    for (size_t i = 0; i < 2 * len; i++) {
        const int c = tolower((unsigned char)text[i]);

        if (!isxdigit(c))
            return false;
        out[i / 2] = (uint8_t)(out[i / 2] << 4 | (c <= '9' ? c - '0' : c - 'a' + 10));
    }
    return true;
}

/* Decompresses the text of a section; NULL if it is damaged. */
static char *unpack_text(struct ewf_opening *opening, const struct ewf_section *section)
{
    const uint64_t body = section->at + EWF_DESCRIPTOR_LEN,
                   len = section->size > EWF_DESCRIPTOR_LEN && section->at + section->size <= section->end
                             ? section->size - EWF_DESCRIPTOR_LEN
                             : 0;
    struct deflate *deflate = deflate_new(DEFLATE_ZLIB);
    uint8_t *packed = len && len <= MOST_TEXT ? malloc((size_t)len) : NULL;
    char *text = packed ? calloc(1, MOST_TEXT + 1) : NULL;
    const bool sound = deflate && packed && text &&
                       ewf_read_at(opening->ewf, opening->file, body, packed, (size_t)len) == 0 &&
                       deflate_unpack(deflate, packed, (size_t)len, text, MOST_TEXT) >= 0;

    deflate_free(deflate);
    free(packed);
    if (sound)
        return text;
    free(text);
    return NULL;
}

/* XML text: <sha1>...</sha1> and so on. */
static void take_xhash(struct ewf_opening *opening, const struct ewf_section *section)
{
    static const struct {
        const char *tag;
        enum digest_kind kind;
    } tags[] = {{"<md5>", DIGEST_MD5}, {"<sha1>", DIGEST_SHA1}, {"<sha256>", DIGEST_SHA256}};
    char *text = unpack_text(opening, section);

    if (!text)
        add_damage(opening, hashes_damaged);
    for (size_t i = 0; text && i < sizeof tags / sizeof *tags; i++) {
        const char *at = strcasestr(text, tags[i].tag);
        uint8_t value[DIGEST_MAX_LEN] = {0};

        if (at && take_hex(at + strlen(tags[i].tag), value, digest_len(tags[i].kind)))
            store(opening, tags[i].kind, value);
    }
    free(text);
}

/* ---- types of sections ---- */

static const char *const types[] = {
    "header", "header2", "xheader", "volume", "disk",   "data",    "sectors", "table",  "table2",    "next",
    "done",   "hash",    "digest",  "xhash",  "error2", "session", "ltree",   "ltypes", "incomplete"};

bool ewf_is_type(const char *type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

int ewf_take_section(struct ewf_opening *opening, const struct ewf_section *section)
{
    const char *type = section->type;

    if (strcmp(type, "volume") == 0 || strcmp(type, "disk") == 0 || strcmp(type, "data") == 0)
        return take_volume(opening, section);
    if (strcmp(type, "table") == 0 || strcmp(type, "table2") == 0)
        return take_table(opening, section);
    if (strcmp(type, "error2") == 0)
        return take_errors(opening, section);
    if (strcmp(type, "hash") == 0 || strcmp(type, "digest") == 0)
        take_digests(opening, section, strcmp(type, "hash") == 0);
    if (strcmp(type, "xhash") == 0)
        take_xhash(opening, section);
    if (strcmp(type, "done") == 0)
        opening->ended = true;
    return strcmp(type, "done") == 0 || strcmp(type, "next") == 0;
}
