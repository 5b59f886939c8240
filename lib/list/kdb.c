/* SPDX-License-Identifier: Apache-2.0 */
#include "list/kdb.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "database/statement.h"

static const char schema[] =
    "CREATE TABLE db_properties (name TEXT NOT NULL, value TEXT);"
    "CREATE TABLE hashes (id INTEGER PRIMARY KEY AUTOINCREMENT, md5 BINARY(16) UNIQUE,"
    " sha1 BINARY(20), sha2_256 BINARY(32));"
    "CREATE TABLE file_names (name TEXT NOT NULL, hash_id INTEGER NOT NULL,"
    " PRIMARY KEY (name, hash_id));"
    "CREATE TABLE comments (comment TEXT NOT NULL, hash_id INTEGER NOT NULL,"
    " PRIMARY KEY (comment, hash_id));"
    "INSERT INTO db_properties VALUES ('Schema Version', '1');";

enum { ADD_HASH, FIND_MD5, ADD_NAME, STATEMENTS };

static const char *const sqls[STATEMENTS] = {
    [ADD_HASH] =
        "INSERT INTO hashes (md5, sha1, sha2_256) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
    [FIND_MD5] = "SELECT id FROM hashes WHERE md5 = ?",
    [ADD_NAME] = "INSERT OR IGNORE INTO file_names VALUES (?, ?)",
};

struct kdb {
    struct database *database;
    struct statement *statements[STATEMENTS];
};

struct kdb *kdb_create(const char *path, struct error *err)
{
    struct kdb *kdb = memory_new(sizeof *kdb, err);

    if (!kdb)
        return NULL;
    kdb->database = database_create_foreign(path, err);
    if (kdb->database && database_begin(kdb->database, err) == 0 &&
        database_run(kdb->database, schema, err) == 0 &&
        statement_prepare_all(kdb->statements, kdb->database, sqls, STATEMENTS, err) == 0)
        return kdb;
    kdb_free(kdb);
    return NULL;
}

static int add_names(struct kdb *kdb, int64_t id, const char *names, size_t len, struct error *err)
{
    for (const char *end = names + len; names < end; names += strlen(names) + 1) {
        statement_bind_text(kdb->statements[ADD_NAME], 1, names, strlen(names));
        statement_bind_number(kdb->statements[ADD_NAME], 2, id);
        if (statement_run(kdb->statements[ADD_NAME], err))
            return -1;
    }
    return 0;
}

static int first_number(struct statement *statement, int64_t *out, struct error *err)
{
    const int result = statement_step(statement, err);

    if (result > 0)
        statement_number(statement, 0, out);
    statement_reset(statement);
    return result;
}

int kdb_add(struct kdb *kdb, const struct digest_values *digests, const char *names, size_t names_len,
            struct error *err)
{
    static const enum digest_kind kinds[] = {DIGEST_MD5, DIGEST_SHA1, DIGEST_SHA256};
    int64_t id = 0;
    int added;

    if (!(digests->kinds & DIGEST_BIT(DIGEST_MD5)))
        return 1;
    for (int i = 0; i < 3; i++)
        if (digests->kinds & DIGEST_BIT(kinds[i]))
            statement_bind_bytes(kdb->statements[ADD_HASH], i + 1, digests->bytes[kinds[i]],
                                 digest_len(kinds[i]));
        else
            statement_bind_null(kdb->statements[ADD_HASH], i + 1);
    added = first_number(kdb->statements[ADD_HASH], &id, err);
    if (added == 0) {
        statement_bind_bytes(kdb->statements[FIND_MD5], 1, digests->bytes[DIGEST_MD5], DIGEST_MD5_LEN);
        if (first_number(kdb->statements[FIND_MD5], &id, err) < 0)
            return -1;
    }
    if (added < 0 || add_names(kdb, id, names, names_len, err))
        return -1;
    return !added;
}

int kdb_finish(struct kdb *kdb, struct error *err)
{
    return database_commit(kdb->database, err);
}

void kdb_free(struct kdb *kdb)
{
    if (!kdb)
        return;
    statement_free_all(kdb->statements, STATEMENTS);
    if (kdb->database)
        database_close(kdb->database, NULL);
    free(kdb);
}
