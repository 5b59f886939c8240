/* SPDX-License-Identifier: Apache-2.0 */
#include "extract_look.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "command.h"
#include "fetch_inner.h"

struct look {
    struct evidence_run *run;
    char **addresses;
    struct extract_item *found; /* one for each; without a volume until it is found */
    size_t count;
    bool failed;         /* out of memory */
    const char *doubled; /* an address that several objects have; what would be unique of the last of them */
    struct buffer other;
    struct buffer text;
    uint64_t image_size; /* 0: it is no image */
};

static void keep(struct look *look, struct extract_item *item, const struct evidence_volume *volume,
                 const struct object *object, const char *path)
{
    *item = (struct extract_item){.volume = strdup(volume->label),
                                  .address = strdup(look->text.data),
                                  .base = strdup(look->text.data),
                                  .finding = strdup(""),
                                  .path = strdup(path),
                                  .kind = object->kind,
                                  .size = object->size};
    look->failed |= asprintf(&item->number, "%td", item - look->found + 1) < 0 || !item->volume ||
                    !item->address || !item->base || !item->finding || !item->path;
}

/* The address as it is, or after the volume's label. */
static bool is_it(const char *wanted, const char *label, const char *address)
{
    const size_t len = strlen(label);

    return strcmp(wanted, address) == 0 ||
           (strncmp(wanted, label, len) == 0 && wanted[len] == '/' && strcmp(wanted + len + 1, address) == 0);
}

static size_t host_len(const struct object *object, const char *path)
{
    const size_t len = strlen(path);

    return object->inner.len < len ? len - object->inner.len - (object->inner.len > 0) : len;
}

/* A file of the host by its path; a member of it by the path in both, or by the path of the file and the
 * levels of the address. */
static bool is_host_path(const struct object *object, const char *wanted, const char *path,
                         const char *address)
{
    size_t len;

    if (object->flags & OBJECT_HOST)
        return strcmp(wanted, path) == 0;
    if (object->kind != OBJECT_MEMBER || !fetch_needs_path(address))
        return false;
    len = host_len(object, path);
    return (object->inner.len && strcmp(wanted, path) == 0) ||
           (strncmp(wanted, path, len) == 0 && strcmp(wanted + len, address + 1) == 0);
}

/* What of several objects with the same address or path only this one has. */
static void note_double(struct look *look, const char *wanted, const struct evidence_volume *volume,
                        const struct object *object, const char *path)
{
    if (look->doubled)
        return;
    look->doubled = wanted;
    if (fetch_needs_path(look->text.data) && *path)
        buffer_printf(&look->other, "%.*s%s", (int)host_len(object, path), path, look->text.data + 1);
    else
        buffer_printf(&look->other, "%s/%s", volume->label, look->text.data);
    buffer_add_char(&look->other, '\0');
    look->failed |= look->other.failed;
}

static void take_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                        const char *paths, size_t count)
{
    struct look *look = arg;
    const char *path = count ? paths : "";

    buffer_reset(&look->text);
    object_address(&look->text, object);
    buffer_add_char(&look->text, '\0');
    look->failed |= look->text.failed;
    for (size_t i = 0; i < look->count && !look->failed; i++) {
        struct extract_item *item = &look->found[i];

        if (!is_host_path(object, look->addresses[i], path, look->text.data) &&
            !is_it(look->addresses[i], volume->label, look->text.data))
            continue;
        if (!item->volume)
            keep(look, item, volume, object, path);
        else
            note_double(look, look->addresses[i], volume, object, path);
    }
}

/* ---- in the workers: which containers to open ---- */

struct look_worker {
    const struct look *look;
    struct buffer address;
    struct buffer host; /* the path of the file of the host that is being read; empty: of an image */
};

static void *open_worker(void *arg, const struct inspector_watch *watch, struct error *err)
{
    struct look_worker *worker = memory_new(sizeof *worker, err);

    (void)watch;
    if (worker)
        worker->look = arg;
    return worker;
}

static bool reads_nothing(void *state, const struct object *object)
{
    (void)state, (void)object;
    return false;
}

/* Whether the text is below a file of the host, by names or by levels. */
static bool is_in_host(const struct look_worker *worker, const char *wanted, const struct object *object)
{
    const struct buffer *host = &worker->host, *inner = &object->inner;
    const char *rest = wanted + host->len;

    if (!host->len || strncmp(wanted, host->data, host->len) != 0 || *rest != '/')
        return false;
    if (object->kind != OBJECT_MEMBER || !inner->len)
        return true;
    return object_is_below(wanted + host->len, worker->address.data + 1) ||
           (strncmp(rest + 1, inner->data, inner->len) == 0 && rest[1 + inner->len] == '/');
}

/* A label may come before the address.  Opening too much does no harm. */
static bool opens(void *arg, const struct object *object)
{
    struct look_worker *worker = arg;
    const struct look *look = worker->look;

    if (object->kind != OBJECT_MEMBER) {
        buffer_reset(&worker->host);
        if (object->flags & OBJECT_HOST)
            buffer_add(&worker->host, object->stream.data, object->stream.len);
    }
    buffer_reset(&worker->address);
    object_address(&worker->address, object);
    buffer_add_char(&worker->address, '\0');
    for (size_t i = 0; i < look->count && !worker->address.failed && !worker->host.failed; i++) {
        const char *wanted = look->addresses[i], *slash = strchr(wanted, '/');

        if (slash && (object_is_below(wanted, worker->address.data) ||
                      object_is_below(slash + 1, worker->address.data) || is_in_host(worker, wanted, object)))
            return true;
    }
    return false;
}

/* Only for members: of other objects nothing is read to find them. */
static void look_inside(struct look *look, struct inspector *inspector, struct evidence_options *options)
{
    bool any = false;

    for (size_t i = 0; i < look->count; i++)
        any |= strchr(look->addresses[i], '/') != NULL;
    if (!any)
        return;
    *inspector = inspector_closed;
    inspector->open = open_worker;
    inspector->selects = reads_nothing;
    inspector->opens = opens;
    inspector->arg = look;
    options->inspector = inspector;
    options->kinds |= OBJECT_BIT(OBJECT_MEMBER);
    options->opening = OPENING_ALL;
    options->depth = OPENING_MOST_DEPTH;
}

static void take_image(void *arg, const struct evidence_image *image)
{
    struct look *look = arg;

    look->image_size = image->size;
}

/* Any range of the image can be read, even if it is no object. */
static void keep_range(struct look *look, size_t i)
{
    struct extract_item *item = &look->found[i];
    uint64_t start, len;
    int end = 0;

    if (item->volume || sscanf(look->addresses[i], "@%" SCNu64 "+%" SCNu64 "%n", &start, &len, &end) != 2 ||
        look->addresses[i][end] || len == 0 || start > look->image_size || len > look->image_size - start)
        return;
    buffer_reset(&look->text);
    buffer_printf(&look->text, "@%" PRIu64 "+%" PRIu64, start, len);
    buffer_add_char(&look->text, '\0');
    if (look->text.failed) {
        look->failed = true;
        return;
    }
    keep(look, item, &(struct evidence_volume){.label = "-"},
         &(struct object){.kind = OBJECT_IMAGE, .size = len}, "");
    item->on_image = true;
}

static void take_problem(void *arg, const char *text)
{
    const struct look *look = arg;

    evidence_run_problem(look->run, text);
}

static int check_found(const struct look *look, const char *evidence)
{
    int status = EXIT_DONE;

    for (size_t i = 0; i < look->count; i++)
        if (!look->found[i].volume) {
            complain("%s: there is no object with the address %s (kith ls lists them)", evidence,
                     look->addresses[i]);
            status = EXIT_USAGE;
        } else if (look->doubled == look->addresses[i]) {
            complain("%s: several objects have the address %s: say which one, as in %s", evidence,
                     look->doubled, look->other.data);
            status = EXIT_USAGE;
        }
    return status;
}

/* Moves what was found to the list. */
static int move(struct look *look, struct extract_list *list)
{
    for (size_t i = 0; i < look->count; i++) {
        struct extract_item *item = extract_add(list);

        if (!item) {
            complain("out of memory");
            return EXIT_USAGE;
        }
        *item = look->found[i];
        look->found[i] = (struct extract_item){.size = 0};
    }
    return EXIT_DONE;
}

int extract_look(struct evidence_run *run, const char *evidence, char **addresses, size_t count,
                 struct extract_list *list)
{
    struct look look = {
        .run = run, .addresses = addresses, .found = calloc(count + 1, sizeof *look.found), .count = count};
    const struct evidence_sink sink = {
        .image = take_image, .object = take_object, .problem = take_problem, .arg = &look};
    struct extract_list found = {.items = look.found, .count = count};
    struct evidence_options options = run->options;
    struct inspector inspector;
    struct error err;
    enum evidence_result result;
    int status = EXIT_USAGE;

    run->path = evidence;
    look_inside(&look, &inspector, &options);
    result = look.found ? evidence_read(evidence, &options, &sink, &err) : EVIDENCE_FAILED;
    for (size_t i = 0; look.found && i < count && result < EVIDENCE_STOPPED; i++)
        keep_range(&look, i);
    if (!look.found || look.failed)
        complain("out of memory");
    else if (result == EVIDENCE_FAILED)
        complain_error(&err);
    else if (result == EVIDENCE_STOPPED)
        status = EXIT_INTERRUPTED;
    else
        status = check_found(&look, evidence);
    if (status == EXIT_DONE)
        status = move(&look, list);
    extract_release(&found);
    buffer_release(&look.text);
    buffer_release(&look.other);
    return status;
}
