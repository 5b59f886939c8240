/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather.h"

#include <stdlib.h>

#include "base/array.h"

enum { MAX_GAP = 4 << 10 }; /* largest gap between two runs: reading it costs less than another call */

static int compare_pieces(const void *a, const void *b)
{
    const struct gather_piece *x = a, *y = b;

    return x->image < y->image ? -1 : x->image > y->image ? 1 : x->len < y->len ? -1 : x->len > y->len;
}

void gather_release(struct gather *gather)
{
    free(gather->pieces);
    *gather = (struct gather){0};
}

void gather_reset(struct gather *gather)
{
    gather->count = 0;
}

int gather_add(struct gather *gather, const struct object *object)
{
    if (array_reserve(&gather->pieces, &gather->room, gather->count + object->run_count))
        return -1;
    for (size_t i = 0; i < object->run_count; i++)
        gather->pieces[gather->count++] =
            (struct gather_piece){object->runs[i].image, object->runs[i].len, NULL};
    return 0;
}

/* The pieces lie one after another in `into`, including the gaps; all gaps together are at most as large as
 * all runs together may be. */
void gather_read(struct gather *gather, struct medium *medium, uint8_t *into)
{
    size_t gaps_left = GATHER_MOST;

    if (gather->count)
        qsort(gather->pieces, gather->count, sizeof *gather->pieces, compare_pieces);
    for (size_t i = 0; i < gather->count;) {
        const size_t first = i;
        uint64_t start = gather->pieces[i].image, end = start;

        for (; i < gather->count; i++) {
            const struct gather_piece *piece = &gather->pieces[i];
            uint64_t gap = piece->image > end ? piece->image - end : 0;

            if (gap > MAX_GAP || gap > gaps_left)
                break;
            gaps_left -= (size_t)gap;
            if (piece->image + piece->len > end)
                end = piece->image + piece->len;
        }
        medium_read(medium, start, into, (size_t)(end - start));
        for (size_t k = first; k < i; k++)
            gather->pieces[k].at = into + (gather->pieces[k].image - start);
        into += end - start;
    }
}

const uint8_t *gather_find(const struct gather *gather, const struct object_run *run)
{
    const struct gather_piece key = {.image = run->image, .len = run->len},
                              *piece =
                                  bsearch(&key, gather->pieces, gather->count, sizeof key, compare_pieces);

    return piece->at;
}
