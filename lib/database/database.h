/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DATABASE_H
#define KITH_DATABASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * SQLite files: kith's own (reference sets, cases) and foreign ones that are imported.
 *
 * Any file may be hostile.  All of SQLite's defences are enabled, a file of kith's own is rejected unless its
 * schema is exactly the one this program writes, and the type of every value is checked when it is read.
 *
 * The last four bytes of every page of kith's own files hold a CRC-32C of the page, so any damaged byte is
 * detected; a page is checked before it is used.  SQLite itself does not touch these bytes.
 *
 * There may be any number of readers and one writer.  While a writer has the file open it is in WAL mode:
 * readers keep working on a snapshot from when they began.  At rest it is a single file, which can be read
 * from read-only media.  A second writer is refused, and so is a writer that comes after a reader of a file
 * at rest.
 *
 * Error messages name the file.
 */
struct database;
struct statement;

struct database_format {
    uint32_t application_id;
    const char *noun; /* "reference set", for messages */
    const char *const
        *steps;      /* SQL: the first creates version 1, each further one upgrades by one; ends with NULL */
    unsigned oldest; /* version that can be read without upgrading; 0: only the newest */
    const char *upgrade; /* the command that upgrades a file, for messages; NULL: any that writes to it */
};

enum database_mode {
    DATABASE_READ,   /* a consistent snapshot that lasts until the database is closed */
    DATABASE_FIXED,  /* the same for a child process whose parent is a reader and keeps the file at rest:
                        takes no locks, which are not inherited across fork, and opens no other file */
    DATABASE_WRITE,  /* upgrades the schema to the newest version */
    DATABASE_CREATE, /* the file must not exist */
};

/* Opens one of kith's own files; NULL on error. */
struct database *database_open(const char *path, enum database_mode mode,
                               const struct database_format *format, struct error *err);
/* Opens any other SQLite file for reading; its views and triggers are disabled.  NULL on error. */
struct database *database_open_foreign(const char *path, struct error *err);
/* Creates an empty database in another program's format; the file must not exist.  NULL on error. */
struct database *database_create_foreign(const char *path, struct error *err);
/*
 * Creates a temporary database without a name.  What does not fit into the cache goes to a temporary file of
 * SQLite's (in $TMPDIR, if set), which disappears with the process.  There is no rollback: after a failed
 * write, close it.  NULL on error.
 */
struct database *database_open_temporary(const struct database_format *format, struct error *err);
/* Closes the database and rolls back what was not committed.  Returns -1 if committed data may not be safe on
 * disk.  NULL is fine. */
int database_close(struct database *database, struct error *err);
/* Returns -1 and fills err if another process is writing to this file of kith's own, else 0. */
int database_is_busy(const char *path, struct error *err);
const char *database_path(const struct database *database);
/* Fills err with "PATH: WHAT is damaged: REASON" followed by help, where the reason is formatted from fmt and
 * args; returns -1. */
int database_broken(const struct database *database, struct error *err, const char *what, const char *help,
                    const char *fmt, va_list args) __attribute__((format(printf, 5, 0)));
/* For a reader: true if the file is at rest, in which case this reader keeps writers out; false if a writer
 * may be at work. */
bool database_at_rest(struct database *database);

/* The version of the schema of a file of kith's own. */
unsigned database_version(const struct database *database);

/* Whether the first len bytes of a file, in head, are the signature of an SQLite file. */
bool database_detect(const void *head, size_t len);

/* Runs SQL that returns no rows. */
int database_run(struct database *database, const char *sql, struct error *err);
int database_begin(struct database *database, struct error *err);
int database_commit(struct database *database, struct error *err);
void database_rollback(struct database *database);
int64_t database_last_row(const struct database *database);

/* Makes a function of `count` numbers known to SQL of this connection by that name; its arguments are 0 where
 * they are no numbers. */
int database_define(struct database *database, const char *name, int count,
                    double (*function)(const double *arguments), struct error *err);

/* The caller owns the statement (statement.h) and frees it before closing the database.  NULL on error. */
struct statement *database_prepare(struct database *database, const char *sql, struct error *err);

/*
 * Checks the whole file: the CRC of every page, SQLite's own integrity check, and the schema.  Calls fault
 * for every fault found.  Returns the number of faults, or -1 if the file could not be read at all.
 */
int database_verify(const char *path, const struct database_format *format,
                    void (*fault)(void *arg, const char *text), void *arg, struct error *err);
/* Whether this error is a damaged page, which database_verify has already reported. */
bool database_is_page_fault(const char *text);

/* The version of SQLite that is in use: "3.40.1". */
const char *database_library(void);

#endif
