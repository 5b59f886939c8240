/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "case/casefile_inner.h"

/* In the log; the id of a row of table context is its key's number, from 1. */
static const char *const names[CASE_CONTEXT_KEYS] = {"case number", "examiner", "organisation", "notes"};

static int get_value(struct casefile *casefile, struct statement *row, struct error *err)
{
    uint64_t key;
    const char *value;

    if (!statement_up_to(row, 0, CASE_CONTEXT_KEYS, &key) || key == 0 ||
        !casefile_get_string(row, 1, &value) || strlen(value) > CASE_CONTEXT_LEN)
        return casefile_broken(casefile, err, "malformed row in table context");
    free(casefile->context[key - 1]);
    casefile->context[key - 1] = strdup(value);
    return casefile->context[key - 1] ? 0 : error_set(err, "out of memory");
}

int casefile_load_context(struct casefile *casefile, struct error *err)
{
    struct statement *row =
        database_prepare(casefile->database, "SELECT id, value FROM context ORDER BY id", err);
    int result = row ? 0 : -1;

    while (result == 0 && (result = statement_step(row, err)) > 0)
        result = get_value(casefile, row, err);
    statement_free(row);
    return result;
}

void casefile_context(const struct casefile *casefile, struct case_context *context)
{
    const char *values[CASE_CONTEXT_KEYS];

    for (int key = 0; key < CASE_CONTEXT_KEYS; key++)
        values[key] = casefile->context[key] ? casefile->context[key] : "";
    *context = (struct case_context){values[CASE_NUMBER], values[CASE_EXAMINER], values[CASE_ORGANISATION],
                                     values[CASE_NOTES]};
}

/* Whether a report can show the text as it is: UTF-8 without control or invisible characters, except tabs and
 * the ends of lines. */
static bool is_plain(const char *text)
{
    size_t len;

    for (; *text; text += len + (text[len] != '\0')) {
        len = strcspn(text, "\n\t\\");
        if (escape_needed(text, len))
            return false;
    }
    return true;
}

int casefile_check_context(enum case_context_key key, const char *value, struct error *err)
{
    if (strlen(value) > CASE_CONTEXT_LEN)
        return error_set(err, "%s: %zu bytes are too many: at most %d", names[key], strlen(value),
                         CASE_CONTEXT_LEN);
    return is_plain(value)
               ? 0
               : error_set(err, "%s: not plain text: a control or invisible character, or not UTF-8",
                           names[key]);
}

static int put_value(struct casefile *casefile, enum case_context_key key, const char *value,
                     struct error *err)
{
    struct statement *row =
        database_prepare(casefile->database, "INSERT OR REPLACE INTO context (id, value) VALUES (?, ?)", err);

    casefile_bind_number(row, 1, (uint64_t)key + 1);
    casefile_bind_string(row, 2, value);
    return casefile_run(casefile, row, err);
}

int casefile_set_context(struct casefile *casefile, enum case_context_key key, const char *value, int64_t now,
                         struct error *err)
{
    char *copy;
    struct error text;

    if (casefile_check_context(key, value, err) || casefile_commit(casefile, err))
        return -1;
    if (casefile->context[key] && strcmp(casefile->context[key], value) == 0)
        return 0;
    copy = strdup(value);
    if (!copy)
        return error_set(err, "out of memory");
    error_set(&text, "%s set to \"%.200s\"%s", names[key], value, strlen(value) > 200 ? " ..." : "");
    if (put_value(casefile, key, value, err) || casefile_seal(casefile, 0, now, text.text, err)) {
        free(copy);
        return -1;
    }
    free(casefile->context[key]);
    casefile->context[key] = copy;
    return 0;
}
