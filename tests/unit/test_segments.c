/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "disk/segments.h"

/* ---- a folder for each test ---- */

static char folder[PATH_MAX];

static void make_folder(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/kith-segments-XXXXXX", tmp ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

/* The path of a name in the folder; valid until eight calls later. */
static const char *in_folder(const char *name)
{
    static char paths[8][PATH_MAX + NAME_MAX + 2];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void make_file(const char *name)
{
    const int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    ck_assert_msg(fd >= 0, "%s: %s", name, strerror(errno));
    close(fd);
}

/* Names with a space between them. */
static void make_files(const char *names)
{
    char copy[1024], *rest = copy, *name;

    snprintf(copy, sizeof copy, "%s", names);
    while ((name = strsep(&rest, " ")))
        make_file(name);
}

static void make_folder_of(const char *names)
{
    make_folder();
    make_files(names);
}

static void remove_file(const char *name)
{
    ck_assert_int_eq(unlink(in_folder(name)), 0);
}

static void empty_folder(void)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            ck_assert_int_eq(remove(in_folder(entry->d_name)), 0);
    closedir(dir);
}

static void remove_folder(void)
{
    empty_folder();
    ck_assert_int_eq(rmdir(folder), 0);
}

/* ---- what is found ---- */

static void assert_paths(const char *path, const char *const *wanted, size_t count)
{
    struct segments segments;
    struct error err = {""};

    ck_assert_msg(segments_find(&segments, path, &err) == 0, "%s: %s", path, err.text);
    ck_assert_msg(segments.count == count, "%s: %zu files, not %zu", path, segments.count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_str_eq(segments.paths[i], wanted[i]);
    segments_release(&segments);
    ck_assert_uint_eq(segments.count, 0);
}

/* Checks that the first of the names, separated by spaces, leads to all of them. */
static void assert_set(const char *names)
{
    char copy[1024], *rest = copy, *name;
    char *paths[64];
    size_t count = 0;

    snprintf(copy, sizeof copy, "%s", names);
    while ((name = strsep(&rest, " ")))
        paths[count++] = strdup(in_folder(name));
    assert_paths(paths[0], (const char *const *)paths, count);
    while (count > 0)
        free(paths[--count]);
}

static void assert_alone(const char *name)
{
    assert_set(name);
}

/* Makes the files, asks for the first one, and removes them. */
static void assert_found(const char *names)
{
    make_files(names);
    assert_set(names);
    empty_folder();
}

/* Checks that the name leads to an error which begins with the path of one file and, if other is given, names
 * that one. */
static void assert_refused(const char *name, const char *about, const char *other)
{
    struct segments segments;
    struct error err = {""};
    char start[PATH_MAX + NAME_MAX + 4];

    ck_assert_msg(segments_find(&segments, in_folder(name), &err) == -1, "%s: accepted", name);
    snprintf(start, sizeof start, "%s: ", in_folder(about));
    ck_assert_msg(strncmp(err.text, start, strlen(start)) == 0, "not about %s: %s", about, err.text);
    ck_assert_msg(!other || strstr(err.text, in_folder(other)), "does not name %s: %s", other, err.text);
    ck_assert_uint_eq(segments.count, 0);
    ck_assert_ptr_null(segments.paths);
    ck_assert_int_eq(segments_find(&segments, in_folder(name), NULL), -1);
}

/* ---- sets ---- */

START_TEST(numbers_of_two_to_five_digits_from_0_or_1_make_a_set)
{
    make_folder();
    assert_found("image.001 image.002 image.003");
    assert_found("image.000 image.001 image.002");
    assert_found("image.00 image.01");
    assert_found("image.01 image.02");
    assert_found("image.0001 image.0002");
    assert_found("image.00000 image.00001");
    assert_found("image.dd.001 image.dd.002 image.dd.003");
    assert_found("image.08.01 image.08.02");
    assert_found("a\nb\xff%n.01 a\nb\xff%n.02");
    assert_found(".001 .002");
    remove_folder();
}
END_TEST

START_TEST(two_or_three_letters_from_a_make_a_set)
{
    make_folder();
    assert_found("image.aa image.ab image.ac");
    assert_found("image.aaa image.aab");
    assert_found("image.dd.aa image.dd.ab");
    remove_folder();
}
END_TEST

START_TEST(letters_without_a_dot_make_a_set_if_the_next_is_there)
{
    make_folder();
    assert_found("xaa xab xac");
    assert_found("xaaa xaab");
    assert_found("image.ddaa image.ddab image.ddac");
    make_files("xaa xac");
    assert_alone("xaa");
    ck_assert_int_eq(mkdir(in_folder("xab"), 0755), 0);
    assert_alone("xaa");
    remove_folder();
}
END_TEST

START_TEST(numbers_and_letters_are_carried)
{
    make_folder_of("i.08 i.09 i.10");
    for (char c = 'a'; c <= 'z'; c++) {
        char name[8];

        snprintf(name, sizeof name, "x.a%c", c);
        make_file(name);
    }
    make_files("x.ba i.00 i.01 i.02 i.03 i.04 i.05 i.06 i.07 i.11");
    assert_set("i.00 i.01 i.02 i.03 i.04 i.05 i.06 i.07 i.08 i.09 i.10 i.11");
    assert_set(
        "x.aa x.ab x.ac x.ad x.ae x.af x.ag x.ah x.ai x.aj x.ak x.al x.am x.an x.ao x.ap x.aq x.ar x.as x.at "
        "x.au x.av x.aw x.ax x.ay x.az x.ba");
    remove_folder();
}
END_TEST

static void make_numbers(const char *stem, int width, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++) {
        char name[32];

        snprintf(name, sizeof name, "%s%0*u", stem, width, i);
        make_file(name);
    }
}

START_TEST(after_999_comes_1000)
{
    struct segments segments;
    struct error err;

    make_folder();
    make_numbers("i.", 3, 1, 1020);
    ck_assert_int_eq(segments_find(&segments, in_folder("i.001"), &err), 0);
    ck_assert_uint_eq(segments.count, 1020);
    ck_assert_str_eq(segments.paths[998], in_folder("i.999"));
    ck_assert_str_eq(segments.paths[1019], in_folder("i.1020"));
    segments_release(&segments);
    assert_refused("i.1003", "i.1003", "i.001");
    remove_file("i.1010");
    assert_refused("i.001", "i.1010", "i.1011");
    make_numbers("i.", 3, 1010, 1010);
    remove_file("i.1000");
    assert_refused("i.001", "i.1000", "i.1001");
    remove_folder();
}
END_TEST

START_TEST(names_of_another_width_or_stem_do_not_belong_to_the_set)
{
    make_folder_of(
        "image.001 image.002 image.03 image.0003 image.00003 other.003 image.2023 image.004x image.d3 "
        "image.log "
        "image IMAGE.003 image.dd.003 image.003.txt");
    assert_set("image.001 image.002");
    assert_alone("image.log");
    assert_alone("image.2023");
    assert_alone("image.0003");
    assert_alone("image");
    remove_folder();
}
END_TEST

START_TEST(other_files_with_letters_as_extension_do_not_belong_to_the_set)
{
    make_folder_of("image.aa image.ab image.gz image.md image.db image.txt image.log");
    assert_set("image.aa image.ab");
    assert_alone("image.gz");
    assert_alone("image.txt");
    make_files("disk.aaa disk.aab disk.txt disk.log disk.aa");
    assert_set("disk.aaa disk.aab");
    assert_alone("disk.log");
    assert_alone("disk.aa");
    remove_folder();
}
END_TEST

START_TEST(a_name_without_successors_stands_alone)
{
    make_folder_of(
        "image.001 b.aa xaa image.E01 image.E02 001 aa noext report.doc image.1 image.100000 image.002x .aa");
    assert_alone("image.001");
    assert_alone("b.aa");
    assert_alone("xaa");
    assert_alone("image.E01");
    assert_alone("001");
    assert_alone("aa");
    assert_alone("noext");
    assert_alone("report.doc");
    assert_alone("image.1");
    assert_alone("image.100000");
    make_files("002 ab image.2");
    assert_alone("001");
    assert_alone("aa");
    assert_alone("image.1");
    remove_folder();
}
END_TEST

START_TEST(what_is_not_a_file_stands_alone)
{
    const char *missing, *slash, *far;

    make_folder();
    missing = in_folder("missing.001");
    slash = in_folder("dir.001/");
    far = in_folder("no/image.001");
    ck_assert_int_eq(mkdir(in_folder("dir.001"), 0755), 0);
    make_files("dir.002 missing.002");
    assert_alone("dir.001");
    assert_paths(missing, &missing, 1);
    assert_paths(slash, &slash, 1);
    assert_paths(far, &far, 1);
    assert_paths("", &(const char *){""}, 1);
    assert_paths("/", &(const char *){"/"}, 1);
    assert_paths("/dev/null", &(const char *){"/dev/null"}, 1);
    remove_folder();
}
END_TEST

START_TEST(folders_with_such_names_are_not_segments)
{
    make_folder_of("image.001 image.002");
    ck_assert_int_eq(mkdir(in_folder("image.003"), 0755), 0);
    ck_assert_int_eq(mkdir(in_folder("image.005"), 0755), 0);
    assert_set("image.001 image.002");
    remove_folder();
}
END_TEST

START_TEST(links_to_files_are_segments)
{
    make_folder_of("one two");
    ck_assert_int_eq(symlink("one", in_folder("image.001")), 0);
    ck_assert_int_eq(symlink("two", in_folder("image.002")), 0);
    assert_set("image.001 image.002");
    ck_assert_int_eq(symlink(".", in_folder("image.003")), 0);
    assert_set("image.001 image.002");
    remove_folder();
}
END_TEST

START_TEST(a_dangling_link_does_not_end_a_set)
{
    make_folder();
    make_file("image.001");
    ck_assert_int_eq(symlink("nowhere", in_folder("image.002")), 0);
    assert_set("image.001 image.002");
    remove_folder();
}
END_TEST

START_TEST(paths_are_kept_as_given)
{
    const char *const here[] = {"image.001", "image.002"}, *const dotted[] = {"./image.001", "./image.002"};

    make_folder_of("image.001 image.002");
    ck_assert_int_eq(chdir(folder), 0);
    assert_paths(here[0], here, 2);
    assert_paths(dotted[0], dotted, 2);
    ck_assert_int_eq(chdir("/"), 0);
    remove_folder();
}
END_TEST

START_TEST(names_of_the_maximum_length_make_a_set)
{
    char first[NAME_MAX + 1], second[NAME_MAX + 1];
    const char *paths[2];

    make_folder();
    memset(first, 'n', NAME_MAX);
    strcpy(first + NAME_MAX - 4, ".001");
    memcpy(second, first, sizeof second);
    second[NAME_MAX - 1] = '2';
    paths[0] = in_folder(first);
    paths[1] = in_folder(second);
    make_file(first);
    make_file(second);
    assert_paths(paths[0], paths, 2);
    assert_refused(second, second, first);
    remove_folder();
}
END_TEST

START_TEST(paths_longer_than_the_system_limit_make_a_set)
{
    char *paths[2] = {malloc(3 * PATH_MAX), malloc(3 * PATH_MAX)};
    size_t len;

    make_folder();
    len = strlen(folder);
    make_files("image.001 image.002");
    for (int i = 0; i < 2; i++) {
        memcpy(paths[i], folder, len);
        for (size_t at = len; at < 2 * PATH_MAX; at += 2)
            memcpy(paths[i] + at, "/.", 3);
        strcat(paths[i], i ? "/image.002" : "/image.001");
    }
    assert_paths(paths[0], (const char *const *)paths, 2);
    free(paths[0]);
    free(paths[1]);
    remove_folder();
}
END_TEST

/* ---- errors ---- */

START_TEST(a_later_segment_is_refused_with_the_name_of_the_first)
{
    static const char *const later[][2] = {{"image.002", "image.001"},
                                           {"image.003", "image.001"},
                                           {"zero.001", "zero.000"},
                                           {"x.ab", "x.aa"},
                                           {"x.ac", "x.aa"},
                                           {"yab", "yaa"},
                                           {"yac", "yaa"}};

    make_folder_of("image.001 image.002 image.003 zero.000 zero.001 x.aa x.ab x.ac yaa yab yac");
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        assert_refused(later[i][0], later[i][0], later[i][1]);
    remove_file("image.002");
    assert_refused("image.003", "image.003", "image.001");
    remove_folder();
}
END_TEST

START_TEST(a_later_segment_without_the_first_stands_alone)
{
    make_folder_of("image.002 image.003 x.ab x.ac yab yac");
    assert_alone("image.002");
    assert_alone("x.ab");
    assert_alone("yab");
    remove_folder();
}
END_TEST

START_TEST(a_missing_segment_is_an_error_that_names_it)
{
    make_folder_of("image.001 image.002 image.004 far.00001 far.99999 zero.000 zero.002 x.aa x.ab x.ad y.aaa "
                   "y.baa y.bab");
    assert_refused("image.001", "image.003", "image.004");
    assert_refused("far.00001", "far.00002", "far.99999");
    assert_refused("zero.000", "zero.001", "zero.002");
    assert_refused("x.aa", "x.ac", "x.ad");
    assert_refused("y.aaa", "y.aab", "y.baa");
    make_file("image.003");
    assert_set("image.001 image.002 image.003 image.004");
    remove_folder();
}
END_TEST

START_TEST(a_set_that_continues_with_longer_names_is_refused)
{
    char name[8];

    make_folder();
    make_numbers("n.", 2, 0, 89);
    make_file("n.9000");
    assert_refused("n.00", "n.9000", NULL);
    for (unsigned i = 0; i < 25 * 26; i++) {
        snprintf(name, sizeof name, "x%c%c", 'a' + i / 26, 'a' + i % 26);
        make_file(name);
    }
    make_file("xzaaa");
    assert_refused("xaa", "xzaaa", NULL);
    remove_file("xyz");
    make_file("xyzz");
    assert_refused("xab", "xab", "xaa");
    remove_folder();
}
END_TEST

START_TEST(a_single_file_does_not_need_a_readable_folder)
{
    struct segments segments;
    struct error err = {""};
    const char *path;

    make_folder();
    path = in_folder("image.001");
    if (geteuid() == 0 && seteuid(65534)) /* root reads everything */
        return;
    if (geteuid() == 65534) {
        ck_assert_int_eq(seteuid(0), 0);
        ck_assert_int_eq(chown(folder, 65534, (gid_t)-1), 0);
        ck_assert_int_eq(seteuid(65534), 0);
    }
    make_file("image.001");
    ck_assert_int_eq(chmod(folder, 0300), 0);
    assert_paths(path, &path, 1);
    make_file("image.002");
    ck_assert_int_eq(segments_find(&segments, path, &err), -1);
    ck_assert_msg(strstr(err.text, strerror(EACCES)), "%s", err.text);
    ck_assert_msg(strncmp(err.text, folder, strlen(folder)) == 0, "%s", err.text);
    ck_assert_int_eq(chmod(folder, 0700), 0);
    if (getuid() == 0)
        ck_assert_int_eq(seteuid(0), 0);
    remove_folder();
}
END_TEST

RUN_TESTS("segments", numbers_of_two_to_five_digits_from_0_or_1_make_a_set,
          two_or_three_letters_from_a_make_a_set, letters_without_a_dot_make_a_set_if_the_next_is_there,
          numbers_and_letters_are_carried, after_999_comes_1000,
          names_of_another_width_or_stem_do_not_belong_to_the_set,
          other_files_with_letters_as_extension_do_not_belong_to_the_set,
          a_name_without_successors_stands_alone, what_is_not_a_file_stands_alone,
          folders_with_such_names_are_not_segments, links_to_files_are_segments,
          a_dangling_link_does_not_end_a_set, paths_are_kept_as_given, names_of_the_maximum_length_make_a_set,
          paths_longer_than_the_system_limit_make_a_set,
          a_later_segment_is_refused_with_the_name_of_the_first,
          a_later_segment_without_the_first_stands_alone, a_missing_segment_is_an_error_that_names_it,
          a_set_that_continues_with_longer_names_is_refused, a_single_file_does_not_need_a_readable_folder)
