/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "disk/object.h"

/*
 * The input is a message of objects, one after the other.
 *
 * Either it is broken, or what is decoded is within bounds, and is the same when it is encoded and decoded
 * again.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void require_in_bounds(const struct object *object)
{
    uint64_t end = 0;

    require((unsigned)object->kind < OBJECT_KINDS && object->flags < OBJECT_FLAGS);
    require(object->state >= OBJECT_WHOLE && object->state <= OBJECT_CHANGED);
    for (size_t i = 0; i < object->run_count; i++) {
        const struct object_run *run = &object->runs[i];

        require(run->len > 0 && run->image <= INT64_MAX);
        require(run->offset >= end && run->offset <= INT64_MAX &&
                run->len <= (uint64_t)2 * INT64_MAX - run->offset);
        end = run->offset + run->len;
    }
    require(object_overlap(object, 0, INT64_MAX) <= object_stored(object));
}

static void require_same(const struct buffer *a, const struct buffer *b)
{
    require(a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0));
}

static void require_round_trip(const struct object *object)
{
    static struct object back; /* filled again and again */
    struct buffer message = {0}, again = {0};
    struct wire wire;

    object_encode(&message, object);
    wire = (struct wire){message.data, message.len, false};
    require(object_decode(&wire, &back) && !wire_more(&wire));
    object_encode(&again, &back);
    require_same(&message, &again);
    require_same(&object->stream, &back.stream);
    require(object->size == back.size && object->run_count == back.run_count);
    buffer_release(&message);
    buffer_release(&again);
}

static void require_address(const struct object *object)
{
    struct buffer text = {0};

    object_address(&text, object);
    require(text.len > 0 && !text.failed);
    require(text.len <= 64 + OBJECT_MOST_LEVELS * (OBJECT_MOST_MEMBER + 24));
    for (size_t i = 0; i < text.len; i++)
        require(text.data[i] > ' ' && text.data[i] < 0x7f);
    buffer_release(&text);
}

/* A member of it, named by the input, can be sent. */
static void require_members(const struct object *object)
{
    static struct object inner;
    const struct object_member member = {"zip", object->start, object->stream.data, object->stream.len, object->size,
                                         object->size % 2};

    object_reset(&inner);
    if (object_set_parent(&inner, object, &member)) {
        require(object->kind == OBJECT_MEMBER && !object_failed(&inner));
        return;
    }
    require_round_trip(&inner);
    require_address(&inner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct object object;
    struct wire wire = {(const char *)data, size, false};

    while (wire_more(&wire)) {
        const size_t left = wire.len;
        struct wire again = wire;
        struct object_view view;
        const bool viewed = object_view(&again, &view);

        if (!object_decode(&wire, &object)) {
            require(wire.broken && !viewed);
            break;
        }
        require(viewed && again.len == wire.len);
        require(view.kind == object.kind && view.flags == object.flags && view.size == object.size);
        require(view.stream_len == object.stream.len && view.result_len == object.result.len);
        require(wire.len < left);
        require_in_bounds(&object);
        require_round_trip(&object);
        require_address(&object);
        require_members(&object);
    }
    return 0;
}
