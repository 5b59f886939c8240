/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TEST_TEXT_MEMBER_H
#define KITH_TEST_TEXT_MEMBER_H

#include <check.h>

#include "containers.h"

/* The only member is this text, all of which could be read.  Releases the list. */
static inline void text_member_check(struct containers_list *list, const char *expected)
{
    struct containers_member *text = list->members;

    ck_assert_str_eq(list->failure, "");
    ck_assert_uint_eq(list->count, 1);
    ck_assert_uint_eq(text->name.len, 4);
    ck_assert_mem_eq(text->name.data, "text", 4);
    ck_assert_str_eq(text->problem, "");
    ck_assert_str_eq(text->failure, "");
    buffer_add_char(&text->data, '\0');
    ck_assert_str_eq(text->data.data, expected);
    containers_release(list);
}

#endif
