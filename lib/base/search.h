/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SEARCH_H
#define KITH_SEARCH_H

#include <stddef.h>
#include <string.h>

/*
 * Binary search in sorted arrays, and linear search for a name in a short table.
 */

/*
 * Binary search: the first i in [from, to) for which the condition holds, or `to`; from <= to.  `i` names the
 * index in the condition, which must be monotonic: once true, it stays true.  In a list sorted by pos:
 *
 *     at = SEARCH_FIRST(i, 0, list->count, list->items[i].pos >= pos);
 *
 * A macro, so that the condition is compiled in; the loop is branch-free because the branch would be
 * unpredictable.
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

/* The index of `name`, len bytes without a terminator, among `count` strings, or -1. */
static inline int search_name(const char *const *names, size_t count, const char *name, size_t len)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
            return (int)i;
    return -1;
}

#endif
