/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "disk/content_units.h"
#include "fetch_inner.h"

/* The worker's side: reads the wanted bytes of an object and streams them. */

enum {
    /* Read at once; a multiple of CONTENT_UNIT, so that no unit is decompressed twice. */
    READ_LEN = 1 << 20,
    SMALLEST_READ = 512, /* when looking for what exactly cannot be read */
};

struct state {
    const struct fetch_plan *plan;
    const struct inspector_watch *watch;
    struct buffer address, path;
    struct buffer host;      /* the path of the file of the host that is being read; empty: of an image */
    struct content *content; /* of the current object */
    size_t want;
    char message[INSPECTOR_STREAM_MAX];
    uint8_t room[READ_LEN];
};

static void *open_state(void *arg, const struct inspector_watch *watch, struct error *err)
{
    struct state *state = memory_new(sizeof *state, err);

    if (!state)
        return NULL;
    state->plan = arg;
    state->watch = watch;
    return state;
}

static void stream(struct state *state, enum fetch_kind kind, uint64_t offset, uint64_t len, const void *data)
{
    const struct fetch_head head = {(uint64_t)kind, state->want, offset, len};

    memcpy(state->message, &head, sizeof head);
    if (data)
        memcpy(state->message + sizeof head, data, len);
    state->watch->stream(state->watch->arg, state->message, sizeof head + (data ? len : 0));
    state->watch->progress(state->watch->arg); /* the work is bounded by the object's size */
}

static void stream_data(struct state *state, uint64_t offset, const uint8_t *data, size_t len)
{
    for (size_t done = 0; done < len;) {
        const size_t left = len - done, part = left < FETCH_PIECE ? left : FETCH_PIECE;

        stream(state, FETCH_DATA, offset + done, part, data + done);
        done += part;
    }
}

/* Reads large pieces where all is well; where something cannot be read, pieces shrink until it is known what.
 */
static void read_range(struct state *state, uint64_t start, uint64_t end)
{
    size_t most = READ_LEN;

    while (start < end) {
        const uint64_t border = (start / most + 1) * most;
        const size_t len = (size_t)((border < end ? border : end) - start);

        if (content_read(state->content, start, state->room, len) == 0) {
            stream_data(state, start, state->room, len);
            most = most < READ_LEN ? 2 * most : READ_LEN;
        } else if (most > SMALLEST_READ) {
            most /= 2;
            continue;
        } else {
            stream(state, FETCH_BAD, start, len, NULL);
        }
        start += len;
    }
}

/* Going back would unpack the container again, so a member ends where it cannot be read. */
static void read_packed(struct state *state, uint64_t start, uint64_t end)
{
    while (start < end) {
        const uint64_t left = end - start;
        const ssize_t got = state->content->read(state->content, start, state->room,
                                                 left < READ_LEN ? (size_t)left : READ_LEN);

        if (got <= 0) {
            stream(state, FETCH_BAD, start, left, NULL);
            return;
        }
        stream_data(state, start, state->room, (size_t)got);
        start += (uint64_t)got;
    }
}

static void stream_want(struct state *state, size_t want, const struct object *object)
{
    const uint64_t size = object->size;
    const struct fetch_want *wanted = &state->plan->wants[want];

    state->want = want;
    stream(state, FETCH_BEGIN, size, 0, NULL);
    for (size_t i = 0; i < fetch_ranges(wanted); i++) {
        const struct range range = fetch_range(wanted, i, size);

        (object->kind == OBJECT_MEMBER ? read_packed : read_range)(state, range.start,
                                                                   range.start + range.len);
    }
    stream(state, FETCH_END, size, 0, NULL);
}

static bool set_address(struct state *state, const struct object *object)
{
    buffer_reset(&state->address);
    object_address(&state->address, object);
    buffer_add_char(&state->address, '\0');
    return !state->address.failed && !state->path.failed && !state->host.failed;
}

/* Of a file of the host, or of a member of it: its path in the evidence. */
static void set_path(struct state *state, const struct object *object)
{
    buffer_reset(&state->path);
    if (object->flags & OBJECT_HOST) {
        buffer_add(&state->path, object->stream.data, object->stream.len);
    } else if (object->kind == OBJECT_MEMBER && state->host.len) {
        buffer_add(&state->path, state->host.data, state->host.len);
        buffer_add_text(&state->path, object->inner.len ? "/" : "");
        buffer_add(&state->path, object->inner.data, object->inner.len);
    }
}

static size_t find(struct state *state, const struct object *object, size_t *first)
{
    set_path(state, object);
    return set_address(state, object)
               ? fetch_find(state->plan, state->address.data, state->path.data, state->path.len, first)
               : 0;
}

static bool is_being_read(const struct fetch_plan *plan, size_t want)
{
    return plan->wants[want].on_image == plan->on_image;
}

static bool selects(void *arg, const struct object *object)
{
    struct state *state = arg;
    size_t first = 0;
    const size_t count = find(state, object, &first);

    for (size_t i = 0; i < count; i++)
        if (is_being_read(state->plan, state->plan->sorted[first + i]))
            return true;
    return false;
}

/* Everything is read here, through the object's content, which says what cannot be read. */
static bool begin(void *arg, const struct object *object, struct content *content)
{
    struct state *state = arg;
    size_t first = 0;
    const size_t count = find(state, object, &first);

    state->content = content;
    for (size_t i = 0; i < count; i++) {
        const size_t want = state->plan->sorted[first + i];

        if (is_being_read(state->plan, want))
            stream_want(state, want, object);
    }
    return false;
}

/* Asked about an object on the disk before its members. */
static bool opens(void *arg, const struct object *object)
{
    struct state *state = arg;

    if (object->kind != OBJECT_MEMBER) {
        buffer_reset(&state->host);
        if (object->flags & OBJECT_HOST)
            buffer_add(&state->host, object->stream.data, object->stream.len);
    }
    return set_address(state, object) &&
           fetch_leads(state->plan, state->address.data, state->host.len ? state->host.data : NULL,
                       state->host.len);
}

struct inspector fetch_inspector(struct fetch_plan *plan)
{
    struct inspector inspector = inspector_reader; /* nothing is read the usual way */

    inspector.open = open_state;
    inspector.selects = selects;
    inspector.opens = opens;
    inspector.begin = begin;
    inspector.arg = plan;
    inspector.memory = 2 * sizeof(struct state);
    return inspector;
}
