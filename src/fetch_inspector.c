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
    struct buffer address;
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

static void stream_want(struct state *state, size_t want, uint64_t size)
{
    const struct fetch_want *wanted = &state->plan->wants[want];

    state->want = want;
    stream(state, FETCH_BEGIN, size, 0, NULL);
    for (size_t i = 0; i < fetch_ranges(wanted); i++) {
        const struct range range = fetch_range(wanted, i, size);

        read_range(state, range.start, range.start + range.len);
    }
    stream(state, FETCH_END, size, 0, NULL);
}

static size_t find(struct state *state, const struct object *object, size_t *first)
{
    buffer_reset(&state->address);
    object_address(&state->address, object);
    buffer_add_char(&state->address, '\0');
    return state->address.failed ? 0 : fetch_find(state->plan, state->address.data, object, first);
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
            stream_want(state, want, object->size);
    }
    return false;
}

struct inspector fetch_inspector(struct fetch_plan *plan)
{
    struct inspector inspector = inspector_reader; /* nothing is read the usual way */

    inspector.open = open_state;
    inspector.selects = selects;
    inspector.begin = begin;
    inspector.arg = plan;
    inspector.memory = 2 * sizeof(struct state);
    return inspector;
}
