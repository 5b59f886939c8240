/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "container/pst.h"
#include "containers.h"

enum { SIZE = 1024 };

static struct containers_list open_file(const char *magic, const char *client, size_t size)
{
    uint8_t file[SIZE] = {0};

    memcpy(file, magic, 4);
    memcpy(file + 8, client, 2);
    return containers_open(&pst_format, file, size, false, NULL);
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

RUN_TESTS("pst", reported_but_not_opened, what_is_no_pst)
