/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

/* ---- the path ---- */

char *inside_file(const char *path, const char **object)
{
    const int kept = errno;
    struct stat st;
    char *file = NULL;

    if (stat(path, &st)) /* not a folder, or too long */
        file = strdup(path);
    for (char *slash = file ? strrchr(file, '/') : NULL; slash; slash = strrchr(file, '/')) {
        *slash = '\0';
        if (stat(file, &st) == 0 && (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode))) {
            *object = path + (slash - file) + 1;
            errno = kept;
            return file;
        }
    }
    free(file);
    errno = kept;
    return NULL;
}

/* "-" is that of a file of the host, and may also be the label of a volume. */
static bool is_base(const char *at, size_t len)
{
    return len > 0 && at[0] != '-' && object_is_base(at, len);
}

static bool is_address(const char *at)
{
    struct object_level level;

    if (!is_base(at, object_base_len(at)))
        return false;
    at += object_base_len(at);
    while (object_next_level(&at, &level))
        ;
    return !*at;
}

int inside_parse(struct inside_address *address, const char *path, const char *object, struct error *err)
{
    const char *at = object;

    while (!is_base(at, object_base_len(at)) && strchr(at, '/'))
        at = strchr(at, '/') + 1;
    if (at == object + 1 || !is_address(at)) /* an empty label would be a second name of the same image */
        return error_set(err,
                         "%s: '%s' is not the address of an object, such as 1234-128-1 (kith ls lists them)",
                         path, object);
    *address = (struct inside_address){.label = object, .own = at};
    address->label_len = at > object ? (size_t)(at - object) - 1 : 0;
    return 0;
}

/* ---- the search ---- */

static bool is_label(const struct inside_address *address, size_t from, const char *label)
{
    return label && strlen(label) == address->label_len - from &&
           strncmp(label, address->label + from, address->label_len - from) == 0;
}

/* A volume that was asked for by its sector has a dash in place of its number. */
static bool is_of_volume(const struct inside_address *address, const char *label)
{
    return address->label_len == 0 || is_label(address, 0, label) ||
           (strncmp(address->label, "-@", 2) == 0 && is_label(address, 1, strchr(label, '@')));
}

static void fail(struct inside *inside)
{
    inside->failed = true;
    atomic_store(&inside->stop, true);
}

bool inside_is_stored(const struct evidence_volume *volume, const struct object *object)
{
    const char *system = volume->system ? volume->system : "";

    return !(object->flags & (OBJECT_COMPRESSED | OBJECT_RESIDENT | OBJECT_ENCRYPTED)) &&
           strncmp(system, "apfs", 4) != 0 && strncmp(system, "yaffs", 5) != 0;
}

static void keep(struct inside *inside, const struct evidence_volume *volume, const struct object *object)
{
    struct wire wire;

    buffer_reset(&inside->text);
    object_encode(&inside->text, object);
    wire = (struct wire){inside->text.data, inside->text.len, false};
    if (inside->text.failed || !object_decode(&wire, &inside->object))
        fail(inside);
    snprintf(inside->label, sizeof inside->label, "%s", volume->label);
    if (inside->is_in_partial)
        object_blame(&inside->object, OBJECT_PARTIAL, "what it is a member of is incomplete");
    inside->found = true;
    /* A member with runs is stored in one piece, with the holes of what it is in; others are packed. */
    inside->is_stored =
        inside_is_stored(volume, object) && (object->kind != OBJECT_MEMBER || object->run_count > 0);
    if (inside->address.label_len || inside->options.ranges || strcmp(volume->label, "-") == 0)
        atomic_store(&inside->stop, true); /* no other object has this address */
}

static void take_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                        const char *paths, size_t count)
{
    struct inside *inside = arg;

    (void)paths, (void)count;
    if (!is_of_volume(&inside->address, volume->label))
        return;
    buffer_reset(&inside->text);
    object_address(&inside->text, object);
    buffer_add_char(&inside->text, '\0');
    if (inside->text.failed)
        fail(inside);
    else if (object_is_below(inside->address.own, inside->text.data))
        inside->is_in_partial =
            object->state != OBJECT_WHOLE || (object->kind == OBJECT_MEMBER && inside->is_in_partial);
    else if (strcmp(inside->text.data, inside->address.own) != 0)
        return;
    else if (inside->found)
        inside->doubled = true;
    else
        keep(inside, volume, object);
}

static void be_idle(void *arg)
{
    struct inside *inside = arg;

    if (inside->stopped && atomic_load(inside->stopped))
        atomic_store(&inside->stop, true);
    if (inside->caller->idle)
        inside->caller->idle(inside->caller->arg);
}

/* ---- in the workers: which containers to open ---- */

struct inside_worker {
    const struct inside *inside;
    struct buffer address;
};

static void *open_worker(void *arg, const struct inspector_watch *watch, struct error *err)
{
    struct inside_worker *worker = memory_new(sizeof *worker, err);

    (void)watch;
    if (worker)
        worker->inside = arg;
    return worker;
}

static bool reads_nothing(void *state, const struct object *object)
{
    (void)state, (void)object;
    return false;
}

static bool opens(void *state, const struct object *object)
{
    struct inside_worker *worker = state;

    buffer_reset(&worker->address);
    object_address(&worker->address, object);
    buffer_add_char(&worker->address, '\0');
    return !worker->address.failed && object_is_below(worker->inside->address.own, worker->address.data);
}

/* ---- options ---- */

static void select_member(struct inside *inside)
{
    inside->inspector = inspector_closed;
    inside->inspector.open = open_worker;
    inside->inspector.selects = reads_nothing;
    inside->inspector.opens = opens;
    inside->inspector.arg = inside;
    inside->options.inspector = &inside->inspector;
    inside->options.kinds |= OBJECT_BIT(OBJECT_MEMBER);
    inside->options.opening = OPENING_ALL;
    inside->options.depth = OPENING_MOST_DEPTH;
    inside->options.unpacked_most = UINT64_MAX; /* only what leads to it is opened */
}

/* A range of the image is known without reading anything. */
static int select_range(struct inside *inside, struct error *err)
{
    char *plus;
    const char *base = inside->address.own;

    if (ranges_reserve(&inside->range))
        return error_set(err, "out of memory");
    errno = 0;
    inside->range.list[0].start = strtoull(base + 1, &plus, 10);
    inside->range.list[0].len = strtoull(plus + 1, NULL, 10);
    inside->range.count = errno || inside->range.list[0].len == 0 ? 0 : 1;
    inside->address.label_len = 0;
    inside->options.ranges = &inside->range;
    inside->options.kinds = OBJECT_BIT(OBJECT_IMAGE);
    return 0;
}

int inside_begin(struct inside *inside, const char *path, const char *object,
                 const struct evidence_options *options, const struct evidence_sink *sink, struct error *err)
{
    if (inside_parse(&inside->address, path, object, err))
        return -1;
    inside->path = path;
    inside->caller = sink;
    inside->stopped = options->stop;
    atomic_store(&inside->stop, false);
    inside->sink = (struct evidence_sink){.object = take_object, .idle = be_idle, .arg = inside};
    inside->options = (struct evidence_options){.force = options->force,
                                                .workers = options->workers,
                                                .seconds = options->seconds,
                                                .kinds = OBJECT_STORED,
                                                .no_sandbox = options->no_sandbox,
                                                .stop = &inside->stop};
    if (strchr(inside->address.own, '/'))
        select_member(inside);
    else if (inside->address.own[0] == '@')
        return select_range(inside, err);
    return 0;
}

int inside_end(struct inside *inside, struct error *err)
{
    const struct object *object = &inside->object;
    const char *path = inside->path;

    if (inside->failed)
        return error_set(err, "%s: out of memory", path);
    if (!inside->found)
        return error_set(err, "%s: there is no such object (kith ls lists them)", path);
    if (inside->doubled)
        return error_set(err, "%s: several objects have this address: say which one, as in %.*s%s/%s", path,
                         (int)(strlen(path) - strlen(inside->address.label)), path, inside->label,
                         inside->address.own);
    if (object->state != OBJECT_UNREADABLE && object->size == 0)
        return error_set(err, "%s: it is empty", path);
    if (object->state != OBJECT_UNREADABLE && !inside->is_stored)
        return error_set(err, "%s: it is not stored as it is: extract it, then read it as a file", path);
    if (object->state == OBJECT_UNREADABLE)
        return error_set(err, "%s: %.*s", path, (int)object->problem.len, object->problem.data);
    if (object->state == OBJECT_PARTIAL && !inside->options.force)
        return error_set(err, "%s: %.*s (--force reads the rest)", path, (int)object->problem.len,
                         object->problem.data);
    return 0;
}

void inside_release(struct inside *inside)
{
    object_release(&inside->object);
    ranges_release(&inside->range);
    buffer_release(&inside->text);
}
