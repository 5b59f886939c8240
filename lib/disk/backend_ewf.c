/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/ranges.h"
#include "disk/backend.h"
#include "disk/deflate.h"
#include "disk/ewf.h"

/*
 * Reads E01 without libewf, which fills an unreadable chunk with zeros, fails once and then returns the
 * zeros, and opens incomplete sets.  Here a chunk is returned only if its checksum matches; otherwise reading
 * it fails, every time.  S01 is read in the same way.
 */

enum {
    MOST_SLOTS = 16,
    SLOT_BYTES = 4 << 20, /* of all slots together, unless a single chunk is larger */
    CHECKSUM_LEN = 4,
};

static const uint64_t NO_CHUNK = UINT64_MAX;

/* Caches the chunk read last, among those with the same number modulo the number of slots. */
struct ewf_slot {
    uint64_t chunk;
    uint8_t *data;
};

struct ewf_reader {
    struct ewf ewf;
    uint32_t chunk_size;
    uint64_t size;
    unsigned slots;
    struct ewf_slot slot[MOST_SLOTS];
    uint8_t *packed; /* a chunk as stored in the file */
    size_t packed_room;
    struct deflate *deflate;
    struct ranges lost; /* bytes of the medium without a chunk */
};

/* Bytes until the end of the file, which a compressed chunk may not need. */
static size_t bytes_there(const struct ewf_reader *reader, const struct ewf_place *place)
{
    const uint64_t size = reader->ewf.files[place->file].size;
    uint64_t len = place->len;

    if (place->offset >= size)
        return 0;
    if (len > size - place->offset)
        len = size - place->offset;
    return len < reader->packed_room ? (size_t)len : reader->packed_room;
}

static int read_plain(struct ewf_reader *reader, const struct ewf_place *place, uint8_t *into, size_t len)
{
    uint8_t sum[CHECKSUM_LEN];

    if (ewf_read_at(&reader->ewf, place->file, place->offset, into, len) ||
        ewf_read_at(&reader->ewf, place->file, place->offset + len, sum, sizeof sum))
        return -1;
    return deflate_checksum(into, len) == bytes_load32(sum) ? 0 : -1;
}

static int read_packed(struct ewf_reader *reader, const struct ewf_place *place, uint8_t *into, size_t len)
{
    const size_t packed_len = bytes_there(reader, place);

    if (ewf_read_at(&reader->ewf, place->file, place->offset, reader->packed, packed_len))
        return -1;
    return deflate_unpack(reader->deflate, reader->packed, packed_len, into, len) == (long)len ? 0 : -1;
}

/* In S01 every chunk is a zlib stream, whether or not it is marked as compressed. */
static int read_chunk(struct ewf_reader *reader, uint64_t chunk, uint8_t *into, size_t len)
{
    struct ewf_place place;

    if (!ewf_find(&reader->ewf, chunk, &place))
        return -1;
    if (!place.compressed && read_plain(reader, &place, into, len) == 0)
        return 0;
    return place.compressed || reader->ewf.is_smart ? read_packed(reader, &place, into, len) : -1;
}

static const uint8_t *cached(struct ewf_reader *reader, uint64_t chunk, size_t len)
{
    struct ewf_slot *slot = &reader->slot[chunk % reader->slots];

    if (slot->chunk == chunk)
        return slot->data;
    slot->chunk = NO_CHUNK;
    if (read_chunk(reader, chunk, slot->data, len)) {
        errno = EIO;
        return NULL;
    }
    slot->chunk = chunk;
    return slot->data;
}

/* Reads up to the end of a chunk at most. */
static ssize_t ewf_read(void *state, uint64_t offset, void *into, size_t len)
{
    struct ewf_reader *reader = state;
    const uint64_t chunk = offset / reader->chunk_size, start = chunk * reader->chunk_size;
    const size_t from = (size_t)(offset - start), chunk_len = reader->size - start < reader->chunk_size
                                                                  ? (size_t)(reader->size - start)
                                                                  : reader->chunk_size;
    const uint8_t *data;

    if (offset >= reader->size)
        return 0;
    if (len > chunk_len - from)
        len = chunk_len - from;
    if (len == chunk_len && reader->slot[chunk % reader->slots].chunk != chunk) {
        if (read_chunk(reader, chunk, into, len) == 0)
            return (ssize_t)len;
        errno = EIO;
        return -1;
    }
    data = cached(reader, chunk, chunk_len);
    if (!data)
        return -1;
    memcpy(into, data + from, len);
    return (ssize_t)len;
}

static void ewf_release(void *state)
{
    struct ewf_reader *reader = state;

    deflate_free(reader->deflate);
    for (unsigned i = 0; i < MOST_SLOTS; i++)
        free(reader->slot[i].data);
    free(reader->packed);
    ranges_release(&reader->lost);
    ewf_close_set(&reader->ewf);
    free(reader);
}

static const char *ewf_damages(void *state)
{
    const struct ewf_reader *reader = state;

    return reader->ewf.damages.data;
}

static size_t ewf_lost(void *state, size_t from, uint64_t *offset, uint64_t *len)
{
    const struct ewf_reader *reader = state;

    if (from >= reader->lost.count)
        return 0;
    *offset = reader->lost.list[from].start;
    *len = reader->lost.list[from].len;
    return 1;
}

/* The last chunk may be shorter. */
static int add_lost(struct ewf_reader *reader, uint64_t chunk, uint64_t count)
{
    const uint64_t start = chunk * reader->chunk_size, left = reader->size - start,
                   len = count * reader->chunk_size;

    return count ? ranges_add(&reader->lost, start, left < len ? left : len) : 0;
}

/* Collects the sectors that the acquisition could not read, and chunks that no table lists or that would lie
 * beyond the end of their file, which only happens in a damaged set. */
static int find_lost(struct ewf_reader *reader)
{
    const struct ewf *ewf = &reader->ewf;
    struct ewf_place place;
    uint64_t next = 0;

    for (size_t i = 0; i < ewf->unread.count; i++)
        if (ranges_add(&reader->lost, ewf->unread.list[i].start * ewf->sector_size,
                       ewf->unread.list[i].len * ewf->sector_size))
            return -1;
    if (ewf->damages.len == 0)
        return 0;
    for (size_t run = 0; run < ewf->run_count; run++) {
        if (add_lost(reader, next, ewf->runs[run].first - next))
            return -1;
        for (next = ewf->runs[run].first; next < ewf->runs[run].first + ewf->runs[run].count; next++)
            if (ewf_find(ewf, next, &place) && place.offset >= ewf->files[place.file].size &&
                add_lost(reader, next, 1))
                return -1;
    }
    return add_lost(reader, next, ewf->chunk_count - next);
}

/* Allocates all memory needed for reading, so that running out of it is not mistaken for damage. */
static bool prepare(struct ewf_reader *reader)
{
    struct buffer *damages = &reader->ewf.damages;
    bool ready = true;

    reader->chunk_size = ewf_chunk_size(&reader->ewf);
    reader->size = ewf_media_size(&reader->ewf);
    reader->slots = SLOT_BYTES / reader->chunk_size;
    reader->slots = reader->slots < 1 ? 1 : reader->slots > MOST_SLOTS ? MOST_SLOTS : reader->slots;
    for (unsigned i = 0; i < reader->slots && ready; i++) {
        reader->slot[i] = (struct ewf_slot){NO_CHUNK, malloc(reader->chunk_size)};
        ready = reader->slot[i].data != NULL;
    }
    reader->packed_room = deflate_bound(reader->chunk_size) + 64;
    reader->packed = malloc(reader->packed_room);
    reader->deflate = deflate_new(DEFLATE_ZLIB);
    ready = ready && find_lost(reader) == 0;
    buffer_add_char(damages, '\0');
    return ready && reader->packed && reader->deflate && !damages->failed;
}

int backend_ewf_open(struct backend *backend, char *const *paths, size_t count, struct content *content,
                     bool force, struct error *err)
{
    struct ewf_reader *reader = calloc(1, sizeof *reader);

    if (!reader)
        return error_set(err, "%s: out of memory", paths[0]);
    if (ewf_open_set(&reader->ewf, paths, count, content, force, err)) {
        free(reader);
        return -1;
    }
    if (!prepare(reader)) {
        ewf_release(reader);
        return error_set(err, "%s: out of memory", paths[0]);
    }
    *backend = (struct backend){.size = reader->size,
                                .sector_size = reader->ewf.sector_size,
                                .piece = reader->chunk_size,
                                .read = ewf_read,
                                .bad = ewf_lost,
                                .close = ewf_release,
                                .damages = ewf_damages,
                                .state = reader,
                                .stored = reader->ewf.stored};
    return 0;
}
