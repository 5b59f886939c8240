/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "set/refset_writer_inner.h"

/* Adds what is new in `known` to writer->file. */
static int complete_file(struct refset_writer *writer, const struct known *known, struct error *err)
{
    struct set_file *file = &writer->file;
    struct refset_counts *counts = &writer->set->info.counts;
    const unsigned more = known->digests.kinds & ~file->digests.kinds;

    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (more & DIGEST_BIT(kind))
            memcpy(file->digests.bytes[kind], known->digests.bytes[kind], DIGEST_MAX_LEN);
    file->digests.kinds |= more;
    counts->without_sha1 -= (more & DIGEST_BIT(DIGEST_SHA1)) != 0;
    if (refset_writer_add_digests(writer, &known->digests, more, file->id, err))
        return -1;
    if (known->has_size && !file->has_size) {
        file->has_size = true;
        file->size = known->size;
        refset_count_bytes(counts, known->size);
    }
    if (known->has_record && !file->has_record) {
        if (refset_writer_insert_record(writer, known, file->id, &file->first, err))
            return -1;
        file->has_record = true;
    }
    if (!file->name.len && known->names.len)
        buffer_add(&file->name, known->names.data, strlen(known->names.data));
    return file->name.failed ? refset_writer_out_of_memory(writer, err) : 0;
}

static bool completes(const struct set_file *file, const struct known *known)
{
    return (known->digests.kinds & ~file->digests.kinds) || (known->has_size && !file->has_size) ||
           (known->has_record && !file->has_record) || (known->names.len && !file->name.len);
}

/* Adds blocks to a record that came without.  Returns 1 if it has them now. */
static int add_blocks(struct refset_writer *writer, const struct set_file *file, const struct known *known,
                      struct error *err)
{
    struct statement *lacks = writer->statements[LACKS_BLOCKS], *update = writer->statements[UPDATE_BLOCKS];
    int found;

    if (!known->blocks.len || !file->has_record)
        return 0;
    statement_bind_number(lacks, 1, (int64_t)file->first);
    found = statement_step(lacks, err);
    statement_reset(lacks);
    if (found <= 0)
        return found;
    statement_bind_number(update, 1, (int64_t)file->first);
    statement_bind_bytes(update, 2, known->blocks.data, known->blocks.len);
    return statement_run(update, err) ? -1 : 1;
}

enum refset_added refset_writer_extend_file(struct refset_writer *writer, const struct known *known,
                                            struct error *err)
{
    struct set_file *file = &writer->file;
    bool changed = completes(file, known);
    int with_blocks;

    if (known->has_size && file->has_size && known->size != file->size) {
        error_set(err, "its size differs from that of the file in the set with the same digest");
        return REFSET_REFUSED;
    }
    with_blocks = add_blocks(writer, file, known, err);
    if (with_blocks < 0)
        return REFSET_FAILED;
    if (changed) {
        if (complete_file(writer, known, err) || refset_writer_update_file(writer, file, err) ||
            refset_writer_join_twins(writer, err))
            return REFSET_FAILED;
    }
    if (writer->all_names && known->names.len) {
        const int added =
            refset_writer_add_names(writer, file->id, known, file->name.data, file->name.len, err);

        if (added < 0)
            return REFSET_FAILED;
        changed |= added > 0;
    }
    return changed || with_blocks ? REFSET_EXTENDED : REFSET_THERE;
}
