/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cluster/groups_inner.h"

int groups_finder_reserve(struct groups_finder *finder, uint32_t count, struct error *err)
{
    const size_t before = finder->room;

    /* one more: what is not kept is written, too */
    if (array_reserve_all(&finder->room, (size_t)count + 1, ARRAY_PART(&finder->tally),
                          ARRAY_PART(&finder->touched), ARRAY_PART(&finder->candidates),
                          ARRAY_PART(&finder->hits)))
        return error_set(err, "out of memory");
    memset(finder->tally + before, 0, (finder->room - before) * sizeof *finder->tally);
    return 0;
}

void groups_finder_release(struct groups_finder *finder)
{
    free(finder->tally);
    free(finder->touched);
    free(finder->candidates);
    free(finder->hits);
}

/*
 * Counts the entries.  A document becomes a candidate when its count reaches what is needed.  The counts are
 * reset by the list of what was touched, or, if that is long, all at once.  Without branches that depend on
 * the counts, as they could not be predicted.
 */
static void count(struct groups_finder *finder, const struct groups_reading *reading, uint32_t documents)
{
    const bool many = reading->count > documents / 16;
    uint16_t *tally = finder->tally;
    size_t touched = 0, candidates = 0;

    for (size_t i = 0; i < reading->count; i++) {
        const uint32_t document = reading->entries[i];

        if (!many) {
            finder->touched[touched] = document;
            touched += tally[document] == 0;
        }
        finder->candidates[candidates] = document;
        candidates += ++tally[document] == reading->needed;
    }
    finder->candidate_count = candidates;
    if (many)
        memset(tally + reading->from, 0, (documents - reading->from) * sizeof *tally);
    for (size_t i = 0; i < touched; i++)
        tally[finder->touched[i]] = 0;
}

/* Loads the first two lines of the cache that a fingerprint of 1,000 bits takes; the processor then loads the
 * next ones. */
static void prefetch(const uint64_t *bits, size_t words)
{
    __builtin_prefetch(bits);
    if (words > 8)
        __builtin_prefetch(bits + 8);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Step 3: keeps the candidates within rh.  They lie anywhere in memory. */
static void verify(const struct groups *groups, const uint64_t *query, struct groups_finder *finder)
{
    enum { AHEAD = 16 };

    for (size_t i = 0; i < finder->candidate_count; i++) {
        if (i + AHEAD < finder->candidate_count)
            prefetch(groups_bits(groups, finder->candidates[i + AHEAD]), groups->words);
        finder->hits[finder->hit_count] = finder->candidates[i];
        finder->hit_count += groups_distance(groups, query, finder->candidates[i]) <= groups->params.rh &&
                             !groups_is_removed(groups, finder->candidates[i]);
    }
    qsort(finder->hits, finder->hit_count, sizeof *finder->hits, by_number);
}

static void scan(const struct groups *groups, const struct groups_reading *reading,
                 struct groups_finder *finder)
{
    for (uint32_t document = reading->from; document < groups->count; document++) {
        finder->hits[finder->hit_count] = document;
        finder->hit_count += groups_distance(groups, reading->query, document) <= groups->params.rh &&
                             !groups_is_removed(groups, document);
    }
    finder->candidate_count = groups->count - reading->from;
}

void groups_find(const struct groups *groups, const struct groups_reading *reading,
                 struct groups_finder *finder)
{
    finder->hit_count = 0;
    if (reading->needed == 0) {
        scan(groups, reading, finder);
        return;
    }
    count(finder, reading, groups->count);
    verify(groups, reading->query, finder);
}
