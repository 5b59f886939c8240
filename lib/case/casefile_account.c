/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "case/casefile_inner.h"

/* Which bytes of an image belong to what, and which could not be read. */

/* Prepares a statement on the rows of an evidence item in a table: those with ids from ?1 to below ?2. */
static struct statement *prepare(struct casefile *casefile, uint64_t evidence, const char *sql,
                                 struct error *err)
{
    struct statement *row = database_prepare(casefile->database, sql, err);

    casefile_bind_ids(row, 1, evidence);
    return row;
}

static int add_row(struct casefile *casefile, uint64_t evidence, const char *volume, unsigned row,
                   const struct account_table *table, struct error *err)
{
    struct statement *insert =
        prepare(casefile, evidence,
                "INSERT INTO account (id, volume, kind, objects, bytes) SELECT"
                " ifnull(max(id), ?1) + 1, ?3, ?4, ?5, ?6 FROM account WHERE id > ?1 AND id < ?2",
                err);

    casefile_bind_string(insert, 3, volume);
    casefile_bind_string(insert, 4, account_row_name(row));
    casefile_bind_number(insert, 5, table->objects[row]);
    casefile_bind_number(insert, 6, table->bytes[row]);
    return casefile_run(casefile, insert, err);
}

int casefile_add_account(struct casefile *casefile, uint64_t evidence, const char *volume,
                         const struct account_table *table, struct error *err)
{
    for (unsigned row = 0; row < ACCOUNT_ROWS; row++)
        if ((table->objects[row] || table->bytes[row]) &&
            add_row(casefile, evidence, volume, row, table, err))
            return -1;
    return 0;
}

int casefile_drop_account(struct casefile *casefile, uint64_t evidence, struct error *err)
{
    return casefile_run(
        casefile, prepare(casefile, evidence, "DELETE FROM account WHERE id > ?1 AND id < ?2", err), err);
}

int casefile_add_bad(struct casefile *casefile, uint64_t evidence, uint64_t start, uint64_t len,
                     struct error *err)
{
    struct statement *row = prepare(casefile, evidence,
                                    "INSERT INTO bad (id, start, len) SELECT ifnull(max(id), ?1) + 1, ?3, ?4"
                                    " FROM bad WHERE id > ?1 AND id < ?2",
                                    err);

    casefile_bind_number(row, 3, start);
    casefile_bind_number(row, 4, len);
    return casefile_run(casefile, row, err);
}

/* Passes each row of an evidence item to take, which returns false if the row is malformed. */
static int read_rows(struct casefile *casefile, uint64_t evidence, const char *sql,
                     bool (*take)(void *arg, struct statement *row), void *arg, struct error *err)
{
    struct statement *row;
    int result;

    if (evidence > CASE_MOST_EVIDENCE)
        return 0;
    row = prepare(casefile, evidence, sql, err);
    if (!row)
        return -1;
    while ((result = statement_step(row, err)) > 0)
        if (!take(arg, row)) {
            result =
                casefile_broken(casefile, err, "the account of evidence %" PRIu64 " is malformed", evidence);
            break;
        }
    statement_free(row);
    return result;
}

struct account_reader {
    int (*each)(void *arg, const char *volume, const struct account_table *table);
    void *arg;
    bool no_memory;
};

static bool take_account(void *arg, struct statement *row)
{
    struct account_reader *reader = arg;
    struct account_table table = {0};
    const char *volume, *name;
    uint64_t objects, bytes;
    int found;

    if (!casefile_get_string(row, 0, &volume) || !casefile_get_string(row, 1, &name) ||
        !statement_up_to(row, 2, INT64_MAX, &objects) || !statement_up_to(row, 3, INT64_MAX, &bytes))
        return false;
    found = account_row_find(name);
    if (found < 0)
        return false;
    table.objects[found] = objects;
    table.bytes[found] = table.len = bytes;
    reader->no_memory = reader->no_memory || reader->each(reader->arg, volume, &table);
    return true;
}

int casefile_account(struct casefile *casefile, uint64_t evidence,
                     int (*each)(void *arg, const char *volume, const struct account_table *table), void *arg,
                     struct error *err)
{
    struct account_reader reader = {each, arg, false};
    const int result =
        read_rows(casefile, evidence,
                  "SELECT volume, kind, objects, bytes FROM account WHERE id > ?1 AND id < ?2 ORDER BY id",
                  take_account, &reader, err);

    return result == 0 && reader.no_memory ? error_set(err, "out of memory") : result;
}

struct bad_reader {
    struct ranges *out;
    bool no_memory;
};

static bool take_bad(void *arg, struct statement *row)
{
    struct bad_reader *reader = arg;
    uint64_t start, len;

    if (!statement_up_to(row, 0, INT64_MAX, &start) || !statement_up_to(row, 1, INT64_MAX - start, &len))
        return false;
    reader->no_memory = reader->no_memory || ranges_insert(reader->out, start, len);
    return true;
}

int casefile_bad(struct casefile *casefile, uint64_t evidence, struct ranges *out, struct error *err)
{
    struct bad_reader reader = {out, false};
    const int result =
        read_rows(casefile, evidence, "SELECT start, len FROM bad WHERE id > ?1 AND id < ?2 ORDER BY id",
                  take_bad, &reader, err);

    return result == 0 && reader.no_memory ? error_set(err, "out of memory") : result;
}
