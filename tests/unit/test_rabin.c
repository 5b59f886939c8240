/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "levels.h"
#include "sketch/permutation.h"
#include "sketch/rabin.h"

/* ---- polynomials, slowly ---- */

static unsigned degree_of(uint64_t p)
{
    return 63 - (unsigned)__builtin_clzll(p);
}

static uint64_t remainder_of(uint64_t a, uint64_t p)
{
    while (a && degree_of(a) >= degree_of(p))
        a ^= p << (degree_of(a) - degree_of(p));
    return a;
}

static bool has_no_factor(uint64_t p)
{
    for (uint64_t d = 2; 2 * degree_of(d) <= degree_of(p); d++)
        if (remainder_of(p, d) == 0)
            return false;
    return true;
}

/* The number of irreducible polynomials of degree n (Gauss): the sum of mu(d) 2^(n / d) over d | n, by n. */
static const unsigned counts[] = {0, 2, 1, 2, 3, 6, 9, 18, 30, 56, 99, 186, 335, 630};

START_TEST(irreducible_are_those_without_a_factor)
{
    for (unsigned degree = 1; degree <= 10; degree++)
        for (uint64_t low = 0; low < UINT64_C(1) << degree; low++)
            ck_assert_msg(rabin_is_irreducible(low, degree) == has_no_factor(low | UINT64_C(1) << degree),
                          "degree %u: %#llx", degree, (unsigned long long)low);
}
END_TEST

START_TEST(there_are_as_many_irreducible_ones_as_gauss_says)
{
    for (unsigned degree = 1; degree <= 13; degree++) {
        unsigned count = 0;

        for (uint64_t low = 0; low < UINT64_C(1) << degree; low++)
            count += rabin_is_irreducible(low, degree);
        ck_assert_uint_eq(count, counts[degree]);
    }
}
END_TEST

/* Seroussi, Table of Low-Weight Binary Irreducible Polynomials (1998). */
START_TEST(published_polynomials_are_irreducible)
{
    static const struct {
        unsigned degree;
        uint64_t low;
    } all[] = {{17, 0x9}, {31, 0x9}, {33, 0x401}, {40, 0x39}, {57, 0x11}, {60, 0x3}, {63, 0x3}, {64, 0x1b}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ck_assert_msg(rabin_is_irreducible(all[i].low, all[i].degree), "degree %u", all[i].degree);
}
END_TEST

/* Swan's theorem: no trinomial of a degree divisible by eight is. */
START_TEST(trinomials_of_degree_64_are_reducible)
{
    for (unsigned k = 1; k < 64; k++)
        ck_assert(!rabin_is_irreducible(UINT64_C(1) << k | 1, 64));
}
END_TEST

/* These pass the first half of the test, x^(2^n) = x. */
START_TEST(products_of_two_irreducible_ones_are_reducible)
{
    for (unsigned half = 16; half <= 32; half++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            const uint64_t a = rabin_draw(half, seed, 0), b = rabin_draw(half, seed, 1) | UINT64_C(1) << half;
            uint64_t product = b << half; /* by x^half, but for x^(2 half) where that does not fit */

            for (unsigned i = 0; i < half; i++)
                product ^= a >> i & 1 ? b << i : 0;
            product &= UINT64_MAX >> (64 - 2 * half);
            ck_assert(!rabin_is_irreducible(product, 2 * half));
        }
}
END_TEST

/* ---- fingerprints ---- */

/* Divides the string with a one before it and l zeros after it, bit by bit. */
static uint64_t by_division(unsigned bits, uint64_t polynomial, const uint8_t *data, size_t len)
{
    const uint64_t mask = UINT64_MAX >> (64 - bits);
    uint64_t rest = 1;

    for (size_t i = 0; i < 8 * len + bits; i++) {
        const uint64_t bit = i < 8 * len ? data[i / 8] >> (7 - i % 8) & 1 : 0, carry = rest >> (bits - 1) & 1;

        rest = ((rest << 1 | bit) & mask) ^ (carry ? polynomial : 0);
    }
    return rest;
}

START_TEST(fingerprint_is_the_remainder_of_a_division)
{
    uint8_t data[100];

    for (unsigned bits = RABIN_MIN_BITS; bits <= RABIN_MAX_BITS; bits++) {
        const uint64_t polynomial = rabin_draw(bits, bits, 7);
        struct rabin rabin;

        rabin_init(&rabin, bits, polynomial);
        for (int i = 0; i < 20; i++) {
            const size_t len = random64() % (sizeof data + 1), first = random64() % (len + 1);
            uint64_t got;

            fill_random(data, len);
            got = rabin_append(&rabin, rabin.empty, data, first);
            got = rabin_append(&rabin, got, data + first, len - first);
            ck_assert_uint_eq(got, by_division(bits, polynomial, data, len));
        }
    }
}
END_TEST

START_TEST(sliding_gives_the_fingerprint_of_each_window)
{
    enum { LEN = 3000 };
    uint8_t *data = random_block(LEN);
    uint64_t *out = malloc(LEN * sizeof *out);
    static struct rabin_window window;

    ck_assert_ptr_nonnull(out);
    for (int round = 0; round < 40; round++) {
        const unsigned bits = RABIN_MIN_BITS + (unsigned)(random64() % 49);
        const size_t width = 1 + random64() % (round % 2 ? 40 : 1000), count = random64() % (LEN - width + 2);
        struct rabin rabin;

        rabin_init(&rabin, bits, rabin_draw(bits, (uint64_t)round, 0));
        rabin_window_init(&window, &rabin, width);
        rabin_window_slide(&window, data, count, out);
        for (size_t i = 0; i < count; i++)
            ck_assert_uint_eq(out[i], rabin_append(&rabin, rabin.empty, data + i, width));
    }
    free(out);
    free(data);
}
END_TEST

/* Broder 4.1: without the power of x only the last eight bits would differ. */
START_TEST(strings_that_differ_in_the_last_letter_differ_everywhere)
{
    uint8_t data[20] = "a rose is a rose is";
    struct rabin rabin;
    uint64_t first, ever = 0;

    rabin_init(&rabin, 64, rabin_draw(64, 1, 0));
    first = rabin_append(&rabin, rabin.empty, data, sizeof data);
    for (unsigned c = 0; c < 256; c++) {
        data[sizeof data - 1] = (uint8_t)c;
        ever |= first ^ rabin_append(&rabin, rabin.empty, data, sizeof data);
    }
    ck_assert_int_ge(__builtin_popcountll(ever), 56);
}
END_TEST

START_TEST(leading_zeros_count)
{
    const uint8_t zeros[10] = {0};
    struct rabin rabin;

    rabin_init(&rabin, 64, rabin_draw(64, 1, 0));
    for (size_t a = 0; a < sizeof zeros; a++)
        for (size_t b = 0; b < a; b++)
            ck_assert_uint_ne(rabin_append(&rabin, rabin.empty, zeros, a),
                              rabin_append(&rabin, rabin.empty, zeros, b));
}
END_TEST

START_TEST(draws_depend_on_seed_and_stream)
{
    for (unsigned bits = 40; bits <= 64; bits += 8) {
        const uint64_t drawn = rabin_draw(bits, 1, 0);

        ck_assert(rabin_is_irreducible(drawn, bits));
        ck_assert_uint_eq(drawn, rabin_draw(bits, 1, 0));
        ck_assert_uint_ne(drawn, rabin_draw(bits, 2, 0));
        ck_assert_uint_ne(drawn, rabin_draw(bits, 1, 1));
        ck_assert_uint_eq(drawn & ~(UINT64_MAX >> (64 - bits)), 0);
    }
}
END_TEST

/* ---- permutations ---- */

START_TEST(permutation_is_a_bijection)
{
    static bool seen[1 << 17];

    for (unsigned bits = 8; bits <= 17; bits++) {
        struct permutation permutation;

        permutation_init(&permutation, bits, 5, 0, bits);
        memset(seen, 0, sizeof seen);
        for (uint64_t x = 0; x < UINT64_C(1) << bits; x++) {
            const uint64_t y = permutation_apply(&permutation, x);

            ck_assert_uint_lt(y, UINT64_C(1) << bits);
            ck_assert(!seen[y]);
            seen[y] = true;
        }
    }
}
END_TEST

/* A set with structure: counting numbers, and numbers that differ in one high bit.  The 99.9 % quantile of
 * chi square with 15 degrees of freedom is 37.7. */
START_TEST(each_member_of_a_set_is_the_smallest_equally_often)
{
    enum { MEMBERS = 16, DRAWS = 8000 };

    for (unsigned bits = 32; bits <= 64; bits += 16) {
        unsigned wins[MEMBERS] = {0};
        double chi = 0;

        for (uint64_t draw = 0; draw < DRAWS; draw++) {
            uint64_t least = UINT64_MAX;
            struct permutation permutation;
            unsigned winner = 0;

            permutation_init(&permutation, bits, 1, 9, draw);
            for (unsigned i = 0; i < MEMBERS; i++) {
                const uint64_t member = i < MEMBERS / 2 ? i : UINT64_C(1) << (bits - 1 - i + MEMBERS / 2);
                const uint64_t image = permutation_apply(&permutation, member);

                if (image < least) {
                    least = image;
                    winner = i;
                }
            }
            wins[winner]++;
        }
        for (unsigned i = 0; i < MEMBERS; i++)
            chi +=
                ((double)wins[i] - DRAWS / MEMBERS) * ((double)wins[i] - DRAWS / MEMBERS) * MEMBERS / DRAWS;
        ck_assert_double_lt(chi, 37.7);
    }
}
END_TEST

static void check_least(void)
{
    uint64_t numbers[300];

    for (int round = 0; round < 200; round++) {
        const unsigned bits = 16 + (unsigned)(random64() % 49);
        const size_t count = random64() % 300;
        uint64_t least = round % 2 ? UINT64_MAX : random64() >> (64 - bits), wanted = least;
        struct permutation permutation;

        permutation_init(&permutation, bits, random64(), 0, 0);
        for (size_t i = 0; i < count; i++) {
            numbers[i] = random64() >> (64 - bits);
            if (permutation_apply(&permutation, numbers[i]) < wanted)
                wanted = permutation_apply(&permutation, numbers[i]);
        }
        ck_assert_uint_eq(permutation_least(&permutation, numbers, count, least), wanted);
    }
}

START_TEST(least_is_the_smallest_image)
{
    for_each_level(check_least);
}
END_TEST

RUN_TESTS("rabin", irreducible_are_those_without_a_factor, there_are_as_many_irreducible_ones_as_gauss_says,
          published_polynomials_are_irreducible, trinomials_of_degree_64_are_reducible,
          products_of_two_irreducible_ones_are_reducible, fingerprint_is_the_remainder_of_a_division,
          sliding_gives_the_fingerprint_of_each_window,
          strings_that_differ_in_the_last_letter_differ_everywhere, leading_zeros_count,
          draws_depend_on_seed_and_stream, permutation_is_a_bijection,
          each_member_of_a_set_is_the_smallest_equally_often, least_is_the_smallest_image)
