/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ARRAY_H
#define KITH_ARRAY_H

#include <stddef.h>

/*
 * Growing heap arrays.  The caller owns the element pointer and the count, and frees the array; NULL is an
 * array with no room.  Both macros take the address of the pointer and may move the array.  They return 0, or
 * -1 if memory runs out or the size overflows size_t; the array is then unchanged.
 */

/* Makes room for at least `count` elements.  *room is the capacity in elements; it at least doubles, so
 * appending one element at a time is amortised O(1). */
#define array_reserve(list, room, count) array_reserve_sized((list), (room), (count), sizeof **(list))

/* Resizes to exactly `count` elements (at least one): for arrays whose final length is known. */
#define array_resize(list, count) array_resize_sized((list), (count), sizeof **(list))

/* Behind the macros; `size` is the size of an element in bytes. */
int array_resize_sized(void *list, size_t count, size_t size);
int array_grow_sized(void *list, size_t *room, size_t count, size_t size);

static inline int array_reserve_sized(void *list, size_t *room, size_t count, size_t size)
{
    return count <= *room ? 0 : array_grow_sized(list, room, count, size);
}

#endif
