/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/chain.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

enum {
    NONE = UINT32_MAX,
    /* A fingerprint that occurs more often than this on either side is common: its pairs grow with the
     * square. Halving it raises the error of 218 distances from .0194 to .0205; doubling it lowers it to
     * .0192.  Test: frequent_fingerprints_are_left_out. */
    MOST_ALIKE = 32,
    /* Bounds the number of pairs, and thereby memory and time.  Halving it changes one row; doubling it makes
     * the test a_mass_of_repeats_takes_bounded_memory fail. */
    PAIRS_PER_SAMPLE = 8,
    AHEAD = 12, /* samples by which slots are prefetched, to hide about 100 ns of memory latency */
    /* Bytes by which the diagonal used for repetitive content may deviate from the expected one.  Halving or
     * doubling it changes the ranges of some 47 rows, but not the number of pairs found. */
    DIAGONAL_REACH = 16 << 10,
};

struct chain_group {
    uint64_t fp;
    uint32_t count_a, count_b;
    uint32_t head_b; /* its last sample of b */
    uint32_t turn_b; /* its next unpaired sample of b, from the first on: for common fingerprints */
    uint32_t slot;   /* in the table */
};

void chain_release(struct chain *chain)
{
    free(chain->anchors);
    free(chain->groups);
    free(chain->table);
    free(chain->many);
    free(chain->group_a);
    free(chain->group_b);
    free(chain->next_b);
    free(chain->after_b);
    free(chain->used_a);
    free(chain->used_b);
    free(chain->pairs);
    free(chain->tails);
    free(chain->ends);
    free(chain->previous);
    free(chain->under);
    *chain = (struct chain){0};
}

static int grow_samples(struct chain *chain, size_t samples, struct error *err)
{
    size_t table = 16;

    while (table < 2 * samples)
        table *= 2;
    chain->table_len = table;
    chain->a_grouped = false;
    if (samples <= chain->sample_room)
        return 0;
    if (array_resize(&chain->groups, samples) || array_resize(&chain->table, table) ||
        array_resize(&chain->many, samples) || array_resize(&chain->group_a, samples) ||
        array_resize(&chain->group_b, samples) || array_resize(&chain->next_b, samples) ||
        array_resize(&chain->after_b, samples) || array_resize(&chain->used_a, samples) ||
        array_resize(&chain->used_b, samples) || array_resize(&chain->anchors, samples))
        return error_set(err, "out of memory for the comparison of %zu samples", samples);
    chain->sample_room = samples;
    return 0;
}

static int grow_pairs(struct chain *chain, size_t pairs, struct error *err)
{
    if (pairs <= chain->pair_room)
        return 0;
    if (array_resize(&chain->pairs, pairs) || array_resize(&chain->tails, pairs) ||
        array_resize(&chain->ends, pairs) || array_resize(&chain->previous, pairs) ||
        array_resize(&chain->under, pairs))
        return error_set(err, "out of memory for %zu pairs of samples", pairs);
    chain->pair_room = pairs;
    return 0;
}

/* ---- groups ---- */

static size_t slot_of(const struct chain *chain, uint64_t fp)
{
    return (size_t)((fp * 0x9e3779b97f4a7c15) >> 32) & (chain->table_len - 1);
}

/* Slots are scattered over memory, so they are prefetched some samples ahead. */
static void ask_ahead(const struct chain *chain, const struct sample *samples, size_t count, size_t i)
{
    if (i + AHEAD < count)
        __builtin_prefetch(&chain->table[slot_of(chain, samples[i + AHEAD].fp)]);
}

static uint32_t group_of(struct chain *chain, uint64_t fp)
{
    const size_t mask = chain->table_len - 1;
    size_t at = slot_of(chain, fp);
    uint32_t group;

    while ((group = chain->table[at]) != NONE && chain->groups[group].fp != fp)
        at = (at + 1) & mask;
    if (group == NONE) {
        group = chain->table[at] = (uint32_t)chain->group_count++;
        chain->groups[group] = (struct chain_group){fp, 0, 0, NONE, NONE, (uint32_t)at};
    }
    return group;
}

static void group_a(struct chain *chain, const struct sample *a, size_t count)
{
    memset(chain->table, 0xff, chain->table_len * sizeof *chain->table);
    chain->group_count = 0;
    for (size_t i = 0; i < count; i++) {
        ask_ahead(chain, a, count, i);
        chain->groups[chain->group_a[i] = group_of(chain, a[i].fp)].count_a++;
    }
    chain->a_groups = chain->group_count;
    chain->a_count = count;
    chain->a_grouped = true;
}

/* Removes the groups of b from the table, latest first, so that linear probing still finds the others. */
static void forget_b(struct chain *chain)
{
    for (size_t i = chain->group_count; i > chain->a_groups; i--)
        if (chain->groups[i - 1].slot != NONE)
            chain->table[chain->groups[i - 1].slot] = NONE;
    chain->group_count = chain->a_groups;
    for (size_t i = 0; i < chain->group_count; i++) {
        chain->groups[i].count_b = 0;
        chain->groups[i].head_b = chain->groups[i].turn_b = NONE;
    }
}

/* Makes a group that is not in the table. */
static uint32_t group_alone(struct chain *chain, uint64_t fp)
{
    chain->groups[chain->group_count] = (struct chain_group){fp, 0, 0, NONE, NONE, NONE};
    return (uint32_t)chain->group_count++;
}

static void group_b(struct chain *chain, const struct sample *b, size_t count, const bool *alone)
{
    for (size_t j = 0; j < count; j++) {
        struct chain_group *group;

        ask_ahead(chain, b, count, j);
        chain->group_b[j] = alone && alone[j] ? group_alone(chain, b[j].fp) : group_of(chain, b[j].fp);
        group = &chain->groups[chain->group_b[j]];
        chain->next_b[j] = group->head_b;
        chain->after_b[j] = NONE;
        if (group->head_b == NONE)
            group->turn_b = (uint32_t)j;
        else
            chain->after_b[group->head_b] = (uint32_t)j;
        group->head_b = (uint32_t)j;
        group->count_b++;
    }
}

static void make_groups(struct chain *chain, const struct chain_sides *sides)
{
    if (chain->a_grouped)
        forget_b(chain);
    else
        group_a(chain, sides->a, sides->a_count);
    group_b(chain, sides->b, sides->b_count, sides->hints ? sides->hints->alone_b : NULL);
    chain->many_count = 0;
    for (size_t i = 0; i < chain->group_count; i++) {
        const struct chain_group *group = &chain->groups[i];

        if (group->count_a + group->count_b > 1)
            chain->many[chain->many_count++] = (uint32_t)i;
        chain->shared += group->count_a && group->count_b;
        chain->only_a += !group->count_b;
        chain->only_b += !group->count_a;
    }
}

static bool is_single(const struct chain_group *group)
{
    return group->count_a == 1 && group->count_b == 1;
}

uint64_t chain_single(const struct chain *chain)
{
    uint64_t single = 0;

    for (size_t i = 0; i < chain->many_count; i++) /* other groups are in one content only */
        single += is_single(&chain->groups[chain->many[i]]);
    return single;
}

uint64_t chain_single_in_order(const struct chain *chain)
{
    uint64_t single = 0;

    for (size_t i = 0; i < chain->count; i++)
        single += is_single(&chain->groups[chain->group_a[chain->anchors[i].a]]);
    return single;
}

static bool is_common(const struct chain *chain, const struct chain_group *group)
{
    return group->count_a > chain->most || group->count_b > chain->most;
}

bool chain_common_a(const struct chain *chain, size_t i)
{
    return is_common(chain, &chain->groups[chain->group_a[i]]);
}

bool chain_common_b(const struct chain *chain, size_t i)
{
    return is_common(chain, &chain->groups[chain->group_b[i]]);
}

/* Lowers `most` until the number of pairs is within bounds; returns that number. */
static size_t limit_pairs(struct chain *chain, size_t samples, bool has_diagonal)
{
    for (chain->most = MOST_ALIKE;; chain->most /= 2) {
        size_t pairs = 0, common = 0;

        for (size_t i = 0; i < chain->many_count; i++) { /* other groups have no pairs */
            const struct chain_group *group = &chain->groups[chain->many[i]];

            if (is_common(chain, group))
                common += has_diagonal || group->count_a < group->count_b ? group->count_a : group->count_b;
            else
                pairs += (size_t)group->count_a * group->count_b;
        }
        if (pairs <= PAIRS_PER_SAMPLE * samples + 1024 || chain->most == 1) {
            chain->repeats = common > pairs;
            return pairs + common;
        }
    }
}

/* ---- the chain ---- */

static void add_pair(struct chain *chain, size_t a, uint32_t b)
{
    chain->pairs[chain->pair_count++] = (struct anchor){(uint32_t)a, b};
}

/* Pairs a common sample of a with its occurrence in b on the diagonal, if there is one. */
static void pair_on_diagonal(struct chain *chain, const struct chain_sides *sides, size_t i, int64_t diagonal)
{
    const int64_t at = (int64_t)sides->a[i].pos - diagonal;
    const size_t b = SEARCH_FIRST(j, 0, sides->b_count, (int64_t)sides->b[j].pos >= at);

    if (b < sides->b_count && (int64_t)sides->b[b].pos == at && chain->group_b[b] == chain->group_a[i])
        add_pair(chain, i, (uint32_t)b);
}

/* Pairs the first occurrence in a with the first in b, and so on. */
static void pair_in_turn(struct chain *chain, struct chain_group *group, size_t i)
{
    if (group->turn_b == NONE)
        return;
    add_pair(chain, i, group->turn_b);
    group->turn_b = chain->after_b[group->turn_b];
}

/* The diagonal after this sample: it follows samples that occur once on either side, but not too far away,
 * which would be a different place. */
static int64_t follow(const struct chain_sides *sides, const struct chain_group *group, size_t i,
                      int64_t diagonal)
{
    int64_t here;

    if (group->count_a != 1 || group->count_b != 1)
        return diagonal;
    here = (int64_t)(sides->a[i].pos - sides->b[group->head_b].pos);
    return here - sides->hints->diagonal <= DIAGONAL_REACH && sides->hints->diagonal - here <= DIAGONAL_REACH
               ? here
               : diagonal;
}

/* Makes all pairs, ascending in a, and descending in b for the same sample of a, so that a chain uses at most
 * one of these. */
static void make_pairs(struct chain *chain, const struct chain_sides *sides)
{
    int64_t diagonal = sides->hints ? sides->hints->diagonal : 0;

    chain->pair_count = 0;
    for (size_t i = 0; i < sides->a_count; i++) {
        struct chain_group *group = &chain->groups[chain->group_a[i]];

        if (!is_common(chain, group)) {
            for (uint32_t j = group->head_b; j != NONE; j = chain->next_b[j])
                add_pair(chain, i, j);
            if (sides->hints)
                diagonal = follow(sides, group, i, diagonal);
        } else if (sides->hints) {
            pair_on_diagonal(chain, sides, i, diagonal);
        } else if (chain->repeats) {
            pair_in_turn(chain, group, i);
        }
    }
}

/* The number of chain ends (ascending) with a smaller b; usually the guess is right. */
static size_t count_below(const uint32_t *ends, size_t count, uint32_t b, size_t guess)
{
    if (count == 0 || ends[count - 1] < b) /* the pair extends the longest chain */
        return count;
    if (guess < count && ends[guess] >= b && (guess == 0 || ends[guess - 1] < b))
        return guess;
    return SEARCH_FIRST(i, 0, count, ends[i] >= b);
}

/* The difference between the numbers of samples by which the two contents advance. */
static uint32_t shift_between(const struct anchor *before, const struct anchor *after)
{
    const uint32_t a = after->a - before->a, b = after->b - before->b;

    return a < b ? b - a : a - b;
}

/* Of the pairs that can precede this one in the chain, the one nearest to its diagonal, so that the chain
 * stays in one place in repetitive content. */
static uint32_t nearest_previous(const struct chain *chain, uint32_t i)
{
    const struct anchor *pair = &chain->pairs[i];
    uint32_t best = chain->previous[i], at = best;

    for (uint32_t tries = 0; tries < MOST_ALIKE && at != NONE && chain->pairs[at].b < pair->b; tries++) {
        if (shift_between(&chain->pairs[at], pair) < shift_between(&chain->pairs[best], pair))
            best = at;
        at = chain->under[at];
    }
    return best;
}

/* The longest ascending subsequence.  tails[l] is the pair that ends the chain of length l + 1 with the
 * smallest end, ends[l] is that end, and under[i] is the pair that pair i replaced in tails. */
static void longest_chain(struct chain *chain)
{
    size_t longest = 0, length = 0;

    for (size_t i = 0; i < chain->pair_count; i++) {
        length = count_below(chain->ends, longest, chain->pairs[i].b, length + 1);
        chain->previous[i] = length ? chain->tails[length - 1] : NONE;
        chain->under[i] = length < longest ? chain->tails[length] : NONE;
        chain->tails[length] = (uint32_t)i;
        chain->ends[length] = chain->pairs[i].b;
        if (length == longest)
            longest++;
    }
    chain->count = longest;
    for (uint32_t i = longest ? chain->tails[longest - 1] : NONE; i != NONE; i = nearest_previous(chain, i))
        chain->anchors[--longest] = chain->pairs[i];
}

int chain_find(struct chain *chain, const struct chain_sides *sides, struct error *err)
{
    const size_t samples = sides->a_count + sides->b_count;
    const bool again = sides->hints && sides->hints->same_a && chain->a_grouped &&
                       chain->a_count == sides->a_count && samples <= chain->sample_room &&
                       3 * samples <= 2 * chain->table_len;

    chain->count = chain->pair_count = 0;
    chain->shared = chain->only_a = chain->only_b = 0;
    if (samples == 0) {
        chain->a_grouped = false;
        return 0;
    }
    if (!again && grow_samples(chain, samples, err))
        return -1;
    make_groups(chain, sides);
    if (grow_pairs(chain, limit_pairs(chain, samples, sides->hints != NULL), err))
        return -1;
    make_pairs(chain, sides);
    memset(chain->used_a, 0, sides->a_count * sizeof *chain->used_a);
    memset(chain->used_b, 0, sides->b_count * sizeof *chain->used_b);
    longest_chain(chain);
    return 0;
}

void chain_find_next(struct chain *chain)
{
    size_t kept = 0;

    for (size_t i = 0; i < chain->count; i++)
        chain->used_a[chain->anchors[i].a] = chain->used_b[chain->anchors[i].b] = true;
    for (size_t i = 0; i < chain->pair_count; i++)
        if (!chain->used_a[chain->pairs[i].a] && !chain->used_b[chain->pairs[i].b])
            chain->pairs[kept++] = chain->pairs[i];
    chain->pair_count = kept;
    longest_chain(chain);
}
