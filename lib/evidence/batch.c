/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/batch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "evidence/claims.h"
#include "evidence/gather.h"
#include "evidence/inspect.h"

enum { LARGE = 1 << 20 }; /* bytes; larger objects are read on their own */

struct batch {
    struct inspect inspect;
    struct batch_object {
        struct object object;
        bool is_pending; /* not inspected yet */
    } * objects;
    size_t count, room;
    size_t delivered; /* of these */
    batch_done *done;
    void *done_arg;
    uint64_t pending_len; /* total size of the pending objects */
    struct claims claims; /* since the last flush */
    struct gather gather;
    const struct allowance *allowance; /* what is left for members */
    uint64_t stepping;                 /* the item whose containers are being opened, */
    uint32_t steps;                    /* and how far that came */
    uint8_t *arena;                    /* memory for whatever is being read */
};

struct batch *batch_new(const struct inspector *inspector, void *state, struct crew_worker *worker,
                        struct error *err)
{
    struct batch *batch = calloc(1, sizeof *batch);

    if (batch && inspector)
        batch->arena = malloc(2 * (size_t)GATHER_MOST);
    if (!batch || (inspector && !batch->arena)) {
        free(batch);
        error_set(err, "out of memory");
        return NULL;
    }
    _Static_assert((int)GATHER_MOST >= INSPECT_PIECE, "the arena must have room for either");
    batch->inspect.inspector = inspector;
    batch->inspect.state = state;
    batch->inspect.worker = worker;
    batch->inspect.room = batch->arena;
    batch->claims.by_object = inspector && inspector->hole;
    return batch;
}

void batch_free(struct batch *batch)
{
    if (!batch)
        return;
    for (size_t i = 0; i < batch->room; i++)
        object_release(&batch->objects[i].object);
    free(batch->objects);
    opening_free(batch->inspect.opening);
    gather_release(&batch->gather);
    free(batch->arena);
    free(batch);
}

void batch_trust(struct batch *batch)
{
    batch->claims.is_trusted = true;
}

void batch_deliver(struct batch *batch, batch_done *done, void *arg)
{
    batch->done = done;
    batch->done_arg = arg;
}

/* ---- what is packed in objects ---- */

static bool is_wanted(const struct batch *batch, const struct object *object)
{
    const struct inspect *inspect = &batch->inspect;

    return !(object->flags & OBJECT_UNWANTED) &&
           (!inspect->inspector->selects || inspect->inspector->selects(inspect->state, object));
}

static bool opens(void *arg, const struct object *object)
{
    const struct batch *batch = arg;
    const struct inspector *inspector = batch->inspect.inspector;

    return !(object->flags & OBJECT_UNWANTED) &&
           (!inspector->opens || inspector->opens(batch->inspect.state, object));
}

static bool take_member(void *arg, struct object *member, struct content *content)
{
    struct batch *batch = arg;

    member->item = batch->objects[batch->delivered - 1].object.item;
    if (content && is_wanted(batch, member))
        inspect_member(&batch->inspect, member, content);
    return batch->done(batch->done_arg, member);
}

static void progress(void *arg)
{
    struct batch *batch = arg;

    crew_progress(batch->inspect.worker, 0);
}

/* The objects of an item are opened one after another. */
static const char *step(void *arg)
{
    struct batch *batch = arg;

    return crew_step(batch->inspect.worker, ++batch->steps);
}

int batch_open(struct batch *batch, const struct opening_extent *extent, const struct allowance *allowance,
               struct error *err)
{
    const struct opening_sink sink = {
        .opens = opens, .member = take_member, .progress = progress, .step = step, .arg = batch};

    batch->allowance = allowance;
    batch->inspect.opening = opening_new(extent, &sink, err);
    return batch->inspect.opening ? 0 : -1;
}

/* ---- delivering ---- */

static void deliver(struct batch *batch, struct medium *medium, size_t count)
{
    for (; batch->delivered < count; batch->delivered++) {
        struct object *object = &batch->objects[batch->delivered].object;

        inspect_blame(medium, object, medium_lost_bytes);
        batch->done(batch->done_arg, object);
    }
}

/* Delivers an object that was just inspected, and all before it, then what is packed in it. */
static void deliver_inspected(struct batch *batch, struct medium *medium, size_t index)
{
    struct object *object = &batch->objects[index].object;
    struct inspect *inspect = &batch->inspect;
    const uint32_t item = (uint32_t)object->item * BATCH_HALVES;

    deliver(batch, medium, index + 1);
    if (!inspect->opening)
        return;
    if (batch->stepping != object->item)
        batch->steps = 0;
    batch->stepping = object->item;
    if (crew_begin(inspect->worker, item + 1))
        opening_object(inspect->opening, object, inspect_again(inspect), allowance_left(batch->allowance));
    crew_begin(inspect->worker, item);
}

/* ---- many small objects ---- */

static bool gather_pending(struct batch *batch, struct medium *medium)
{
    gather_reset(&batch->gather);
    for (size_t i = 0; i < batch->count; i++)
        if (batch->objects[i].is_pending && gather_add(&batch->gather, &batch->objects[i].object))
            return false;
    gather_read(&batch->gather, medium, batch->arena);
    return true;
}

static void inspect_pending(struct batch *batch, struct medium *medium)
{
    const bool together = gather_pending(batch, medium); /* if memory runs out, read them one by one */

    for (size_t i = 0; i < batch->count; i++) {
        struct object *object = &batch->objects[i].object;

        if (!batch->objects[i].is_pending)
            continue;
        batch->objects[i].is_pending = false;
        crew_begin(batch->inspect.worker, (uint32_t)object->item * BATCH_HALVES);
        inspect_gathered(&batch->inspect, medium, object, together ? &batch->gather : NULL);
        deliver_inspected(batch, medium, i);
    }
    batch->pending_len = 0;
}

/* ---- adding objects ---- */

/* Swaps the object into an array whose elements are reused, together with their memory. */
static struct batch_object *take(struct batch *batch, struct object *object)
{
    const size_t room = batch->room;
    struct batch_object *taken;
    struct object swap;

    if (array_reserve(&batch->objects, &batch->room, batch->count + 1))
        return NULL;
    if (batch->room > room)
        memset(batch->objects + room, 0, (batch->room - room) * sizeof *batch->objects);
    taken = &batch->objects[batch->count++];
    swap = taken->object;
    taken->object = *object;
    *object = swap;
    object_reset(object);
    taken->is_pending = false;
    return taken;
}

/* Problems that show without reading anything. */
static void blame_missing(const struct medium *medium, struct object *object)
{
    const uint64_t size = medium_size(medium);
    uint64_t missing = object_overlap(object, size, INT64_MAX - size);

    if (missing)
        object_blame(object, OBJECT_PARTIAL, "%" PRIu64 " bytes of it lie beyond the end of the image",
                     missing);
}

/* Returns whether it is possible to inspect only the stored bytes of an object with too many holes.  If not,
 * a file of the host is inspected in full, and any other object is given up. */
static bool passes_holes(const struct batch *batch, const struct content *content)
{
    return !content && batch->inspect.inspector->hole;
}

/*
 * Returns whether to give up an object because of what it claims.  This must not depend on whether its
 * content is wanted, or a resumed scan would give a different result.
 */
static bool gives_up(struct batch *batch, const struct medium *medium, struct object *object,
                     const struct content *content, bool is_hollow)
{
    const uint64_t stored = object_stored(object);

    if (object->state == OBJECT_UNREADABLE)
        return true;
    if (claims_exceed(&batch->claims, medium_size(medium), stored)) {
        object_blame(object, OBJECT_UNREADABLE,
                     "it and neighbouring objects claim more data than the image holds");
        return true;
    }
    if (!is_hollow || batch->claims.is_trusted || passes_holes(batch, content))
        return false;
    object_blame(object, OBJECT_UNREADABLE, "only %" PRIu64 " of its bytes are stored, the rest is holes",
                 stored);
    return true;
}

static void inspect_now(struct batch *batch, struct medium *medium, struct object *object,
                        struct content *content, bool is_hollow)
{
    if (is_hollow && passes_holes(batch, content))
        inspect_hollow(&batch->inspect, medium, object);
    else if (content)
        inspect_content(&batch->inspect, medium, object, content);
    else
        inspect_runs(&batch->inspect, medium, object);
}

int batch_add(struct batch *batch, struct medium *medium, uint32_t item, struct object *object,
              struct content *content)
{
    const uint64_t stored = object_stored(object);
    struct batch_object *taken = take(batch, object);
    bool is_hollow, is_muted = false;

    if (!taken)
        return -1;
    object = &taken->object;
    object->item = item;
    blame_missing(medium, object);
    if (!batch->inspect.inspector)
        return 0;
    is_hollow = claims_are_hollow(&batch->claims, object, stored);
    if (gives_up(batch, medium, object, content, is_hollow))
        object->run_count = 0; /* bytes that are not read must not be claimed */
    else if ((is_muted = !is_wanted(batch, object)) && !(batch->inspect.opening && opens(batch, object)))
        return 0;
    else if (content || is_muted || is_hollow || stored > LARGE) {
        inspect_pending(batch, medium); /* they are delivered first */
        crew_begin(batch->inspect.worker, item * BATCH_HALVES);
        batch->inspect.is_muted = is_muted;
        inspect_now(batch, medium, object, content, is_hollow);
        batch->inspect.is_muted = false;
        deliver_inspected(batch, medium, batch->count - 1);
    } else {
        if (batch->pending_len + stored > GATHER_MOST)
            inspect_pending(batch, medium);
        batch->pending_len += stored;
        taken->is_pending = true;
    }
    return 0;
}

void batch_flush(struct batch *batch, struct medium *medium)
{
    inspect_pending(batch, medium);
    deliver(batch, medium, batch->count);
    batch->count = batch->delivered = 0;
    batch->steps = 0;
    claims_reset(&batch->claims);
}
