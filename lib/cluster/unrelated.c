/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/unrelated.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/distance.h"

enum {
    TURNS = 16,
    LONGEST = 4096, /* characters: of longer strings the beginnings are compared */
};

/* The deviation of so few distances, which are whole numbers, is often too small. */
static const double least_deviation = 1;
/* The expected number of unrelated pairs that pass. */
static const double most_false = 0.05;

/* Each row is p reversed and rotated. */
static void fill_rows(const uint8_t *p, size_t len, uint8_t *rows, const uint8_t **list, size_t *lens)
{
    for (size_t row = 0; row < TURNS; row++) {
        const size_t turn = row * len / TURNS;

        list[row] = rows + row * len;
        lens[row] = len;
        for (size_t i = 0; i < len; i++)
            rows[row * len + i] = p[len - 1 - (i + turn) % len];
    }
}

/* Whether unrelated strings of the shorter length and these characters would be equal in a pair or two. */
static bool is_too_short(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len, double pairs)
{
    const double shorter = (double)(a_len < b_len ? a_len : b_len);
    size_t a_counts[256] = {0}, b_counts[256] = {0};
    double coincidence = 0;

    for (size_t i = 0; i < a_len; i++)
        a_counts[a[i]]++;
    for (size_t i = 0; i < b_len; i++)
        b_counts[b[i]]++;
    for (size_t i = 0; i < 256; i++)
        coincidence += (double)a_counts[i] / (double)a_len * ((double)b_counts[i] / (double)b_len);
    return coincidence > 0 && -log(coincidence) * shorter < log(fmax(pairs, 1) / most_false);
}

static double limit_of(const uint64_t *distances, double pairs)
{
    /* P(Z > z) < exp(-z^2 / 2) / 2 */
    const double z = sqrt(2 * log(fmax(pairs, 1) / (2 * most_false)));
    double sum = 0, squares = 0, mean;

    for (size_t i = 0; i < TURNS; i++)
        sum += (double)distances[i];
    mean = sum / TURNS;
    for (size_t i = 0; i < TURNS; i++)
        squares += ((double)distances[i] - mean) * ((double)distances[i] - mean);
    return mean - z * fmax(sqrt(squares / (TURNS - 1)), least_deviation);
}

/* Distances of the shorter string and the longer one in all its turns. */
static int measure(const uint8_t *shorter, size_t shorter_len, const uint8_t *longer, size_t longer_len,
                   uint64_t *distances, struct error *err)
{
    const uint8_t *list[TURNS];
    size_t lens[TURNS];
    struct distance_query *query = distance_query_new(shorter, shorter_len, err);
    uint8_t *rows = query ? memory_new(TURNS * longer_len, err) : NULL;
    int result = -1;

    if (rows) {
        fill_rows(longer, longer_len, rows, list, lens);
        result = distance_many(query, list, lens, TURNS, distances, err);
    }
    free(rows);
    distance_query_free(query);
    return result;
}

int unrelated_most(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len, double pairs,
                   double *distance, double *most, struct error *err)
{
    const bool swap = b_len < a_len; /* the longer one has more turns */
    const uint8_t *shorter = swap ? b : a, *longer = swap ? a : b;
    const size_t shorter_len = swap ? b_len : a_len, longer_len = swap ? a_len : b_len;
    /* Distances grow with the length, and their deviations less. */
    const double scale = longer_len > LONGEST ? (double)longer_len / LONGEST : 1;
    uint64_t distances[TURNS], own;

    if (distance_exact(a, a_len, b, b_len, &own, err) ||
        measure(shorter, (size_t)((double)shorter_len / scale), longer, (size_t)((double)longer_len / scale),
                distances, err))
        return -1;
    *distance = (double)own;
    *most = is_too_short(a, a_len, b, b_len, pairs) ? -1 : scale * limit_of(distances, pairs);
    return 0;
}
