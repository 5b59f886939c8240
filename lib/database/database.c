/* SPDX-License-Identifier: Apache-2.0 */
#include "database/database.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "database/database_inner.h"
#include "database/statement.h"

enum {
    SHORT_WAIT_MS = 300, /* for a lock that a writer holds until it is done */
    CLAIMS = 5,
    FREE_SHARE = 16, /* shrink the file if more than 1/16 of its pages are free */
};

/* Settings that make SQLite read the schema. */
static int tune(struct database *database, struct error *err)
{
    const int code =
        database_exec(database, database->writes ? "PRAGMA cache_size=-16384; PRAGMA synchronous=FULL;"
                                                   "PRAGMA journal_size_limit=16777216"
                                                 : "PRAGMA cache_size=-16384");

    return code == SQLITE_OK ? 0 : database_fail(database, code, err);
}

/* ---- writers ---- */

static int apply_step(struct database *database, const struct database_format *format, unsigned step)
{
    char version[64];
    int code = database_exec(database, format->steps[step]);

    snprintf(version, sizeof version, "PRAGMA user_version=%u", step + 1);
    if (code == SQLITE_OK)
        code = database_exec(database, version);
    if (code == SQLITE_OK)
        database->version = step + 1;
    return code;
}

static int upgrade(struct database *database, const struct database_format *format, unsigned version,
                   struct error *err)
{
    for (; format->steps[version]; version++) {
        int code;

        if (database_begin(database, err))
            return -1;
        code = apply_step(database, format, version);
        if (code != SQLITE_OK) {
            database_fail(database, code, err);
            database_rollback(database);
            return -1;
        }
        if (database_commit(database, err))
            return -1;
    }
    return 0;
}

/* A single transaction: until it is committed the file is empty. */
static int fill_new(struct database *database, const struct database_format *format, struct error *err)
{
    int reserve = DATABASE_SUM;
    char id[64];
    int code = sqlite3_file_control(database->handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);

    snprintf(id, sizeof id, "PRAGMA application_id=%" PRId32, (int32_t)format->application_id);
    if (code == SQLITE_OK)
        code = database_exec(database,
                             "PRAGMA page_size=4096; PRAGMA encoding='UTF-8'; PRAGMA auto_vacuum=INCREMENTAL;"
                             "PRAGMA synchronous=FULL; BEGIN EXCLUSIVE");
    if (code == SQLITE_OK)
        code = database_exec(database, id);
    for (unsigned i = 0; format->steps[i] && code == SQLITE_OK; i++)
        code = apply_step(database, format, i);
    if (code == SQLITE_OK)
        code = database_exec(database, "COMMIT");
    if (code == SQLITE_OK)
        return 0;
    database_fail(database, code, err);
    database_rollback(database);
    return -1;
}

/* Reserves the file for this writer until it is closed; readers can continue. */
static int claim(struct database *database, struct error *err)
{
    int code = SQLITE_OK;

    database_pages_claim(database->handle);
    for (int i = 0; i < CLAIMS && !database_pages_claimed(database->handle); i++) {
        sqlite3_busy_timeout(database->handle, DATABASE_WAIT_MS);
        code = database_exec(database, "PRAGMA journal_mode=WAL");
        if ((code & 0xff) == SQLITE_BUSY)
            return error_set(err, "%s: is being read by another program", database->path);
        sqlite3_busy_timeout(database->handle, SHORT_WAIT_MS);
        if (code == SQLITE_OK)
            code = database_exec(database, "BEGIN IMMEDIATE");
        if (code == SQLITE_OK)
            code = database_exec(database, "ROLLBACK");
        if (code != SQLITE_OK)
            break;
    }
    sqlite3_busy_timeout(database->handle, DATABASE_WAIT_MS);
    if ((code & 0xff) == SQLITE_BUSY)
        return error_set(err, "%s: is being written by another program", database->path);
    if (code != SQLITE_OK)
        return database_fail(database, code, err);
    if (!database_pages_claimed(database->handle))
        return error_set(err, "%s: cannot be written to: its file system does not support shared memory",
                         database->path);
    return 0;
}

static int open_writer(struct database *database, const struct database_format *format, bool create,
                       struct error *err)
{
    unsigned version = 0;
    int code = database_connect(database, "");

    if (code != SQLITE_OK)
        return database_fail(database, code, err);
    if (sqlite3_db_readonly(database->handle, "main") != 0) {
        errno = access(database->path, W_OK) ? errno : EROFS;
        return error_errno(err, "%s: cannot be written to", database->path);
    }
    if (create ? fill_new(database, format, err) : database_refuse_others(database, format, err))
        return -1;
    if (claim(database, err) || database_check_version(database, format, &version, err) ||
        database_check_schema(database, format, version, err) || tune(database, err))
        return -1;
    database->version = version;
    return upgrade(database, format, version, err);
}

static int open_reader(struct database *database, const struct database_format *format, bool fixed,
                       struct error *err)
{
    unsigned version;
    int code = database_connect(database, fixed ? "immutable=1" : "");

    if (code != SQLITE_OK)
        return database_fail(database, code, err);
    if (database_refuse_others(database, format, err))
        return -1;
    code = fixed ? database_begin_view(database) : database_view(database);
    if (code != SQLITE_OK)
        return database_fail(database, code, err);
    if (database_check_version(database, format, &version, err))
        return -1;
    database->version = version;
    if (version < (format->oldest ? format->oldest : database_newest(format)))
        return error_set(err,
                         "%s: was written by an older version of kith: its schema version is %u, this "
                         "program uses %u; %s upgrades it",
                         database->path, version, database_newest(format),
                         format->upgrade ? format->upgrade : "any command that writes to the file");
    return database_check_schema(database, format, version, err) ? -1 : tune(database, err);
}

/* ---- opening and closing ---- */

/* Gives free pages back to the file system if there are many; takes time in proportion to their number. */
static int shrink(struct database *database)
{
    int64_t pages = 0, free_pages = 0;
    int code = database_ask(database, "PRAGMA page_count", &pages);

    if (code == SQLITE_OK)
        code = database_ask(database, "PRAGMA freelist_count", &free_pages);
    if (code == SQLITE_OK && free_pages > pages / FREE_SHARE)
        code = database_exec(database, "PRAGMA incremental_vacuum");
    return code;
}

/* Puts the file at rest, as a single file.  While there are readers it is left to the next writer. */
static int settle(struct database *database, struct error *err)
{
    int code;

    sqlite3_busy_timeout(database->handle, 0);
    code = shrink(database);
    if (code == SQLITE_OK)
        code = database_exec(database, "PRAGMA journal_mode=DELETE");
    return code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY ? 0 : database_fail(database, code, err);
}

static int make_file(const char *path, struct error *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (fd < 0)
        return error_errno(err, "%s", path);
    close(fd);
    return 0;
}

struct database *database_open(const char *path, enum database_mode mode,
                               const struct database_format *format, struct error *err)
{
    const bool create = mode == DATABASE_CREATE;
    struct database *database = NULL;
    int result;

    if (create ? make_file(path, err) : database_check_file(path, format->noun, err))
        return NULL;
    database = database_new(path, true, mode == DATABASE_WRITE || create, err);
    if (database) {
        result = database->writes ? open_writer(database, format, create, err)
                                  : open_reader(database, format, mode == DATABASE_FIXED, err);
        if (result == 0)
            return database;
        if (database->handle && database_pages_claimed(database->handle))
            settle(database, NULL); /* leave the file as it was found */
        database_free(database);
    }
    if (create)
        unlink(path);
    return NULL;
}

unsigned database_version(const struct database *database)
{
    return database->version;
}

bool database_at_rest(struct database *database)
{
    struct statement *row = database_prepare(database, "PRAGMA journal_mode", NULL);
    const char *mode = "";
    size_t len = 0;
    bool rests;

    rests = row && statement_step(row, NULL) > 0 && statement_text(row, 0, &mode, &len) &&
            !(len == 3 && memcmp(mode, "wal", 3) == 0);
    statement_free(row);
    return rests;
}

struct database *database_open_foreign(const char *path, struct error *err)
{
    struct database *database;
    int code;

    if (database_check_file(path, "database", err))
        return NULL;
    database = database_new(path, false, false, err);
    if (!database)
        return NULL;
    code = database_view(database);
    if (code == SQLITE_OK && tune(database, err) == 0)
        return database;
    if (code == SQLITE_NOTADB)
        error_set(err, "%s: is not an SQLite database", path);
    else if (code != SQLITE_OK)
        database_fail(database, code, err);
    database_free(database);
    return NULL;
}

struct database *database_create_foreign(const char *path, struct error *err)
{
    struct database *database;
    int code;

    if (make_file(path, err))
        return NULL;
    database = database_new(path, false, true, err);
    code = database ? database_connect(database, "") : SQLITE_NOMEM;
    if (code == SQLITE_OK)
        return database;
    if (database)
        database_fail(database, code, err);
    database_free(database);
    unlink(path);
    return NULL;
}

/* Before database_defend(), because SQLite in defensive mode does not allow journal_mode=OFF. */
static int connect_temporary(struct database *database)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int code = sqlite3_open_v2("", &database->handle, flags, NULL);

    if (code == SQLITE_OK)
        code = database_exec(database, "PRAGMA journal_mode=OFF");
    if (code == SQLITE_OK)
        code = database_defend(database);
    if (code == SQLITE_OK)
        code = database_exec(database, "PRAGMA cache_size=-16384; PRAGMA synchronous=OFF");
    return code;
}

struct database *database_open_temporary(const struct database_format *format, struct error *err)
{
    struct database *database;
    char name[100];
    int code;

    snprintf(name, sizeof name, "the temporary %s", format->noun);
    database = database_new(name, false, true, err);
    if (!database)
        return NULL;
    code = connect_temporary(database);
    for (unsigned i = 0; format->steps[i] && code == SQLITE_OK; i++)
        code = apply_step(database, format, i);
    if (code == SQLITE_OK)
        return database;
    database_fail(database, code, err);
    database_free(database);
    return NULL;
}

int database_is_busy(const char *path, struct error *err)
{
    struct database *database = database_new(path, true, true, err);
    int code;

    if (!database)
        return -1;
    code = database_connect(database, "");
    if (code == SQLITE_OK)
        code = sqlite3_busy_timeout(database->handle, 0);
    if (code == SQLITE_OK)
        code = database_exec(database, "BEGIN IMMEDIATE");
    if (code == SQLITE_OK)
        database_exec(database, "ROLLBACK");
    database_free(database);
    /* other faults are reported when the file is read */
    return (code & 0xff) == SQLITE_BUSY ? error_set(err, "%s: is being written by another program", path) : 0;
}

/* Puts the file at rest if the last writer could not, because of this reader or because it was killed.  If
 * others still use the file, it is left to them. */
static void settle_after(const char *path)
{
    struct database *database;

    if (access(path, W_OK) != 0)
        return;
    database = database_new(path, true, true, NULL);
    if (database && database_connect(database, "") == SQLITE_OK && claim(database, NULL) == 0)
        settle(database, NULL);
    database_free(database);
}

int database_close(struct database *database, struct error *err)
{
    char *unsettled = NULL;
    int result = 0;

    if (!database)
        return 0;
    if (database->own && !database->writes && database->handle && !database_at_rest(database))
        unsettled = strdup(database->path);
    database_rollback(database);
    if (database->own && database->writes)
        result = settle(database, err);
    database_free(database);
    if (unsettled)
        settle_after(unsettled);
    free(unsettled);
    return result;
}

int database_broken(const struct database *database, struct error *err, const char *what, const char *help,
                    const char *fmt, va_list args)
{
    char why[512];

    vsnprintf(why, sizeof why, fmt, args);
    return error_set(err, "%s: %s is damaged: %s%s", database->path, what, why, help);
}

const char *database_path(const struct database *database)
{
    return database->path;
}

const char *database_library(void)
{
    return sqlite3_libversion();
}
