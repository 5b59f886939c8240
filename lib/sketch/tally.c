/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/uuid.h"

enum {
    MOST = 1 << 27, /* keys */
    LEAST_ROOM = 1024,
    USUAL_ROOM = 1 << 16, /* larger tables are not cleared but freed, since the next document may be small */
};

/* The entry of the key, or the free place for it.  Room is a power of two, and never all of it is used. */
static struct tally_entry *find(const struct tally *tally, struct tally_entry *entries, size_t room,
                                uint64_t key)
{
    size_t at = (size_t)permutation_apply(&tally->hash, key) & (room - 1);

    while (entries[at].times && entries[at].key != key)
        at = (at + 1) & (room - 1);
    return &entries[at];
}

static int draw_hash(struct tally *tally, struct error *err)
{
    uint8_t random[UUID_LEN];

    if (uuid_make(random, err))
        return -1;
    permutation_init(&tally->hash, 64, bytes_load64(random), bytes_load64(random + 8), 0);
    return 0;
}

static int grow(struct tally *tally, struct error *err)
{
    const size_t room = tally->room ? 2 * tally->room : LEAST_ROOM;
    struct tally_entry *entries;

    if (room > 2 * (size_t)MOST)
        return error_set(err, "more than %d distinct shingles", MOST);
    if (!tally->room && draw_hash(tally, err))
        return -1;
    entries = calloc(room, sizeof *entries);
    if (!entries)
        return error_set(err, "out of memory for %zu distinct shingles", tally->count);
    for (size_t i = 0; i < tally->room; i++)
        if (tally->entries[i].times)
            *find(tally, entries, room, tally->entries[i].key) = tally->entries[i];
    free(tally->entries);
    tally->entries = entries;
    tally->room = room;
    return 0;
}

uint64_t tally_add(struct tally *tally, uint64_t key, struct error *err)
{
    struct tally_entry *entry;

    if (tally->count >= tally->room / 2 && grow(tally, err))
        return 0;
    entry = find(tally, tally->entries, tally->room, key);
    tally->count += entry->times == 0;
    entry->key = key;
    return ++entry->times;
}

bool tally_has(const struct tally *tally, uint64_t key)
{
    return tally->room && find(tally, tally->entries, tally->room, key)->times > 0;
}

void tally_reset(struct tally *tally)
{
    if (tally->room > USUAL_ROOM)
        tally_release(tally);
    else if (tally->count > 0)
        memset(tally->entries, 0, tally->room * sizeof *tally->entries);
    tally->count = 0;
}

void tally_release(struct tally *tally)
{
    free(tally->entries);
    *tally = (struct tally){0};
}
