/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "container/media_inner.h"

enum { SMALL_READ = 4 << 10 }; /* after a jump: perhaps only a header is wanted */

void media_progress(struct media *media)
{
    if (media->watch && media->watch->progress)
        media->watch->progress(media->watch->arg);
}

static void fill_window(struct media *media, uint64_t at, size_t len)
{
    media->window_start = at;
    media->window_len = 0;
    if (len > media->size - at)
        len = (size_t)(media->size - at);
    while (media->window_len < len) {
        const ssize_t got = media->content->read(media->content, at + media->window_len,
                                                 media->window + media->window_len, len - media->window_len);

        if (got <= 0)
            break;
        media->window_len += (size_t)got;
    }
    media_progress(media);
}

const uint8_t *media_view(struct media *media, uint64_t at, size_t want, size_t *len)
{
    const uint64_t end = media->window_start + media->window_len;

    *len = 0;
    if (at >= media->size)
        return media->window;
    if (at < media->window_start || at >= end || (end - at < want && end < media->size)) {
        const bool goes_on = media->window_len > 0 && at >= media->window_start && at <= end;

        fill_window(media, at, goes_on ? MEDIA_WINDOW : want > SMALL_READ ? want : SMALL_READ);
    }
    *len = media->window_len - (size_t)(at - media->window_start);
    return media->window + (at - media->window_start);
}

const uint8_t *media_bytes(struct media *media, uint64_t at, size_t want)
{
    size_t len;
    const uint8_t *bytes = media_view(media, at, want, &len);

    return len < want ? NULL : bytes;
}

/* Returns 1 if there is a range with bytes, otherwise as `more`. */
static int find_range(struct media *media, struct error *err)
{
    int more = 1;

    while (media->range.len == 0 && more == 1)
        more = media->more ? media->more(media, err) : 0;
    return more;
}

const uint8_t *media_ready(struct media *media, size_t *len, struct error *err)
{
    const int more = find_range(media, err);
    const uint8_t *bytes;

    *len = 0;
    if (more <= 0)
        return more < 0 ? NULL : media->window;
    bytes = media_view(media, media->range.start, 1, len);
    if (*len > media->range.len)
        *len = (size_t)media->range.len;
    if (*len == 0) {
        error_set(err, "cannot be read at %llu", (unsigned long long)media->range.start);
        return NULL;
    }
    return bytes;
}

void media_taken(struct media *media, size_t len)
{
    media->range.start += len;
    media->range.len -= len;
}

static ssize_t read_member(struct container *container, void *into, size_t len, struct error *err)
{
    struct media *media = (struct media *)container;
    const uint8_t *bytes;
    size_t got;

    if (media->unpack)
        return media->unpack(media, into, len, err);
    bytes = media_ready(media, &got, err);
    if (!bytes)
        return -1;
    if (got > len)
        got = len;
    memcpy(into, bytes, got);
    media_taken(media, got);
    return (ssize_t)got;
}

static uint64_t find_place(struct container *container)
{
    struct media *media = (struct media *)container;

    return !media->unpack && find_range(media, NULL) == 1 ? media->range.start : CONTAINER_UNKNOWN;
}

static int next_member(struct container *container, struct container_member *member, struct error *err)
{
    struct media *media = (struct media *)container;

    while (media->more && media->more(media, NULL) == 1)
        ;
    media->more = NULL;
    media->unpack = NULL;
    media->range.len = 0;
    return media->step(media, member, err);
}

static void close_media(struct container *container)
{
    free(container);
}

struct media *media_new(size_t size, const struct container_sight *sight, const struct container_watch *watch,
                        struct error *err)
{
    struct media *media = memory_new(size, err);

    if (!media)
        return NULL;
    media->container = (struct container){
        .next = next_member, .read = read_member, .place = find_place, .close = close_media};
    media->content = sight->content;
    media->watch = watch;
    media->size = sight->size;
    media->is_carved = sight->is_carved;
    return media;
}

void media_member(struct container_member *member, const char *name)
{
    *member = (struct container_member){.name = name, .name_len = strlen(name), .size = CONTAINER_UNKNOWN};
}

void media_member_range(struct media *media, struct container_member *member, const char *name,
                        uint64_t start, uint64_t len)
{
    media_member(member, name);
    if (start > media->size)
        start = media->size;
    if (len > media->size - start)
        len = media->size - start;
    member->size = len;
    media->range = (struct media_range){start, len};
}
