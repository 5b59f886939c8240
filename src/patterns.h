/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PATTERNS_H
#define KITH_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>

/* Which files are looked at, by patterns of the shell for their paths.  Patterns of zeros want all files. */
struct patterns {
    struct pattern_list {
        const char **list;
        size_t count;
    } include, exclude;
};

/* Adds a pattern, a string that stays.  -1 without memory. */
int patterns_add(struct pattern_list *patterns, const char *pattern);
void patterns_release(struct patterns *patterns);

/* Whether a file with these paths is wanted: none of them is excluded, and one is included unless nothing is.
 * patterns: a struct patterns; for evidence_options. */
bool patterns_want(void *patterns, const char *paths, size_t count);

#endif
