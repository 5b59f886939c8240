/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "check_main.h"

START_TEST(formatted_text_is_whole_wherever_the_room_ends)
{
    char wanted[700];

    for (size_t before = 0; before < 520; before++)
        for (int width = 0; width < 12; width++) {
            struct buffer text = {0};

            memset(wanted, '-', before);
            snprintf(wanted + before, sizeof wanted - before, "%*d|", width, 7);
            for (size_t i = 0; i < before; i++)
                buffer_add_char(&text, '-');
            buffer_printf(&text, "%*d", width, 7);
            buffer_printf(&text, "%s", "");
            buffer_add_char(&text, '|');
            ck_assert_uint_eq(text.len, strlen(wanted));
            ck_assert_mem_eq(text.data, wanted, text.len);
            buffer_release(&text);
        }
}
END_TEST

START_TEST(numbers_are_those_of_printf)
{
    uint64_t number = UINT64_MAX;

    for (int i = 0; i < 200; i++, number = i % 2 ? number / 3 : number - 1) {
        struct buffer text = {0};
        char wanted[40];

        buffer_add_number(&text, number);
        snprintf(wanted, sizeof wanted, "%" PRIu64, number);
        ck_assert_uint_eq(text.len, strlen(wanted));
        ck_assert_mem_eq(text.data, wanted, text.len);
        buffer_release(&text);
    }
}
END_TEST

START_TEST(a_failed_buffer_keeps_what_it_has_and_takes_no_more)
{
    struct buffer text = {0};

    buffer_add_text(&text, "abc");
    ck_assert_ptr_null(buffer_extend(&text, SIZE_MAX / 2));
    ck_assert(text.failed);
    buffer_add_char(&text, 'd');
    buffer_add_number(&text, 5);
    buffer_printf(&text, "%d", 5);
    ck_assert_uint_eq(text.len, 3);
    ck_assert_mem_eq(text.data, "abc", 3);
    buffer_release(&text);
}
END_TEST

static void check_fixed(double number, int decimals)
{
    struct buffer text = {0};
    char wanted[400];

    buffer_add_fixed(&text, number, decimals);
    snprintf(wanted, sizeof wanted, "%.*f", decimals, number);
    ck_assert_msg(text.len == strlen(wanted) && memcmp(text.data, wanted, text.len) == 0, "%.*s, not %s",
                  (int)text.len, text.data, wanted);
    buffer_release(&text);
}

START_TEST(fixed_numbers_are_those_of_printf)
{
    static const double special[] = {-0.0,         1e300, -5.5,     1e9,   999999.9995,
                                     4294967295.5, NAN,   INFINITY, 5e-324};

    for (int decimals = 0; decimals <= 5; decimals++) {
        for (size_t i = 0; i < sizeof special / sizeof *special; i++)
            check_fixed(special[i], decimals);
        for (int i = 0; i < 3000; i++) {
            const double tie = (double)(random64() % 20000) / 2000;

            check_fixed(tie, decimals);
            check_fixed(nextafter(tie, 1e9), decimals);
            check_fixed(nextafter(tie, -1), decimals);
            check_fixed((double)(random64() >> random64() % 64) / 977, decimals);
        }
    }
}
END_TEST

RUN_TESTS("buffer", formatted_text_is_whole_wherever_the_room_ends, numbers_are_those_of_printf,
          fixed_numbers_are_those_of_printf, a_failed_buffer_keeps_what_it_has_and_takes_no_more)
