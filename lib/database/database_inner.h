/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DATABASE_INNER_H
#define KITH_DATABASE_INNER_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "database/database.h"

/* What the files of the module share, each above the next: database.c opens and closes; database_check.c says
 * what a file must be; statement.c has what gives rows; database_connection.c has the connection,
 * its errors and what gives no rows; database_pages.c has the checksums of the pages. */

/* ---- database_pages.c ---- */

enum {
    DATABASE_PAGE = 4096,
    DATABASE_SUM = 4, /* at the end of each page: CRC-32C of the page's number, big endian, and the rest */
    DATABASE_HEADER = 100,
};

/*
 * For sqlite3_open_v2; NULL without memory.  Parameters of the file's URI: private=1 keeps the index of the
 * WAL in memory, for media on which it cannot be made and nobody writes; plain=1 is for reading files of
 * others, without checksums.
 */
const char *database_pages_vfs(void);

/* All that follow: for a connection that was opened with it. */

/* Its next write transaction keeps all others from writing, also after its end. */
void database_pages_claim(sqlite3 *handle);
bool database_pages_claimed(sqlite3 *handle);

/* The page on which reading last failed because of its checksum, or 0. */
uint32_t database_pages_damaged(sqlite3 *handle);

/* The first page as it is in the file, zeros behind its end; returns an SQLite code. */
int database_pages_first(sqlite3 *handle, uint8_t page[DATABASE_PAGE], int64_t *file_len);

/* Tells of each whole page of the file that is damaged; returns an SQLite code.  changing: somebody may be
 * writing to it. */
int database_pages_check(sqlite3 *handle, bool changing, void (*tell)(void *arg, uint32_t page), void *arg);

/* The page at which SQLite has its locks is never written: it must be zeros. */
bool database_page_is_good(const uint8_t *page, uint32_t number);
void database_page_seal(uint8_t *page, uint32_t number);

/* ---- database_connection.c ---- */

enum { DATABASE_WAIT_MS = 2000 /* for a lock that somebody has for a moment */ };

struct database {
    sqlite3 *handle;
    char *path;
    bool own, writes;
};

/* Makes a message of a code of SQLite's; returns -1. */
int database_fail(struct database *database, int code, struct error *err);

/* -1 if it is none that could be opened. */
int database_check_file(const char *path, const char *noun, struct error *err);
bool database_is_there(const char *path, off_t *size);
/* Not yet connected. */
struct database *database_new(const char *path, bool own, bool writes, struct error *err);
void database_free(struct database *database);

/* These return SQLite's codes. */
int database_exec(struct database *database, const char *sql);
int database_ask(struct database *database, const char *sql, int64_t *out); /* a number of the first row */
int database_connect(struct database *database, const char *parameters);    /* of the file's URI */
int database_defend(struct database *database);     /* a connection, against what a file may hold */
int database_begin_view(struct database *database); /* the reader's transaction */
int database_view(
    struct database *database); /* connects, in whatever way goes, and begins that transaction */

/* ---- database_check.c ---- */

/* -1 if it is not a file of the format, as far as its first page tells. */
int database_refuse_others(struct database *database, const struct database_format *format,
                           struct error *err);
unsigned database_newest(const struct database_format *format);
int database_check_version(struct database *database, const struct database_format *format, unsigned *version,
                           struct error *err);
/* The schema must be that which the steps make of nothing, and no two things may lie at the same place. */
int database_check_schema(struct database *database, const struct database_format *format, unsigned version,
                          struct error *err);

#endif
