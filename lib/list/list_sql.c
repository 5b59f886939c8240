/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "list/list_inner.h"

void list_sql_begin(struct list_sql *sql)
{
    *sql = (struct list_sql){.line = 1};
    sql->p = sql->stop = "";
}

void list_sql_release(struct list_sql *sql)
{
    buffer_release(&sql->text);
}

/* ---- characters ---- */

static bool fill(struct list *list, struct list_sql *sql, struct error *err)
{
    const char *data;
    size_t len;
    int more = sql->failed ? 0 : lines_bytes(list->lines, &data, &len, err);

    sql->failed = sql->failed || more < 0;
    if (more <= 0)
        return false;
    sql->p = data;
    sql->stop = data + len;
    return true;
}

static inline int peek(struct list *list, struct list_sql *sql, struct error *err)
{
    return sql->p < sql->stop || fill(list, sql, err) ? (unsigned char)*sql->p : -1;
}

static inline void pass(struct list_sql *sql)
{
    sql->line += *sql->p == '\n';
    sql->p++;
}

/* What a character can begin or continue. */
enum {
    SIGN,
    WORD,
    SPACE,
    QUOTE,
};
static const uint8_t classes[256] = {
    ['0' ... '9'] = WORD, ['A' ... 'Z'] = WORD, ['a' ... 'z'] = WORD, [0x80 ... 0xff] = WORD,
    ['\t'] = SPACE,       ['\n'] = SPACE,       ['\f'] = SPACE,       ['\r'] = SPACE,
    [' '] = SPACE,        ['"'] = QUOTE,        ['$'] = WORD,         ['\''] = QUOTE,
    ['.'] = WORD,         ['['] = QUOTE,        ['_'] = WORD,         ['`'] = QUOTE,
};

bool list_sql_is_word(int c)
{
    return c >= 0 && classes[c] == WORD;
}

bool list_sql_is_space(int c)
{
    return c >= 0 && classes[c] == SPACE;
}

/* ---- tokens ---- */

void list_sql_skip_line(struct list *list, struct list_sql *sql, struct error *err)
{
    int c;

    while ((c = peek(list, sql, err)) >= 0 && c != '\n')
        pass(sql);
}

static void skip_comment(struct list *list, struct list_sql *sql, struct error *err)
{
    int c, last = 0;

    while ((c = peek(list, sql, err)) >= 0) {
        pass(sql);
        if (last == '*' && c == '/')
            return;
        last = c;
    }
}

/* Takes text up to a closing character, which is doubled where it is part of the text. */
static enum list_sql_token take_quoted(struct list *list, struct list_sql *sql, char close,
                                       enum list_sql_token token, struct error *err)
{
    while (peek(list, sql, err) >= 0) {
        const char *end = memchr(sql->p, close, (size_t)(sql->stop - sql->p));
        const size_t len = (size_t)((end ? end : sql->stop) - sql->p);

        buffer_add(&sql->text, sql->p, len);
        for (const char *p = sql->p; (p = memchr(p, '\n', (size_t)(sql->p + len - p))) != NULL; p++)
            sql->line++;
        sql->p += len;
        if (sql->text.len > LINES_LONGEST)
            return LIST_SQL_LONG;
        if (!end)
            continue;
        sql->p++;
        if (peek(list, sql, err) != close)
            return token;
        buffer_add_char(&sql->text, close);
        sql->p++;
    }
    return LIST_SQL_CUT;
}

static enum list_sql_token take_word(struct list *list, struct list_sql *sql, struct error *err)
{
    const enum list_sql_token token = *sql->p >= '0' && *sql->p <= '9' ? LIST_SQL_NUMBER : LIST_SQL_WORD;

    while (list_sql_is_word(peek(list, sql, err))) {
        const char *begin = sql->p;

        while (sql->p < sql->stop && classes[(unsigned char)*sql->p] == WORD)
            sql->p++;
        buffer_add(&sql->text, begin, (size_t)(sql->p - begin));
        if (sql->text.len > LINES_LONGEST)
            return LIST_SQL_LONG;
    }
    return token;
}

/* Takes a sign; returns false if it began a comment, which is skipped. */
static bool take_sign(struct list *list, struct list_sql *sql, struct error *err)
{
    sql->sign = *sql->p;
    pass(sql);
    if (sql->sign == '-' && peek(list, sql, err) == '-')
        list_sql_skip_line(list, sql, err);
    else if (sql->sign == '/' && peek(list, sql, err) == '*')
        skip_comment(list, sql, err);
    else
        return true;
    return false;
}

/* Called after the opening quote. */
static enum list_sql_token take_quote(struct list *list, struct list_sql *sql, char open, struct error *err)
{
    const char close = open == '[' ? ']' : open;

    return take_quoted(list, sql, close, open == '\'' ? LIST_SQL_STRING : LIST_SQL_NAME, err);
}

static enum list_sql_token take_token(struct list *list, struct list_sql *sql, struct error *err)
{
    int c;

    buffer_reset(&sql->text);
    while ((c = peek(list, sql, err)) >= 0) {
        switch (classes[c]) {
        case SPACE:
            pass(sql);
            break;
        case WORD:
            return take_word(list, sql, err);
        case QUOTE:
            sql->p++;
            return take_quote(list, sql, (char)c, err);
        case SIGN:
        default:
            if (take_sign(list, sql, err))
                return LIST_SQL_SIGN;
        }
    }
    return LIST_SQL_END;
}

enum list_sql_token list_sql_next(struct list *list, struct list_sql *sql, struct error *err)
{
    const enum list_sql_token token = take_token(list, sql, err);

    if (sql->text.failed) {
        sql->failed = true;
        list_failed(list, err, "out of memory");
    }
    return sql->failed ? LIST_SQL_FAILED : token;
}

bool list_sql_is_sign(const struct list_sql *sql, enum list_sql_token token, char sign)
{
    return token == LIST_SQL_SIGN && sql->sign == sign;
}

bool list_sql_is_keyword(const struct list_sql *sql, enum list_sql_token token, const char *word)
{
    return token == LIST_SQL_WORD && list_is_word(sql->text.data, sql->text.len, word);
}
