/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/path.h"
#include "disk/ewf_names.h"
#include "disk/format.h"
#include "disk/medium_inner.h"
#include "disk/segments.h"

/* Which files an image consists of, and in which format it is. */

const char *const medium_types[] = {"raw",  "ewf", "aff",   "afd", "afm", "afflib",
                                    "vmdk", "vhd", "qcow2", "vdi", NULL};

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

/* The files of an image. */
struct files {
    char *const *paths;
    size_t count;
    struct content
        *content; /* the only file, whose path is merely a name; NULL: they are those of the host */
};

static struct format_verdict identify(const struct backend *raw)
{
    uint8_t *head = malloc(FORMAT_HEAD), *tail = malloc(FORMAT_TAIL);
    struct format_verdict verdict = {.format = FORMAT_RAW, .name = "raw"};
    uint64_t tail_at = raw->size > FORMAT_TAIL ? raw->size - FORMAT_TAIL : 0;

    if (head && tail) {
        size_t head_len = medium_read_some(raw, 0, head, FORMAT_HEAD);
        size_t tail_len = medium_read_some(raw, tail_at, tail, FORMAT_TAIL);

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

static int open_raw(struct backend *backend, const struct files *files, size_t count, struct error *err)
{
    return files->content ? backend_raw_content(backend, files->content, err)
                          : backend_raw_open(backend, files->paths, count, err);
}

/* By libraries that open the files themselves. */
static int open_by_path(struct backend *backend, const struct files *files, const char *type,
                        const char *name, bool force, struct error *err)
{
    if (files->content)
        return error_set(err, "%s: cannot be read where it is (%s): extract it, then read it as a file",
                         files->paths[0], name);
    if (strcmp(type, "ewf") == 0)
        return backend_libewf_open(backend, files->paths, files->count, force, err);
    if (is_aff(files->paths[0], type))
        return backend_aff_open(backend, files->paths[0], force, err);
    return backend_tsk_open(backend, files->paths, files->count, type, err);
}

/* Whether only a library reads it, which opens the files itself. */
static bool is_read_by_path(const char *type, const char *name)
{
    static const char *const own[] = {"raw", "ewf", "qcow2", "vdi", "vmdk", NULL};
    const char *const *at = own;

    while (*at && strcmp(type, *at) != 0)
        at++;
    return !*at || strcmp(name, "Ex01") == 0;
}

bool medium_reads_content(const struct format_verdict *verdict)
{
    return verdict->format != FORMAT_REFUSED && !is_read_by_path(type_of(verdict->format), verdict->name);
}

static int open_backend(struct backend *backend, const struct files *files, const char *type,
                        const char *name, bool force, struct error *err)
{
    char *const *paths = files->paths;

    if (is_read_by_path(type, name))
        return open_by_path(backend, files, type, name, force, err);
    if (strcmp(type, "raw") == 0)
        return open_raw(backend, files, files->count, err);
    if (strcmp(type, "qcow2") == 0)
        return backend_qcow2_open(backend, paths[0], files->content, force, err);
    if (strcmp(type, "vdi") == 0)
        return backend_vdi_open(backend, paths[0], files->content, force, err);
    if (strcmp(type, "vmdk") == 0)
        return backend_vmdk_open(backend, paths[0], files->content, force, err);
    return backend_ewf_open(backend, paths, files->count, files->content, force, err);
}

static struct medium *open_as(const struct files *files, const char *type, const char *name, bool force,
                              struct error *err)
{
    struct backend backend = {0};

    if (open_backend(&backend, files, type, name, force, err) ||
        ((files->content || strcmp(type, "raw") != 0) && check_size(&backend, files->paths[0], err)))
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
static int find_format(const struct files *files, bool ewf, struct format_verdict *verdict, struct error *err)
{
    struct backend raw = {0};

    if (open_raw(&raw, files, ewf_names_number(files->paths[0]) ? 1 : files->count, err))
        return -1;
    *verdict = identify(&raw);
    raw.close(raw.state);
    if (ewf && verdict->format != FORMAT_EWF)
        *verdict = (struct format_verdict){FORMAT_EWF, "E01", NULL};
    return verdict->format == FORMAT_REFUSED ? refuse(files->paths[0], verdict, err) : 0;
}

/* "raw" accepts any bytes, and an AFD is a folder, which has no signature. */
static bool has_signature(const char *type)
{
    return strcmp(type, "raw") != 0 && strncmp(type, "af", 2) != 0;
}

/* An unsupported format is refused even if the user specifies its type. */
static struct medium *open_files(const struct files *files, const char *type, bool force, struct error *err)
{
    const bool ewf = type && strcmp(type, "ewf") == 0;
    struct format_verdict verdict = {.format = FORMAT_RAW};

    if ((!type || has_signature(type)) && find_format(files, ewf, &verdict, err))
        return NULL;
    if (type && !ewf)
        return open_as(files, type, type, force, err);
    if (verdict.format == FORMAT_RAW && !files->content && check_name(files->paths[0], err))
        return NULL;
    return open_as(files, type_of(verdict.format), verdict.name, force, err);
}

struct medium *medium_open(char *const *files, size_t count, const char *type, bool force, struct error *err)
{
    return open_files(&(struct files){files, count, NULL}, type, force, err);
}

struct medium *medium_open_content(struct content *content, const char *name, const char *type, bool force,
                                   struct error *err)
{
    char *const names[] = {strdup(name), NULL};
    struct medium *medium = NULL;

    if (names[0])
        medium = open_files(&(struct files){names, 1, content}, type, force, err);
    else
        error_set(err, "%s: out of memory", name);
    free(names[0]);
    return medium;
}
