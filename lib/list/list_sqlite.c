/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "database/statement.h"
#include "list/list_inner.h"

/*
 * NSRL RDSv3 (the table FILE, or METADATA in the full sets, where FILE is a view), and the hash sets of
 * Autopsy and The Sleuth Kit (.kdb: tables hashes and file_names).
 *
 * Tables are read in storage order, and never through views.
 */

enum {
    COLUMN_SIZE = DIGEST_KINDS,
    COLUMN_NAME,
    COLUMN_MARK,
    COLUMNS,
};

enum { MAX_TABLE_COLUMNS = 256 };

struct sqlite {
    struct statement *rows;
    int columns[COLUMNS]; /* column numbers in rows, or -1 */
    int id;               /* column of a hash's id in rows; -1 if rows contain their names */
    /* The names of hashes, in the order of the hashes; one name is read ahead. */
    struct statement *names;
    bool has_name;
    int64_t name_id, hash_id;
};

static const struct {
    const char *title;
    int column;
} titles[] = {
    {"sha256", DIGEST_SHA256},  {"sha2_256", DIGEST_SHA256},   {"sha1", DIGEST_SHA1},
    {"md5", DIGEST_MD5},        {"file_size", COLUMN_SIZE},    {"bytes", COLUMN_SIZE},
    {"file_name", COLUMN_NAME}, {"special_code", COLUMN_MARK}, {"specialcode", COLUMN_MARK},
};

static int column_of(const char *title)
{
    for (size_t i = 0; title && i < sizeof titles / sizeof *titles; i++)
        if (list_is_word(title, strlen(title), titles[i].title))
            return titles[i].column;
    return -1;
}

/* ---- tables ---- */

static struct statement *prepare(struct list *list, const struct buffer *sql, struct error *err)
{
    struct buffer text = {0};
    struct statement *statement = NULL;

    buffer_add(&text, sql->data, sql->len);
    buffer_add_char(&text, '\0');
    if (text.failed)
        error_set(err, "out of memory");
    else
        statement = database_prepare(list->database, text.data, err);
    buffer_release(&text);
    return statement;
}

static void add_quoted(struct buffer *out, const char *name)
{
    buffer_add_char(out, '"');
    for (; *name; name++) {
        if (*name == '"')
            buffer_add_char(out, '"');
        buffer_add_char(out, *name);
    }
    buffer_add_char(out, '"');
}

/* Finds a table, not a view or virtual table, and its name as spelled in the file. */
static bool find_table(struct list *list, const char *wanted, struct buffer *name)
{
    struct statement *statement = database_prepare(list->database,
                                                   "SELECT name FROM sqlite_master WHERE type = 'table' AND "
                                                   "lower(name) = ? AND sql NOT LIKE 'CREATE VIRTUAL%'",
                                                   NULL);
    const char *text;
    size_t len;
    bool found = false;

    if (!statement)
        return false;
    statement_bind_text(statement, 1, wanted, strlen(wanted));
    if (statement_step(statement, NULL) == 1 && statement_text(statement, 0, &text, &len) &&
        list_is_word(text, len, wanted)) {
        buffer_reset(name);
        buffer_add(name, text, len);
        buffer_add_char(name, '\0');
        found = !name->failed;
    }
    statement_free(statement);
    return found;
}

/* Adds the known columns to a SELECT, and sets their numbers in it.  Returns false if none is a digest. */
static bool add_columns(struct list *list, const char *table, struct buffer *sql, int columns[COLUMNS],
                        int first)
{
    struct buffer all = {0};
    struct statement *statement;
    bool found = false;

    for (int i = 0; i < COLUMNS; i++)
        columns[i] = -1;
    buffer_add_text(&all, "SELECT * FROM ");
    add_quoted(&all, table);
    buffer_add_text(&all, " LIMIT 0");
    statement = prepare(list, &all, NULL);
    buffer_release(&all);
    for (int i = 0, count = statement ? statement_columns(statement) : 0; i < count && i < MAX_TABLE_COLUMNS;
         i++) {
        const char *title = statement_column_name(statement, i);
        const int column = column_of(title);

        if (column < 0 || columns[column] >= 0)
            continue;
        buffer_add_text(sql, first ? ", " : "");
        add_quoted(sql, title);
        columns[column] = first++;
        found = found || column < DIGEST_KINDS;
    }
    statement_free(statement);
    return found && !sql->failed;
}

/* For progress.  Row numbers of ordinary tables ascend, so the last one approximates the number of rows. */
static void find_row_count(struct list *list, const char *table)
{
    struct buffer sql = {0};
    struct statement *statement;
    int64_t last = 0;

    buffer_add_text(&sql, "SELECT max(rowid) FROM ");
    add_quoted(&sql, table);
    statement = prepare(list, &sql, NULL);
    buffer_release(&sql);
    if (statement && statement_step(statement, NULL) == 1 && statement_number(statement, 0, &last) &&
        last > 0)
        list->all_rows = (uint64_t)last;
    statement_free(statement);
}

/* Finds the table of RDSv3 and makes the SELECT that reads it. */
static bool find_rds(struct list *list, int columns[COLUMNS], struct buffer *table, struct buffer *sql)
{
    static const char *const tables[] = {"file", "metadata"};

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (!find_table(list, tables[i], table))
            continue;
        buffer_reset(sql);
        buffer_add_text(sql, "SELECT ");
        if (!add_columns(list, table->data, sql, columns, 0))
            continue;
        buffer_add_text(sql, " FROM ");
        add_quoted(sql, table->data);
        buffer_add_text(sql, " NOT INDEXED");
        return !sql->failed;
    }
    return false;
}

bool list_nsrl3_detect(struct list *list, const struct list_head *head)
{
    struct buffer table = {0}, sql = {0};
    int columns[COLUMNS];
    bool found = find_rds(list, columns, &table, &sql);

    (void)head;
    buffer_release(&table);
    buffer_release(&sql);
    return found;
}

bool list_kdb_detect(struct list *list, const struct list_head *head)
{
    struct buffer table = {0}, sql = {0};
    int columns[COLUMNS];
    bool found = find_table(list, "hashes", &table) && add_columns(list, table.data, &sql, columns, 1);

    (void)head;
    buffer_release(&table);
    buffer_release(&sql);
    return found;
}

/* ---- opening ---- */

static struct sqlite *new_state(struct list *list, struct error *err)
{
    struct sqlite *sqlite = list_new_state(list, sizeof *sqlite, err);

    if (sqlite)
        sqlite->id = -1;
    return sqlite;
}

int list_nsrl3_open(struct list *list, struct error *err)
{
    struct sqlite *sqlite = new_state(list, err);
    struct buffer table = {0}, sql = {0};

    if (sqlite && find_rds(list, sqlite->columns, &table, &sql)) {
        find_row_count(list, table.data);
        sqlite->rows = prepare(list, &sql, err);
    } else if (sqlite) {
        error_set(err, "%s: has no table FILE or METADATA with a column sha256, sha1 or md5", list->path);
    }
    buffer_release(&table);
    buffer_release(&sql);
    return sqlite && sqlite->rows ? 0 : -1;
}

static int open_hashes(struct list *list, struct sqlite *sqlite, struct buffer *sql, struct error *err)
{
    struct buffer table = {0};
    bool found;

    buffer_add_text(sql, "SELECT id");
    found = find_table(list, "hashes", &table) && add_columns(list, table.data, sql, sqlite->columns, 1);
    if (found) {
        buffer_add_text(sql, " FROM hashes NOT INDEXED ORDER BY id");
        find_row_count(list, table.data);
        sqlite->id = 0;
        sqlite->rows = prepare(list, sql, err);
    } else {
        error_set(err, "%s: has no table hashes with a column md5, sha1 or sha2_256", list->path);
    }
    buffer_release(&table);
    return sqlite->rows ? 0 : -1;
}

int list_kdb_open(struct list *list, struct error *err)
{
    struct sqlite *sqlite = new_state(list, err);
    struct buffer sql = {0}, table = {0};
    int result;

    if (!sqlite)
        return -1;
    result = open_hashes(list, sqlite, &sql, err);
    buffer_release(&sql);
    if (result == 0 && find_table(list, "file_names", &table)) {
        sqlite->names = database_prepare(list->database,
                                         "SELECT hash_id, name FROM file_names ORDER BY hash_id, name", err);
        result = sqlite->names ? 0 : -1;
        sqlite->has_name = true;
        sqlite->name_id = INT64_MIN;
    }
    buffer_release(&table);
    return result;
}

void list_sqlite_close(struct list *list)
{
    struct sqlite *sqlite = list->state;

    statement_free(sqlite->rows);
    statement_free(sqlite->names);
    free(sqlite);
}

/* ---- rows ---- */

/* Takes a digest in bytes or hexadecimal digits; NULL and "" mean none. */
static bool take_digest(struct list *list, struct sqlite *sqlite, enum digest_kind kind)
{
    struct list_entry *entry = &list->entry;
    const int column = sqlite->columns[kind];
    const void *data;
    size_t len;

    if (column < 0)
        return true;
    if (!statement_bytes(sqlite->rows, column, &data, &len))
        return statement_is_null(sqlite->rows, column);
    if (len == 0)
        return true;
    if (len != digest_len(kind))
        return list_add_digest(entry, kind, data, len);
    list_add_digest_bytes(entry, kind, data);
    return true;
}

static bool take_size(struct list *list, struct sqlite *sqlite)
{
    struct list_entry *entry = &list->entry;
    const int column = sqlite->columns[COLUMN_SIZE];
    const char *text;
    int64_t number;
    size_t len;

    if (column < 0)
        return true;
    entry->has_size = true;
    if (statement_number(sqlite->rows, column, &number)) {
        entry->size = (uint64_t)number;
        return number >= 0;
    }
    if (statement_text(sqlite->rows, column, &text, &len) && len)
        return list_number(text, len, &entry->size);
    entry->has_size = false;
    return len == 0 || statement_is_null(sqlite->rows, column);
}

static void take_name(struct list_entry *entry, struct statement *statement, int column)
{
    const void *data;
    size_t len;

    if (column < 0 || !statement_bytes(statement, column, &data, &len) || !len)
        return;
    entry->name = data;
    entry->name_len = len;
}

static void take_mark(struct list *list, const struct sqlite *sqlite)
{
    const int column = sqlite->columns[COLUMN_MARK];
    const char *text;
    size_t len;

    if (column >= 0 && statement_text(sqlite->rows, column, &text, &len))
        list_mark(list, "", text, len);
}

static enum list_result take_row(struct list *list, struct error *err)
{
    struct sqlite *sqlite = list->state;

    list_clear(list);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (!take_digest(list, sqlite, (enum digest_kind)kind))
            return list_bad(list, list->rows, err,
                            "malformed %s: expected %zu bytes or %zu hexadecimal digits",
                            digest_name((enum digest_kind)kind), digest_len((enum digest_kind)kind),
                            2 * digest_len((enum digest_kind)kind));
    if (!list->entry.digests.kinds)
        return list_bad(list, list->rows, err, "there is no digest");
    if (!take_size(list, sqlite))
        return list_bad(list, list->rows, err, "the size is not a number of bytes");
    take_name(&list->entry, sqlite->rows, sqlite->columns[COLUMN_NAME]);
    take_mark(list, sqlite);
    return LIST_ENTRY;
}

/* ---- names in a separate table ---- */

/* Moves to the first name of the current hash or a later one.  Returns 1 if it is of the current hash, 0 if
 * not, -1 on error. */
static int find_name(struct sqlite *sqlite, struct error *err)
{
    while (sqlite->has_name && sqlite->name_id < sqlite->hash_id) {
        const int step = statement_step(sqlite->names, err);

        if (step < 0)
            return -1;
        sqlite->has_name = step > 0;
        if (step > 0 && !statement_number(sqlite->names, 0, &sqlite->name_id))
            sqlite->name_id = INT64_MIN;
    }
    return sqlite->has_name && sqlite->name_id == sqlite->hash_id;
}

/* Takes another name of the hash that was returned last, as an entry of its own; 0 if there is none. */
static int next_name(struct list *list, struct sqlite *sqlite, struct error *err)
{
    const int step = statement_step(sqlite->names, err);

    sqlite->has_name = step > 0;
    if (step <= 0)
        return step;
    if (!statement_number(sqlite->names, 0, &sqlite->name_id))
        sqlite->name_id = INT64_MIN;
    if (sqlite->name_id != sqlite->hash_id)
        return 0;
    take_name(&list->entry, sqlite->names, 1);
    return 1;
}

static enum list_result take_hash(struct list *list, struct error *err)
{
    struct sqlite *sqlite = list->state;
    enum list_result result = take_row(list, err);
    int named;

    if (result != LIST_ENTRY || !sqlite->names)
        return result;
    if (!statement_number(sqlite->rows, sqlite->id, &sqlite->hash_id))
        return result;
    named = find_name(sqlite, err);
    if (named < 0)
        return LIST_FAILED;
    if (named)
        take_name(&list->entry, sqlite->names, 1);
    return LIST_ENTRY;
}

enum list_result list_sqlite_next(struct list *list, struct error *err)
{
    struct sqlite *sqlite = list->state;
    int step;

    if (sqlite->names && list->entry.digests.kinds && sqlite->has_name &&
        sqlite->name_id == sqlite->hash_id && list->entry.name_len) {
        step = next_name(list, sqlite, err);
        if (step)
            return step > 0 ? LIST_ENTRY : LIST_FAILED;
    }
    step = statement_step(sqlite->rows, err);
    if (step <= 0)
        return step < 0 ? LIST_FAILED : LIST_END;
    list->rows++;
    return sqlite->id >= 0 ? take_hash(list, err) : take_row(list, err);
}
