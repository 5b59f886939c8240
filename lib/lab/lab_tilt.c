/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_tilt.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"

enum {
    REACH = 12, /* a line goes on at one of the next slots, */
    NEAR = 128, /* and at one of this many samples before or after the place where it should: bounds time */
};

/* The share of objects that get a line, which makes no weight larger than 10, and that of lines which go on
 * after each sample. */
static const double share_lined = 0.9, share_longer = 0.75;

/* A sample that a slot can stand for, and the probability of the lines that end with it, relative to chance.
 */
struct state {
    size_t sample;
    double lines;
};

struct lab_tilt {
    const struct lab_tilt_sample *samples;
    size_t count;
    uint32_t *holders; /* indexes of the samples, by fingerprint */
    uint32_t *firsts;  /* for each sample, the first of its holders */
    uint32_t *counts;  /* and their number */
    struct lab_tilt_slot *slots;
    size_t slot_count;
    struct state *states; /* of all slots */
    size_t state_room;
    size_t *begins; /* of each slot's states, and their end */
    size_t begin_room;
};

/* The probability that a line that goes on does so this many slots farther on. */
static double step_share(size_t step)
{
    double sum = 0;

    for (size_t i = 1; i <= REACH; i++)
        sum += 1.0 / (double)i;
    return 1.0 / ((double)step * sum);
}

/* How much a sample is preferred that lies this far from where the line expects it. */
static double preference(uint64_t expected, uint64_t pos)
{
    const uint64_t apart = expected > pos ? expected - pos : pos - expected;

    return 1.0 / (2 * (double)apart + 1);
}

static uint64_t expected_at(const struct lab_tilt *tilt, size_t slot, size_t sample, size_t next)
{
    return tilt->samples[sample].pos + (tilt->slots[next].pos - tilt->slots[slot].pos);
}

/* The samples that a line can go on with. */
struct candidates {
    size_t first, end;
};

static bool has_candidates(const struct lab_tilt *tilt, size_t sample)
{
    return sample + 1 < tilt->count && tilt->samples[sample + 1].reference == tilt->samples[sample].reference;
}

static struct candidates candidates_at(const struct lab_tilt *tilt, size_t sample, uint64_t expected)
{
    const size_t first = sample + 1;
    const size_t end =
        SEARCH_FIRST(i, first, tilt->count, tilt->samples[i].reference != tilt->samples[sample].reference);
    const size_t at = SEARCH_FIRST(i, first, end, tilt->samples[i].pos >= expected);
    struct candidates near = {first, end};

    near.first = at > first + NEAR ? at - NEAR : first;
    near.first = near.first < end ? near.first : end - 1;
    near.end = end > near.first + 2 * NEAR ? near.first + 2 * NEAR : end;
    return near;
}

/* The sum of the preferences for all of them. */
static double preferences(const struct lab_tilt *tilt, const struct candidates *near, uint64_t expected)
{
    double sum = 0;

    for (size_t i = near->first; i < near->end; i++)
        sum += preference(expected, tilt->samples[i].pos);
    return sum;
}

/* ---- choosing ---- */

static size_t choose_step(struct lab_random *random)
{
    double left = lab_random_unit(random);
    size_t step = 1;

    while (step < REACH && (left -= step_share(step)) >= 0)
        step++;
    return step;
}

static size_t choose_sample(const struct lab_tilt *tilt, struct lab_random *random, size_t sample,
                            uint64_t expected)
{
    const struct candidates near = candidates_at(tilt, sample, expected);
    double left = lab_random_unit(random) * preferences(tilt, &near, expected);
    size_t chosen = near.first;

    while (chosen + 1 < near.end && (left -= preference(expected, tilt->samples[chosen].pos)) >= 0)
        chosen++;
    return chosen;
}

/* Puts a line into the slots, from a random one on. */
static void add_line(const struct lab_tilt *tilt, struct lab_random *random)
{
    size_t slot = lab_random_below(random, tilt->slot_count);

    while (lab_random_unit(random) < share_longer) {
        const size_t next = slot + choose_step(random), sample = tilt->slots[slot].sample;

        if (next >= tilt->slot_count || !has_candidates(tilt, sample))
            return;
        tilt->slots[next].sample = choose_sample(tilt, random, sample, expected_at(tilt, slot, sample, next));
        slot = next;
    }
}

/* ---- the weight ---- */

static int make_states(struct lab_tilt *tilt, struct error *err)
{
    size_t count = 0;

    if (array_reserve(&tilt->begins, &tilt->begin_room, tilt->slot_count + 1))
        return error_set(err, "out of memory");
    for (size_t i = 0; i < tilt->slot_count; i++) {
        const size_t sample = tilt->slots[i].sample;

        tilt->begins[i] = count;
        if (array_reserve(&tilt->states, &tilt->state_room, count + tilt->counts[sample]))
            return error_set(err, "out of memory");
        for (size_t k = 0; k < tilt->counts[sample]; k++)
            tilt->states[count++] =
                (struct state){tilt->holders[tilt->firsts[sample] + k],
                               1.0 / (double)tilt->slot_count / (double)tilt->counts[sample]};
    }
    tilt->begins[tilt->slot_count] = count;
    return 0;
}

/* Passes the lines that end with a state of a slot on to those of the slot `step` slots later. */
static void pass_on(struct lab_tilt *tilt, size_t slot, const struct state *state, size_t step)
{
    const size_t next = slot + step, first = tilt->begins[next], last = tilt->begins[next + 1];
    const uint64_t expected = expected_at(tilt, slot, state->sample, next);
    const struct candidates near = candidates_at(tilt, state->sample, expected);
    const double share =
        state->lines * share_longer * step_share(step) * (double)tilt->count / (double)(last - first);
    double sum = 0;

    for (size_t i = SEARCH_FIRST(k, first, last, tilt->states[k].sample >= near.first);
         i < last && tilt->states[i].sample < near.end; i++) {
        struct state *there = &tilt->states[i];

        sum = sum > 0 ? sum : preferences(tilt, &near, expected);
        there->lines += share * preference(expected, tilt->samples[there->sample].pos) / sum;
    }
}

/* The probability, relative to chance, of the lines that end with a state of this slot. */
static double ending_at(struct lab_tilt *tilt, size_t slot, const struct state *state)
{
    double ending = 1;

    if (!has_candidates(tilt, state->sample))
        return state->lines;
    for (size_t step = 1; step <= REACH && slot + step < tilt->slot_count; step++) {
        ending -= share_longer * step_share(step);
        pass_on(tilt, slot, state, step);
    }
    return state->lines * ending;
}

static double weigh(struct lab_tilt *tilt)
{
    double sum = 0;

    for (size_t slot = 0; slot < tilt->slot_count; slot++)
        for (size_t i = tilt->begins[slot]; i < tilt->begins[slot + 1]; i++)
            sum += ending_at(tilt, slot, &tilt->states[i]);
    return 1 / (1 - share_lined + share_lined * sum);
}

double lab_tilt_draw(struct lab_tilt *tilt, struct lab_random *random, struct lab_tilt_slot *slots,
                     size_t slot_count, struct error *err)
{
    tilt->slots = slots;
    tilt->slot_count = slot_count;
    for (size_t i = 0; i < slot_count; i++)
        slots[i].sample = lab_random_below(random, tilt->count);
    if (slot_count > 0 && lab_random_unit(random) < share_lined)
        add_line(tilt, random);
    if (slot_count == 0)
        return 1;
    return make_states(tilt, err) ? -1 : weigh(tilt);
}

/* ---- all of it ---- */

struct keyed {
    uint64_t fp;
    uint32_t sample;
};

static int by_fingerprint(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->fp != y->fp)
        return x->fp < y->fp ? -1 : 1;
    return (x->sample > y->sample) - (x->sample < y->sample);
}

static void find_holders(struct lab_tilt *tilt, struct keyed *keys)
{
    for (size_t i = 0; i < tilt->count; i++)
        keys[i] = (struct keyed){tilt->samples[i].fp, (uint32_t)i};
    qsort(keys, tilt->count, sizeof *keys, by_fingerprint);
    for (size_t first = 0, last; first < tilt->count; first = last) {
        for (last = first; last < tilt->count && keys[last].fp == keys[first].fp; last++)
            tilt->holders[last] = keys[last].sample;
        for (size_t i = first; i < last; i++) {
            tilt->firsts[keys[i].sample] = (uint32_t)first;
            tilt->counts[keys[i].sample] = (uint32_t)(last - first);
        }
    }
}

struct lab_tilt *lab_tilt_new(const struct lab_tilt_sample *samples, size_t count, struct error *err)
{
    struct lab_tilt *tilt = calloc(1, sizeof *tilt);
    struct keyed *keys = calloc(count, sizeof *keys);
    size_t room = 0;

    if (!tilt || !keys || count > UINT32_MAX ||
        array_reserve_all(&room, count, ARRAY_PART(&tilt->holders), ARRAY_PART(&tilt->firsts),
                          ARRAY_PART(&tilt->counts))) {
        error_set(err, "out of memory for %zu samples", count);
        free(keys);
        lab_tilt_free(tilt);
        return NULL;
    }
    tilt->samples = samples;
    tilt->count = count;
    find_holders(tilt, keys);
    free(keys);
    return tilt;
}

void lab_tilt_free(struct lab_tilt *tilt)
{
    if (!tilt)
        return;
    free(tilt->holders);
    free(tilt->firsts);
    free(tilt->counts);
    free(tilt->states);
    free(tilt->begins);
    free(tilt);
}
