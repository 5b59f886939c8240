/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <libewf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend.h"

/* ---- the files of a set ---- */

/* Where the number stands in a name like x.E01, x.s01, x.Ex01, and whether it is the first one's; 0: no such
 * name. */
static size_t number_at(const char *path, int *is_first)
{
    size_t len = strlen(path);
    const char *dot = strrchr(path, '.'), *number;

    if (!dot || strchr(dot, '/'))
        return 0;
    number = dot + (dot[1] && (dot[2] == 'x' || dot[2] == 'X') ? 3 : 2);
    if (!strchr("eEsSlL", dot[1]) || number + 2 != path + len || number[0] < '0' || number[0] > '9' ||
        number[1] < '0' || number[1] > '9')
        return 0;
    *is_first = strcmp(number, "01") == 0;
    return (size_t)(number - path);
}

static int is_later(const char *path, size_t at, struct error *err)
{
    char *first = strdup(path);
    int there;

    if (!first)
        return error_set(err, "out of memory");
    memcpy(first + at, "01", 2);
    there = access(first, F_OK) == 0;
    if (there)
        error_set(err, "%s: is a later segment of a split image; name the first one, %s", path, first);
    free(first);
    return there ? -1 : 0;
}

int backend_ewf_files(const char *path, char ***files, size_t *count, struct error *err)
{
    int is_first = 0, globbed = 0;
    size_t at = number_at(path, &is_first);
    char **names = NULL;

    if (at == 0)
        return 0;
    if (!is_first && is_later(path, at, err))
        return -1;
    if (!is_first || libewf_glob(path, strlen(path), LIBEWF_FORMAT_UNKNOWN, &names, &globbed, NULL) != 1 ||
        globbed < 1)
        return 0;
    *files = calloc((size_t)globbed + 1, sizeof **files);
    for (int i = 0; *files && i < globbed; i++)
        (*files)[i] = strdup(names[i]);
    libewf_glob_free(names, globbed, NULL);
    *count = (size_t)globbed;
    return *files ? 1 : error_set(err, "out of memory");
}

/* ---- reading ---- */

/*
 * E01 and its kin, by libewf itself and not through libtsk: libewf fills a chunk whose checksum is wrong with
 * zeros and calls that a success; which chunks those were must be asked for.
 */
static ssize_t ewf_read(void *state, uint64_t offset, void *into, size_t len)
{
    ssize_t got = libewf_handle_read_random(state, into, len, (off64_t)offset, NULL);

    if (got < 0)
        errno = EIO;
    return got;
}

static size_t ewf_bad(void *state, size_t from, uint64_t *offset, uint64_t *len)
{
    uint32_t count = 0, bytes = 0;
    uint64_t first = 0, sectors = 0;

    if (libewf_handle_get_number_of_checksum_errors(state, &count, NULL) != 1 || from >= count ||
        libewf_handle_get_bytes_per_sector(state, &bytes, NULL) != 1 ||
        libewf_handle_get_checksum_error(state, (uint32_t)from, &first, &sectors, NULL) != 1)
        return 0;
    if (bytes && (first > INT64_MAX / bytes || sectors > INT64_MAX / bytes))
        return 0;
    *offset = first * bytes;
    *len = sectors * bytes;
    return 1;
}

static void ewf_close(void *state)
{
    libewf_handle_t *handle = state;

    libewf_handle_close(handle, NULL);
    libewf_handle_free(&handle, NULL);
}

/* libewf's text may hold names: it is shown escaped, as every message. */
static int ewf_error(struct error *err, const char *path, libewf_error_t *cause)
{
    char text[1024] = "libewf does not tell why";

    if (cause)
        libewf_error_sprint(cause, text, sizeof text);
    libewf_error_free(&cause);
    return error_set(err, "%s: cannot be opened as an E01 image: %s", path, text);
}

static void read_facts(struct backend *backend, libewf_handle_t *handle)
{
    size64_t size = 0;
    uint32_t sector = 0;
    size32_t chunk = 0;

    if (libewf_handle_get_media_size(handle, &size, NULL) == 1 && size <= INT64_MAX)
        backend->size = size;
    if (libewf_handle_get_bytes_per_sector(handle, &sector, NULL) == 1 && sector >= 512 && sector <= 65536)
        backend->sector_size = sector;
    if (libewf_handle_get_chunk_size(handle, &chunk, NULL) == 1 && chunk >= 512 && chunk <= 1 << 27)
        backend->piece = chunk;
    if (libewf_handle_get_md5_hash(handle, backend->stored.bytes[DIGEST_MD5], DIGEST_MD5_LEN, NULL) == 1)
        backend->stored.kinds |= DIGEST_BIT(DIGEST_MD5);
    if (libewf_handle_get_sha1_hash(handle, backend->stored.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN, NULL) == 1)
        backend->stored.kinds |= DIGEST_BIT(DIGEST_SHA1);
}

int backend_ewf_open(struct backend *backend, char *const *paths, size_t count, struct error *err)
{
    libewf_handle_t *handle = NULL;
    libewf_error_t *cause = NULL;

    if (libewf_handle_initialize(&handle, &cause) != 1)
        return ewf_error(err, paths[0], cause);
    if (libewf_handle_open(handle, paths, (int)count, libewf_get_access_flags_read(), &cause) != 1) {
        libewf_handle_free(&handle, NULL);
        return ewf_error(err, paths[0], cause);
    }
    *backend = (struct backend){
        .sector_size = 512, .read = ewf_read, .bad = ewf_bad, .close = ewf_close, .state = handle};
    read_facts(backend, handle);
    return 0;
}
