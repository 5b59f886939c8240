/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DATABASE_H
#define KITH_DATABASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * SQLite files: those of the project (reference sets, cases), and those of others that are imported.
 *
 * A file may be hostile.  It is opened with every defence that SQLite has, one of the project's own is
 * refused unless its schema is to the letter what this program writes, and the type of each value is asked
 * for when it is read.
 *
 * A file of the project has a CRC-32C in the last four bytes of each page, so a damaged byte is found
 * wherever it is; a page that was read is checked before it is used.  SQLite itself leaves these bytes alone.
 *
 * Any number of readers, one writer.  While a writer has it open the file is in WAL mode, so readers go on
 * and see it as it was when they began; at rest it is a single file that can be read from read-only media.  A
 * writer is refused while another one has the file, or a reader that came first.
 *
 * Messages name the file.
 */
struct database;
struct statement;

struct database_format {
    uint32_t application_id;
    const char *noun;         /* "reference set", for messages */
    const char *const *steps; /* SQL that makes version 1 of nothing, 2 of 1 ..; ends with NULL */
};

enum database_mode {
    DATABASE_READ,   /* a consistent view that does not change until it is closed */
    DATABASE_FIXED,  /* as that, for a process that was forked by a reader who keeps the file at rest
                        meanwhile: without  locks, which forked processes cannot have, and without any other
                        file */
    DATABASE_WRITE,  /* brought to the newest version */
    DATABASE_CREATE, /* it must not be there */
};

/* NULL on error. */
struct database *database_open(const char *path, enum database_mode mode,
                               const struct database_format *format, struct error *err);
/* Any SQLite file of somebody else, for reading; its views and triggers do not work. */
struct database *database_open_foreign(const char *path, struct error *err);
/* An empty database for another program; the file must not be there. */
struct database *database_create_foreign(const char *path, struct error *err);
/*
 * One without a name, in a file that SQLite makes for temporary data (in $TMPDIR, if it is set) when it does
 * not fit into the cache, and that ends with the process.  Nothing can be rolled back: after a failed write
 * it is to be closed.
 */
struct database *database_open_temporary(const struct database_format *format, struct error *err);
/* What was not committed is lost.  -1 if what was committed may not be safe on the disk. */
int database_close(struct database *database, struct error *err);
/* -1 with a message if somebody is writing to the file, which is one of the project's. */
int database_is_busy(const char *path, struct error *err);
const char *database_path(const struct database *database);
/* Says that it is damaged, what it is and what is wrong in it; what helps comes after that.  -1. */
int database_broken(const struct database *database, struct error *err, const char *what, const char *help,
                    const char *fmt, va_list args);
/* A reader: whether it keeps writers away, since there is none; else one may go on writing. */
bool database_at_rest(struct database *database);

/* Whether a file begins like one of SQLite's; head: its first bytes. */
bool database_detect(const void *head, size_t len);

/* Statements without results. */
int database_run(struct database *database, const char *sql, struct error *err);
int database_begin(struct database *database, struct error *err);
int database_commit(struct database *database, struct error *err);
void database_rollback(struct database *database);
int64_t database_last_row(const struct database *database);

/* The statement (statement.h) belongs to the caller, who frees it before the database is closed. */
struct statement *database_prepare(struct database *database, const char *sql, struct error *err);

/*
 * Checks the whole file: the CRC of every page, then SQLite's own integrity check and the schema.  Each fault
 * is told; returns their number, or -1 if the file could not be read at all.
 */
int database_verify(const char *path, const struct database_format *format,
                    void (*fault)(void *arg, const char *text), void *arg, struct error *err);

#endif
