/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SOURCE_MAP_H
#define KITH_SOURCE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* From the numbers that sources have elsewhere, in another set or in a list, to their handles in a writer.  A
 * map of zeros knows none, and takes handle 0 for what it does not know. */
struct source_map {
    struct source_handle {
        uint64_t number;
        int handle;
    } * list; /* by number */
    size_t count, room;
    int unknown; /* the handle of what has no known source */
};

/* One more source; of two with the same number the later one counts.  -1 without memory. */
int source_map_add(struct source_map *map, uint64_t number, int handle, struct error *err);
int source_map_find(const struct source_map *map, uint64_t number);
/* Forgets the sources and keeps the room; gives the room back. */
void source_map_reset(struct source_map *map);
void source_map_release(struct source_map *map);

#endif
