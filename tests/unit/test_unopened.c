/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "container/unopened.h"
#include "containers.h"

enum { SIZE = 1024 };

static struct containers_list open_file(const char *magic, const char *client, size_t size)
{
    uint8_t file[SIZE] = {0};

    memcpy(file, magic, 4);
    memcpy(file + 8, client, 2);
    return containers_open(&unopened_format_pst, file, size, false, NULL);
}

/* [MS-PST] 2.2.2.6: dwMagic, dwCRCPartial, wMagicClient. */
START_TEST(reported_but_not_opened)
{
    static const char *const clients[] = {"SM", "SO", "AB"};

    for (size_t i = 0; i < 3; i++) {
        struct containers_list list = open_file("!BDN", clients[i], SIZE);

        ck_assert(list.matches);
        ck_assert_uint_eq(list.count, 1);
        ck_assert_uint_eq(list.members[0].name.len, 0);
        ck_assert_str_eq(list.members[0].problem, "Outlook data files are not opened");
        ck_assert_str_eq(list.failure, "");
        containers_release(&list);
    }
}
END_TEST

START_TEST(what_is_no_pst)
{
    struct containers_list lists[] = {open_file("!BDN", "XX", SIZE), open_file("!bdn", "SM", SIZE),
                                      open_file("!BDN", "SM", 563)};

    for (size_t i = 0; i < 3; i++) {
        ck_assert(!lists[i].matches);
        containers_release(&lists[i]);
    }
}
END_TEST

/* A disk with a DOS partition table: one partition, type 0x83, from sector 2048 on. */
static void put_table(uint8_t *disk, uint32_t sectors)
{
    uint8_t *entry = disk + 446;

    entry[4] = 0x83;
    for (int i = 0; i < 4; i++) {
        entry[8 + i] = (uint8_t)(2048 >> 8 * i);
        entry[12 + i] = (uint8_t)((sectors - 2048) >> 8 * i);
    }
    disk[510] = 0x55;
    disk[511] = 0xaa;
}

static bool is_image(const uint8_t *file, size_t len)
{
    struct containers_list list = containers_open(&unopened_format_image, file, len, false, NULL);
    const bool matches = list.matches;

    if (matches) {
        ck_assert_uint_eq(list.count, 1);
        ck_assert_ptr_nonnull(strstr(list.members[0].problem, "evidence of their own"));
    }
    containers_release(&list);
    return matches;
}

START_TEST(disk_images)
{
    enum { LEN = 4 << 20 };
    uint8_t *file = calloc(1, LEN);

    ck_assert_ptr_nonnull(file);
    ck_assert(!is_image(file, LEN));
    put_table(file, LEN / 512);
    ck_assert(is_image(file, LEN));
    ck_assert(!is_image(file, 512)); /* a boot sector alone */
    memcpy(file + 32769, "CD001", 5);
    ck_assert(!is_image(file, LEN));
    memset(file, 0, 512);
    memcpy(file, "QFI\xfb\0\0\0\3", 8);
    ck_assert(is_image(file, LEN));
    memcpy(file, "EVF\x09\x0d\x0a\xff\0\1\1\0\0\0", 13);
    ck_assert(is_image(file, LEN));
    free(file);
}
END_TEST

/* Whether a path of its own reads it depends on the format. */
START_TEST(images_that_libraries_read)
{
    enum { LEN = 1 << 20 };
    static const char *const marks[] = {"QFI\xfb\0\0\0\3", "vhdxfile"};
    uint8_t *file = calloc(1, LEN);

    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < 2; i++) {
        struct containers_list list;

        memcpy(file, marks[i], 8);
        list = containers_open(&unopened_format_image, file, LEN, false, NULL);
        ck_assert_uint_eq(list.count, 1);
        ck_assert_int_eq(strcmp(list.members[0].problem, unopened_image_problem) == 0, i == 0);
        ck_assert_int_eq(strstr(list.members[0].problem, "(VHDX)") != NULL, i == 1);
        containers_release(&list);
    }
    free(file);
}
END_TEST

RUN_TESTS("unopened", reported_but_not_opened, what_is_no_pst, disk_images, images_that_libraries_read)
