/* SPDX-License-Identifier: Apache-2.0 */
#include "set/refset_copy.h"

#include <inttypes.h>
#include <string.h>

#include "set/source_map.h"

/* Maps ids of sources in one set to handles of the other's writer. */
struct sources {
    struct refset_writer *to;
    struct source_map map;
    struct error *err;
    bool failed;
};

static void take_source(void *arg, const struct refset_source *source)
{
    struct sources *sources = arg;
    int handle;

    if (sources->failed)
        return;
    handle = refset_writer_copy_source(sources->to, source, sources->err);
    if (handle < 0 || source_map_add(&sources->map, source->id, handle, sources->err))
        sources->failed = true;
}

/* Translates the origins of names from ids to handles. */
static void translate(struct known *known, const struct sources *sources)
{
    for (size_t at = 0; at + sizeof(uint64_t) <= known->origins.len; at += sizeof(uint64_t)) {
        uint64_t origin;

        memcpy(&origin, known->origins.data + at, sizeof origin);
        origin = (uint64_t)source_map_find(&sources->map, origin);
        memcpy(known->origins.data + at, &origin, sizeof origin);
    }
}

static int copy_one(struct refset_copy *copy, struct refset_reader *reader, struct refset_writer *to,
                    struct error *err)
{
    struct known *known = refset_reader_known(reader);
    struct error why;
    const int keep = copy->keep ? copy->keep(copy->arg, known, err) : 1;

    if (keep <= 0) {
        copy->left_out += keep == 0;
        return keep;
    }
    if (copy->drop_blocks)
        buffer_reset(&known->blocks);
    if (copy->change)
        copy->change(copy->change_arg, refset_reader_id(reader), known);
    switch (refset_writer_add(to, known, err)) {
    case REFSET_ADDED:
        copy->added++;
        return 0;
    case REFSET_EXTENDED:
        copy->extended++;
        return 0;
    case REFSET_THERE:
        copy->there++;
        return 0;
    case REFSET_REFUSED:
        copy->refused++;
        error_set(&why, "%s: file %" PRIu64 " (%s): %s", copy->from, refset_reader_id(reader),
                  known->names.len ? known->names.data : "no name", err->text);
        copy->tell(copy->arg, why.text);
        return 0;
    default:
        return -1;
    }
}

static int copy_all(struct refset_copy *copy, struct refset_reader *reader, const struct sources *sources,
                    struct error *err)
{
    int result;

    while ((result = refset_reader_next(reader, err)) > 0) {
        if (copy->stop && atomic_load(copy->stop))
            return 1;
        if (copy->count)
            atomic_fetch_add_explicit(copy->count, 1, memory_order_relaxed);
        refset_writer_back(sources->to, source_map_find(&sources->map, refset_reader_source(reader)));
        translate(refset_reader_known(reader), sources);
        if (copy_one(copy, reader, sources->to, err))
            return -1;
    }
    return result;
}

static int link_one(void *arg, const struct digest_values *parent, const struct digest_values *member,
                    struct error *err)
{
    return refset_writer_link(arg, parent, member, err);
}

static int take_sources(struct refset_copy *copy, struct refset *from, struct sources *sources,
                        struct error *err)
{
    const int result = refset_sources(from, take_source, sources, err);

    if (sources->failed || (result && !copy->forgive))
        return -1;
    if (result)
        copy->tell(copy->arg, err->text);
    return 0;
}

int refset_copy(struct refset_copy *copy, struct refset *from, struct refset_writer *to, struct error *err)
{
    const char *path = refset_path(from);
    const struct refset_source whole = {
        .path = path, .path_len = strlen(path), .kind = "set", .format = "", .tool = "", .note = ""};
    struct sources sources = {.to = to, .err = err};
    struct refset_reader *reader = NULL;
    int result = -1;

    copy->from = path;
    sources.map.unknown = refset_writer_source(to, &whole, err);
    if (sources.map.unknown >= 0 && take_sources(copy, from, &sources, err) == 0)
        reader = refset_reader_new(from, true, err);
    if (reader) {
        if (copy->forgive)
            refset_reader_forgive(reader, copy->tell, copy->arg);
        result = copy_all(copy, reader, &sources, err);
        if (result == 0)
            result = refset_reader_members(reader, link_one, to, err);
        copy->lost_samples = refset_reader_lost_samples(reader);
    }
    refset_reader_free(reader);
    source_map_release(&sources.map);
    return result;
}
