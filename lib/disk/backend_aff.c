/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ranges.h"
#include "disk/aff3.h"
#include "disk/backend.h"
#include "disk/mapped.h"

/*
 * Reads AFF without afflib, which returns zeros or a pattern of its own for a missing or damaged page and
 * reports success.  Only LZMA pages are read through it: it returns zeros throughout if it fails on one, and
 * a page of nothing but zeros is never stored as LZMA.
 */
enum { PROBE = 1 << 16 };

static const uint64_t NO_PAGE = UINT64_MAX;

struct aff_reader {
    struct aff3 aff;
    struct backend inner; /* everything except LZMA */
    struct backend lzma;  /* read is NULL if there is none */
    uint64_t probed;      /* the LZMA page examined last */
    bool is_sound;        /* the result of that */
    uint8_t *probe, *sector;
    struct ranges lost;  /* in the order of discovery */
    struct ranges known; /* the same, sorted */
};

/* ---- pages ---- */

static int find_page(void *map, uint64_t number, struct mapped_place *place)
{
    const struct aff_reader *reader = map;
    const struct aff3_page *page = aff3_find(&reader->aff, number);

    *place = (struct mapped_place){.kind = MAPPED_BAD, .file = &reader->aff.file};
    if (!page)
        return -1;
    place->offset = page->offset;
    place->packed_len = page->len;
    if (page->packing == AFF_ZEROS)
        place->kind = MAPPED_ZEROS;
    else if (page->packing == AFF_PLAIN)
        place->kind = MAPPED_PLAIN;
    else if (page->packing == AFF_ZLIB)
        place->kind = MAPPED_PACKED;
    return 0;
}

static void leave_open(void *map)
{
    (void)map;
}

static bool has_content(const uint8_t *data, size_t len)
{
    return len && (data[0] || memcmp(data, data + 1, len - 1) != 0);
}

/* Returns whether afflib can decompress a page. */
static bool probe_page(struct aff_reader *reader, uint64_t number)
{
    const uint64_t start = number * reader->aff.page_size;
    const uint32_t needed = aff3_page_len(&reader->aff, number);
    bool is_sound = false;

    if (reader->probed == number)
        return reader->is_sound;
    for (uint32_t done = 0; done < needed && !is_sound;) {
        const size_t len = needed - done < PROBE ? needed - done : PROBE;
        const ssize_t got = reader->lzma.read(reader->lzma.state, start + done, reader->probe, len);

        if (got <= 0)
            break;
        is_sound = has_content(reader->probe, (size_t)got);
        done += (uint32_t)got;
    }
    reader->probed = number;
    reader->is_sound = is_sound;
    return is_sound;
}

/* Reads up to the end of a page at most. */
static ssize_t read_page(struct aff_reader *reader, uint64_t offset, void *into, size_t len)
{
    const uint32_t size = reader->aff.page_size;
    const struct aff3_page *page = aff3_find(&reader->aff, offset / size);

    if (!page || page->packing != AFF_LZMA)
        return reader->inner.read(reader->inner.state, offset, into, len);
    if (!reader->lzma.read || !probe_page(reader, page->number)) {
        errno = EIO;
        return -1;
    }
    if (len > size - offset % size)
        len = (size_t)(size - offset % size);
    return reader->lzma.read(reader->lzma.state, offset, into, len);
}

/* ---- lost ranges ---- */

static int add_lost(struct aff_reader *reader, uint64_t start, uint64_t len)
{
    if (len == 0 || ranges_overlap(&reader->known, start, len) == len)
        return 0;
    return ranges_insert(&reader->known, start, len) || ranges_add(&reader->lost, start, len) ? -1 : 0;
}

/* Adds the missing pages, and those that cannot be decompressed. */
static int find_lost(struct aff_reader *reader)
{
    const struct aff3 *aff = &reader->aff;
    uint64_t next = 0;

    if (aff->is_doubtful)
        return add_lost(reader, 0, aff->size);
    for (size_t i = 0; i < aff->page_count; i++) {
        const struct aff3_page *page = &aff->pages[i];

        if (page->packing == AFF_LZMA && !reader->lzma.read)
            continue;
        if (add_lost(reader, next * aff->page_size, (page->number - next) * aff->page_size))
            return -1;
        next = page->number + 1;
    }
    return next < aff3_page_total(aff)
               ? add_lost(reader, next * aff->page_size, aff->size - next * aff->page_size)
               : 0;
}

/* Returns whether a sector is filled with the marker for unreadable sectors; part: the bytes already read. */
static bool is_flagged(struct aff_reader *reader, uint64_t start, const uint8_t *part, uint64_t from,
                       size_t len)
{
    const uint32_t size = reader->aff.sector_size;
    size_t got = 0;

    if (memcmp(part, reader->aff.bad_flag + (from - start), len) != 0)
        return false;
    while (len < size && got < size) {
        const ssize_t more = read_page(reader, start + got, reader->sector + got, size - got);

        if (more <= 0)
            return false;
        got += (size_t)more;
    }
    return len == size || memcmp(reader->sector, reader->aff.bad_flag, size) == 0;
}

/* Adds those sectors just read that the acquisition could not read. */
static int note_flagged(struct aff_reader *reader, uint64_t offset, const uint8_t *data, size_t len)
{
    const uint32_t size = reader->aff.sector_size;

    for (size_t done = 0; reader->aff.bad_flag && done < len;) {
        const uint64_t from = offset + done, start = from - from % size;
        const size_t left = (size_t)(start + size - from), part = left < len - done ? left : len - done;

        if (is_flagged(reader, start, data + done, from, part) && add_lost(reader, start, size))
            return -1;
        done += part;
    }
    return 0;
}

/* ---- the backend ---- */

static ssize_t aff_read(void *state, uint64_t offset, void *into, size_t len)
{
    struct aff_reader *reader = state;
    const ssize_t got = read_page(reader, offset, into, len);

    if (got > 0 && note_flagged(reader, offset, into, (size_t)got)) {
        errno = ENOMEM;
        return -1;
    }
    return got;
}

static size_t aff_lost(void *state, size_t from, uint64_t *offset, uint64_t *len)
{
    const struct aff_reader *reader = state;

    if (from >= reader->lost.count)
        return 0;
    *offset = reader->lost.list[from].start;
    *len = reader->lost.list[from].len;
    return 1;
}

static const char *aff_damages(void *state)
{
    return ((struct aff_reader *)state)->aff.damages.data;
}

static void aff_release(void *state)
{
    struct aff_reader *reader = state;

    if (reader->inner.close)
        reader->inner.close(reader->inner.state);
    if (reader->lzma.close)
        reader->lzma.close(reader->lzma.state);
    free(reader->probe);
    free(reader->sector);
    ranges_release(&reader->lost);
    ranges_release(&reader->known);
    aff3_close(&reader->aff);
    free(reader);
}

static int prepare(struct aff_reader *reader, char *path, bool force, struct error *err)
{
    const struct mapped mapped = {.size = reader->aff.size,
                                  .block_size = reader->aff.page_size,
                                  .form = DEFLATE_ZLIB,
                                  .has_packed = true,
                                  .is_exact = true,
                                  .find = find_page,
                                  .close = leave_open,
                                  .map = reader};
    char *const paths[] = {path, NULL};

    reader->probed = NO_PAGE;
    reader->probe = malloc(PROBE);
    reader->sector = malloc(reader->aff.sector_size);
    if (!reader->probe || !reader->sector)
        return error_set(err, "%s: out of memory", path);
    if (mapped_open(&reader->inner, &mapped, err))
        return -1;
    if (reader->aff.has_lzma && backend_tsk_open(&reader->lzma, paths, 1, "afflib", err) && !force)
        return -1;
    return find_lost(reader) ? error_set(err, "%s: out of memory", path) : 0;
}

int backend_aff_open(struct backend *backend, char *path, bool force, struct error *err)
{
    struct aff_reader *reader = calloc(1, sizeof *reader);

    if (!reader)
        return error_set(err, "%s: out of memory", path);
    if (aff3_open(&reader->aff, path, force, err)) {
        free(reader);
        return -1;
    }
    if (prepare(reader, path, force, err)) {
        aff_release(reader);
        return -1;
    }
    *backend = (struct backend){.size = reader->aff.size,
                                .sector_size = reader->aff.sector_size,
                                .piece = reader->aff.page_size,
                                .read = aff_read,
                                .bad = aff_lost,
                                .damages = aff_damages,
                                .close = aff_release,
                                .state = reader,
                                .stored = reader->aff.stored};
    return 0;
}
