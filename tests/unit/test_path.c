/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/path.h"
#include "check_main.h"

/* As dirname(1) and basename(1) say, but for paths that end in a slash, which name no file. */
START_TEST(a_path_has_a_folder_and_a_last_part)
{
    static const struct {
        const char *path, *folder, *last, *beside;
    } cases[] = {
        {"a", ".", "a", "x"},        {"./a", ".", "a", "./x"},        {"/a", "/", "a", "/x"},
        {"a/b", "a", "b", "a/x"},    {"/a/b c", "/a", "b c", "/a/x"}, {"../a/b/c", "../a/b", "c", "../a/b/x"},
        {"a//b", "a/", "b", "a//x"}, {"a/", "a", "", "a/x"},          {"", ".", "", "x"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *folder = path_folder(cases[i].path), *beside = path_beside(cases[i].path, "x");

        ck_assert_str_eq(path_last(cases[i].path), cases[i].last);
        ck_assert_str_eq(folder, cases[i].folder);
        ck_assert_str_eq(beside, cases[i].beside);
        free(folder);
        free(beside);
    }
}
END_TEST

RUN_TESTS("path", a_path_has_a_folder_and_a_last_part)
