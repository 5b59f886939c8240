/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_STATEMENT_H
#define KITH_STATEMENT_H

#include "base/digest.h"
#include "database/database.h"

/* SQL that returns rows, or that is run repeatedly with different values.  Created by database_prepare. */
struct statement;

/* To be called before the database is closed.  NULL is fine. */
void statement_free(struct statement *statement);

/* Prepares one statement per SQL string.  -1 on error; free the statements even then, with the function
 * below.  The array must be zeroed. */
int statement_prepare_all(struct statement **statements, struct database *database, const char *const *sqls,
                          size_t count, struct error *err);
void statement_free_all(struct statement **statements, size_t count);

/* Parameters are numbered from 1.  Bytes and text are borrowed until the statement reaches its end or is
 * reset.  Errors are reported by the next step. */
void statement_bind_number(struct statement *statement, int parameter, int64_t number);
void statement_bind_real(struct statement *statement, int parameter, double number);
void statement_bind_bytes(struct statement *statement, int parameter, const void *data, size_t len);
void statement_bind_text(struct statement *statement, int parameter, const char *text, size_t len);
void statement_bind_null(struct statement *statement, int parameter);

/* Returns 1 if there is a row, 0 at the end, -1 on error; in the last two cases the statement is reset. */
int statement_step(struct statement *statement, struct error *err);
void statement_reset(struct statement *statement);
/* Steps and resets a statement that returns no rows. */
int statement_run(struct statement *statement, struct error *err);

/* Runs a query and takes the first column of its first row.  Returns 1 if that is a number, 0 (with *number
 * 0) if not, -1 on error. */
int statement_ask(struct database *database, const char *sql, int64_t *number, struct error *err);

/* Columns are numbered from 0.  Return false, with 0 or an empty value as output, if the value has a
 * different type. */
bool statement_number(struct statement *statement, int column, int64_t *out);
/* Also false if the number is not within 0 to most. */
bool statement_up_to(struct statement *statement, int column, uint64_t most, uint64_t *out);
bool statement_real(struct statement *statement, int column, double *out); /* false for an integer */
/* Takes a blob or text. */
bool statement_bytes(struct statement *statement, int column, const void **data, size_t *len);
bool statement_text(struct statement *statement, int column, const char **text, size_t *len);
bool statement_is_null(struct statement *statement, int column);
/* Copies a blob or text; false unless it has exactly len bytes. */
bool statement_exactly(struct statement *statement, int column, void *out, size_t len);
/* Reads one column per kind of digest, in the order of enum digest_kind; NULL means that it is missing. False
 * if one has a wrong type or length. */
bool statement_digests(struct statement *statement, int column, struct digest_values *out);
int statement_columns(const struct statement *statement);
/* The column's name, owned by the statement; "" if there is none. */
const char *statement_column_name(struct statement *statement, int column);

#endif
