/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SPOIL_H
#define KITH_SPOIL_H

#include "check_main.h"
#include "database/database.h"
#include "database/statement.h"

/* Changes made to a database by another program, and queries of it; the page checksums stay correct. */

static inline void spoil_database(const char *path, const struct database_format *format, const char *sql)
{
    struct error err = {""};
    struct database *database = database_open(path, DATABASE_WRITE, format, &err);

    ck_assert_msg(database != NULL, "%s", err.text);
    ck_assert_msg(database_run(database, sql, &err) == 0, "%s: %s", sql, err.text);
    ck_assert_int_eq(database_close(database, &err), 0);
}

static inline int64_t ask_database(const char *path, const struct database_format *format, const char *sql)
{
    struct error err = {""};
    struct database *database = database_open(path, DATABASE_READ, format, &err);
    struct statement *row;
    int64_t number;

    ck_assert_msg(database != NULL, "%s", err.text);
    row = database_prepare(database, sql, &err);
    ck_assert_msg(row && statement_step(row, &err) == 1, "%s: %s", sql, err.text);
    ck_assert(statement_number(row, 0, &number));
    statement_free(row);
    database_close(database, NULL);
    return number;
}

#endif
