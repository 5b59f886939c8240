/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "compare/distance.h"

/*
 * The input: two bytes that say where to cut it (of 65536), then two strings.
 *
 * All ways to the distance agree, also with the textbook's matrix; it is symmetric and within its bounds.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MAX_LEN = 1 << 12,   /* of both strings together */
    MAX_CELLS = 1 << 18, /* of the matrix that is worked out */
    REFERENCES = 19,     /* more than two vectors of them, and not a multiple */
};

struct text {
    const uint8_t *p;
    size_t len;
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static uint64_t exact(struct text a, struct text b)
{
    uint64_t distance = 0;

    require(distance_exact(a.p, a.len, b.p, b.len, &distance, NULL) == 0);
    return distance;
}

static uint64_t bounded(struct text a, struct text b, uint64_t limit)
{
    uint64_t distance = 0;

    require(distance_bounded(a.p, a.len, b.p, b.len, limit, NULL, NULL, &distance, NULL) == 0);
    return distance;
}

static uint64_t smallest(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t smaller = a < b ? a : b;

    return smaller < c ? smaller : c;
}

/* Wagner and Fischer's algorithm, a row at a time. */
static uint64_t textbook(struct text a, struct text b)
{
    static uint64_t row[MAX_LEN + 1];

    for (size_t j = 0; j <= b.len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        uint64_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            uint64_t above = row[j];

            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a.p[i - 1] != b.p[j - 1]));
            diagonal = above;
        }
    }
    return row[b.len];
}

/* What a is compared with: b, a itself, nothing and the ends of b; and the expected distances. */
struct references {
    const uint8_t *p[REFERENCES];
    size_t lens[REFERENCES];
    uint64_t wanted[REFERENCES];
};

static struct references make_references(struct text a, struct text b)
{
    struct references refs;

    for (size_t i = 0; i < REFERENCES; i++) {
        const size_t left = i < 3 ? 0 : b.len * (i - 3) / REFERENCES;

        refs.p[i] = i == 1 ? a.p : b.p + left;
        refs.lens[i] = i == 1 ? a.len : i == 2 ? 0 : b.len - left;
        refs.wanted[i] = exact(a, (struct text){refs.p[i], refs.lens[i]});
    }
    require(refs.wanted[1] == 0 && refs.wanted[2] == a.len);
    return refs;
}

static void require_many_agree(struct text a, const struct references *refs, const char *level)
{
    uint64_t distances[REFERENCES];
    struct distance_query *query;

    setenv("KITH_CPU", level, 1);
    query = distance_query_new(a.p, a.len, NULL);
    require(query != NULL);
    require(distance_many(query, refs->p, refs->lens, REFERENCES, distances, NULL) == 0);
    for (size_t i = 0; i < REFERENCES; i++)
        require(distances[i] == refs->wanted[i]);
    require(distance_many(query, refs->p, refs->lens, 1, distances, NULL) ==
            0); /* the query can be used again */
    require(distances[0] == refs->wanted[0]);
    distance_query_free(query);
    unsetenv("KITH_CPU");
}

static void require_bounds_hold(struct text a, struct text b, uint64_t distance)
{
    const uint64_t larger = a.len > b.len ? a.len : b.len, smaller = a.len > b.len ? b.len : a.len;

    require(distance >= larger - smaller && distance <= larger);
    require(bounded(a, b, distance) == distance);
    require(bounded(b, a, distance) == distance);
    require(bounded(a, b, distance + 1) == distance);
    require(bounded(a, b, distance + 70) == distance);
    require(bounded(a, b, UINT64_MAX - 1) == distance);
    if (distance == 0)
        return;
    require(bounded(a, b, distance - 1) == DISTANCE_MORE);
    require(bounded(b, a, distance / 2) == DISTANCE_MORE);
    require(bounded(a, b, 0) == DISTANCE_MORE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct references refs;
    struct text a, b;
    uint64_t distance;
    size_t len;

    if (size < 2)
        return 0;
    len = size - 2 < MAX_LEN ? size - 2 : MAX_LEN;
    a = (struct text){data + 2, (len + 1) * (data[0] + 256u * data[1]) >> 16};
    b = (struct text){a.p + a.len, len - a.len};
    distance = exact(a, b);
    require(exact(b, a) == distance);
    if (a.len * b.len <= MAX_CELLS)
        require(textbook(a, b) == distance);
    require_bounds_hold(a, b, distance);
    refs = make_references(a, b);
    require_many_agree(a, &refs, "scalar");
    require_many_agree(a, &refs, "avx2"); /* a level that the machine lacks means the best one that it has */
    require_many_agree(a, &refs, "avx512");
    return 0;
}
