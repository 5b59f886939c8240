/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "extract_inner.h"

static char folder[] = "/tmp/test_extract_file_XXXXXX";
static struct extract extract;

static void begin(void)
{
    memcpy(strrchr(folder, '_') + 1, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    extract = (struct extract){.folder = folder, .fd = open(folder, O_RDONLY | O_DIRECTORY)};
    ck_assert_int_ge(extract.fd, 0);
}

static void end(void)
{
    close(extract.fd);
    ck_assert_int_eq(rmdir(folder), 0);
}

static bool is_there(const char *name)
{
    struct stat status;

    return fstatat(extract.fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* What another program puts into the folder meanwhile is neither overwritten nor removed. */
START_TEST(a_file_of_someone_else_stays)
{
    struct extract_file file = {.len = 1, .fd = -1};

    begin();
    ck_assert_int_eq(symlinkat("/etc/hostname", extract.fd, "1-name"), 0);
    ck_assert_int_eq(extract_file_open(&file, &extract, strdup("1-name")), -1);
    ck_assert(extract.failed);
    extract_file_remove(&file);
    ck_assert(is_there("1-name"));
    unlinkat(extract.fd, "1-name", 0);
    end();
}
END_TEST

START_TEST(what_was_made_is_removed_before_and_after_it_is_finished)
{
    for (int finished = 0; finished < 2; finished++) {
        struct extract_file file = {.len = 5, .fd = -1};

        begin();
        ck_assert_int_eq(extract_file_open(&file, &extract, strdup("1-name")), 0);
        ck_assert_int_eq(extract_file_add(&file, "bytes", 5), 0);
        if (finished)
            ck_assert_int_eq(extract_file_finish(&file), 0);
        ck_assert(is_there("1-name"));
        extract_file_remove(&file);
        ck_assert(!is_there("1-name"));
        end();
    }
}
END_TEST

RUN_TESTS("extract_file", a_file_of_someone_else_stays,
          what_was_made_is_removed_before_and_after_it_is_finished)
