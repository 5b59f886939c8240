/* SPDX-License-Identifier: Apache-2.0 */
#include "container/window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int window_init(struct window *window, struct content *content, bool is_text, struct error *err)
{
    const size_t room = content->size < WINDOW_ROOM ? (size_t)content->size + 1 : WINDOW_ROOM;

    *window = (struct window){.content = content, .size = content->size, .is_text = is_text, .room = room};
    window->data = memory_new(room, err);
    return window->data ? 0 : -1;
}

void window_release(struct window *window)
{
    free(window->data);
    *window = (struct window){0};
}

/* Drops what lies before `at`. */
static void move_to(struct window *window, uint64_t at)
{
    const uint64_t passed = at - window->start;

    if (passed < window->len) {
        window->len -= (size_t)passed;
        memmove(window->data, window->data + passed, window->len);
    } else
        window->len = 0;
    window->start = at;
}

/* Reads what fits.  Returns whether anything was read. */
static bool fill(struct window *window)
{
    const uint64_t at = window->start + window->len;
    const uint64_t left = at < window->size ? window->size - at : 0;
    const size_t room = window->room - window->len;
    uint8_t *into = window->data + window->len;
    const uint8_t *zero;
    ssize_t got;

    if (left == 0 || room == 0)
        return false;
    got = window->content->read(window->content, at, into, left < room ? (size_t)left : room);
    if (got <= 0) {
        window->is_broken = true;
        window->size = at;
        return false;
    }
    zero = window->is_text ? memchr(into, 0, (size_t)got) : NULL;
    if (zero) {
        got = zero - into;
        window->size = at + (uint64_t)got;
    }
    window->len += (size_t)got;
    return true;
}

const uint8_t *window_view(struct window *window, uint64_t at, size_t want, size_t *len)
{
    assert(at >= window->start && want <= WINDOW_ROOM / 2);
    if (at > window->size)
        at = window->size;
    if (at >= window->start + window->len || window->start + window->len - at < want) {
        if (window->start + window->len < window->size || at > window->start + window->len)
            move_to(window, at);
        while (window->len < want && fill(window))
            ;
    }
    *len = (size_t)(window->start + window->len - at);
    return window->data + (at - window->start);
}
