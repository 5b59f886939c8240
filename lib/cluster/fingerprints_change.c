/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "cluster/fingerprints_inner.h"

static void bind_path(struct statement *statement, int parameter, const char *path)
{
    statement_bind_bytes(statement, parameter, path, strlen(path));
}

static int begin(struct fingerprints *fingerprints, struct error *err)
{
    if (fingerprints->is_changing)
        return 0;
    if (database_begin(fingerprints->database, err))
        return -1;
    fingerprints->is_changing = true;
    return 0;
}

int fingerprints_commit(struct fingerprints *fingerprints, struct error *err)
{
    if (!fingerprints->is_changing)
        return 0;
    if (groups_index(fingerprints->groups, GROUPS_H, err) || database_commit(fingerprints->database, err))
        return -1;
    fingerprints->is_changing = false;
    return 0;
}

static int add_content(struct fingerprints *fingerprints, const struct sketch *sketch, uint32_t *content,
                       struct error *err)
{
    struct statement *insert = fingerprints->statements[FINGERPRINTS_ADD_CONTENT];
    const size_t words = fingerprints_words(fingerprints);

    *content = groups_count(fingerprints->groups);
    if (groups_add(fingerprints->groups, *content, sketch->values, err))
        return -1;
    for (size_t i = 0; i < words; i++)
        fingerprints->bits[i] = htole64(sketch->values[i]);
    statement_bind_number(insert, 1, *content);
    statement_bind_number(insert, 2, (int64_t)sketch->len);
    statement_bind_bytes(insert, 3, sketch->digests.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    statement_bind_bytes(insert, 4, fingerprints->bits, words * sizeof *fingerprints->bits);
    return statement_run(insert, err);
}

static int add_document(struct fingerprints *fingerprints, const struct fingerprints_document *document,
                        bool *is_new, struct error *err)
{
    struct statement *insert = fingerprints->statements[FINGERPRINTS_ADD_DOCUMENT];
    int64_t changes = 0;

    statement_bind_number(insert, 1, document->content);
    bind_path(insert, 2, document->path);
    statement_bind_number(insert, 3, document->kind);
    if (statement_run(insert, err) ||
        statement_ask(fingerprints->database, "SELECT changes()", &changes, err) < 0)
        return -1;
    *is_new = changes > 0;
    return 0;
}

int fingerprints_add(struct fingerprints *fingerprints, const struct sketch *sketch,
                     struct fingerprints_document *document, enum fingerprints_added *added,
                     struct error *err)
{
    bool is_new = false;
    int has;

    if (sketch->count != fingerprints_words(fingerprints) ||
        !(sketch->digests.kinds & DIGEST_BIT(DIGEST_SHA1)) || sketch->len > INT64_MAX)
        return error_set(err, "%s: no fingerprint of %" PRIu32 " bits", document->path,
                         fingerprints->params.size);
    if (begin(fingerprints, err))
        return -1;
    has = fingerprints_find(fingerprints, sketch->digests.bytes[DIGEST_SHA1], sketch->len, &document->content,
                            err);
    if (has < 0 || (!has && add_content(fingerprints, sketch, &document->content, err)) ||
        add_document(fingerprints, document, &is_new, err))
        return -1;
    *added = !has ? FINGERPRINTS_NEW : is_new ? FINGERPRINTS_KNOWN_CONTENT : FINGERPRINTS_KNOWN;
    return 0;
}

/* Numbers the contents without gaps. */
static int renumber(struct fingerprints *fingerprints, struct error *err)
{
    struct statement *const *statements = fingerprints->statements;
    uint32_t next = 0;

    for (uint32_t i = 0; i < groups_count(fingerprints->groups); i++) {
        if (!fingerprints_bits(fingerprints, i))
            continue;
        for (int s = FINGERPRINTS_MOVE_CONTENT; i != next && s <= FINGERPRINTS_MOVE_DOCUMENTS; s++) {
            statement_bind_number(statements[s], 1, i);
            statement_bind_number(statements[s], 2, next);
            if (statement_run(statements[s], err))
                return -1;
        }
        next++;
    }
    return 0;
}

int fingerprints_regroup(struct fingerprints *fingerprints, uint32_t m, struct error *err)
{
    const struct groups_params params = {fingerprints->params.size, m, 0};
    char sql[100];

    if (groups_check(&params, GROUPS_H, err) || begin(fingerprints, err) || renumber(fingerprints, err))
        return -1;
    snprintf(sql, sizeof sql, "DELETE FROM " GROUPS_MERGED "; UPDATE about SET groups = %" PRIu32, m);
    if (database_run(fingerprints->database, sql, err) || fingerprints_load(fingerprints, m, err))
        return -1;
    return groups_index(fingerprints->groups, GROUPS_H, err);
}

/* Removes a content that has no documents any more. */
static int remove_unused(struct fingerprints *fingerprints, uint32_t content, struct error *err)
{
    struct statement *row = fingerprints->statements[FINGERPRINTS_FIRST_DOCUMENT],
                     *removal = fingerprints->statements[FINGERPRINTS_REMOVE_CONTENT];
    int result;

    statement_bind_number(row, 1, content);
    result = statement_step(row, err);
    statement_reset(row);
    if (result)
        return result > 0 ? 0 : -1;
    statement_bind_number(removal, 1, content);
    return statement_run(removal, err) || groups_remove(fingerprints->groups, content, err) ? -1 : 0;
}

/* Removes the next document with that path.  Returns 1, 0 if there is none. */
static int drop_one(struct fingerprints *fingerprints, const char *path, const char *within,
                    const char *after, struct error *err)
{
    struct statement *row = fingerprints->statements[FINGERPRINTS_FIND_DROPPED],
                     *drop = fingerprints->statements[FINGERPRINTS_DROP];
    uint64_t content = 0;
    int64_t id = 0;
    bool is_good;
    int result;

    bind_path(row, 1, path);
    bind_path(row, 2, within);
    bind_path(row, 3, after);
    result = statement_step(row, err);
    if (result <= 0)
        return result;
    is_good = statement_number(row, 0, &id) && statement_up_to(row, 1, UINT32_MAX, &content) &&
              fingerprints_bits(fingerprints, (uint32_t)content);
    statement_reset(row);
    if (!is_good)
        return fingerprints_broken(fingerprints, err, "a document");
    statement_bind_number(drop, 1, id);
    return statement_run(drop, err) || remove_unused(fingerprints, (uint32_t)content, err) ? -1 : 1;
}

int fingerprints_drop(struct fingerprints *fingerprints, const char *path, uint64_t *count, struct error *err)
{
    struct buffer within = {0}, after = {0};
    uint64_t documents, contents;
    int result = -1;

    *count = 0;
    buffer_printf(&within, "%s/%c", path, 0);
    buffer_printf(&after, "%s%c%c", path, '/' + 1, 0);
    if (within.failed || after.failed)
        error_set(err, "out of memory");
    else
        result = begin(fingerprints, err) ? -1 : 1;
    while (result > 0 && (result = drop_one(fingerprints, path, within.data, after.data, err)) > 0)
        ++*count;
    buffer_release(&within);
    buffer_release(&after);
    if (result || fingerprints_count(fingerprints, &documents, &contents, err))
        return -1;
    return fingerprints_places(fingerprints) > 2 * contents + FINGERPRINTS_PLACES
               ? fingerprints_regroup(fingerprints, groups_params(fingerprints->groups).m, err)
               : 0;
}
