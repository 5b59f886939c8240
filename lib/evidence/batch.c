/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/batch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "disk/content_units.h"

enum {
    ARENA_LEN = 4 << 20, /* content of small objects that is read together */
    LARGE = 1 << 20,     /* an object of more is read alone */
    PIECE = 1 << 20,     /* of a large one */
    MAX_GAP = 4 << 10,   /* between two runs: reading it costs less than another call */
    ZEROS_PIECE = 64 << 20,
};

/* Zeros that no block holds cost time to hash but nothing to claim: what is taken together has so many of
 * them at most. */
#define MAX_HOLES ((uint64_t)32 << 30)
/* Where an object can do without a digest, it is not asked what its neighbours have, so that the outcome does
 * not depend on them: it has so many, and so many for each byte that is stored. */
#define MAX_OWN_HOLES  ((uint64_t)256 << 20)
#define HOLES_PER_BYTE 4096
/* In an object that has more, holes of this size on are passed over. */
#define HOLE_LEAST ((uint64_t)1 << 20)
/* Files may claim the same blocks: what is taken together is read at most twice the medium's size, and a
 * little. */
#define MORE_THAN_MEDIUM ((uint64_t)64 << 20)

struct piece {
    uint64_t image, len;
    const uint8_t *at; /* where its bytes are, once they were read */
};

struct batch {
    const struct inspector *inspector;
    void *state;
    struct content_runs runs;   /* the way back to the bytes of the object that is inspected: */
    struct content_units units; /* one of the two */
    struct crew_worker *worker;
    struct object *objects;
    bool *pending; /* still to be inspected */
    size_t count, room;
    uint64_t pending_len;   /* bytes */
    uint64_t holes, stored; /* bytes since the last flush */
    bool hollow;            /* the object that is inspected has more than can be hashed */
    bool trusts;            /* sizes are what the system says */
    struct piece *pieces;
    size_t piece_count, piece_room;
    uint8_t *arena; /* ARENA_LEN, and gaps */
};

struct batch *batch_new(const struct inspector *inspector, void *state, struct crew_worker *worker,
                        struct error *err)
{
    struct batch *batch = calloc(1, sizeof *batch);

    if (batch && inspector)
        batch->arena = malloc(2 * (size_t)ARENA_LEN);
    if (!batch || (inspector && !batch->arena)) {
        free(batch);
        error_set(err, "out of memory");
        return NULL;
    }
    batch->inspector = inspector;
    batch->state = state;
    batch->worker = worker;
    return batch;
}

void batch_free(struct batch *batch)
{
    if (!batch)
        return;
    for (size_t i = 0; i < batch->room; i++)
        object_release(&batch->objects[i]);
    free(batch->objects);
    free(batch->pending);
    free(batch->pieces);
    free(batch->arena);
    free(batch);
}

/* ---- one object ---- */

static bool begin(struct batch *batch, struct medium *medium, const struct object *object,
                  struct content *content)
{
    struct content *again = &batch->runs.content;

    if (content) {
        content_units_init(&batch->units, content, medium, object);
        again = &batch->units.content;
    } else {
        content_runs_init(&batch->runs, medium, object);
    }
    return batch->inspector->begin(batch->state, object, again);
}

static void give_zeros(struct batch *batch, uint64_t len)
{
    if (batch->hollow && len >= HOLE_LEAST) {
        batch->inspector->hole(batch->state, len);
        return;
    }
    while (len > 0) {
        uint64_t piece = len < ZEROS_PIECE ? len : ZEROS_PIECE;

        batch->inspector->zeros(batch->state, piece);
        crew_progress(batch->worker, piece);
        len -= piece;
    }
}

static void give(struct batch *batch, const void *data, size_t len)
{
    batch->inspector->data(batch->state, data, len);
    crew_progress(batch->worker, len);
}

/* What was read and is known to be wrong. */
static void blame_bad(const struct medium *medium, struct object *object)
{
    uint64_t bad = 0;

    for (size_t i = 0; i < object->run_count; i++)
        bad += medium_bad_bytes(medium, object->runs[i].image, object->runs[i].len);
    if (bad)
        object_blame(object, OBJECT_PARTIAL, "%" PRIu64 " bytes of it cannot be read", bad);
}

/* What was not read, but is known to be lost. */
static void blame_lost(const struct medium *medium, struct object *object)
{
    uint64_t lost = 0;

    for (size_t i = 0; i < object->run_count; i++)
        lost += medium_lost_bytes(medium, object->runs[i].image, object->runs[i].len);
    if (lost)
        object_blame(object, OBJECT_PARTIAL, "%" PRIu64 " bytes of it cannot be read", lost);
}

static void finish(struct batch *batch, const struct medium *medium, struct object *object)
{
    batch->inspector->end(batch->state, object);
    blame_bad(medium, object);
}

static void read_run(struct batch *batch, struct medium *medium, const struct object_run *run)
{
    for (uint64_t done = 0; done < run->len;) {
        size_t len = PIECE - (size_t)((run->image + done) % PIECE);

        if (len > run->len - done)
            len = (size_t)(run->len - done);
        medium_read(medium, run->image + done, batch->arena, len);
        give(batch, batch->arena, len);
        done += len;
    }
}

static void inspect_runs(struct batch *batch, struct medium *medium, struct object *object)
{
    uint64_t at = 0;

    for (size_t i = 0; i < object->run_count; i++) {
        give_zeros(batch, object->runs[i].offset - at);
        read_run(batch, medium, &object->runs[i]);
        at = object->runs[i].offset + object->runs[i].len;
    }
    give_zeros(batch, object->size - at);
    finish(batch, medium, object);
}

/* As pread; what it gives is given to the inspector. */
static size_t give_content(struct batch *batch, struct content *content, uint64_t from, size_t len)
{
    const ssize_t got = content->read(content, from, batch->arena, len);

    if (got <= 0 || (size_t)got > len)
        return 0;
    give(batch, batch->arena, (size_t)got);
    return (size_t)got;
}

/* Of a piece that cannot be read, all units of the file system's compression that can be; the others are
 * zeros. One that has very many of those is given up. */
static void inspect_content(struct batch *batch, const struct medium *medium, struct object *object,
                            struct content *content)
{
    enum { MOST_FAILURES = 4096 };
    unsigned failures = 0;

    for (uint64_t done = 0; done < object->size && failures < MOST_FAILURES;) {
        const uint64_t left = object->size - done;
        size_t len = left < PIECE ? (size_t)left : PIECE, got = give_content(batch, content, done, len);

        if (!got) {
            len = (size_t)(CONTENT_UNIT - done % CONTENT_UNIT) < len
                      ? (size_t)(CONTENT_UNIT - done % CONTENT_UNIT)
                      : len;
            got = give_content(batch, content, done, len);
        }
        if (!got) {
            object_blame(object, OBJECT_PARTIAL, "it cannot be read at byte %" PRIu64, done);
            give_zeros(batch, ++failures < MOST_FAILURES ? len : left);
            got = len;
        }
        done += got;
    }
    finish(batch, medium, object);
}

/* ---- many small ones ---- */

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    return x->image < y->image ? -1 : x->image > y->image ? 1 : x->len < y->len ? -1 : x->len > y->len;
}

static int add_pieces(struct batch *batch, const struct object *object)
{
    for (size_t i = 0; i < object->run_count; i++) {
        if (batch->piece_count == batch->piece_room) {
            size_t room = batch->piece_room ? batch->piece_room * 2 : 1024;
            struct piece *pieces = realloc(batch->pieces, room * sizeof *pieces);

            if (!pieces)
                return -1;
            batch->pieces = pieces;
            batch->piece_room = room;
        }
        batch->pieces[batch->piece_count++] =
            (struct piece){object->runs[i].image, object->runs[i].len, NULL};
    }
    return 0;
}

/* Reads the sorted pieces in as few stretches as are sensible, one behind the other into the arena. */
static void read_pieces(struct batch *batch, struct medium *medium)
{
    uint8_t *at = batch->arena;
    size_t gaps_left = ARENA_LEN;

    for (size_t i = 0; i < batch->piece_count;) {
        const size_t first = i;
        uint64_t start = batch->pieces[i].image, end = start;

        for (; i < batch->piece_count; i++) {
            const struct piece *piece = &batch->pieces[i];
            uint64_t gap = piece->image > end ? piece->image - end : 0;

            if (gap > MAX_GAP || gap > gaps_left)
                break;
            gaps_left -= (size_t)gap;
            if (piece->image + piece->len > end)
                end = piece->image + piece->len;
        }
        medium_read(medium, start, at, (size_t)(end - start));
        for (size_t k = first; k < i; k++)
            batch->pieces[k].at = at + (batch->pieces[k].image - start);
        at += end - start;
    }
}

static const uint8_t *find_bytes(const struct batch *batch, const struct object_run *run)
{
    const struct piece key = {.image = run->image, .len = run->len};
    const struct piece *piece = bsearch(&key, batch->pieces, batch->piece_count, sizeof key, compare_pieces);

    return piece->at;
}

static void inspect_pending(struct batch *batch, struct medium *medium, struct object *object)
{
    uint64_t at = 0;

    for (size_t i = 0; i < object->run_count; i++) {
        const struct object_run *run = &object->runs[i];

        give_zeros(batch, run->offset - at);
        give(batch, find_bytes(batch, run), (size_t)run->len);
        at = run->offset + run->len;
    }
    give_zeros(batch, object->size - at);
    finish(batch, medium, object);
}

static void read_pending(struct batch *batch, struct medium *medium)
{
    bool together = true;

    batch->piece_count = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->pending[i] && add_pieces(batch, &batch->objects[i]))
            together = false;
    if (together && batch->piece_count) {
        qsort(batch->pieces, batch->piece_count, sizeof *batch->pieces, compare_pieces);
        read_pieces(batch, medium);
    }
    for (size_t i = 0; i < batch->count; i++) {
        struct object *object = &batch->objects[i];

        if (!batch->pending[i])
            continue;
        batch->pending[i] = false;
        crew_begin(batch->worker, (uint32_t)object->item);
        if (begin(batch, medium, object, NULL)) {
            if (together)
                inspect_pending(batch, medium, object);
            else
                inspect_runs(batch, medium, object);
        }
    }
    batch->pending_len = 0;
}

/* ---- adding ---- */

static int make_room(struct batch *batch)
{
    size_t room = batch->room ? batch->room * 2 : 256;
    struct object *objects;
    bool *pending;

    if (batch->count < batch->room)
        return 0;
    objects = realloc(batch->objects, room * sizeof *objects);
    if (objects)
        batch->objects = objects;
    pending = realloc(batch->pending, room * sizeof *pending);
    if (pending)
        batch->pending = pending;
    if (!objects || !pending)
        return -1;
    memset(batch->objects + batch->room, 0, (room - batch->room) * sizeof *objects);
    batch->room = room;
    return 0;
}

/* What can be told without reading. */
static void blame_missing(const struct medium *medium, struct object *object)
{
    const uint64_t size = medium_size(medium);
    uint64_t missing = object_overlap(object, size, INT64_MAX - size);

    if (missing)
        object_blame(object, OBJECT_PARTIAL, "%" PRIu64 " bytes of it lie behind the end of the image",
                     missing);
}

void batch_trust(struct batch *batch)
{
    batch->trusts = true;
}

static uint64_t holes_of(const struct object *object, uint64_t stored)
{
    return !(object->flags & (OBJECT_RESIDENT | OBJECT_MEMBER)) && object->size > stored
               ? object->size - stored
               : 0;
}

/* What a hostile file system claims must not keep a worker busy for ever. */
static bool is_hollow(struct batch *batch, const struct object *object, uint64_t stored)
{
    const uint64_t holes = holes_of(object, stored);

    if (batch->trusts)
        return holes > MAX_HOLES;
    if (batch->inspector->hole)
        return holes > MAX_OWN_HOLES && (holes - MAX_OWN_HOLES) / HOLES_PER_BYTE > stored;
    if (holes > MAX_HOLES - batch->holes)
        return true;
    batch->holes += holes;
    return false;
}

static bool claims_too_much(struct batch *batch, const struct medium *medium, struct object *object,
                            uint64_t stored)
{
    if (stored > 2 * medium_size(medium) + MORE_THAN_MEDIUM - batch->stored) {
        object_blame(object, OBJECT_UNREADABLE,
                     "together with its neighbours it claims more than the image holds");
        return true;
    }
    batch->stored += stored;
    return false;
}

/*
 * An object with too many zeros, of which what is stored cannot be inspected by itself.  Whether its content
 * is wanted makes no difference, so that a scan that is resumed comes to the same.
 */
static bool gives_up(const struct batch *batch, struct object *object, const struct content *content,
                     uint64_t stored)
{
    if (batch->trusts || (!content && batch->inspector->hole))
        return false;
    object_blame(object, OBJECT_UNREADABLE,
                 "of its bytes only %" PRIu64 " are stored, the rest would be zeros", stored);
    return true;
}

/* Of an object with too many zeros that is stored is inspected all the same, if that can be done without a
 * digest; a file of the host as it is. */
static void inspect_hollow(struct batch *batch, struct medium *medium, struct object *object,
                           struct content *content)
{
    const uint64_t stored = object_stored(object);

    batch->hollow = !content && batch->inspector->hole;
    if (begin(batch, medium, object, content)) {
        if (batch->hollow)
            object_blame(object, OBJECT_PARTIAL,
                         "all but %" PRIu64 " of its bytes are holes, so it was not hashed", stored);
        inspect_runs(batch, medium, object);
    }
    batch->hollow = false;
}

int batch_add(struct batch *batch, struct medium *medium, uint32_t item, struct object *object,
              struct content *content)
{
    uint64_t stored = object_stored(object);
    struct object *kept, swap;
    bool hollow;

    if (make_room(batch))
        return -1;
    kept = &batch->objects[batch->count];
    swap = *kept;
    *kept = *object;
    *object = swap;
    object_reset(object);
    kept->item = item;
    batch->pending[batch->count] = false;
    blame_missing(medium, kept);
    if (!batch->inspector) {
        batch->count++;
        return 0;
    }
    hollow = is_hollow(batch, kept, stored);
    if (kept->state == OBJECT_UNREADABLE || claims_too_much(batch, medium, kept, stored) ||
        (hollow && gives_up(batch, kept, content, stored))) {
        kept->run_count = 0; /* it must not claim what nobody reads */
        batch->count++;
    } else if (kept->flags & OBJECT_UNWANTED) {
        batch->count++;
    } else if (hollow) {
        batch->count++;
        inspect_hollow(batch, medium, kept, content);
    } else if (content || stored > LARGE) {
        batch->count++;
        if (begin(batch, medium, kept, content)) {
            if (content)
                inspect_content(batch, medium, kept, content);
            else
                inspect_runs(batch, medium, kept);
        }
    } else {
        if (batch->pending_len + stored > ARENA_LEN)
            read_pending(batch, medium);
        batch->pending_len += stored;
        batch->pending[batch->count++] = true;
    }
    return 0;
}

void batch_flush(struct batch *batch, struct medium *medium,
                 void (*done)(void *arg, const struct object *object), void *arg)
{
    read_pending(batch, medium);
    for (size_t i = 0; i < batch->count; i++) {
        blame_lost(medium, &batch->objects[i]);
        done(arg, &batch->objects[i]);
    }
    batch->count = 0;
    batch->holes = batch->stored = 0;
}
