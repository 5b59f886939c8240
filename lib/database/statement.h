/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_STATEMENT_H
#define KITH_STATEMENT_H

#include "base/digest.h"
#include "database/database.h"

/* SQL that gives rows, or that is run again and again with other values; database_prepare makes one of it. */
struct statement;

/* Before the database is closed. */
void statement_free(struct statement *statement);

/* As many statements as there are SQLs; what was made in vain is to be freed, too. */
int statement_prepare_all(struct statement **statements, struct database *database, const char *const *sqls,
                          size_t count, struct error *err);
void statement_free_all(struct statement **statements, size_t count);

/* Parameters count from 1.  Bytes and text are borrowed until the statement is stepped to its end or reset.
 */
void statement_bind_number(struct statement *statement, int parameter, int64_t number);
void statement_bind_real(struct statement *statement, int parameter, double number);
void statement_bind_bytes(struct statement *statement, int parameter, const void *data, size_t len);
void statement_bind_text(struct statement *statement, int parameter, const char *text, size_t len);
void statement_bind_null(struct statement *statement, int parameter);

/* 1: a row; 0: the end, and the statement is reset; -1: an error, and it is reset. */
int statement_step(struct statement *statement, struct error *err);
void statement_reset(struct statement *statement);
/* For a statement that gives no row: step and reset. */
int statement_run(struct statement *statement, struct error *err);

/* What a query gives in the first column of its first row: 1 if that is a number; 0 if not, and then the
 * number is 0; -1: an error. */
int statement_ask(struct database *database, const char *sql, int64_t *number, struct error *err);

/* Columns of the row count from 0.  False if the value is of another type, and then the output is 0 and
 * empty. */
bool statement_number(struct statement *statement, int column, int64_t *out);
/* A number from 0 to most. */
bool statement_up_to(struct statement *statement, int column, uint64_t most, uint64_t *out);
bool statement_real(struct statement *statement, int column, double *out); /* an integer is none */
bool statement_bytes(struct statement *statement, int column, const void **data,
                     size_t *len); /* blob or text */
bool statement_text(struct statement *statement, int column, const char **text, size_t *len);
bool statement_is_null(struct statement *statement, int column);
/* Copies a value of exactly so many bytes. */
bool statement_exactly(struct statement *statement, int column, void *out, size_t len);
/* A column for each kind of digest, in their order; NULL: it is not there. */
bool statement_digests(struct statement *statement, int column, struct digest_values *out);
int statement_columns(const struct statement *statement);
/* The column's name, in the statement's memory. */
const char *statement_column_name(struct statement *statement, int column);

#endif
