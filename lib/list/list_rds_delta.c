/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "list/list_inner.h"

/*
 * A delta of NSRL RDSv3: SQL that turns one full set into the next.  It is parsed, never executed: rows
 * inserted into FILE or METADATA become entries.  Changes and deletions are not applied, which is reported
 * once.
 */

enum { MAX_VALUES = 64 };

/* The content of a column: a kind of digest, or one of these. */
enum {
    COLUMN_SIZE = DIGEST_KINDS,
    COLUMN_NAME,
    COLUMN_MARK,
    COLUMN_OTHER,
};

/* The columns of FILE if a statement does not name them: with crc32, as in newer sets, and without. */
static const uint8_t with_crc[] = {DIGEST_SHA256, DIGEST_SHA1, DIGEST_MD5,  COLUMN_OTHER,
                                   COLUMN_NAME,   COLUMN_SIZE, COLUMN_OTHER};
static const uint8_t without_crc[] = {DIGEST_SHA256, DIGEST_SHA1, DIGEST_MD5,
                                      COLUMN_NAME,   COLUMN_SIZE, COLUMN_OTHER};

enum place {
    PLACE_OUTSIDE,
    PLACE_TUPLE, /* before a tuple */
    PLACE_AFTER, /* after a tuple */
};

struct delta {
    struct list_sql sql;
    enum place place;
    uint64_t row;
    bool reported; /* that changes are not applied */
    bool cut;      /* the list ended within quotes, in a statement that was skipped */
    uint8_t columns[MAX_VALUES];
    size_t column_count; /* 0: the statement does not name them */

    struct buffer values; /* the texts of the values, concatenated */
    size_t ends[MAX_VALUES];
    bool is_null[MAX_VALUES];
    size_t value_count;
};

static bool is_over(enum list_sql_token token)
{
    return token == LIST_SQL_END || token == LIST_SQL_CUT || token == LIST_SQL_FAILED;
}

static void skip_statement(struct list *list, struct delta *delta, enum list_sql_token token,
                           struct error *err)
{
    while (!is_over(token) && !list_sql_is_sign(&delta->sql, token, ';'))
        token = list_sql_next(list, &delta->sql, err);
    delta->place = PLACE_OUTSIDE;
    delta->cut = token == LIST_SQL_CUT;
}

/* ---- statements ---- */

/* FILE or METADATA, optionally with the name of a schema. */
static bool is_table(const struct delta *delta, enum list_sql_token token)
{
    const char *p = delta->sql.text.data, *dot;
    size_t len = delta->sql.text.len;

    if ((token != LIST_SQL_WORD && token != LIST_SQL_NAME) || !len)
        return false;
    dot = memrchr(p, '.', len);
    if (dot) {
        len -= (size_t)(dot + 1 - p);
        p = dot + 1;
    }
    return list_is_word(p, len, "file") || list_is_word(p, len, "metadata");
}

static int column_of(const char *title, size_t len)
{
    static const struct {
        const char *title;
        int column;
    } titles[] = {{"sha256", DIGEST_SHA256},     {"sha1", DIGEST_SHA1},       {"md5", DIGEST_MD5},
                  {"file_size", COLUMN_SIZE},    {"bytes", COLUMN_SIZE},      {"file_name", COLUMN_NAME},
                  {"special_code", COLUMN_MARK}, {"specialcode", COLUMN_MARK}};

    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (list_is_word(title, len, titles[i].title))
            return titles[i].column;
    return COLUMN_OTHER;
}

/* Called after the opening parenthesis; false if this is not a list of names. */
static bool read_columns(struct list *list, struct delta *delta, struct error *err)
{
    for (delta->column_count = 0; delta->column_count < MAX_VALUES;) {
        enum list_sql_token token = list_sql_next(list, &delta->sql, err);

        if (token != LIST_SQL_WORD && token != LIST_SQL_NAME)
            return false;
        delta->columns[delta->column_count++] =
            (uint8_t)column_of(delta->sql.text.len ? delta->sql.text.data : "", delta->sql.text.len);
        token = list_sql_next(list, &delta->sql, err);
        if (list_sql_is_sign(&delta->sql, token, ')'))
            return true;
        if (!list_sql_is_sign(&delta->sql, token, ','))
            return false;
    }
    return false;
}

/* Parses from INSERT or REPLACE up to the first tuple.  LIST_END means no error. */
static enum list_result begin_insert(struct list *list, struct delta *delta, struct error *err)
{
    enum list_sql_token token = list_sql_next(list, &delta->sql, err);

    while (token == LIST_SQL_WORD && !list_sql_is_keyword(&delta->sql, token, "into"))
        token = list_sql_next(list, &delta->sql, err);
    if (token == LIST_SQL_WORD)
        token = list_sql_next(list, &delta->sql, err);
    delta->column_count = 0;
    if (!is_table(delta, token)) {
        skip_statement(list, delta, token, err);
        return LIST_END;
    }
    token = list_sql_next(list, &delta->sql, err);
    if (list_sql_is_sign(&delta->sql, token, '(') && read_columns(list, delta, err))
        token = list_sql_next(list, &delta->sql, err);
    if (list_sql_is_keyword(&delta->sql, token, "values")) {
        delta->place = PLACE_TUPLE;
        return LIST_END;
    }
    skip_statement(list, delta, token, err);
    return list_bad(list, delta->row, err, "unsupported INSERT statement");
}

/* Parses an UPDATE or DELETE. */
static enum list_result begin_change(struct list *list, struct delta *delta, struct error *err)
{
    enum list_sql_token token = list_sql_next(list, &delta->sql, err);
    bool about_files;

    if (list_sql_is_keyword(&delta->sql, token, "from"))
        token = list_sql_next(list, &delta->sql, err);
    about_files = is_table(delta, token);
    skip_statement(list, delta, token, err);
    if (!about_files || delta->reported)
        return LIST_END;
    delta->reported = true;
    return list_bad(list, delta->row, err,
                    "changes and deletions (UPDATE, DELETE) are not applied; reported only once");
}

static enum list_result begin_statement(struct list *list, struct delta *delta, enum list_sql_token token,
                                        struct error *err)
{
    if (list_sql_is_keyword(&delta->sql, token, "insert") ||
        list_sql_is_keyword(&delta->sql, token, "replace"))
        return begin_insert(list, delta, err);
    if (list_sql_is_keyword(&delta->sql, token, "update") ||
        list_sql_is_keyword(&delta->sql, token, "delete"))
        return begin_change(list, delta, err);
    skip_statement(list, delta, token, err);
    return LIST_END;
}

/* ---- tuples ---- */

static enum list_result bad_tuple(struct list *list, struct delta *delta, enum list_sql_token token,
                                  struct error *err)
{
    if (token == LIST_SQL_FAILED)
        return LIST_FAILED;
    if (token == LIST_SQL_END || token == LIST_SQL_CUT) {
        delta->place = PLACE_OUTSIDE;
        return list_bad(list, delta->row, err, "the list ends within this row");
    }
    if (token == LIST_SQL_LONG) {
        list_sql_skip_line(list, &delta->sql, err);
        delta->place = PLACE_OUTSIDE;
        return list_bad(list, delta->row, err, "a value is longer than %d bytes: probably a missing quote",
                        LINES_LONGEST);
    }
    skip_statement(list, delta, token, err);
    return delta->sql.failed ? LIST_FAILED : list_bad(list, delta->row, err, "malformed list of values");
}

/* Takes a string, a number, X'..' or NULL; *token becomes the next token. */
static bool take_value(struct list *list, struct delta *delta, enum list_sql_token *token, struct error *err)
{
    const size_t at = delta->value_count;
    const bool negative = list_sql_is_sign(&delta->sql, *token, '-');

    if (at == MAX_VALUES)
        return false;
    if (negative) {
        buffer_add_char(&delta->values, '-');
        *token = list_sql_next(list, &delta->sql, err);
    }
    delta->is_null[at] = list_sql_is_keyword(&delta->sql, *token, "null");
    if (list_sql_is_keyword(&delta->sql, *token, "x"))
        *token = list_sql_next(list, &delta->sql, err);
    if (*token != LIST_SQL_STRING && *token != LIST_SQL_NUMBER && !delta->is_null[at])
        return false;
    buffer_add(&delta->values, delta->sql.text.data, delta->sql.text.len);
    delta->ends[at] = delta->values.len;
    delta->value_count++;
    *token = list_sql_next(list, &delta->sql, err);
    return delta->values.len <= LINES_LONGEST;
}

/* Returns NULL, or what is wrong. */
static const char *set_field(struct list *list, int column, const char *p, size_t len)
{
    struct list_entry *entry = &list->entry;

    if (column < COLUMN_SIZE)
        return len == 0 || list_add_digest(entry, (enum digest_kind)column, p, len) ? NULL
                                                                                    : "malformed digest";
    if (column == COLUMN_SIZE) {
        entry->has_size = len != 0;
        return len == 0 || list_number(p, len, &entry->size) ? NULL : "the size is not a number of bytes";
    }
    if (column == COLUMN_MARK)
        list_mark(list, "", p, len);
    if (column == COLUMN_NAME) {
        entry->name = p;
        entry->name_len = len;
    }
    return NULL;
}

static const char *set_fields(struct list *list, const struct delta *delta, const uint8_t *columns)
{
    const char *wrong = NULL;

    list_clear(list);
    for (size_t i = 0; i < delta->value_count && !wrong; i++) {
        const size_t from = i ? delta->ends[i - 1] : 0;

        if (!delta->is_null[i] && delta->ends[i] > from)
            wrong = set_field(list, columns[i], delta->values.data + from, delta->ends[i] - from);
    }
    return wrong || list->entry.digests.kinds ? wrong : "there is no digest";
}

static enum list_result take_tuple(struct list *list, struct delta *delta, struct error *err)
{
    const uint8_t *columns = delta->columns;
    const size_t count = delta->value_count;
    const char *wrong;

    if (!delta->column_count && count == sizeof with_crc)
        columns = with_crc;
    else if (!delta->column_count && count == sizeof without_crc)
        columns = without_crc;
    else if (count != delta->column_count)
        return list_bad(list, delta->row, err, "wrong number of values: %zu instead of %zu", count,
                        delta->column_count ? delta->column_count : sizeof with_crc);
    if (delta->values.failed)
        return list_failed(list, err, "out of memory");
    wrong = set_fields(list, delta, columns);
    return wrong ? list_bad(list, delta->row, err, "%s", wrong) : LIST_ENTRY;
}

static enum list_result read_tuple(struct list *list, struct delta *delta, struct error *err)
{
    enum list_sql_token token = list_sql_next(list, &delta->sql, err);

    delta->row = delta->sql.line;
    buffer_reset(&delta->values);
    delta->value_count = 0;
    if (!list_sql_is_sign(&delta->sql, token, '('))
        return bad_tuple(list, delta, token, err);
    do {
        token = list_sql_next(list, &delta->sql, err);
        if (!take_value(list, delta, &token, err))
            return bad_tuple(list, delta, token, err);
    } while (list_sql_is_sign(&delta->sql, token, ','));
    if (!list_sql_is_sign(&delta->sql, token, ')'))
        return bad_tuple(list, delta, token, err);
    delta->place = PLACE_AFTER;
    return take_tuple(list, delta, err);
}

enum list_result list_delta_next(struct list *list, struct error *err)
{
    struct delta *delta = list->state;
    enum list_result result = LIST_END;

    while (result == LIST_END) {
        enum list_sql_token token;

        if (delta->place == PLACE_TUPLE)
            return read_tuple(list, delta, err);
        token = delta->cut ? LIST_SQL_CUT : list_sql_next(list, &delta->sql, err);
        delta->cut = false;
        if (token == LIST_SQL_FAILED)
            return LIST_FAILED;
        if (token == LIST_SQL_CUT)
            return list_bad(list, delta->sql.line, err, "unterminated quote at the end of the list");
        if (delta->place == PLACE_AFTER && list_sql_is_sign(&delta->sql, token, ',')) {
            delta->place = PLACE_TUPLE;
        } else if (delta->place == PLACE_AFTER) {
            skip_statement(list, delta, token, err); /* its end, or ON CONFLICT ... */
        } else {
            delta->row = delta->sql.line;
            if (token == LIST_SQL_END)
                return LIST_END;
            result = begin_statement(list, delta, token, err);
        }
    }
    return result;
}

/* ---- opening ---- */

bool list_delta_detect(struct list *list, const struct list_head *from)
{
    static const char *const words[] = {"insert", "replace", "update", "delete", "begin",
                                        "pragma", "create",  "drop",   "commit"};
    struct list_head head = *from;
    const char *line;
    size_t len;

    (void)list;
    while (list_head_line(&head, &line, &len)) {
        size_t letters = 0;

        while (len && list_sql_is_space(*line)) {
            line++;
            len--;
        }
        if (!len || *line == '-' || *line == '/' || *line == '*')
            continue;
        while (letters < len && list_sql_is_word((unsigned char)line[letters]))
            letters++;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (list_is_word(line, letters, words[i]) &&
                (letters == len || list_sql_is_space(line[letters]) || line[letters] == ';'))
                return true;
        return false;
    }
    return false;
}

int list_delta_open(struct list *list, struct error *err)
{
    struct delta *delta = list_new_state(list, sizeof *delta, err);

    if (!delta)
        return -1;
    list_sql_begin(&delta->sql);
    return 0;
}

void list_delta_close(struct list *list)
{
    struct delta *delta = list->state;

    list_sql_release(&delta->sql);
    buffer_release(&delta->values);
    free(delta);
}
