/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "set/keep.h"
#include "set/refset_index_inner.h"

/* ---- sorting ---- */

enum { DIGIT_BITS = 12, DIGITS = REFSET_KEY_BITS / DIGIT_BITS, BUCKETS = 1 << DIGIT_BITS };

static unsigned digit(uint64_t key, int place)
{
    return (unsigned)(key >> (place * DIGIT_BITS)) & (BUCKETS - 1);
}

static void scatter(const struct keyblock_entry *from, struct keyblock_entry *to, size_t count, int place,
                    size_t *starts)
{
    for (size_t i = 0; i < count; i++)
        to[starts[digit(from[i].key, place)]++] = from[i];
}

/* Sorts by key, stably.  The number of passes is even, so the result ends up where it was. */
static void sort_by_key(struct keyblock_entry *entries, struct keyblock_entry *scratch, size_t count)
{
    size_t starts[DIGITS][BUCKETS];

    memset(starts, 0, sizeof starts);
    for (size_t i = 0; i < count; i++)
        for (int place = 0; place < DIGITS; place++)
            starts[place][digit(entries[i].key, place)]++;
    for (int place = 0; place < DIGITS; place++) {
        size_t sum = 0;

        for (int i = 0; i < BUCKETS; i++) {
            const size_t bucket = starts[place][i];

            starts[place][i] = sum;
            sum += bucket;
        }
        scatter(place % 2 ? scratch : entries, place % 2 ? entries : scratch, count, place, starts[place]);
    }
}

static int by_value(const void *a, const void *b)
{
    const struct keyblock_entry *x = a, *y = b;

    return (x->value > y->value) - (x->value < y->value);
}

/* Usually the values of a key are in ascending order; otherwise sorts them. */
static void sort_values(struct keyblock_entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (entries[i].value < entries[i - 1].value) {
            qsort(entries, count, sizeof *entries, by_value);
            return;
        }
}

/* ---- common features ---- */

void refset_index_sieve_release(struct sieve *sieve)
{
    refset_index_builder_release(&sieve->builder);
    free(sieve->values);
    free(sieve->lost);
}

static int push(struct keyblock_entry **list, size_t *count, size_t *room, struct keyblock_entry entry,
                struct error *err)
{
    if (array_reserve(list, room, *count + 1))
        return error_set(err, "out of memory for an index");
    (*list)[(*count)++] = entry;
    return 0;
}

static size_t without_twins(struct keyblock_entry *values, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (i == 0 || values[i].value != values[kept - 1].value)
            values[kept++] = values[i];
    return kept;
}

/* Removes the marks, which come after all values; *more: the number of values that they count.  Returns
 * whether there was any. */
static bool take_marks(struct sieve *sieve, uint64_t *more)
{
    const size_t count = sieve->count;

    *more = 0;
    while (sieve->count && keyblock_is_mark(sieve->values[sieve->count - 1].value))
        *more += keyblock_marked(sieve->values[--sieve->count].value);
    return sieve->count < count;
}

/* Keeps some values of the current key, which is common, and marks it; moves the others aside. */
static int keep_some(struct sieve *sieve, uint64_t more, struct error *err)
{
    struct keyblock_entry *values = sieve->values;
    const uint64_t key = values[0].key;
    struct keep keep;
    size_t kept = 0;

    keep_begin(&keep, (uint32_t)sieve->common);
    for (size_t i = 0; i < sieve->count; i++)
        keep_add(&keep, i, values[i].value);
    for (size_t i = 0; i < sieve->count; i++) {
        if (keep_has(&keep, i, values[i].value)) {
            values[kept++] = values[i];
            continue;
        }
        more++;
        if (push(&sieve->lost, &sieve->lost_count, &sieve->lost_room,
                 (struct keyblock_entry){values[i].value, key}, err))
            return -1;
    }
    sieve->count = kept;
    return push(&sieve->values, &sieve->count, &sieve->room,
                (struct keyblock_entry){key, keyblock_mark(more)}, err);
}

/* Ends the current key and passes it on. */
static int sieve_flush(struct sieve *sieve, struct error *err)
{
    uint64_t more;
    bool marked;

    if (sieve->count == 0)
        return 0;
    sort_values(sieve->values, sieve->count);
    marked = take_marks(sieve, &more);
    sieve->count = without_twins(sieve->values, sieve->count);
    if (sieve->common && (marked || sieve->count > sieve->common) && keep_some(sieve, more, err))
        return -1;
    if (sieve->count > KEYBLOCK_GROUP) /* many contents with a placeholder digest: some suffice */
        sieve->count = KEYBLOCK_GROUP;
    if (refset_index_builder_add(&sieve->builder, sieve->values, sieve->count, err))
        return -1;
    sieve->count = 0;
    return 0;
}

int refset_index_sieve_add(struct sieve *sieve, struct keyblock_entry entry, struct error *err)
{
    if (sieve->count && sieve->values[0].key != entry.key && sieve_flush(sieve, err))
        return -1;
    return push(&sieve->values, &sieve->count, &sieve->room, entry, err);
}

int refset_index_sieve_begin(struct sieve *sieve, struct refset *set, enum refset_index index, uint64_t keys,
                             struct error *err)
{
    *sieve = (struct sieve){.common = index == REFSET_FEATURE ? set->info.params.common : 0};
    return refset_index_builder_begin(&sieve->builder, set, index, keys, err);
}

static int write_lost(const struct sieve *sieve, struct error *err)
{
    struct keyblock_entry *scratch = malloc((sieve->lost_count + 1) * sizeof *scratch);
    struct builder builder = {0};
    int result;

    if (!scratch)
        return error_set(err, "out of memory for an index");
    sort_by_key(sieve->lost, scratch, sieve->lost_count);
    free(scratch);
    result = refset_index_builder_begin(&builder, sieve->builder.set, REFSET_COMMON, sieve->lost_count, err);
    for (size_t i = 0; i < sieve->lost_count && !result; i++) /* each sample occurs once */
        result = refset_index_builder_add(&builder, &sieve->lost[i], 1, err);
    if (!result)
        result = refset_index_builder_end(&builder, err);
    refset_index_builder_release(&builder);
    return result;
}

int refset_index_sieve_end(struct sieve *sieve, struct error *err)
{
    if (sieve_flush(sieve, err) || refset_index_builder_end(&sieve->builder, err))
        return -1;
    return sieve->lost_count ? write_lost(sieve, err) : 0;
}

static size_t different_keys(const struct keyblock_entry *entries, size_t count)
{
    size_t keys = 0;

    for (size_t i = 0; i < count; i++)
        keys += i == 0 || entries[i].key != entries[i - 1].key;
    return keys;
}

int refset_index_write(struct refset *set, enum refset_index index, struct keyblock_entry *entries,
                       struct keyblock_entry *scratch, size_t count, struct error *err)
{
    struct sieve sieve;
    int result;

    if (count == 0)
        return 0;
    sort_by_key(entries, scratch, count);
    result = refset_index_sieve_begin(&sieve, set, index, different_keys(entries, count), err);
    for (size_t i = 0; i < count && !result; i++)
        result = refset_index_sieve_add(&sieve, entries[i], err);
    if (!result)
        result = refset_index_sieve_end(&sieve, err);
    refset_index_sieve_release(&sieve);
    return result;
}
