/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PLACES_H
#define KITH_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Where the samples of a file lie, and the character of each, as matching keeps them of a reference.
 *
 * A place is a position and, below it, a character.  Of each the lower half is kept: four bytes, and about
 * four more for the table of steps by which the one at a given place is found without a search.  So many more
 * references stay in memory.  The upper half grows once in 64 MiB of a file: the list of turns says where.
 */
enum {
    PLACES_CHARACTER_BITS = 6,
    PLACES_POSITION_BITS = 64 - PLACES_CHARACTER_BITS,
    PLACES_AT_ONCE = 4,
};

/* From number first on the upper half is this one. */
struct places_turn {
    uint32_t first, upper;
};

/* A list of zeros is an empty one. */
struct places {
    uint32_t *lower; /* ascending with their upper halves, and some that are none after them */
    size_t count;

    uint32_t *steps; /* the first in each step of places, and the count */
    size_t step_count;
    unsigned shift;
    struct places_turn *turns; /* NULL if the upper half is 0 throughout */
    size_t turn_count;
    size_t room, step_room;
};

/* Frees what it holds; a list of zeros is an empty one. */
void places_release(struct places *places);
/* Takes these places, which ascend, instead of what it holds.  -1 without memory; then it is empty. */
int places_set(struct places *places, const uint64_t *list, size_t count, struct error *err);
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

/* The upper half of the place number i, shifted up, where there are turns. */
uint64_t places_upper(const struct places *places, size_t i);

/* The place number i. */
static inline uint64_t places_at(const struct places *places, size_t i)
{
    return (places->turns ? places_upper(places, i) : 0) | places->lower[i];
}

/* The number of the first that is not before a position. */
size_t places_from(const struct places *places, uint64_t position);

/* The number of a place; or the count. */
static inline size_t places_number(const struct places *places, uint64_t place)
{
    const uint64_t step = place >> places->shift;
    const uint32_t lower = (uint32_t)place;
    size_t at, end;

    if (step >= places->step_count)
        return places->count;
    at = places->steps[step];
    end = places->steps[step + 1];
    do { /* several at once, and none too few: how many a step has nobody could foretell */
        const uint32_t *list = places->lower + at;
        unsigned found = (unsigned)(list[0] == lower) | (unsigned)(list[1] == lower) << 1 |
                         (unsigned)(list[2] == lower) << 2 | (unsigned)(list[3] == lower) << 3;

        for (; found; found &= found - 1) {
            const size_t number = at + (size_t)__builtin_ctz(found);

            if (number >= places->count)
                return places->count;
            if (!places->turns || places_at(places, number) == place)
                return number;
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
