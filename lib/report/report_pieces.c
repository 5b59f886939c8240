/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_pieces.h"

/* The first run that ends after the offset. */
static size_t find_run(const struct case_object *object, uint64_t offset)
{
    size_t from = 0, to = object->run_count;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;

        if (object->runs[middle].offset + object->runs[middle].len > offset)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

void report_pieces(const struct case_object *object, uint64_t start, uint64_t end,
                   void (*take)(void *arg, uint64_t image, uint64_t len), void *arg)
{
    for (size_t i = find_run(object, start); i < object->run_count && object->runs[i].offset < end; i++) {
        const struct object_run *run = &object->runs[i];
        const uint64_t from = run->offset > start ? run->offset : start;
        const uint64_t to = run->offset + run->len < end ? run->offset + run->len : end;

        if (from < to)
            take(arg, run->image + (from - run->offset), to - from);
    }
}
