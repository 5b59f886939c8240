/* SPDX-License-Identifier: Apache-2.0 */
#include "set/refset_copy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

/* From the numbers of sources in the one set to their handles in the other. */
struct sources {
    struct refset_writer *to;
    struct origin {
        uint64_t id;
        int handle;
    } * list;
    size_t count, room;
    int unknown; /* handle of what has no source that is told */
    struct error *err;
    bool failed;
};

static void take_source(void *arg, const struct refset_source *source)
{
    struct sources *sources = arg;
    int handle;

    if (sources->failed)
        return;
    if (array_reserve(&sources->list, &sources->room, sources->count + 1)) {
        error_set(sources->err, "out of memory");
        sources->failed = true;
        return;
    }
    handle = refset_writer_copy_source(sources->to, source, sources->err);
    if (handle < 0)
        sources->failed = true;
    else
        sources->list[sources->count++] = (struct origin){source->id, handle};
}

/* The sources come by their numbers. */
static int handle_of(const struct sources *sources, uint64_t id)
{
    const size_t at = SEARCH_FIRST(i, 0, sources->count, sources->list[i].id >= id);

    return at < sources->count && sources->list[at].id == id ? sources->list[at].handle : sources->unknown;
}

/* The origins of names: from numbers to handles. */
static void translate(struct known *known, const struct sources *sources)
{
    for (size_t at = 0; at + sizeof(uint64_t) <= known->origins.len; at += sizeof(uint64_t)) {
        uint64_t origin;

        memcpy(&origin, known->origins.data + at, sizeof origin);
        origin = (uint64_t)handle_of(sources, origin);
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
        refset_writer_back(sources->to, handle_of(sources, refset_reader_source(reader)));
        translate(refset_reader_known(reader), sources);
        if (copy_one(copy, reader, sources->to, err))
            return -1;
    }
    return result;
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
    sources.unknown = refset_writer_source(to, &whole, err);
    if (sources.unknown >= 0 && take_sources(copy, from, &sources, err) == 0)
        reader = refset_reader_new(from, true, err);
    if (reader) {
        if (copy->forgive)
            refset_reader_forgive(reader, copy->tell, copy->arg);
        result = copy_all(copy, reader, &sources, err);
        copy->lost_samples = refset_reader_lost_samples(reader);
    }
    refset_reader_free(reader);
    free(sources.list);
    return result;
}
