/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "disk/object_inner.h"

static const char *const kind_names[OBJECT_KINDS] = {"file",     "deleted",     "orphan",    "stream",
                                                     "slack",    "unallocated", "unclaimed", "gap",
                                                     "metadata", "folder",      "member",    "image"};

void object_reset(struct object *object)
{
    struct object kept = *object;

    *object = (struct object){.stream = kept.stream,
                              .parent = kept.parent,
                              .member = kept.member,
                              .inner = kept.inner,
                              .runs = kept.runs,
                              .run_room = kept.run_room,
                              .problem = kept.problem,
                              .result = kept.result};
    buffer_reset(&object->stream);
    buffer_reset(&object->parent);
    buffer_reset(&object->member);
    buffer_reset(&object->inner);
    buffer_reset(&object->problem);
    buffer_reset(&object->result);
}

void object_release(struct object *object)
{
    buffer_release(&object->stream);
    buffer_release(&object->parent);
    buffer_release(&object->member);
    buffer_release(&object->inner);
    buffer_release(&object->problem);
    buffer_release(&object->result);
    free(object->runs);
    *object = (struct object){0};
}

bool object_failed(const struct object *object)
{
    return object->stream.failed || object->parent.failed || object->member.failed || object->inner.failed ||
           object->problem.failed || object->result.failed;
}

const char *object_kind_name(enum object_kind kind)
{
    return kind_names[kind];
}

int object_kind_find(const char *name, size_t len)
{
    return search_name(kind_names, OBJECT_KINDS, name, len);
}

int object_add_run(struct object *object, uint64_t offset, uint64_t image, uint64_t len)
{
    if (len == 0)
        return 0;
    if (len > INT64_MAX - offset || len > INT64_MAX - image)
        return -1;
    if (object->run_count > 0) {
        struct object_run *last = &object->runs[object->run_count - 1];

        if (offset < last->offset + last->len)
            return -1;
        if (last->offset + last->len == offset && last->image + last->len == image) {
            last->len += len;
            return 0;
        }
    }
    if (array_reserve(&object->runs, &object->run_room, object->run_count + 1))
        return -1;
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
    if (object->kind == OBJECT_MEMBER) {
        wire_put_bytes(out, object->parent.data, object->parent.len);
        wire_put_bytes(out, object->member.data, object->member.len);
        wire_put_bytes(out, object->inner.data, object->inner.len);
    }
    wire_put(out, object->run_count);
    if (object->run_count)
        buffer_add(out, object->runs, object->run_count * sizeof *object->runs);
}

/* The numbers at the start of a message. */
enum {
    KIND,
    FLAGS,
    INODE,
    TYPE,
    ID,
    START,
    SIZE,
    MODE,
    UID,
    GID,
    STATE,
    TIMES, /* seconds and nanoseconds of each */
    NUMBERS = TIMES + 2 * OBJECT_TIMES,
};

static bool fits(uint64_t number)
{
    return number <= UINT32_MAX;
}

static void get_numbers(struct wire *wire, uint64_t n[NUMBERS])
{
    bool good;

    wire_get_numbers(wire, n, NUMBERS);
    good = n[KIND] < OBJECT_KINDS && n[FLAGS] < OBJECT_FLAGS && fits(n[TYPE]) && fits(n[ID]) &&
           fits(n[MODE]) && fits(n[UID]) && fits(n[GID]) && n[STATE] <= OBJECT_CHANGED;
    for (int i = 0; i < OBJECT_TIMES; i++)
        good = good && fits(n[TIMES + 2 * i + 1]);
    if (!good)
        wire->broken = true;
}

static void get_buffer(struct wire *wire, struct buffer *out)
{
    size_t len;
    const char *data = wire_get_bytes(wire, &len);

    buffer_add(out, data, len);
}

/* object may be NULL; the member is then only checked. */
static void get_member(struct wire *wire, struct object *object)
{
    size_t parent_len, member_len, inner_len;
    const char *parent = wire_get_bytes(wire, &parent_len), *member = wire_get_bytes(wire, &member_len),
               *inner = wire_get_bytes(wire, &inner_len);

    if (!object_is_member(parent, parent_len, member, member_len) || inner_len > OBJECT_MOST_INNER ||
        memchr(inner, '\0', inner_len)) {
        wire->broken = true;
    } else if (object) {
        buffer_add(&object->parent, parent, parent_len);
        buffer_add(&object->member, member, member_len);
        buffer_add(&object->inner, inner, inner_len);
    }
}

/* end: of the previous run. */
static bool is_run(const struct object_run *run, uint64_t end)
{
    return run->offset <= INT64_MAX && run->image <= INT64_MAX && run->len <= INT64_MAX - run->offset &&
           run->len <= INT64_MAX - run->image && (run->len == 0 || run->offset >= end);
}

static struct object_run get_run(struct wire *wire, uint64_t *end)
{
    uint64_t n[3];
    struct object_run run;

    wire_get_numbers(wire, n, 3);
    run = (struct object_run){n[0], n[1], n[2]};
    if (!is_run(&run, *end))
        wire->broken = true;
    if (run.len > 0)
        *end = run.offset + run.len;
    return run;
}

static void get_runs(struct wire *wire, struct object *object)
{
    size_t count = wire_get_count(wire, 24);
    uint64_t end = 0;

    for (size_t i = 0; i < count && !wire->broken; i++) {
        const struct object_run run = get_run(wire, &end);

        if (!wire->broken && object_add_run(object, run.offset, run.image, run.len))
            wire->broken = true;
    }
}

bool object_decode(struct wire *wire, struct object *object)
{
    uint64_t n[NUMBERS];

    object_reset(object);
    get_numbers(wire, n);
    if (wire->broken)
        return false;
    object->kind = (enum object_kind)n[KIND];
    object->flags = (unsigned)n[FLAGS];
    object->inode = n[INODE];
    object->type = (uint32_t)n[TYPE];
    object->id = (uint32_t)n[ID];
    object->start = n[START];
    object->size = n[SIZE];
    object->mode = (uint32_t)n[MODE];
    object->uid = (uint32_t)n[UID];
    object->gid = (uint32_t)n[GID];
    object->state = (enum object_state)n[STATE];
    for (int i = 0; i < OBJECT_TIMES; i++)
        object->times[i] = (struct object_stamp){(int64_t)n[TIMES + 2 * i], (uint32_t)n[TIMES + 2 * i + 1]};
    get_buffer(wire, &object->stream);
    get_buffer(wire, &object->problem);
    get_buffer(wire, &object->result);
    if (object->kind == OBJECT_MEMBER)
        get_member(wire, object);
    get_runs(wire, object);
    return !wire->broken;
}

bool object_view(struct wire *wire, struct object_view *view)
{
    uint64_t n[NUMBERS], end = 0;
    size_t count, problem_len;

    get_numbers(wire, n);
    *view = (struct object_view){
        .flags = (unsigned)n[FLAGS], .inode = n[INODE], .start = n[START], .size = n[SIZE]};
    if (wire->broken)
        return false;
    view->kind = (enum object_kind)n[KIND];
    view->stream = wire_get_bytes(wire, &view->stream_len);
    wire_get_bytes(wire, &problem_len);
    wire_get_bytes(wire, &view->result_len);
    if (view->kind == OBJECT_MEMBER)
        get_member(wire, NULL);
    count = wire_get_count(wire, 24);
    view->in_one_piece = count == 1;
    for (size_t i = 0; i < count && !wire->broken; i++) {
        const struct object_run run = get_run(wire, &end);

        view->in_one_piece &= run.offset == 0 && run.image == view->start && run.len == view->size;
    }
    return !wire->broken;
}
