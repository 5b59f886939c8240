/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "container/encoded_inner.h"

/* Searches on, as far as the view goes.  Returns false if there is nothing left to be searched. */
static bool search(struct encoded *encoded)
{
    const uint64_t base =
        encoded->at - encoded->floor > ENCODED_BACK ? encoded->at - ENCODED_BACK : encoded->floor;
    const size_t from = (size_t)(encoded->at - base);
    size_t len, to, found, back, start;
    const uint8_t *data =
        window_view(&encoded->window, base, ENCODED_BACK + ENCODED_AHEAD + ENCODED_PAIR, &len);

    encoded->watch->progress(encoded->watch->arg);
    to = base + len >= encoded->window.size ? len : len - ENCODED_AHEAD;
    found = encoded->kind->find(data, from, to);
    if (found >= to) {
        encoded->at = base + (to > from + ENCODED_PAIR ? to - ENCODED_PAIR + 1 : to);
        return base + to < encoded->window.size;
    }
    back = found > ENCODED_BACK ? found - ENCODED_BACK : 0;
    encoded->in_block = encoded->kind->examine(encoded, data + back, found - back, len - back, &start);
    encoded->at = base + back + start;
    return true;
}

/* A block that lies in two pieces has at least half its bytes in one of them: at its end, or at its
 * beginning. */
bool encoded_notices(const struct encoded_kind *kind, const uint8_t *data, size_t len)
{
    struct encoded encoded = {.kind = kind};
    size_t at = 0, back, start;

    if (len < ENCODED_PAIR || kind->find(data, 0, ENCODED_PAIR) == 0 ||
        kind->find(data, len - ENCODED_PAIR, len) < len)
        return true;
    while ((at = kind->find(data, at, len)) < len) {
        back = at > ENCODED_BACK ? at - ENCODED_BACK : 0;
        if (kind->examine(&encoded, data + back, at - back, len - back, &start))
            return true;
        at = back + start;
    }
    return false;
}

/* Decodes more of the block.  Returns false at its end. */
static bool decode(struct encoded *encoded)
{
    size_t len;
    const uint8_t *data;

    buffer_reset(&encoded->decoded);
    encoded->taken = 0;
    if (!encoded->in_block)
        return false;
    data = window_view(&encoded->window, encoded->at, ENCODED_AHEAD, &len);
    encoded->watch->progress(encoded->watch->arg);
    encoded->at += encoded->kind->take(encoded, data, len);
    if (encoded->is_over) {
        encoded->kind->end(encoded);
        encoded->in_block = false;
        encoded->floor = encoded->at;
    }
    return true;
}

static int unreadable(const struct encoded *encoded, struct error *err)
{
    return error_set(err, "cannot be read from byte %llu on", (unsigned long long)encoded->window.size);
}

static int encoded_next(struct container *container, struct container_member *member, struct error *err)
{
    struct encoded *encoded = (struct encoded *)container;

    while (decode(encoded))
        ;
    if (!encoded->kind->find && encoded->at == 0 && encoded->window.size) {
        encoded->in_block = true;
        snprintf(encoded->name, sizeof encoded->name, "text");
    } else {
        while (!encoded->in_block)
            if (!encoded->kind->find || !search(encoded))
                return encoded->window.is_broken ? unreadable(encoded, err) : 0;
        snprintf(encoded->name, sizeof encoded->name, "%llu", (unsigned long long)encoded->at);
    }
    encoded->is_over = false;
    *member = (struct container_member){
        .name = encoded->name, .name_len = strlen(encoded->name), .size = CONTAINER_UNKNOWN};
    return encoded->decoded.failed ? error_set(err, "out of memory") : 1;
}

static ssize_t encoded_read(struct container *container, void *into, size_t len, struct error *err)
{
    struct encoded *encoded = (struct encoded *)container;
    size_t left;

    while (encoded->taken == encoded->decoded.len && decode(encoded))
        ;
    if (encoded->decoded.failed)
        return error_set(err, "out of memory");
    left = encoded->decoded.len - encoded->taken;
    if (left == 0)
        return encoded->window.is_broken && encoded->at >= encoded->window.size ? unreadable(encoded, err)
                                                                                : 0;
    len = len < left ? len : left;
    memcpy(into, encoded->decoded.data + encoded->taken, len);
    encoded->taken += len;
    return (ssize_t)len;
}

static uint64_t encoded_place(struct container *container)
{
    (void)container;
    return CONTAINER_UNKNOWN;
}

static void encoded_close(struct container *container)
{
    struct encoded *encoded = (struct encoded *)container;

    window_release(&encoded->window);
    buffer_release(&encoded->decoded);
    free(encoded);
}

struct container *encoded_open(const struct encoded_kind *kind, const struct container_sight *sight,
                               const struct container_watch *watch, struct error *err)
{
    struct encoded *encoded = memory_new(sizeof *encoded, err);

    if (!encoded)
        return NULL;
    encoded->container = (struct container){
        .next = encoded_next, .read = encoded_read, .place = encoded_place, .close = encoded_close};
    encoded->kind = kind;
    encoded->watch = watch;
    if (window_init(&encoded->window, sight->content, false, err)) {
        free(encoded);
        return NULL;
    }
    return &encoded->container;
}
