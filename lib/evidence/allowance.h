/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ALLOWANCE_H
#define KITH_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "container/opening.h"
#include "disk/object.h"

/*
 * A limit on what all containers in a piece of evidence yield.  Each object has one of its own (opening.h),
 * but OPENING_LEAST is granted to an object of a few bytes, too, and evidence has room for any number of
 * these.
 *
 * Evidence may yield ALLOWANCE_LEAST bytes, plus ALLOWANCE_RATIO for each of its own.  Manual
 * pages, packages and documents were found to yield 2 to 6 times their size on all levels together, logs 8 to
 * 41 times, and there are seldom nothing but these.  A member costs its size, and ALLOWANCE_EACH for its row.
 *
 * The members of an object are taken in their order.  With the first one that does not fit, the opening of
 * the object ends; of later objects, what fits is still opened.
 */
enum { ALLOWANCE_RATIO = 100, ALLOWANCE_EACH = 4 << 10 };
#define ALLOWANCE_LEAST (64 * (uint64_t)OPENING_LEAST)

struct allowance {
    uint64_t most, spent; /* in bytes */
    bool is_over;         /* no further members of the present object fit */
};

/* Allows for that many more bytes of evidence. */
void allowance_grow(struct allowance *allowance, uint64_t bytes);
/* Returns how many bytes are left. */
uint64_t allowance_left(const struct allowance *allowance);
/* Begins an object.  Its members follow, each of which is charged; returns false if it does not fit. */
void allowance_begin(struct allowance *allowance);
bool allowance_take(struct allowance *allowance, const struct object *member);

/* What members cost that all fitted, or of which those that did not are counted without their bytes. */
uint64_t allowance_cost(uint64_t count, uint64_t bytes);

#endif
