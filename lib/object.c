/* SPDX-License-Identifier: Apache-2.0 */
#include "object.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[OBJECT_KINDS] = {"file",        "deleted", "orphan",   "stream", "slack",
                                                     "unallocated", "gap",     "metadata", "folder", "image"};

void object_reset(struct object *object)
{
    struct object kept = *object;

    *object = (struct object){.stream = kept.stream,
                              .runs = kept.runs,
                              .run_room = kept.run_room,
                              .problem = kept.problem,
                              .result = kept.result};
    buffer_reset(&object->stream);
    buffer_reset(&object->problem);
    buffer_reset(&object->result);
}

void object_release(struct object *object)
{
    buffer_release(&object->stream);
    buffer_release(&object->problem);
    buffer_release(&object->result);
    free(object->runs);
    *object = (struct object){0};
}

const char *object_kind_name(enum object_kind kind)
{
    return kind_names[kind];
}

int object_kind_find(const char *name, size_t len)
{
    for (int i = 0; i < OBJECT_KINDS; i++)
        if (strlen(kind_names[i]) == len && memcmp(kind_names[i], name, len) == 0)
            return i;
    return -1;
}

int object_add_run(struct object *object, uint64_t offset, uint64_t image, uint64_t len)
{
    struct object_run *last = object->run_count ? &object->runs[object->run_count - 1] : NULL;

    if (len == 0)
        return 0;
    if (len > INT64_MAX - offset || len > INT64_MAX - image || (last && offset < last->offset + last->len))
        return -1;
    if (last && last->offset + last->len == offset && last->image + last->len == image) {
        last->len += len;
        return 0;
    }
    if (!object->runs || object->run_count == object->run_room) {
        size_t room = object->run_room ? object->run_room * 2 : 4;
        struct object_run *runs = realloc(object->runs, room * sizeof *runs);

        if (!runs)
            return -1;
        object->runs = runs;
        object->run_room = room;
    }
    object->runs[object->run_count++] = (struct object_run){offset, image, len};
    return 0;
}

uint64_t object_stored(const struct object *object)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < object->run_count; i++)
        sum += object->runs[i].len;
    return sum;
}

uint64_t object_overlap(const struct object *object, uint64_t image, uint64_t len)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < object->run_count; i++) {
        const struct object_run *run = &object->runs[i];
        uint64_t from = run->image > image ? run->image : image;
        uint64_t to = run->image + run->len < image + len ? run->image + run->len : image + len;

        if (from < to)
            sum += to - from;
    }
    return sum;
}

void object_blame(struct object *object, enum object_state state, const char *fmt, ...)
{
    char text[256];
    va_list args;

    if (state <= object->state)
        return;
    object->state = state;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    buffer_reset(&object->problem);
    buffer_add_text(&object->problem, text);
}

void object_address(struct buffer *out, const struct object *object)
{
    if (object->flags & OBJECT_HOST)
        buffer_add_char(out, '-');
    else if (object->flags & OBJECT_RANGE)
        buffer_printf(out, "@%" PRIu64 "+%" PRIu64, object->start, object->size);
    else
        buffer_printf(out, "%" PRIu64 "-%" PRIu32 "-%" PRIu32, object->inode, object->type, object->id);
}

/* ---- messages ---- */

void object_encode(struct buffer *out, const struct object *object)
{
    const uint64_t numbers[] = {
        (uint64_t)object->kind, object->flags, object->inode, object->type, object->id,
        object->start,          object->size,  object->mode,  object->uid,  object->gid,
        (uint64_t)object->state};

    buffer_add(out, numbers, sizeof numbers);
    for (int i = 0; i < OBJECT_TIMES; i++) {
        wire_put(out, (uint64_t)object->times[i].seconds);
        wire_put(out, object->times[i].nanoseconds);
    }
    wire_put_bytes(out, object->stream.data, object->stream.len);
    wire_put_bytes(out, object->problem.data, object->problem.len);
    wire_put_bytes(out, object->result.data, object->result.len);
    wire_put(out, object->run_count);
    if (object->run_count)
        buffer_add(out, object->runs, object->run_count * sizeof *object->runs);
}

static uint64_t get_below(struct wire *wire, uint64_t limit)
{
    uint64_t number = wire_get(wire);

    if (number >= limit)
        wire->broken = true;
    return wire->broken ? 0 : number;
}

static void get_buffer(struct wire *wire, struct buffer *out)
{
    size_t len;
    const char *data = wire_get_bytes(wire, &len);

    buffer_add(out, data, len);
}

static void get_runs(struct wire *wire, struct object *object)
{
    size_t count = wire_get_count(wire, 24);

    for (size_t i = 0; i < count && !wire->broken; i++) {
        uint64_t offset = wire_get(wire), image = wire_get(wire), len = wire_get(wire);

        if (offset > INT64_MAX || image > INT64_MAX || len > INT64_MAX ||
            object_add_run(object, offset, image, len))
            wire->broken = true;
    }
}

bool object_decode(struct wire *wire, struct object *object)
{
    object_reset(object);
    object->kind = (enum object_kind)get_below(wire, OBJECT_KINDS);
    object->flags = (unsigned)get_below(wire, 2 * OBJECT_UNWANTED);
    object->inode = wire_get(wire);
    object->type = (uint32_t)get_below(wire, (uint64_t)UINT32_MAX + 1);
    object->id = (uint32_t)get_below(wire, (uint64_t)UINT32_MAX + 1);
    object->start = wire_get(wire);
    object->size = wire_get(wire);
    object->mode = (uint32_t)get_below(wire, (uint64_t)UINT32_MAX + 1);
    object->uid = (uint32_t)get_below(wire, (uint64_t)UINT32_MAX + 1);
    object->gid = (uint32_t)get_below(wire, (uint64_t)UINT32_MAX + 1);
    object->state = (enum object_state)get_below(wire, OBJECT_CHANGED + 1);
    for (int i = 0; i < OBJECT_TIMES; i++) {
        object->times[i].seconds = (int64_t)wire_get(wire);
        object->times[i].nanoseconds = (uint32_t)get_below(wire, (uint64_t)UINT32_MAX + 1);
    }
    get_buffer(wire, &object->stream);
    get_buffer(wire, &object->problem);
    get_buffer(wire, &object->result);
    get_runs(wire, object);
    return !wire->broken;
}
