/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/walk.h"
#include "check_main.h"

enum {
    DEEP_LEVELS = 60,
    DEEP_NAME_LEN = 200,
    SECONDS_OF_A_HANG = 60, /* an alarm ends a test that would wait for ever */
};

/* ---- a folder for each test ---- */

static char folder[PATH_MAX];
static int folder_fd;

static void make_folder(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/kith-walk-XXXXXX", tmp ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_ge(folder_fd, 0);
}

/* Empties the folder, step by step, so that its paths may be of any length; closes at. */
static void empty_folder(int at)
{
    DIR *dir = fdopendir(at);
    struct dirent *entry;

    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(at, entry->d_name, 0) == 0)
            continue;
        empty_folder(openat(at, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        ck_assert_int_eq(unlinkat(at, entry->d_name, AT_REMOVEDIR), 0);
    }
    closedir(dir);
}

static void remove_folder(void)
{
    empty_folder(folder_fd);
    ck_assert_int_eq(rmdir(folder), 0);
}

static void make_dir(const char *path)
{
    ck_assert_int_eq(mkdirat(folder_fd, path, 0755), 0);
}

static void make_node(const char *path, mode_t type)
{
    ck_assert_int_eq(mknodat(folder_fd, path, type | 0644, 0), 0);
}

static void make_file(const char *path)
{
    make_node(path, S_IFREG);
}

static void make_link(const char *target, const char *path)
{
    ck_assert_int_eq(symlinkat(target, folder_fd, path), 0);
}

/* ---- items of a walk ---- */

struct wanted {
    enum walk_result result;
    mode_t mode;
    const char *path; /* below the folder */
};

static struct walk *start(const char *path)
{
    struct error err;
    struct walk *walk = walk_new(path, &err);

    ck_assert_ptr_nonnull(walk);
    return walk;
}

/* The path of the folder and, below it, this one. */
static const char *below(const char *path)
{
    static char joined[2 * PATH_MAX];

    snprintf(joined, sizeof joined, "%s/%s", folder, path);
    return joined;
}

static void assert_next(struct walk *walk, const struct wanted *wanted)
{
    struct walk_item item = {0};
    struct error err = {""};
    enum walk_result result = walk_next(walk, &item, &err);

    ck_assert_msg(result == wanted->result, "%s: %d instead of %d", wanted->path, result, wanted->result);
    ck_assert_str_eq(item.path, below(wanted->path));
    if (result == WALK_ERROR)
        ck_assert_msg(strstr(err.text, item.path), "%s: not named by '%s'", item.path, err.text);
    else
        ck_assert_uint_eq(item.mode, wanted->mode);
}

static void assert_end(struct walk *walk)
{
    struct walk_item item;
    struct error err;

    ck_assert_int_eq(walk_next(walk, &item, &err), WALK_END);
    ck_assert_int_eq(walk_next(walk, &item, &err), WALK_END);
    walk_free(walk);
}

static void assert_walk(const char *path, const struct wanted *wanted, size_t count)
{
    struct walk *walk = start(path);

    for (size_t i = 0; i < count; i++)
        assert_next(walk, &wanted[i]);
    assert_end(walk);
}

#define ASSERT_WALK(...)                                                                                     \
    do {                                                                                                     \
        const struct wanted wanted_items[] = {__VA_ARGS__};                                                  \
        assert_walk(folder, wanted_items, sizeof wanted_items / sizeof *wanted_items);                       \
    } while (0)

/* ---- the order ---- */

START_TEST(an_empty_folder_has_no_items)
{
    make_folder();
    assert_end(start(folder));
    make_dir("empty");
    make_dir("empty/too");
    assert_end(start(folder));
    remove_folder();
}
END_TEST

START_TEST(names_come_sorted_at_each_level)
{
    make_folder();
    make_file("b.txt");
    make_dir("b");
    make_dir("b/z");
    make_file("b/z/9");
    make_file("b/z/10");
    make_file("b/y");
    make_file("a");
    make_file("B");
    make_file("b-c");
    make_dir("c");
    make_file("c/a");
    make_file("d");
    ASSERT_WALK({WALK_FILE, S_IFREG, "B"}, {WALK_FILE, S_IFREG, "a"}, {WALK_FILE, S_IFREG, "b/y"},
                {WALK_FILE, S_IFREG, "b/z/10"}, {WALK_FILE, S_IFREG, "b/z/9"}, {WALK_FILE, S_IFREG, "b-c"},
                {WALK_FILE, S_IFREG, "b.txt"}, {WALK_FILE, S_IFREG, "c/a"}, {WALK_FILE, S_IFREG, "d"});
    remove_folder();
}
END_TEST

START_TEST(names_with_any_byte_are_sorted_bytewise)
{
    struct walk *walk;

    make_folder();
    for (int byte = 255; byte > 0; byte--)
        if (byte != '/' && byte != '.')
            make_file((char[]){(char)byte, '\0'});
    walk = start(folder);
    for (int byte = 1; byte < 256; byte++)
        if (byte != '/' && byte != '.')
            assert_next(walk, &(struct wanted){WALK_FILE, S_IFREG, (char[]){(char)byte, '\0'}});
    assert_end(walk);
    remove_folder();
}
END_TEST

START_TEST(many_files_come_once_each_and_in_order)
{
    enum { FILES = 2000, STEP = 1237 };
    struct walk *walk;
    char name[16];

    make_folder();
    for (int i = 0; i < FILES; i++) { /* in an order that depends on STEP, a prime */
        snprintf(name, sizeof name, "%08d", i * STEP % FILES);
        make_file(name);
    }
    walk = start(folder);
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "%08d", i);
        assert_next(walk, &(struct wanted){WALK_FILE, S_IFREG, name});
    }
    assert_end(walk);
    remove_folder();
}
END_TEST

START_TEST(names_are_taken_as_they_are)
{
    make_folder();
    make_file("a\nb");
    make_dir("\xff\xfe");
    make_file("\xff\xfe/\xc0\x80");
    make_file("-rf");
    make_file("...");
    make_file("\\x41 \x1b[2J");
    make_dir(" ");
    make_file(" / ");
    ASSERT_WALK({WALK_FILE, S_IFREG, " / "}, {WALK_FILE, S_IFREG, "-rf"}, {WALK_FILE, S_IFREG, "..."},
                {WALK_FILE, S_IFREG, "\\x41 \x1b[2J"}, {WALK_FILE, S_IFREG, "a\nb"},
                {WALK_FILE, S_IFREG, "\xff\xfe/\xc0\x80"});
    remove_folder();
}
END_TEST

START_TEST(a_trailing_slash_of_the_folder_is_not_doubled)
{
    make_folder();
    make_file("a");
    assert_walk(below(""), &(struct wanted){WALK_FILE, S_IFREG, "a"}, 1);
    remove_folder();
}
END_TEST

START_TEST(a_walk_can_be_abandoned_at_any_item)
{
    make_folder();
    make_dir("a");
    make_dir("a/b");
    make_file("a/b/c");
    make_file("a/d");
    make_file("e");
    for (int items = 0; items < 4; items++) {
        struct walk *walk = start(folder);
        struct walk_item item;
        struct error err;

        for (int i = 0; i < items; i++)
            walk_next(walk, &item, &err);
        walk_free(walk);
    }
    walk_free(NULL);
    remove_folder();
}
END_TEST

/* ---- what is no file ---- */

START_TEST(links_are_reported_but_not_followed)
{
    make_folder();
    make_dir("dir");
    make_file("dir/file");
    make_link("dir", "to-dir");
    make_link("dir/file", "to-file");
    make_link("nowhere", "to-nothing");
    make_link("to-itself", "to-itself");
    make_link("..", "dir/up");
    make_link("/", "to-root");
    ASSERT_WALK({WALK_FILE, S_IFREG, "dir/file"}, {WALK_LINK, S_IFLNK, "dir/up"},
                {WALK_LINK, S_IFLNK, "to-dir"}, {WALK_LINK, S_IFLNK, "to-file"},
                {WALK_LINK, S_IFLNK, "to-itself"}, {WALK_LINK, S_IFLNK, "to-nothing"},
                {WALK_LINK, S_IFLNK, "to-root"});
    remove_folder();
}
END_TEST

START_TEST(a_link_named_by_the_user_as_the_folder_is_followed)
{
    make_folder();
    make_dir("dir");
    make_file("dir/file");
    make_link("dir", "link");
    assert_walk(below("link"), &(struct wanted){WALK_FILE, S_IFREG, "link/file"}, 1);
    remove_folder();
}
END_TEST

START_TEST(fifos_and_sockets_are_special)
{
    make_folder();
    make_node("fifo", S_IFIFO);
    make_node("socket", S_IFSOCK);
    make_file("file");
    ASSERT_WALK({WALK_SPECIAL, S_IFIFO, "fifo"}, {WALK_FILE, S_IFREG, "file"},
                {WALK_SPECIAL, S_IFSOCK, "socket"});
    remove_folder();
}
END_TEST

START_TEST(every_kind_has_its_own_name)
{
    static const mode_t types[] = {S_IFIFO, S_IFCHR, S_IFBLK, S_IFSOCK, S_IFDIR, S_IFLNK, S_IFREG, 0};

    ck_assert_str_eq(walk_kind(S_IFIFO), "a FIFO");
    ck_assert_str_eq(walk_kind(S_IFCHR), "a character device");
    ck_assert_str_eq(walk_kind(S_IFBLK), "a block device");
    ck_assert_ptr_nonnull(strstr(walk_kind(S_IFSOCK), "socket"));
    ck_assert_ptr_nonnull(strstr(walk_kind(S_IFLNK), "link"));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        ck_assert_str_eq(walk_kind(types[i] | 07777), walk_kind(types[i])); /* only the type counts */
        for (size_t j = 0; j < i; j++)
            ck_assert_str_ne(walk_kind(types[i]), walk_kind(types[j]));
    }
}
END_TEST

/* ---- errors ---- */

START_TEST(a_folder_that_is_missing_or_not_a_folder_is_an_error)
{
    static const char *const names[] = {"missing", "file", "to-nothing"};

    make_folder();
    make_file("file");
    make_link("nowhere", "to-nothing");
    for (size_t i = 0; i < 3; i++) {
        struct walk *walk = start(below(names[i]));

        assert_next(walk, &(struct wanted){WALK_ERROR, 0, names[i]});
        assert_end(walk);
    }
    remove_folder();
}
END_TEST

START_TEST(a_folder_that_vanishes_is_an_error_and_the_walk_continues)
{
    struct walk *walk;

    make_folder();
    make_file("a");
    make_dir("b");
    make_file("c");
    walk = start(folder);
    assert_next(walk, &(struct wanted){WALK_FILE, S_IFREG, "a"});
    ck_assert_int_eq(unlinkat(folder_fd, "b", AT_REMOVEDIR), 0); /* its name was read already */
    assert_next(walk, &(struct wanted){WALK_ERROR, 0, "b"});
    assert_next(walk, &(struct wanted){WALK_FILE, S_IFREG, "c"});
    assert_end(walk);
    remove_folder();
}
END_TEST

START_TEST(a_folder_that_becomes_a_link_is_not_entered)
{
    struct walk *walk;

    make_folder();
    make_dir("a");
    make_file("a/1");
    make_dir("a/b");
    make_dir("a/b/old");
    make_dir("other");
    make_file("other/secret");
    walk = start(folder);
    assert_next(walk, &(struct wanted){WALK_FILE, S_IFREG, "a/1"});
    ck_assert_int_eq(renameat(folder_fd, "a/b", folder_fd, "moved"), 0);
    make_link("../other", "a/b");
    assert_next(walk, &(struct wanted){WALK_ERROR, 0, "a/b"});
    assert_next(walk, &(struct wanted){WALK_FILE, S_IFREG, "other/secret"});
    assert_end(walk);
    remove_folder();
}
END_TEST

/* Root may read everything, so this switches to another user; returns false if that fails. */
static bool give_up_privileges(void)
{
    const uid_t nobody = 65534;

    if (geteuid() != 0)
        return true;
    if (fchmod(folder_fd, 0755) || seteuid(nobody))
        return false;
    return faccessat(AT_FDCWD, folder, R_OK | X_OK, AT_EACCESS) == 0;
}

START_TEST(an_unreadable_folder_is_an_error_and_the_walk_continues)
{
    make_folder();
    make_dir("a");
    make_file("a/1");
    make_dir("b");
    make_file("b/hidden");
    make_dir("c");
    make_file("c/2");
    ck_assert_int_eq(fchmodat(folder_fd, "b", 0, 0), 0);
    if (give_up_privileges())
        ASSERT_WALK({WALK_FILE, S_IFREG, "a/1"}, {WALK_ERROR, 0, "b"}, {WALK_FILE, S_IFREG, "c/2"});
    ck_assert_int_eq(seteuid(getuid()), 0);
    ck_assert_int_eq(prctl(PR_SET_DUMPABLE, 1), 0); /* or the leak sanitizer may not look at this process */
    ck_assert_int_eq(fchmodat(folder_fd, "b", 0755, 0), 0);
    remove_folder();
}
END_TEST

/* ---- long paths and opening ---- */

/* Makes folder upon folder; the path of the innermost one, with a slash, is added to path. */
static int make_deep(struct buffer *path)
{
    char name[DEEP_NAME_LEN + 1] = "";
    int at = dup(folder_fd);

    buffer_add_text(path, folder);
    buffer_add_char(path, '/');
    for (int level = 0; level < DEEP_LEVELS; level++) {
        int inner;

        memset(name, 'a' + level % 26, DEEP_NAME_LEN);
        ck_assert_int_eq(mkdirat(at, name, 0755), 0);
        inner = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        ck_assert_int_ge(inner, 0);
        close(at);
        at = inner;
        buffer_add_text(path, name);
        buffer_add_char(path, '/');
    }
    return at;
}

static void assert_content(int fd, const char *wanted)
{
    char text[64] = "";

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(read(fd, text, sizeof text - 1), (ssize_t)strlen(wanted));
    ck_assert_str_eq(text, wanted);
    close(fd);
}

static void write_file(int at, const char *name, const char *content)
{
    int fd = openat(at, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, content, strlen(content)), (ssize_t)strlen(content));
    close(fd);
}

START_TEST(a_file_deeper_than_path_max_is_found_and_opened)
{
    struct buffer path = {0};
    struct walk_item item;
    struct error err;
    struct walk *walk;
    int at;

    make_folder();
    at = make_deep(&path);
    write_file(at, "leaf", "from the deep");
    close(at);
    buffer_add(&path, "leaf", 5);
    ck_assert_uint_gt(path.len, 2 * PATH_MAX);
    walk = start(folder);
    ck_assert_int_eq(walk_next(walk, &item, &err), WALK_FILE);
    ck_assert_str_eq(item.path, path.data);
    assert_content(walk_open(item.path, 0), "from the deep");
    assert_end(walk);
    ck_assert_int_eq(walk_open(path.data, O_DIRECTORY), -1);
    ck_assert_int_eq(errno, ENOTDIR);
    path.data[path.len - 2] = 'x';
    ck_assert_int_eq(walk_open(path.data, 0), -1);
    ck_assert_int_eq(errno, ENOENT);
    buffer_release(&path);
    remove_folder();
}
END_TEST

/* "FOLDER/././...END", `len` bytes long before END. */
static void make_long_path(struct buffer *path, size_t len, const char *end)
{
    buffer_reset(path);
    buffer_add_text(path, folder);
    if ((len - path->len) % 2)
        buffer_add_char(path, '/');
    while (path->len < len)
        buffer_add_text(path, "/.");
    buffer_add(path, end, strlen(end) + 1);
}

/* Every place at which a path could be cut is tried. */
static void assert_all_lead_to_it(const char *end)
{
    struct buffer path = {0};

    for (size_t len = PATH_MAX - 40; len < PATH_MAX + 40; len++) {
        make_long_path(&path, len, end);
        assert_content(walk_open(path.data, 0), "here");
    }
    buffer_release(&path);
}

START_TEST(a_path_of_any_length_opens_its_file)
{
    make_folder();
    write_file(folder_fd, "leaf", "here");
    assert_all_lead_to_it("/leaf");
    remove_folder();
}
END_TEST

/* "x//y" is "x/y" wherever it stands, so what follows a cut must not be taken for a path from the root. */
START_TEST(double_slashes_in_long_paths_do_not_lead_to_the_root)
{
    make_folder();
    make_dir("tmp");
    write_file(folder_fd, "tmp/leaf", "here");
    assert_all_lead_to_it("//tmp///leaf");
    remove_folder();
}
END_TEST

START_TEST(a_long_path_may_end_with_slashes)
{
    struct buffer path = {0};

    make_folder();
    for (size_t len = PATH_MAX - 10; len < PATH_MAX + 10; len++) {
        int fd;

        buffer_reset(&path);
        buffer_add_text(&path, folder);
        while (path.len < len)
            buffer_add_char(&path, '/');
        buffer_add(&path, "/", 2);
        fd = walk_open(path.data, O_DIRECTORY);
        ck_assert_msg(fd >= 0, "%zu bytes: %s", path.len - 1, strerror(errno));
        close(fd);
    }
    buffer_release(&path);
    remove_folder();
}
END_TEST

START_TEST(an_overlong_name_is_an_error)
{
    static char name[3 * PATH_MAX];

    memset(name, 'x', sizeof name - 1);
    ck_assert_int_eq(walk_open(name, 0), -1);
    ck_assert_int_eq(errno, ENAMETOOLONG);
    name[0] = '/';
    ck_assert_int_eq(walk_open(name, 0), -1);
    ck_assert_int_eq(errno, ENAMETOOLONG);
    ck_assert_int_eq(walk_open("", 0), -1);
    ck_assert_int_eq(errno, ENOENT);
}
END_TEST

START_TEST(opening_a_fifo_does_not_wait_for_its_writer)
{
    int fd;

    make_folder();
    make_node("fifo", S_IFIFO);
    alarm(SECONDS_OF_A_HANG);
    fd = walk_open(below("fifo"), 0);
    alarm(0);
    ck_assert_int_ge(fd, 0);
    close(fd);
    remove_folder();
}
END_TEST

START_TEST(opening_accepts_more_flags_and_is_not_inherited)
{
    int fd;

    make_folder();
    make_file("file");
    make_link("file", "link");
    ck_assert_int_eq(walk_open(below("link"), O_NOFOLLOW), -1);
    ck_assert_int_eq(errno, ELOOP);
    fd = walk_open(below("link"), 0);
    ck_assert_int_ge(fd, 0);
    ck_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    ck_assert_int_eq(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
    close(fd);
    remove_folder();
}
END_TEST

START_TEST(reading_leaves_the_access_time_alone)
{
    const struct timespec times[2] = {{1000000000, 0},
                                      {1500000000, 0}}; /* older than the change: reading would set it */
    struct stat st;

    make_folder();
    write_file(folder_fd, "file", "text");
    ck_assert_int_eq(utimensat(folder_fd, "file", times, 0), 0);
    ck_assert_int_eq(utimensat(folder_fd, ".", times, 0), 0);
    assert_content(walk_open(below("file"), 0), "text");
    ASSERT_WALK({WALK_FILE, S_IFREG, "file"});
    ck_assert_int_eq(fstatat(folder_fd, "file", &st, 0), 0);
    ck_assert_int_eq(st.st_atim.tv_sec, 1000000000);
    ck_assert_int_eq(fstat(folder_fd, &st), 0);
    ck_assert_int_eq(st.st_atim.tv_sec, 1000000000);
    remove_folder();
}
END_TEST

START_TEST(no_descriptor_stays_open)
{
    int before, after;

    make_folder();
    make_dir("a");
    make_dir("a/b");
    make_file("a/b/c");
    make_link("nowhere", "to-nothing");
    before = dup(folder_fd);
    close(before);
    ASSERT_WALK({WALK_FILE, S_IFREG, "a/b/c"}, {WALK_LINK, S_IFLNK, "to-nothing"});
    ck_assert_int_eq(walk_open(below("missing"), 0), -1);
    after = dup(folder_fd);
    close(after);
    ck_assert_int_eq(after, before);
    remove_folder();
}
END_TEST

RUN_TESTS("walk", an_empty_folder_has_no_items, names_come_sorted_at_each_level,
          names_with_any_byte_are_sorted_bytewise, many_files_come_once_each_and_in_order,
          names_are_taken_as_they_are, a_trailing_slash_of_the_folder_is_not_doubled,
          a_walk_can_be_abandoned_at_any_item, links_are_reported_but_not_followed,
          a_link_named_by_the_user_as_the_folder_is_followed, fifos_and_sockets_are_special,
          every_kind_has_its_own_name, a_folder_that_is_missing_or_not_a_folder_is_an_error,
          a_folder_that_vanishes_is_an_error_and_the_walk_continues,
          a_folder_that_becomes_a_link_is_not_entered,
          an_unreadable_folder_is_an_error_and_the_walk_continues,
          a_file_deeper_than_path_max_is_found_and_opened, a_path_of_any_length_opens_its_file,
          double_slashes_in_long_paths_do_not_lead_to_the_root, a_long_path_may_end_with_slashes,
          an_overlong_name_is_an_error, opening_a_fifo_does_not_wait_for_its_writer,
          opening_accepts_more_flags_and_is_not_inherited, reading_leaves_the_access_time_alone,
          no_descriptor_stays_open)
