/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <iconv.h>
#include <string.h>

#include "check_main.h"
#include "disk/ntfs.h"

enum {
    TEXT_AT = 66,
    MAX_UNITS = 255,
    MAX_ATTRIBUTE = TEXT_AT + 2 * MAX_UNITS,
    POSIX = 0,
    WINDOWS = 1,
    DOS = 2,
    BOTH = 3
};

/* ---- attributes ($FILE_NAME as in the Linux kernel, fs/ntfs3/ntfs.h) ---- */

static uint8_t attribute[MAX_ATTRIBUTE];
static size_t attribute_len;
static struct ntfs_name name;

static void put_number(uint8_t *p, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (uint8_t)(number >> 8 * i);
}

static void put_name(const uint16_t *units, size_t count, unsigned kind)
{
    fill_random(attribute, TEXT_AT); /* times, sizes and flags do not matter */
    attribute[64] = (uint8_t)count;
    attribute[65] = (uint8_t)kind;
    for (size_t i = 0; i < count; i++)
        put_number(attribute + TEXT_AT + 2 * i, units[i], 2);
    attribute_len = TEXT_AT + 2 * count;
}

/* From a copy of exactly this size, into memory that a sanitizer guards as well. */
static bool read_cut(size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);
    struct ntfs_name *read = malloc(sizeof *read);
    bool result;

    ck_assert_ptr_nonnull(copy);
    ck_assert_ptr_nonnull(read);
    memcpy(copy, attribute, len);
    memset(read, 0x55, sizeof *read);
    result = ntfs_name(copy, len, read);
    name = *read;
    free(copy);
    free(read);
    return result;
}

static void assert_text(const char *text, size_t len)
{
    ck_assert(read_cut(attribute_len));
    ck_assert_uint_eq(name.len, len);
    ck_assert_mem_eq(name.text, text, len);
}

/* ---- another converter ---- */

static iconv_t converter;

static void assert_as_iconv(void)
{
    static char expected[4 * MAX_UNITS];
    char *in = (char *)attribute + TEXT_AT, *out = expected;
    size_t in_left = attribute_len - TEXT_AT, out_left = sizeof expected;

    iconv(converter, NULL, NULL, NULL, NULL);
    if (iconv(converter, &in, &in_left, &out, &out_left) == (size_t)-1)
        ck_abort_msg("iconv: %s", strerror(errno));
    assert_text(expected, sizeof expected - out_left);
}

static void open_converter(void)
{
    converter = iconv_open("UTF-8", "UTF-16LE");
    if (converter == (iconv_t)-1)
        ck_abort_msg("this system does not know UTF-16");
}

static bool is_surrogate(uint32_t c)
{
    return c >= 0xd800 && c < 0xe000;
}

static size_t put_character(uint16_t *units, uint32_t c)
{
    if (c < 0x10000) {
        units[0] = (uint16_t)c;
        return 1;
    }
    units[0] = (uint16_t)(0xd800 | (c - 0x10000) >> 10);
    units[1] = (uint16_t)(0xdc00 | (c & 0x3ff));
    return 2;
}

START_TEST(every_character_is_converted_as_by_iconv)
{
    uint16_t units[MAX_UNITS];
    size_t count = 0;

    open_converter();
    for (uint32_t c = 0; c < 0x110000; c++) {
        if (!is_surrogate(c))
            count += put_character(units + count, c);
        if (count + 2 > MAX_UNITS || c == 0x10ffff) {
            put_name(units, count, BOTH);
            assert_as_iconv();
            count = 0;
        }
    }
    iconv_close(converter);
}
END_TEST

START_TEST(names_are_converted_as_by_iconv)
{
    open_converter();
    for (int round = 0; round < 20000; round++) {
        const size_t wish = random64() % (MAX_UNITS + 1);
        uint16_t units[MAX_UNITS + 1];
        size_t count = 0;

        while (count < wish) {
            const uint32_t c = (uint32_t)(random64() % 0x110000) >> random64() % 21;

            if (!is_surrogate(c) && (c < 0x10000 || count + 2 <= MAX_UNITS))
                count += put_character(units + count, c);
        }
        put_name(units, count, random64() % 2 ? WINDOWS : POSIX);
        assert_as_iconv();
    }
    iconv_close(converter);
}
END_TEST

START_TEST(the_longest_name_fits)
{
    uint16_t units[MAX_UNITS];

    open_converter();
    for (size_t i = 0; i < MAX_UNITS; i++)
        units[i] = 0xffff;
    put_name(units, MAX_UNITS, WINDOWS);
    assert_as_iconv();
    ck_assert_uint_eq(name.len, NTFS_MAX_NAME);
    for (size_t i = 0; i < MAX_UNITS; i++)
        units[i] = i % 2 ? 0xdfff : 0xdbff;
    put_name(units, MAX_UNITS - 1, WINDOWS);
    assert_as_iconv();
    ck_assert_uint_eq(name.len, 127 * 4);
    iconv_close(converter);
}
END_TEST

/* ---- lone surrogates ---- */

#define ASSERT_UNITS(text, ...)                                                                              \
    do {                                                                                                     \
        static const uint16_t units[] = {__VA_ARGS__};                                                       \
                                                                                                             \
        put_name(units, sizeof units / sizeof *units, BOTH);                                                 \
        assert_text(text, sizeof(text) - 1);                                                                 \
    } while (0)

START_TEST(a_lone_surrogate_is_three_bytes)
{
    ASSERT_UNITS("\xed\xa0\x80", 0xd800);
    ASSERT_UNITS("\xed\xaf\xbf", 0xdbff);
    ASSERT_UNITS("\xed\xb0\x80", 0xdc00);
    ASSERT_UNITS("\xed\xbf\xbf", 0xdfff);
    ASSERT_UNITS("a\xed\xa0\xbd"
                 "b",
                 'a', 0xd83d, 'b');
    ASSERT_UNITS("\xed\xb8\x80\xed\xa0\xbd", 0xde00, 0xd83d);
    ASSERT_UNITS("\xed\xa0\xbd\xf0\x9f\x98\x80", 0xd83d, 0xd83d, 0xde00);
    ASSERT_UNITS("\xf0\x9f\x98\x80\xed\xb8\x80", 0xd83d, 0xde00, 0xde00);
    ASSERT_UNITS("\xed\xa0\xbd\xee\x80\x80", 0xd83d, 0xe000);
    ASSERT_UNITS("\xed\x9f\xbf\xed\xb8\x80", 0xd7ff, 0xde00);
}
END_TEST

/* Whatever follows a name must not complete its last half. */
START_TEST(half_a_pair_at_the_end_is_not_completed_from_beyond_the_name)
{
    static const uint16_t units[] = {'a', 0xd83d, 0xde00};

    put_name(units, 3, BOTH);
    attribute[64] = 2;
    assert_text("a\xed\xa0\xbd", 4);
}
END_TEST

/* Check's own assertions are too slow for this many. */
static void require(bool holds)
{
    if (!holds)
        ck_abort_msg("the name does not lead back to its units");
}

START_TEST(any_code_units_round_trip)
{
    for (int round = 0; round < 20000; round++) {
        uint16_t units[MAX_UNITS];
        const size_t count = random64() % (MAX_UNITS + 1);
        size_t at = 0;

        for (size_t i = 0; i < count; i++)
            units[i] =
                (uint16_t)(random64() % 2 ? 0xd800 + random64() % 0x800 : random64() >> random64() % 16);
        put_name(units, count, BOTH);
        ck_assert(read_cut(attribute_len));
        ck_assert_uint_le(name.len, 3 * count);
        for (size_t i = 0; i < count; i++) { /* by the count of leading ones, as in the definition of UTF-8 */
            const uint8_t *p = (const uint8_t *)name.text + at;
            const size_t len = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
            uint32_t c = len == 1 ? *p : *p & (0x7fu >> len);
            uint16_t back[2];

            require(at + len <= name.len);
            for (size_t k = 1; k < len; k++) {
                require((p[k] & 0xc0) == 0x80);
                c = c << 6 | (p[k] & 0x3f);
            }
            require(len == (c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4));
            at += len;
            if (put_character(back, c) == 2)
                require(units[++i] == back[1]);
            require(units[len == 4 ? i - 1 : i] == back[0]);
        }
        ck_assert_uint_eq(at, name.len);
    }
}
END_TEST

/* ---- the rest of the attribute ---- */

START_TEST(the_parent_has_48_bits_and_its_sequence_16)
{
    static const uint16_t units[] = {'x'};

    put_name(units, 1, WINDOWS);
    memcpy(attribute, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
    assert_text("x", 1);
    ck_assert_uint_eq(name.parent, UINT64_C(0xab8967452301));
    ck_assert_uint_eq(name.parent_sequence, 0xefcd);
    memset(attribute, 0xff, 8);
    assert_text("x", 1);
    ck_assert_uint_eq(name.parent, UINT64_C(0xffffffffffff));
    ck_assert_uint_eq(name.parent_sequence, 0xffff);
    put_number(attribute, 5 | (uint64_t)5 << 48, 8); /* the root */
    assert_text("x", 1);
    ck_assert_uint_eq(name.parent, 5);
    ck_assert_uint_eq(name.parent_sequence, 5);
}
END_TEST

START_TEST(only_a_short_name_beside_a_long_one_is_left_out)
{
    static const uint16_t units[] = {'P', 'R', 'O', 'G', 'R', 'A', '~', '1'};

    for (unsigned kind = 0; kind < 256; kind++) {
        put_name(units, 8, kind);
        ck_assert_int_eq(read_cut(attribute_len), kind != DOS);
        if (kind == POSIX || kind == WINDOWS || kind == BOTH)
            assert_text("PROGRA~1", 8);
    }
}
END_TEST

START_TEST(a_truncated_attribute_has_no_name)
{
    uint16_t units[MAX_UNITS];

    for (size_t i = 0; i < MAX_UNITS; i++)
        units[i] = (uint16_t)(0x4e00 + i);
    for (size_t count = 0; count <= MAX_UNITS; count += count < 4 ? 1 : 50 + count % 2) {
        put_name(units, count, BOTH);
        for (size_t len = 0; len < attribute_len; len++)
            ck_assert(!read_cut(len));
        ck_assert(read_cut(attribute_len));
        ck_assert_uint_eq(name.len, 3 * count);
    }
}
END_TEST

/* Attributes are padded to eight bytes. */
START_TEST(bytes_after_the_name_are_not_part_of_it)
{
    static const uint16_t units[] = {'a', 'b', 'c', 'd', 'e'};

    put_name(units, 5, BOTH);
    attribute[64] = 2;
    assert_text("ab", 2);
    attribute[64] = 0;
    assert_text("", 0);
}
END_TEST

START_TEST(random_bytes_of_every_length_are_read_within_their_bounds)
{
    for (size_t len = 0; len <= MAX_ATTRIBUTE; len++)
        for (int round = 0; round < 20; round++) {
            fill_random(attribute, len);
            if (read_cut(len)) {
                ck_assert_uint_ge(len, TEXT_AT + 2 * (size_t)attribute[64]);
                ck_assert_uint_le(name.len, 3 * (size_t)attribute[64]);
            } else {
                ck_assert(len < TEXT_AT || len < TEXT_AT + 2 * (size_t)attribute[64] || attribute[65] == DOS);
            }
        }
}
END_TEST

/* ---- records ---- */

static uint32_t record_len(unsigned sector, unsigned cluster, unsigned record)
{
    uint8_t *boot = random_block(NTFS_BOOT_LEN);
    uint32_t len;

    put_number(boot + 11, sector, 2);
    put_number(boot + 13, cluster, 1);
    put_number(boot + 64, record, 1);
    len = ntfs_record_len(boot);
    free(boot);
    return len;
}

START_TEST(the_record_length_is_given_in_clusters_or_as_a_power_of_two)
{
    ck_assert_uint_eq(record_len(512, 8, 0xf6), 1024);  /* as nearly all are */
    ck_assert_uint_eq(record_len(4096, 1, 0xf4), 4096); /* sectors of 4 KiB */
    ck_assert_uint_eq(record_len(512, 1, 2), 1024);
    ck_assert_uint_eq(record_len(512, 2, 1), 1024);
    ck_assert_uint_eq(record_len(1024, 1, 1), 1024);
    ck_assert_uint_eq(record_len(512, 8, 1), 4096);
    ck_assert_uint_eq(record_len(512, 1, 8), 4096);
    ck_assert_uint_eq(record_len(4096, 1, 1), 4096);
    for (unsigned shift = 9; shift < 17; shift++)
        ck_assert_uint_eq(record_len(512, 0xf4, 256 - shift), 1u << shift); /* whatever a cluster is */
}
END_TEST

START_TEST(an_impossible_record_length_is_0)
{
    ck_assert_uint_eq(record_len(512, 8, 0), 0);
    ck_assert_uint_eq(record_len(512, 0, 1), 0);
    ck_assert_uint_eq(record_len(0, 8, 1), 0);
    for (unsigned record = 128; record <= 256 - 32; record++)
        ck_assert_uint_eq(record_len(512, 8, record), 0);
    for (unsigned record = 0; record < 128; record++) /* no overflow */
        ck_assert_uint_eq(record_len(65535, 255, record), UINT64_C(65535) * 255 * record);
}
END_TEST

RUN_TESTS("ntfs", every_character_is_converted_as_by_iconv, names_are_converted_as_by_iconv,
          the_longest_name_fits, a_lone_surrogate_is_three_bytes,
          half_a_pair_at_the_end_is_not_completed_from_beyond_the_name, any_code_units_round_trip,
          the_parent_has_48_bits_and_its_sequence_16, only_a_short_name_beside_a_long_one_is_left_out,
          a_truncated_attribute_has_no_name, bytes_after_the_name_are_not_part_of_it,
          random_bytes_of_every_length_are_read_within_their_bounds,
          the_record_length_is_given_in_clusters_or_as_a_power_of_two, an_impossible_record_length_is_0)
