/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "set/refset_writer_inner.h"

/*
 * Two lists may know the same content by different digests, so that it becomes two files; a third list that
 * has both digests shows that they are one.  Then everything known of them is joined.
 *
 * The file with the smaller id is removed, so that no id is used again.  Index entries that point to it
 * dangle from then on; look-ups tolerate that.
 */

static int run_with(struct refset_writer *writer, enum writer_statement which, uint64_t a, uint64_t b,
                    struct error *err)
{
    struct statement *statement = writer->statements[which];

    statement_bind_number(statement, 1, (int64_t)a);
    if (b)
        statement_bind_number(statement, 2, (int64_t)b);
    return statement_run(statement, err);
}

static int count_names(struct refset_writer *writer, uint64_t file, uint64_t *count, struct error *err)
{
    struct statement *row = writer->statements[COUNT_NAMES];
    int64_t found = 0;
    int result;

    statement_bind_number(row, 1, (int64_t)file);
    result = statement_step(row, err);
    if (result > 0)
        statement_number(row, 0, &found);
    statement_reset(row);
    *count += (uint64_t)found;
    return result > 0 ? 0 : -1;
}

/* Its first name becomes an additional name, unless the file kept has none. */
static int move_first_name(struct refset_writer *writer, struct set_file *kept, const struct set_file *gone,
                           struct error *err)
{
    struct buffer *name = &kept->name;
    const struct buffer *other = &gone->name;

    if (!other->len || (name->len == other->len && memcmp(name->data, other->data, name->len) == 0))
        return 0;
    if (name->len)
        return refset_writer_add_name(writer, kept->id, other->data, other->len, gone->source, err) < 0 ? -1
                                                                                                        : 0;
    buffer_add(name, other->data, other->len);
    return name->failed ? refset_writer_out_of_memory(writer, err) : 0;
}

static int move_names(struct refset_writer *writer, struct set_file *kept, const struct set_file *gone,
                      struct error *err)
{
    struct refset_counts *counts = &writer->set->info.counts;
    uint64_t before = 0, after = 0;

    if (count_names(writer, kept->id, &before, err) || count_names(writer, gone->id, &before, err) ||
        run_with(writer, MOVE_NAMES, kept->id, gone->id, err) ||
        run_with(writer, DELETE_NAMES, gone->id, 0, err) || count_names(writer, kept->id, &after, err))
        return -1;
    counts->names -= before - after;
    return move_first_name(writer, kept, gone, err);
}

static unsigned lacks_sha1(const struct set_file *file)
{
    return !(file->digests.kinds & DIGEST_BIT(DIGEST_SHA1));
}

static void move_values(struct refset_counts *counts, struct set_file *kept, const struct set_file *gone)
{
    const unsigned lacked = lacks_sha1(kept) + lacks_sha1(gone),
                   more = gone->digests.kinds & ~kept->digests.kinds;

    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (more & DIGEST_BIT(kind))
            memcpy(kept->digests.bytes[kind], gone->digests.bytes[kind], DIGEST_MAX_LEN);
    kept->digests.kinds |= more;
    counts->without_sha1 -= lacked - lacks_sha1(kept);
    if (kept->has_size && gone->has_size && counts->bytes != INT64_MAX)
        counts->bytes -= gone->size;
    if (gone->has_size) {
        kept->has_size = true;
        kept->size = gone->size;
    }
    if (gone->has_record) {
        kept->has_record = true;
        kept->first = gone->first;
    }
    counts->files--;
}

static int join(struct refset_writer *writer, struct set_file *kept, const struct set_file *gone,
                struct error *err)
{
    const unsigned more = gone->digests.kinds & ~kept->digests.kinds;

    if (refset_writer_add_digests(writer, &gone->digests, more, kept->id, err) ||
        move_names(writer, kept, gone, err) ||
        (gone->has_record && run_with(writer, UPDATE_RECORD, kept->id, gone->first, err)) ||
        run_with(writer, MOVE_MEMBERS, kept->id, gone->id, err) ||
        run_with(writer, DELETE_MEMBERS, gone->id, 0, err) || run_with(writer, DELETE_FILE, gone->id, 0, err))
        return -1;
    move_values(&writer->set->info.counts, kept, gone);
    return refset_writer_update_file(writer, kept, err);
}

int refset_writer_join_twins(struct refset_writer *writer, struct error *err)
{
    int found;

    while (writer->set->info.counts.without_sha1 > 0 &&
           (found = refset_writer_find(writer, &writer->file.digests, writer->file.id, &writer->twin, err))) {
        struct set_file *file = &writer->file, *twin = &writer->twin;

        if (found < 0)
            return -1;
        if ((file->has_size && twin->has_size && file->size != twin->size) ||
            (file->has_record && twin->has_record))
            return 0; /* one of the lists is wrong: leave them as they are */
        if (twin->id > file->id) {
            const struct set_file other = *file;

            *file = *twin;
            *twin = other;
        }
        if (join(writer, file, twin, err))
            return -1;
    }
    return 0;
}
