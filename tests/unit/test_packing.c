/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "sample/packing.h"

enum { SAMPLES = 1000, KINDS = 5 };

/* The distance to the previous sample, as sampling gives it and as it never should. */
static uint64_t distance_of(int kind, uint64_t mean)
{
    switch (kind) {
    case 0:
        return 1 + random64() % (2 * mean);
    case 1:
        return 1;
    case 2:
        return random64() % 50 ? 1 + random64() % mean : 1 + random64() % 1000000000;
    case 3:
        return random64() % 300 ? 1 : (uint64_t)1 << 54;
    default: { /* the same chance at each place */
        uint64_t distance = 1;

        while (random64() % mean)
            distance++;
        return distance;
    }
    }
}

static uint64_t make_samples(struct sample *samples, size_t count, int kind, uint64_t mean)
{
    uint64_t pos = random64() % 3 ? random64() % mean : 0;

    for (size_t i = 0; i < count; i++) {
        samples[i] = (struct sample){pos, random64()};
        pos += distance_of(kind, mean);
    }
    return count ? samples[count - 1].pos + 1 : 0;
}

static struct buffer pack(const struct sample *samples, size_t count)
{
    struct buffer packed = {0};

    packing_pack(&packed, samples, count);
    ck_assert(!packed.failed);
    return packed;
}

/* As places they are the same, if they fit. */
static void assert_places(const void *data, size_t len, uint64_t limit, const struct sample *samples,
                          size_t count, int expected)
{
    uint64_t *places = malloc((count + 1) * sizeof *places);
    const bool fits = count == 0 || expected || samples[count - 1].pos < ((uint64_t)1 << 58) - 1;

    ck_assert_ptr_nonnull(places);
    ck_assert_int_eq(packing_unpack_places(data, len, limit, places, count), fits ? expected : -1);
    for (size_t i = 0; i < count && fits && !expected; i++)
        if (places[i] != (samples[i].pos << 6 | samples[i].fp))
            ck_abort_msg("place %zu of %zu", i, count);
    free(places);
}

/* From a copy of exactly this size, so that a sanitizer sees reads beyond it. */
static int unpack(const void *data, size_t len, uint64_t limit, struct sample *samples, size_t count)
{
    char *copy = malloc(len ? len : 1);
    int result;

    ck_assert_ptr_nonnull(copy);
    if (len)
        memcpy(copy, data, len);
    result = packing_unpack(copy, len, limit, samples, count);
    assert_places(copy, len, limit, samples, count, result);
    free(copy);
    return result;
}

static void assert_round_trip(const struct sample *samples, size_t count, uint64_t limit)
{
    struct sample *back = calloc(count + 1, sizeof *back);
    struct buffer packed = pack(samples, count);

    ck_assert_ptr_nonnull(back);
    ck_assert_int_eq(unpack(packed.data, packed.len, limit, back, count), 0);
    for (size_t i = 0; i < count; i++)
        if (back[i].pos != samples[i].pos || back[i].fp != samples[i].fp % 64)
            ck_abort_msg("sample %zu of %zu", i, count);
    free(back);
    buffer_release(&packed);
}

START_TEST(samples_round_trip_except_the_upper_bits_of_fingerprints)
{
    static struct sample samples[SAMPLES];

    for (int kind = 0; kind < KINDS; kind++)
        for (uint64_t mean = 1; mean < 5000; mean *= 3)
            for (size_t count = 0; count <= SAMPLES; count += 1 + count / 2) {
                uint64_t limit = make_samples(samples, count, kind, mean);

                assert_round_trip(samples, count, limit);
            }
}
END_TEST

START_TEST(no_samples_take_no_bytes)
{
    struct buffer packed = pack(NULL, 0);

    ck_assert_uint_eq(packed.len, 0);
    ck_assert_int_eq(packing_unpack(NULL, 0, 0, NULL, 0), 0);
    ck_assert_int_eq(packing_unpack("", 1, 0, NULL, 0), -1);
    buffer_release(&packed);
}
END_TEST

START_TEST(the_largest_positions_are_packed_too)
{
    struct sample samples[] = {{0, 63}, {UINT64_MAX - 2, 64}, {UINT64_MAX - 1, 1}};

    assert_round_trip(samples, 3, UINT64_MAX);
    assert_round_trip(samples + 1, 2, UINT64_MAX);
    assert_round_trip(samples + 2, 1, UINT64_MAX);
    assert_round_trip(samples, 1, 1);
}
END_TEST

START_TEST(a_sample_of_128_takes_15_bits)
{
    static struct sample samples[SAMPLES * 20];
    struct buffer packed;

    make_samples(samples, SAMPLES * 20, KINDS - 1, 128);
    packed = pack(samples, SAMPLES * 20);
    ck_assert_uint_le(packed.len * 8, SAMPLES * 20 * 15);
    buffer_release(&packed);
}
END_TEST

START_TEST(packed_bytes_are_appended)
{
    struct sample sample = {7, 9}, back;
    struct buffer packed = {0};
    size_t len;

    packing_pack(&packed, &sample, 1);
    len = packed.len;
    packing_pack(&packed, &sample, 1);
    ck_assert_uint_eq(packed.len, 2 * len);
    ck_assert_int_eq(unpack(packed.data + len, len, 8, &back, 1), 0);
    ck_assert_uint_eq(back.pos, 7);
    buffer_release(&packed);
}
END_TEST

START_TEST(a_position_at_the_limit_is_refused)
{
    static struct sample samples[SAMPLES], back[SAMPLES];

    for (int round = 0; round < 50; round++) {
        const size_t count = 1 + random64() % SAMPLES;
        uint64_t limit = make_samples(samples, count, round % KINDS, 100);
        struct buffer packed = pack(samples, count);

        ck_assert_int_eq(unpack(packed.data, packed.len, limit, back, count), 0);
        ck_assert_int_eq(unpack(packed.data, packed.len, limit - 1, back, count), -1);
        ck_assert_int_eq(unpack(packed.data, packed.len, 0, back, count), -1);
        buffer_release(&packed);
    }
}
END_TEST

START_TEST(a_wrong_length_or_count_is_refused)
{
    static struct sample samples[SAMPLES], back[SAMPLES + 2];

    for (int round = 0; round < 20; round++) {
        const size_t count = 1 + random64() % 100;
        struct buffer packed;

        make_samples(samples, count, round % KINDS, 100);
        packed = pack(samples, count);
        for (size_t len = 0; len < packed.len; len++)
            ck_assert_int_eq(unpack(packed.data, len, UINT64_MAX, back, count), -1);
        for (size_t other = 0; other <= count + 2;
             other++) /* one sample may look like the bits that fill up */
            if (other + 2 <= count || other == count + 2)
                ck_assert_int_eq(unpack(packed.data, packed.len, UINT64_MAX, back, other), -1);
        buffer_add_char(&packed, 0);
        ck_assert_int_eq(unpack(packed.data, packed.len, UINT64_MAX, back, count), -1);
        buffer_release(&packed);
    }
}
END_TEST

START_TEST(changed_bytes_are_refused_or_unpack_to_what_packs_the_same)
{
    static struct sample samples[SAMPLES], back[SAMPLES];

    for (int round = 0; round < 3000; round++) {
        const size_t count = 1 + random64() % 60;
        struct buffer packed, again;

        make_samples(samples, count, round % KINDS, 100);
        packed = pack(samples, count);
        for (uint64_t flips = 1 + random64() % 3; flips > 0; flips--)
            packed.data[random64() % packed.len] ^= (char)(1 << random64() % 8);
        if (unpack(packed.data, packed.len, UINT64_MAX, back, count) == 0) {
            again = pack(back, count);
            ck_assert_uint_eq(again.len, packed.len);
            ck_assert_mem_eq(again.data, packed.data, packed.len);
            buffer_release(&again);
        }
        buffer_release(&packed);
    }
}
END_TEST

RUN_TESTS("packing", samples_round_trip_except_the_upper_bits_of_fingerprints, no_samples_take_no_bytes,
          the_largest_positions_are_packed_too, a_sample_of_128_takes_15_bits, packed_bytes_are_appended,
          a_position_at_the_limit_is_refused, a_wrong_length_or_count_is_refused,
          changed_bytes_are_refused_or_unpack_to_what_packs_the_same)
