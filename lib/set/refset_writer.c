/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/memory.h"
#include "set/refset_writer_inner.h"

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
    /* ?1, the id, is not used: SQLite assigns the next one, and faster */
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
    [FIND_MEMBER] = "SELECT 1 FROM member WHERE file = ? AND parent = ?",
    [INSERT_MEMBER] = "INSERT INTO member (file, parent) VALUES (?, ?)",
    [MOVE_MEMBERS] = ("UPDATE OR IGNORE member SET file = CASE file WHEN ?2 THEN ?1 ELSE file END,"
                      " parent = CASE parent WHEN ?2 THEN ?1 ELSE parent END"
                      " WHERE (file = ?2 AND parent <> ?1) OR (parent = ?2 AND file <> ?1)"),
    [DELETE_MEMBERS] = "DELETE FROM member WHERE file = ?1 OR parent = ?1",
};

/* Joined files leave gaps in the numbers, so this is not the count. */
static int find_next_file(struct refset_writer *writer, struct error *err)
{
    int64_t last;
    const int is_number =
        statement_ask(writer->set->database, "SELECT ifnull(max(id), 0) FROM file", &last, err);

    if (is_number == 0 || last < 0 || last >> (KEYBLOCK_VALUE_BITS - 1))
        return refset_broken(writer->set, err, "invalid file number");
    writer->next_file = (uint64_t)last + 1;
    return is_number > 0 ? 0 : -1;
}

struct refset_writer *refset_writer_new(struct refset *set, bool all_names, struct error *err)
{
    struct refset_writer *writer = memory_new(sizeof *writer, err);

    if (!writer)
        return NULL;
    writer->set = set;
    writer->settled = set->info;
    writer->all_names = all_names;
    writer->search = refset_search_new(set, REFSET_SEARCH_DIGESTS, err);
    if (writer->search &&
        statement_prepare_all(writer->statements, set->database, sqls, STATEMENTS, err) == 0 &&
        find_next_file(writer, err) == 0)
        return writer;
    refset_writer_free(writer);
    return NULL;
}

void refset_writer_free(struct refset_writer *writer)
{
    if (!writer)
        return;
    statement_free_all(writer->statements, STATEMENTS);
    refset_search_free(writer->search);
    refset_writer_roll_back(writer);
    for (int i = 0; i < REFSET_INDEXES; i++)
        free(writer->pending[i].list);
    refset_writer_forget_tables(writer);
    free(writer->seen);
    free(writer->repeats);
    set_file_release(&writer->file);
    set_file_release(&writer->twin);
    for (int i = 0; i < writer->source_count; i++)
        buffer_release(&writer->sources[i].text);
    free(writer->sources);
    buffer_release(&writer->packed);
    buffer_release(&writer->packed_repeats);
    free(writer);
}

enum refset_added refset_writer_add(struct refset_writer *writer, struct known *known, struct error *err)
{
    const struct refset_params *params = &writer->set->info.params;
    enum refset_added added;
    int found;

    if (known_check(known, params->n, sampler_key_number(params->key), params->block, err))
        return REFSET_REFUSED;
    known_reduce(known, params->c);
    if (refset_writer_begin(writer, err))
        return REFSET_FAILED;
    found = refset_writer_find(writer, &known->digests, 0, &writer->file, err);
    if (found < 0)
        return REFSET_FAILED;
    added =
        found ? refset_writer_extend_file(writer, known, err) : refset_writer_add_file(writer, known, err);
    if (added == REFSET_ADDED || added == REFSET_EXTENDED)
        writer->changed = true;
    return added;
}

/* Finds the file with these digests.  Returns 1, 0 or -1. */
static int find_file(struct refset_writer *writer, const struct digest_values *digests, uint64_t *file,
                     struct error *err)
{
    const int found = refset_writer_find(writer, digests, 0, &writer->twin, err);

    *file = found > 0 ? writer->twin.id : 0;
    return found;
}

int refset_writer_link(struct refset_writer *writer, const struct digest_values *parent,
                       const struct digest_values *member, struct error *err)
{
    struct statement *find = writer->statements[FIND_MEMBER], *insert = writer->statements[INSERT_MEMBER];
    uint64_t ids[2];
    int found;

    if (refset_writer_begin(writer, err) || find_file(writer, member, &ids[0], err) < 0 ||
        find_file(writer, parent, &ids[1], err) < 0)
        return -1;
    if (!ids[0] || !ids[1] || ids[0] == ids[1])
        return 0;
    for (int i = 0; i < 2; i++) {
        statement_bind_number(find, i + 1, (int64_t)ids[i]);
        statement_bind_number(insert, i + 1, (int64_t)ids[i]);
    }
    found = statement_step(find, err);
    statement_reset(find);
    if (found)
        return found < 0 ? -1 : 0;
    writer->changed = true;
    return statement_run(insert, err);
}
