/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_NAMED_H
#define KITH_NAMED_H

#include <stdio.h>
#include <string.h>

#include "check_main.h"

/* Checks that an enum value is found by its name, which need not be terminated, and by no other. */
static inline void assert_named(int value, const char *name, int (*find)(const char *name, size_t len))
{
    char longer[64];

    ck_assert_int_eq(find(name, strlen(name)), value);
    snprintf(longer, sizeof longer, "%ss", name);
    ck_assert_int_eq(find(longer, strlen(name)), value);
    ck_assert_int_eq(find(longer, strlen(longer)), -1);
    ck_assert_int_eq(find(name, strlen(name) - 1), -1);
    ck_assert_int_eq(find("", 0), -1);
}

#endif
