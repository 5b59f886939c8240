/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/content_runs.h"

#include <string.h>

#include "base/search.h"

/* The first run that ends after an offset. */
static size_t run_at(const struct object *object, uint64_t offset)
{
    return SEARCH_FIRST(i, 0, object->run_count, object->runs[i].offset + object->runs[i].len > offset);
}

/* The part of a run between two offsets in the object; they must overlap. */
static struct object_run part_of(const struct object_run *run, uint64_t start, uint64_t end)
{
    uint64_t from = run->offset > start ? run->offset : start;
    uint64_t to = run->offset + run->len < end ? run->offset + run->len : end;

    return (struct object_run){from, run->image + (from - run->offset), to - from};
}

static ssize_t read_runs(struct content *content, uint64_t offset, void *into, size_t len)
{
    const struct content_runs *runs = (const struct content_runs *)content;
    const struct object *object = runs->object;
    const uint64_t end = offset + len;

    memset(into, 0, len);
    for (size_t i = run_at(object, offset); i < object->run_count && object->runs[i].offset < end; i++) {
        const struct object_run part = part_of(&object->runs[i], offset, end);

        medium_read(runs->medium, part.image, (uint8_t *)into + (part.offset - offset), (size_t)part.len);
        if (medium_bad_bytes(runs->medium, part.image, part.len))
            return -1;
    }
    return (ssize_t)len;
}

void content_runs_init(struct content_runs *runs, struct medium *medium, const struct object *object)
{
    *runs = (struct content_runs){
        .content = {.size = object->size, .read = read_runs}, .medium = medium, .object = object};
}

bool content_runs_bad(const struct content_runs *runs, uint64_t start, uint64_t end)
{
    const struct object *object = runs->object;

    for (size_t i = run_at(object, start); i < object->run_count && object->runs[i].offset < end; i++) {
        const struct object_run part = part_of(&object->runs[i], start, end);

        if (medium_bad_bytes(runs->medium, part.image, part.len))
            return true;
    }
    return false;
}
