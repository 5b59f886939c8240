/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

int array_resize_sized(void *list, size_t count, size_t size)
{
    void *old, *moved;

    if (count > SIZE_MAX / size) /* reallocarray checks this too, but sanitizers report it as an error */
        return -1;
    memcpy(&old, list,
           sizeof old); /* the pointer has another type: copy its bytes to respect aliasing rules */
    moved = realloc(old, (count ? count : 1) * size);
    if (!moved)
        return -1;
    memcpy(list, &moved, sizeof moved);
    // cppcheck-suppress memleak ; the owner has it now
    return 0;
}

int array_grow_sized(void *list, size_t *room, size_t count, size_t size)
{
    size_t wanted = *room <= SIZE_MAX / 2 ? 2 * *room : SIZE_MAX;

    if (wanted < FIRST_ROOM)
        wanted = FIRST_ROOM;
    if (wanted < count)
        wanted = count;
    if (array_resize_sized(list, wanted, size))
        return -1;
    *room = wanted;
    return 0;
}

int array_reserve_parts(size_t *room, size_t count, const struct array_part *parts)
{
    if (count <= *room)
        return 0;
    if (count > SIZE_MAX / 2)
        return -1;
    for (; parts->list; parts++)
        if (array_resize_sized(parts->list, 2 * count, parts->size))
            return -1;
    *room = 2 * count;
    return 0;
}
