/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "disk/ewf_names.h"

static char folder[PATH_MAX];

static void make_folder(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/kith-ewf-XXXXXX", tmp ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

/* names: separated by blanks */
static void for_each_name(const char *names, void (*does)(const char *name))
{
    char copy[4096], *rest = copy, *name;

    snprintf(copy, sizeof copy, "%s", names);
    while ((name = strsep(&rest, " ")))
        if (*name)
            does(name);
}

static void make(const char *name)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void drop(const char *name)
{
    ck_assert_int_eq(unlink(name), 0);
}

/* What is found from one of these files, alone in a folder: the others, or the reason for the error. */
static void expect(const char *there, const char *path, const char *expected)
{
    char **files = NULL, found[4096] = "";
    size_t count = 0;
    struct error err = {.text = ""};
    int result;

    make_folder();
    for_each_name(there, make);
    result = ewf_names_find(path, &files, &count, &err);
    for (size_t i = 0; result == 1 && i < count; i++) {
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", i ? " " : "", files[i]);
        free(files[i]);
    }
    free(files);
    if (result < 0)
        ck_assert_msg(strstr(err.text, expected), "%s: '%s' instead of '%s'", path, err.text, expected);
    else
        ck_assert_str_eq(found, expected);
    for_each_name(there, drop);
    ck_assert_int_eq(rmdir(folder), 0);
}

START_TEST(finds_a_set_in_order_and_ignores_other_files)
{
    expect("x.E02 x.E01 x.E03 y.E01 x.e04 x.E01.txt x.TXT x.EXE", "x.E01", "x.E01 x.E02 x.E03");
    expect("x.E01", "./x.E01", "./x.E01");
    expect("x.e01 x.e02 x.E03", "x.e01", "x.e01 x.e02");
    expect("x.s01 x.s02 x.E01", "x.s01", "x.s01 x.s02");
    expect("x.Ex01 x.Ex02 x.E01 x.E02", "x.Ex01", "x.Ex01 x.Ex02");
}
END_TEST

START_TEST(leaves_gaps_visible)
{
    expect("x.E01 x.E03", "x.E01", "x.E01 x.E03");
    expect("x.E02 x.E03", "x.E02", "x.E02 x.E03");
}
END_TEST

START_TEST(refuses_a_later_segment_if_the_first_one_exists)
{
    expect("x.E01 x.E02", "x.E02", "specify the first one, x.E01");
    expect("x.E01 x.E02 x.EXE", "x.EXE", "");
}
END_TEST

START_TEST(does_not_take_other_names_for_segments)
{
    static const char *const names[] = {"x",    "x.dd",    "x.E1",  "x.E001", "E01",
                                        ".E01", "x.E01/y", "x.F01", "x.001",  "x.E0A"};
    char **files;
    size_t count;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ck_assert_msg(ewf_names_number(names[i]) == 0, "%s", names[i]);
        ck_assert_int_eq(ewf_names_find(names[i], &files, &count, NULL), 0);
    }
}
END_TEST

/* As libewf's documentation has it: E99, EAA .. EAZ, EBA .. EZZ, FAA .. ZZZ. */
START_TEST(continues_counting_with_letters)
{
    static const struct {
        unsigned number;
        const char *text, *version2;
    } known[] = {{1, "E01", "Ex01"},   {99, "E99", "Ex99"},  {100, "EAA", "ExAA"}, {125, "EAZ", "ExAZ"},
                 {126, "EBA", "ExBA"}, {775, "EZZ", "ExZZ"}, {776, "FAA", "EyAA"}};
    char text[EWF_NAMES_ROOM], path[16];

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ewf_names_extension("a.E01", known[i].number, text);
        ck_assert_str_eq(text, known[i].text);
        ewf_names_extension("a.Ex01", known[i].number, text);
        ck_assert_str_eq(text, known[i].version2);
        snprintf(path, sizeof path, "a.%s", known[i].text);
        ck_assert_uint_eq(ewf_names_number(path), known[i].number);
    }
    for (unsigned number = 1; number < 14972; number++) {
        ewf_names_extension("a.e01", number, text);
        snprintf(path, sizeof path, "a.%s", text);
        ck_assert_uint_eq(ewf_names_number(path), number);
    }
}
END_TEST

START_TEST(takes_letters_for_a_segment_only_after_the_others)
{
    char all[2048] = "", with[sizeof all + 64];

    for (int i = 1; i <= 99; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%sx.E%02d", i > 1 ? " " : "", i);
    snprintf(with, sizeof with, "%s x.EAA x.EAC", all);
    expect(with, "x.E01", with);
    snprintf(with, sizeof with, "%s x.EXE", all);
    expect(with, "x.E01", all);
}
END_TEST

RUN_TESTS("ewf_names", finds_a_set_in_order_and_ignores_other_files, leaves_gaps_visible,
          refuses_a_later_segment_if_the_first_one_exists, does_not_take_other_names_for_segments,
          continues_counting_with_letters, takes_letters_for_a_segment_only_after_the_others)
