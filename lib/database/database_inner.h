/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DATABASE_INNER_H
#define KITH_DATABASE_INNER_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "database/database.h"

/* Shared by the files of the module, listed from the top layer down: database.c opens and closes;
 * database_check.c validates files; statement.c runs SQL that returns rows; database_connection.c has the
 * connection, its errors, and SQL that returns none; database_pages.c has the page checksums. */

/* ---- database_pages.c ---- */

enum {
    DATABASE_PAGE = 4096,
    DATABASE_SUM = 4, /* at the end of each page: CRC-32C of the page number, big endian, and the page */
    DATABASE_HEADER = 100,
};

/*
 * Registers the VFS if necessary and returns its name for sqlite3_open_v2; NULL on error.  Parameters of the
 * file's URI: private=1 keeps the WAL index in memory, for media where it cannot be created and nothing
 * writes; plain=1 reads foreign files, which have no checksums.
 */
const char *database_pages_vfs(void);

/* The functions below take a connection that was opened with this VFS. */

/* Makes the connection keep the WAL write lock from its next write transaction on, also after that ends. */
void database_pages_claim(sqlite3 *handle);
bool database_pages_claimed(sqlite3 *handle);

/* The page whose checksum failed most recently, or 0. */
uint32_t database_pages_damaged(sqlite3 *handle);

/* Reads the first page from the file itself, padded with zeros if the file is shorter, and the file's length.
 * Returns an SQLite code. */
int database_pages_first(sqlite3 *handle, uint8_t page[DATABASE_PAGE], int64_t *file_len);

/* Calls report for every damaged page of the file; a partial page at the end is not checked.  Returns an
 * SQLite code.  changing: a writer may be at work. */
int database_pages_check(sqlite3 *handle, bool changing, void (*report)(void *arg, uint32_t page), void *arg);

/* Verify and set the checksum of a page.  SQLite never writes the page that holds its lock bytes; that one
 * must be all zeros. */
bool database_page_is_good(const uint8_t *page, uint32_t number);
void database_page_seal(uint8_t *page, uint32_t number);

/* ---- database_connection.c ---- */

enum { DATABASE_WAIT_MS = 2000 /* for a lock held only briefly */ };

struct database {
    sqlite3 *handle;
    unsigned version; /* of the schema */
    char *path;
    bool own, writes;
};

/* Fills err with a message for an SQLite code; returns -1. */
int database_fail(struct database *database, int code, struct error *err);

/* Returns -1 unless path is a regular file that this process may read.  noun: what it should be. */
int database_check_file(const char *path, const char *noun, struct error *err);
/* Whether the file exists, and its size; also true, with size 0, if that cannot be determined. */
bool database_is_there(const char *path, off_t *size);
/* Creates the struct, without a connection; NULL on error. */
struct database *database_new(const char *path, bool own, bool writes, struct error *err);
void database_free(struct database *database);

/* The functions below return SQLite codes. */
int database_exec(struct database *database, const char *sql);
/* Sets *out to the first value of the first row, as a number. */
int database_ask(struct database *database, const char *sql, int64_t *out);
/* Connects, with these parameters in the file's URI; replaces an existing connection. */
int database_connect(struct database *database, const char *parameters);
/* Configures the connection for hostile files. */
int database_defend(struct database *database);
/* Begins the reader's transaction. */
int database_begin_view(struct database *database);
/* Connects in whichever way works and begins the reader's transaction. */
int database_view(struct database *database);

/* ---- database_check.c ---- */

/* Returns -1 if the first page shows that this is not a file of the format. */
int database_refuse_others(struct database *database, const struct database_format *format,
                           struct error *err);
/* The newest version of the schema. */
unsigned database_newest(const struct database_format *format);
/* Reads the version of the file's schema; -1 on error or if it is unsupported. */
int database_check_version(struct database *database, const struct database_format *format, unsigned *version,
                           struct error *err);
/* Returns -1 unless the schema equals the one that the format's steps create, and every table and index has a
 * root page of its own. */
int database_check_schema(struct database *database, const struct database_format *format, unsigned version,
                          struct error *err);

#endif
