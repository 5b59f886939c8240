/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/inspect.h"

#include <inttypes.h>

#include "evidence/claims.h"

enum { ZEROS_PIECE = 64 << 20 };

static bool begin(struct inspect *inspect, struct medium *medium, const struct object *object,
                  struct content *content)
{
    const bool notices = inspect->opening && opening_begin(inspect->opening, object);

    if (content)
        content_units_init(&inspect->units, content, medium, object);
    else
        content_runs_init(&inspect->runs, medium, object);
    inspect->again = content ? &inspect->units.content : &inspect->runs.content;
    if (inspect->is_muted)
        return notices;
    return inspect->inspector->begin(inspect->state, object, inspect_again(inspect));
}

struct content *inspect_again(struct inspect *inspect)
{
    return inspect->again;
}

static void give_hole(struct inspect *inspect, uint64_t len)
{
    if (!inspect->is_muted)
        inspect->inspector->hole(inspect->state, len);
    if (inspect->opening)
        opening_skip(inspect->opening, len);
}

static void give_zeros(struct inspect *inspect, uint64_t len)
{
    if (inspect->passes_holes && len >= CLAIMS_LEAST_HOLE) {
        give_hole(inspect, len);
        return;
    }
    while (len > 0) {
        uint64_t piece = len < ZEROS_PIECE ? len : ZEROS_PIECE;

        if (!inspect->is_muted)
            inspect->inspector->zeros(inspect->state, piece);
        if (inspect->opening)
            opening_skip(inspect->opening, piece);
        crew_progress(inspect->worker, piece);
        len -= piece;
    }
}

static void give(struct inspect *inspect, const void *data, size_t len)
{
    if (!inspect->is_muted)
        inspect->inspector->data(inspect->state, data, len);
    if (inspect->opening)
        opening_notice(inspect->opening, data, len);
    crew_progress(inspect->worker, len);
}

void inspect_blame(const struct medium *medium, struct object *object, inspect_bytes *bytes)
{
    uint64_t bad = 0;

    for (size_t i = 0; i < object->run_count; i++)
        bad += bytes(medium, object->runs[i].image, object->runs[i].len);
    if (bad)
        object_blame(object, OBJECT_PARTIAL, "%" PRIu64 " bytes of it cannot be read", bad);
}

static void finish(struct inspect *inspect, const struct medium *medium, struct object *object)
{
    if (!inspect->is_muted)
        inspect->inspector->end(inspect->state, object);
    inspect_blame(medium, object, medium_bad_bytes);
}

static void read_run(struct inspect *inspect, struct medium *medium, const struct object_run *run)
{
    for (uint64_t done = 0; done < run->len;) {
        size_t len = INSPECT_PIECE - (size_t)((run->image + done) % INSPECT_PIECE);

        if (len > run->len - done)
            len = (size_t)(run->len - done);
        medium_read(medium, run->image + done, inspect->room, len);
        give(inspect, inspect->room, len);
        done += len;
    }
}

/* gather: holds the bytes of the runs; NULL: they must still be read. */
static void give_runs(struct inspect *inspect, struct medium *medium, struct object *object,
                      const struct gather *gather)
{
    uint64_t at = 0;

    for (size_t i = 0; i < object->run_count; i++) {
        const struct object_run *run = &object->runs[i];

        give_zeros(inspect, run->offset - at);
        if (gather)
            give(inspect, gather_find(gather, run), (size_t)run->len);
        else
            read_run(inspect, medium, run);
        at = run->offset + run->len;
    }
    give_zeros(inspect, object->size - at);
    finish(inspect, medium, object);
}

/* What is in memory, and whole, need not be read again to see whether it is a container. */
static void keep_gathered(struct inspect *inspect, const struct medium *medium, const struct object *object,
                          const struct gather *gather)
{
    const struct object_run *run = object->runs;

    if (object->run_count != 1 || run->offset > 0 || run->len != object->size ||
        medium_bad_bytes(medium, run->image, run->len))
        return;
    content_memory_init(&inspect->memory, gather_find(gather, run), (size_t)run->len);
    inspect->again = &inspect->memory.content;
}

void inspect_runs(struct inspect *inspect, struct medium *medium, struct object *object)
{
    inspect_gathered(inspect, medium, object, NULL);
}

void inspect_gathered(struct inspect *inspect, struct medium *medium, struct object *object,
                      const struct gather *gather)
{
    const bool wanted = begin(inspect, medium, object, NULL);

    if (wanted)
        give_runs(inspect, medium, object, gather);
    if (gather)
        keep_gathered(inspect, medium, object, gather);
}

void inspect_hollow(struct inspect *inspect, struct medium *medium, struct object *object)
{
    const uint64_t stored = object_stored(object);

    if (!begin(inspect, medium, object, NULL))
        return;
    inspect->passes_holes = true;
    object_blame(object, OBJECT_PARTIAL, "all but %" PRIu64 " of its bytes are holes, so it was not hashed",
                 stored);
    give_runs(inspect, medium, object, NULL);
    inspect->passes_holes = false;
}

/* Like pread(2), but passes the bytes to the inspector. */
static size_t give_content(struct inspect *inspect, struct content *content, uint64_t from, size_t len)
{
    const ssize_t got = content->read(content, from, inspect->room, len);

    if (got <= 0 || (size_t)got > len)
        return 0;
    give(inspect, inspect->room, (size_t)got);
    return (size_t)got;
}

/* Where a piece cannot be read, it is read compression unit by compression unit; units that still fail become
 * zeros.  An object with too many of these is given up. */
void inspect_content(struct inspect *inspect, struct medium *medium, struct object *object,
                     struct content *content)
{
    enum { MOST_FAILURES = 4096 };
    unsigned failures = 0;

    if (!begin(inspect, medium, object, content))
        return;
    for (uint64_t done = 0; done < object->size && failures < MOST_FAILURES;) {
        const uint64_t left = object->size - done, unit = CONTENT_UNIT - done % CONTENT_UNIT;
        size_t len = left < INSPECT_PIECE ? (size_t)left : INSPECT_PIECE,
               got = give_content(inspect, content, done, len);

        if (!got) {
            len = unit < len ? (size_t)unit : len;
            got = give_content(inspect, content, done, len);
        }
        if (!got) {
            object_blame(object, OBJECT_PARTIAL, "it cannot be read at byte %" PRIu64, done);
            give_zeros(inspect, ++failures < MOST_FAILURES ? len : left);
            got = len;
        }
        done += got;
    }
    finish(inspect, medium, object);
}

/* The bytes of a member from an offset on: those in memory, or as many as piece holds.  Returns their number;
 * 0 or less if they cannot be read. */
static ssize_t view_member(struct content *content, uint64_t offset, uint8_t piece[CONTAINER_PIECE],
                           const uint8_t **data)
{
    const uint64_t end = offset < content->head_len ? content->head_len : content->size;
    const size_t len = end - offset < CONTAINER_PIECE ? (size_t)(end - offset) : CONTAINER_PIECE;

    *data = piece;
    if (offset >= content->head_len)
        return content->read(content, offset, piece, len);
    *data = content->head + offset;
    return (ssize_t)len;
}

/* Not counted as progress in bytes: these are not bytes of the evidence. */
void inspect_member(struct inspect *inspect, struct object *object, struct content *content)
{
    uint8_t piece[CONTAINER_PIECE];
    uint64_t done = 0;

    if (!inspect->inspector->begin(inspect->state, object, content))
        return;
    while (done < object->size) {
        const uint8_t *data;
        const ssize_t got = view_member(content, done, piece, &data);

        if (got <= 0)
            break;
        inspect->inspector->data(inspect->state, data, (size_t)got);
        crew_progress(inspect->worker, 0);
        done += (uint64_t)got;
    }
    if (done < object->size)
        object_blame(object, OBJECT_PARTIAL, "it cannot be unpacked after byte %" PRIu64, done);
    for (uint64_t left = object->size - done; left > 0;) {
        const uint64_t len = left < ZEROS_PIECE ? left : ZEROS_PIECE;

        inspect->inspector->zeros(inspect->state, len);
        crew_progress(inspect->worker, 0);
        left -= len;
    }
    inspect->inspector->end(inspect->state, object);
}
