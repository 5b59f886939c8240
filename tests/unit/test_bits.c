/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bits.h"
#include "check_main.h"

enum { NUMBERS = 400, ROOM = NUMBERS * (BITS_LONGEST + 7) / 8 };

/* Memory of exactly this size, so that a sanitizer sees accesses beyond it. */
static uint8_t *exact(const uint8_t *data, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);

    ck_assert_ptr_nonnull(copy);
    if (data)
        memcpy(copy, data, len);
    else
        memset(copy, 0xa5, len);
    return copy;
}

static uint64_t random_number(void)
{
    return random64() >> random64() % 64;
}

/* A twin with a character for each bit. */
struct twin {
    char bits[ROOM * 8];
    size_t len;
};

static void twin_put(struct twin *twin, uint64_t number, unsigned width)
{
    for (; width > 0; width--, number >>= 1)
        twin->bits[twin->len++] = (char)('0' + (number & 1));
}

static void twin_put_rice(struct twin *twin, uint64_t number, unsigned k)
{
    if (number >> k >= BITS_ESCAPE) {
        twin_put(twin, UINT64_MAX, BITS_ESCAPE);
        twin_put(twin, number, 64);
        return;
    }
    for (uint64_t i = 0; i < number >> k; i++)
        twin_put(twin, 1, 1);
    twin_put(twin, 0, 1);
    twin_put(twin, number, k);
}

static void assert_same(const struct twin *twin, const struct bits_writer *writer)
{
    ck_assert(!writer->full);
    ck_assert_uint_eq(twin->len, writer->len);
    for (size_t i = 0; i < (twin->len + 7) / 8 * 8; i++)
        if ((writer->out[i / 8] >> (i % 8) & 1) != (i < twin->len && twin->bits[i] == '1'))
            ck_abort_msg("bit %zu of %zu", i, twin->len);
}

/* Numbers of mixed widths and Rice codes; a width of 65 + k means the latter. */
static void make_numbers(uint64_t *numbers, unsigned *widths)
{
    for (int i = 0; i < NUMBERS; i++) {
        widths[i] = (unsigned)(random64() % (65 + 64));
        numbers[i] = random_number();
    }
}

static void put_all(struct bits_writer *writer, struct twin *twin, const uint64_t *numbers,
                    const unsigned *widths)
{
    for (int i = 0; i < NUMBERS; i++)
        if (widths[i] < 65) {
            bits_put(writer, numbers[i], widths[i]);
            twin_put(twin, numbers[i], widths[i]);
        } else {
            const size_t before = writer->len;

            bits_put_rice(writer, numbers[i], widths[i] - 65);
            twin_put_rice(twin, numbers[i], widths[i] - 65);
            ck_assert_uint_eq(writer->len - before, bits_rice_len(numbers[i], widths[i] - 65));
            ck_assert_uint_le(writer->len - before, BITS_LONGEST);
        }
}

START_TEST(writes_the_bits_that_a_naive_twin_writes_and_reads_them_back)
{
    static struct twin twin;
    static uint64_t numbers[NUMBERS];
    static unsigned widths[NUMBERS];

    for (int round = 0; round < 100; round++) {
        struct bits_writer writer = {.out = exact(NULL, ROOM), .room = ROOM};
        struct bits_reader reader;

        twin.len = 0;
        make_numbers(numbers, widths);
        put_all(&writer, &twin, numbers, widths);
        assert_same(&twin, &writer);
        reader = (struct bits_reader){.data = exact(writer.out, (writer.len + 7) / 8), .len = writer.len};
        for (int i = 0; i < NUMBERS; i++) {
            const uint64_t mask = widths[i] < 64 ? (1ULL << widths[i]) - 1 : UINT64_MAX;

            if (widths[i] < 65 ? bits_get(&reader, widths[i]) != (numbers[i] & mask)
                               : bits_get_rice(&reader, widths[i] - 65) != numbers[i])
                ck_abort_msg("number %d", i);
        }
        ck_assert(!reader.broken && reader.at == writer.len);
        free(writer.out);
        free((uint8_t *)(uintptr_t)reader.data);
    }
}
END_TEST

START_TEST(what_does_not_fit_is_dropped_with_everything_after_it)
{
    for (size_t room = 0; room < 40; room++)
        for (unsigned width = 1; width <= 64; width++) {
            struct bits_writer writer = {.out = exact(NULL, room), .room = room};
            size_t len = 0;

            for (unsigned i = 0; !writer.full; i++) {
                len = writer.len;
                i % 2 ? bits_put(&writer, random64(), width)
                      : bits_put_rice(&writer, random_number(), width - 1);
            }
            ck_assert_uint_eq(writer.len, len); /* not a half of it */
            ck_assert_uint_le(len, room * 8);
            bits_put(&writer, 0, 1);
            bits_put_rice(&writer, 0, 0);
            ck_assert(writer.full && writer.len == len);
            free(writer.out);
        }
}
END_TEST

START_TEST(a_writer_can_be_filled_to_the_last_bit)
{
    uint8_t out[5];
    struct bits_writer writer = {.out = out, .room = sizeof out};

    for (int i = 0; i < 40; i++)
        bits_put(&writer, 1, 1);
    ck_assert(!writer.full);
    ck_assert_mem_eq(out, "\xff\xff\xff\xff\xff", 5);
    bits_put(&writer, 0, 0);
    ck_assert(!writer.full);
    bits_put(&writer, 0, 1);
    ck_assert(writer.full);
}
END_TEST

START_TEST(reading_past_the_end_breaks_the_reader_and_gives_zeros)
{
    uint8_t ones[20];

    memset(ones, 0xff, sizeof ones);
    for (size_t len = 0; len <= sizeof ones * 8; len++)
        for (unsigned width = 1; width <= 64; width++) {
            uint8_t *data = exact(ones, (len + 7) / 8);
            struct bits_reader reader = {.data = data, .len = len};

            for (size_t i = 0; i < len / width; i++)
                if (bits_get(&reader, width) != UINT64_MAX >> (64 - width) || reader.broken)
                    ck_abort_msg("%u bits of %zu", width, len);
            ck_assert_uint_eq(bits_get(&reader, width), 0);
            ck_assert(reader.broken);
            ck_assert_uint_eq(bits_get(&reader, 1), 0);
            ck_assert_uint_eq(bits_get_rice(&reader, 3), 0);
            free(data);
        }
}
END_TEST

START_TEST(a_rice_code_truncated_anywhere_is_broken)
{
    for (unsigned k = 0; k < 64; k++)
        for (int round = 0; round < 10; round++) {
            uint8_t out[BITS_LONGEST / 8 + 1];
            struct bits_writer writer = {.out = out, .room = sizeof out};

            bits_put_rice(&writer, random_number(), k);
            for (size_t len = 0; len < writer.len; len++) {
                uint8_t *data = exact(out, (len + 7) / 8);
                struct bits_reader reader = {.data = data, .len = len};

                ck_assert_uint_eq(bits_get_rice(&reader, k), 0);
                ck_assert(reader.broken);
                free(data);
            }
        }
}
END_TEST

static bool rice_is_broken(uint64_t quotient, uint64_t rest, unsigned rest_width, unsigned k)
{
    uint8_t out[20];
    struct bits_writer writer = {.out = out, .room = sizeof out};
    struct bits_reader reader = {.data = out};

    bits_put(&writer, UINT64_MAX, (unsigned)quotient);
    if (quotient < BITS_ESCAPE)
        bits_put(&writer, 0, 1);
    bits_put(&writer, rest, rest_width);
    reader.len = writer.len;
    bits_get_rice(&reader, k);
    return reader.broken;
}

START_TEST(a_code_that_no_writer_writes_is_broken)
{
    ck_assert(rice_is_broken(BITS_ESCAPE, BITS_ESCAPE - 1, 64, 0)); /* has a shorter code */
    ck_assert(!rice_is_broken(BITS_ESCAPE, BITS_ESCAPE, 64, 0));
    ck_assert(rice_is_broken(BITS_ESCAPE, BITS_ESCAPE * 8 - 1, 64, 3));
    ck_assert(rice_is_broken(16, 0, 60, 60)); /* 2^64 */
    ck_assert(!rice_is_broken(15, 0, 60, 60));
    ck_assert(rice_is_broken(2, 0, 63, 63));
    ck_assert(!rice_is_broken(1, 0, 63, 63));
}
END_TEST

START_TEST(width_is_the_smallest_that_holds_the_number)
{
    ck_assert_uint_eq(bits_width(0), 0);
    for (unsigned width = 1; width <= 64; width++) {
        ck_assert_uint_eq(bits_width(1ULL << (width - 1)), width);
        ck_assert_uint_eq(bits_width(UINT64_MAX >> (64 - width)), width);
    }
}
END_TEST

/* Gaps between events of equal probability at each place, about 1/mean. */
static uint64_t random_gap(uint64_t mean)
{
    uint64_t gap = 0;

    while (random64() % (mean + 1) != 0)
        gap++;
    return gap;
}

static uint64_t cost(const uint64_t *numbers, unsigned k)
{
    uint64_t bits = 0;

    for (int i = 0; i < NUMBERS; i++)
        bits += bits_rice_len(numbers[i], k);
    return bits;
}

START_TEST(the_parameter_is_nearly_optimal_for_geometric_numbers)
{
    for (uint64_t mean = 0; mean < 3000; mean += 1 + mean / 5) {
        uint64_t numbers[NUMBERS], sum = 0, best = UINT64_MAX, chosen;

        for (int i = 0; i < NUMBERS; i++)
            sum += numbers[i] = random_gap(mean);
        for (unsigned k = 0; k < 64; k++)
            best = cost(numbers, k) < best ? cost(numbers, k) : best;
        chosen = cost(numbers, bits_rice_k(sum, NUMBERS));
        ck_assert_msg(chosen <= best + best / 50, "mean %lu: %lu bits, at best %lu", (unsigned long)mean,
                      (unsigned long)chosen, (unsigned long)best);
    }
}
END_TEST

START_TEST(the_parameter_is_in_range_for_any_sum)
{
    ck_assert_uint_eq(bits_rice_k(0, 0), 0);
    ck_assert_uint_eq(bits_rice_k(UINT64_MAX, 0), 0);
    ck_assert_uint_eq(bits_rice_k(0, UINT64_MAX), 0);
    ck_assert_uint_eq(bits_rice_k(UINT64_MAX, UINT64_MAX), 0);
    ck_assert_uint_le(bits_rice_k(UINT64_MAX, 1), 63);
    ck_assert_uint_ge(bits_rice_k(UINT64_MAX, 1), 62);
}
END_TEST

RUN_TESTS("bits", writes_the_bits_that_a_naive_twin_writes_and_reads_them_back,
          what_does_not_fit_is_dropped_with_everything_after_it, a_writer_can_be_filled_to_the_last_bit,
          reading_past_the_end_breaks_the_reader_and_gives_zeros, a_rice_code_truncated_anywhere_is_broken,
          a_code_that_no_writer_writes_is_broken, width_is_the_smallest_that_holds_the_number,
          the_parameter_is_nearly_optimal_for_geometric_numbers, the_parameter_is_in_range_for_any_sum)
