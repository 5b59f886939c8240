/* SPDX-License-Identifier: Apache-2.0 */
#include "patterns.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"

int patterns_add(struct pattern_list *patterns, const char *pattern)
{
    if (array_resize(&patterns->list, patterns->count + 1))
        return -1;
    patterns->list[patterns->count++] = pattern;
    return 0;
}

void patterns_release(struct patterns *patterns)
{
    free(patterns->include.list);
    free(patterns->exclude.list);
}

/* A pattern without a slash applies to the last part of a path; '*' also matches slashes. */
static bool matches(const struct pattern_list *patterns, const char *path)
{
    const char *last = path_last(path);

    for (size_t i = 0; i < patterns->count; i++)
        if (fnmatch(patterns->list[i], strchr(patterns->list[i], '/') ? path : last, 0) == 0)
            return true;
    return false;
}

bool patterns_want(void *arg, const char *paths, size_t count)
{
    const struct patterns *patterns = arg;
    bool included = patterns->include.count == 0;

    for (size_t i = 0; i < count; i++, paths += strlen(paths) + 1) {
        if (matches(&patterns->exclude, paths))
            return false;
        included = included || matches(&patterns->include, paths);
    }
    return included;
}
