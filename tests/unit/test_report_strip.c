/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "report/report_strip.h"

static void assert_strip(const struct report_strip *strip, bool colours, const char *expected)
{
    struct buffer out = {0};

    report_strip_put(strip, &out, colours);
    buffer_add_char(&out, '\0');
    ck_assert(!out.failed);
    ck_assert_str_eq(out.data, expected);
    buffer_release(&out);
}

START_TEST(a_cell_has_a_capital_if_nine_tenths_of_it_match_and_a_dot_if_nothing_does)
{
    struct report_strip strip;

    report_strip_begin(&strip, 1000, 1000, 10);
    report_strip_mark(&strip, 0, 100, 250);
    report_strip_mark(&strip, 1, 250, 389);
    report_strip_mark(&strip, 2, 999, 1000);
    assert_strip(&strip, false, ".AAb.....c");
}
END_TEST

START_TEST(letters_restart_after_z_and_colours_repeat)
{
    struct report_strip strip;

    report_strip_begin(&strip, 300, 300, 3);
    report_strip_mark(&strip, 25, 0, 100);
    report_strip_mark(&strip, 26, 100, 200);
    assert_strip(&strip, false, "ZA.");
    assert_strip(&strip, true, "\033[32mZ\033[0m\033[33mA\033[0m.");
}
END_TEST

START_TEST(the_shorter_of_two_contents_has_fewer_cells_of_the_same_size)
{
    struct report_strip strip;

    report_strip_begin(&strip, 450, 1000, 10);
    ck_assert_uint_eq(strip.cells, 5);
    report_strip_mark(&strip, 0, 400, 450); /* all of the half cell at the end */
    assert_strip(&strip, false, "....A");
}
END_TEST

START_TEST(what_is_too_wide_is_scaled_to_the_available_width)
{
    struct report_strip strip;

    report_strip_begin(&strip, 1000, 1000, 10 * REPORT_STRIP_CELLS);
    ck_assert_uint_eq(strip.cells, REPORT_STRIP_CELLS);
    report_strip_mark(&strip, 0, 500, 1000);
    ck_assert_uint_eq(strip.list[REPORT_STRIP_CELLS / 2 - 1].matched > 0, 0);
    ck_assert_uint_eq(strip.list[REPORT_STRIP_CELLS / 2].matched > 0, 1);
    ck_assert_uint_eq(strip.list[REPORT_STRIP_CELLS - 1].matched > 0, 1);
}
END_TEST

START_TEST(ranges_beyond_the_content_mark_nothing)
{
    struct report_strip strip;

    report_strip_begin(&strip, 10, 10, 72);
    report_strip_mark(&strip, 0, UINT64_MAX / 2, UINT64_MAX);
    report_strip_mark(&strip, 1, 5, 5);
    for (unsigned i = 0; i < strip.cells; i++)
        ck_assert(strip.list[i].matched <= 0);
}
END_TEST

RUN_TESTS("report_strip", a_cell_has_a_capital_if_nine_tenths_of_it_match_and_a_dot_if_nothing_does,
          letters_restart_after_z_and_colours_repeat,
          the_shorter_of_two_contents_has_fewer_cells_of_the_same_size,
          what_is_too_wide_is_scaled_to_the_available_width, ranges_beyond_the_content_mark_nothing)
