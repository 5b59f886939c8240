/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PATTERNS_H
#define KITH_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>

/* Selects files by shell patterns for their paths.  A zeroed struct selects all files. */
struct patterns {
    struct pattern_list {
        const char **list;
        size_t count;
    } include, exclude;
};

/* Adds a pattern, which must outlive the list.  Returns -1 if memory runs out. */
int patterns_add(struct pattern_list *patterns, const char *pattern);
void patterns_release(struct patterns *patterns);

/* Whether a file with these paths is selected: no path matches an exclude pattern, and one matches an include
 * pattern, if there are any.  A callback for evidence_options, with a struct patterns. */
bool patterns_want(void *patterns, const char *paths, size_t count);

#endif
