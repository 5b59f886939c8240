/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CLUSTERING_H
#define KITH_CLUSTERING_H

/* Shared by the tests of clustering: documents that are sets of numbers, in families, and their exact
 * resemblance. */

#include "check_main.h"
#include "cluster/likeness.h"
#include "cluster/postings.h"

enum { NUMBERS = 40 };

struct numbers {
    uint64_t list[NUMBERS]; /* different, ascending */
    size_t count;
};

struct shelf {
    struct numbers *list;
    size_t count;
    struct likeness_limits limits;
    const struct postings *postings;
};

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void add_number(struct numbers *numbers, uint64_t number)
{
    for (size_t i = 0; i < numbers->count; i++)
        if (numbers->list[i] == number)
            return;
    numbers->list[numbers->count++] = number;
    qsort(numbers->list, numbers->count, sizeof *numbers->list, compare_numbers);
}

/* Documents of `families`: each has most numbers of its family's, some of its own, and some that many have.
 */
static struct shelf make_shelf(size_t count, size_t families)
{
    struct shelf shelf = {.list = calloc(count, sizeof *shelf.list), .count = count};

    ck_assert_ptr_nonnull(shelf.list);
    for (size_t i = 0; i < count; i++) {
        const uint64_t family = random64() % families + 1, own = random64() % (NUMBERS - 10);

        for (uint64_t k = 0; k < NUMBERS - 10; k++)
            add_number(&shelf.list[i], k < own ? random64() : family << 32 | k);
        for (int k = 0; k < 3; k++)
            add_number(&shelf.list[i], random64() % 50);
    }
    return shelf;
}

static struct postings_list shelf_list(const void *arg, uint32_t document)
{
    const struct shelf *shelf = arg;

    return (struct postings_list){shelf->list[document].list, shelf->list[document].count, sizeof(uint64_t)};
}

static struct postings_source shelf_source(const struct shelf *shelf)
{
    return (struct postings_source){.documents = shelf->count, .list = shelf_list, .arg = shelf};
}

static size_t shared_numbers(const struct numbers *a, const struct numbers *b)
{
    size_t shared = 0;

    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        const uint64_t x = a->list[i], y = b->list[k];

        shared += x == y;
        i += x <= y;
        k += y <= x;
    }
    return shared;
}

static inline struct likeness shelf_likeness(const struct shelf *shelf, uint32_t a, uint32_t b)
{
    const struct numbers *x = &shelf->list[a], *y = &shelf->list[b];
    const double shared = (double)shared_numbers(x, y);

    return (struct likeness){.has_resemblance = true,
                             .has_containment = true,
                             .resemblance = shared / ((double)(x->count + y->count) - shared),
                             .a_in_b = shared / (double)x->count,
                             .b_in_a = shared / (double)y->count};
}

static inline bool shelf_related(const struct shelf *shelf, uint32_t a, uint32_t b)
{
    const struct likeness likeness = shelf_likeness(shelf, a, b);

    return likeness.a_in_b > 0 && likeness_meets(&shelf->limits, &likeness, 1, 1);
}

static void *shelf_open(const void *arg, struct error *err)
{
    (void)err;
    return (void *)(uintptr_t)arg;
}

static void shelf_close(void *state)
{
    (void)state;
}

static bool shelf_may(const void *state, uint32_t a, uint32_t b, uint32_t shared)
{
    const struct shelf *shelf = state;
    const struct postings *p = shelf->postings;

    return likeness_may_meet(&shelf->limits, shared,
                             p->widespread[a] < p->widespread[b] ? p->widespread[a] : p->widespread[b],
                             p->distinct[a], p->distinct[b], true);
}

static int shelf_compare(void *state, uint32_t a, uint32_t b, struct likeness *out, struct error *err)
{
    (void)err;
    *out = shelf_likeness(state, a, b);
    return shelf_related(state, a, b);
}

static inline struct likeness_judge shelf_judge(const struct shelf *shelf)
{
    return (struct likeness_judge){shelf_open, shelf_close, shelf_may, shelf_compare, shelf};
}

#endif
