/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/medium.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/path.h"
#include "disk/ewf_names.h"
#include "disk/format.h"
#include "disk/segments.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

const char *const medium_types[] = {"raw",  "ewf", "aff",   "afd", "afm", "afflib",
                                    "vmdk", "vhd", "qcow2", "vdi", NULL};

enum {
    SMALLEST_READ = 4096, /* granularity of reads around a bad position, to find its extent */
    MAX_BAD = 1 << 16,    /* ranges; after that, new ones are merged into their neighbours */
};

struct medium {
    struct backend backend;
    const char *format;
    struct ranges bad;     /* sorted */
    struct ranges news;    /* added since they were last requested */
    struct ranges lost;    /* known when it was opened */
    size_t reported;       /* ranges received from the backend */
    uint64_t reported_len; /* length of the last one, which may have grown since */
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
    int is_ewf = type && strcmp(type, "ewf") != 0 ? 0 : ewf_names_find(path, &files, count, err);

    if (is_ewf)
        return is_ewf > 0 ? files : NULL;
    if (segments_find(&segments, path, err))
        return NULL;
    files = copy_list(segments.paths, segments.count, err);
    *count = segments.count;
    segments_release(&segments);
    return files;
}

/* ---- names ---- */

static bool has_extension(const char *path, const char *const *extensions)
{
    const char *dot = strrchr(path, '.');

    while (dot && *extensions && strcasecmp(dot, *extensions) != 0)
        extensions++;
    return dot && *extensions;
}

/* Raw images never have these extensions. */
static const char *const containers[] = {".aff", ".qcow2", ".vdi", ".vhdx", NULL};

static bool is_numbered_ewf(const char *path)
{
    const unsigned segment = ewf_names_number(path);

    return segment > 0 && segment <= 99;
}

bool medium_is_named_image(const char *path)
{
    static const char *const others[] = {".dd",  ".raw",  ".img", ".iso",  ".000", ".001", ".vmdk",
                                         ".vhd", ".qcow", ".dmg", ".aff4", ".ad1", NULL};

    return is_numbered_ewf(path) || has_extension(path, containers) || has_extension(path, others);
}

/* x-flat.vmdk, x-f001.vmdk, x-s001.vmdk and the like: extents that x.vmdk lists. */
static bool is_named_extent(const char *suffix)
{
    static const char *const kinds[] = {"-flat.vmdk", "-delta.vmdk", "-sesparse.vmdk", NULL};
    const char c = suffix[1];
    const size_t digits = c == 'f' || c == 's' ? strspn(suffix + 2, "0123456789") : 0;

    for (const char *const *kind = kinds; *kind; kind++)
        if (strcasecmp(suffix, *kind) == 0)
            return true;
    return digits > 0 && strcasecmp(suffix + 2 + digits, ".vmdk") == 0;
}

static bool is_extent(const char *path)
{
    const char *suffix = strrchr(path, '-');
    struct stat st;
    char *list;
    bool found;

    if (!suffix || !is_named_extent(suffix) ||
        asprintf(&list, "%.*s%s", (int)(suffix - path), path, strrchr(suffix, '.')) < 0)
        return false;
    found = stat(list, &st) == 0;
    free(list);
    return found;
}

/* Adds a path, unless it is NULL; -1 if out of memory. */
static int add_path(char ***list, size_t *count, char *path)
{
    char **grown = path ? realloc(*list, (*count + 2) * sizeof *grown) : NULL;

    if (!grown) {
        free(path);
        return -1;
    }
    grown[(*count)++] = path;
    grown[*count] = NULL;
    *list = grown;
    return 0;
}

char **medium_named_extents(const char *path, size_t *count, struct error *err)
{
    static const char *const vmdk[] = {".vmdk", NULL};
    const char *name = path_last(path), *dot = strrchr(name, '.');
    const size_t stem = dot ? (size_t)(dot - name) : 0;
    char *folder = path_folder(path), **list = calloc(1, sizeof *list);
    DIR *dir = folder && stem && has_extension(path, vmdk) ? opendir(folder) : NULL;
    const struct dirent *entry;
    int failed = !folder || !list;

    *count = 0;
    while (dir && !failed && (entry = readdir(dir)))
        if (strncmp(entry->d_name, name, stem) == 0 && entry->d_name[stem] == '-' &&
            is_named_extent(entry->d_name + stem))
            failed = add_path(&list, count, path_beside(path, entry->d_name));
    if (dir)
        closedir(dir);
    free(folder);
    if (!failed)
        return list;
    medium_files_free(list);
    error_set(err, "%s: out of memory", path);
    return NULL;
}

bool medium_is_part(const char *path)
{
    return is_extent(path) || ewf_names_is_later(path) || segments_is_later(path);
}

/* ---- opening ---- */

static void ask_backend(struct medium *medium);

/* Keeps what the backend knows to be lost before anything has been read. */
static int keep_lost(struct medium *medium)
{
    struct ranges *lost = &medium->lost;

    ask_backend(medium);
    if (medium->bad.count == 0)
        return 0;
    lost->list = malloc(medium->bad.count * sizeof *lost->list);
    if (!lost->list)
        return -1;
    memcpy(lost->list, medium->bad.list, medium->bad.count * sizeof *lost->list);
    lost->count = lost->room = medium->bad.count;
    return 0;
}

struct medium *medium_new(const struct backend *backend, const char *format, struct error *err)
{
    struct medium *medium = memory_new(sizeof *medium, err);

    if (!medium) {
        backend->close(backend->state);
        return NULL;
    }
    medium->backend = *backend;
    medium->format = format;
    if (medium->backend.sector_size < 512)
        medium->backend.sector_size = 512;
    if (ranges_reserve(&medium->bad) == 0 && ranges_reserve(&medium->news) == 0 && keep_lost(medium) == 0)
        return medium;
    error_set(err, "out of memory");
    medium_close(medium);
    return NULL;
}

struct medium *medium_open_fd(int fd, const char *name, struct error *err)
{
    struct backend backend = {0};

    return backend_raw_fd(&backend, fd, name, err) ? NULL : medium_new(&backend, "raw", err);
}

/* Reads as much of a range as possible. */
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
    uint8_t *head = malloc(FORMAT_HEAD), *tail = malloc(FORMAT_TAIL);
    struct format_verdict verdict = {.format = FORMAT_RAW, .name = "raw"};
    uint64_t tail_at = raw->size > FORMAT_TAIL ? raw->size - FORMAT_TAIL : 0;

    if (head && tail) {
        size_t head_len = read_some(raw, 0, head, FORMAT_HEAD);
        size_t tail_len = read_some(raw, tail_at, tail, FORMAT_TAIL);

        verdict = format_container(head, head_len, tail, tail_len, raw->size);
    }
    free(head);
    free(tail);
    return verdict;
}

static const char *type_of(enum format format)
{
    switch (format) {
    case FORMAT_RAW:
        return "raw";
    case FORMAT_EWF:
        return "ewf";
    case FORMAT_QCOW2:
        return "qcow2";
    case FORMAT_VDI:
        return "vdi";
    case FORMAT_AFF:
        return "afflib";
    case FORMAT_VMDK:
        return "vmdk";
    default:
        return "vhd";
    }
}

/* A few bytes in a container can claim any size, and searching all of that would take years. */
static int check_size(const struct backend *backend, const char *path, struct error *err)
{
    static const uint64_t most = (uint64_t)1 << 50;

    if (backend->size <= most)
        return 0;
    error_set(err,
              "%s: claims to hold a disk of %" PRIu64 " bytes; more than 1 PiB (%" PRIu64
              " bytes) is treated as damage",
              path, backend->size, most);
    backend->close(backend->state);
    return -1;
}

/* An AFM holds the metadata of raw files next to it. */
static bool is_aff(const char *path, const char *type)
{
    static const char *const others[] = {".afm", NULL};

    return strcmp(type, "aff") == 0 || (strcmp(type, "afflib") == 0 && !has_extension(path, others));
}

static struct medium *open_as(char *const *files, size_t count, const char *type, const char *name,
                              bool force, struct error *err)
{
    struct backend backend = {0};
    int failed;

    if (strcmp(type, "raw") == 0)
        failed = backend_raw_open(&backend, files, count, err);
    else if (strcmp(type, "ewf") == 0 && strcmp(name, "Ex01") == 0)
        failed = backend_libewf_open(&backend, files, count, force, err);
    else if (strcmp(type, "ewf") == 0)
        failed = backend_ewf_open(&backend, files, count, force, err);
    else if (is_aff(files[0], type))
        failed = backend_aff_open(&backend, files[0], force, err);
    else if (strcmp(type, "qcow2") == 0)
        failed = backend_qcow2_open(&backend, files[0], force, err);
    else if (strcmp(type, "vdi") == 0)
        failed = backend_vdi_open(&backend, files[0], force, err);
    else if (strcmp(type, "vmdk") == 0)
        failed = backend_vmdk_open(&backend, files[0], force, err);
    else
        failed = backend_tsk_open(&backend, files, count, type, err);
    if (failed || (strcmp(type, "raw") != 0 && check_size(&backend, files[0], err)))
        return NULL;
    return medium_new(&backend, name, err);
}

static int refuse(const char *path, const struct format_verdict *verdict, struct error *err)
{
    return error_set(err, "%s: unsupported format (%s); %s", path, verdict->name, verdict->advice);
}

/* A damaged signature must not turn a container into a raw image without known content. */
static int check_name(const char *path, struct error *err)
{
    if (has_extension(path, containers))
        return error_set(err,
                         "%s: named like a container, but its signature is damaged or of another format; "
                         "use -i raw to read its bytes as they are",
                         path);
    if (is_numbered_ewf(path))
        return error_set(err,
                         "%s: named like a segment of an EWF image, but its signature is damaged; "
                         "use -i ewf --force to try to read it, or -i raw to read its bytes as they are",
                         path);
    return 0;
}

/* Identifies the files by their signature.  ewf: the user says that they are EWF, whatever the signature. */
static int find_format(char *const *files, size_t count, bool ewf, struct format_verdict *verdict,
                       struct error *err)
{
    struct backend raw = {0};

    if (backend_raw_open(&raw, files, ewf_names_number(files[0]) ? 1 : count, err))
        return -1;
    *verdict = identify(&raw);
    raw.close(raw.state);
    if (ewf && verdict->format != FORMAT_EWF)
        *verdict = (struct format_verdict){FORMAT_EWF, "E01", NULL};
    return verdict->format == FORMAT_REFUSED ? refuse(files[0], verdict, err) : 0;
}

/* "raw" accepts any bytes, and an AFD is a folder, which has no signature. */
static bool has_signature(const char *type)
{
    return strcmp(type, "raw") != 0 && strncmp(type, "af", 2) != 0;
}

/* An unsupported format is refused even if the user specifies its type. */
struct medium *medium_open(char *const *files, size_t count, const char *type, bool force, struct error *err)
{
    const bool ewf = type && strcmp(type, "ewf") == 0;
    struct format_verdict verdict = {.format = FORMAT_RAW};

    if ((!type || has_signature(type)) && find_format(files, count, ewf, &verdict, err))
        return NULL;
    if (type && !ewf)
        return open_as(files, count, type, type, force, err);
    if (verdict.format == FORMAT_RAW && check_name(files[0], err))
        return NULL;
    return open_as(files, count, type_of(verdict.format), verdict.name, force, err);
}

void medium_close(struct medium *medium)
{
    if (!medium)
        return;
    medium->backend.close(medium->backend.state);
    ranges_release(&medium->bad);
    ranges_release(&medium->news);
    ranges_release(&medium->lost);
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

const char *medium_extents(const struct medium *medium, size_t *len)
{
    const char *names = NULL;

    *len = 0;
    if (medium->backend.files)
        names = medium->backend.files(medium->backend.state, len);
    return names ? names : "";
}

const char *medium_damages(const struct medium *medium)
{
    const char *text = medium->backend.damages ? medium->backend.damages(medium->backend.state) : NULL;

    return text ? text : "";
}

uint64_t medium_bytes_read(const struct medium *medium)
{
    return medium->bytes_read;
}

/* ---- unreadable ranges ---- */

static void note_bad(struct medium *medium, uint64_t start, uint64_t len)
{
    ranges_cover(&medium->bad, start, len, MAX_BAD);
    ranges_cover(&medium->news, start, len, MAX_BAD);
}

static void ask_backend(struct medium *medium)
{
    uint64_t start = 0, len = 0;

    if (!medium->backend.bad)
        return;
    if (medium->reported && medium->backend.bad(medium->backend.state, medium->reported - 1, &start, &len) &&
        len > medium->reported_len) {
        medium->reported_len = len;
        note_bad(medium, start, len);
    }
    while (medium->backend.bad(medium->backend.state, medium->reported, &start, &len)) {
        medium->reported++;
        medium->reported_len = len;
        note_bad(medium, start, len);
    }
}

const struct range *medium_bad(const struct medium *medium, size_t *count)
{
    *count = medium->bad.count;
    return medium->bad.list;
}

const struct range *medium_news(struct medium *medium, size_t *count)
{
    *count = medium->news.count;
    medium->news.count = 0;
    return medium->news.list;
}

uint64_t medium_bad_bytes(const struct medium *medium, uint64_t offset, uint64_t len)
{
    return ranges_overlap(&medium->bad, offset, len);
}

uint64_t medium_lost_bytes(const struct medium *medium, uint64_t offset, uint64_t len)
{
    return ranges_overlap(&medium->lost, offset, len);
}

/* ---- reading ---- */

/* After an unreadable position, reading continues piece by piece. */
static void read_around(struct medium *medium, uint64_t offset, uint8_t *into, size_t len)
{
    const uint32_t step = medium->backend.piece ? medium->backend.piece : SMALLEST_READ;

    while (len > 0) {
        size_t piece = step - (size_t)(offset % step), got;

        if (piece > len)
            piece = len;
        got = read_some(&medium->backend, offset, into, piece);
        if (got < piece) {
            if (medium->backend.piece)
                got = 0;
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
    size_t there = offset >= medium->backend.size        ? 0
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
