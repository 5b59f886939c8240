/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <libewf.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "disk/backend.h"

/*
 * The variant of EWF that ewf.c does not support (Ex01), read by libewf itself rather than through libtsk.
 * libewf fills a chunk with a wrong checksum with zeros and reports success; which chunks those were must be
 * asked for.  A chunk that it cannot read at all fails once and is zeros from then on, so these are
 * remembered.  But libewf does not report which chunks no table lists, whether a segment is missing or occurs
 * twice, or whether a table was altered.  An Ex01 is therefore read only with force, and with a warning.
 */
struct libewf_reader {
    libewf_handle_t *handle;
    uint64_t chunk_size;
    uint64_t *failed; /* chunks, in the order in which they failed */
    size_t failed_count, failed_room;
};

static bool has_failed(const struct libewf_reader *reader, uint64_t chunk)
{
    for (size_t i = 0; i < reader->failed_count; i++)
        if (reader->failed[i] == chunk)
            return true;
    return false;
}

/* If there is no memory to record it, every read fails from then on. */
static void add_failed(struct libewf_reader *reader, uint64_t chunk)
{
    if (array_reserve(&reader->failed, &reader->failed_room, reader->failed_count + 1))
        reader->chunk_size = 0;
    else
        reader->failed[reader->failed_count++] = chunk;
}

/* Reads up to the end of a chunk at most. */
static ssize_t ewf_read(void *state, uint64_t offset, void *into, size_t len)
{
    struct libewf_reader *reader = state;
    const uint64_t chunk = reader->chunk_size ? offset / reader->chunk_size : 0;
    ssize_t got = -1;

    if (reader->chunk_size && !has_failed(reader, chunk)) {
        if (len > reader->chunk_size - offset % reader->chunk_size)
            len = (size_t)(reader->chunk_size - offset % reader->chunk_size);
        got = libewf_handle_read_random(reader->handle, into, len, (off64_t)offset, NULL);
        if (got < 0)
            add_failed(reader, chunk);
    }
    if (got < 0)
        errno = EIO;
    return got;
}

static size_t ewf_bad(void *state, size_t from, uint64_t *offset, uint64_t *len)
{
    const struct libewf_reader *reader = state;
    uint32_t count = 0, bytes = 0;
    uint64_t first = 0, sectors = 0;

    if (libewf_handle_get_number_of_checksum_errors(reader->handle, &count, NULL) != 1 || from >= count ||
        libewf_handle_get_bytes_per_sector(reader->handle, &bytes, NULL) != 1 ||
        libewf_handle_get_checksum_error(reader->handle, (uint32_t)from, &first, &sectors, NULL) != 1)
        return 0;
    if (bytes && (first > INT64_MAX / bytes || sectors > INT64_MAX / bytes))
        return 0;
    *offset = first * bytes;
    *len = sectors * bytes;
    return 1;
}

static const char *ewf_damages(void *state)
{
    (void)state;
    return "Ex01 image, read by libewf, which returns zeros for missing parts without reporting them: "
           "compare its digests with the stored ones "
           "(--hash-image)\n";
}

static void ewf_close(void *state)
{
    struct libewf_reader *reader = state;

    if (reader->handle) {
        libewf_handle_close(reader->handle, NULL);
        libewf_handle_free(&reader->handle, NULL);
    }
    free(reader->failed);
    free(reader);
}

/* libewf's text may contain names; like every message it is escaped when shown. */
static int ewf_error(struct error *err, const char *path, libewf_error_t *cause)
{
    char text[1024] = "libewf gives no reason";

    if (cause)
        libewf_error_sprint(cause, text, sizeof text);
    libewf_error_free(&cause);
    return error_set(err, "%s: cannot be opened as an EWF image: %s", path, text);
}

static void read_digests(struct backend *backend, libewf_handle_t *handle)
{
    struct digest_values *stored = &backend->stored;

    if (libewf_handle_get_md5_hash(handle, stored->bytes[DIGEST_MD5], DIGEST_MD5_LEN, NULL) == 1)
        stored->kinds |= DIGEST_BIT(DIGEST_MD5);
    if (libewf_handle_get_sha1_hash(handle, stored->bytes[DIGEST_SHA1], DIGEST_SHA1_LEN, NULL) == 1)
        stored->kinds |= DIGEST_BIT(DIGEST_SHA1);
}

static int read_facts(struct backend *backend, struct libewf_reader *reader, const char *path,
                      struct error *err)
{
    libewf_handle_t *handle = reader->handle;
    size64_t size = 0;
    uint32_t sector = 0;
    size32_t chunk = 0;

    if (libewf_handle_segment_files_corrupted(handle, NULL) != 0)
        return error_set(err, "%s: libewf reports corrupt segments", path);
    if (libewf_handle_get_media_size(handle, &size, NULL) != 1 || size == 0 || size > INT64_MAX)
        return error_set(err, "%s: the media size is 0 or invalid", path);
    if (libewf_handle_get_bytes_per_sector(handle, &sector, NULL) != 1 || sector < 512 || sector > 65536 ||
        libewf_handle_get_chunk_size(handle, &chunk, NULL) != 1 || chunk < 512 || chunk > 1 << 27)
        return error_set(err, "%s: invalid geometry", path);
    backend->size = size;
    backend->sector_size = sector;
    backend->piece = chunk;
    reader->chunk_size = chunk;
    read_digests(backend, handle);
    return 0;
}

static int open_handle(struct libewf_reader *reader, char *const *paths, size_t count, struct error *err)
{
    libewf_error_t *cause = NULL;

    if (libewf_handle_initialize(&reader->handle, &cause) != 1)
        return ewf_error(err, paths[0], cause);
    if (libewf_handle_open(reader->handle, paths, (int)count, libewf_get_access_flags_read(), &cause) == 1)
        return 0;
    libewf_handle_free(&reader->handle, NULL);
    return ewf_error(err, paths[0], cause);
}

int backend_libewf_open(struct backend *backend, char *const *paths, size_t count, bool force,
                        struct error *err)
{
    struct libewf_reader *reader = force ? calloc(1, sizeof *reader) : NULL;

    if (!force)
        return error_set(err,
                         "%s: Ex01 images are read by libewf, which returns zeros for missing parts without "
                         "reporting them; use --force to read it anyway, or convert it to E01",
                         paths[0]);
    if (!reader)
        return error_set(err, "%s: out of memory", paths[0]);
    *backend = (struct backend){.sector_size = 512,
                                .read = ewf_read,
                                .bad = ewf_bad,
                                .damages = ewf_damages,
                                .close = ewf_close,
                                .state = reader};
    if (open_handle(reader, paths, count, err) == 0 && read_facts(backend, reader, paths[0], err) == 0)
        return 0;
    ewf_close(reader);
    return -1;
}
