/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "set/refset_writer_inner.h"

static void keep_text(struct buffer *to, const char *text)
{
    buffer_add(to, text, strlen(text) + 1);
}

static struct writer_source *new_source(struct refset_writer *writer)
{
    if (array_reserve(&writer->sources, &writer->source_room, (size_t)writer->source_count + 1))
        return NULL;
    writer->source = writer->source_count++;
    writer->sources[writer->source] = (struct writer_source){0};
    return &writer->sources[writer->source];
}

int refset_writer_source(struct refset_writer *writer, const struct refset_source *from, struct error *err)
{
    struct writer_source *source = new_source(writer);

    if (!source)
        return refset_writer_out_of_memory(writer, err);
    source->path_len = from->path_len;
    source->has_sha256 = from->has_sha256;
    memcpy(source->sha256, from->sha256, DIGEST_SHA256_LEN);
    source->time = from->time;
    keep_text(&source->text, from->kind);
    keep_text(&source->text, from->format);
    keep_text(&source->text, from->tool);
    keep_text(&source->text, from->note);
    buffer_add(&source->text, from->path, from->path_len);
    return source->text.failed ? refset_writer_out_of_memory(writer, err) : writer->source;
}

void refset_writer_back(struct refset_writer *writer, int handle)
{
    writer->source = handle;
}

static const char *bind_next(struct statement *statement, int parameter, const char *text)
{
    const size_t len = strlen(text);

    statement_bind_text(statement, parameter, text, len);
    return text + len + 1;
}

void refset_writer_bind_digest(struct statement *statement, int parameter, bool there, const uint8_t *digest,
                               size_t len)
{
    if (there)
        statement_bind_bytes(statement, parameter, digest, len);
    else
        statement_bind_null(statement, parameter);
}

static void bind_source(struct statement *statement, const struct writer_source *source)
{
    const char *at = source->text.data;

    at = bind_next(statement, 2, at);
    at = bind_next(statement, 3, at);
    at = bind_next(statement, 6, at);
    at = bind_next(statement, 7, at);
    statement_bind_bytes(statement, 1, at, source->path_len);
    refset_writer_bind_digest(statement, 4, source->has_sha256, source->sha256, DIGEST_SHA256_LEN);
    statement_bind_number(statement, 5, source->time);
}

static int insert_source(struct refset_writer *writer, struct writer_source *source, struct error *err)
{
    struct statement *insert = writer->statements[INSERT_SOURCE];

    bind_source(insert, source);
    if (statement_run(insert, err))
        return -1;
    source->id = (uint64_t)database_last_row(writer->set->database);
    writer->changed = true;
    return 0;
}

/* Finds the id of an equal source in the set; source->id is 0 if there is none. */
static int find_source(struct refset_writer *writer, enum writer_statement which,
                       struct writer_source *source, struct error *err)
{
    struct statement *find = writer->statements[which];
    int64_t id = 0;
    int found;

    bind_source(find, source);
    found = statement_step(find, err);
    if (found > 0)
        statement_number(find, 0, &id);
    statement_reset(find);
    source->id = (uint64_t)id;
    return found < 0 ? -1 : 0;
}

uint64_t refset_writer_need_source(struct refset_writer *writer, struct error *err)
{
    struct writer_source *source;

    if (writer->source_count == 0) {
        error_set(err, "%s: no source given", refset_path(writer->set));
        return 0;
    }
    source = &writer->sources[writer->source];
    if (!source->id && (find_source(writer, RESUME_SOURCE, source, err) ||
                        (!source->id && insert_source(writer, source, err))))
        return 0;
    return source->id;
}

int refset_writer_copy_source(struct refset_writer *writer, const struct refset_source *from,
                              struct error *err)
{
    const int handle = refset_writer_source(writer, from, err);
    struct writer_source *source;

    if (handle < 0 || refset_writer_begin(writer, err))
        return -1;
    source = &writer->sources[handle];
    return find_source(writer, FIND_SOURCE, source, err) ||
                   (!source->id && insert_source(writer, source, err))
               ? -1
               : handle;
}

int refset_writer_source_sha256(struct refset_writer *writer, const uint8_t *sha256, struct error *err)
{
    struct statement *update = writer->statements[UPDATE_SOURCE];
    const uint64_t id = writer->source_count ? writer->sources[writer->source].id : 0;

    if (!id)
        return 0;
    if (refset_writer_begin(writer, err))
        return -1;
    statement_bind_bytes(update, 1, sha256, DIGEST_SHA256_LEN);
    statement_bind_number(update, 2, (int64_t)id);
    writer->changed = true;
    return statement_run(update, err);
}
