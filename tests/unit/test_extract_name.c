/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "extract_name.h"

static struct buffer name;

static const char *made(const char *path, size_t len)
{
    buffer_reset(&name);
    extract_name(&name, "1.2", path, len);
    buffer_add_char(&name, '\0');
    ck_assert(!name.failed);
    return name.data;
}

START_TEST(the_last_part_of_a_path_is_kept_if_it_is_safe)
{
    static const struct {
        const char *path, *name;
    } cases[] = {{"a/b/report_2-final.docx", "1.2-report_2-final.docx"},
                 {"x", "1.2-x"},
                 {"", "1.2"},
                 {"folder/", "1.2"},
                 {"..", "1.2"},
                 {"a/..", "1.2"},
                 {"../../../etc/passwd", "1.2-passwd"},
                 {"..\\..\\windows\\evil", "1.2-.._.._windows_evil"},
                 {".bashrc", "1.2-.bashrc"},
                 {"-rf", "1.2--rf"},
                 {"CON", "1.2-CON"},
                 {"two words\nand lines", "1.2-two_words_and_lines"},
                 {"\x1b[2J<script>|=cmd", "1.2-__2J_script___cmd"},
                 {"\xe2\x80\xae\xff:x*?\"", "1.2-_____x___"},
                 {"name.. .", "1.2-name.._"},
                 {"dots...", "1.2-dots"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(made(cases[i].path, strlen(cases[i].path)), cases[i].name);
}
END_TEST

START_TEST(zero_bytes_are_replaced)
{
    ck_assert_str_eq(made("a\0b", 3), "1.2-a_b");
}
END_TEST

START_TEST(a_long_name_keeps_its_extension_and_is_bounded)
{
    char path[70000];

    for (size_t len = 1; len < sizeof path; len += len < 300 ? 1 : 9999) {
        memset(path, 'n', len);
        if (len > 10)
            memcpy(path + len - 4, ".jpg", 4);
        made(path, len);
        ck_assert_uint_le(strlen(name.data), strlen("1.2") + EXTRACT_NAME_MOST);
        if (len < EXTRACT_NAME_MOST)
            ck_assert_uint_eq(strlen(name.data), strlen("1.2-") + len);
        if (len > 10)
            ck_assert_str_eq(name.data + strlen(name.data) - 4, ".jpg");
    }
}
END_TEST

START_TEST(any_bytes_make_a_name_of_safe_characters)
{
    uint8_t path[40];

    for (unsigned i = 0; i < 20000; i++) {
        const size_t len = random64() % sizeof path;

        fill_random(path, len);
        made((const char *)path, len);
        ck_assert(strncmp(name.data, "1.2", 3) == 0);
        ck_assert_uint_eq(
            strspn(name.data, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"),
            strlen(name.data));
    }
    buffer_release(&name);
}
END_TEST

RUN_TESTS("extract_name", the_last_part_of_a_path_is_kept_if_it_is_safe, zero_bytes_are_replaced,
          a_long_name_keeps_its_extension_and_is_bounded, any_bytes_make_a_name_of_safe_characters)
