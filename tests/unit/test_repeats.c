/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "sample/repeats.h"

enum { MOST = 3000 };

static struct repeat repeats[MOST];

/* Ascending, each with a first that is itself no repeat; returns their number. */
static size_t make_repeats(size_t samples, unsigned one_of)
{
    static uint8_t is_repeat[MOST];
    size_t count = 0;

    memset(is_repeat, 0, sizeof is_repeat);
    for (uint32_t at = 1; at < samples; at++) {
        const uint32_t first = (uint32_t)(random64() % at);

        if (random64() % one_of == 0 && !is_repeat[first]) {
            is_repeat[at] = 1;
            repeats[count++] = (struct repeat){at, first};
        }
    }
    return count;
}

/* From memory of exactly this size. */
static int unpack(const char *data, size_t len, size_t samples, struct repeat **out, size_t *count)
{
    void *copy = malloc(len ? len : 1);
    int result;

    if (len)
        memcpy(copy, data, len);
    result = repeats_unpack(copy, len, samples, out, count);
    free(copy);
    return result;
}

static void assert_round_trip(size_t count, size_t samples)
{
    struct buffer out = {0};
    struct repeat *back;
    size_t found;

    buffer_add_text(&out, "before");
    repeats_pack(&out, repeats, count, samples);
    ck_assert(!out.failed);
    ck_assert_mem_eq(out.data, "before", 6);
    ck_assert_int_eq(unpack(out.data + 6, out.len - 6, samples, &back, &found), 0);
    ck_assert_uint_eq(found, count);
    for (size_t i = 0; i < count; i++)
        ck_assert(back[i].at == repeats[i].at && back[i].first == repeats[i].first);
    free(back);
    buffer_release(&out);
}

START_TEST(packing_round_trips)
{
    for (size_t samples = 1; samples < MOST; samples += 1 + samples / 3)
        for (unsigned one_of = 1; one_of < 200; one_of *= 3)
            assert_round_trip(make_repeats(samples, one_of), samples);
}
END_TEST

START_TEST(all_samples_but_the_first_may_repeat_it)
{
    for (uint32_t i = 1; i < MOST; i++)
        repeats[i - 1] = (struct repeat){i, 0};
    assert_round_trip(MOST - 1, MOST);
    repeats[0] = (struct repeat){1, 0};
    assert_round_trip(1, 2);
}
END_TEST

START_TEST(the_maximum_number_of_samples_is_packed)
{
    const uint32_t last = UINT32_MAX - 1;

    repeats[0] = (struct repeat){last - 5, 0};
    repeats[1] = (struct repeat){last, last - 6};
    assert_round_trip(2, UINT32_MAX);
}
END_TEST

START_TEST(no_repeats_take_no_bytes)
{
    struct buffer out = {0};
    struct repeat *back;
    size_t count;

    repeats_pack(&out, repeats, 0, 100);
    ck_assert_uint_eq(out.len, 0);
    ck_assert_int_eq(repeats_unpack("", 0, 100, &back, &count), 0);
    ck_assert_uint_eq(count, 0);
    free(back);
    buffer_release(&out);
}
END_TEST

START_TEST(a_repeat_takes_a_few_bits)
{
    struct buffer out = {0};
    const size_t count = make_repeats(MOST, 10);

    repeats_pack(&out, repeats, count, MOST);
    ck_assert_uint_le(8 * out.len, 38 + count * (12 + 7) +
                                       8); /* 12 bits for the first, about log2(10) + 2 for the distance */
    buffer_release(&out);
}
END_TEST

START_TEST(truncated_or_longer_input_is_refused)
{
    struct buffer out = {0};
    struct repeat *back;
    size_t count, found;

    count = make_repeats(500, 5);
    repeats_pack(&out, repeats, count, 500);
    for (size_t len = 1; len < out.len; len++)
        ck_assert_int_eq(unpack(out.data, len, 500, &back, &found), -1);
    buffer_add_char(&out, '\0');
    ck_assert_int_eq(unpack(out.data, out.len, 500, &back, &found), -1);
    buffer_release(&out);
}
END_TEST

START_TEST(a_refusal_leaves_nothing_to_free_or_read)
{
    struct repeat *back = repeats;
    size_t count = 7;

    ck_assert_int_eq(repeats_unpack("\1\0\0\0\0\0", 6, 1, &back, &count), -1);
    ck_assert_ptr_null(back);
    ck_assert_uint_eq(count, 0);
    ck_assert_int_eq(repeats_unpack("\5\0\0\0\xff\xff\xff\xff\xff", 9, 6, &back, &count), -1);
    ck_assert_ptr_null(back);
    ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(nonexistent_samples_are_refused)
{
    struct buffer out = {0};
    struct repeat *back;
    size_t count;

    repeats[0] = (struct repeat){9, 3};
    repeats_pack(&out, repeats, 1, 10); /* as wide as for 15 */
    ck_assert_int_eq(unpack(out.data, out.len, 9, &back, &count), -1);
    ck_assert_int_eq(unpack(out.data, out.len, 10, &back, &count), 0);
    free(back);
    for (uint32_t first = 9; first < 12; first++) {
        buffer_reset(&out);
        repeats[0] = (struct repeat){9, first};
        repeats_pack(&out, repeats, 1, 10);
        ck_assert_int_eq(unpack(out.data, out.len, 10, &back, &count), -1);
    }
    buffer_release(&out);
}
END_TEST

/* Whatever is accepted packs to the same bytes. */
START_TEST(changed_bytes_are_refused_or_encode_other_repeats)
{
    struct buffer out = {0}, again = {0};
    unsigned taken = 0;

    for (int i = 0; i < 3000; i++) {
        const size_t samples = 2 + random64() % 200,
                     count = make_repeats(samples, 1 + (unsigned)(random64() % 9));
        struct repeat *back;
        size_t found;

        buffer_reset(&out);
        buffer_reset(&again);
        repeats_pack(&out, repeats, count, samples);
        for (unsigned flips = (unsigned)(random64() % 3) + 1; out.len && flips > 0; flips--)
            out.data[random64() % out.len] ^= (char)(1 << random64() % 8);
        if (unpack(out.data, out.len, samples, &back, &found))
            continue;
        repeats_pack(&again, back, found, samples);
        free(back);
        ck_assert_uint_eq(again.len, out.len);
        if (out.len)
            ck_assert_mem_eq(again.data, out.data, out.len);
        taken++;
    }
    ck_assert_uint_gt(taken, 100);
    buffer_release(&out);
    buffer_release(&again);
}
END_TEST

RUN_TESTS("repeats", packing_round_trips, all_samples_but_the_first_may_repeat_it,
          the_maximum_number_of_samples_is_packed, no_repeats_take_no_bytes, a_repeat_takes_a_few_bits,
          truncated_or_longer_input_is_refused, a_refusal_leaves_nothing_to_free_or_read,
          nonexistent_samples_are_refused, changed_bytes_are_refused_or_encode_other_repeats)
