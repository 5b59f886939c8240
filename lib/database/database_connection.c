/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "database/database_inner.h"

enum { VALUE_MAX = 64 << 20 };

/* ---- errors ---- */

static int fail_io(struct database *database, int code, struct error *err)
{
    const int latest = errno; /* SQLite does not always keep it */
    const bool written = code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_FSYNC ||
                         code == SQLITE_IOERR_TRUNCATE || code == SQLITE_IOERR_SHMSIZE;
    const uint32_t page = database->own ? database_pages_damaged(database->handle) : 0;

    if (code == SQLITE_IOERR_DATA && page > 0)
        return error_set(err, "%s: page %" PRIu32 " is damaged: checksum mismatch", database->path, page);
    if (code == SQLITE_IOERR_NOMEM)
        return error_set(err, "out of memory");
    errno = sqlite3_system_errno(database->handle);
    if (errno == 0 && written)
        errno = latest;
    if (errno == ENOSPC || errno == EDQUOT)
        return error_set(err, "no space left for %s", database->path);
    if (errno == 0)
        return error_set(err, "%s: %s", database->path, sqlite3_errmsg(database->handle));
    if (written)
        return error_errno(err, "%s: cannot be written to", database->path);
    return error_errno(err, "%s", database->path);
}

int database_fail(struct database *database, int code, struct error *err)
{
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return error_set(err, "out of memory");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(err, "%s: is being used by another program", database->path);
    case SQLITE_FULL:
        return error_set(err, "no space left for %s", database->path);
    case SQLITE_READONLY:
        if (code == SQLITE_READONLY_ROLLBACK)
            return error_set(err, "%s: a write was interrupted; repairing the file requires write access",
                             database->path);
        return error_set(err, "%s: cannot be written to", database->path);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        return fail_io(database, code, err);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return error_set(err, "%s: is damaged: %s", database->path, sqlite3_errmsg(database->handle));
    case SQLITE_TOOBIG:
        if (strncmp(sqlite3_errmsg(database->handle), "malformed", 9) == 0) /* while parsing the schema */
            return error_set(err, "%s: is damaged: its schema is too long", database->path);
        return error_set(err, "%s: a value is too long", database->path);
    default:
        return error_set(err, "%s: %s", database->path, sqlite3_errmsg(database->handle));
    }
}

/* ---- SQL without results ---- */

int database_exec(struct database *database, const char *sql)
{
    return sqlite3_exec(database->handle, sql, NULL, NULL, NULL);
}

int database_ask(struct database *database, const char *sql, int64_t *out)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL);

    *out = 0;
    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *out = sqlite3_column_int64(statement, 0);
    else if (code == SQLITE_DONE)
        code = SQLITE_ERROR;
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

int database_run(struct database *database, const char *sql, struct error *err)
{
    const int code = database_exec(database, sql);

    return code == SQLITE_OK ? 0 : database_fail(database, code, err);
}

int database_begin(struct database *database, struct error *err)
{
    return database_run(database, "BEGIN IMMEDIATE", err);
}

int database_commit(struct database *database, struct error *err)
{
    if (database_run(database, "COMMIT", err) == 0)
        return 0;
    database_rollback(database);
    return -1;
}

void database_rollback(struct database *database)
{
    if (!sqlite3_get_autocommit(database->handle))
        database_exec(database, "ROLLBACK"); /* if this fails, the next open rolls the journal back */
}

int64_t database_last_row(const struct database *database)
{
    return sqlite3_last_insert_rowid(database->handle);
}

/* ---- connections ---- */

/* Makes a URI of a path, which may hold any bytes, and parameters. */
static char *uri_new(const char *path, const char *parameters)
{
    static const char digits[] = "0123456789abcdef";
    const size_t len = strlen(path);
    char *uri = malloc(sizeof "file:./?" + 3 * len + strlen(parameters)), *to = uri;

    if (!uri)
        return NULL;
    to = stpcpy(to, path[0] == '/' ? "file:" : "file:./"); /* so ":memory:" is an ordinary file */
    for (size_t i = 0; i < len; i++) {
        *to++ = '%';
        *to++ = digits[(uint8_t)path[i] >> 4];
        *to++ = digits[(uint8_t)path[i] & 15];
    }
    *to++ = '?';
    stpcpy(to, parameters);
    return uri;
}

static void set_limits(struct database *database)
{
    static const int limits[][2] = {
        {SQLITE_LIMIT_LENGTH, VALUE_MAX},         {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
        {SQLITE_LIMIT_EXPR_DEPTH, 100},           {SQLITE_LIMIT_COMPOUND_SELECT, 20},
        {SQLITE_LIMIT_VDBE_OP, 1 << 20},          {SQLITE_LIMIT_FUNCTION_ARG, 32},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000}, {SQLITE_LIMIT_VARIABLE_NUMBER, 1000},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},          {SQLITE_LIMIT_WORKER_THREADS, 0},
    };

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(database->handle, limits[i][0], limits[i][1]);
    sqlite3_limit(database->handle, SQLITE_LIMIT_COLUMN, database->own ? 200 : 2000);
    sqlite3_limit(database->handle, SQLITE_LIMIT_ATTACHED, database->writes ? 1 : 0); /* VACUUM needs it */
}

int database_defend(struct database *database)
{
    sqlite3 *handle = database->handle;

    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_timeout(handle, DATABASE_WAIT_MS);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !database->writes, NULL);
    set_limits(database);
    return database_exec(database, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY");
}

static void disconnect(struct database *database)
{
    const int code = sqlite3_close(database->handle);

    assert(code == SQLITE_OK); /* else a statement was not freed */
    (void)code;
    database->handle = NULL;
}

int database_connect(struct database *database, const char *parameters)
{
    const bool special = database->own || strstr(parameters, "plain=1");
    const char *vfs = special ? database_pages_vfs() : NULL;
    char *uri = uri_new(database->path, parameters);
    const int access = database->writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    int code = SQLITE_NOMEM;

    if (database->handle)
        disconnect(database);
    if (uri && (vfs || !special))
        code = sqlite3_open_v2(uri, &database->handle, access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, vfs);
    free(uri);
    return code == SQLITE_OK ? database_defend(database) : code;
}

/* Keeps SQLite from opening a pipe, which would hang, or a directory. */
int database_check_file(const char *path, const char *noun, struct error *err)
{
    struct stat status;

    if (stat(path, &status))
        return error_errno(err, "%s", path);
    if (S_ISDIR(status.st_mode))
        return error_set(err, "%s: is a directory, not a %s", path, noun);
    if (!S_ISREG(status.st_mode))
        return error_set(err, "%s: is not a regular file, so not a %s", path, noun);
    if (access(path, R_OK))
        return error_errno(err, "%s", path);
    return 0;
}

struct database *database_new(const char *path, bool own, bool writes, struct error *err)
{
    struct database *database = memory_new(sizeof *database, err);

    if (!database)
        return NULL;
    database->own = own;
    database->writes = writes;
    database->path = strdup(path);
    if (database->path)
        return database;
    error_set(err, "out of memory");
    database_free(database);
    return NULL;
}

void database_free(struct database *database)
{
    if (!database)
        return;
    if (database->handle)
        disconnect(database);
    free(database->path);
    free(database);
}

/* ---- the reader's snapshot ---- */

bool database_is_there(const char *path, off_t *size)
{
    struct stat status;

    *size = 0;
    if (stat(path, &status))
        return errno != ENOENT;
    *size = status.st_size;
    return true;
}

int database_begin_view(struct database *database)
{
    return database_exec(database, "BEGIN; PRAGMA user_version");
}

/* Rolls back an interrupted write that did not use WAL. */
static int undo_interrupted(struct database *database)
{
    int code;

    database->writes = true;
    code = database_connect(database, "");
    if (code == SQLITE_OK)
        code = database_begin_view(database);
    database->writes = false;
    return code;
}

/* For media where SQLite cannot create the files of WAL mode.  If there were a writer, it would have created
 * the WAL index. */
static int begin_unwritable(struct database *database)
{
    const char *path = sqlite3_db_filename(database->handle, "main");
    const char *parameters = "immutable=1";
    char *index = NULL;
    off_t size;

    if (!path)
        return SQLITE_CANTOPEN;
    if (database_is_there(sqlite3_filename_wal(path), &size) && size > 0) {
        bool shared;

        if (asprintf(&index, "%s-shm", path) < 0)
            return SQLITE_NOMEM;
        shared = database_is_there(index, &size);
        free(index);
        if (shared)
            return SQLITE_CANTOPEN;
        parameters = database->own ? "private=1" : "private=1&plain=1";
    }
    return database_connect(database, parameters) == SQLITE_OK ? database_begin_view(database)
                                                               : SQLITE_CANTOPEN;
}

int database_view(struct database *database)
{
    int code = database_connect(database, "");

    if (code == SQLITE_OK)
        code = database_begin_view(database);
    if (code == SQLITE_READONLY_ROLLBACK && database->own && access(database->path, W_OK) == 0) {
        code = undo_interrupted(database);
        if (code == SQLITE_OK)
            code = database_connect(database, "");
        if (code == SQLITE_OK)
            code = database_begin_view(database);
    }
    if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY_CANTINIT || code == SQLITE_READONLY_DIRECTORY)
        code = begin_unwritable(database);
    return code;
}
