/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/digest_text.h"
#include "base/fields.h"
#include "check_main.h"

static const char *const names[] = {"magic", "number", "rest"};

static struct fields split(const char *line)
{
    struct fields fields = {.names = names, .count = 3};
    struct error err = {""};

    ck_assert_msg(fields_split(&fields, line, strlen(line), &err) == 0, "%s", err.text);
    return fields;
}

START_TEST(last_field_may_contain_colons)
{
    const struct fields fields = split("a::b:c:");

    ck_assert(fields.list[0].len == 1 && fields.list[1].len == 0 && fields.list[2].len == 4);
    ck_assert_mem_eq(fields.list[2].p, "b:c:", 4);
}
END_TEST

START_TEST(missing_fields_are_named)
{
    struct fields fields = {.names = names, .count = 3};
    struct error err;

    ck_assert_int_eq(fields_split(&fields, "a:b", 3, &err), -1);
    ck_assert_str_eq(err.text, "field 3 (rest) is missing: the line ends after 3 bytes");
    ck_assert_int_eq(fields_split(&fields, "", 0, &err), -1);
    ck_assert_str_eq(err.text, "field 2 (number) is missing: the line ends after 0 bytes");
}
END_TEST

static int number_in(const char *line, uint64_t most, uint64_t *out)
{
    const struct fields fields = split(line);
    struct error err;

    return fields_number(&fields, 1, most, out, &err);
}

START_TEST(numbers_have_one_form_and_a_limit)
{
    uint64_t got = 7;

    ck_assert(number_in("a:0:", 0, &got) == 0 && got == 0);
    ck_assert(number_in("a:18446744073709551615:", UINT64_MAX, &got) == 0 && got == UINT64_MAX);
    ck_assert_int_eq(number_in("a:18446744073709551616:", UINT64_MAX, &got), -1);
    ck_assert_int_eq(number_in("a:9:", 8, &got), -1);
    ck_assert_int_eq(number_in("a:5:", 1, &got), -1);
    ck_assert(number_in("a:255:", 255, &got) == 0 && got == 255);
    ck_assert_int_eq(number_in("a:256:", 255, &got), -1);
    ck_assert_int_eq(number_in("a:01:", 9, &got), -1);
    ck_assert_int_eq(number_in("a::", 9, &got), -1);
    ck_assert_int_eq(number_in("a:-1:", 9, &got), -1);
    ck_assert_int_eq(number_in("a:1\xff:", 99, &got), -1);
}
END_TEST

START_TEST(long_fields_are_shortened_in_messages)
{
    const struct fields fields = split("a:b:0123456789012345678901234567890123456789X");
    struct error err;

    ck_assert_int_eq(fields_bad(&fields, 2, &fields.list[2], "is odd", &err), -1);
    ck_assert_str_eq(err.text, "field 3 (rest) is odd: '0123456789012345678901234567890123456789'...");
}
END_TEST

START_TEST(digits_of_six_bits_are_read_as_they_were_written)
{
    for (unsigned bits = 1; bits <= 64; bits++) {
        const unsigned chars = (bits + 5) / 6;
        const uint64_t value = random64() >> (64 - bits);
        char text[12];
        uint64_t got;

        ck_assert(fields_put_digits(text, value, chars) == text + chars);
        ck_assert(fields_get_digits(text, bits, &got) && got == value);
        if (bits % 6) { /* a bit too many */
            fields_put_digits(text, UINT64_C(1) << (bits % 6), 1);
            ck_assert(!fields_get_digits(text, bits, &got));
        }
        text[0] = '+';
        ck_assert(!fields_get_digits(text, bits, &got));
    }
    for (int c = -128; c < 128; c++)
        if (fields_digit_value((char)c) >= 0)
            ck_assert_int_eq(fields_digit((unsigned)fields_digit_value((char)c)), c);
}
END_TEST

START_TEST(digests_are_sha1_and_others_in_order)
{
    static const char all[] = "da39a3ee5e6b4b0d3255bfef95601890afd80709/d41d8cd98f00b204e9800998ecf8427e/"
                              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    struct digest_values values;
    struct buffer out = {0};

    ck_assert_ptr_null(digest_text_parse(&values, all, sizeof all - 1));
    ck_assert_uint_eq(values.kinds, (1u << DIGEST_KINDS) - 1);
    digest_text_add(&values, &out);
    ck_assert(out.len == sizeof all - 1 && memcmp(out.data, all, out.len) == 0);
    ck_assert_ptr_null(digest_text_parse(&values, all, 40));
    ck_assert_ptr_nonnull(digest_text_parse(&values, all, 41));
    ck_assert_ptr_nonnull(digest_text_parse(&values, all, 39));
    ck_assert_ptr_nonnull(digest_text_parse(&values, all + 41, 32));
    ck_assert_ptr_nonnull(digest_text_parse(&values, "", 0));
    buffer_release(&out);
}
END_TEST

RUN_TESTS("fields", last_field_may_contain_colons, missing_fields_are_named,
          numbers_have_one_form_and_a_limit, long_fields_are_shortened_in_messages,
          digits_of_six_bits_are_read_as_they_were_written, digests_are_sha1_and_others_in_order)
