/* SPDX-License-Identifier: Apache-2.0 */
#include "container/archive_open.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- members ---- */

struct archive_container {
    struct container container;
    struct archive_window window;
    struct archive_reader reader;
    struct archive_stream *stream; /* if it is compressed as a whole */
    uint8_t *pulled;               /* from the stream */
    uint64_t start;                /* of the archive in the content */
    uint64_t stated_end;           /* as its header has it, or CONTAINER_UNKNOWN */
    bool is_packed;                /* its members are not stored as they are */
    bool is_sparse;                /* the present one has holes */
    bool is_endless;               /* whatever is no header is its end */
    la_int64_t seen;               /* then: where the last member ends */
    bool is_done;                  /* the one member has been yielded */
    char problem[64];
};

static void set_time(struct object_stamp *stamp, int is_set, time_t seconds, long nanoseconds)
{
    if (is_set)
        *stamp = (struct object_stamp){
            seconds, nanoseconds >= 0 && nanoseconds < 1000000000 ? (uint32_t)nanoseconds : 0};
}

static void describe(struct container_member *member, struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);
    const la_int64_t size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : -1;

    if (!name)
        name = archive_entry_pathname_utf8(entry);
    *member = (struct container_member){.name = name ? name : "", .mode = archive_entry_mode(entry)};
    member->name_len = strnlen(member->name, ARCHIVE_NAME);
    member->size = size >= 0 ? (uint64_t)size : CONTAINER_UNKNOWN;
    member->uid = (uint32_t)archive_entry_uid(entry);
    member->gid = (uint32_t)archive_entry_gid(entry);
    set_time(&member->times[OBJECT_MTIME], archive_entry_mtime_is_set(entry), archive_entry_mtime(entry),
             archive_entry_mtime_nsec(entry));
    set_time(&member->times[OBJECT_ATIME], archive_entry_atime_is_set(entry), archive_entry_atime(entry),
             archive_entry_atime_nsec(entry));
    set_time(&member->times[OBJECT_CTIME], archive_entry_ctime_is_set(entry), archive_entry_ctime(entry),
             archive_entry_ctime_nsec(entry));
    set_time(&member->times[OBJECT_CRTIME], archive_entry_birthtime_is_set(entry),
             archive_entry_birthtime(entry), archive_entry_birthtime_nsec(entry));
    if (archive_entry_is_encrypted(entry))
        member->problem = "it is encrypted";
}

/* Folders and symbolic links have no content, nor have devices and hard links, unless something is hidden
 * there. */
static bool has_content(struct archive *archive, struct archive_entry *entry)
{
    const bool has_size = archive_entry_size_is_set(entry) && archive_entry_size(entry) > 0;
    const bool is_ar = (archive_format(archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_AR;

    if (archive_entry_filetype(entry) == AE_IFDIR || archive_entry_filetype(entry) == AE_IFLNK)
        return false;
    if (is_ar && !has_size && strcmp(archive_entry_pathname(entry), "//") == 0)
        return false; /* the table of names, which libarchive has taken */
    /* ar has nothing but files, of which it often does not say so. */
    return has_size || is_ar || (archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry));
}

/* What is wrong with the stream is the cause of what is wrong with the archive in it. */
static bool stream_failed(struct archive_container *archive, struct error *err)
{
    char byte;

    return archive->stream && archive_stream_read(archive->stream, &byte, 1, err) < 0;
}

/* Complaints have the member as their subject, but no member follows that this one could be about. */
static int fail(struct error *err)
{
    const struct error fault = *err;

    if (strncmp(fault.text, "it ", 3) == 0)
        return error_set(err, "%s", fault.text + 3);
    if (strcmp(fault.text, "its packed data is damaged") == 0)
        return error_set(err, "is damaged");
    return error_set(err, "%s: %s", strncmp(fault.text, "its ", 4) == 0 ? "is damaged" : "cannot be read",
                     fault.text);
}

static int next_entry(struct container *container, struct container_member *member, struct error *err)
{
    struct archive_container *archive = (struct archive_container *)container;
    struct archive_entry *entry;
    int more;

    while ((more = archive_reader_next(&archive->reader, &entry, err)) == 1) {
        if (archive->is_endless) /* members begin at even places */
            archive->seen =
                (archive_filter_bytes(archive->reader.archive, -1) + archive_entry_size(entry) + 1) / 2 * 2;
        if (has_content(archive->reader.archive, entry)) {
            describe(member, entry);
            archive->is_sparse = archive_entry_sparse_count(entry) > 0;
            return 1;
        }
    }
    if (archive->is_endless)
        return 0;
    return stream_failed(archive, err) || more < 0 ? fail(err) : 0;
}

static ssize_t read_entry(struct container *container, void *into, size_t len, struct error *err)
{
    struct archive_container *archive = (struct archive_container *)container;
    const ssize_t got = archive_reader_read(&archive->reader, into, len, err);

    if (got < 0)
        stream_failed(archive, err);
    return got;
}

/* The data is at hand when the header has been read. */
static uint64_t place_of_entry(struct container *container)
{
    struct archive_container *archive = (struct archive_container *)container;
    la_int64_t at;

    if (archive->is_packed || archive->is_sparse || archive->stream)
        return CONTAINER_UNKNOWN;
    at = archive_filter_bytes(archive->reader.archive, -1);
    return at < 0 ? CONTAINER_UNKNOWN : archive->start + (uint64_t)at;
}

static uint64_t end_of_archive(struct container *container)
{
    struct archive_container *archive = (struct archive_container *)container;
    la_int64_t at;

    if (archive->stated_end != CONTAINER_UNKNOWN)
        return archive->stated_end;
    if (archive->stream)
        return archive_stream_end(archive->stream);
    at = archive->is_endless ? archive->seen : archive_filter_bytes(archive->reader.archive, -1);
    return at < 0 ? archive->start : archive->start + (uint64_t)at;
}

static void close_archive(struct container *container)
{
    struct archive_container *archive = (struct archive_container *)container;

    archive_reader_release(&archive->reader);
    archive_stream_close(archive->stream);
    archive_window_release(&archive->window);
    free(archive->pulled);
    free(archive);
}

/* ---- the one member of a compressed file ---- */

/* Yields the one member, and reports after that what stopped reading it. */
static int next_stream(struct container *container, struct container_member *member, struct error *err)
{
    struct archive_container *archive = (struct archive_container *)container;
    const char *name = archive_stream_name(archive->stream);

    if (archive->is_done)
        return !archive->problem[0] && stream_failed(archive, err) ? fail(err) : 0;
    archive->is_done = true;
    *member = (struct container_member){.name = *name ? name : "data", .size = CONTAINER_UNKNOWN};
    member->name_len = strlen(member->name);
    member->times[OBJECT_MTIME].seconds = archive_stream_time(archive->stream);
    member->problem = archive->problem[0] ? archive->problem : NULL;
    return 1;
}

static ssize_t read_stream(struct container *container, void *into, size_t len, struct error *err)
{
    return archive_stream_read(((struct archive_container *)container)->stream, into, len, err);
}

/* ---- opening ---- */

static ssize_t pull(void *arg, void *into, size_t len)
{
    return archive_stream_read(arg, into, len, NULL);
}

static int open_parts(struct archive_container *archive, const struct container_sight *sight,
                      const struct archive_plan *plan, const struct container_watch *watch, struct error *err)
{
    struct archive_source *source = &archive->reader.source;

    if (archive_window_init(&archive->window, sight->content, watch, err))
        return -1;
    *source = (struct archive_source){.window = &archive->window, .start = plan->start, .end = sight->size};
    if (plan->packing != ARCHIVE_SIGHT_BARE) {
        archive->stream = archive_stream_open(&archive->window, plan->packing, plan->start, err);
        archive->pulled = archive->stream ? memory_new(ARCHIVE_BLOCK, err) : NULL;
        if (!archive->pulled)
            return -1;
        source->pull = pull;
        source->arg = archive->stream;
        source->pulled = archive->pulled;
    }
    return plan->supports ? archive_reader_open(&archive->reader, plan->supports, err) : 0;
}

struct container *archive_open(const struct container_sight *sight, const struct container_watch *watch,
                               const struct archive_plan *plan, struct error *err)
{
    struct archive_container *archive;

    if (plan->start > sight->size || (!plan->supports && plan->packing == ARCHIVE_SIGHT_BARE)) {
        error_set(err, "is of another format");
        return NULL;
    }
    archive = memory_new(sizeof *archive, err);
    if (!archive)
        return NULL;
    archive->container =
        (struct container){next_entry, read_entry, place_of_entry, end_of_archive, close_archive};
    archive->start = plan->start;
    archive->stated_end = plan->end;
    archive->is_packed = plan->is_packed;
    archive->is_endless = plan->is_endless;
    if (!plan->supports) {
        archive->container.next = next_stream;
        archive->container.read = read_stream;
    }
    if (plan->memory > CONTAINER_MEMORY)
        snprintf(archive->problem, sizeof archive->problem, "it needs %" PRIu64 " MB to be unpacked",
                 plan->memory >> 20);
    if (open_parts(archive, sight, plan, watch, err)) {
        fail(err);
        close_archive(&archive->container);
        return NULL;
    }
    return &archive->container;
}
