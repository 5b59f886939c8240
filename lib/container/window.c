/* SPDX-License-Identifier: Apache-2.0 */
#include "container/window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SECTOR = 512 };

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

/* Whether no text has this byte: it is a control character, but not one for layout or of ISO 2022. */
static bool is_foreign(uint8_t byte)
{
    return byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f' && byte != '\b' &&
           byte != 0x0e && byte != 0x0f && byte != 0x1b;
}

/* The number of bytes, of those at this offset, that are text. */
static size_t text_len(const uint8_t *bytes, size_t len, uint64_t at)
{
    size_t text = 0, into_sector;

    while (text < len && !is_foreign(bytes[text]))
        text++;
    if (text == len || bytes[text] == 0)
        return text;
    into_sector = (size_t)((at + text) % SECTOR);
    return text < into_sector ? 0 : text - into_sector;
}

/* Text is read in whole sectors, since it may end before the one that was read last. */
static ssize_t read_more(struct window *window, uint64_t at, uint8_t *into, size_t len)
{
    size_t done = 0;
    ssize_t got;

    if (window->is_text && at + len < window->size && len > SECTOR)
        len -= (size_t)((at + len) % SECTOR);
    do {
        got = window->content->read(window->content, at + done, into + done, len - done);
        done += got > 0 ? (size_t)got : 0;
    } while (window->is_text && got > 0 && done < len);
    return done > 0 ? (ssize_t)done : got;
}

/* Reads what fits.  Returns whether anything was read. */
static bool fill(struct window *window)
{
    const uint64_t at = window->start + window->len;
    const uint64_t left = at < window->size ? window->size - at : 0;
    const size_t room = window->room - window->len;
    uint8_t *into = window->data + window->len;
    size_t text;
    ssize_t got;

    if (left == 0 || room == 0)
        return false;
    got = read_more(window, at, into, left < room ? (size_t)left : room);
    if (got <= 0) {
        window->is_broken = true;
        window->size = at;
        return false;
    }
    text = window->is_text ? text_len(into, (size_t)got, at) : (size_t)got;
    if (text < (size_t)got)
        window->size = at + text;
    window->len += text;
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
