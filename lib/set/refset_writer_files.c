/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "set/refset_writer_inner.h"

/* ---- names ---- */

static int has_name(struct refset_writer *writer, uint64_t file, const char *name, size_t len,
                    struct error *err)
{
    struct statement *find = writer->statements[FIND_NAME];
    int found;

    statement_bind_number(find, 1, (int64_t)file);
    statement_bind_bytes(find, 2, name, len);
    found = statement_step(find, err);
    statement_reset(find);
    return found;
}

int refset_writer_add_name(struct refset_writer *writer, uint64_t file, const char *name, size_t len,
                           uint64_t source, struct error *err)
{
    struct statement *insert = writer->statements[INSERT_NAME];
    const int found = has_name(writer, file, name, len, err);

    if (found)
        return found < 0 ? -1 : 0;
    statement_bind_number(insert, 1, (int64_t)file);
    statement_bind_bytes(insert, 2, name, len);
    statement_bind_number(insert, 3, (int64_t)source);
    if (statement_run(insert, err))
        return -1;
    writer->set->info.counts.names++;
    return 1;
}

/* Returns the id of the source that a name is from; 0 on error. */
static uint64_t source_of(struct refset_writer *writer, const struct known *known, size_t name,
                          struct error *err)
{
    uint64_t handle;

    if (known->origins.len >= (name + 1) * sizeof handle) {
        memcpy(&handle, known->origins.data + name * sizeof handle, sizeof handle);
        refset_writer_back(writer, (int)handle);
    }
    return refset_writer_need_source(writer, err);
}

int refset_writer_add_names(struct refset_writer *writer, uint64_t file, const struct known *known,
                            const char *first, size_t first_len, struct error *err)
{
    int changed = 0;

    for (size_t name = 0, start = 0, len; start < known->names.len; start += len + 1, name++) {
        const char *at = known->names.data + start;
        uint64_t source;
        int found;

        len = strlen(at);
        found = len == first_len && memcmp(at, first, len) == 0 ? 1 : has_name(writer, file, at, len, err);
        if (found > 0)
            continue;
        source = found < 0 ? 0 : source_of(writer, known, name, err);
        if (!source || refset_writer_add_name(writer, file, at, len, source, err) < 0)
            return -1;
        changed = 1;
    }
    return changed;
}

/* ---- adding ---- */

static void bind_file(struct statement *statement, uint64_t id, const struct digest_values *digests,
                      bool has_size, uint64_t size, uint64_t first)
{
    statement_bind_number(statement, 1, (int64_t)id);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        refset_writer_bind_digest(statement, 2 + kind, digests->kinds & DIGEST_BIT(kind),
                                  digests->bytes[kind], digest_len((enum digest_kind)kind));
    if (has_size)
        statement_bind_number(statement, 5, (int64_t)size);
    else
        statement_bind_null(statement, 5);
    if (first)
        statement_bind_number(statement, 6, (int64_t)first);
    else
        statement_bind_null(statement, 6);
}

enum refset_added refset_writer_add_file(struct refset_writer *writer, const struct known *known,
                                         struct error *err)
{
    struct statement *insert = writer->statements[INSERT_FILE];
    struct refset_counts *counts = &writer->set->info.counts;
    const uint64_t id = writer->next_file;
    const char *name = known->names.len ? known->names.data : "";
    const size_t len = strlen(name);
    const uint64_t source = refset_writer_need_source(writer, err);
    uint64_t first = 0;

    if (!source || (known->has_record && refset_writer_insert_record(writer, known, id, &first, err)))
        return REFSET_FAILED;
    bind_file(insert, id, &known->digests, known->has_size, known->size, first);
    statement_bind_number(insert, 7, (int64_t)source);
    statement_bind_bytes(insert, 8, name, len);
    if (statement_run(insert, err))
        return REFSET_FAILED;
    if (database_last_row(writer->set->database) != (int64_t)id) {
        refset_broken(writer->set, err, "unexpected number of a new row in table file");
        return REFSET_FAILED;
    }
    if (refset_writer_add_digests(writer, &known->digests, known->digests.kinds, id, err))
        return REFSET_FAILED;
    if (writer->all_names && refset_writer_add_names(writer, id, known, name, len, err) < 0)
        return REFSET_FAILED;
    counts->files++;
    writer->next_file++;
    if (known->has_size)
        refset_count_bytes(counts, known->size);
    counts->without_sha1 += !(known->digests.kinds & DIGEST_BIT(DIGEST_SHA1));
    return REFSET_ADDED;
}

int refset_writer_update_file(struct refset_writer *writer, const struct set_file *file, struct error *err)
{
    struct statement *update = writer->statements[UPDATE_FILE];

    bind_file(update, file->id, &file->digests, file->has_size, file->size, file->first);
    statement_bind_bytes(update, 8, file->name.data, file->name.len);
    return statement_run(update, err);
}
