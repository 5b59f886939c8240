/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PLACES_H
#define KITH_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * The positions and characters of a reference's samples in the compact form that matching caches.
 *
 * A place is a position with the character in its low bits.  Only the lower half of each is stored: four
 * bytes, plus about four for the table of steps that finds a given place without a search, so that many
 * references fit in memory.  The upper half changes once every 64 MiB of a file; the list of turns says
 * where.
 */
enum {
    PLACES_CHARACTER_BITS = 6,
    PLACES_POSITION_BITS = 64 - PLACES_CHARACTER_BITS,
    PLACES_AT_ONCE = 4,
};

/* From number `first` on, the upper half is `upper`. */
struct places_turn {
    uint32_t first, upper;
};

/* A zeroed struct is an empty list. */
struct places {
    uint32_t *lower; /* ascending together with the upper halves; padded at the end */
    size_t count;

    uint32_t *steps; /* the number of the first place of each step, and the count at the end */
    size_t step_count;
    unsigned shift;
    struct places_turn *turns; /* NULL if the upper half is 0 throughout */
    size_t turn_count;
    size_t room, step_room;
};

/* Frees the memory and leaves an empty list. */
void places_release(struct places *places);
/* Replaces the contents by these places, which must ascend.  -1 if memory runs out; the list is then empty.
 */
int places_set(struct places *places, const uint64_t *list, size_t count, struct error *err);
/* The memory they take, in bytes. */
size_t places_memory(const struct places *places);

/* The two parts of a place. */
static inline uint64_t places_position(uint64_t place)
{
    return place >> PLACES_CHARACTER_BITS;
}
static inline unsigned places_character(uint64_t place)
{
    return place & ((1 << PLACES_CHARACTER_BITS) - 1);
}

/* The upper half of place number i, shifted into position; only if there are turns. */
uint64_t places_upper(const struct places *places, size_t i);

/* Place number i. */
static inline uint64_t places_at(const struct places *places, size_t i)
{
    return (places->turns ? places_upper(places, i) : 0) | places->lower[i];
}

/* The number of the first place at or after a position. */
size_t places_from(const struct places *places, uint64_t position);

/* The number of a place, or the count if it is not in the list. */
static inline size_t places_number(const struct places *places, uint64_t place)
{
    const uint64_t step = place >> places->shift;
    const uint32_t lower = (uint32_t)place;
    size_t at, end;

    if (step >= places->step_count)
        return places->count;
    at = places->steps[step];
    end = places->steps[step + 1];
    do { /* four at a time without branches, since the length of a step is unpredictable */
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

/* The number of the place at a position with this character, or the count. */
static inline size_t places_find(const struct places *places, uint64_t position, unsigned character)
{
    if (position >> PLACES_POSITION_BITS)
        return places->count;
    return places_number(places, position << PLACES_CHARACTER_BITS | character);
}

#endif
