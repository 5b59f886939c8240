/* SPDX-License-Identifier: Apache-2.0 */
#include "set/source_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

static size_t place_of(const struct source_map *map, uint64_t number)
{
    return SEARCH_FIRST(i, 0, map->count, map->list[i].number >= number);
}

int source_map_add(struct source_map *map, uint64_t number, int handle, struct error *err)
{
    const size_t at = place_of(map, number);

    if (array_reserve(&map->list, &map->room, map->count + 1))
        return error_set(err, "out of memory");
    memmove(&map->list[at + 1], &map->list[at], (map->count++ - at) * sizeof *map->list);
    map->list[at] = (struct source_handle){number, handle};
    return 0;
}

int source_map_find(const struct source_map *map, uint64_t number)
{
    const size_t at = place_of(map, number);

    return at < map->count && map->list[at].number == number ? map->list[at].handle : map->unknown;
}

void source_map_reset(struct source_map *map)
{
    map->count = 0;
}

void source_map_release(struct source_map *map)
{
    free(map->list);
    *map = (struct source_map){.count = 0};
}
