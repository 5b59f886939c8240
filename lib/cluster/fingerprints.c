/* SPDX-License-Identifier: Apache-2.0 */

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "cluster/fingerprints_inner.h"

static const char *const schema[] = {
    "CREATE TABLE about ("
    " id INTEGER PRIMARY KEY CHECK (id = 1), model TEXT NOT NULL, groups INTEGER NOT NULL) STRICT;"
    "CREATE TABLE contents ("
    " number INTEGER PRIMARY KEY, size INTEGER NOT NULL, sha1 BLOB NOT NULL, bits BLOB NOT NULL,"
    " UNIQUE (sha1, size)) STRICT;"
    "CREATE TABLE documents ("
    " id INTEGER PRIMARY KEY, content INTEGER NOT NULL, path BLOB NOT NULL, kind INTEGER NOT NULL,"
    " UNIQUE (path, kind, content)) STRICT;"
    "CREATE INDEX documents_of_content ON documents (content, id);" GROUPS_TABLE(GROUPS_MERGED) ";",
    NULL,
};

static const struct database_format format = {
    .application_id = 0x4b495446, /* "KITF" */
    .noun = "file of fingerprints",
    .steps = schema,
};

static const char *const sqls[FINGERPRINTS_SQLS] = {
    [FINGERPRINTS_FIND_CONTENT] = "SELECT number FROM contents WHERE sha1 = ?1 AND size = ?2",
    [FINGERPRINTS_ADD_CONTENT] = "INSERT INTO contents VALUES (?1, ?2, ?3, ?4)",
    [FINGERPRINTS_REMOVE_CONTENT] = "DELETE FROM contents WHERE number = ?1",
    [FINGERPRINTS_ADD_DOCUMENT] = "INSERT OR IGNORE INTO documents (content, path, kind) VALUES (?1, ?2, ?3)",
    [FINGERPRINTS_FIRST_DOCUMENT] =
        ("SELECT c.number, c.size, c.sha1, d.kind, d.path FROM documents d"
         " JOIN contents c ON c.number = d.content WHERE d.content = ?1 ORDER BY d.id LIMIT 1"),
    /* ?2 and ?3: the path with '/' and with the character after that */
    [FINGERPRINTS_FIND_DROPPED] =
        "SELECT id, content FROM documents WHERE path = ?1 OR (path > ?2 AND path < ?3) LIMIT 1",
    [FINGERPRINTS_DROP] = "DELETE FROM documents WHERE id = ?1",
    [FINGERPRINTS_MOVE_CONTENT] = "UPDATE contents SET number = ?2 WHERE number = ?1",
    [FINGERPRINTS_MOVE_DOCUMENTS] = "UPDATE documents SET content = ?2 WHERE content = ?1",
};

/* ---- values ---- */

int fingerprints_broken(const struct fingerprints *fingerprints, struct error *err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    database_broken(fingerprints->database, err, "the file of fingerprints", "", fmt, args);
    va_end(args);
    return -1;
}

static bool take_bits(struct fingerprints *fingerprints, struct statement *row, int column)
{
    const size_t words = fingerprints_words(fingerprints);

    if (!statement_exactly(row, column, fingerprints->bits, words * sizeof *fingerprints->bits))
        return false;
    for (size_t i = 0; i < words; i++)
        fingerprints->bits[i] = le64toh(fingerprints->bits[i]);
    return hamming_is_valid(fingerprints->bits, fingerprints->params.size);
}

/* ---- loading ---- */

static int take_about(struct fingerprints *fingerprints, struct statement *row, uint32_t *m,
                      struct error *err)
{
    struct sketch model = {0};
    struct error why;
    const char *text;
    uint64_t groups;
    size_t len;
    bool is_good;

    if (!statement_text(row, 0, &text, &len) || !statement_up_to(row, 1, GROUPS_MOST_BITS, &groups))
        return fingerprints_broken(fingerprints, err, "no parameters");
    is_good = sketch_parse(&model, text, len, &why) == 0 && model.params.scheme == SKETCH_HAMMING &&
              model.params.size <= GROUPS_MOST_BITS;
    fingerprints->params = model.params;
    *m = (uint32_t)groups;
    sketch_release(&model);
    return is_good ? 0 : fingerprints_broken(fingerprints, err, "invalid parameters");
}

static int load_about(struct fingerprints *fingerprints, uint32_t *m, struct error *err)
{
    struct statement *row = database_prepare(fingerprints->database, "SELECT model, groups FROM about", err);
    int result = row ? statement_step(row, err) : -1;

    if (result == 0)
        result = fingerprints_broken(fingerprints, err, "no parameters");
    else if (result > 0)
        result = take_about(fingerprints, row, m, err);
    statement_free(row);
    if (result == 0)
        fingerprints->bits = memory_new(fingerprints_words(fingerprints) * sizeof *fingerprints->bits, err);
    return fingerprints->bits ? result : -1;
}

/* Adds a content in its place; `rows` are loaded so far. */
static int load_content(struct fingerprints *fingerprints, struct statement *row, uint64_t rows,
                        struct error *err)
{
    const uint64_t most = 2 * rows + FINGERPRINTS_PLACES;
    uint64_t number;

    if (!statement_up_to(row, 0, most, &number) || number < groups_count(fingerprints->groups))
        return fingerprints_broken(fingerprints, err, "numbers of contents");
    memset(fingerprints->bits, 0, fingerprints_words(fingerprints) * sizeof *fingerprints->bits);
    while (groups_count(fingerprints->groups) < number)
        if (groups_add(fingerprints->groups, GROUPS_REMOVED, fingerprints->bits, err))
            return -1;
    if (!take_bits(fingerprints, row, 1))
        return fingerprints_broken(fingerprints, err, "the bits of content %" PRIu64, number);
    return groups_add(fingerprints->groups, number, fingerprints->bits, err);
}

/* The removed contents before a row are no more than all rows, so memory stays in proportion to the file. */
static int load_contents(struct fingerprints *fingerprints, struct error *err)
{
    struct statement *row = NULL;
    int64_t rows;
    int result = statement_ask(fingerprints->database, "SELECT COUNT(*) FROM contents", &rows, err);

    if (result >= 0)
        row = database_prepare(fingerprints->database, "SELECT number, bits FROM contents ORDER BY number",
                               err);
    if (!row)
        return -1;
    while ((result = statement_step(row, err)) > 0)
        if (load_content(fingerprints, row, (uint64_t)rows, err)) {
            result = -1;
            break;
        }
    statement_free(row);
    return result;
}

int fingerprints_load(struct fingerprints *fingerprints, uint32_t m, struct error *err)
{
    const struct groups_params params = {fingerprints->params.size, m, 0};
    struct error why;

    groups_free(fingerprints->groups);
    fingerprints->groups = NULL;
    if (groups_check(&params, GROUPS_H, &why))
        return fingerprints_broken(fingerprints, err, "%s", why.text);
    fingerprints->groups = groups_new_in(&params, fingerprints->database, err);
    return fingerprints->groups ? load_contents(fingerprints, err) : -1;
}

static int load(struct fingerprints *fingerprints, struct error *err)
{
    uint32_t m = 0;

    if (load_about(fingerprints, &m, err) ||
        statement_prepare_all(fingerprints->statements, fingerprints->database, sqls, FINGERPRINTS_SQLS,
                              err) ||
        fingerprints_load(fingerprints, m, err))
        return -1;
    groups_adopt(fingerprints->groups);
    return 0;
}

/* ---- opening ---- */

static struct fingerprints *open_in(struct database *database, struct error *err)
{
    struct fingerprints *fingerprints = database ? memory_new(sizeof *fingerprints, err) : NULL;

    if (!fingerprints) {
        database_close(database, NULL);
        return NULL;
    }
    fingerprints->database = database;
    if (load(fingerprints, err) == 0)
        return fingerprints;
    fingerprints_close(fingerprints);
    return NULL;
}

struct fingerprints *fingerprints_open(const char *path, bool to_write, struct error *err)
{
    return open_in(database_open(path, to_write ? DATABASE_WRITE : DATABASE_READ, &format, err), err);
}

static int write_about(struct database *database, const struct sketch_params *params, uint32_t m,
                       struct error *err)
{
    struct statement *insert = database_prepare(database, "INSERT INTO about VALUES (1, ?1, ?2)", err);
    struct sketcher *sketcher = insert ? sketch_new(params, err) : NULL;
    struct sketch model = {0};
    struct buffer text = {0};
    int result = sketcher ? sketch_bytes(sketcher, "", 0, true, &model, err) : -1;

    if (result == 0) {
        sketch_format(&model, &text);
        if (text.failed || text.len == 0)
            result = error_set(err, "out of memory");
    }
    if (result == 0) {
        statement_bind_text(insert, 1, text.data, text.len - 1); /* without its newline */
        statement_bind_number(insert, 2, m);
        result = statement_run(insert, err);
    }
    buffer_release(&text);
    sketch_release(&model);
    sketch_free(sketcher);
    statement_free(insert);
    return result;
}

struct fingerprints *fingerprints_create(const char *path, const struct sketch_params *params, uint32_t m,
                                         struct error *err)
{
    const struct groups_params groups = {params->size, m, 0};
    struct database *database;

    if (params->scheme != SKETCH_HAMMING) {
        error_set(err, "only sketches of scheme hamming are fingerprints");
        return NULL;
    }
    if (groups_check(&groups, GROUPS_H, err))
        return NULL;
    database = database_open(path, DATABASE_CREATE, &format, err);
    if (database && write_about(database, params, m, err) == 0)
        return open_in(database, err);
    database_close(database, NULL);
    return NULL;
}

void fingerprints_close(struct fingerprints *fingerprints)
{
    if (!fingerprints)
        return;
    groups_free(fingerprints->groups);
    statement_free_all(fingerprints->statements, FINGERPRINTS_SQLS);
    if (fingerprints->is_changing)
        database_rollback(fingerprints->database);
    database_close(fingerprints->database, NULL);
    buffer_release(&fingerprints->path);
    free(fingerprints->bits);
    free(fingerprints);
}

/* ---- reading ---- */

const struct sketch_params *fingerprints_params(const struct fingerprints *fingerprints)
{
    return &fingerprints->params;
}

struct groups_params fingerprints_groups(const struct fingerprints *fingerprints)
{
    return groups_params(fingerprints->groups);
}

uint32_t fingerprints_places(const struct fingerprints *fingerprints)
{
    return groups_count(fingerprints->groups);
}

static int count_rows(struct fingerprints *fingerprints, const char *sql, uint64_t *rows, struct error *err)
{
    int64_t number;

    if (statement_ask(fingerprints->database, sql, &number, err) < 0)
        return -1;
    *rows = (uint64_t)number;
    return 0;
}

int fingerprints_count(struct fingerprints *fingerprints, uint64_t *documents, uint64_t *contents,
                       struct error *err)
{
    return count_rows(fingerprints, "SELECT COUNT(*) FROM documents", documents, err) ||
                   count_rows(fingerprints, "SELECT COUNT(*) FROM contents", contents, err)
               ? -1
               : 0;
}

int fingerprints_find(struct fingerprints *fingerprints, const uint8_t *sha1, uint64_t size,
                      uint32_t *content, struct error *err)
{
    struct statement *row = fingerprints->statements[FINGERPRINTS_FIND_CONTENT];
    uint64_t number = 0;
    bool is_good;
    int result;

    if (size > INT64_MAX)
        return 0;
    statement_bind_bytes(row, 1, sha1, DIGEST_SHA1_LEN);
    statement_bind_number(row, 2, (int64_t)size);
    result = statement_step(row, err);
    if (result <= 0)
        return result;
    is_good =
        statement_up_to(row, 0, UINT32_MAX, &number) && fingerprints_bits(fingerprints, (uint32_t)number);
    statement_reset(row);
    *content = (uint32_t)number;
    return is_good ? 1 : fingerprints_broken(fingerprints, err, "the number of a content");
}

static int take_document(struct fingerprints *fingerprints, struct statement *row,
                         struct fingerprints_document *document, struct buffer *path, struct error *err)
{
    uint64_t content, kind;
    const void *data;
    size_t len;

    if (!statement_up_to(row, 0, UINT32_MAX, &content) ||
        !statement_up_to(row, 1, INT64_MAX, &document->size) ||
        !statement_exactly(row, 2, document->sha1, DIGEST_SHA1_LEN) ||
        !statement_up_to(row, 3, UINT8_MAX, &kind) || !statement_bytes(row, 4, &data, &len) ||
        memchr(data, 0, len) || !fingerprints_bits(fingerprints, (uint32_t)content))
        return fingerprints_broken(fingerprints, err, "a document");
    buffer_reset(path);
    buffer_add(path, data, len);
    buffer_add_char(path, '\0');
    if (path->failed)
        return error_set(err, "out of memory");
    document->content = (uint32_t)content;
    document->kind = (uint32_t)kind;
    document->path = path->data;
    return 0;
}

int fingerprints_first(struct fingerprints *fingerprints, uint32_t content,
                       struct fingerprints_document *document, struct error *err)
{
    struct statement *row = fingerprints->statements[FINGERPRINTS_FIRST_DOCUMENT];
    int result;

    statement_bind_number(row, 1, content);
    result = statement_step(row, err);
    if (result == 0)
        return fingerprints_broken(fingerprints, err, "content %" PRIu32 " has no document", content);
    if (result > 0) {
        result = take_document(fingerprints, row, document, &fingerprints->path, err);
        statement_reset(row);
    }
    return result;
}

const uint64_t *fingerprints_bits(const struct fingerprints *fingerprints, uint32_t content)
{
    return groups_fingerprint(fingerprints->groups, content);
}

int fingerprints_each(struct fingerprints *fingerprints,
                      int (*each)(void *arg, const struct fingerprints_document *document, struct error *err),
                      void *arg, struct error *err)
{
    struct statement *row =
        database_prepare(fingerprints->database,
                         "SELECT c.number, c.size, c.sha1, d.kind, d.path FROM documents d"
                         " JOIN contents c ON c.number = d.content ORDER BY d.id",
                         err);
    struct fingerprints_document document;
    struct buffer path = {0};
    int result = row ? 1 : -1;

    while (result > 0 && (result = statement_step(row, err)) > 0)
        if (take_document(fingerprints, row, &document, &path, err) || each(arg, &document, err))
            result = -1;
    statement_free(row);
    buffer_release(&path);
    return result;
}

/* ---- near-duplicates ---- */

int fingerprints_aim(struct fingerprints *fingerprints, double resemblance, struct error *err)
{
    return groups_set_threshold(fingerprints->groups,
                                hamming_threshold(fingerprints->params.size, resemblance), err);
}

enum groups_algorithm fingerprints_fastest(const struct fingerprints *fingerprints)
{
    const struct groups_params params = groups_params(fingerprints->groups);

    return groups_fastest(&params, groups_count(fingerprints->groups));
}

int fingerprints_query(struct fingerprints *fingerprints, enum groups_algorithm algorithm,
                       const uint64_t *bits, groups_found *found, void *arg, struct error *err)
{
    assert(algorithm != GROUPS_G); /* its indexes would not be part of the schema */
    return groups_query(fingerprints->groups, algorithm, bits, found, arg, err);
}
