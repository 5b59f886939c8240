/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_STORED_TWIN_H
#define KITH_STORED_TWIN_H

#include "faults.h"
#include "spoil.h"

/* Shared by the tests of sets and cases: a file and an error. */

static char folder[64], path[80];
static struct error err;

static const struct database_format *const stored_format; /* of the file */
static int verify_stored(void);                           /* gives the faults to take_fault */

/* Changes made by another program, with correct checksums. */
__attribute__((unused)) static void spoil(const char *sql)
{
    spoil_database(path, stored_format, sql);
}

__attribute__((unused)) static int64_t ask(const char *sql)
{
    return ask_database(path, stored_format, sql);
}

__attribute__((unused)) static int count_faults(void)
{
    begin_faults();
    return verify_stored();
}

__attribute__((unused)) static void assert_good(void)
{
    const int faults = count_faults();

    ck_assert_msg(faults == 0, "%d faults: %s", faults, faults < 0 ? err.text : first_fault);
}

#endif
