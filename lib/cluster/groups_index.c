/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "cluster/groups_inner.h"

enum {
    /* Documents in a row: a row of 1,000 bytes still fits into a page of SQLite's without a page of its own.
     */
    ROW_DOCUMENTS = 240,
    /*
     * Wider groups have keys of bytes.  The paper has numbers up to k/m = 64, but y holds the number of the
     * group too, and SQLite's numbers have a sign.
     */
    NUMBER_WIDTH = 32,
    SERIAL_BYTES = 4,
    DIGIT = 8, /* bits that a pass of sorting looks at */
};

static const struct database_format format = {.noun = "fingerprint index",
                                              .steps = (const char *const[]){NULL}};

int groups_index_usable(const struct groups *groups, struct error *err)
{
    return groups->failed ? error_set(err, "an earlier write to the fingerprint index failed") : 0;
}

/* ---- tables ---- */

static void table_close(struct groups_table *table)
{
    statement_free(table->insert);
    statement_free(table->read);
    statement_free(table->remove);
    *table = (struct groups_table){0};
}

static int table_open(struct groups *groups, struct groups_table *table, const char *name, bool create,
                      struct error *err)
{
    char sql[200];

    snprintf(sql, sizeof sql, GROUPS_TABLE("%s"), name);
    if (create && database_run(groups->database, sql, err))
        return -1;
    snprintf(sql, sizeof sql, "INSERT INTO %s VALUES(?1, ?2, ?3)", name);
    if (!(table->insert = database_prepare(groups->database, sql, err)))
        return -1;
    snprintf(sql, sizeof sql, "SELECT documents FROM %s WHERE key = ?1 AND last >= ?2 ORDER BY last", name);
    if (!(table->read = database_prepare(groups->database, sql, err)))
        return -1;
    snprintf(sql, sizeof sql, "DELETE FROM %s WHERE key = ?1 AND last = ?2", name);
    table->remove = database_prepare(groups->database, sql, err);
    return table->remove ? 0 : -1;
}

static void name_table(const struct groups_part *part, char name[32])
{
    snprintf(name, 32, "group_%" PRIu32, part->serial);
}

int groups_index_open(struct groups *groups, struct error *err)
{
    groups->key = malloc(SERIAL_BYTES + (groups->most_width + DIGIT - 1) / DIGIT);
    if (!groups->key)
        return error_set(err, "out of memory");
    if (!groups->is_guest && !(groups->database = database_open_temporary(&format, err)))
        return -1;
    return table_open(groups, &groups->merged, GROUPS_MERGED, !groups->is_guest, err);
}

void groups_index_close(struct groups *groups)
{
    for (uint32_t i = 0; groups->parts && i < groups->params.m; i++)
        table_close(&groups->parts[i].table);
    table_close(&groups->merged);
    if (!groups->is_guest)
        database_close(groups->database, NULL);
    free(groups->key);
}

/* ---- keys ---- */

static bool is_number(const struct groups *groups)
{
    return groups->most_width <= NUMBER_WIDTH;
}

/* So that bytes sort as numbers do. */
static void put_serial(uint8_t out[SERIAL_BYTES], uint32_t serial)
{
    for (int i = 0; i < SERIAL_BYTES; i++)
        out[i] = (uint8_t)(serial >> 8 * (SERIAL_BYTES - 1 - i));
}

static int64_t start_of(const struct groups *groups, uint32_t serial)
{
    return (int64_t)((uint64_t)serial << groups->most_width);
}

/* Binds y of equation 12, or without the number of the group (i = 1) for a group's own index. */
static void bind_key(struct groups *groups, struct statement *statement, uint32_t serial,
                     struct hamming_group group, const uint64_t *bits)
{
    uint8_t *key = groups->key;
    size_t len = SERIAL_BYTES;

    if (is_number(groups)) {
        const int64_t a = (int64_t)hamming_extract(bits, group.first, group.width);

        statement_bind_number(statement, 1, start_of(groups, serial) | a);
        return;
    }
    put_serial(key, serial);
    for (uint32_t i = (group.width + DIGIT - 1) / DIGIT; i-- > 0;) {
        const uint32_t left = group.width - i * DIGIT;

        key[len++] = (uint8_t)hamming_extract(bits, group.first + i * DIGIT, left < DIGIT ? left : DIGIT);
    }
    statement_bind_bytes(statement, 1, key, len);
}

/* ---- writing ---- */

/* Sorts documents by `width` bits from `first` on; stable. */
static void sort_by_digit(const struct groups *groups, uint32_t first, uint32_t width, const uint32_t *from,
                          uint32_t *to, size_t count)
{
    size_t starts[(1 << DIGIT) + 1] = {0};

    for (size_t i = 0; i < count; i++)
        starts[hamming_extract(groups_bits(groups, from[i]), first, width) + 1]++;
    for (size_t i = 0; i < 1 << DIGIT; i++)
        starts[i + 1] += starts[i];
    for (size_t i = 0; i < count; i++)
        to[starts[hamming_extract(groups_bits(groups, from[i]), first, width)]++] = from[i];
}

/* Sorts the documents in order[0] by the group's bits, with order[1] as work space, and returns which of them
 * holds the result. */
static const uint32_t *sort(const struct groups *groups, struct hamming_group group, uint32_t *order[2],
                            size_t count)
{
    int now = 0;

    for (uint32_t i = 0; i < group.width; i += DIGIT, now = !now)
        sort_by_digit(groups, group.first + i, group.width - i < DIGIT ? group.width - i : DIGIT, order[now],
                      order[!now], count);
    return order[now];
}

static bool same_group(const struct groups *groups, struct hamming_group group, uint32_t a, uint32_t b)
{
    const uint64_t *a_bits = groups_bits(groups, a), *b_bits = groups_bits(groups, b);

    for (uint32_t i = 0; i < group.width; i += 64) {
        const uint32_t some = group.width - i < 64 ? group.width - i : 64;

        if (hamming_extract(a_bits, group.first + i, some) != hamming_extract(b_bits, group.first + i, some))
            return false;
    }
    return true;
}

/* Writes up to ROW_DOCUMENTS documents with the same value. */
static int write_row(struct groups *groups, struct statement *insert, uint32_t serial,
                     struct hamming_group group, const uint32_t *documents, size_t count, struct error *err)
{
    uint32_t data[ROW_DOCUMENTS];

    for (size_t i = 0; i < count; i++)
        data[i] = htole32(documents[i]);
    bind_key(groups, insert, serial, group, groups_bits(groups, documents[0]));
    statement_bind_number(insert, 2, documents[count - 1]);
    statement_bind_bytes(insert, 3, data, count * sizeof *data);
    return statement_run(insert, err);
}

/* Writes sorted documents, in the order of the index. */
static int write_rows(struct groups *groups, struct statement *insert, uint32_t serial,
                      struct hamming_group group, const uint32_t *documents, size_t count, struct error *err)
{
    for (size_t i = 0, some; i < count; i += some) {
        for (some = 1; some < ROW_DOCUMENTS && i + some < count; some++)
            if (!same_group(groups, group, documents[i], documents[i + some]))
                break;
        if (write_row(groups, insert, serial, group, documents + i, some, err))
            return -1;
    }
    return 0;
}

static int write_part(struct groups *groups, struct groups_table *table, uint32_t serial,
                      struct hamming_group group, uint32_t from, uint32_t end, struct error *err)
{
    uint32_t *order[2] = {calloc(end - from, sizeof **order), calloc(end - from, sizeof **order)};
    size_t count = 0;
    int result = -1;

    for (uint32_t i = from; order[0] && i < end; i++)
        if (!groups_is_removed(groups, i))
            order[0][count++] = i;
    if (order[0] && order[1])
        result =
            write_rows(groups, table->insert, serial, group, sort(groups, group, order, count), count, err);
    else
        error_set(err, "out of memory");
    free(order[0]);
    free(order[1]);
    return result;
}

int groups_index_part(struct groups *groups, enum groups_algorithm algorithm, struct groups_part *part,
                      uint32_t from, uint32_t end, struct error *err)
{
    struct groups_table *table = algorithm == GROUPS_G ? &part->table : &groups->merged;
    char name[32];
    int result = 0;

    name_table(part, name);
    if (!table->insert)
        result = table_open(groups, table, name, true, err);
    if (result == 0 && !groups->is_guest)
        result = database_begin(groups->database, err);
    if (result == 0) {
        result =
            write_part(groups, table, algorithm == GROUPS_G ? 0 : part->serial, part->bits, from, end, err);
        if (result == 0 && !groups->is_guest)
            result = database_commit(groups->database, err);
        else if (!groups->is_guest)
            database_rollback(groups->database);
    }
    groups->failed |= result != 0;
    return result;
}

/* ---- removing ---- */

/* Copies the row of a list that should have the document.  Returns its length, or -1. */
static int read_row(struct groups *groups, struct statement *read, uint32_t documents[ROW_DOCUMENTS],
                    struct error *err)
{
    const int result = statement_step(read, err);
    const void *data;
    size_t len = 0;

    if (result < 0)
        return -1;
    if (result > 0 && statement_bytes(read, 0, &data, &len) && len <= ROW_DOCUMENTS * sizeof *documents)
        for (size_t i = 0; i < len / sizeof *documents; i++)
            documents[i] = bytes_load32((const uint8_t *)data + i * sizeof *documents);
    else
        len = 0;
    statement_reset(read);
    for (size_t i = 0; i < len / sizeof *documents; i++)
        if (documents[i] >= groups->count)
            return error_set(err, "the fingerprint index is damaged");
    return (int)(len / sizeof *documents);
}

int groups_index_remove(struct groups *groups, enum groups_algorithm algorithm, struct groups_part *part,
                        uint32_t document, struct error *err)
{
    const struct groups_table *table = algorithm == GROUPS_G ? &part->table : &groups->merged;
    const uint32_t serial = algorithm == GROUPS_G ? 0 : part->serial;
    const uint64_t *bits = groups_bits(groups, document);
    uint32_t documents[ROW_DOCUMENTS];
    int count, kept = 0;

    bind_key(groups, table->read, serial, part->bits, bits);
    statement_bind_number(table->read, 2, document);
    count = read_row(groups, table->read, documents, err);
    if (count < 0)
        return -1;
    bind_key(groups, table->remove, serial, part->bits, bits);
    statement_bind_number(table->remove, 2, count ? documents[count - 1] : 0);
    for (int i = 0; i < count; i++)
        if (documents[i] != document)
            documents[kept++] = documents[i];
    if (kept + 1 != count)
        return error_set(err, "the fingerprint index is damaged");
    groups->failed |= statement_run(table->remove, err) != 0;
    if (kept && !groups->failed)
        groups->failed |=
            write_row(groups, table->insert, serial, part->bits, documents, (size_t)kept, err) != 0;
    return groups->failed ? -1 : 0;
}

/* Deletes the interval [(i - 1) C, i C) from the index of alg.H (section 4.2). */
static int delete_interval(struct groups *groups, uint32_t serial, struct error *err)
{
    struct statement *statement =
        database_prepare(groups->database, "DELETE FROM " GROUPS_MERGED " WHERE key >= ?1 AND key < ?2", err);
    uint8_t ends[2][SERIAL_BYTES];
    int result;

    if (!statement)
        return -1;
    for (uint32_t i = 0; i < 2; i++) {
        put_serial(ends[i], serial + i);
        if (is_number(groups))
            statement_bind_number(statement, 1 + (int)i, start_of(groups, serial + i));
        else
            statement_bind_bytes(statement, 1 + (int)i, ends[i], SERIAL_BYTES);
    }
    result = statement_run(statement, err);
    statement_free(statement);
    return result;
}

int groups_index_drop(struct groups *groups, struct groups_part *part, struct error *err)
{
    char name[32], sql[64];
    int result = delete_interval(groups, part->serial, err);

    if (result == 0 && part->table.insert) {
        name_table(part, name);
        table_close(&part->table);
        snprintf(sql, sizeof sql, "DROP TABLE %s", name);
        result = database_run(groups->database, sql, err);
    }
    groups->failed |= result != 0;
    return result;
}

/* ---- reading ---- */

void groups_list_begin(struct groups *groups, enum groups_algorithm algorithm, const struct groups_part *part,
                       const uint64_t *query, uint32_t from, struct groups_list *list)
{
    const bool own = algorithm == GROUPS_G;

    *list = (struct groups_list){.read = own ? part->table.read : groups->merged.read, .from = from};
    bind_key(groups, list->read, own ? 0 : part->serial, part->bits, query);
    statement_bind_number(list->read, 2, from);
    groups->work.lookups++;
}

int groups_list_next(struct groups *groups, struct groups_list *list, struct error *err)
{
    const int result = statement_step(list->read, err);
    const void *data;
    size_t len, skip;

    if (result <= 0)
        return result;
    if (!statement_bytes(list->read, 0, &data, &len) || len == 0 || len % sizeof(uint32_t))
        return error_set(err, "out of memory"); /* the only reason for not getting what was written */
    list->data = data;
    list->count = len / sizeof(uint32_t);
    skip = groups_list_entry(list, 0) >= list->from
               ? 0
               : SEARCH_FIRST(i, 0, list->count, groups_list_entry(list, i) >= list->from);
    list->data += skip * sizeof(uint32_t);
    list->count -= skip;
    groups->work.entries += list->count;
    return 1;
}
