/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FUZZ_STORED_H
#define KITH_FUZZ_STORED_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "database/database.h"

/*
 * Shared by the fuzzers of databases: a valid database, made once and kept in memory, that is restored for
 * each input, and the changes that the input asks for.  The pages get correct checksums, as an attacker's
 * would.
 */

static char path[64];
static uint8_t *good;
static size_t good_len;

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* ---- the valid database ---- */

/* In memory if possible. */
static void choose_path(const char *name)
{
    snprintf(path, sizeof path, "%s/%s.%ld", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", name,
             (long)getpid());
    unlink(path);
}

static void clear_up(void)
{
    unlink(path);
    free(good);
}

/* Keeps what the file holds now. */
static void keep_good(void)
{
    const int fd = open(path, O_RDONLY);
    struct stat status;

    require(fd >= 0 && fstat(fd, &status) == 0);
    good_len = (size_t)status.st_size;
    good = malloc(good_len);
    require(good && read(fd, good, good_len) == (ssize_t)good_len);
    close(fd);
    atexit(clear_up);
}

static void restore_good(void)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    require(fd >= 0 && write(fd, good, good_len) == (ssize_t)good_len);
    close(fd);
}

/* ---- changes: a byte for the column, one for the row, one for how many bytes follow, and these ---- */

enum column_type { BLOB, TEXT, NUMBER, REAL };

enum { MOST_COLUMNS = 16 };

/* Columns of a table, ended by NULL as a list of such is. */
struct columns {
    const char *table;
    enum column_type type;
    const char *names[MOST_COLUMNS + 1];
};

struct column {
    const char *table, *name;
    enum column_type type;
};

/* A database, and the actions on it. */
struct stored {
    const struct database_format *format;
    const struct columns *columns; /* that may be changed, */
    unsigned rows;                 /* in that many rows of their tables */
    void (*set_up)(void);
    void (*use)(unsigned what);
    unsigned all; /* uses */
};

static size_t count_columns(const struct columns *columns)
{
    size_t count = 0;

    for (; columns->table; columns++)
        for (const char *const *name = columns->names; *name; name++)
            count++;
    return count;
}

/* One of all of them. */
static struct column nth_column(const struct columns *columns, size_t number)
{
    for (;; columns++)
        for (const char *const *name = columns->names; *name; name++)
            if (number-- == 0)
                return (struct column){columns->table, *name, columns->type};
}

/* Tables without rowids are handled differently. */
static const char *key_of(const struct column *column)
{
    static const char *const keys[][2] = {{"finding", "class, object, rank"},
                                          {"place", "refset, file, start, object, rank"},
                                          {"twin", "object, rank"},
                                          {"score", "object, rank"}};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(column->table, keys[i][0]) == 0)
            return keys[i][1];
    return "rowid";
}

static void change(struct database *database, const struct column *column, unsigned row, const uint8_t *data,
                   size_t len)
{
    const char *key = key_of(column);
    struct statement *statement;
    uint8_t number[8] = {0};
    int64_t value;
    double real;
    char sql[300];

    snprintf(sql, sizeof sql,
             "UPDATE OR IGNORE %s SET %s = ?1 WHERE (%s) = (SELECT %s FROM %s LIMIT 1 OFFSET %u)",
             column->table, column->name, key, key, column->table, row);
    statement = database_prepare(database, sql, NULL);
    require(statement);
    memcpy(number, data, len < 8 ? len : 8);
    memcpy(&value, number, 8);
    memcpy(&real, number, 8);
    if (column->type == BLOB)
        statement_bind_bytes(statement, 1, data, len);
    else if (column->type == TEXT)
        statement_bind_text(statement, 1, (const char *)data, len);
    else if (column->type == NUMBER)
        statement_bind_number(statement, 1, value);
    else
        statement_bind_real(statement, 1, real);
    statement_run(statement, NULL);
    statement_free(statement);
}

/* Restores the valid database, with the changes that data lists. */
static void store_changed(const struct stored *stored, const uint8_t *data, size_t size)
{
    const size_t count = count_columns(stored->columns);
    struct database *database;

    restore_good();
    database = database_open(path, DATABASE_WRITE, stored->format, NULL);
    require(database);
    database_begin(database, NULL);
    while (size >= 3) {
        const size_t len = data[2] < size - 3 ? data[2] : size - 3;

        const struct column column = nth_column(stored->columns, data[0] % count);

        change(database, &column, data[1] % stored->rows, data + 3, len);
        data += 3 + len;
        size -= 3 + len;
    }
    database_commit(database, NULL);
    database_close(database, NULL);
}

/* The first byte selects the actions, all of them if it selects none; the others are changes. */
static int run_changed(const struct stored *stored, const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (!good)
        stored->set_up();
    store_changed(stored, data + 1, size - 1);
    stored->use(data[0] & stored->all ? data[0] & stored->all : stored->all);
    return 0;
}

#endif
