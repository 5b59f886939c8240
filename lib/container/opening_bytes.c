/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "container/opening_inner.h"

/* ---- unpacking ---- */

static ssize_t unpack(struct opening *opening, struct container *container, void *into, size_t len,
                      struct error *err)
{
    const size_t most = len < CONTAINER_PIECE ? len : CONTAINER_PIECE;
    const ssize_t got = container->read(container, into, most, err);

    opening->watch.progress(opening->watch.arg);
    return got > 0 && (size_t)got > most ? -1 : got;
}

/* The same for the first reading, which is charged.  Returns 0 if nothing more may be unpacked. */
static ssize_t unpack_new(struct opening_bytes *bytes, void *into, size_t len, struct error *err)
{
    struct opening *opening = bytes->opening;
    ssize_t got;

    if (len > opening->left)
        len = (size_t)opening->left;
    if (len == 0) {
        opening->stopped = true;
        return 0;
    }
    got = unpack(opening, bytes->level->container, into, len, err);
    if (got > 0) {
        bytes->at += (size_t)got;
        opening->left -= (size_t)got;
    }
    return got;
}

/* ---- reading ---- */

static void close_again(struct opening_again *again)
{
    if (again->container)
        again->container->close(again->container);
    again->container = NULL;
    again->at = again->recent_len = 0;
}

/* Opens the container again and moves on to the present member. */
static int open_again(struct opening_bytes *bytes, struct opening_again *again)
{
    const struct opening_level *level = bytes->level;
    struct opening *opening = bytes->opening;
    struct container_member member;
    struct error err;

    close_again(again);
    if (!again->recent)
        again->recent = malloc(OPENING_RECENT);
    opening->is_spent |= level->unpacked > opening->again_left;
    if (!again->recent || level->unpacked > opening->again_left)
        return -1;
    opening->again_left -= level->unpacked;
    again->container = level->format->open(&level->sight, &opening->watch, &err);
    for (uint64_t i = 0; again->container && i < level->number; i++) {
        opening->watch.progress(opening->watch.arg);
        if (again->container->next(again->container, &member, &err) <= 0)
            return -1;
    }
    return again->container ? 0 : -1;
}

/* The one that is at an offset, or comes there next; otherwise one is opened that was not used for longest.
 */
static struct opening_again *find_again(struct opening_bytes *bytes, uint64_t offset)
{
    struct opening_again *best = NULL, *oldest = &bytes->again[0];

    for (int i = 0; i < OPENING_AGAIN; i++) {
        struct opening_again *again = &bytes->again[i];

        if (again->container && offset >= again->at - again->recent_len && (!best || again->at > best->at))
            best = again;
        if (again->turn < oldest->turn)
            oldest = again;
    }
    if (!best)
        best = open_again(bytes, oldest) ? NULL : oldest;
    if (best)
        best->turn = ++bytes->turn;
    return best;
}

static ssize_t go_on(struct opening_bytes *bytes, struct opening_again *again)
{
    struct opening *opening = bytes->opening;
    struct error err;
    ssize_t got;

    if (OPENING_RECENT - again->recent_len < CONTAINER_PIECE) {
        const size_t kept_from = again->recent_len - OPENING_RECENT / 2;

        again->recent_len = OPENING_RECENT / 2;
        memmove(again->recent, again->recent + kept_from, again->recent_len);
    }
    if (opening->again_left < CONTAINER_PIECE) {
        opening->is_spent = true;
        return -1;
    }
    got = unpack(opening, again->container, again->recent + again->recent_len, CONTAINER_PIECE, &err);
    if (got > 0) {
        opening->again_left -= (size_t)got;
        again->recent_len += (size_t)got;
        again->at += (size_t)got;
    }
    return got;
}

static ssize_t read_again(struct opening_bytes *bytes, uint64_t offset, void *into, size_t len)
{
    struct opening_again *again = find_again(bytes, offset);

    if (!again)
        return -1;
    while (again->at <= offset)
        if (go_on(bytes, again) <= 0)
            return -1;
    if (len > again->at - offset)
        len = (size_t)(again->at - offset);
    memcpy(into, again->recent + again->recent_len - (again->at - offset), len);
    return (ssize_t)len;
}

static ssize_t read_bytes(struct content *content, uint64_t offset, void *into, size_t len)
{
    struct opening_bytes *bytes = (struct opening_bytes *)content;
    struct error err;
    ssize_t got;

    if (offset >= content->size)
        return 0;
    if (len > content->size - offset)
        len = (size_t)(content->size - offset);
    if (offset < bytes->head_len) {
        if (len > bytes->head_len - offset)
            len = (size_t)(bytes->head_len - offset);
        memcpy(into, bytes->head + offset, len);
        return (ssize_t)len;
    }
    if (bytes->place != CONTAINER_UNKNOWN) {
        struct content *whole = bytes->level->sight.content;

        return whole->read(whole, bytes->place + offset, into, len);
    }
    if (offset != bytes->at)
        return read_again(bytes, offset, into, len);
    got = unpack(bytes->opening, bytes->level->container, into, len, &err);
    if (got > 0)
        bytes->at += (size_t)got;
    return got;
}

/* ---- a new member ---- */

static bool grow_head(struct opening_bytes *bytes, size_t to)
{
    struct opening *opening = bytes->opening;
    uint8_t *grown;

    if (to > bytes->head_most)
        to = bytes->head_most;
    if (to == bytes->head_room || !(grown = realloc(bytes->head, to)))
        return false;
    opening->room_left -= to - bytes->head_room;
    bytes->head = grown;
    bytes->head_room = to;
    return true;
}

/* Fills the head.  Returns 1 if that was all, 0 if there may be more, -1 if the rest cannot be read. */
static int load_head(struct opening_bytes *bytes, uint64_t stated, struct error *err)
{
    enum { SMALLEST = 4 << 10 };

    if (stated < SIZE_MAX / 2 && stated >= SMALLEST)
        grow_head(bytes, (size_t)(stated < OPENING_ROOM ? stated + 1 : OPENING_ROOM));
    for (;;) {
        ssize_t got;

        if (bytes->head_len == bytes->head_room &&
            !grow_head(bytes, bytes->head_room ? 2 * bytes->head_room : SMALLEST))
            return 0;
        got = unpack_new(bytes, bytes->head + bytes->head_len, bytes->head_room - bytes->head_len, err);
        if (got <= 0)
            return got < 0 ? -1 : 1;
        bytes->head_len += (size_t)got;
    }
}

/* Unpacks what is not kept, to learn how much there is. */
static int count_rest(struct opening_bytes *bytes, struct error *err)
{
    ssize_t got;

    while ((got = unpack_new(bytes, bytes->opening->window, CONTAINER_PIECE, err)) > 0)
        ;
    return got < 0 ? -1 : 1;
}

/* A size that the member may well have: it is taken on trust, so that it need not be unpacked twice. */
static bool is_plausible(struct opening_bytes *bytes, uint64_t stated)
{
    struct opening *opening = bytes->opening;

    if (stated == CONTAINER_UNKNOWN || stated <= bytes->at || stated - bytes->at > opening->left)
        return false;
    opening->left -= stated - bytes->at;
    return true;
}

/* What is wrong with a container that is read for its text alone is said of the container. */
static bool lacks_subject(const char *text)
{
    static const char *const verbs[] = {"is ", "has ", "needs ", "cannot "};

    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strncmp(text, verbs[i], strlen(verbs[i])) == 0)
            return true;
    return false;
}

void opening_bytes_load(struct opening_bytes *bytes, struct opening *opening, struct opening_level *level,
                        uint64_t stated)
{
    struct object *object = &level->object;
    struct error err;
    int done;

    *bytes = (struct opening_bytes){.content = {.read = read_bytes}, .opening = opening, .level = level};
    bytes->head_most = opening->room_left / 2; /* so that something is left for members of this one */
    bytes->place = level->container->place ? level->container->place(level->container) : CONTAINER_UNKNOWN;
    done = load_head(bytes, stated, &err);
    bytes->content.head = bytes->head;
    bytes->content.head_len = bytes->head_len;
    if (done == 0 && is_plausible(bytes, stated)) {
        object->size = bytes->content.size = stated;
        return;
    }
    if (done == 0)
        done = count_rest(bytes, &err);
    object->size = bytes->content.size = bytes->at;
    if (opening->stopped)
        object_blame(object, OBJECT_PARTIAL,
                     "only its first %" PRIu64 " bytes were unpacked: its container holds too "
                     "much for its size",
                     bytes->at);
    else if (done < 0)
        object_blame(object, OBJECT_PARTIAL, "it cannot be unpacked after byte %" PRIu64 ": %s%.150s",
                     bytes->at, lacks_subject(err.text) ? "it " : "", err.text);
    else if (stated != CONTAINER_UNKNOWN && stated != bytes->at)
        object_blame(object, OBJECT_PARTIAL, "it has %" PRIu64 " bytes, and its container states %" PRIu64,
                     bytes->at, stated);
}

void opening_bytes_release(struct opening_bytes *bytes)
{
    for (int i = 0; i < OPENING_AGAIN; i++) {
        close_again(&bytes->again[i]);
        free(bytes->again[i].recent);
    }
    bytes->opening->room_left += bytes->head_room;
    free(bytes->head);
}

/* ---- where they are stored ---- */

enum { LEAST_LOCATED = 16 }; /* bytes; fewer may occur anywhere */

/* The offset in the content at which the head begins, looked for in a window; CONTAINER_UNKNOWN if it does
 * not. */
static uint64_t find_head(struct opening_bytes *bytes, struct content *content, uint64_t from)
{
    const uint64_t left = from < content->size ? content->size - from : 0;
    const size_t len = left < CONTAINER_PIECE ? (size_t)left : CONTAINER_PIECE,
                 sought = bytes->head_len < 256 ? bytes->head_len : 256;
    const uint8_t *window = bytes->opening->window, *found;

    if (len < sought || content_read(content, from, bytes->opening->window, len))
        return CONTAINER_UNKNOWN;
    found = memmem(window, len, bytes->head, sought);
    return found ? from + (uint64_t)(found - window) : CONTAINER_UNKNOWN;
}

static bool has_head(struct opening_bytes *bytes, struct content *content, uint64_t at)
{
    uint8_t *window = bytes->opening->window;

    for (size_t done = 0, len; done < bytes->head_len; done += len) {
        len = bytes->head_len - done < CONTAINER_PIECE ? bytes->head_len - done : CONTAINER_PIECE;
        if (content_read(content, at + done, window, len) || memcmp(window, bytes->head + done, len) != 0)
            return false;
    }
    return true;
}

/* Bytes of the parent as runs of the member. */
static void add_runs(struct object *object, const struct object *parent, uint64_t at, uint64_t len)
{
    for (size_t i = 0; i < parent->run_count; i++) {
        const struct object_run *run = &parent->runs[i];
        const uint64_t from = run->offset > at ? run->offset : at,
                       to = run->offset + run->len < at + len ? run->offset + run->len : at + len;

        if (from < to && object_add_run(object, from - at, run->image + (from - run->offset), to - from))
            return;
    }
}

/* Beyond the head, the format's word is taken: what it locates is stored in one piece. */
void opening_bytes_locate(struct opening_bytes *bytes)
{
    struct opening_level *level = bytes->level;
    struct content *content = level->sight.content;
    const uint64_t size = bytes->content.size;
    uint64_t place = bytes->place;

    if (place != CONTAINER_UNKNOWN && bytes->head_len >= LEAST_LOCATED)
        place = find_head(bytes, content, place);
    else
        place = CONTAINER_UNKNOWN;
    if (place != CONTAINER_UNKNOWN && (size > content->size - place || !has_head(bytes, content, place)))
        place = CONTAINER_UNKNOWN;
    bytes->place = place;
    if (place != CONTAINER_UNKNOWN && !(level->parent->flags & OBJECT_COMPRESSED))
        add_runs(&level->object, level->parent, level->offset + place, size);
}
