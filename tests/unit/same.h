/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SAME_H
#define KITH_SAME_H

#include "check_main.h"
#include "compare/finding.h"
#include "set/set.h"

/* Structs that must be the same, field by field. */

static inline void assert_same_range(const struct finding_range *a, const struct finding_range *b)
{
    ck_assert_uint_eq(a->obj_start, b->obj_start);
    ck_assert_uint_eq(a->obj_end, b->obj_end);
    ck_assert_uint_eq(a->ref_start, b->ref_start);
    ck_assert_uint_eq(a->ref_end, b->ref_end);
}

static inline void assert_same_finding(const struct finding *a, const struct finding *b)
{
    ck_assert_int_eq(a->verdict, b->verdict);
    ck_assert_uint_eq(a->set, b->set);
    ck_assert_uint_eq(a->file, b->file);
    ck_assert_uint_eq(a->ref_size, b->ref_size);
    assert_same_range(&a->span, &b->span);
    ck_assert_uint_eq(a->matched, b->matched);
    ck_assert(a->resemblance == b->resemblance && a->containment == b->containment);
    ck_assert(a->score == b->score);
    ck_assert_int_eq(a->reordered, b->reordered);
    ck_assert_int_eq(a->has_edits, b->has_edits);
    ck_assert(a->edits == b->edits && a->edits_low == b->edits_low && a->edits_high == b->edits_high);
    ck_assert(a->ln_e == b->ln_e);
    ck_assert_int_eq(a->proof, b->proof);
    ck_assert_uint_eq(a->proved, b->proved);
    ck_assert_uint_eq(a->blocks, b->blocks);
    ck_assert_uint_eq(a->also, b->also);
    ck_assert_uint_eq(a->features.holders, b->features.holders);
    ck_assert_uint_eq(a->features.count, b->features.count);
    for (unsigned i = 0; i < a->features.count; i++)
        ck_assert_uint_eq(a->features.list[i], b->features.list[i]);
    ck_assert_uint_eq(a->range_count, b->range_count);
    for (size_t i = 0; i < a->range_count; i++)
        assert_same_range(&a->ranges[i], &b->ranges[i]);
}

static inline void assert_same_record(const struct set_record *a, const struct set_record *b)
{
    ck_assert_uint_eq(a->place.first, b->place.first);
    ck_assert_uint_eq(a->place.count, b->place.count);
    ck_assert_uint_eq(a->place.file, b->place.file);
    ck_assert_uint_eq(a->place.len, b->place.len);
    ck_assert_uint_eq(a->place.c, b->place.c);
    ck_assert_uint_eq(a->coincidence, b->coincidence);
    ck_assert_uint_eq(a->places.count, b->places.count);
    for (size_t i = 0; i < a->places.count; i++)
        ck_assert_uint_eq(places_at(&a->places, i), places_at(&b->places, i));
    ck_assert_uint_eq(a->blocks.len, b->blocks.len);
    if (a->blocks.len)
        ck_assert_mem_eq(a->blocks.data, b->blocks.data, a->blocks.len);
    ck_assert_uint_eq(a->repeat_count, b->repeat_count);
    for (size_t i = 0; i < a->repeat_count; i++) {
        ck_assert_uint_eq(a->repeats[i].at, b->repeats[i].at);
        ck_assert_uint_eq(a->repeats[i].first, b->repeats[i].first);
    }
}

#endif
