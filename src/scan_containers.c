/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "scan_containers_inner.h"

enum {
    MOST_FOUND = 1 << 19
}; /* findings in the members of a container; if there are more, it is not judged */

/* ---- the present object ---- */

static int keep_text(struct scan_container *container, const char *text, size_t len, size_t *at)
{
    *at = container->texts.len;
    buffer_add(&container->texts, text, len);
    return container->texts.failed ? -1 : 0;
}

static size_t paths_len(const struct case_object *object)
{
    size_t len = 0;

    for (size_t i = 0; i < object->path_count; i++)
        len += strlen(object->paths + len) + 1;
    return len;
}

/* Keeps a copy of the row: a temporary case holds only rows with findings, and it may get one later. */
static int keep_row(struct scan_container *container, const struct case_object *row, struct error *err)
{
    struct case_object *object = &container->object;
    size_t volume, address, paths, reason;

    buffer_reset(&container->texts);
    if (keep_text(container, row->volume, strlen(row->volume) + 1, &volume) ||
        keep_text(container, row->address, strlen(row->address) + 1, &address) ||
        keep_text(container, row->paths, paths_len(row), &paths) ||
        keep_text(container, row->reason, strlen(row->reason) + 1, &reason) ||
        array_reserve(&container->runs, &container->run_room, row->run_count + 1))
        return error_set(err, "out of memory");
    *object = *row;
    object->volume = container->texts.data + volume;
    object->address = container->texts.data + address;
    object->paths = container->texts.data + paths;
    object->reason = container->texts.data + reason;
    if (row->run_count)
        memcpy(container->runs, row->runs, row->run_count * sizeof *row->runs);
    object->runs = container->runs;
    return 0;
}

int scan_containers_take(struct scan_containers *containers, const struct case_object *row,
                         const struct scanner_part *part, bool is_whole, struct error *err)
{
    struct scan_container *container = containers->levels[containers->level];

    container->is_whole = is_whole;
    if (!is_whole)
        return 0;
    for (size_t i = 0; i < part->findings.count; i++) {
        const struct finding *finding = &part->findings.list[i];
        const struct found found = {.set = finding->set,
                                    .file = finding->file,
                                    .verdict = finding->verdict,
                                    .ln_e = finding->ln_e,
                                    .rank = (uint32_t)i};

        if (scan_containers_add_found(&container->own, &found, err))
            return -1;
    }
    if (keep_row(container, row, err))
        return -1;
    container->object.size = part->len;
    container->object.digests = part->digests;
    container->object.verdict = part->verdict;
    return 0;
}

void scan_containers_added(struct scan_containers *containers, uint64_t number)
{
    struct scan_container *container = containers->levels[containers->level];

    container->number = number;
    for (size_t i = 0; i < container->own.count; i++)
        container->own.list[i].object = number;
}

/* ---- levels ---- */

/* What is known of a member, and of what is packed in it, is known to its container. */
static int pass_up(struct scan_container *parent, struct scan_container *member, bool is_outermost,
                   struct error *err)
{
    parent->inner.has_boilerplate |= member->has_boilerplate || member->inner.has_boilerplate;
    parent->inner.is_cut |= member->is_cut || member->inner.is_cut;
    for (size_t i = 0; i < member->own.count && is_outermost; i++)
        member->own.list[i].carved = member->carved;
    if (parent->found.count + member->own.count > MOST_FOUND)
        parent->is_full = true;
    for (size_t i = 0; i < member->own.count && !parent->is_full; i++)
        if (!member->own.list[i].is_void &&
            scan_containers_add_found(&parent->found, &member->own.list[i], err))
            return -1;
    return 0;
}

/* What is alike in members that unrelated documents have in common is no evidence, unless it is identical:
 * the finding is only listed with all others. */
static int void_findings(struct scan_containers *containers, struct scan_container *container,
                         struct error *err)
{
    for (size_t i = 0; i < container->own.count; i++) {
        struct found *own = &container->own.list[i];

        if (own->verdict == VERDICT_IDENTICAL)
            continue;
        own->is_void = own->is_folded = true;
        if (casefile_fold(containers->casefile, container->object.evidence, own->object, own->rank,
                          own->object, own->rank, err))
            return -1;
    }
    return 0;
}

static int by_reference(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    if (x->set != y->set)
        return x->set < y->set ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void sort_found(struct scan_container *container)
{
    if (container->found.count)
        qsort(container->found.list, container->found.count, sizeof *container->found.list, by_reference);
}

/* Boilerplate may be packed further in, as in the Base64 of a document that is attached to a mail. */
static bool packs_boilerplate(const struct scan_container *container)
{
    return !container->is_cut &&
           (container->has_boilerplate || (container->inner.has_boilerplate && !container->inner.is_cut));
}

/* Ends the open containers from the innermost one to that at this level. */
static int end_to(struct scan_containers *containers, size_t level, struct error *err)
{
    struct nesting *nesting = &containers->nesting;

    while (nesting->depth > level) {
        struct scan_container *container = containers->levels[--nesting->depth];

        if (nesting->levels[nesting->depth].grade != BOILERPLATE_NONE &&
            void_findings(containers, container, err))
            return -1;
        container->packs_boilerplate = packs_boilerplate(container);
        sort_found(container);
        if (scan_containers_judge(containers, container, err))
            return -1;
        if (nesting->depth > 0 &&
            pass_up(containers->levels[nesting->depth - 1], container, nesting->depth == 1, err))
            return -1;
    }
    return 0;
}

/* Of "zip@512/a.txt", 512. */
static uint64_t carved_at(const struct object *member)
{
    const char *at = member->member.data;
    const char *end = at ? at + member->member.len : at;
    uint64_t offset = 0;

    if (member->kind != OBJECT_MEMBER)
        return 0;
    while (at < end && *at != '@' && *at != '/')
        at++;
    if (at < end && *at == '@')
        while (++at < end && *at >= '0' && *at <= '9')
            offset = offset * 10 + (uint64_t)(*at - '0');
    return offset;
}

static int begin_level(struct scan_containers *containers, const struct object *object, struct error *err)
{
    struct scan_container **container = &containers->levels[containers->level];

    if (!*container && !(*container = memory_new(sizeof **container, err)))
        return -1;
    (*container)->own.count = (*container)->found.count = 0;
    (*container)->members = 0;
    (*container)->carved = carved_at(object);
    (*container)->is_whole = (*container)->is_full = false;
    (*container)->has_boilerplate = (*container)->is_cut = false;
    (*container)->inner.has_boilerplate = (*container)->inner.is_cut = false;
    return 0;
}

static void note_member(struct scan_container *container, const struct object *member, bool is_boilerplate)
{
    container->members += member->size > 0 && !is_boilerplate;
    container->has_boilerplate |= is_boilerplate;
    container->is_cut |= member->state != OBJECT_WHOLE;
}

int scan_containers_begin(struct scan_containers *containers, const struct object *object, struct error *err)
{
    const int level = nesting_level(&containers->nesting, object);

    if (end_to(containers, (size_t)level, err))
        return -1;
    containers->level = nesting_take(&containers->nesting, object);
    if (containers->level < 0)
        return error_set(err, "out of memory");
    if (level > 0)
        note_member(containers->levels[level - 1], object,
                    containers->nesting.levels[level].grade == BOILERPLATE_ALL);
    return begin_level(containers, object, err);
}

int scan_containers_end(struct scan_containers *containers, struct error *err)
{
    return end_to(containers, 0, err);
}

void scan_containers_release(struct scan_containers *containers)
{
    for (size_t i = 0; i <= OBJECT_MOST_LEVELS; i++) {
        struct scan_container *container = containers->levels[i];

        if (!container)
            continue;
        buffer_release(&container->texts);
        free(container->runs);
        free(container->own.list);
        free(container->found.list);
        free(container);
    }
    nesting_release(&containers->nesting);
}
