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

/*
 * Makes room for at least `count` elements in each of several arrays that share one capacity, *room:
 *
 *     array_reserve_all(&x->room, count, ARRAY_PART(&x->keys), ARRAY_PART(&x->values))
 *
 * On failure some of them may have grown already; *room and the elements are unchanged.
 */
#define array_reserve_all(room, count, ...)                                                                  \
    array_reserve_parts((room), (count), (const struct array_part[]){__VA_ARGS__, {NULL, 0}})
#define ARRAY_PART(list)                                                                                     \
    {                                                                                                        \
        (list), sizeof **(list)                                                                              \
    }

struct array_part {
    void *list; /* address of the pointer to the elements */
    size_t size;
};

/* What the macros call; `parts` ends with a NULL list, `size` is the size of an element in bytes. */
int array_resize_sized(void *list, size_t count, size_t size);
int array_grow_sized(void *list, size_t *room, size_t count, size_t size);
int array_reserve_parts(size_t *room, size_t count, const struct array_part *parts);
static inline int array_reserve_sized(void *list, size_t *room, size_t count, size_t size)
{
    return count <= *room ? 0 : array_grow_sized(list, room, count, size);
}

#endif
