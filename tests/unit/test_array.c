/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <string.h>

#include "base/array.h"
#include "check_main.h"

struct item {
    uint64_t number;
    char rest[5];
};

START_TEST(growing_an_array_keeps_its_contents)
{
    struct item *items = NULL;
    size_t room = 0;

    for (size_t count = 0; count < 3000; count++) {
        ck_assert_int_eq(array_reserve(&items, &room, count + 1), 0);
        ck_assert_uint_gt(room, count);
        items[count] = (struct item){count * 7, "abcd"};
    }
    for (size_t i = 0; i < 3000; i++) {
        ck_assert_uint_eq(items[i].number, i * 7);
        ck_assert_str_eq(items[i].rest, "abcd");
    }
    free(items);
}
END_TEST

START_TEST(growing_one_by_one_rarely_reallocates)
{
    uint8_t *bytes = NULL;
    size_t room = 0, changes = 0;

    for (size_t count = 1; count <= 1 << 20; count++) {
        const size_t before = room;

        ck_assert_int_eq(array_reserve(&bytes, &room, count), 0);
        if (room == before)
            continue;
        ck_assert_uint_ge(room, 2 * before);
        changes++;
    }
    ck_assert_uint_le(changes, 20);
    free(bytes);
}
END_TEST

START_TEST(a_large_step_is_allocated_at_once)
{
    uint32_t *numbers = NULL;
    size_t room = 0;

    ck_assert_int_eq(array_reserve(&numbers, &room, 100000), 0);
    ck_assert_uint_ge(room, 100000);
    memset(numbers, 0xff, 100000 * sizeof *numbers);
    free(numbers);
}
END_TEST

START_TEST(an_array_can_be_trimmed_to_its_length_or_to_nothing)
{
    uint32_t *numbers = NULL;

    ck_assert_int_eq(array_resize(&numbers, 0), 0);
    ck_assert_ptr_nonnull(numbers);
    ck_assert_int_eq(array_resize(&numbers, 1000), 0);
    for (uint32_t i = 0; i < 1000; i++)
        numbers[i] = i;
    ck_assert_int_eq(array_resize(&numbers, 10), 0);
    for (uint32_t i = 0; i < 10; i++)
        ck_assert_uint_eq(numbers[i], i);
    ck_assert_int_eq(array_resize(&numbers, 0), 0);
    ck_assert_ptr_nonnull(numbers);
    free(numbers);
}
END_TEST

/* A product of 2^64 + 16 is not 16. */
START_TEST(a_size_that_overflows_is_refused_and_changes_nothing)
{
    static const size_t counts[] = {SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / sizeof(struct item) + 1};
    struct item *items = NULL, *before;
    size_t room = 0;

    ck_assert_int_eq(array_reserve(&items, &room, 1), 0);
    items[0].number = 42;
    before = items;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const size_t room_before = room;

        ck_assert_int_eq(array_reserve(&items, &room, counts[i]), -1);
        ck_assert_int_eq(array_resize(&items, counts[i]), -1);
        ck_assert_ptr_eq(items, before);
        ck_assert_uint_eq(room, room_before);
        ck_assert_uint_eq(items[0].number, 42);
    }
    free(items);
}
END_TEST

START_TEST(arrays_that_share_a_capacity_grow_together)
{
    struct item *items = NULL;
    uint8_t *marks = NULL;
    size_t room = 0;

    for (size_t count = 1; count <= 5000; count += 1 + count / 3) {
        ck_assert_int_eq(array_reserve_all(&room, count, ARRAY_PART(&items), ARRAY_PART(&marks)), 0);
        ck_assert_uint_ge(room, count);
        items[room - 1].rest[4] = 0; /* sanitizers watch that the last element is there */
        marks[room - 1] = 0;
        items[count - 1].number = marks[count - 1] = (uint8_t)count;
        for (size_t past = 1; past < count; past += 1 + past / 3)
            ck_assert(items[past - 1].number == (uint8_t)past && marks[past - 1] == (uint8_t)past);
    }
    ck_assert_int_eq(array_reserve_all(&room, SIZE_MAX / 2 + 1, ARRAY_PART(&marks), ARRAY_PART(&items)), -1);
    ck_assert_int_eq(array_reserve_all(&room, SIZE_MAX, ARRAY_PART(&items), ARRAY_PART(&marks)), -1);
    ck_assert_uint_lt(room, 20000);
    free(items);
    free(marks);
}
END_TEST

RUN_TESTS("array", arrays_that_share_a_capacity_grow_together, growing_an_array_keeps_its_contents,
          growing_one_by_one_rarely_reallocates, a_large_step_is_allocated_at_once,
          an_array_can_be_trimmed_to_its_length_or_to_nothing,
          a_size_that_overflows_is_refused_and_changes_nothing)
