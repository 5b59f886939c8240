/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/path.h"
#include "base/ranges.h"
#include "base/search.h"
#include "disk/backend.h"
#include "disk/datafile.h"
#include "disk/vmdk.h"
#include "disk/vmdk_sparse.h"

/*
 * VMDK (VMware, Virtual Disk Format 5.0).  Not read through libvmdk, which opens the extents by the names
 * stored inside, so that of a renamed disk it reads whatever file has the old name.  Here a disk in a single
 * file is that file, whatever name is stored in it; other extents are looked for next to the descriptor.
 */
struct extent {
    uint64_t start, len; /* in bytes of the disk */
    uint64_t from;       /* where it begins in what inner reads */
    bool is_zero;
    struct backend inner;
};

struct vmdk {
    struct extent *extents;
    size_t count;
    uint64_t size;           /* sum over all extents */
    struct buffer files;     /* names of the extents' files, each NUL-terminated */
    struct buffer damages;   /* lines, NUL-terminated */
    struct ranges lost;      /* bytes of the disk known to be lost on opening */
    bool force;              /* tolerate damaged maps */
    struct content *content; /* in which the only file lies; NULL: of the host */
};

static const struct extent *extent_at(const struct vmdk *vmdk, uint64_t offset)
{
    const size_t at = SEARCH_FIRST(i, 0, vmdk->count, offset < vmdk->extents[i].start + vmdk->extents[i].len);

    return at < vmdk->count ? &vmdk->extents[at] : NULL;
}

/* Reads up to the end of an extent at most. */
static ssize_t vmdk_read(void *state, uint64_t offset, void *into, size_t len)
{
    const struct extent *extent = extent_at(state, offset);

    if (!extent)
        return 0;
    offset -= extent->start;
    if (len > extent->len - offset)
        len = (size_t)(extent->len - offset);
    if (!extent->is_zero)
        return extent->inner.read(extent->inner.state, extent->from + offset, into, len);
    memset(into, 0, len);
    return (ssize_t)len;
}

static const char *vmdk_files(void *state, size_t *len)
{
    const struct vmdk *vmdk = state;

    *len = vmdk->files.len;
    return vmdk->files.data;
}

static const char *vmdk_damages(void *state)
{
    return ((struct vmdk *)state)->damages.data;
}

static void vmdk_close(void *state)
{
    struct vmdk *vmdk = state;

    for (size_t i = 0; i < vmdk->count; i++)
        if (vmdk->extents[i].inner.close)
            vmdk->extents[i].inner.close(vmdk->extents[i].inner.state);
    free(vmdk->extents);
    ranges_release(&vmdk->lost);
    buffer_release(&vmdk->files);
    buffer_release(&vmdk->damages);
    free(vmdk);
}

/* path: the extent's own file. */
static int open_inner(struct extent *extent, const struct vmdk_extent *listed, char *path,
                      const struct vmdk *vmdk, struct error *err)
{
    char *const paths[] = {path, NULL};
    uint64_t size;

    if (listed->kind == VMDK_SPARSE ? vmdk_sparse_open(&extent->inner, path, vmdk->content, vmdk->force, err)
                                    : backend_raw_open(&extent->inner, paths, 1, err)) {
        extent->inner = (struct backend){.close = NULL};
        return -1;
    }
    size = extent->inner.size;
    extent->from = listed->kind == VMDK_FLAT ? listed->from * 512 : 0;
    if (listed->kind == VMDK_SPARSE && size != extent->len)
        return error_set(err,
                         "%s: does not belong to this disk: the extent has %" PRIu64 " bytes, not %" PRIu64,
                         path, size, extent->len);
    if (extent->from > size || extent->len > size - extent->from)
        return error_set(err, "%s: too short for its extent of %" PRIu64 " bytes from byte %" PRIu64 " on",
                         path, extent->len, extent->from);
    return 0;
}

/* Adds what the extent's backend knows to be lost. */
static int take_lost(struct vmdk *vmdk, const struct extent *extent)
{
    const struct backend *inner = &extent->inner;
    uint64_t offset, len;

    for (size_t i = 0; inner->bad && inner->bad(inner->state, i, &offset, &len); i++) {
        const uint64_t end = offset + len < extent->len ? offset + len : extent->len;

        if (offset < end && ranges_add(&vmdk->lost, extent->start + offset, end - offset))
            return -1;
    }
    return 0;
}

static size_t vmdk_lost(void *state, size_t from, uint64_t *offset, uint64_t *len)
{
    const struct vmdk *vmdk = state;

    if (from >= vmdk->lost.count)
        return 0;
    *offset = vmdk->lost.list[from].start;
    *len = vmdk->lost.list[from].len;
    return 1;
}

static int open_extent(struct vmdk *vmdk, const struct vmdk_extent *listed, const char *disk,
                       struct error *err)
{
    struct extent *extent = &vmdk->extents[vmdk->count];
    struct error cause;
    char *path;
    int result;

    *extent = (struct extent){.start = vmdk->size, .len = listed->sectors * 512};
    if (extent->len > INT64_MAX - vmdk->size)
        return error_set(err, "%s: its extents are too large", disk);
    vmdk->size += extent->len;
    vmdk->count++;
    extent->is_zero = listed->kind == VMDK_ZERO;
    if (extent->is_zero)
        return 0;
    path = path_beside(disk, listed->name);
    buffer_add(&vmdk->files, listed->name, strlen(listed->name) + 1);
    result = path ? open_inner(extent, listed, path, vmdk, &cause) : error_set(&cause, "out of memory");
    if (result == 0 && take_lost(vmdk, extent))
        result = error_set(&cause, "out of memory");
    if (result && path && strcmp(path, disk) == 0) /* a disk in one file is its own extent */
        error_set(err, "%s", cause.text);
    else if (result)
        error_set(err, "%s: extent %s", disk, cause.text);
    if (result == 0 && extent->inner.damages)
        buffer_add_text(&vmdk->damages, extent->inner.damages(extent->inner.state));
    free(path);
    return result;
}

static int open_extents(struct vmdk *vmdk, const struct vmdk_descriptor *descriptor, const char *path,
                        struct error *err)
{
    vmdk->extents = calloc(descriptor->count + 1, sizeof *vmdk->extents);
    if (!vmdk->extents)
        return error_set(err, "%s: out of memory", path);
    for (size_t i = 0; i < descriptor->count; i++)
        if (open_extent(vmdk, &descriptor->extents[i], path, err))
            return -1;
    buffer_add_char(&vmdk->damages, '\0');
    return vmdk->files.failed || vmdk->damages.failed ? error_set(err, "%s: out of memory", path) : 0;
}

/* The text is a file of its own, or embedded in the disk's only extent. */
static int read_descriptor(struct vmdk_descriptor *descriptor, const char *path, struct content *content,
                           bool *is_embedded, struct error *err)
{
    struct datafile file;
    uint8_t header[VMDK_SPARSE_HEADER] = {0};
    uint64_t at = 0, len;
    char *text = calloc(1, VMDK_MOST_TEXT + 1);
    int result = text ? datafile_open(&file, path, content, err) : error_set(err, "%s: out of memory", path);

    if (result == 0) {
        len = file.size;
        datafile_read(&file, 0, header, sizeof header);
        *is_embedded = memcmp(header, "KDMV", 4) == 0;
        if (*is_embedded) {
            at = bytes_load64(header + 28) < file.size / 512 ? bytes_load64(header + 28) * 512 : file.size;
            len = bytes_load64(header + 36) < VMDK_MOST_TEXT / 512 ? bytes_load64(header + 36) * 512
                                                                   : VMDK_MOST_TEXT;
        }
        len = len < VMDK_MOST_TEXT ? len : VMDK_MOST_TEXT;
        if (len > file.size - at)
            len = file.size - at;
        if (datafile_read(&file, at, text, (size_t)len))
            result = error_set(err, "%s: cannot read the descriptor", path);
        datafile_close(&file);
    }
    if (result == 0)
        result = vmdk_parse(descriptor, text, path, err);
    free(text);
    return result;
}

/* The extent is this file, whatever name is stored in it. */
static int open_alone(struct vmdk *vmdk, struct vmdk_descriptor *descriptor, const char *path,
                      struct error *err)
{
    char *name;

    if (descriptor->count != 1 || descriptor->extents[0].kind != VMDK_SPARSE)
        return error_set(err, "%s: its descriptor lists files other than itself", path);
    name = strdup(path_last(path));
    if (!name)
        return error_set(err, "%s: out of memory", path);
    free(descriptor->extents[0].name);
    descriptor->extents[0].name = name;
    return open_extents(vmdk, descriptor, path, err);
}

int backend_vmdk_open(struct backend *backend, const char *path, struct content *content, bool force,
                      struct error *err)
{
    struct vmdk *vmdk = calloc(1, sizeof *vmdk);
    struct vmdk_descriptor descriptor = {0};
    bool is_embedded = false;
    int result = vmdk ? read_descriptor(&descriptor, path, content, &is_embedded, err)
                      : error_set(err, "%s: out of memory", path);

    if (vmdk) {
        vmdk->force = force;
        vmdk->content = content;
    }
    if (result == 0 && content && !is_embedded)
        result = error_set(err, "%s: is split into several files; extract all of them, then scan them", path);
    if (result == 0)
        result = is_embedded ? open_alone(vmdk, &descriptor, path, err)
                             : open_extents(vmdk, &descriptor, path, err);
    if (result == 0) {
        *backend = (struct backend){.size = vmdk->size,
                                    .sector_size = 512,
                                    .piece = 4096,
                                    .read = vmdk_read,
                                    .bad = vmdk_lost,
                                    .damages = vmdk_damages,
                                    .files = is_embedded ? NULL : vmdk_files,
                                    .close = vmdk_close,
                                    .state = vmdk};
        for (size_t i = 0; i < vmdk->count; i++)
            if (vmdk->extents[i].inner.piece > backend->piece)
                backend->piece = vmdk->extents[i].inner.piece;
    } else if (vmdk) {
        vmdk_close(vmdk);
    }
    vmdk_release(&descriptor);
    return result;
}
