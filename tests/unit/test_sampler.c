/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "levels.h"
#include "sample/sampler.h"

enum { MAX_LEN = 1 << 17, REACH = 32 };

static uint8_t content[MAX_LEN + 64];
static struct sample expected[MAX_LEN];

/* The key of all samplers and of the twin; NULL: none. */
static const struct sampler_key *key;

/* ---- a twin, written from the definitions in sampler.h and gf8.h alone ---- */

static uint8_t twin_multiply(unsigned a, unsigned b)
{
    unsigned product = 0;

    for (int bit = 7; bit >= 0; bit--) {
        product <<= 1;
        if (product & 0x100)
            product ^= 0x11b;
        if (b >> bit & 1)
            product ^= a;
    }
    return (uint8_t)product;
}

/* The product of the secret matrix and a byte. */
static uint8_t twin_enter(uint8_t byte)
{
    uint8_t product = 0;

    for (int bit = 0; bit < 8 && key; bit++)
        if (byte & 1 << bit)
            product ^= key->selector.columns[bit];
    return key ? product : byte;
}

static uint8_t twin_hash(const uint8_t *window, unsigned n)
{
    uint8_t h = 0;

    for (unsigned i = 0; i < n; i++)
        h = twin_multiply(h, 0x4c) ^ twin_enter(window[i]);
    return h;
}

static uint64_t load_le(const uint8_t *p)
{
    uint64_t x = 0;

    for (int i = 7; i >= 0; i--)
        x = x << 8 | p[i];
    return x;
}

static uint64_t twin_fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)(product % ((unsigned __int128)1 << 64)) ^ (uint64_t)(product >> 64);
}

static uint64_t twin_strong(const uint8_t *w, unsigned n)
{
    static const uint64_t pi[] = {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0,
                                  0x082efa98ec4e6c89};
    const uint64_t *s = key ? key->seeds : pi;
    uint64_t head = twin_fold(load_le(w) ^ s[0], load_le(n <= 16 ? w + n - 8 : w + 8) ^ s[1]);

    if (n <= 16)
        return twin_fold(head ^ s[2] ^ n, s[3]);
    return twin_fold(head ^ twin_fold(load_le(w + n - 16) ^ s[2], load_le(w + n - 8) ^ s[3]) ^ n, s[1]);
}

static bool twin_is_dull(const uint8_t *w, unsigned n)
{
    static const unsigned periods[] = {4, 6, 8};
    bool seen[256] = {false};
    int different = 0;

    for (unsigned i = 0; i < n; i++) {
        different += !seen[w[i]];
        seen[w[i]] = true;
    }
    for (unsigned p = 0; p < (n >= 16 ? 3 : 1); p++) {
        bool periodic = true;

        for (unsigned i = periods[p]; i < n; i++)
            periodic &= w[i] == w[i - periods[p]];
        if (periodic)
            return true;
    }
    return different < 4;
}

static size_t twin_gf8(const uint8_t *p, size_t len, unsigned n, uint32_t c, struct sample *out)
{
    static uint8_t padded[MAX_LEN + 2 * REACH]; /* zeros before the start */
    size_t count = 0;

    memset(padded, 0, REACH);
    memcpy(padded + REACH, p, len);
    for (size_t i = 0; i + n <= len; i++) {
        const uint8_t *w = padded + REACH + i;
        uint64_t fp = (uint64_t)((twin_hash(w, n) ^ (key ? key->selector.target : 0xc3)) >> 1) << 57 |
                      twin_strong(w, n) >> 7;
        bool repeats = false;

        if (fp >= ((unsigned __int128)1 << 64) / c || twin_is_dull(w, n))
            continue;
        for (unsigned d = 1; d <= REACH; d++)
            repeats |= memcmp(w - d, w, n) == 0;
        if (!repeats)
            out[count++] = (struct sample){i, fp};
    }
    return count;
}

/* 2011, section 3.1.1: a sum that rolls, tested after each step. */
static size_t twin_2011(const uint8_t *p, size_t len, unsigned n, uint32_t c, uint32_t k, struct sample *out)
{
    size_t count = 0;
    uint32_t s = 0;

    for (size_t i = 0; i < n && i < len; i++)
        s += p[i];
    for (size_t at = 1; at + n <= len; at++) {
        s = s - p[at - 1] + p[at + n - 1];
        if (s % c == k)
            out[count++] = (struct sample){at, s};
    }
    return count;
}

/* 2015, section 4.1.1: XOR at a place that moves on by a character and wraps. */
static size_t twin_2015(const uint8_t *p, size_t len, unsigned n, uint32_t c, uint32_t k, struct sample *out)
{
    size_t count = 0;

    for (size_t at = 0; at + n <= len; at++) {
        uint64_t h = 0;

        for (unsigned i = 0; i < n; i++)
            h ^= (uint64_t)p[at + i] << (8 * (i % 8));
        if (h % c == k)
            out[count++] = (struct sample){at, h};
    }
    return count;
}

/* ---- contents ---- */

enum { KINDS = 12 };

static void fill(int kind, uint8_t *p, size_t len)
{
    size_t period = 1 + random64() % 40;

    switch (kind) {
    case 0:
        fill_random(p, len);
        break;
    case 1:
        fill_text(p, len);
        break;
    case 2:
        memset(p, 0, len);
        break;
    case 3: /* periodic, any period */
        for (size_t i = 0; i < len; i++)
            p[i] = i < period ? (uint8_t)random64() : p[i - period];
        break;
    case 4: /* few symbols: many repeats and dull windows */
        for (size_t i = 0; i < len; i++)
            p[i] = (uint8_t)("abcd"[random64() % 4]);
        break;
    case 5: /* runs of bytes */
        for (size_t i = 0, run = 0, byte = 0; i < len; i++) {
            if (run-- == 0) {
                run = random64() % 80;
                byte = random64();
            }
            p[i] = (uint8_t)byte;
        }
        break;
    case 6: /* 32-bit counter */
        for (size_t i = 0; i < len; i++)
            p[i] = (uint8_t)(i / 4 >> (8 * (i % 4)));
        break;
    case 7: /* periods that change */
        for (size_t i = 0; i < len; i++) {
            if (i % 300 == 0)
                period = 1 + random64() % 36;
            p[i] = random64() % 97 == 0 || i % 300 < period ? (uint8_t)random64() : p[i - period];
        }
        break;
    case 8: /* zeros, then random: the zeros before the start go on */
        memset(p, 0, len);
        fill_random(p + len / 3, len - len / 3);
        break;
    case 9: /* a recurrence in which every window has the same hash, the target: everything fires */
        memset(p, 0, len);
        for (size_t i = 0; i < len && i < 12; i++)
            p[i] = (uint8_t)random64();
        for (size_t i = 12; i < len; i++)
            p[i] = (uint8_t)(0xc3 ^ twin_multiply(twin_hash(p + i - 11, 11), 0x4c));
        break;
    case 10: /* UTF-16 */
        fill_text(p, len / 2);
        for (size_t i = len; i-- > 0;)
            p[i] = i % 2 ? 0 : p[i / 2];
        break;
    default: /* one byte, each in turn */
        memset(p, (int)(random64() % 256), len);
        break;
    }
}

static struct sampler *make(struct sampler_params params)
{
    struct error err;
    struct sampler *sampler = sampler_new_keyed(&params, key, &err);

    ck_assert_msg(sampler != NULL, "%s", sampler ? "" : err.text);
    return sampler;
}

static struct sampler_result take(struct sampler *sampler, const uint8_t *p, size_t len, uint64_t hint)
{
    struct error err;

    sampler_begin(sampler, hint);
    ck_assert_int_eq(sampler_update(sampler, p, len, &err), 0);
    return sampler_final(sampler);
}

static void assert_same(const struct sampler_result *result, const struct sample *samples, size_t count,
                        const char *what)
{
    ck_assert_msg(result->count == count, "%s: %zu samples instead of %zu", what, result->count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(result->samples[i].pos == samples[i].pos && result->samples[i].fp == samples[i].fp,
                      "%s: sample %zu is at %lu instead of %lu", what, i,
                      (unsigned long)result->samples[i].pos, (unsigned long)samples[i].pos);
}

/* ---- gf8 ---- */

static void compare_with_twin(void)
{
    static const uint32_t rates[] = {4, 8, 32, 64, 128, 256, 4096};

    for (unsigned n = 8; n <= 32; n++)
        for (int kind = 0; kind < KINDS; kind++) {
            uint32_t c = rates[random64() % 7];
            size_t len = random64() % 3000;
            struct sampler *sampler = make((struct sampler_params){SAMPLER_GF8, n, c, 0});
            struct sampler_result result;
            char what[80];

            fill(kind, content, len);
            result = take(sampler, content, len, len);
            snprintf(what, sizeof what, "%s n=%u C=%u kind %d, %zu bytes", cpu_name(cpu_level()), n, c, kind,
                     len);
            assert_same(&result, expected, twin_gf8(content, len, n, c, expected), what);
            sampler_free(sampler);
        }
}

START_TEST(gf8_agrees_with_its_definition_at_every_level)
{
    for (int round = 0; round < 8; round++)
        for_each_level(compare_with_twin);
}
END_TEST

static void compare_long_with_twin(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        struct sampler *sampler = make((struct sampler_params){SAMPLER_GF8, 12, kind % 2 ? 128 : 32, 0});
        struct sampler_result result;

        fill(kind, content, 40000);
        result = take(sampler, content, 40000, 40000);
        assert_same(&result, expected, twin_gf8(content, 40000, 12, kind % 2 ? 128 : 32, expected),
                    cpu_name(cpu_level()));
        sampler_free(sampler);
    }
}

START_TEST(gf8_agrees_with_its_definition_on_long_content)
{
    for_each_level(compare_long_with_twin);
}
END_TEST

START_TEST(zeros_and_other_constant_content_give_no_samples)
{
    struct sampler *sampler = make(sampler_defaults(SAMPLER_GF8));

    for (int byte = 0; byte < 256; byte++) {
        memset(content, byte, 20000);
        ck_assert_uint_eq(take(sampler, content, 20000, 20000).count, 0);
    }
    sampler_free(sampler);
}
END_TEST

START_TEST(a_list_made_at_one_c_and_thinned_is_the_list_made_at_the_larger_c)
{
    for (int kind = 0; kind < KINDS; kind++) {
        fill(kind, content, 30000);
        for (uint32_t c = 4; c <= 1024; c *= 2) {
            struct sampler *dense = make((struct sampler_params){SAMPLER_GF8, 12, c, 0});
            struct sampler *sparse = make((struct sampler_params){SAMPLER_GF8, 12, 4 * c, 0});
            struct sampler_result result = take(dense, content, 30000, 30000),
                                  wanted = take(sparse, content, 30000, 30000);

            memcpy(expected, result.samples, result.count * sizeof *expected);
            assert_same(&wanted, expected, sampler_thin(expected, result.count, 4 * c), "thinned");
            sampler_free(dense);
            sampler_free(sparse);
        }
    }
}
END_TEST

START_TEST(about_one_position_in_c_is_taken_from_random_content)
{
    fill_random(content, MAX_LEN);
    for (uint32_t c = 4; c <= 512; c *= 2) {
        struct sampler *sampler = make((struct sampler_params){SAMPLER_GF8, 12, c, 0});
        double count = (double)take(sampler, content, MAX_LEN, MAX_LEN).count, wanted = (double)MAX_LEN / c;

        ck_assert_msg(count > 0.75 * wanted - 8 && count < 1.25 * wanted + 8, "C=%u: %.0f instead of %.0f", c,
                      count, wanted);
        sampler_free(sampler);
    }
}
END_TEST

START_TEST(embedded_content_gives_the_same_samples_except_at_its_edges)
{
    static uint8_t host[3 * MAX_LEN / 4];
    struct sampler *sampler = make((struct sampler_params){SAMPLER_GF8, 12, 32, 0});
    const size_t at = 12345, len = 30000;
    struct sampler_result result;
    size_t count, first = 0;

    fill_random(host, sizeof host);
    fill(1, content, len);
    memcpy(host + at, content, len);
    count = twin_gf8(content, len, 12, 32, expected);
    result = take(sampler, host, sizeof host, sizeof host);
    while (first < result.count && result.samples[first].pos < at + REACH)
        first++;
    for (size_t i = 0; i < count; i++)
        if (expected[i].pos >= REACH) {
            ck_assert_uint_eq(result.samples[first].pos, expected[i].pos + at);
            ck_assert_uint_eq(result.samples[first++].fp, expected[i].fp);
        }
    sampler_free(sampler);
}
END_TEST

/* ---- all schemes ---- */

static struct sampler_result take_cut(struct sampler *sampler, size_t len)
{
    struct error err;

    sampler_begin(sampler, random64() % 2 ? len : SAMPLER_UNKNOWN);
    for (size_t at = 0, piece; at < len; at += piece) {
        piece = random64() % 4 ? random64() % 70 : random64() % 20000;
        piece = piece < len - at ? piece : len - at;
        ck_assert_int_eq(sampler_update(sampler, content + at, piece, &err), 0);
    }
    return sampler_final(sampler);
}

START_TEST(does_not_depend_on_how_input_is_cut)
{
    static struct sample whole[MAX_LEN];

    for (int round = 0; round < 400; round++) {
        const int kind = (int)(random64() % KINDS);
        const size_t len = random64() % (round % 8 ? 3000 : 60000);
        struct sampler_params params = sampler_defaults((enum sampler_scheme)(random64() % SAMPLER_SCHEMES));
        struct sampler *sampler;
        struct sampler_result result;
        uint32_t c, coincidence;
        size_t count;

        if (params.scheme == SAMPLER_GF8)
            params.n = 8 + (uint32_t)(random64() % 25);
        sampler = make(params);
        fill(kind, content, len);
        result = take(sampler, content, len, len);
        count = result.count;
        c = result.c;
        coincidence = result.coincidence;
        memcpy(whole, result.samples, count * sizeof *whole);
        result = take_cut(sampler, len);
        assert_same(&result, whole, count, "cut");
        ck_assert_uint_eq(result.c, c);
        ck_assert_uint_eq(result.coincidence, coincidence);
        sampler_free(sampler);
    }
}
END_TEST

START_TEST(skipped_zeros_count_like_zeros_that_are_read)
{
    for (int round = 0; round < 400; round++) {
        const size_t before = random64() % 3000, zeros = random64() % (round % 4 ? 9000 : 60000);
        const size_t len = before + zeros + random64() % 3000;
        struct sampler_params params = sampler_defaults(SAMPLER_GF8);
        struct sampler *sampler;
        struct sampler_result result;
        size_t count;

        params.n = 8 + (uint32_t)(random64() % 25);
        params.c = (uint32_t)4 << random64() % 6;
        sampler = make(params);
        fill((int)(random64() % KINDS), content, len);
        memset(content + before, 0, zeros);
        result = take(sampler, content, len, len);
        count = result.count;
        memcpy(expected, result.samples, count * sizeof *expected);
        sampler_begin(sampler, len);
        ck_assert_int_eq(sampler_update(sampler, content, before, NULL), 0);
        ck_assert_int_eq(sampler_skip(sampler, zeros, NULL), 0);
        ck_assert_int_eq(sampler_update(sampler, content + before + zeros, len - before - zeros, NULL), 0);
        result = sampler_final(sampler);
        assert_same(&result, expected, count, "skipped");
        sampler_free(sampler);
    }
}
END_TEST

START_TEST(the_papers_schemes_follow_the_papers_steps)
{
    for (int round = 0; round < 300; round++) {
        const unsigned n = 1 + (unsigned)(random64() % 64);
        const uint32_t c = 2 + (uint32_t)(random64() % 400), k = (uint32_t)(random64() % c);
        const size_t len = random64() % 5000;
        struct sampler *sum, *xored;
        struct sampler_result result;

        fill((int)(random64() % KINDS), content, len);
        sum = make((struct sampler_params){SAMPLER_COATES2011, n, c, k});
        result = take(sum, content, len, len);
        assert_same(&result, expected, twin_2011(content, len, n, c, k, expected), "2011");
        sampler_free(sum);
        if (c % 89 == 0)
            continue;
        xored = make((struct sampler_params){SAMPLER_COATES2015, n, c, k});
        result = take(xored, content, len, len);
        assert_same(&result, expected, twin_2015(content, len, n, c, k, expected), "2015");
        sampler_free(xored);
    }
}
END_TEST

START_TEST(symbols_are_printable_and_come_in_the_promised_numbers)
{
    static const int promised[SAMPLER_SCHEMES] = {64, 2, 89};

    for (int scheme = 0; scheme < SAMPLER_SCHEMES; scheme++) {
        const struct sampler_params params = sampler_defaults((enum sampler_scheme)scheme);
        bool seen[256] = {false};
        int count = 0;

        for (int i = 0; i < 100000; i++) {
            unsigned char symbol = (unsigned char)sampler_symbol(
                &params, scheme == SAMPLER_COATES2011 ? random64() % 16384 : random64());

            ck_assert(symbol > ' ' && symbol < 127 && !strchr("\"',:\\", symbol));
            count += !seen[symbol];
            seen[symbol] = true;
        }
        ck_assert_int_eq(count, promised[scheme]);
    }
}
END_TEST

START_TEST(sums_that_follow_each_other_have_different_bits)
{
    const struct sampler_params params = {SAMPLER_COATES2011, 10, 100, 37};

    ck_assert_int_eq(sampler_symbol(&params, 837), '0');
    ck_assert_int_eq(sampler_symbol(&params, 937), '1');
    ck_assert_int_eq(sampler_symbol(&params, 1037), '0');
    ck_assert_int_eq(sampler_symbol(&params, 37), '0');
}
END_TEST

START_TEST(auto_c_leaves_48_samples_within_4_to_32)
{
    for (uint64_t len = 0; len < 24 << 10; len++) {
        uint32_t c = sampler_auto_c(len);

        ck_assert(c >= 4 && c <= 32 && (c & (c - 1)) == 0);
        ck_assert(c == 4 || len / c >= 48);
        ck_assert(c == 32 || len / (2 * c) < 48);
    }
}
END_TEST

START_TEST(auto_c_is_64_from_24_kib_and_128_from_128_kib)
{
    ck_assert_uint_eq(sampler_auto_c((24 << 10) - 1), 32);
    ck_assert_uint_eq(sampler_auto_c(24 << 10), 64);
    ck_assert_uint_eq(sampler_auto_c((128 << 10) - 1), 64);
    ck_assert_uint_eq(sampler_auto_c(128 << 10), 128);
    ck_assert_uint_eq(sampler_auto_c(UINT64_MAX), 128);
}
END_TEST

START_TEST(out_of_range_parameters_are_refused)
{
    static const struct sampler_params bad[] = {
        {SAMPLER_GF8, 7, 128, 0},          {SAMPLER_GF8, 33, 128, 0},        {SAMPLER_GF8, 12, 2, 0},
        {SAMPLER_GF8, 12, 100, 0},         {SAMPLER_GF8, 12, 1u << 21, 0},   {SAMPLER_GF8, 12, 128, 1},
        {SAMPLER_COATES2011, 0, 100, 0},   {SAMPLER_COATES2011, 65, 100, 0}, {SAMPLER_COATES2011, 4, 1, 0},
        {SAMPLER_COATES2011, 4, 100, 100}, {SAMPLER_COATES2015, 9, 178, 0},  {SAMPLER_COATES2015, 9, 0, 0},
    };
    struct error err;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err.text[0] = '\0';
        ck_assert_ptr_null(sampler_new(&bad[i], &err));
        ck_assert_uint_gt(strlen(err.text), 5);
    }
}
END_TEST

/* ---- with a key ---- */

static struct sampler_key random_key(void)
{
    struct sampler_key random;
    uint8_t secret[SAMPLER_KEY_SECRET_LEN];

    fill_random(secret, sizeof secret);
    ck_assert_int_eq(sampler_key_derive(&random, secret, NULL), 0);
    return random;
}

START_TEST(with_a_key_gf8_agrees_with_its_definition_at_every_level)
{
    for (int round = 0; round < 4; round++) {
        const struct sampler_key random = random_key();

        key = &random;
        for_each_level(compare_with_twin);
        for_each_level(compare_long_with_twin);
        key = NULL;
    }
}
END_TEST

START_TEST(with_a_key_one_position_in_c_is_taken_and_none_of_constant_content)
{
    for (int round = 0; round < 10; round++) {
        const struct sampler_key random = random_key();
        const uint32_t c = 4u << round % 6;
        struct sampler *sampler;
        double count;

        key = &random;
        sampler = make((struct sampler_params){SAMPLER_GF8, 12, c, 0});
        fill_random(content, MAX_LEN);
        count = (double)take(sampler, content, MAX_LEN, MAX_LEN).count * c / MAX_LEN;
        ck_assert_msg(count > 0.75 && count < 1.25, "C=%u: %.3f", c, count);
        for (int byte = 0; byte < 256; byte += 5) {
            memset(content, byte, 9000);
            ck_assert_uint_eq(take(sampler, content, 9000, 9000).count, 0);
        }
        sampler_free(sampler);
        key = NULL;
    }
}
END_TEST

/* Of n samples of one key about n / C are in the same place with another one, and none is equal. */
START_TEST(each_key_selects_other_windows)
{
    static uint8_t taken[MAX_LEN];
    const struct sampler_key keys[] = {random_key(), random_key()};
    const uint32_t c = 32;

    fill_text(content, MAX_LEN);
    for (int i = 0; i < 3; i++) {
        struct sampler_result result;
        struct sampler *sampler;
        size_t both = 0;

        key = i < 2 ? &keys[i] : NULL;
        sampler = make((struct sampler_params){SAMPLER_GF8, 12, c, 0});
        result = take(sampler, content, MAX_LEN, MAX_LEN);
        for (size_t k = 0; k < result.count; k++) {
            both += taken[result.samples[k].pos] != 0;
            taken[result.samples[k].pos] = 1;
        }
        ck_assert_uint_lt(both, result.count / 8);
        sampler_free(sampler);
    }
    key = NULL;
}
END_TEST

START_TEST(the_schemes_of_the_papers_take_no_key)
{
    const struct sampler_key random = random_key();
    const struct sampler_params params = sampler_defaults(SAMPLER_COATES2015);
    struct error err;

    ck_assert_ptr_null(sampler_new_keyed(&params, &random, &err));
    ck_assert_str_eq(err.text, "scheme coates2015 takes no key");
}
END_TEST

START_TEST(coincidence_matches_the_bytes)
{
    struct sampler *sampler = make(sampler_defaults(SAMPLER_GF8));

    fill_random(content, MAX_LEN);
    ck_assert_uint_le(take(sampler, content, MAX_LEN, MAX_LEN).coincidence, 120); /* 1/256 is 39 of 10000 */
    memset(content, 'x', MAX_LEN);
    ck_assert_uint_eq(take(sampler, content, MAX_LEN, MAX_LEN).coincidence, 10000);
    for (size_t i = 0; i < MAX_LEN; i++)
        content[i] = (uint8_t)(random64() >> 63);
    ck_assert_uint_ge(take(sampler, content, MAX_LEN, MAX_LEN).coincidence, 4700);
    ck_assert_uint_le(take(sampler, content, MAX_LEN, MAX_LEN).coincidence, 5300);
    sampler_free(sampler);
}
END_TEST

RUN_TESTS("sampler", gf8_agrees_with_its_definition_at_every_level,
          gf8_agrees_with_its_definition_on_long_content, zeros_and_other_constant_content_give_no_samples,
          a_list_made_at_one_c_and_thinned_is_the_list_made_at_the_larger_c,
          about_one_position_in_c_is_taken_from_random_content,
          embedded_content_gives_the_same_samples_except_at_its_edges, does_not_depend_on_how_input_is_cut,
          skipped_zeros_count_like_zeros_that_are_read, the_papers_schemes_follow_the_papers_steps,
          symbols_are_printable_and_come_in_the_promised_numbers,
          sums_that_follow_each_other_have_different_bits, auto_c_leaves_48_samples_within_4_to_32,
          auto_c_is_64_from_24_kib_and_128_from_128_kib, out_of_range_parameters_are_refused,
          with_a_key_gf8_agrees_with_its_definition_at_every_level,
          with_a_key_one_position_in_c_is_taken_and_none_of_constant_content, each_key_selects_other_windows,
          the_schemes_of_the_papers_take_no_key, coincidence_matches_the_bytes)
