/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SOURCE_MAP_H
#define KITH_SOURCE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Maps the ids that sources have elsewhere, in another set or in a list, to their handles in a writer.  A
 * zeroed map is empty, and maps everything to handle 0. */
struct source_map {
    struct source_handle {
        uint64_t number;
        int handle;
    } * list; /* sorted by number */
    size_t count, room;
    int unknown; /* handle for ids that are not in the map */
};

/* Adds a source; if an id is added twice, the later handle counts.  Returns -1 if out of memory. */
int source_map_add(struct source_map *map, uint64_t number, int handle, struct error *err);
int source_map_find(const struct source_map *map, uint64_t number);
/* source_map_reset removes all sources but keeps the memory; source_map_release frees it. */
void source_map_reset(struct source_map *map);
void source_map_release(struct source_map *map);

#endif
