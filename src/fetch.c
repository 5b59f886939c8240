/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fetch_inner.h"

/* How far a want has come. */
struct got {
    enum { MISSING, ARRIVING, STREAMED, ENDED } state;
    bool elsewhere; /* what arrives is of another volume, and ignored */
    uint64_t size;
    size_t range; /* that is arriving; those before it are complete */
    uint64_t done;
};

struct fetch {
    struct fetch_plan plan;
    struct got *got;
    size_t left;          /* of those that are being read: wants that are not complete, ... */
    bool any_open;        /* ... and whether there are some that may be found in several volumes */
    struct ranges ranges; /* of the image */
    const struct fetch_sink *sink;
    const atomic_bool *stopped_by_caller;
    atomic_bool stop;
    bool is_refused; /* by a callback */
    bool no_memory;
    struct buffer address;
};

static void check(struct fetch *fetch, int refused)
{
    fetch->is_refused |= refused != 0;
    if (fetch->is_refused || fetch->no_memory || (fetch->left == 0 && !fetch->any_open) ||
        (fetch->stopped_by_caller && atomic_load(fetch->stopped_by_caller)))
        atomic_store(&fetch->stop, true);
}

/* It cannot be found twice. */
static bool is_single(const struct fetch_want *want)
{
    return want->on_image || want->volume;
}

static bool is_of_volume(const struct fetch_want *want, const struct evidence_volume *volume)
{
    return want->on_image || !want->volume || strcmp(want->volume, volume->label) == 0;
}

/* Ranges that are empty need no message. */
static void skip_done(const struct fetch_want *want, struct got *got)
{
    while (got->range < fetch_ranges(want) && got->done == fetch_range(want, got->range, got->size).len) {
        got->range++;
        got->done = 0;
    }
}

static bool take_begin(struct fetch *fetch, const struct evidence_volume *volume, size_t want, uint64_t size)
{
    struct got *got = &fetch->got[want];

    if (got->state == ENDED && is_single(&fetch->plan.wants[want])) {
        got->elsewhere = true; /* the evidence has two of them: the first counts */
        return true;
    }
    *got = (struct got){.state = ARRIVING, .size = size};
    got->elsewhere = !is_of_volume(&fetch->plan.wants[want], volume);
    skip_done(&fetch->plan.wants[want], got);
    if (!got->elsewhere)
        check(fetch, fetch->sink->begin(fetch->sink->arg, want, volume->label, size));
    return true;
}

/* Returns whether these bytes are the next ones wanted. */
static bool advance(const struct fetch_want *want, struct got *got, const struct fetch_head *head)
{
    struct range range;

    if (got->state != ARRIVING || got->range == fetch_ranges(want))
        return false;
    range = fetch_range(want, got->range, got->size);
    if (head->offset != range.start + got->done || head->len == 0 || head->len > range.len - got->done)
        return false;
    got->done += head->len;
    skip_done(want, got);
    return true;
}

static bool take_bytes(struct fetch *fetch, const struct fetch_head *head, const void *data)
{
    const struct fetch_sink *sink = fetch->sink;
    struct got *got = &fetch->got[head->want];

    if (got->elsewhere)
        return true;
    if (!advance(&fetch->plan.wants[head->want], got, head))
        return false;
    check(fetch, data ? sink->data(sink->arg, (size_t)head->want, head->offset, data, (size_t)head->len)
                      : sink->bad(sink->arg, (size_t)head->want, head->offset, head->len));
    return true;
}

static bool take_end(struct fetch *fetch, size_t want)
{
    struct got *got = &fetch->got[want];

    if (got->elsewhere)
        return true;
    if (got->state != ARRIVING || got->range != fetch_ranges(&fetch->plan.wants[want]))
        return false;
    got->state = STREAMED;
    return true;
}

static bool take_stream(void *arg, const struct evidence_volume *volume, const void *data, size_t len)
{
    struct fetch *fetch = arg;
    struct fetch_head head;

    if (len < sizeof head)
        return false;
    memcpy(&head, data, sizeof head);
    if (head.want >= fetch->plan.count || head.offset > INT64_MAX || head.len > INT64_MAX ||
        len - sizeof head != (head.kind == FETCH_DATA ? head.len : 0))
        return false;
    switch (head.kind) {
    case FETCH_BEGIN:
        return take_begin(fetch, volume, (size_t)head.want, head.offset);
    case FETCH_DATA:
        return take_bytes(fetch, &head, (const char *)data + sizeof head);
    case FETCH_BAD:
        return take_bytes(fetch, &head, NULL);
    case FETCH_END:
        return take_end(fetch, (size_t)head.want);
    default:
        return false;
    }
}

/* Ends a want if all of it was streamed, or if nothing of it can be. */
static void end_want(struct fetch *fetch, size_t want, const struct evidence_volume *volume,
                     const struct object *object, const char *paths, size_t count)
{
    struct got *got = &fetch->got[want];

    if (!is_of_volume(&fetch->plan.wants[want], volume) ||
        fetch->plan.wants[want].on_image != fetch->plan.on_image || got->state == ENDED ||
        (got->state != STREAMED && object->state != OBJECT_UNREADABLE))
        return;
    got->state = ENDED;
    fetch->left -= is_single(&fetch->plan.wants[want]);
    check(fetch, fetch->sink->end(fetch->sink->arg, want, volume->label, object, paths, count));
}

static void take_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                        const char *paths, size_t count)
{
    const bool is_host = count && (object->flags & OBJECT_HOST ||
                                   (object->kind == OBJECT_MEMBER && object->parent.data[0] == '-'));
    struct fetch *fetch = arg;
    size_t first = 0, found;

    buffer_reset(&fetch->address);
    object_address(&fetch->address, object);
    buffer_add_char(&fetch->address, '\0');
    fetch->no_memory |= fetch->address.failed;
    found = fetch->address.failed ? 0
                                  : fetch_find(&fetch->plan, fetch->address.data, is_host ? paths : NULL,
                                               is_host ? strlen(paths) : 0, &first);
    for (size_t i = 0; i < found; i++)
        end_want(fetch, fetch->plan.sorted[first + i], volume, object, paths, count);
    check(fetch, 0);
}

static void take_image(void *arg, const struct evidence_image *image)
{
    struct fetch *fetch = arg;

    if (fetch->sink->image)
        check(fetch, fetch->sink->image(fetch->sink->arg, image));
}

static void be_idle(void *arg)
{
    check(arg, 0);
}

static void take_problem(void *arg, const char *text)
{
    const struct fetch *fetch = arg;

    if (fetch->sink->problem)
        fetch->sink->problem(fetch->sink->arg, text);
}

/* ---- the plan ---- */

static int by_address(const void *a, const void *b, void *wants)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const struct fetch_want *all = wants, *other = &all[y];
    const int order =
        fetch_compare(&all[x], other->address, other->path, other->path ? strlen(other->path) : 0);

    return order ? order : (x > y) - (x < y);
}

static int plan(struct fetch *fetch, const struct fetch_want *wants, size_t count, struct error *err)
{
    fetch->plan = (struct fetch_plan){
        .wants = wants, .count = count, .sorted = memory_new((count + 1) * sizeof(size_t), err)};
    fetch->got = memory_new((count + 1) * sizeof *fetch->got, err);
    if (!fetch->plan.sorted || !fetch->got)
        return -1;
    for (size_t i = 0; i < count; i++) {
        fetch->plan.sorted[i] = i;
    }
    qsort_r(fetch->plan.sorted, count, sizeof(size_t), by_address, (void *)wants);
    return 0;
}

/* The range that an address like "@4096+65536" names.  Returns -1 if out of memory; any other is left out,
 * and so not found. */
static int add_range(struct ranges *ranges, const char *address)
{
    char *plus, *end;
    const uint64_t start = strtoull(address + (*address == '@'), &plus, 10),
                   len = *plus == '+' ? strtoull(plus + 1, &end, 10) : 0;

    if (*address != '@' || *plus != '+' || *end || len == 0)
        return 0;
    if (ranges_reserve(ranges))
        return -1;
    ranges->list[ranges->count++] = (struct range){start, len};
    return 0;
}

/* Chooses the wants to read.  Returns 1, 0 if there are none, -1 without memory. */
static int choose(struct fetch *fetch, bool on_image)
{
    const struct fetch_plan *plan = &fetch->plan;
    const char *last = "";
    int found = 0;

    fetch->plan.on_image = on_image;
    fetch->left = 0;
    fetch->any_open = false;
    for (size_t i = 0; i < plan->count; i++) {
        const struct fetch_want *want = &plan->wants[plan->sorted[i]];

        if (want->on_image != on_image)
            continue;
        found = 1;
        fetch->left += is_single(want);
        fetch->any_open |= !is_single(want);
        if (on_image && strcmp(want->address, last) != 0 && add_range(&fetch->ranges, want->address))
            return -1;
        last = want->address;
    }
    return found;
}

/* Whether something wanted is packed in a container.  Of objects on the disk, no address has a slash. */
static bool is_any_packed(const struct fetch *fetch)
{
    for (size_t i = 0; i < fetch->plan.count; i++)
        if (strchr(fetch->plan.wants[i].address, '/'))
            return true;
    return false;
}

/* Reads the chosen wants. */
static enum evidence_result read_chosen(struct fetch *fetch, const char *path,
                                        const struct evidence_options *options, struct error *err)
{
    const struct inspector inspector = fetch_inspector(&fetch->plan);
    const struct evidence_sink sink = {.image = take_image,
                                       .object = take_object,
                                       .stream = take_stream,
                                       .problem = take_problem,
                                       .idle = be_idle,
                                       .arg = fetch};
    struct evidence_options reading = *options;
    enum evidence_result result;

    fetch->stopped_by_caller = options->stop;
    atomic_store(&fetch->stop, false);
    reading.inspector = &inspector;
    reading.stop = &fetch->stop;
    if (fetch->plan.on_image) {
        reading.ranges = &fetch->ranges;
        reading.kinds = OBJECT_BIT(OBJECT_IMAGE);
    } else if (is_any_packed(fetch)) { /* the inspector says what is to be opened */
        reading.kinds |= OBJECT_BIT(OBJECT_MEMBER);
        reading.opening = OPENING_ALL;
        reading.depth = OPENING_MOST_DEPTH;
        reading.unpacked_most = UINT64_MAX; /* only what was asked for is opened */
    }
    result = evidence_read(path, &reading, &sink, err);
    return result == EVIDENCE_STOPPED && fetch->left == 0 && !fetch->is_refused ? EVIDENCE_DONE : result;
}

static enum evidence_result read_all(struct fetch *fetch, const char *path,
                                     const struct evidence_options *options, struct error *err)
{
    enum evidence_result result = EVIDENCE_DONE;

    for (int on_image = 1; on_image >= 0; on_image--) {
        const int any = choose(fetch, on_image);
        enum evidence_result now;

        fetch->no_memory |= any < 0;
        now = any > 0 ? read_chosen(fetch, path, options, err) : EVIDENCE_DONE;
        result = now > result ? now : result;
        if (fetch->no_memory)
            error_set(err, "out of memory");
        if (fetch->no_memory || fetch->is_refused || result >= EVIDENCE_STOPPED)
            break;
    }
    return fetch->no_memory ? EVIDENCE_FAILED : result;
}

enum evidence_result fetch(const char *path, const struct evidence_options *options,
                           const struct fetch_want *wants, size_t count, const struct fetch_sink *sink,
                           struct error *err)
{
    struct fetch fetch = {.sink = sink};
    enum evidence_result result = EVIDENCE_FAILED;

    if (plan(&fetch, wants, count, err) == 0)
        result = read_all(&fetch, path, options, err);
    free(fetch.plan.sorted);
    free(fetch.got);
    ranges_release(&fetch.ranges);
    buffer_release(&fetch.address);
    return result;
}
