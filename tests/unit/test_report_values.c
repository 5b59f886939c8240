/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "check_main.h"
#include "report/report_values.h"

/* The text that was added; it is valid until the next call. */
static const char *text_of(struct buffer *out)
{
    static char text[400];

    ck_assert(!out->failed);
    snprintf(text, sizeof text, "%.*s", (int)out->len, out->len ? out->data : "");
    buffer_release(out);
    *out = (struct buffer){0};
    return text;
}

START_TEST(a_count_has_separators_and_the_plural_of_its_noun)
{
    static const struct {
        uint64_t count;
        const char *noun, *text;
    } counts[] = {
        {0, "object", "0 objects"},
        {1, "object", "1 object"},
        {2, "object", "2 objects"},
        {999, "byte", "999 bytes"},
        {1000, "byte", "1,000 bytes"},
        {1204, "finding", "1,204 findings"},
        {123456, "entry", "123,456 entries"},
        {2, "day", "2 days"},
        {2, "match", "2 matches"},
        {2, "hash", "2 hashes"},
        {2, "box", "2 boxes"},
        {2, "path", "2 paths"},
        {1, "entry", "1 entry"},
        {UINT64_MAX, "byte", "18,446,744,073,709,551,615 bytes"},
    };
    struct buffer out = {0};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        report_values_count(&out, counts[i].count, counts[i].noun);
        ck_assert_str_eq(text_of(&out), counts[i].text);
    }
}
END_TEST

START_TEST(a_size_is_exact_below_ten_thousand_bytes)
{
    struct buffer out = {0};

    report_values_size(&out, 9999);
    ck_assert_str_eq(text_of(&out), "9999 bytes");
    report_values_size(&out, 56789);
    ck_assert_str_eq(text_of(&out), "56.8 kB");
    report_values_size(&out, 10000);
    ck_assert_str_eq(text_of(&out), "10.0 kB");
    report_values_size(&out, 999949);
    ck_assert_str_eq(text_of(&out), "999.9 kB");
    report_values_size(&out, 999950);
    ck_assert_str_eq(text_of(&out), "1.0 MB");
    report_values_size(&out, UINT64_MAX);
    ck_assert_str_eq(text_of(&out), "18.4 EB");
    report_values_size(&out, 1);
    ck_assert_str_eq(text_of(&out), "1 byte");
}
END_TEST

START_TEST(an_e_value_keeps_one_decimal_and_never_falls_below_what_programs_parse)
{
    struct buffer out = {0};

    report_values_e(&out, log(1.26e-34));
    ck_assert_str_eq(text_of(&out), "1.3e-34");
    report_values_e(&out, log(9.99e-5));
    ck_assert_str_eq(text_of(&out), "1.0e-4");
    report_values_e(&out, -1e6);
    ck_assert_str_eq(text_of(&out), "1.0e-300");
    report_values_e(&out, -INFINITY);
    ck_assert_str_eq(text_of(&out), "0");
}
END_TEST

START_TEST(a_time_says_which_zone_it_is_in)
{
    struct buffer out = {0};

    setenv("TZ", "IST-5:30", 1);
    tzset();
    report_values_zone_time(&out, 1714564800, 0, REPORT_ZONE_UTC);
    ck_assert_str_eq(text_of(&out), "2024-05-01T12:00:00Z");
    report_values_zone_time(&out, 1714564800, 5, REPORT_ZONE_UTC);
    ck_assert_str_eq(text_of(&out), "2024-05-01T12:00:00.000000005Z");
    report_values_zone_time(&out, 1714564800, 5, REPORT_ZONE_LOCAL);
    ck_assert_str_eq(text_of(&out), "2024-05-01T17:30:00.000000005+05:30");
    report_values_zone_time(&out, 1714564800, 0, REPORT_ZONE_NONE);
    ck_assert_str_eq(text_of(&out), "2024-05-01T12:00:00");
    setenv("TZ", "EST5", 1);
    tzset();
    report_values_zone_time(&out, 1714564800, 0, REPORT_ZONE_LOCAL);
    ck_assert_str_eq(text_of(&out), "2024-05-01T07:00:00-05:00");
    report_values_zone_time(&out, INT64_MAX, 0, REPORT_ZONE_LOCAL);
    ck_assert_str_eq(text_of(&out), "@9223372036854775807");
}
END_TEST

RUN_TESTS("report_values", a_time_says_which_zone_it_is_in, a_count_has_separators_and_the_plural_of_its_noun,
          a_size_is_exact_below_ten_thousand_bytes,
          an_e_value_keeps_one_decimal_and_never_falls_below_what_programs_parse)
