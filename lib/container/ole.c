/* SPDX-License-Identifier: Apache-2.0 */
#include "container/ole.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "container/ole_inner.h"

enum { MOST_NAME = 4096, NATIVE_HEAD = 2048 };

static const char native_name[] = "\1Ole10Native";

struct ole {
    struct container container;
    struct ole_file file;
    uint32_t next_index;
    bool is_deleted_pass; /* the entries that no folder leads to come last */
    bool is_native_next;  /* the file in the present stream is the next member */
    struct ole_entry entry;
    struct ole_stream stream;
    bool is_open;
    uint64_t start, offset, end; /* in the stream: the member's bytes, and where the next one is */
    struct buffer name;
};

/* ---- names ---- */

/* Puts a name and a slash before the path; false if it gets too long. */
static bool put_before(struct buffer *path, const char *name, size_t len)
{
    if (path->len + len + 1 > MOST_NAME || !buffer_extend(path, len + 1))
        return false;
    memmove(path->data + len + 1, path->data, path->len - len - 1);
    memcpy(path->data, name, len);
    path->data[len] = '/';
    return true;
}

/* The path of an entry, or the end of it if it is very long. */
static void make_path(struct ole *ole, uint32_t index, const struct ole_entry *entry)
{
    struct ole_entry folder;
    int32_t parent = ole->file.parents[index];

    buffer_reset(&ole->name);
    buffer_add(&ole->name, entry->name, entry->name_len);
    while (parent > 0 && ole_file_entry(&ole->file, (uint32_t)parent, &folder) &&
           put_before(&ole->name, folder.name, folder.name_len))
        parent = ole->file.parents[parent];
}

/* ---- members ---- */

static void end_member(struct ole *ole)
{
    ole_stream_release(&ole->stream);
    ole->is_open = false;
}

static void give_member(struct ole *ole, struct container_member *member)
{
    *member = (struct container_member){
        .name = ole->name.data, .name_len = ole->name.len, .size = ole->end - ole->start};
    member->times[OBJECT_CRTIME] = ole->entry.created;
    member->times[OBJECT_MTIME] = ole->entry.modified;
    ole->offset = ole->start;
}

/* An opened stream, for those whose content has to be seen first. */
static int open_stream(struct ole *ole, struct error *err)
{
    if (!ole->is_open && ole_stream_open(&ole->stream, &ole->file, &ole->entry, err))
        return -1;
    ole->is_open = true;
    return 0;
}

/* The length of a string with its NUL in the next bytes; 0 if it does not end there. */
static size_t string_len(const uint8_t *at, const uint8_t *stop)
{
    const uint8_t *end = at < stop ? memchr(at, 0, (size_t)(stop - at)) : NULL;

    return end ? (size_t)(end - at) + 1 : 0;
}

/*
 * Ole10Native: a length, 2, the file's name, its path, six bytes that begin with 0 0 3 0, a length and the
 * path of a temporary copy, and then the length of the file and its bytes.  Returns the place of the file in
 * the stream, 0 if there is none.
 */
static uint64_t find_native(struct ole *ole, struct error *err)
{
    uint8_t head[NATIVE_HEAD];
    const uint8_t *at = head + 6, *stop;
    size_t name_len, path_len, copy_len, len;

    if (open_stream(ole, err))
        return 0;
    len = ole->stream.size < sizeof head ? (size_t)ole->stream.size : sizeof head;
    stop = head + len;
    if (len < 16 || ole_stream_read_all(&ole->stream, &ole->file, 0, head, len) ||
        bytes_load_le(head + 4, 2) != 2)
        return 0;
    name_len = string_len(at, stop);
    path_len = string_len(at + name_len, stop);
    at += name_len + path_len;
    if (name_len < 2 || path_len == 0 || stop - at < 12 || bytes_load32(at) != 0x30000)
        return 0;
    copy_len = bytes_load32(at + 4);
    if (copy_len > (size_t)(stop - at) - 12)
        return 0;
    at += 8 + copy_len;
    ole->start = (uint64_t)(at - head) + 4;
    ole->end = ole->start + bytes_load32(at);
    buffer_add_char(&ole->name, '/');
    buffer_add(&ole->name, head + 6, name_len - 1);
    return ole->start;
}

static void give_stream(struct ole *ole, uint32_t index, struct container_member *member)
{
    ole->start = 0;
    ole->end = ole->entry.size;
    ole->is_native_next = ole_entry_is(&ole->entry, native_name);
    make_path(ole, index, &ole->entry);
    give_member(ole, member);
    if (ole->file.parents[index] == 0 && ole_entry_is(&ole->entry, "EncryptedPackage"))
        member->problem = "it is encrypted";
}

/* The next stream of the tree, or of those that are in no folder. */
static bool find_stream(struct ole *ole, struct container_member *member)
{
    for (; ole->next_index < ole->file.entry_count; ole->next_index++) {
        const bool is_deleted = ole->file.parents[ole->next_index] == OLE_NO_PARENT;

        if (is_deleted != ole->is_deleted_pass || !ole_file_entry(&ole->file, ole->next_index, &ole->entry) ||
            ole->entry.type != OLE_STREAM)
            continue;
        give_stream(ole, ole->next_index++, member);
        return true;
    }
    return false;
}

static int next_member(struct container *container, struct container_member *member, struct error *err)
{
    struct ole *ole = (struct ole *)container;

    if (ole->is_native_next) {
        ole->is_native_next = false;
        if (find_native(ole, err) && !ole->name.failed) {
            give_member(ole, member);
            return 1;
        }
    }
    end_member(ole);
    while (!find_stream(ole, member)) {
        if (ole->is_deleted_pass)
            return ole->file.directory.problem ? error_set(err, "%s", ole->file.directory.problem) : 0;
        ole->is_deleted_pass = true;
        ole->next_index = 0;
    }
    return ole->name.failed ? error_set(err, "out of memory") : 1;
}

static ssize_t read_member(struct container *container, void *into, size_t len, struct error *err)
{
    struct ole *ole = (struct ole *)container;
    ssize_t count;

    if (open_stream(ole, err))
        return -1;
    if (ole->offset >= ole->end || len == 0)
        return 0;
    len = len < ole->end - ole->offset ? len : (size_t)(ole->end - ole->offset);
    count = ole_stream_read(&ole->stream, &ole->file, ole->offset, into, len);
    if (count == 0)
        return error_set(err, "%s", ole->stream.problem ? ole->stream.problem : "is cut off");
    if (count < 0)
        return error_set(err, "cannot be read from byte %llu on",
                         (unsigned long long)(ole->offset - ole->start));
    ole->offset += (uint64_t)count;
    return count;
}

static uint64_t end_of_file(struct container *container)
{
    return ole_file_end(&((struct ole *)container)->file);
}

static void close_ole(struct container *container)
{
    struct ole *ole = (struct ole *)container;

    if (!ole)
        return;
    end_member(ole);
    ole_file_close(&ole->file);
    buffer_release(&ole->name);
    free(ole);
}

static struct container *open_ole(const struct container_sight *sight, const struct container_watch *watch,
                                  struct error *err)
{
    struct ole *ole = memory_new(sizeof *ole, err);

    if (!ole)
        return NULL;
    ole->container =
        (struct container){.next = next_member, .read = read_member, .end = end_of_file, .close = close_ole};
    if (ole_file_open(&ole->file, sight->content, watch, err)) {
        close_ole(&ole->container);
        return NULL;
    }
    return &ole->container;
}

const struct container_format ole_format = {
    .name = "ole", .first = "\xd0", .magic = ole_file_magic, .matches = ole_file_matches, .open = open_ole};
