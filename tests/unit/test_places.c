/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "sample/places.h"

enum { MOST = 2000 };

static struct places places;
static uint64_t list[MOST]; /* what it holds */
static struct error err;

/* Ascending; of some kinds many lie in one place and none elsewhere. */
static void make_places(size_t count, int kind)
{
    uint64_t pos = random64() % 100;

    for (size_t i = 0; i < count; i++) {
        list[i] = pos << PLACES_CHARACTER_BITS | random64() % 64;
        pos += 1 + (kind == 0                       ? random64() % 200
                    : kind == 1 && random64() % 100 ? 0
                    : kind == 2 && random64() % 500 ? random64() % 3
                                                    : random64() % ((uint64_t)1 << 40));
    }
    ck_assert_int_eq(places_set(&places, list, count, &err), 0);
    ck_assert_uint_eq(places.count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(places_at(&places, i), list[i]);
}

static size_t slowly(uint64_t position, unsigned character)
{
    for (size_t i = 0; i < places.count; i++)
        if (places_position(list[i]) == position && places_character(list[i]) == character)
            return i;
    return places.count;
}

static size_t from_slowly(uint64_t position)
{
    size_t i = 0;

    while (i < places.count && places_position(list[i]) < position)
        i++;
    return i;
}

static void assert_found(uint64_t position, unsigned character)
{
    ck_assert_uint_eq(places_find(&places, position, character), slowly(position, character));
    ck_assert_uint_eq(places_from(&places, position), from_slowly(position));
}

START_TEST(each_is_found_by_position_and_character_and_nothing_else)
{
    for (int kind = 0; kind < 4; kind++)
        for (size_t count = 0; count < MOST; count += 1 + 2 * count) {
            make_places(count, kind);
            for (size_t i = 0; i < count; i++) {
                const uint64_t position = places_position(list[i]);
                const unsigned character = places_character(list[i]);

                ck_assert_uint_eq(places_find(&places, position, character), i);
                assert_found(position, (character + 1) % 64);
                assert_found(position + 1, character);
                if (position)
                    assert_found(position - 1, character);
            }
            for (int i = 0; i < 100; i++)
                assert_found(random64() >> random64() % 64, (unsigned)(random64() % 64));
        }
    places_release(&places);
}
END_TEST

START_TEST(the_farthest_positions_are_found)
{
    const uint64_t last = ((uint64_t)1 << PLACES_POSITION_BITS) - 2;

    list[0] = 5;
    list[1] = last << PLACES_CHARACTER_BITS | 63;
    ck_assert_int_eq(places_set(&places, list, 2, &err), 0);
    ck_assert_uint_eq(places_find(&places, 0, 5), 0);
    ck_assert_uint_eq(places_find(&places, last, 63), 1);
    ck_assert_uint_eq(places_find(&places, last, 62), 2);
    ck_assert_uint_eq(places_find(&places, last + 1, 63), 2);
    ck_assert_uint_eq(places_find(&places, (uint64_t)1 << PLACES_POSITION_BITS, 5), 2);
    ck_assert_uint_eq(places_from(&places, 1), 1);
    ck_assert_uint_eq(places_from(&places, UINT64_MAX), 2);
    places_release(&places);
}
END_TEST

/* Places whose lower halves are equal, or that of what stands after the last one. */
START_TEST(places_that_differ_only_in_their_upper_halves_are_distinguished)
{
    const uint64_t turn = (uint64_t)1 << 32;

    for (size_t i = 0; i < 40; i++)
        list[i] = i % 2 ? i / 2 * turn + UINT32_MAX : i / 2 * turn + 64;
    ck_assert_int_eq(places_set(&places, list, 40, &err), 0);
    for (size_t i = 0; i < 40; i++) {
        ck_assert_uint_eq(places_at(&places, i), list[i]);
        ck_assert_uint_eq(places_number(&places, list[i]), i);
        ck_assert_uint_eq(places_number(&places, list[i] + 20 * turn), 40);
    }
    list[0] = UINT32_MAX - 64;
    ck_assert_int_eq(places_set(&places, list, 1, &err), 0);
    ck_assert_uint_eq(places_number(&places, UINT32_MAX), 1);
    ck_assert_uint_eq(places_number(&places, list[0] + turn), 1);
    places_release(&places);
}
END_TEST

START_TEST(an_empty_list_finds_nothing)
{
    struct places none = {0};

    ck_assert_int_eq(places_set(&none, NULL, 0, &err), 0);
    ck_assert_uint_eq(places_find(&none, 0, 0), 0);
    ck_assert_uint_eq(places_from(&none, 0), 0);
    places_release(&none);
}
END_TEST

RUN_TESTS("places", each_is_found_by_position_and_character_and_nothing_else,
          the_farthest_positions_are_found, places_that_differ_only_in_their_upper_halves_are_distinguished,
          an_empty_list_finds_nothing)
