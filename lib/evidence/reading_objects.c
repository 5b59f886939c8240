/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "container/unopened.h"
#include "disk/medium.h"
#include "evidence/inside.h"
#include "evidence/reading.h"

/* Appends a stream's name to each path of its file. */
static void add_stream_name(struct reading *reading, const struct object *object, size_t *count)
{
    struct buffer named = {0};
    const char *path;

    if (*count == 0)
        buffer_add_char(&reading->paths, '\0');
    *count = *count ? *count : 1;
    path = reading->paths.data;
    for (size_t i = 0; i < *count && !reading->paths.failed; i++) {
        buffer_add_text(&named, path);
        buffer_add_char(&named, ':');
        buffer_add(&named, object->stream.data, object->stream.len);
        buffer_add_char(&named, '\0');
        path += strlen(path) + 1;
    }
    buffer_inherit(&named, &reading->paths);
    buffer_release(&reading->paths);
    reading->paths = named;
}

static size_t find_paths(struct reading *reading, struct object *object)
{
    const bool allocated = (object->flags & OBJECT_ALLOCATED) != 0;
    size_t count;
    bool lost, more;

    count = names_paths(reading->names, object->inode, allocated, &reading->paths, &lost, &more);
    if (more && object->kind != OBJECT_SLACK)
        reading_problem(reading, "inode %" PRIu64 " has too many names; not all of them are listed",
                        object->inode);
    if (count == 0 && object->kind == OBJECT_FILE)
        reading->nameless++;
    if (object->kind == OBJECT_DELETED && lost)
        object->kind = OBJECT_ORPHAN;
    if (count == 0) {
        buffer_printf(&reading->paths,
                      object->inode == reading->system->facts.root ? "."
                      : object->kind == OBJECT_METADATA            ? "$Metadata/%" PRIu64
                                                                   : "$OrphanFiles/OrphanFile-%" PRIu64,
                      object->inode);
        buffer_add_char(&reading->paths, '\0');
        count = 1;
    }
    if (object->stream.len)
        add_stream_name(reading, object, &count);
    return count;
}

/* A later segment or extent is opened through its image's first file. */
static void settle_image(struct reading *reading, struct object *object)
{
    char *path;

    if (!(object->flags & OBJECT_DISK_IMAGE))
        return;
    if (asprintf(&path, "%s/%.*s", reading->path, (int)object->stream.len, object->stream.data) < 0) {
        reading_out_of_memory(reading);
        return;
    }
    if (medium_is_part(path))
        object->flags &= ~(unsigned)OBJECT_DISK_IMAGE;
    else
        reading->images++;
    free(path);
}

static void pass_on(struct reading *reading, const struct object *object, const struct buffer *paths,
                    size_t count)
{
    if (paths->failed || object_failed(object))
        reading_out_of_memory(reading);
    else
        reading->sink->object(reading->sink->arg, &reading->shown, object, paths->data ? paths->data : "",
                              count);
}

/* ---- objects ---- */

void reading_allow_members(struct reading *reading, uint64_t bytes)
{
    if (!reading->options->unpacked_most)
        allowance_grow(&reading->allowance, bytes);
}

/* The size of a folder is not known in advance, so each file allows for its members. */
static void begin_members(struct reading *reading, const struct object *object)
{
    allowance_begin(&reading->allowance);
    if (!(object->flags & OBJECT_HOST))
        return;
    reading->coming -= object->size < reading->coming ? object->size : reading->coming;
    reading_allow_members(reading, object->size);
}

void reading_take_object(struct reading *reading, struct object *object)
{
    size_t count = 0;

    begin_members(reading, object);
    reading->is_stored = inside_is_stored(&reading->shown, object);
    reading_claim(reading, object);
    buffer_reset(&reading->paths);
    if (object->flags & OBJECT_HOST) {
        buffer_add(&reading->paths, object->stream.data, object->stream.len);
        buffer_add_char(&reading->paths, '\0');
        count = 1;
        settle_image(reading, object);
    } else if (reading->names && (object->kind <= OBJECT_SLACK || object->kind == OBJECT_METADATA ||
                                  object->kind == OBJECT_FOLDER)) {
        bool nameless = object->kind == OBJECT_DELETED && object->size == 0 &&
                        object->state == OBJECT_WHOLE && !names_know(reading->names, object->inode, false);

        if (nameless) /* neither a name nor a byte of it is left */
            return;
        count = find_paths(reading, object);
    }
    reading->path_count = count;
    if (!reading_wants(reading, object->kind))
        return;
    reading_count(reading, object->kind);
    if (object->state == OBJECT_CHANGED)
        reading->changed = true;
    else if (object->state == OBJECT_UNREADABLE ||
             (object->state == OBJECT_PARTIAL && (object->flags & OBJECT_ALLOCATED)))
        reading->partial = true; /* deleted files are seldom complete, so these do not count */
    pass_on(reading, object, &reading->paths, count);
}

/* Adds the path in the container to each path of the object on the disk. */
static size_t find_member_paths(struct reading *reading, const struct object *member)
{
    const char *path = reading->paths.data;
    struct buffer *out = &reading->member_paths;

    buffer_reset(out);
    buffer_inherit(out, &reading->paths);
    for (size_t i = 0; i < reading->path_count; i++) {
        buffer_add_text(out, path);
        if (member->inner.len)
            buffer_add_char(out, '/');
        buffer_add(out, member->inner.data, member->inner.len);
        buffer_add_char(out, '\0');
        path += strlen(path) + 1;
    }
    if (reading->path_count || !member->inner.len)
        return reading->path_count;
    buffer_add(out, member->inner.data, member->inner.len);
    buffer_add_char(out, '\0');
    return 1;
}

/* The address of a member that is stored as it is on the image is kept. */
static void note_stored(struct reading *reading, const struct object *member)
{
    struct buffer *address = &reading->stored_member;

    buffer_reset(address);
    if (member->run_count > 0)
        object_address(address, member);
}

/* Whether what a member is packed in can be read where it is. */
static bool is_parent_stored(const struct reading *reading, const struct object *member)
{
    const struct buffer *parent = &member->parent, *stored = &reading->stored_member;

    if (parent->len == 0 || parent->data[0] == '-')
        return false;
    return (reading->is_stored && !memchr(parent->data, '/', parent->len)) ||
           (stored->len == parent->len && memcmp(stored->data, parent->data, parent->len) == 0);
}

/* A disk image is no container whose members are listed: the reason says how to read it. */
static void name_image(struct reading *reading, struct object *member)
{
    const char *opener = unopened_format_image.name;
    const bool is_image = member->member.len > strlen(opener) &&
                          memcmp(member->member.data, opener, strlen(opener)) == 0 &&
                          member->member.data[strlen(opener)] == '/';
    struct buffer *out = &member->problem;
    const bool is_readable = out->len == strlen(unopened_image_problem) &&
                             memcmp(out->data, unopened_image_problem, out->len) == 0;

    if (!is_image || !is_readable || reading->inner || !is_parent_stored(reading, member))
        return;
    buffer_reset(out);
    buffer_add_text(out, "disk images are evidence of their own: kith reads this one as ");
    escape_text(out, reading->path, strlen(reading->path));
    if (strcmp(reading->shown.label, "-") != 0)
        buffer_printf(out, "/%s", reading->shown.label);
    buffer_add_char(out, '/');
    buffer_add(out, member->parent.data, member->parent.len);
}

/* Without anything that depends on how much of it was unpacked. */
static void empty_member(struct object *member)
{
    member->size = 0;
    member->run_count = 0;
    member->state = OBJECT_WHOLE;
    buffer_reset(&member->problem);
    buffer_reset(&member->result);
    object_blame(member, OBJECT_UNREADABLE,
                 "opening stopped: more bytes were unpacked than all containers in the evidence may yield");
}

/* Only the first member that does not fit is kept, to say so. */
static bool fits(struct reading *reading, struct object *member)
{
    const bool was_over = reading->allowance.is_over;

    if (allowance_take(&reading->allowance, member))
        return true;
    empty_member(member);
    return !was_over;
}

void reading_take_member(struct reading *reading, struct object *member)
{
    if (!reading_wants(reading, OBJECT_MEMBER))
        return;
    name_image(reading, member);
    note_stored(reading, member);
    if (!fits(reading, member))
        return;
    if (member->state == OBJECT_CHANGED)
        reading->changed = true;
    else if (member->state != OBJECT_WHOLE && (member->flags & OBJECT_ALLOCATED))
        reading->partial = true; /* a container in free space is seldom complete */
    pass_on(reading, member, &reading->member_paths, find_member_paths(reading, member));
}
