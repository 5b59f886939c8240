/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/places.h"

#include <stdlib.h>
#include <string.h>

void places_release(struct places *places)
{
    free(places->list);
    free(places->steps);
    *places = (struct places){0};
}

int places_resize(struct places *places, size_t count, struct error *err)
{
    if (count > places->room) {
        uint64_t *list =
            count <= UINT32_MAX ? realloc(places->list, (count + PLACES_AT_ONCE) * sizeof *list) : NULL;

        if (!list)
            return error_set(err, "out of memory for %zu samples", count);
        places->list = list;
        places->room = count;
    }
    places->count = count;
    places->step_count = 0;
    return 0;
}

/* About as many steps as places: so one has one or none mostly. */
static void choose_steps(struct places *places)
{
    const uint64_t last = places->list[places->count - 1];

    for (places->shift = 0; last >> places->shift >= places->count;)
        places->shift++;
    places->step_count = (size_t)(last >> places->shift) + 1;
}

/* Where each step ends, first where there are places, then in between. */
static void fill_steps(struct places *places)
{
    uint32_t *steps = places->steps;

    memset(steps, 0, (places->step_count + 1) * sizeof *steps);
    for (size_t i = 0; i < places->count; i++)
        steps[(places->list[i] >> places->shift) + 1] = (uint32_t)i + 1;
    for (size_t step = 1; step <= places->step_count; step++)
        steps[step] = steps[step] > steps[step - 1] ? steps[step] : steps[step - 1];
}

int places_order(struct places *places, struct error *err)
{
    if (places->count == 0)
        return 0;
    for (size_t i = 0; i < PLACES_AT_ONCE; i++)
        places->list[places->count + i] = UINT64_MAX;
    choose_steps(places);
    if (places->step_count + 1 > places->step_room) {
        free(places->steps);
        places->step_room = places->step_count + 1;
        places->steps = malloc(places->step_room * sizeof *places->steps);
        if (!places->steps) {
            places->step_room = places->step_count = 0;
            return error_set(err, "out of memory for %zu samples", places->count);
        }
    }
    fill_steps(places);
    return 0;
}

size_t places_from(const struct places *places, uint64_t position)
{
    const uint64_t place = position << PLACES_CHARACTER_BITS, step = place >> places->shift;
    size_t low, high;

    if (position >> PLACES_POSITION_BITS || step >= places->step_count)
        return places->count;
    low = places->steps[step];
    high = places->steps[step + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (places->list[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t places_memory(const struct places *places)
{
    return places->room * sizeof *places->list + places->step_room * sizeof *places->steps;
}
