/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/aff3.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

enum {
    FILE_HEAD = 8,
    HEAD_LEN = 16, /* of a segment: "AFF", the lengths of its name and data, and a flag */
    TAIL_LEN = 8,  /* "ATT", and the length of the whole segment */
    NAME_ROOM = 64,
    LEAST_SEARCHED = 4096, /* at first: the next valid segment is near, or there is none */
    MOST_SEARCHED = 1 << 20,
    LZMA_HEAD_LEN = 13,
    SMALLEST_PAGE = 512,
    LARGEST_PAGE = 64 << 20,
    MOST_DAMAGES = 1 << 16, /* bytes of text */
    FLAG_PACKED = 1,
    FLAG_PACKING = 0xf0,
    FLAG_ZLIB = 0x00,
    FLAG_LZMA = 0x20,
    FLAG_ZEROS = 0x30,
};

struct aff_segment {
    char name[NAME_ROOM + 1];
    uint64_t data, end; /* end: start of the next segment */
    uint32_t len, flag;
};

struct opening {
    struct aff3 *aff;
    const char *path;
    bool force, has_size, count_lost;
    struct error *err;
};

static uint32_t big32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Records damage; returns 0 if that is tolerated. */
__attribute__((format(printf, 2, 3))) static int damage(struct opening *opening, const char *fmt, ...)
{
    struct buffer *damages = &opening->aff->damages;
    char text[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (!opening->force)
        return error_set(opening->err, "%s: %s; use --force to read what remains", opening->path, text);
    if (damages->len < MOST_DAMAGES)
        buffer_printf(damages, "%s\n", text);
    return 0;
}

/* ---- segments ---- */

/* Reads the segment at a position; false if there is none whose head and tail agree. */
static bool read_segment(const struct aff3 *aff, uint64_t at, struct aff_segment *segment)
{
    const uint64_t size = aff->file.size;
    uint8_t head[HEAD_LEN], tail[TAIL_LEN];
    uint64_t name_len, len;

    if (at + HEAD_LEN + TAIL_LEN > size || datafile_read(&aff->file, at, head, sizeof head) ||
        memcmp(head, "AFF", 4) != 0)
        return false;
    name_len = big32(head + 4);
    segment->len = big32(head + 8);
    segment->flag = big32(head + 12);
    len = HEAD_LEN + name_len + segment->len + TAIL_LEN;
    if (name_len > NAME_ROOM || len > size - at ||
        datafile_read(&aff->file, at + HEAD_LEN, segment->name, (size_t)name_len) ||
        datafile_read(&aff->file, at + len - TAIL_LEN, tail, sizeof tail) || memcmp(tail, "ATT", 4) != 0 ||
        big32(tail + 4) != len)
        return false;
    segment->name[name_len] = '\0';
    segment->data = at + HEAD_LEN + name_len;
    segment->end = at + len;
    return true;
}

/* Finds the next valid segment at or after a position; returns the file's size if there is none. */
static uint64_t search_segment(const struct aff3 *aff, uint64_t from, struct aff_segment *segment)
{
    const uint64_t size = aff->file.size;
    char *piece = malloc(MOST_SEARCHED);
    uint64_t found = size, most = LEAST_SEARCHED;

    while (piece && found == size && from + HEAD_LEN + TAIL_LEN <= size) {
        const size_t len = (size_t)(size - from < most ? size - from : most);

        if (datafile_read(&aff->file, from, piece, len))
            break;
        for (size_t i = 0; i + 4 <= len && found == size; i++)
            if (memcmp(piece + i, "AFF", 4) == 0 && read_segment(aff, from + i, segment))
                found = from + i;
        from += len - 3;
        most = most < MOST_SEARCHED ? most * 2 : most;
    }
    free(piece);
    return found;
}

/* Reads a 64-bit number: the low half first, each half in big-endian order. */
static bool read_number(const struct opening *opening, const struct aff_segment *segment, uint64_t *number)
{
    uint8_t data[8];

    if (segment->len != sizeof data || datafile_read(&opening->aff->file, segment->data, data, sizeof data))
        return false;
    *number = (uint64_t)big32(data + 4) << 32 | big32(data);
    return true;
}

static int take_size(struct opening *opening, const struct aff_segment *segment)
{
    uint64_t size = 0;

    if (!read_number(opening, segment, &size) || (opening->has_size && size != opening->aff->size))
        return damage(opening, "segment \"%s\" at byte %" PRIu64 " is damaged", segment->name, segment->data);
    opening->has_size = true;
    opening->aff->size = size;
    return 0;
}

static int take_flag(struct opening *opening, const struct aff_segment *segment, uint32_t *value)
{
    if (*value && *value != segment->flag)
        return damage(opening, "segment \"%s\" at byte %" PRIu64 " contradicts an earlier one", segment->name,
                      segment->data);
    *value = segment->flag;
    return 0;
}

static int take_bad_flag(struct opening *opening, const struct aff_segment *segment)
{
    struct aff3 *aff = opening->aff;

    if (aff->bad_flag || segment->len != aff->sector_size)
        return 0;
    aff->bad_flag = malloc(segment->len);
    if (!aff->bad_flag)
        return error_set(opening->err, "%s: out of memory", opening->path);
    if (datafile_read(&aff->file, segment->data, aff->bad_flag, segment->len)) {
        free(aff->bad_flag);
        aff->bad_flag = NULL;
        return damage(opening, "segment \"%s\" at byte %" PRIu64 " cannot be read", segment->name,
                      segment->data);
    }
    return 0;
}

static void take_digest(struct opening *opening, const struct aff_segment *segment, enum digest_kind kind)
{
    struct digest_values *stored = &opening->aff->stored;

    if (segment->len == digest_len(kind) && !(stored->kinds & DIGEST_BIT(kind)) &&
        datafile_read(&opening->aff->file, segment->data, stored->bytes[kind], segment->len) == 0)
        stored->kinds |= DIGEST_BIT(kind);
}

static enum aff3_packing packing_of(uint32_t flag)
{
    if (!(flag & FLAG_PACKED))
        return AFF_PLAIN;
    switch (flag & FLAG_PACKING) {
    case FLAG_ZLIB:
        return AFF_ZLIB;
    case FLAG_LZMA:
        return AFF_LZMA;
    case FLAG_ZEROS:
        return AFF_ZEROS;
    default:
        return AFF_BAD;
    }
}

/* page0 and so on; seg0 in the first versions. */
static bool page_number(const char *name, uint64_t *number)
{
    const char *digits = strncmp(name, "page", 4) == 0  ? name + 4
                         : strncmp(name, "seg", 3) == 0 ? name + 3
                                                        : "";
    const size_t len = strspn(digits, "0123456789");

    if (len == 0 || len > 18 || digits[len] || (digits[0] == '0' && len > 1))
        return false;
    *number = strtoull(digits, NULL, 10);
    return true;
}

static int add_page(struct opening *opening, const struct aff_segment *segment, uint64_t number)
{
    struct aff3 *aff = opening->aff;
    const size_t room = aff->page_count * 2 > 64 ? aff->page_count * 2 : 64;
    struct aff3_page *pages = aff->pages;

    if (aff->page_count % 64 == 0 && (aff->page_count & (aff->page_count - 1)) == 0) {
        pages = realloc(aff->pages, room * sizeof *pages);
        if (!pages)
            return error_set(opening->err, "%s: out of memory", opening->path);
        aff->pages = pages;
    }
    pages[aff->page_count++] =
        (struct aff3_page){number, segment->data, segment->len, packing_of(segment->flag)};
    return 0;
}

static int take_segment(struct opening *opening, const struct aff_segment *segment)
{
    struct aff3 *aff = opening->aff;
    const char *name = segment->name;
    uint64_t number;

    if (page_number(name, &number))
        return add_page(opening, segment, number);
    if (strcmp(name, "imagesize") == 0)
        return take_size(opening, segment);
    if (strcmp(name, "pagesize") == 0 || strcmp(name, "segsize") == 0)
        return take_flag(opening, segment, &aff->page_size);
    if (strcmp(name, "sectorsize") == 0)
        return take_flag(opening, segment, &aff->sector_size);
    if (strstr(name, "/aes256") || strncmp(name, "affkey_", 7) == 0)
        return error_set(opening->err, "%s: encrypted AFF image: decrypt it with affcrypto and its key",
                         opening->path);
    if (strcmp(name, "badsectors") == 0 && !read_number(opening, segment, &aff->bad_sectors)) {
        opening->count_lost = true;
        return damage(opening, "segment \"%s\" at byte %" PRIu64 " is damaged", name, segment->data);
    }
    if (strcmp(name, "md5") == 0)
        take_digest(opening, segment, DIGEST_MD5);
    if (strcmp(name, "sha1") == 0)
        take_digest(opening, segment, DIGEST_SHA1);
    if (strcmp(name, "sha256") == 0)
        take_digest(opening, segment, DIGEST_SHA256);
    return 0;
}

/* The bad flag is taken last, since the sector size may follow it in the file. */
static int read_segments(struct opening *opening)
{
    const struct aff3 *aff = opening->aff;
    uint64_t at = FILE_HEAD, bad_flag_at = 0;
    struct aff_segment segment = {.len = 0}, bad_flag = {.len = 0};

    while (at < aff->file.size) {
        const uint64_t from = at;

        if (!read_segment(aff, at, &segment)) {
            if (damage(opening, "damaged or truncated: no valid segment at byte %" PRIu64, from))
                return -1;
            at = search_segment(aff, at + 1, &segment);
            if (at >= aff->file.size)
                break;
        }
        if (take_segment(opening, &segment))
            return -1;
        if (strcmp(segment.name, "badflag") == 0 && !bad_flag_at) {
            bad_flag = segment;
            bad_flag_at = at;
        }
        at = segment.end;
    }
    if (opening->aff->sector_size == 0)
        opening->aff->sector_size = 512;
    return bad_flag_at ? take_bad_flag(opening, &bad_flag) : 0;
}

/* ---- pages ---- */

static int by_number(const void *a, const void *b)
{
    const struct aff3_page *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

uint64_t aff3_page_total(const struct aff3 *aff)
{
    return (aff->size + aff->page_size - 1) / aff->page_size;
}

uint32_t aff3_page_len(const struct aff3 *aff, uint64_t number)
{
    const uint64_t left = aff->size - number * aff->page_size;

    return left < aff->page_size ? (uint32_t)left : aff->page_size;
}

const struct aff3_page *aff3_find(const struct aff3 *aff, uint64_t number)
{
    const struct aff3_page key = {.number = number};

    return aff->page_count ? bsearch(&key, aff->pages, aff->page_count, sizeof key, by_number) : NULL;
}

/* Returns whether the page can hold as much as it must; a zlib page shows that only when it is
 * decompressed. */
static bool is_whole(const struct aff3 *aff, const struct aff3_page *page)
{
    const uint32_t needed = aff3_page_len(aff, page->number);
    uint8_t len[4], lzma[LZMA_HEAD_LEN];

    if (page->packing == AFF_PLAIN)
        return page->len == needed;
    if (page->packing == AFF_LZMA)
        return page->len >= sizeof lzma && datafile_read(&aff->file, page->offset, lzma, sizeof lzma) == 0 &&
               bytes_load64(lzma + 5) == needed;
    if (page->packing == AFF_ZEROS)
        return page->len == sizeof len && datafile_read(&aff->file, page->offset, len, sizeof len) == 0 &&
               big32(len) == needed;
    return page->packing != AFF_BAD;
}

/* Keeps only pages that occur once and may be intact. */
static int check_pages(struct opening *opening)
{
    struct aff3 *aff = opening->aff;
    const uint64_t total = aff3_page_total(aff);
    size_t kept = 0;

    for (size_t i = 0, next; i < aff->page_count; i = next) {
        const struct aff3_page page = aff->pages[i];

        for (next = i + 1; next < aff->page_count && aff->pages[next].number == page.number; next++)
            ;
        if (page.number >= total) {
            if (damage(opening, "page %" PRIu64 " lies beyond the image's size of %" PRIu64 " bytes",
                       page.number, aff->size))
                return -1;
        } else if (next > i + 1) {
            if (damage(opening, "page %" PRIu64 " occurs %zu times", page.number, next - i))
                return -1;
        } else if (!is_whole(aff, &page)) {
            if (damage(opening, "page %" PRIu64 " is damaged: it does not hold %" PRIu32 " bytes",
                       page.number, aff3_page_len(aff, page.number)))
                return -1;
        } else {
            aff->has_lzma |= page.packing == AFF_LZMA;
            aff->pages[kept++] = page;
        }
    }
    aff->page_count = kept;
    return 0;
}

static int find_missing(struct opening *opening)
{
    const struct aff3 *aff = opening->aff;
    const uint64_t total = aff3_page_total(aff);
    uint64_t first = 0;

    while (first < aff->page_count && aff->pages[first].number == first)
        first++;
    if (first == total)
        return 0;
    return damage(opening, "page %" PRIu64 " is missing or damaged (%" PRIu64 " of %" PRIu64 " pages are)",
                  first, total - aff->page_count, total);
}

static int check(struct opening *opening)
{
    struct aff3 *aff = opening->aff;

    if (!opening->has_size || aff->size == 0 || aff->size > INT64_MAX)
        return error_set(opening->err,
                         "%s: segment \"imagesize\" is missing or damaged, so the size is unknown%s",
                         opening->path, opening->force ? " (even with --force)" : "");
    if (aff->page_size < SMALLEST_PAGE || aff->page_size > LARGEST_PAGE || aff->sector_size < 512 ||
        aff->sector_size > 65536 || aff->page_size % aff->sector_size)
        return error_set(opening->err,
                         "%s: invalid geometry: pages of %" PRIu32 " bytes, sectors of %" PRIu32,
                         opening->path, aff->page_size, aff->sector_size);
    if (aff->page_count)
        qsort(aff->pages, aff->page_count, sizeof *aff->pages, by_number);
    if (check_pages(opening) || find_missing(opening))
        return -1;
    aff->is_doubtful = (aff->bad_sectors || opening->count_lost) && !aff->bad_flag;
    if (aff->is_doubtful &&
        damage(opening, "sectors that could not be read during acquisition are not marked"))
        return -1;
    if (aff->bad_sectors)
        buffer_printf(&aff->damages, "sectors that could not be read during acquisition: %" PRIu64 "\n",
                      aff->bad_sectors);
    buffer_add_char(&aff->damages, '\0');
    return aff->damages.failed ? error_set(opening->err, "%s: out of memory", opening->path) : 0;
}

int aff3_open(struct aff3 *aff, const char *path, bool force, struct error *err)
{
    struct opening opening = {.aff = aff, .path = path, .force = force, .err = err};
    uint8_t head[FILE_HEAD];

    *aff = (struct aff3){0};
    if (datafile_open(&aff->file, path, NULL, err))
        return -1;
    if (datafile_read(&aff->file, 0, head, sizeof head) || memcmp(head, "AFF10\r\n", sizeof head) != 0)
        error_set(err, "%s: not an AFF image: wrong signature", path);
    else if (read_segments(&opening) == 0 && check(&opening) == 0)
        return 0;
    aff3_close(aff);
    return -1;
}

void aff3_close(struct aff3 *aff)
{
    datafile_close(&aff->file);
    free(aff->pages);
    free(aff->bad_flag);
    buffer_release(&aff->damages);
    *aff = (struct aff3){0};
}
