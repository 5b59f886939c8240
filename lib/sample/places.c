/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"

enum { HALF = 32 /* bits */ };

void places_release(struct places *places)
{
    free(places->lower);
    free(places->steps);
    free(places->turns);
    *places = (struct places){0};
}

/* About as many steps as places, so that most steps hold at most one. */
static void choose_steps(struct places *places, uint64_t last)
{
    for (places->shift = 0; last >> places->shift >= places->count;)
        places->shift++;
    places->step_count = (size_t)(last >> places->shift) + 1;
}

static size_t count_turns(const uint64_t *list, size_t count)
{
    size_t turns = 1;

    if (list[count - 1] >> HALF == 0)
        return 0;
    for (size_t i = 1; i < count; i++)
        turns += list[i] >> HALF != list[i - 1] >> HALF;
    return turns;
}

static int make_room(struct places *places, const uint64_t *list, size_t count)
{
    choose_steps(places, list[count - 1]);
    if (count > places->room) {
        free(places->lower);
        places->lower = malloc((count + PLACES_AT_ONCE) * sizeof *places->lower);
        places->room = places->lower ? count : 0;
    }
    if (places->step_count + 1 > places->step_room) {
        free(places->steps);
        places->steps = malloc((places->step_count + 1) * sizeof *places->steps);
        places->step_room = places->steps ? places->step_count + 1 : 0;
    }
    if (places->turn_count)
        places->turns = malloc(places->turn_count * sizeof *places->turns);
    return places->lower && places->steps && (places->turns || !places->turn_count) ? 0 : -1;
}

static void fill_turns(struct places *places, const uint64_t *list)
{
    size_t turn = 0;

    for (size_t i = 0; i < places->count && places->turns; i++)
        if (i == 0 || list[i] >> HALF != list[i - 1] >> HALF)
            places->turns[turn++] = (struct places_turn){(uint32_t)i, (uint32_t)(list[i] >> HALF)};
}

/* Sets where each step ends, first for steps with places, then for those in between. */
static void fill_steps(struct places *places, const uint64_t *list)
{
    uint32_t *steps = places->steps;

    memset(steps, 0, (places->step_count + 1) * sizeof *steps);
    for (size_t i = 0; i < places->count; i++) {
        steps[(list[i] >> places->shift) + 1] = (uint32_t)i + 1;
        places->lower[i] = (uint32_t)list[i];
    }
    memset(places->lower + places->count, 0xff, PLACES_AT_ONCE * sizeof *places->lower);
    for (size_t step = 1; step <= places->step_count; step++)
        steps[step] = steps[step] > steps[step - 1] ? steps[step] : steps[step - 1];
}

int places_set(struct places *places, const uint64_t *list, size_t count, struct error *err)
{
    free(places->turns);
    places->turns = NULL;
    places->count = places->step_count = places->turn_count = 0;
    if (count == 0)
        return 0;
    places->count = count;
    places->turn_count = count_turns(list, count);
    if (count > UINT32_MAX || make_room(places, list, count)) {
        places_release(places);
        return error_set(err, "out of memory for %zu samples", count);
    }
    fill_turns(places, list);
    fill_steps(places, list);
    return 0;
}

uint64_t places_upper(const struct places *places, size_t i)
{
    const size_t next = SEARCH_FIRST(turn, 1, places->turn_count, places->turns[turn].first > i);

    return (uint64_t)places->turns[next - 1].upper << HALF;
}

size_t places_from(const struct places *places, uint64_t position)
{
    const uint64_t place = position << PLACES_CHARACTER_BITS, step = place >> places->shift;

    if (position >> PLACES_POSITION_BITS || step >= places->step_count)
        return places->count;
    return SEARCH_FIRST(i, places->steps[step], places->steps[step + 1], places_at(places, i) >= place);
}

size_t places_memory(const struct places *places)
{
    return places->room * sizeof *places->lower + places->step_room * sizeof *places->steps +
           places->turn_count * sizeof *places->turns;
}
