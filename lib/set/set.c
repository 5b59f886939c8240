/* SPDX-License-Identifier: Apache-2.0 */
#include "set/set.h"

#include <stdlib.h>

#include "base/array.h"

void set_hits_release(struct set_hits *hits)
{
    free(hits->list);
    *hits = (struct set_hits){0};
}

int set_hits_add(struct set_hits *hits, struct set_hit hit, struct error *err)
{
    if (array_reserve(&hits->list, &hits->room, hits->count + 1))
        return error_set(err, "out of memory for %zu samples", hits->count + 1);
    hits->list[hits->count++] = hit;
    return 0;
}

void set_file_release(struct set_file *file)
{
    buffer_release(&file->name);
}

void set_record_release(struct set_record *record)
{
    places_release(&record->places);
    buffer_release(&record->blocks);
    free(record->repeats);
    *record = (struct set_record){0};
}
