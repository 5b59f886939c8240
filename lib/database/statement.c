/* SPDX-License-Identifier: Apache-2.0 */
#include "database/statement.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "database/database_inner.h"

struct statement {
    struct database *database;
    sqlite3_stmt *handle;
    int bind_code; /* of the first bind that failed since the last step */
};

/* ---- functions ---- */

enum { MOST_ARGUMENTS = 8 };

struct definition {
    double (*function)(const double *arguments);
};

static void call(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct definition *definition = sqlite3_user_data(context);
    double arguments[MOST_ARGUMENTS] = {0};

    for (int i = 0; i < count && i < MOST_ARGUMENTS; i++)
        arguments[i] = sqlite3_value_double(values[i]);
    sqlite3_result_double(context, definition->function(arguments));
}

int database_define(struct database *database, const char *name, int count,
                    double (*function)(const double *arguments), struct error *err)
{
    struct definition *definition = memory_new(sizeof *definition, err);
    int code;

    if (!definition)
        return -1;
    definition->function = function;
    code = sqlite3_create_function_v2(database->handle, name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                      definition, call, NULL, NULL, free); /* frees it also if it fails */
    return code == SQLITE_OK ? 0 : database_fail(database, code, err);
}

/* ---- statements ---- */

struct statement *database_prepare(struct database *database, const char *sql, struct error *err)
{
    struct statement *statement = memory_new(sizeof *statement, err);
    int code;

    if (!statement)
        return NULL;
    statement->database = database;
    code = sqlite3_prepare_v3(database->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement->handle, NULL);
    if (code == SQLITE_OK)
        return statement;
    database_fail(database, code, err);
    statement_free(statement);
    return NULL;
}

void statement_free(struct statement *statement)
{
    if (!statement)
        return;
    sqlite3_finalize(statement->handle);
    free(statement);
}

int statement_prepare_all(struct statement **statements, struct database *database, const char *const *sqls,
                          size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!(statements[i] = database_prepare(database, sqls[i], err)))
            return -1;
    return 0;
}

void statement_free_all(struct statement **statements, size_t count)
{
    for (size_t i = 0; i < count; i++)
        statement_free(statements[i]);
}

static void note_bind(struct statement *statement, int code)
{
    if (statement->bind_code == SQLITE_OK)
        statement->bind_code = code;
}

void statement_bind_number(struct statement *statement, int parameter, int64_t number)
{
    note_bind(statement, sqlite3_bind_int64(statement->handle, parameter, number));
}

void statement_bind_real(struct statement *statement, int parameter, double number)
{
    note_bind(statement, sqlite3_bind_double(statement->handle, parameter, number));
}

void statement_bind_bytes(struct statement *statement, int parameter, const void *data, size_t len)
{
    note_bind(statement,
              sqlite3_bind_blob64(statement->handle, parameter, len > 0 ? data : "", len, SQLITE_STATIC));
}

void statement_bind_text(struct statement *statement, int parameter, const char *text, size_t len)
{
    note_bind(statement, sqlite3_bind_text64(statement->handle, parameter, len > 0 ? text : "", len,
                                             SQLITE_STATIC, SQLITE_UTF8));
}

void statement_bind_null(struct statement *statement, int parameter)
{
    note_bind(statement, sqlite3_bind_null(statement->handle, parameter));
}

int statement_step(struct statement *statement, struct error *err)
{
    int code = statement->bind_code;

    if (code == SQLITE_OK)
        code = sqlite3_step(statement->handle);
    if (code == SQLITE_ROW)
        return 1;
    if (code != SQLITE_DONE)
        database_fail(statement->database, code, err);
    statement_reset(statement);
    return code == SQLITE_DONE ? 0 : -1;
}

void statement_reset(struct statement *statement)
{
    sqlite3_reset(statement->handle);
    statement->bind_code = SQLITE_OK;
}

int statement_run(struct statement *statement, struct error *err)
{
    const int result = statement_step(statement, err);

    if (result > 0)
        statement_reset(statement);
    return result < 0 ? -1 : 0;
}

int statement_ask(struct database *database, const char *sql, int64_t *number, struct error *err)
{
    struct statement *row = database_prepare(database, sql, err);
    int result = row ? statement_step(row, err) : -1;

    *number = 0;
    if (result > 0)
        result = statement_number(row, 0, number);
    statement_free(row);
    return result;
}

bool statement_number(struct statement *statement, int column, int64_t *out)
{
    const bool is_number = sqlite3_column_type(statement->handle, column) == SQLITE_INTEGER;

    *out = is_number ? sqlite3_column_int64(statement->handle, column) : 0;
    return is_number;
}

bool statement_up_to(struct statement *statement, int column, uint64_t most, uint64_t *out)
{
    int64_t number;

    *out = 0;
    if (!statement_number(statement, column, &number) || number < 0 || (uint64_t)number > most)
        return false;
    *out = (uint64_t)number;
    return true;
}

bool statement_real(struct statement *statement, int column, double *out)
{
    const bool is_real = sqlite3_column_type(statement->handle, column) == SQLITE_FLOAT;

    *out = is_real ? sqlite3_column_double(statement->handle, column) : 0;
    return is_real;
}

bool statement_text(struct statement *statement, int column, const char **text, size_t *len)
{
    *text = "";
    *len = 0;
    if (sqlite3_column_type(statement->handle, column) != SQLITE_TEXT)
        return false;
    *text = (const char *)sqlite3_column_text(statement->handle, column);
    if (!*text) { /* out of memory during conversion */
        *text = "";
        return false;
    }
    *len = (size_t)sqlite3_column_bytes(statement->handle, column);
    return true;
}

bool statement_bytes(struct statement *statement, int column, const void **data, size_t *len)
{
    const char *text;
    bool is_text;

    if (sqlite3_column_type(statement->handle, column) == SQLITE_BLOB) {
        *data = sqlite3_column_blob(statement->handle, column);
        *len = *data ? (size_t)sqlite3_column_bytes(statement->handle, column) : 0;
        if (!*data)
            *data = "";
        return true;
    }
    is_text = statement_text(statement, column, &text, len);
    *data = text;
    return is_text;
}

bool statement_is_null(struct statement *statement, int column)
{
    return sqlite3_column_type(statement->handle, column) == SQLITE_NULL;
}

bool statement_exactly(struct statement *statement, int column, void *out, size_t len)
{
    const void *data;
    size_t got;

    if (!statement_bytes(statement, column, &data, &got) || got != len)
        return false;
    memcpy(out, data, len);
    return true;
}

bool statement_digests(struct statement *statement, int column, struct digest_values *out)
{
    *out = (struct digest_values){0};
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        if (statement_is_null(statement, column + kind))
            continue;
        if (!statement_exactly(statement, column + kind, out->bytes[kind],
                               digest_len((enum digest_kind)kind)))
            return false;
        out->kinds |= DIGEST_BIT(kind);
    }
    return true;
}

int statement_columns(const struct statement *statement)
{
    return sqlite3_column_count(statement->handle);
}

const char *statement_column_name(struct statement *statement, int column)
{
    const char *name = sqlite3_column_name(statement->handle, column);

    return name ? name : "";
}
