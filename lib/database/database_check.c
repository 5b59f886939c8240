/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>
#include <sys/types.h>

#include "database/database.h"
#include "database/database_inner.h"

enum { PAGES_REPORTED = 100 };

static const char magic[16] = "SQLite format 3";

/* ---- is it one of kith's own files? ---- */

static uint32_t get_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

bool database_detect(const void *head, size_t len)
{
    return len >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

/* The number of header fields that differ from what all files of the format have. */
static int strange_fields(const uint8_t *page, const struct database_format *format)
{
    return !database_detect(page, DATABASE_PAGE) + (page[16] << 8 != DATABASE_PAGE || page[17] != 0) +
           (page[20] != DATABASE_SUM) + (get_u32(page + 68) != format->application_id);
}

/* Called before SQLite parses the file.  Returns 0, 1 if the file has the format but a damaged header, or -1
 * if it does not have the format. */
static int check_header(struct database *database, const struct database_format *format, uint8_t *page,
                        int64_t *len, struct error *err)
{
    int code = database_pages_first(database->handle, page, len), strange;

    if (code != SQLITE_OK)
        return database_fail(database, code, err);
    if (*len == 0)
        return error_set(err, "%s: is empty, not a %s", database->path, format->noun);
    strange = strange_fields(page, format);
    if (strange > 1 || (strange == 1 && database_page_is_good(page, 1)))
        return error_set(err, "%s: is not a %s", database->path, format->noun);
    return strange;
}

int database_refuse_others(struct database *database, const struct database_format *format, struct error *err)
{
    uint8_t page[DATABASE_PAGE] = {0};
    int64_t len;
    const int result = check_header(database, format, page, &len, err);

    return result > 0 ? error_set(err, "%s: is damaged: invalid header", database->path) : result;
}

unsigned database_newest(const struct database_format *format)
{
    unsigned count = 0;

    while (format->steps[count])
        count++;
    return count;
}

int database_check_version(struct database *database, const struct database_format *format, unsigned *version,
                           struct error *err)
{
    const unsigned known = database_newest(format);
    int64_t id = 0, number = 0;
    int code = database_ask(database, "PRAGMA application_id", &id);

    if (code == SQLITE_OK)
        code = database_ask(database, "PRAGMA user_version", &number);
    if (code != SQLITE_OK)
        return database_fail(database, code, err);
    if ((uint32_t)id != format->application_id || number < 1)
        return error_set(err, "%s: is not a %s", database->path, format->noun);
    if (number > known)
        return error_set(err,
                         "%s: was written by a newer version of kith: its schema version is %" PRId64
                         ", this program supports up to %u",
                         database->path, number, known);
    *version = (unsigned)number;
    return 0;
}

static const char schema_sql[] =
    "SELECT type, name, tbl_name, sql FROM sqlite_schema "
    "ORDER BY 1, 2 LIMIT 1000"; /* sorted in memory, and a hostile file may have any number */

static bool same_row(sqlite3_stmt *a, sqlite3_stmt *b)
{
    for (int i = 0; i < 4; i++) {
        const int len = sqlite3_column_bytes(a, i);
        const void *x = sqlite3_column_blob(a, i), *y = sqlite3_column_blob(b, i);

        if (sqlite3_column_type(a, i) != sqlite3_column_type(b, i) || len != sqlite3_column_bytes(b, i) ||
            (len > 0 && (!x || !y || memcmp(x, y, (size_t)len) != 0)))
            return false;
    }
    return true;
}

/* Returns an SQLite code for reading `got`. */
static int compare_schemas(sqlite3_stmt *wanted, sqlite3_stmt *got, bool *same)
{
    int wanted_code, code;

    do {
        wanted_code = sqlite3_step(wanted);
        code = sqlite3_step(got);
        *same = wanted_code == code;
    } while (*same && code == SQLITE_ROW && (*same = same_row(wanted, got)));
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

static int make_schema(sqlite3 **memory, const struct database_format *format, unsigned version)
{
    int code = sqlite3_open_v2(":memory:", memory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL);

    for (unsigned i = 0; i < version && code == SQLITE_OK; i++)
        code = sqlite3_exec(*memory, format->steps[i], NULL, NULL, NULL);
    return code;
}

int database_check_schema(struct database *database, const struct database_format *format, unsigned version,
                          struct error *err)
{
    sqlite3 *memory = NULL;
    sqlite3_stmt *wanted = NULL, *got = NULL;
    int64_t shared = 0;
    bool same = false;
    int result = 0, code = make_schema(&memory, format, version);

    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(memory, schema_sql, -1, &wanted, NULL);
    if (code != SQLITE_OK) {
        result = error_set(err, "cannot create the schema of a %s: %s", format->noun, sqlite3_errmsg(memory));
        goto out;
    }
    code = sqlite3_prepare_v2(database->handle, schema_sql, -1, &got, NULL);
    if (code == SQLITE_OK)
        code = compare_schemas(wanted, got, &same);
    if (code == SQLITE_OK)
        code = database_ask(database, "SELECT count(rootpage) - count(DISTINCT rootpage) FROM sqlite_schema",
                            &shared);
    if (code != SQLITE_OK)
        result = database_fail(database, code, err);
    else if (!same || shared != 0)
        result =
            error_set(err, "%s: is damaged: its schema is not that of a %s", database->path, format->noun);
out:
    sqlite3_finalize(wanted);
    sqlite3_finalize(got);
    sqlite3_close(memory);
    return result;
}

/* ---- verifying ---- */

struct checking {
    struct database *database;
    void (*fault)(void *arg, const char *text);
    void *arg;
    int count;
    int damaged; /* pages */
};

static void report(struct checking *check, const char *text)
{
    check->fault(check->arg, text);
    check->count++;
}

bool database_is_page_fault(const char *text)
{
    return strstr(text, "is damaged: checksum mismatch") != NULL;
}

static void report_page(void *arg, uint32_t page)
{
    struct checking *check = arg;
    struct error text;

    if (check->damaged++ >= PAGES_REPORTED)
        return;
    error_set(&text, "%s: page %" PRIu32 " is damaged: checksum mismatch", check->database->path, page);
    report(check, text.text);
}

static bool has_wal(struct database *database)
{
    const char *path = sqlite3_db_filename(database->handle, "main");
    off_t size;

    return path && database_is_there(sqlite3_filename_wal(path), &size) && size > 0;
}

/* Not if there is a WAL: it may hold pages that are not in the file yet. */
static void check_size(struct checking *check, const uint8_t *page, int64_t len)
{
    const bool is_valid = get_u32(page + 24) == get_u32(page + 92);
    const int64_t pages = get_u32(page + 28);
    struct error text;

    if (len % DATABASE_PAGE == 0 && (!is_valid || pages * DATABASE_PAGE == len || has_wal(check->database)))
        return;
    error_set(&text, "%s: is damaged: it has %" PRId64 " bytes, but its header states %" PRId64 " pages",
              check->database->path, len, pages);
    report(check, text.text);
}

static int check_pages(struct checking *check, const uint8_t *page, int64_t len, struct error *err)
{
    const int code =
        database_pages_check(check->database->handle, has_wal(check->database), report_page, check);
    struct error text;

    if (code != SQLITE_OK)
        return database_fail(check->database, code, err);
    if (check->damaged > PAGES_REPORTED) {
        error_set(&text, "%s: %d damaged pages in total", check->database->path, check->damaged);
        report(check, text.text);
    }
    check_size(check, page, len);
    return 0;
}

/* A row of the check is a heading, or several lines with a fault in each. */
static void report_rows(struct checking *check, const char *row)
{
    static const char heading[] = "*** in database", unreadable[] = "unable to get the page";

    for (size_t len; *row; row += len + (row[len] == '\n')) {
        struct error text;

        len = strcspn(row, "\n");
        if (len == 0 || strncmp(row, heading, sizeof heading - 1) == 0)
            continue;
        /* a page that cannot be read is reported already if its checksum is wrong */
        if (check->damaged && memmem(row, len, unreadable, sizeof unreadable - 1))
            continue;
        error_set(&text, "%s: is damaged: %.*s", check->database->path, (int)len, row);
        report(check, text.text);
    }
}

/* Runs SQLite's own check. */
static void check_integrity(struct checking *check)
{
    struct error text;
    sqlite3_stmt *statement = NULL;
    int code =
        sqlite3_prepare_v2(check->database->handle, "PRAGMA integrity_check(20)", -1, &statement, NULL);

    if (code == SQLITE_OK)
        while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
            const char *row = (const char *)sqlite3_column_text(statement, 0);

            if (!row || strcmp(row, "ok") != 0)
                report_rows(check, row ? row : "out of memory");
        }
    if (code != SQLITE_DONE && check->count == 0) { /* else due to a page already reported */
        database_fail(check->database, code, &text);
        report(check, text.text);
    }
    sqlite3_finalize(statement);
}

static int check_file_whole(struct checking *check, const struct database_format *format, struct error *err)
{
    uint8_t page[DATABASE_PAGE] = {0};
    struct error text = {""};
    unsigned version = 0;
    int64_t len = 0;
    const int view = database_view(check->database);

    if ((view & 0xff) == SQLITE_NOMEM) /* the connection may be unusable */
        return database_fail(check->database, view, err);
    if (view != SQLITE_OK)
        database_fail(check->database, view, &text);
    if (check_header(check->database, format, page, &len, err) < 0 || check_pages(check, page, len, err))
        return -1;
    if (view == SQLITE_OK && database_check_version(check->database, format, &version, &text) == 0) {
        check_integrity(check);
        if (database_check_schema(check->database, format, version, &text) && check->count == 0)
            report(check, text.text);
    } else if (check->count == 0) {
        return error_set(err, "%s", text.text);
    }
    return check->count;
}

int database_verify(const char *path, const struct database_format *format,
                    void (*fault)(void *arg, const char *text), void *arg, struct error *err)
{
    struct checking check = {.fault = fault, .arg = arg};
    int result;

    if (database_check_file(path, format->noun, err))
        return -1;
    check.database = database_new(path, true, false, err);
    if (!check.database)
        return -1;
    result = check_file_whole(&check, format, err);
    database_free(check.database);
    return result;
}
