/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ARRAY_H
#define KITH_ARRAY_H

#include <stddef.h>

/*
 * Arrays on the heap that grow.  The pointer to the elements and how many there are stay with the array's
 * owner, who frees it; NULL is an array without room.  Both functions take the address of that pointer and
 * may move the array.  They return -1 without memory, or when the bytes are more than size_t counts; then
 * the array is what it was.
 */

/* Makes room for at least `count` elements.  *room is how many there is room for; it at least doubles, so an
 * array that grows element by element is moved rarely. */
#define array_reserve(list, room, count) array_reserve_sized((list), (room), (count), sizeof **(list))

/* Makes room for exactly `count` elements, at least one: for arrays whose final length is known. */
#define array_resize(list, count) array_resize_sized((list), (count), sizeof **(list))

/* What the macros call, and what array_reserve calls when the room is too small; `size` is an element's, in
 * bytes. */
int array_resize_sized(void *list, size_t count, size_t size);
int array_grow_sized(void *list, size_t *room, size_t count, size_t size);

static inline int array_reserve_sized(void *list, size_t *room, size_t count, size_t size)
{
    return count <= *room ? 0 : array_grow_sized(list, room, count, size);
}

#endif
