/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "refset_writer_inner.h"

enum {
    MOST_FEATURES = 2 << 20, /* of one commit */
    MOST_DIGESTS = 1 << 20,
    MOST_SECONDS = 30,
};

static const char *const sqls[STATEMENTS] = {
    [INSERT_SOURCE] =
        "INSERT INTO source (path, kind, format, sha256, time, tool, note) VALUES (?, ?, ?, ?, ?, ?, ?)",
    [UPDATE_SOURCE] = "UPDATE source SET sha256 = ? WHERE id = ?",
    [RESUME_SOURCE] =
        ("SELECT max(id) FROM source WHERE path = ? AND kind = ? AND format = ? AND sha256 IS NULL"
         " AND time <= ?5 AND tool = ?6 AND note = ?7 AND kind IN ('image', 'list')"),
    [FIND_SOURCE] =
        ("SELECT id FROM source WHERE path = ? AND kind = ? AND format = ? AND sha256 IS ? AND time = ?"
         " AND tool = ? AND note = ?"),
    /* ?1 is the id, which SQLite takes itself, and faster: the next one */
    [INSERT_FILE] =
        "INSERT INTO file (sha1, md5, sha256, size, first, source, name) VALUES (?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [UPDATE_FILE] =
        "UPDATE file SET sha1 = ?2, md5 = ?3, sha256 = ?4, size = ?5, first = ?6, name = ?8 WHERE id = ?1",
    [DELETE_FILE] = "DELETE FROM file WHERE id = ?",
    [INSERT_RECORD] = ("INSERT INTO record (first, file, c, coincidence, count, samples, repeats, blocks)"
                       " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
    [UPDATE_RECORD] = "UPDATE record SET file = ? WHERE first = ?",
    [LACKS_BLOCKS] = "SELECT 1 FROM record WHERE first = ? AND length(blocks) = 0",
    [UPDATE_BLOCKS] = "UPDATE record SET blocks = ?2 WHERE first = ?1",
    [INSERT_NAME] = "INSERT INTO name (file, name, source) VALUES (?, ?, ?)",
    [FIND_NAME] = "SELECT 1 FROM name WHERE file = ? AND name = ?",
    [COUNT_NAMES] = "SELECT count(*) FROM name WHERE file = ?",
    [MOVE_NAMES] = "UPDATE OR IGNORE name SET file = ? WHERE file = ?",
    [DELETE_NAMES] = "DELETE FROM name WHERE file = ?",
};

/* Files that were joined leave gaps in the numbers. */
static int find_next_file(struct refset_writer *writer, struct error *err)
{
    struct statement *row =
        database_prepare(writer->set->database, "SELECT ifnull(max(id), 0) FROM file", err);
    int64_t last = 0;
    int result = row ? statement_step(row, err) : -1;

    if (result > 0 && (!statement_number(row, 0, &last) || last < 0 || last >> (KEYBLOCK_VALUE_BITS - 1)))
        result = refset_broken(writer->set, err, "the numbers of its files cannot be");
    statement_free(row);
    writer->next_file = (uint64_t)last + 1;
    return result > 0 ? 0 : -1;
}

struct refset_writer *refset_writer_new(struct refset *set, bool all_names, struct error *err)
{
    struct refset_writer *writer = calloc(1, sizeof *writer);

    if (!writer) {
        error_set(err, "out of memory");
        return NULL;
    }
    writer->set = set;
    writer->settled = set->info;
    writer->all_names = all_names;
    writer->search = refset_search_new(set, REFSET_SEARCH_DIGESTS, err);
    for (int i = 0; i < STATEMENTS && writer->search; i++) {
        writer->statements[i] = database_prepare(set->database, sqls[i], err);
        if (!writer->statements[i]) {
            refset_writer_free(writer);
            return NULL;
        }
    }
    if (!writer->search || find_next_file(writer, err)) {
        refset_writer_free(writer);
        return NULL;
    }
    return writer;
}

static void roll_back(struct refset_writer *writer)
{
    if (writer->begun)
        database_rollback(writer->set->database);
    writer->set->info = writer->settled;
    writer->begun = false;
}

void refset_writer_free(struct refset_writer *writer)
{
    if (!writer)
        return;
    for (int i = 0; i < STATEMENTS; i++)
        statement_free(writer->statements[i]);
    refset_search_free(writer->search);
    roll_back(writer);
    for (int i = 0; i < REFSET_INDEXES; i++)
        free(writer->pending[i].list);
    writer_forget_tables(writer);
    free(writer->seen);
    free(writer->repeats);
    refset_file_release(&writer->file);
    refset_file_release(&writer->twin);
    for (int i = 0; i < writer->source_count; i++)
        buffer_release(&writer->sources[i].text);
    free(writer->sources);
    buffer_release(&writer->packed);
    buffer_release(&writer->packed_repeats);
    free(writer);
}

int writer_out_of_memory(const struct refset_writer *writer, struct error *err)
{
    return error_set(err, "%s: out of memory", refset_path(writer->set));
}

/* ---- transactions ---- */

static bool is_full(const struct refset_writer *writer)
{
    size_t digests = 0;

    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        digests += writer->pending[REFSET_SHA1 + kind].count;
    return writer->pending[REFSET_FEATURE].count >= MOST_FEATURES || digests >= MOST_DIGESTS ||
           time(NULL) - writer->since >= MOST_SECONDS;
}

int writer_begin(struct refset_writer *writer, struct error *err)
{
    if (writer->begun && is_full(writer) && refset_writer_commit(writer, err))
        return -1;
    if (writer->begun)
        return 0;
    if (database_begin(writer->set->database, err))
        return -1;
    writer->begun = true;
    writer->since = time(NULL);
    return 0;
}

/* ---- adding ---- */

enum refset_added refset_writer_add(struct refset_writer *writer, struct known *known, struct error *err)
{
    const struct refset_params *params = &writer->set->info.params;
    enum refset_added added;
    int found;

    if (known_check(known, params->n, params->block, err))
        return REFSET_REFUSED;
    known_reduce(known, params->c);
    if (writer_begin(writer, err))
        return REFSET_FAILED;
    found = writer_find(writer, &known->digests, 0, &writer->file, err);
    if (found < 0)
        return REFSET_FAILED;
    added = found ? writer_extend_file(writer, known, err) : writer_add_file(writer, known, err);
    if (added == REFSET_ADDED || added == REFSET_EXTENDED)
        writer->changed = true;
    return added;
}

/* ---- committing ---- */

static int write_index(struct refset_writer *writer, enum refset_index index, struct error *err)
{
    struct pending *pending = &writer->pending[index];
    struct keyblock_entry *scratch;
    int result;

    if (!pending->count)
        return 0;
    scratch = malloc(pending->count * sizeof *scratch);
    if (!scratch)
        return writer_out_of_memory(writer, err);
    result = refset_index_write(writer->set, index, pending->list, scratch, pending->count, err);
    free(scratch);
    pending->count = 0;
    return result;
}

static int write_indexes(struct refset_writer *writer, struct error *err)
{
    for (int index = 0; index < REFSET_INDEXES; index++)
        if (write_index(writer, (enum refset_index)index, err))
            return -1;
    writer_forget_tables(writer);
    return 0;
}

static int merge_indexes(struct refset_writer *writer, bool all, struct error *err)
{
    for (int index = 0; index < REFSET_INDEXES; index++)
        if (refset_index_merge(writer->set, (enum refset_index)index, all, err))
            return -1;
    return 0;
}

static int end_transaction(struct refset_writer *writer, bool compact, struct error *err)
{
    struct refset *set = writer->set;

    set->info.generation++;
    if (write_indexes(writer, err) || merge_indexes(writer, compact, err) || refset_save_info(set, err) ||
        database_commit(set->database, err))
        return -1;
    writer->begun = writer->changed = false;
    writer->settled = set->info;
    return refset_search_refresh(writer->search, err);
}

int refset_writer_commit(struct refset_writer *writer, struct error *err)
{
    if (writer->changed)
        return end_transaction(writer, false, err);
    roll_back(writer);
    return 0;
}

int refset_writer_compact(struct refset_writer *writer, uint32_t common, struct error *err)
{
    struct refset_params params = writer->set->info.params;

    if (common)
        params.common = common;
    if (refset_check(&params, err))
        return -1;
    writer->set->info.params = params;
    if (!writer->begun && database_begin(writer->set->database, err))
        return -1;
    writer->begun = true;
    return end_transaction(writer, true, err);
}
