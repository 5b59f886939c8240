/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/path.h"
#include "evidence/reading.h"

/* The files that a container lists and reads besides the one given, as reported by a worker. */

static void note_extent(struct reading *reading, const struct extent_file *extent)
{
    char day[40] = "at an unknown time";
    struct tm tm;

    if (gmtime_r(&extent->st.st_mtim.tv_sec, &tm))
        strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%SZ", &tm);
    reading_note(reading, "also reads %s: %" PRIu64 " bytes, last modified %s", extent->path,
                 (uint64_t)extent->st.st_size, day);
}

static void add_extent(struct reading *reading, const char *name)
{
    struct extent_file *extent;

    if (array_resize(&reading->extents, reading->extent_count + 1)) {
        reading_out_of_memory(reading);
        return;
    }
    extent = &reading->extents[reading->extent_count];
    extent->path = path_beside(reading->path, name);
    if (!extent->path) {
        reading_out_of_memory(reading);
        return;
    }
    reading->extent_count++;
    if (stat(extent->path, &extent->st))
        reading_problem(reading, "%s: %s", extent->path, strerror(errno));
    else
        note_extent(reading, extent);
}

void reading_extents_take(struct reading *reading, const char *names, size_t len)
{
    for (const char *at = names; at < names + len && !reading->failed; at += strlen(at) + 1)
        add_extent(reading, at);
}

void reading_extents_release(struct reading *reading)
{
    for (size_t i = 0; i < reading->extent_count; i++)
        free(reading->extents[i].path);
    free(reading->extents);
    reading->extents = NULL;
    reading->extent_count = 0;
}
