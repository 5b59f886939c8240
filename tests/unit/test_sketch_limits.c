/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "sketch/sketch_inner.h"
#include "sketching.h"

static int add_numbers(struct sketch_values *values, uint64_t first, uint64_t count, struct error *err)
{
    for (uint64_t i = first; i < first + count; i++)
        if (sketch_values_add(values, i * 0x9e3779b97f4a7c15u, err))
            return -1;
    return 0;
}

/* Duplicates are not looked for each time: more values would take hours then. */
static void check_limit_grows(struct sketch_values *values)
{
    struct error err;

    sketch_values_reset(values);
    ck_assert_int_eq(add_numbers(values, 0, values->limit + 2, &err), 0);
    ck_assert_uint_gt(values->limit, values->count + 1000);
}

/* What a large document needed is not kept for the small ones that follow. */
START_TEST(memory_of_a_large_document_is_released)
{
    enum { LARGE = 600000, SMALL = 3000 };
    uint8_t *data = random_block(LARGE);
    struct sketch_values values = {0};

    check_limit_grows(&values);
    free(values.list);
    for (int scheme = 0; scheme <= SKETCH_MIN; scheme++) {
        struct sketch_params params = sketch_defaults((enum sketch_scheme)scheme);
        struct sketcher *sketcher, *fresh;
        struct sketch large, small, direct;

        if (params.size)
            params.size = SKETCH_MAX_SIZE;
        sketcher = sketcher_of(&params);
        fresh = sketcher_of(&params);
        large = sketch_of(sketcher, data, LARGE);
        ck_assert_uint_eq(large.count, LARGE - params.window + 1);
        small = sketch_of(sketcher, data, SMALL);
        direct = sketch_of(fresh, data, SMALL);
        ck_assert_uint_eq(small.count, direct.count);
        ck_assert_mem_eq(small.values, direct.values, small.count * sizeof *small.values);
        ck_assert_uint_le(sketcher->values.room, LARGE / 10);
        ck_assert_uint_le(sketcher->tally.room, LARGE / 10);
        sketch_release(&large);
        sketch_release(&small);
        sketch_release(&direct);
        sketch_free(sketcher);
        sketch_free(fresh);
    }
    free(data);
}
END_TEST

/* Repeated ones do not count, and need little memory. */
START_TEST(as_many_values_as_allowed_are_kept)
{
    enum { MOST_VALUES = 150000 };
    struct sketch_values values = {0};
    struct sketch sketch = {0};
    struct error err = {""};

    check_limit_grows(&values);
    ck_assert_uint_eq(values.most, SKETCH_MAX_VALUES);
    for (int extra = 0; extra < 2; extra++) {
        sketch_values_reset(&values);
        values.most = MOST_VALUES;
        ck_assert_int_eq(add_numbers(&values, 0, MOST_VALUES, &err), 0);
        for (int round = 0; round < 3; round++)
            ck_assert_int_eq(add_numbers(&values, 0, MOST_VALUES, &err), 0);
        ck_assert_uint_le(values.room, 4 * MOST_VALUES);
        ck_assert_int_eq(add_numbers(&values, MOST_VALUES, (uint64_t)extra, &err), 0);
        ck_assert_int_eq(sketch_values_give(&values, &sketch, &err), extra ? -1 : 0);
    }
    ck_assert_str_eq(err.text, "has over 150000 fingerprints, too many to keep");
    ck_assert_uint_eq(sketch.count, MOST_VALUES);
    sketch_values_reset(&values);
    values.most = MOST_VALUES;
    ck_assert_int_eq(add_numbers(&values, 0, 2 * MOST_VALUES, &err), -1);
    ck_assert_uint_lt(values.count, MOST_VALUES + MOST_VALUES / 4);
    free(values.list);
    sketch_release(&sketch);
}
END_TEST

/* Values that agree in their upper halves, in descending order, which take n^2 / 2 moves by insertion. */
START_TEST(constructed_values_take_no_quadratic_time)
{
    enum { COUNT = 1 << 14 };
    const uint64_t upper = UINT64_C(0x7a7a7a7a) << 32;
    struct sketch_values values = {0};
    struct error err = {""};

    sketch_values_reset(&values);
    for (uint64_t i = COUNT; i > 0; i--)
        ck_assert_int_eq(sketch_values_add(&values, upper | i, &err), 0);
    ck_assert(!sketch_values_insert(values.list, values.count));
    for (unsigned step = 1; step < 4; step++) {
        sketch_values_reset(&values);
        ck_assert_int_eq(sketch_values_add(&values, 1, &err), 0); /* the upper halves are not all the same */
        for (uint64_t i = COUNT; i > 0; i--)
            ck_assert_int_eq(sketch_values_add(&values, upper | i / step, &err), 0);
        ck_assert_int_eq(sketch_values_sort(&values, &err), 0);
        ck_assert_uint_eq(values.count, 1 + COUNT / step + (step > 1));
        for (size_t i = 1; i < values.count; i++)
            ck_assert_uint_lt(values.list[i - 1], values.list[i]);
    }
    ck_assert(sketch_values_insert(values.list, values.count));
    free(values.list);
}
END_TEST

/* Multiples of the largest modulus, of which more remain than the size: they are not sorted for each one. */
START_TEST(constructed_multiples_take_no_quadratic_time)
{
    enum { COUNT = 5000 };
    const struct sketch_params params = sketch_defaults(SKETCH_NESTED);
    struct sketcher *sketcher = sketcher_of(&params);
    struct error err = {""};

    sketch_of_nested.begin(sketcher, COUNT);
    for (uint64_t i = 2 * COUNT; i > 0; i--) {
        const uint64_t id = (i + 1) / 2 << 30;

        ck_assert_int_eq(
            sketch_of_nested.add(sketcher, &(struct shingles_batch){.ids = &id, .count = 1}, &err), 0);
    }
    ck_assert_uint_eq(sketcher->modulus, SKETCH_MAX_RATE);
    ck_assert_uint_gt(sketcher->values.count, COUNT); /* not even once after the modulus was reached */
    ck_assert_int_eq(sketch_values_sort(&sketcher->values, &err), 0);
    ck_assert_uint_eq(sketcher->values.count, COUNT);
    sketch_free(sketcher);
}
END_TEST

/* Of the values that left the heap, few are remembered. */
START_TEST(memory_of_the_smallest_is_bounded)
{
    enum { LEN = 6000 };
    static uint8_t data[LEN];
    struct sketch_params params = sketch_defaults(SKETCH_MIN);
    struct sketcher *sketcher;
    size_t passed = 0;

    params.size = 1;
    sketcher = sketcher_of(&params);
    for (int round = 0; round < 40; round++) {
        struct sketch sketch;

        fill_text(data, LEN);
        sketch = sketch_of(sketcher, data, LEN);
        ck_assert_uint_le(sketcher->tally.count, 5);
        passed += sketcher->tally.count;
        sketch_release(&sketch);
    }
    ck_assert_uint_gt(passed, 40);
    sketch_free(sketcher);
}
END_TEST

RUN_TESTS("sketch_limits", memory_of_a_large_document_is_released, as_many_values_as_allowed_are_kept,
          constructed_values_take_no_quadratic_time, constructed_multiples_take_no_quadratic_time,
          memory_of_the_smallest_is_bounded)
