/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "set/refset_writer_inner.h"

enum {
    MOST_FEATURES = 2 << 20, /* of one commit */
    MOST_DIGESTS = 1 << 20,
    MOST_SECONDS = 30,
};

void refset_writer_roll_back(struct refset_writer *writer)
{
    if (writer->begun)
        database_rollback(writer->set->database);
    writer->set->info = writer->settled;
    writer->begun = false;
}

static int write_index(struct refset_writer *writer, enum refset_index index, struct error *err)
{
    struct pending *pending = &writer->pending[index];
    struct keyblock_entry *scratch;
    int result;

    if (!pending->count)
        return 0;
    scratch = malloc(pending->count * sizeof *scratch);
    if (!scratch)
        return refset_writer_out_of_memory(writer, err);
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
    refset_writer_forget_tables(writer);
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
    refset_writer_roll_back(writer);
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

static bool is_full(const struct refset_writer *writer)
{
    size_t digests = 0;

    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        digests += writer->pending[REFSET_SHA1 + kind].count;
    return writer->pending[REFSET_FEATURE].count >= MOST_FEATURES || digests >= MOST_DIGESTS ||
           time(NULL) - writer->since >= MOST_SECONDS;
}

int refset_writer_begin(struct refset_writer *writer, struct error *err)
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
