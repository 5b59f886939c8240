/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_sets.h"

#include <stdlib.h>
#include <string.h>

/* Findings in notable sets come first in every report, so their sets do here. */
static int kind_rank(const struct refset *set)
{
    const enum refset_kind kind = refset_info(set)->params.kind;

    return kind == REFSET_NOTABLE ? 0 : kind == REFSET_NEUTRAL ? 1 : 2;
}

static void sort(struct scan_sets *sets)
{
    for (size_t i = 1; i < sets->count; i++)
        for (size_t k = i; k > 0; k--) {
            struct refset *set = sets->sets[k];
            char *path = sets->paths[k];

            if (kind_rank(sets->sets[k - 1]) <= kind_rank(set))
                break;
            sets->sets[k] = sets->sets[k - 1];
            sets->sets[k - 1] = set;
            sets->paths[k] = sets->paths[k - 1];
            sets->paths[k - 1] = path;
        }
}

static int check_twice(const struct scan_sets *sets, size_t set, struct error *err)
{
    const uint8_t *uuid = refset_info(sets->sets[set])->uuid;

    for (size_t i = 0; i < set; i++)
        if (memcmp(refset_info(sets->sets[i])->uuid, uuid, UUID_LEN) == 0)
            return error_set(err, "%s and %s are the same set", sets->paths[i], sets->paths[set]);
    return 0;
}

static struct case_set describe(const struct refset *set, const char *path)
{
    const struct refset_info *info = refset_info(set);
    struct case_set known = {.generation = info->generation,
                             .kind = info->params.kind,
                             .path = path,
                             .files = info->counts.files,
                             .records = info->counts.records};

    memcpy(known.uuid, info->uuid, sizeof known.uuid);
    memcpy(known.name, info->params.name, sizeof known.name);
    return known;
}

/* Opens a set that no writer has open; none can open it from then on.  A writer that was killed leaves a
 * write-ahead log, which is merged when the set is closed, so it is opened twice then. */
static struct refset *open_at_rest(const char *path, struct error *err)
{
    struct refset *set = refset_open(path, REFSET_READ, err);

    if (!set || refset_at_rest(set))
        return set;
    if (refset_close(set, err) || !(set = refset_open(path, REFSET_READ, err)) || refset_at_rest(set))
        return set;
    refset_close(set, NULL);
    error_set(err, "%s: is being written by another program", path);
    return NULL;
}

int scan_sets_open(struct scan_sets *sets, struct error *err)
{
    for (size_t i = 0; i < sets->count; i++) {
        sets->sets[i] = open_at_rest(sets->paths[i], err);
        if (!sets->sets[i] || check_twice(sets, i, err))
            return -1;
        /* a scan would find nothing, which would look like a result */
        if (refset_info(sets->sets[i])->counts.files == 0)
            return error_set(err, "%s: the set is empty", sets->paths[i]);
    }
    sort(sets);
    for (size_t i = 0; i < sets->count; i++) {
        sets->searches[i] =
            refset_search_new(sets->sets[i], REFSET_SEARCH_FEATURES | REFSET_SEARCH_DIGESTS, err);
        if (!sets->searches[i] || key_flags_find(&sets->keys, sets->sets[i], &sets->key_of[i], err))
            return -1;
        sets->known[i] = describe(sets->sets[i], sets->paths[i]);
    }
    return 0;
}

void scan_sets_close(struct scan_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++) {
        refset_search_free(sets->searches[i]);
        refset_close(sets->sets[i], NULL);
        free(sets->paths[i]);
    }
    key_flags_wipe(&sets->keys);
}
