/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SEARCH_H
#define KITH_SEARCH_H

#include <stddef.h>
#include <string.h>

/*
 * Searches in arrays: binary ones, and of a name in a short table.
 */

/*
 * Binary search: the first i of from .. to - 1 for which the condition holds, or `to`, which is at least
 * `from`.  `i` names the index in the condition.  Where it holds it must hold for all that come later, as
 * "list[i].pos >= pos" does in a list sorted by pos:
 *
 *     at = SEARCH_FIRST(i, 0, list->count, list->items[i].pos >= pos);
 *
 * It is a macro so that the condition is compiled in; the loop has no branch that depends on it, since nobody
 * could predict that one.
 */
#define SEARCH_FIRST(i, from, to, condition)                                                                 \
    ({                                                                                                       \
        size_t search_low_ = (from), search_left_ = (to)-search_low_;                                        \
                                                                                                             \
        while (search_left_ > 0) {                                                                           \
            const size_t search_half_ = search_left_ / 2, i = search_low_ + search_half_;                    \
                                                                                                             \
            search_low_ += (condition) ? 0 : search_left_ - search_half_;                                    \
            search_left_ = search_half_;                                                                     \
        }                                                                                                    \
        search_low_;                                                                                         \
    })

/* The index of the name among `count` names, or -1.  `name` has `len` bytes and needs no end; the names are
 * strings. */
static inline int search_name(const char *const *names, size_t count, const char *name, size_t len)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
            return (int)i;
    return -1;
}

#endif
