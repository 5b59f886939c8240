/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "report/report_columns.h"

static void assert_short(const char *text, unsigned most, const char *expected)
{
    struct buffer out = {0};

    report_columns_shorten(&out, text, strlen(text), most);
    buffer_add_char(&out, '\0');
    ck_assert(!out.failed);
    ck_assert_str_eq(out.data, expected);
    buffer_release(&out);
}

START_TEST(columns_are_characters_and_ideographs_take_two)
{
    ck_assert_uint_eq(report_columns("", 0), 0);
    ck_assert_uint_eq(report_columns("abc", 3), 3);
    ck_assert_uint_eq(report_columns("\u00e4\u20ac", 5), 2);
    ck_assert_uint_eq(report_columns("\u4e2d\u6587", 6), 4);
    ck_assert_uint_eq(report_columns("\U0001f600", 4), 2);
}
END_TEST

START_TEST(a_long_path_loses_its_middle_and_keeps_more_of_its_end)
{
    assert_short("usr/share/doc/x", 15, "usr/share/doc/x");
    assert_short("usr/share/doc/xy", 15, "usr/...e/doc/xy");
    assert_short("home/someone/Documents/letters/2024/report-final.docx", 30,
                 "home/some.../report-final.docx");
}
END_TEST

START_TEST(what_is_shortened_fits_and_consists_of_whole_characters)
{
    static const char text[] = "\u4e2d\u6587\u00e4/\u4e2d\u6587b/c\u4e2d\u6587de\u4e2dfg\u6587.txt";

    for (unsigned most = 12; most < 40; most++) {
        struct buffer out = {0};

        report_columns_shorten(&out, text, strlen(text), most);
        ck_assert_uint_le(report_columns(out.data, out.len), most);
        ck_assert_uint_ge(report_columns(out.data, out.len) + 2, most < 29 ? most : 29);
        ck_assert_int_ne((uint8_t)out.data[out.len - 1] & 0xc0, 0x80);
        for (size_t i = 0; i + 3 < out.len; i++)
            if (memcmp(out.data + i, "...", 3) == 0)
                ck_assert_int_ne((uint8_t)out.data[i + 3] & 0xc0, 0x80);
        buffer_release(&out);
    }
}
END_TEST

static void add(struct report_columns_lines *lines, const char *text)
{
    struct buffer word = {0};

    buffer_add_text(&word, text);
    report_columns_word(lines, &word);
    ck_assert_uint_eq(word.len, 0);
    buffer_release(&word);
}

static void assert_lines(unsigned width, const char *expected)
{
    struct buffer out = {0};
    struct report_columns_lines lines = {.out = &out, .width = width, .indent = 2};

    add(&lines, "verdict");
    add(&lines, "a path");
    add(&lines, "of");
    report_columns_line(&lines);
    add(&lines, "a name");
    add(&lines, "in a set");
    buffer_add_char(&out, '\0');
    ck_assert_str_eq(out.data, expected);
    buffer_release(&out);
}

START_TEST(words_that_do_not_fit_begin_a_line_and_are_never_broken)
{
    assert_lines(0, "verdict a path of\n  a name in a set");
    assert_lines(17, "verdict a path of\n  a name in a set");
    assert_lines(16, "verdict a path\n  of\n  a name\n  in a set");
    assert_lines(5, "verdict\n  a path\n  of\n  a name\n  in a set");
}
END_TEST

RUN_TESTS("report_columns", columns_are_characters_and_ideographs_take_two,
          a_long_path_loses_its_middle_and_keeps_more_of_its_end,
          what_is_shortened_fits_and_consists_of_whole_characters,
          words_that_do_not_fit_begin_a_line_and_are_never_broken)
