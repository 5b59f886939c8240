/* SPDX-License-Identifier: Apache-2.0 */
#include "database.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "database_inner.h"

enum {
    WAIT_MS = 2000,      /* for a lock that somebody has for a moment */
    SHORT_WAIT_MS = 300, /* for one that a writer has until it is done */
    VALUE_MAX = 64 << 20,
    CLAIMS = 5,
    FREE_SHARE = 16, /* of the pages, one in so many may be free */
};

/* ---- errors ---- */

static int fail_io(struct database *database, int code, struct error *err)
{
    const int latest = errno; /* SQLite's record of it is not always kept */
    const bool written = code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_FSYNC ||
                         code == SQLITE_IOERR_TRUNCATE || code == SQLITE_IOERR_SHMSIZE;
    const uint32_t page = database->own ? database_pages_damaged(database->handle) : 0;

    if (code == SQLITE_IOERR_DATA && page > 0)
        return error_set(err, "%s: page %" PRIu32 " is damaged: its checksum is wrong", database->path, page);
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
        return error_errno(err, "%s: cannot be written", database->path);
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
            return error_set(
                err, "%s: its writer was interrupted, and it cannot be repaired: it cannot be written",
                database->path);
        return error_set(err, "%s: cannot be written", database->path);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        return fail_io(database, code, err);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return error_set(err, "%s: is damaged: %s", database->path, sqlite3_errmsg(database->handle));
    case SQLITE_TOOBIG:
        if (strncmp(sqlite3_errmsg(database->handle), "malformed", 9) == 0) /* the schema, as it is read */
            return error_set(err, "%s: is damaged: its schema is too long", database->path);
        return error_set(err, "%s: a value is too long", database->path);
    default:
        return error_set(err, "%s: %s", database->path, sqlite3_errmsg(database->handle));
    }
}

int database_exec(struct database *database, const char *sql)
{
    return sqlite3_exec(database->handle, sql, NULL, NULL, NULL);
}

/* The first value of a statement's first row as a number. */
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

/* ---- connections ---- */

/* As a URI: a name of any bytes, and parameters. */
static char *uri_new(const char *path, const char *parameters)
{
    static const char digits[] = "0123456789abcdef";
    const size_t len = strlen(path);
    char *uri = malloc(sizeof "file:./?" + 3 * len + strlen(parameters)), *to = uri;

    if (!uri)
        return NULL;
    to = stpcpy(to, path[0] == '/' ? "file:" : "file:./"); /* ":memory:" is a file like others */
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

static int defend(struct database *database)
{
    sqlite3 *handle = database->handle;

    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_timeout(handle, WAIT_MS);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !database->writes, NULL);
    set_limits(database);
    return database_exec(database, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY");
}

/* What makes SQLite read the schema. */
static int tune(struct database *database, struct error *err)
{
    const int code =
        database_exec(database, database->writes ? "PRAGMA cache_size=-16384; PRAGMA synchronous=FULL;"
                                                   "PRAGMA journal_size_limit=16777216"
                                                 : "PRAGMA cache_size=-16384");

    return code == SQLITE_OK ? 0 : database_fail(database, code, err);
}

static void disconnect(struct database *database)
{
    const int code = sqlite3_close(database->handle);

    assert(code == SQLITE_OK); /* else a statement was not freed */
    (void)code;
    database->handle = NULL;
}

static int connect_file(struct database *database, const char *parameters)
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
    return code == SQLITE_OK ? defend(database) : code;
}

/* Nothing is opened that would hang or has another meaning to SQLite. */
int database_check_file(const char *path, const char *noun, struct error *err)
{
    struct stat status;

    if (stat(path, &status))
        return error_errno(err, "%s", path);
    if (S_ISDIR(status.st_mode))
        return error_set(err, "%s: is a directory, not a %s", path, noun);
    if (!S_ISREG(status.st_mode))
        return error_set(err, "%s: is not a file, so not a %s", path, noun);
    if (access(path, R_OK))
        return error_errno(err, "%s", path);
    return 0;
}

struct database *database_new(const char *path, bool own, bool writes, struct error *err)
{
    struct database *database = calloc(1, sizeof *database);

    if (database)
        database->path = strdup(path);
    if (!database || !database->path) {
        error_set(err, "out of memory");
        free(database);
        return NULL;
    }
    database->own = own;
    database->writes = writes;
    return database;
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

/* ---- readers ---- */

bool database_is_there(const char *path, off_t *size)
{
    struct stat status;

    *size = 0;
    if (stat(path, &status))
        return errno != ENOENT;
    *size = status.st_size;
    return true;
}

static int begin_view(struct database *database)
{
    return database_exec(database, "BEGIN; PRAGMA user_version");
}

/* Brings a file that was being changed without WAL back to its last good state. */
static int undo_interrupted(struct database *database)
{
    int code;

    database->writes = true;
    code = connect_file(database, "");
    if (code == SQLITE_OK)
        code = begin_view(database);
    database->writes = false;
    return code;
}

/* On a medium where SQLite cannot make the files that belong to WAL mode.  A writer, if there was one, would
 * have made its index. */
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
    return connect_file(database, parameters) == SQLITE_OK ? begin_view(database) : SQLITE_CANTOPEN;
}

/* Begins the transaction that is the reader's view. */
int database_view(struct database *database)
{
    int code = connect_file(database, "");

    if (code == SQLITE_OK)
        code = begin_view(database);
    if (code == SQLITE_READONLY_ROLLBACK && database->own && access(database->path, W_OK) == 0) {
        code = undo_interrupted(database);
        if (code == SQLITE_OK)
            code = connect_file(database, "");
        if (code == SQLITE_OK)
            code = begin_view(database);
    }
    if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY_CANTINIT || code == SQLITE_READONLY_DIRECTORY)
        code = begin_unwritable(database);
    return code;
}

/* ---- writers ---- */

static int apply_step(struct database *database, const struct database_format *format, unsigned step)
{
    char version[64];
    int code = database_exec(database, format->steps[step]);

    snprintf(version, sizeof version, "PRAGMA user_version=%u", step + 1);
    return code == SQLITE_OK ? database_exec(database, version) : code;
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

/* All in one transaction: until it is done the file is empty. */
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

/* Keeps the file for this writer, until it is closed; readers go on. */
static int claim(struct database *database, struct error *err)
{
    int code = SQLITE_OK;

    database_pages_claim(database->handle);
    for (int i = 0; i < CLAIMS && !database_pages_claimed(database->handle); i++) {
        sqlite3_busy_timeout(database->handle, WAIT_MS);
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
    sqlite3_busy_timeout(database->handle, WAIT_MS);
    if ((code & 0xff) == SQLITE_BUSY)
        return error_set(err, "%s: is being written by another program", database->path);
    if (code != SQLITE_OK)
        return database_fail(database, code, err);
    if (!database_pages_claimed(database->handle))
        return error_set(err, "%s: cannot be written: programs cannot share memory on its file system",
                         database->path);
    return 0;
}

static int open_writer(struct database *database, const struct database_format *format, bool create,
                       struct error *err)
{
    unsigned version = 0;
    int code = connect_file(database, "");

    if (code != SQLITE_OK)
        return database_fail(database, code, err);
    if (sqlite3_db_readonly(database->handle, "main") != 0) {
        errno = access(database->path, W_OK) ? errno : EROFS;
        return error_errno(err, "%s: cannot be written", database->path);
    }
    if (create ? fill_new(database, format, err) : database_refuse_others(database, format, err))
        return -1;
    if (claim(database, err) || database_check_version(database, format, &version, err) ||
        database_check_schema(database, format, version, err) || tune(database, err))
        return -1;
    return upgrade(database, format, version, err);
}

static int open_reader(struct database *database, const struct database_format *format, bool fixed,
                       struct error *err)
{
    unsigned version;
    int code = connect_file(database, fixed ? "immutable=1" : "");

    if (code != SQLITE_OK)
        return database_fail(database, code, err);
    if (database_refuse_others(database, format, err))
        return -1;
    code = fixed ? begin_view(database) : database_view(database);
    if (code != SQLITE_OK)
        return database_fail(database, code, err);
    if (database_check_version(database, format, &version, err))
        return -1;
    if (version < database_newest(format))
        return error_set(err,
                         "%s: was made by an older version: its schema is %u, this program's is %u; "
                         "a command that writes to it brings it up to date",
                         database->path, version, database_newest(format));
    return database_check_schema(database, format, version, err) ? -1 : tune(database, err);
}

/* ---- opening and closing ---- */

/* Pages that are free are given back if they are many; it takes time in proportion to them. */
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

/* At rest it is one file.  With readers it stays as it is, and the next writer does this. */
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
            settle(database, NULL); /* leave it as it was */
        database_free(database);
    }
    if (create)
        unlink(path);
    return NULL;
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
    code = database ? connect_file(database, "") : SQLITE_NOMEM;
    if (code == SQLITE_OK)
        return database;
    if (database)
        database_fail(database, code, err);
    database_free(database);
    unlink(path);
    return NULL;
}

/* Before defend(): a connection that is defended does not do without a journal. */
static int connect_temporary(struct database *database)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int code = sqlite3_open_v2("", &database->handle, flags, NULL);

    if (code == SQLITE_OK)
        code = database_exec(database, "PRAGMA journal_mode=OFF");
    if (code == SQLITE_OK)
        code = defend(database);
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
        code = database_exec(database, format->steps[i]);
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
    code = connect_file(database, "");
    if (code == SQLITE_OK)
        code = sqlite3_busy_timeout(database->handle, 0);
    if (code == SQLITE_OK)
        code = database_exec(database, "BEGIN IMMEDIATE");
    if (code == SQLITE_OK)
        database_exec(database, "ROLLBACK");
    database_free(database);
    /* other faults are for whoever reads it */
    return (code & 0xff) == SQLITE_BUSY ? error_set(err, "%s: is being written by another program", path) : 0;
}

/* What the last writer could not do because of this reader, or because it was killed; whoever is still there,
 * or comes, does it later. */
static void settle_after(const char *path)
{
    struct database *database;

    if (access(path, W_OK) != 0)
        return;
    database = database_new(path, true, true, NULL);
    if (database && connect_file(database, "") == SQLITE_OK && claim(database, NULL) == 0)
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

const char *database_path(const struct database *database)
{
    return database->path;
}
