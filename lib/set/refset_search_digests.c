/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "set/refset_search_inner.h"

static enum refset_index index_of(enum digest_kind kind)
{
    return (enum refset_index)(REFSET_SHA1 + (int)kind);
}

/* Whether the file has these digests, where both have the kind; at least one kind must be common. */
static int same_digests(struct refset_search *search, uint64_t file, const struct digest_values *digests,
                        struct error *err)
{
    struct digest_values there;
    int result;

    statement_bind_number(search->file, 1, (int64_t)file);
    result = statement_step(search->file, err);
    if (result > 0 && !statement_digests(search->file, 0, &there))
        result = refset_broken(search->set, err, "malformed digest in table file");
    statement_reset(search->file);
    if (result <= 0 || !(there.kinds & digests->kinds))
        return result < 0 ? -1 : 0;
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if ((there.kinds & digests->kinds & DIGEST_BIT(kind)) &&
            memcmp(there.bytes[kind], digests->bytes[kind], digest_len((enum digest_kind)kind)) != 0)
            return 0;
    return 1;
}

/* Finds the first of the files listed under the key that has the digests. */
static int find_file(struct refset_search *search, enum refset_index index, uint64_t key,
                     const struct digest_values *digests, uint64_t except, uint64_t *file, struct error *err)
{
    const int found = refset_search_values(search, index, key, err);

    for (int i = 0; i < found; i++) {
        const int same =
            search->values[i] == except ? 0 : same_digests(search, search->values[i], digests, err);

        if (same < 0)
            return -1;
        if (same) {
            *file = search->values[i];
            return 0;
        }
    }
    return found < 0 ? -1 : 0;
}

int refset_search_digests(struct refset_search *search, const struct digest_values *digests, uint64_t except,
                          uint64_t *file, struct error *err)
{
    *file = 0;
    for (int kind = 0; kind < DIGEST_KINDS && !*file; kind++) {
        const enum refset_index index = index_of((enum digest_kind)kind);
        const uint64_t key = refset_digest_key(search->set, (enum digest_kind)kind, digests->bytes[kind]);

        if ((digests->kinds & DIGEST_BIT(kind)) && find_file(search, index, key, digests, except, file, err))
            return -1;
    }
    return 0;
}

/* A digest of a list that passed the filter. */
struct candidate {
    uint64_t key;
    uint32_t query;
};

static int by_key(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->query > y->query) - (x->query < y->query);
}

/* Looks candidates up in the order of the index, so that each of its pages is read once. */
static int find_candidates(struct refset_search *search, enum digest_kind kind, struct candidate *candidates,
                           size_t count, const uint8_t (*digests)[DIGEST_MAX_LEN], uint64_t *files,
                           struct error *err)
{
    struct digest_values values = {.kinds = DIGEST_BIT(kind)};

    qsort(candidates, count, sizeof *candidates, by_key);
    for (size_t i = 0; i < count; i++) {
        memcpy(values.bytes[kind], digests[candidates[i].query], DIGEST_MAX_LEN);
        if (find_file(search, index_of(kind), candidates[i].key, &values, 0, &files[candidates[i].query],
                      err))
            return -1;
    }
    return 0;
}

enum { LIST_BATCH = 64 << 10 }; /* digests of a list looked up together */

/* Work space for a piece of a list. */
struct list_room {
    uint64_t *keys;
    uint32_t *passed;
    struct candidate *candidates;
};

static void release_room(struct list_room *room)
{
    free(room->keys);
    free(room->passed);
    free(room->candidates);
}

/* No larger than the list, which has one digest when a file is verified. */
static int init_room(struct list_room *room, size_t len, struct error *err)
{
    room->keys = memory_new(len * sizeof *room->keys, err);
    room->passed = memory_new(len * sizeof *room->passed, err);
    room->candidates = memory_new(len * sizeof *room->candidates, err);
    if (room->keys && room->passed && room->candidates)
        return 0;
    release_room(room);
    return -1;
}

static int search_piece(struct refset_search *search, enum digest_kind kind,
                        const uint8_t (*digests)[DIGEST_MAX_LEN], size_t count, uint64_t *files,
                        struct list_room *room, struct error *err)
{
    size_t left;

    for (size_t i = 0; i < count; i++)
        room->keys[i] = refset_digest_key(search->set, kind, digests[i]);
    left = refset_search_filter(search, index_of(kind), room->keys, count, room->passed);
    for (size_t i = 0; i < left; i++)
        room->candidates[i] = (struct candidate){room->keys[room->passed[i]], room->passed[i]};
    return find_candidates(search, kind, room->candidates, left, digests, files, err);
}

int refset_search_digest_list(struct refset_search *search, enum digest_kind kind,
                              const uint8_t (*digests)[DIGEST_MAX_LEN], size_t count, uint64_t *files,
                              struct error *err)
{
    struct list_room room;
    int result = 0;

    if (init_room(&room, count < LIST_BATCH ? count : LIST_BATCH, err))
        return -1;
    memset(files, 0, count * sizeof *files);
    for (size_t done = 0, piece; done < count && !result; done += piece) {
        piece = count - done < LIST_BATCH ? count - done : LIST_BATCH;
        result = search_piece(search, kind, digests + done, piece, files + done, &room, err);
    }
    release_room(&room);
    return result;
}
