/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "report/report_previews.h"

START_TEST(a_preview_is_found_by_the_number_of_its_finding)
{
    struct report_previews previews = {.count = 0};
    const struct case_finding_id missing = {2, 7, 9};

    ck_assert_ptr_null(report_previews_find(NULL, &missing));
    ck_assert_ptr_null(report_previews_find(&previews, &missing));
    for (uint64_t i = 0; i < 60; i++) { /* in no order */
        const uint64_t n = i * 37 % 60;
        const struct case_finding_id id = {1 + n / 30, 1 + n / 3 % 10, (uint32_t)(1 + n % 3)};
        struct report_preview *preview = report_previews_add(&previews, &id);

        ck_assert_ptr_nonnull(preview);
        buffer_printf(&preview->json, "%d", (int)n);
    }
    report_previews_sort(&previews);
    for (uint64_t n = 0; n < 60; n++) {
        const struct case_finding_id id = {1 + n / 30, 1 + n / 3 % 10, (uint32_t)(1 + n % 3)};
        const struct report_preview *preview = report_previews_find(&previews, &id);
        char text[20];

        ck_assert_ptr_nonnull(preview);
        snprintf(text, sizeof text, "%d", (int)n);
        ck_assert_uint_eq(preview->json.len, strlen(text));
        ck_assert_mem_eq(preview->json.data, text, strlen(text));
    }
    ck_assert_ptr_null(report_previews_find(&previews, &missing));
    report_previews_release(&previews);
}
END_TEST

/* A picture's type if it is cut to its header, "" if it must not be shown. */
static void check_picture(const void *data, size_t len, const char *type)
{
    const char *got = report_previews_picture(data, len);

    ck_assert_str_eq(got ? got : "", type);
    for (size_t cut = 0; cut < len; cut++) { /* ASan sees what is read beyond */
        uint8_t *part = malloc(cut + 1);

        memcpy(part, data, cut);
        report_previews_picture(part, cut);
        free(part);
    }
}

START_TEST(only_pictures_of_bearable_size_are_shown)
{
    uint8_t png[33] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\x40\0\0\0\xc8\x08\x02";
    uint8_t gif[13] = "GIF89a\x40\x01\xc8\0";
    /* a comment, then a frame of 200 by 320 */
    uint8_t jpeg[] = "\xff\xd8\xff\xfe\0\x04xx\xff\xc0\0\x11\x08\0\xc8\x01\x40\x03";

    check_picture(png, sizeof png, "image/png");
    check_picture(gif, sizeof gif, "image/gif");
    check_picture(jpeg, sizeof jpeg, "image/jpeg");
    check_picture("<svg onload=alert(1)>", 21, "");
    check_picture("BM", 2, "");
    png[17] = 1; /* 65856 pixels wide */
    gif[7] = 0x11;
    jpeg[13] = 0x11;
    check_picture(png, sizeof png, "");
    check_picture(gif, sizeof gif, "");
    check_picture(jpeg, sizeof jpeg, "");
    jpeg[13] = 0;
    jpeg[5] = 1; /* the comment is too short to be one */
    check_picture(jpeg, sizeof jpeg, "");
}
END_TEST

RUN_TESTS("report_previews", a_preview_is_found_by_the_number_of_its_finding,
          only_pictures_of_bearable_size_are_shown)
