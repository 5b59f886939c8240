/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disk/medium.h"
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

void reading_take_object(struct reading *reading, struct object *object)
{
    size_t count = 0;

    reading_claim(reading, object);
    buffer_reset(&reading->paths);
    if (object->flags & OBJECT_HOST) {
        buffer_add(&reading->paths, object->stream.data, object->stream.len);
        buffer_add_char(&reading->paths, '\0');
        count = 1;
        settle_image(reading, object);
    } else if (reading->names && (object->kind <= OBJECT_SLACK || object->kind >= OBJECT_METADATA)) {
        bool nameless = object->kind == OBJECT_DELETED && object->size == 0 &&
                        object->state == OBJECT_WHOLE && !names_know(reading->names, object->inode, false);

        if (nameless) /* neither a name nor a byte of it is left */
            return;
        count = find_paths(reading, object);
    }
    if (!reading_wants(reading, object->kind))
        return;
    reading_count(reading, object->kind);
    if (object->state == OBJECT_CHANGED)
        reading->changed = true;
    else if (object->state == OBJECT_UNREADABLE ||
             (object->state == OBJECT_PARTIAL && (object->flags & OBJECT_ALLOCATED)))
        reading->partial = true; /* deleted files are seldom complete, so these do not count */
    if (reading->paths.failed || object_failed(object))
        reading_out_of_memory(reading);
    else
        reading->sink->object(reading->sink->arg, &reading->shown, object,
                              reading->paths.data ? reading->paths.data : "", count);
}
