/* SPDX-License-Identifier: Apache-2.0 */
#include "medium.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "segments.h"

const char *const medium_types = "raw ewf aff afd afm afflib vmdk vhd";

enum {
    SMALLEST_READ = 4096, /* around a bad place: what is read at once to find out how far it goes */
    MAX_BAD = 1 << 16,    /* stretches; after that the last one swallows what comes */
};

struct medium {
    struct backend backend;
    const char *format;
    struct medium_range *bad;
    size_t bad_count, bad_room;
    size_t told; /* stretches that the backend told of */
    uint64_t bytes_read;
};

/* ---- files ---- */

void medium_files_free(char **files)
{
    for (char **at = files; files && *at; at++)
        free(*at);
    free(files);
}

static char **copy_list(char *const *list, size_t count, struct error *err)
{
    char **copy = calloc(count + 1, sizeof *copy);

    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = strdup(list[i]);
        if (!copy[i]) {
            medium_files_free(copy);
            copy = NULL;
        }
    }
    if (!copy)
        error_set(err, "out of memory");
    return copy;
}

char **medium_files(const char *path, const char *type, size_t *count, struct error *err)
{
    struct segments segments;
    char **files = NULL;
    int is_ewf = type && strcmp(type, "ewf") != 0 ? 0 : backend_ewf_files(path, &files, count, err);

    if (is_ewf)
        return is_ewf > 0 ? files : NULL;
    if (segments_find(&segments, path, err))
        return NULL;
    files = copy_list(segments.paths, segments.count, err);
    *count = segments.count;
    segments_release(&segments);
    return files;
}

/* ---- opening ---- */

struct medium *medium_new(const struct backend *backend, const char *format, struct error *err)
{
    struct medium *medium = calloc(1, sizeof *medium);

    if (!medium) {
        error_set(err, "out of memory");
        backend->close(backend->state);
        return NULL;
    }
    medium->backend = *backend;
    medium->format = format;
    if (medium->backend.sector_size < 512)
        medium->backend.sector_size = 512;
    return medium;
}

struct medium *medium_open_fd(int fd, const char *name, struct error *err)
{
    struct backend backend = {0};

    return backend_raw_fd(&backend, fd, name, err) ? NULL : medium_new(&backend, "raw", err);
}

/* Reads a stretch, as much as there is. */
static size_t read_some(const struct backend *backend, uint64_t offset, uint8_t *into, size_t len)
{
    size_t done = 0;

    while (done < len) {
        ssize_t got = backend->read(backend->state, offset + done, into + done, len - done);

        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

static struct format_verdict identify(const struct backend *raw)
{
    uint8_t *head = malloc(FORMAT_HEAD + FORMAT_TAIL), *tail = head + FORMAT_HEAD;
    struct format_verdict verdict = {.format = FORMAT_RAW, .name = "raw"};
    uint64_t tail_at = raw->size > FORMAT_TAIL ? raw->size - FORMAT_TAIL : 0;

    if (head) {
        size_t head_len = read_some(raw, 0, head, FORMAT_HEAD), tail_len = read_some(raw, tail_at, tail, FORMAT_TAIL);

        verdict = format_container(head, head_len, tail, tail_len, raw->size);
    }
    free(head);
    return verdict;
}

static const char *tsk_type(enum format format)
{
    switch (format) {
    case FORMAT_AFF:
        return "afflib";
    case FORMAT_VMDK:
        return "vmdk";
    default:
        return "vhd";
    }
}

static struct medium *open_as(char *const *files, size_t count, const char *type, const char *name, struct error *err)
{
    struct backend backend = {0};
    int failed;

    if (strcmp(type, "raw") == 0)
        failed = backend_raw_open(&backend, files, count, err);
    else if (strcmp(type, "ewf") == 0)
        failed = backend_ewf_open(&backend, files, count, err);
    else
        failed = backend_tsk_open(&backend, files, count, type, err);
    return failed ? NULL : medium_new(&backend, name, err);
}

struct medium *medium_open(char *const *files, size_t count, const char *type, struct error *err)
{
    struct backend raw = {0};
    struct format_verdict verdict;

    if (type)
        return open_as(files, count, type, type, err);
    if (backend_raw_open(&raw, files, count, err))
        return NULL;
    verdict = identify(&raw);
    if (verdict.format == FORMAT_RAW)
        return medium_new(&raw, verdict.name, err);
    raw.close(raw.state);
    if (verdict.format == FORMAT_REFUSED) {
        error_set(err, "%s: is a %s image, which cannot be read as it is; %s", files[0], verdict.name, verdict.advice);
        return NULL;
    }
    return open_as(files, count, verdict.format == FORMAT_EWF ? "ewf" : tsk_type(verdict.format), verdict.name, err);
}

void medium_close(struct medium *medium)
{
    if (!medium)
        return;
    medium->backend.close(medium->backend.state);
    free(medium->bad);
    free(medium);
}

uint64_t medium_size(const struct medium *medium)
{
    return medium->backend.size;
}

uint32_t medium_sector_size(const struct medium *medium)
{
    return medium->backend.sector_size;
}

const char *medium_format(const struct medium *medium)
{
    return medium->format;
}

const struct digest_values *medium_stored(const struct medium *medium)
{
    return &medium->backend.stored;
}

uint64_t medium_bytes_read(const struct medium *medium)
{
    return medium->bytes_read;
}

/* ---- what is bad ---- */

static bool join(struct medium_range *range, uint64_t start, uint64_t len)
{
    uint64_t end = range->start + range->len;

    if (start > end || start + len < range->start)
        return false;
    if (start + len > end)
        end = start + len;
    if (start < range->start)
        range->start = start;
    range->len = end - range->start;
    return true;
}

static void note_bad(struct medium *medium, uint64_t start, uint64_t len)
{
    for (size_t i = medium->bad_count; i-- > 0 && i + 64 > medium->bad_count;)
        if (join(&medium->bad[i], start, len))
            return;
    if (medium->bad_count == medium->bad_room) {
        size_t room = medium->bad_room ? medium->bad_room * 2 : 16;
        struct medium_range *bad = room <= MAX_BAD ? realloc(medium->bad, room * sizeof *bad) : NULL;

        if (!bad) { /* too many: better too wide than too narrow */
            if (medium->bad_count)
                join(&medium->bad[medium->bad_count - 1], medium->bad[medium->bad_count - 1].start,
                     start + len - medium->bad[medium->bad_count - 1].start);
            return;
        }
        medium->bad = bad;
        medium->bad_room = room;
    }
    medium->bad[medium->bad_count++] = (struct medium_range){start, len};
}

static void ask_backend(struct medium *medium)
{
    uint64_t start = 0, len = 0;

    if (!medium->backend.bad)
        return;
    while (medium->backend.bad(medium->backend.state, medium->told, &start, &len)) {
        medium->told++;
        note_bad(medium, start, len);
    }
}

const struct medium_range *medium_bad(const struct medium *medium, size_t *count)
{
    *count = medium->bad_count;
    return medium->bad;
}

uint64_t medium_bad_bytes(const struct medium *medium, uint64_t offset, uint64_t len)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < medium->bad_count; i++) {
        const struct medium_range *bad = &medium->bad[i];
        uint64_t from = bad->start > offset ? bad->start : offset;
        uint64_t to = bad->start + bad->len < offset + len ? bad->start + bad->len : offset + len;

        if (from < to)
            sum += to - from;
    }
    return sum;
}

/* ---- reading ---- */

/* Behind a place that cannot be read the next one is tried, piece by piece. */
static void read_around(struct medium *medium, uint64_t offset, uint8_t *into, size_t len)
{
    while (len > 0) {
        size_t piece = SMALLEST_READ - (size_t)(offset % SMALLEST_READ), got;

        if (piece > len)
            piece = len;
        got = read_some(&medium->backend, offset, into, piece);
        if (got < piece) {
            memset(into + got, 0, piece - got);
            note_bad(medium, offset + got, piece - got);
        }
        offset += piece;
        into += piece;
        len -= piece;
    }
}

void medium_read(struct medium *medium, uint64_t offset, void *into, size_t len)
{
    uint8_t *at = into;
    size_t there = offset >= medium->backend.size                  ? 0
                   : len > medium->backend.size - offset ? (size_t)(medium->backend.size - offset)
                                                         : len;
    size_t got = read_some(&medium->backend, offset, at, there);

    medium->bytes_read += there;
    if (got < there)
        read_around(medium, offset + got, at + got, there - got);
    if (there < len) {
        memset(at + there, 0, len - there);
        note_bad(medium, offset + there, len - there);
    }
    ask_backend(medium);
}
