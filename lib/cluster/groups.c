/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "cluster/groups_inner.h"

/* ---- creating ---- */

static int make_parts(struct groups *groups, struct error *err)
{
    const struct groups_params *params = &groups->params;

    groups->parts = calloc(params->m, sizeof *groups->parts);
    if (!groups->parts)
        return error_set(err, "out of memory");
    groups->part_room = params->m;
    for (uint32_t i = 0; i < params->m; i++)
        groups->parts[i] = (struct groups_part){.bits = hamming_split(params->k, params->m, i), .serial = i};
    return 0;
}

struct groups *groups_new_in(const struct groups_params *params, struct database *database, struct error *err)
{
    struct groups *groups;

    if (groups_check(params, GROUPS_H, err))
        return NULL;
    groups = memory_new(sizeof *groups, err);
    if (!groups)
        return NULL;
    groups->params = *params;
    groups->most_width = hamming_split(params->k, params->m, 0).width;
    groups->words = hamming_words(params->k);
    groups->measure = hamming_measure_at(cpu_level());
    groups->database = database;
    groups->is_guest = database != NULL;
    if (make_parts(groups, err) == 0 && groups_index_open(groups, err) == 0)
        return groups;
    groups_free(groups);
    return NULL;
}

struct groups *groups_new(const struct groups_params *params, struct error *err)
{
    return groups_new_in(params, NULL, err);
}

void groups_free(struct groups *groups)
{
    if (!groups)
        return;
    groups_index_close(groups);
    free(groups->bits);
    free(groups->documents);
    free(groups->parts);
    free(groups->reading.entries);
    groups_finder_release(&groups->finder);
    free(groups);
}

struct groups_params groups_params(const struct groups *groups)
{
    return groups->params;
}

uint32_t groups_count(const struct groups *groups)
{
    return groups->count;
}

const uint64_t *groups_fingerprint(const struct groups *groups, uint32_t place)
{
    return place < groups->count && !groups_is_removed(groups, place) ? groups_bits(groups, place) : NULL;
}

struct groups_work groups_take_work(struct groups *groups)
{
    const struct groups_work work = groups->work;

    groups->work = (struct groups_work){0};
    return work;
}

/* ---- documents ---- */

int groups_add(struct groups *groups, uint64_t document, const uint64_t *bits, struct error *err)
{
    const size_t count = groups->count, words = groups->words;

    if (groups_check_bits(bits, groups->params.k, err))
        return -1;
    if (groups->count == UINT32_MAX - 1)
        return error_set(err, "more than %" PRIu32 " fingerprints", groups->count);
    if (count >= SIZE_MAX / words - 1 ||
        array_reserve(&groups->documents, &groups->documents_room, count + 1) ||
        array_reserve(&groups->bits, &groups->bits_room, (count + 1) * words))
        return error_set(err, "out of memory");
    groups->documents[count] = document;
    memcpy(groups->bits + count * words, bits, words * sizeof *bits);
    groups->count++;
    return 0;
}

int groups_index_until(struct groups *groups, enum groups_algorithm algorithm, const atomic_bool *stop,
                       struct error *err)
{
    const uint32_t from = groups->indexed[algorithm];

    if (groups_index_usable(groups, err))
        return -1;
    if (from == groups->count || algorithm == GROUPS_SCAN)
        return 0;
    for (uint32_t i = 0; i < groups->params.m; i++) {
        if (stop && atomic_load(stop)) {
            groups->failed |= i > 0;
            return 1;
        }
        if (groups_index_part(groups, algorithm, &groups->parts[i], from, groups->count, err))
            return -1;
    }
    groups->indexed[algorithm] = groups->count;
    return 0;
}

int groups_index(struct groups *groups, enum groups_algorithm algorithm, struct error *err)
{
    return groups_index_until(groups, algorithm, NULL, err);
}

void groups_adopt(struct groups *groups)
{
    groups->indexed[GROUPS_H] = groups->count;
}

int groups_remove(struct groups *groups, uint32_t place, struct error *err)
{
    if (place >= groups->count || groups_is_removed(groups, place))
        return error_set(err, "there is no fingerprint %" PRIu32, place);
    if (groups_index_usable(groups, err))
        return -1;
    for (int i = 0; i < GROUPS_ALGORITHMS; i++)
        for (uint32_t part = 0; place < groups->indexed[i] && part < groups->params.m; part++)
            if (groups_index_remove(groups, (enum groups_algorithm)i, &groups->parts[part], place, err))
                return -1;
    groups->documents[place] = GROUPS_REMOVED;
    memset(groups->bits + place * groups->words, 0, groups->words * sizeof *groups->bits);
    return 0;
}

/* ---- changing the groups ---- */

int groups_set_threshold(struct groups *groups, uint32_t rh, struct error *err)
{
    const struct groups_params changed = {groups->params.k, groups->params.m, rh};

    if (groups_check(&changed, GROUPS_SCAN, err))
        return -1;
    groups->params.rh = rh;
    return 0;
}

/* Sets *serial to the smallest number that no group has. */
static int find_serial(const struct groups *groups, uint32_t *serial, struct error *err)
{
    const uint32_t m = groups->params.m;
    bool *taken = calloc((size_t)m + 1, sizeof *taken);

    *serial = 0;
    if (!taken)
        return error_set(err, "out of memory");
    for (uint32_t i = 0; i < m; i++)
        if (groups->parts[i].serial < m)
            taken[groups->parts[i].serial] = true;
    while (taken[*serial]) /* m is not taken */
        ++*serial;
    free(taken);
    return 0;
}

/* Replaces the fingerprints by longer ones. */
static int append_bits(struct groups *groups, uint32_t width, const uint64_t *bits, struct error *err)
{
    const uint32_t k = groups->params.k;
    const size_t words = hamming_words(k + width), more = hamming_words(width), count = groups->count;
    uint64_t *longer = calloc(count ? count : 1, words * sizeof *longer);

    if (!longer)
        return error_set(err, "out of memory");
    for (size_t i = 0; i < count; i++) {
        memcpy(longer + i * words, groups->bits + i * groups->words, groups->words * sizeof *longer);
        hamming_copy(longer + i * words, k, bits + i * more, 0, width);
    }
    free(groups->bits);
    groups->bits = longer;
    groups->bits_room = count * words;
    groups->words = words;
    return 0;
}

int groups_extend(struct groups *groups, uint32_t width, const uint64_t *bits, struct error *err)
{
    const struct groups_params changed = {groups->params.k + width, groups->params.m + 1, groups->params.rh};
    struct groups_part *part;
    uint32_t serial;

    if (width < 1 || width > groups->most_width)
        return error_set(err, "a group of %" PRIu32 " bits: expected 1 to %" PRIu32, width,
                         groups->most_width);
    if (groups_index_usable(groups, err) || groups_check(&changed, GROUPS_H, err))
        return -1;
    if (array_reserve(&groups->parts, &groups->part_room, changed.m))
        return error_set(err, "out of memory");
    if (find_serial(groups, &serial, err) || append_bits(groups, width, bits, err))
        return -1;
    part = &groups->parts[groups->params.m];
    *part = (struct groups_part){.bits = {groups->params.k, width}, .serial = serial};
    groups->params = changed;
    for (int i = 0; i < GROUPS_ALGORITHMS; i++)
        if (groups->indexed[i] > 0 &&
            groups_index_part(groups, (enum groups_algorithm)i, part, 0, groups->indexed[i], err))
            return -1;
    return 0;
}

/* Removes bits from all fingerprints. */
static int remove_bits(struct groups *groups, struct hamming_group gone, struct error *err)
{
    const uint32_t k = groups->params.k, after = gone.first + gone.width;
    const size_t words = hamming_words(k - gone.width);
    uint64_t *scratch = calloc(groups->words, sizeof *scratch);

    if (!scratch)
        return error_set(err, "out of memory");
    for (size_t i = 0; i < groups->count; i++) {
        const uint64_t *old = groups->bits + i * groups->words;

        memset(scratch, 0, groups->words * sizeof *scratch);
        hamming_copy(scratch, 0, old, 0, gone.first);
        hamming_copy(scratch, gone.first, old, after, k - after);
        memcpy(groups->bits + i * words, scratch, words * sizeof *scratch);
    }
    free(scratch);
    groups->words = words;
    return 0;
}

int groups_drop(struct groups *groups, uint32_t number, struct error *err)
{
    struct groups_params *params = &groups->params;
    struct hamming_group gone;

    if (number >= params->m)
        return error_set(err, "there is no group %" PRIu32 ", only %" PRIu32 " groups", number, params->m);
    gone = groups->parts[number].bits;
    if (params->m == 1 || params->rh >= params->m - 1)
        return error_set(err,
                         "cannot remove one of %" PRIu32 " groups: fingerprints that differ in %" PRIu32
                         " bits may differ in all others",
                         params->m, params->rh);
    if (groups_index_usable(groups, err) || remove_bits(groups, gone, err) ||
        groups_index_drop(groups, &groups->parts[number], err))
        return -1;
    params->k -= gone.width;
    params->m--;
    memmove(groups->parts + number, groups->parts + number + 1, (params->m - number) * sizeof *groups->parts);
    for (uint32_t i = number; i < params->m; i++)
        groups->parts[i].bits.first -= gone.width;
    return 0;
}
