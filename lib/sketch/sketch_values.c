/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sketch/sketch_inner.h"

enum {
    LEAST_LIMIT = 1 << 16,
    USUAL_ROOM = 2 * LEAST_LIMIT, /* of values that are kept for the next document */
};

struct sketch_divisor sketch_divisor_of(uint32_t divisor)
{
    const unsigned shift = (unsigned)__builtin_ctz(divisor);
    const uint64_t odd = divisor >> shift;
    uint64_t inverse = odd; /* modulo 8; each round doubles the bits */

    for (int i = 0; i < 5; i++)
        inverse *= 2 - odd * inverse;
    return (struct sketch_divisor){inverse, UINT64_MAX / divisor, shift};
}

/* ---- sorting ---- */

enum {
    DIGITS = 8,
    DIGIT_VALUES = 256,
    SORTED_DIGITS = 4,
    FEW = 64, /* values that are sorted by insertion alone */
};

static void count_digits(const struct sketch_values *values, size_t counts[DIGITS][DIGIT_VALUES])
{
    memset(counts, 0, sizeof(size_t[DIGITS][DIGIT_VALUES]));
    for (size_t i = 0; i < values->count; i++)
        for (unsigned digit = 0; digit < DIGITS; digit++)
            counts[digit][values->list[i] >> (8 * digit) & (DIGIT_VALUES - 1)]++;
}

/* Whether all values have the same digit. */
static bool is_constant(const size_t *counts, size_t count)
{
    for (unsigned i = 0; i < DIGIT_VALUES; i++)
        if (counts[i] > 0)
            return counts[i] == count;
    return true;
}

/* One pass of a radix sort. */
static void sort_digit(struct sketch_values *values, uint64_t **other, unsigned digit, size_t *counts)
{
    uint64_t *const from = values->list, *const to = *other;
    size_t at = 0;

    for (unsigned i = 0; i < DIGIT_VALUES; i++) {
        const size_t here = counts[i];

        counts[i] = at;
        at += here;
    }
    for (size_t i = 0; i < values->count; i++)
        to[counts[from[i] >> (8 * digit) & (DIGIT_VALUES - 1)]++] = from[i];
    values->list = to;
    *other = from;
}

/* Sorts by at most `most` of the digits, the upper ones that differ. */
static int sort_digits(struct sketch_values *values, unsigned most, struct error *err)
{
    size_t counts[DIGITS][DIGIT_VALUES];
    const uint64_t *const before = values->list;
    uint64_t *other = malloc(values->count * sizeof *other);
    unsigned last = DIGITS - 1;

    if (!other)
        return error_set(err, "out of memory for %zu fingerprints", values->count);
    count_digits(values, counts);
    while (last > 0 && is_constant(counts[last], values->count))
        last--;
    for (unsigned digit = last < most ? 0 : last - most + 1; digit <= last; digit++)
        sort_digit(values, &other, digit, counts[digit]);
    if (values->list != before)
        values->room = values->count;
    free(other);
    return 0;
}

bool sketch_values_insert(uint64_t *list, size_t count)
{
    size_t moves = FEW * (count + FEW);

    for (size_t i = 1; i < count; i++) {
        const uint64_t value = list[i];
        size_t at = i;

        for (; at > 0 && list[at - 1] > value && moves > 0; at--, moves--)
            list[at] = list[at - 1];
        list[at] = value;
        if (moves == 0)
            return false;
    }
    return true;
}

/* The values are random, so few have the same upper digits; unless somebody who knows the seed has
 * constructed them. */
int sketch_values_sort(struct sketch_values *values, struct error *err)
{
    size_t kept = 0;

    if (values->count > FEW && sort_digits(values, SORTED_DIGITS, err))
        return -1;
    if (!sketch_values_insert(values->list, values->count) && sort_digits(values, DIGITS, err))
        return -1;
    for (size_t i = 0; i < values->count; i++)
        if (i == 0 || values->list[i] != values->list[i - 1])
            values->list[kept++] = values->list[i];
    values->count = kept;
    return 0;
}

/* ---- collecting ---- */

void sketch_values_reset(struct sketch_values *values)
{
    if (values->room > USUAL_ROOM) { /* the next document may be small */
        free(values->list);
        *values = (struct sketch_values){0};
    }
    values->count = 0;
    values->limit = LEAST_LIMIT;
    values->most = SKETCH_MAX_VALUES;
}

/* The values are distinct. */
static int check_most(const struct sketch_values *values, struct error *err)
{
    if (values->count > values->most)
        return error_set(err, "has over %zu fingerprints, too many to keep", values->most);
    return 0;
}

static int grow(struct sketch_values *values, struct error *err)
{
    const size_t most_held = values->most + values->most / 8 + 1; /* with duplicates */

    if (values->count >= values->limit) {
        if (sketch_values_sort(values, err))
            return -1;
        if (check_most(values, err))
            return -1;
        if (values->count > values->limit / 2)
            values->limit = 2 * values->limit < most_held ? 2 * values->limit : most_held;
    }
    if (array_reserve(&values->list, &values->room, values->count + 1))
        return error_set(err, "out of memory after %zu fingerprints", values->count);
    return 0;
}

int sketch_values_add(struct sketch_values *values, uint64_t value, struct error *err)
{
    if ((values->count >= values->room || values->count >= values->limit) && grow(values, err))
        return -1;
    values->list[values->count++] = value;
    return 0;
}

int sketch_values_room(struct sketch *sketch, size_t count, struct error *err)
{
    if (count > sketch->room && array_resize(&sketch->values, count))
        return error_set(err, "out of memory for %zu values", count);
    sketch->room = count > sketch->room ? count : sketch->room;
    sketch->count = count;
    return 0;
}

int sketch_values_give(struct sketch_values *values, struct sketch *out, struct error *err)
{
    if (sketch_values_sort(values, err) || check_most(values, err) ||
        sketch_values_room(out, values->count, err))
        return -1;
    if (values->count > 0)
        memcpy(out->values, values->list, values->count * sizeof *values->list);
    return 0;
}

/* ---- comparing ---- */

void sketch_values_resemblance(struct sketch_likeness *out, uint64_t common, uint64_t compared,
                               enum sketch_basis basis)
{
    out->common = common;
    out->compared = compared;
    out->basis = basis;
    out->has_resemblance = compared > 0;
    if (!out->has_resemblance)
        return;
    out->resemblance = out->resemblance_low = out->resemblance_high = (double)common / (double)compared;
    if (basis == SKETCH_SAMPLE)
        sketch_interval((double)common, (double)compared, &out->resemblance_low, &out->resemblance_high);
}

/* The next value at or after *at that is 0 modulo the divisor. */
static bool next(const struct sketch *sketch, const struct sketch_divisor *divisor, size_t *at)
{
    while (*at < sketch->count && !sketch_divides(divisor, sketch->values[*at]))
        ++*at;
    return *at < sketch->count;
}

void sketch_values_compare(const struct sketch *a, const struct sketch *b, uint32_t modulus,
                           enum sketch_basis basis, struct sketch_likeness *out)
{
    const struct sketch_divisor divisor = sketch_divisor_of(modulus ? modulus : 1);
    uint64_t of_a = 0, of_b = 0, common = 0;
    size_t i = 0, k = 0;
    bool has_a, has_b;

    while (has_a = next(a, &divisor, &i), has_b = next(b, &divisor, &k), has_a || has_b) {
        const bool take_a = has_a && (!has_b || a->values[i] <= b->values[k]);
        const bool take_b = has_b && (!has_a || b->values[k] <= a->values[i]);

        common += take_a && take_b;
        of_a += take_a;
        of_b += take_b;
        i += take_a;
        k += take_b;
    }
    sketch_values_resemblance(out, common, of_a + of_b - common, basis);
    out->has_containment = of_a > 0 && of_b > 0;
    if (!out->has_containment)
        return;
    out->of_a = of_a;
    out->of_b = of_b;
    out->a_in_b = out->a_in_b_low = out->a_in_b_high = (double)common / (double)of_a;
    out->b_in_a = out->b_in_a_low = out->b_in_a_high = (double)common / (double)of_b;
    if (basis == SKETCH_SAMPLE) {
        sketch_interval((double)common, (double)of_a, &out->a_in_b_low, &out->a_in_b_high);
        sketch_interval((double)common, (double)of_b, &out->b_in_a_low, &out->b_in_a_high);
    }
}
