/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PLACES_H
#define KITH_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Where the samples of a file lie, and the character of each, as matching keeps them of a reference: a dozen
 * bytes for each, and one that lies at a given place is found without a search.
 */
enum {
    PLACES_CHARACTER_BITS = 6,
    PLACES_POSITION_BITS = 64 - PLACES_CHARACTER_BITS,
    PLACES_AT_ONCE = 4,
};

/* A list of zeros is an empty one. */
struct places {
    uint64_t *list; /* position and, below it, character; ascending, and some that are none behind them */
    size_t count;

    uint32_t *steps; /* the first in each step of places, and the count */
    size_t step_count;
    unsigned shift;
    size_t room, step_room;
};

/* Frees what it holds; a list of zeros is an empty one. */
void places_release(struct places *places);
/* Makes room for so many, which are then to be filled in; places_order makes them ready to be found. */
int places_resize(struct places *places, size_t count, struct error *err);
int places_order(struct places *places, struct error *err);
/* Bytes that they take. */
size_t places_memory(const struct places *places);

static inline uint64_t places_position(uint64_t place)
{
    return place >> PLACES_CHARACTER_BITS;
}

static inline unsigned places_character(uint64_t place)
{
    return place & ((1 << PLACES_CHARACTER_BITS) - 1);
}

/* The number of the first that is not before a position. */
size_t places_from(const struct places *places, uint64_t position);

/* The number of a place; or the count. */
static inline size_t places_number(const struct places *places, uint64_t place)
{
    const uint64_t step = place >> places->shift;
    size_t at, end;

    if (step >= places->step_count)
        return places->count;
    at = places->steps[step];
    end = places->steps[step + 1];
    do { /* several at once, and none too few: how many a step has nobody could foretell */
        const uint64_t *list = places->list + at;
        const unsigned found = (unsigned)(list[0] == place) | (unsigned)(list[1] == place) << 1 |
                               (unsigned)(list[2] == place) << 2 | (unsigned)(list[3] == place) << 3;

        if (found) {
            at += (size_t)__builtin_ctz(found);
            return at < places->count ? at : places->count;
        }
        at += PLACES_AT_ONCE;
    } while (at < end);
    return places->count;
}

/* The number of the one at a position that has the character; or the count. */
static inline size_t places_find(const struct places *places, uint64_t position, unsigned character)
{
    if (position >> PLACES_POSITION_BITS)
        return places->count;
    return places_number(places, position << PLACES_CHARACTER_BITS | character);
}

#endif
