/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "container/opening_inner.h"

/*
 * Containers in free space: files begin at sectors, so at each of them the first bytes are looked up in a
 * table.  What was noticed is opened when the whole object has been read.
 */

enum {
    SECTOR = 512,
    PLACES = 4,      /* offsets in a sector at which magic stands */
    PAIRS = 1 << 16, /* of bytes */
    MOST_STARTS =
        1 << 21, /* noticed in an object: one at every sector of 1 GiB, the largest that is read at once */
};

struct carve {
    /* For each place in a sector, the pairs of bytes with which magic begins. */
    struct carve_place {
        unsigned at;
        uint8_t pairs[PAIRS / 8];
    } places[PLACES];
    unsigned place_count;
    bool on, closed; /* the object is free space, and to be looked through, or not */
    uint64_t at;     /* offset in the object of the next byte */
    uint64_t shift;  /* from the start of the object to that of a sector */
    uint64_t *starts;
    size_t count, room;
};

/* ---- the table ---- */

static struct carve_place *place_at(struct carve *carve, unsigned at)
{
    for (unsigned i = 0; i < carve->place_count; i++)
        if (carve->places[i].at == at)
            return &carve->places[i];
    if (carve->place_count == PLACES)
        return NULL;
    carve->places[carve->place_count].at = at;
    return &carve->places[carve->place_count++];
}

static unsigned pair_of(const uint8_t *bytes)
{
    return bytes[0] | (unsigned)bytes[1] << 8;
}

static void add_format(struct carve *carve, const struct container_format *format)
{
    for (const struct container_magic *magic = format->magic; magic && magic->len; magic++) {
        struct carve_place *place = place_at(carve, magic->at);
        const unsigned pair = pair_of((const uint8_t *)magic->bytes);

        if (place)
            place->pairs[pair / 8] |= (uint8_t)(1u << pair % 8);
    }
}

struct carve *opening_carve_new(void)
{
    struct carve *carve = calloc(1, sizeof *carve);

    for (size_t i = 0; carve && container_formats[i]; i++)
        add_format(carve, container_formats[i]);
    return carve;
}

void opening_carve_free(struct carve *carve)
{
    if (carve)
        free(carve->starts);
    free(carve);
}

/* ---- noticing ---- */

bool opening_begin(struct opening *opening, const struct object *object)
{
    struct carve *carve = opening->carve;
    const bool is_slack = object->kind == OBJECT_SLACK, is_range = is_slack || (object->flags & OBJECT_RANGE);
    const uint64_t start = is_slack && object->run_count ? object->runs[0].image : object->start;

    carve->on = opening->mode == OPENING_ALL && is_range;
    carve->closed = !carve->on && is_range;
    opening->passed = opening->noticed = 0;
    carve->at = 0;
    carve->shift = (SECTOR - start % SECTOR) % SECTOR;
    carve->count = 0;
    return carve->on;
}

bool opening_carve_is_on(const struct carve *carve)
{
    return carve->on;
}

bool opening_carve_is_closed(const struct carve *carve)
{
    return carve->closed;
}

static bool is_magic(const struct container_magic *magic, const uint8_t *sector, size_t len)
{
    return magic->at + magic->len <= len && memcmp(sector + magic->at, magic->bytes, magic->len) == 0;
}

static bool is_start(const uint8_t *sector, size_t len)
{
    for (size_t i = 0; container_formats[i]; i++)
        for (const struct container_magic *magic = container_formats[i]->magic; magic && magic->len; magic++)
            if (is_magic(magic, sector, len))
                return true;
    return false;
}

static bool may_start(const struct carve *carve, const uint8_t *sector, size_t len)
{
    for (unsigned i = 0; i < carve->place_count; i++) {
        const struct carve_place *place = &carve->places[i];
        unsigned pair;

        if (place->at + 2 > len)
            continue;
        pair = pair_of(sector + place->at);
        if (place->pairs[pair / 8] >> pair % 8 & 1)
            return true;
    }
    return false;
}

static void look_at(struct carve *carve, uint64_t offset, const uint8_t *sector, size_t len)
{
    if (!may_start(carve, sector, len) || !is_start(sector, len))
        return;
    if (carve->count < MOST_STARTS && array_reserve(&carve->starts, &carve->room, carve->count + 1) == 0)
        carve->starts[carve->count++] = offset;
}

/* Looks for what is a guess everywhere, not just at sectors. */
static void notice_guesses(struct opening *opening, const void *data, size_t len)
{
    opening->passed += len;
    for (size_t i = 0; container_formats[i]; i++)
        if (container_formats[i]->notices && !(opening->noticed >> i & 1) &&
            container_formats[i]->notices(data, len))
            opening->noticed |= UINT64_C(1) << i;
}

void opening_notice(struct opening *opening, const void *data, size_t len)
{
    struct carve *carve = opening->carve;
    const uint8_t *bytes = data;
    uint64_t next;

    if (opening->mode == OPENING_ALL && !carve->on)
        notice_guesses(opening, data, len);
    if (!carve->on)
        return;
    if (carve->at == 0 && carve->shift > 0)
        look_at(carve, 0, bytes, len);
    next = carve->at <= carve->shift ? carve->shift - carve->at
                                     : (SECTOR - (carve->at - carve->shift) % SECTOR) % SECTOR;
    for (; next < len; next += SECTOR)
        look_at(carve, carve->at + next, bytes + next, len - (size_t)next);
    carve->at += len;
}

void opening_skip(struct opening *opening, uint64_t len)
{
    opening->carve->at += len;
    opening->passed += len;
}

/* ---- what was noticed ---- */

uint64_t opening_carve_next(const struct carve *carve, uint64_t from)
{
    const size_t i = SEARCH_FIRST(k, 0, carve->count, carve->starts[k] >= from);

    return i < carve->count ? carve->starts[i] : CONTAINER_UNKNOWN;
}
