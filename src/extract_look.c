/* SPDX-License-Identifier: Apache-2.0 */
#include "extract_look.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

struct look {
    struct evidence_run *run;
    char **addresses;
    struct extract_item *found; /* one for each; without a volume until it is found */
    size_t count;
    bool failed;         /* out of memory */
    const char *doubled; /* an address that several volumes have, and another volume that has it */
    char other[200];
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

        if (!(object->flags & OBJECT_HOST && strcmp(look->addresses[i], path) == 0) &&
            !is_it(look->addresses[i], volume->label, look->text.data))
            continue;
        if (!item->volume) {
            keep(look, item, volume, object, path);
        } else if (!look->doubled) {
            look->doubled = look->addresses[i];
            snprintf(look->other, sizeof look->other, "%s", volume->label);
        }
    }
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
            complain("%s: several objects have the address %s: give that of the volume, too, as in %s/%s",
                     evidence, look->doubled, look->other, look->doubled);
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
    struct error err;
    enum evidence_result result;
    int status = EXIT_USAGE;

    run->path = evidence;
    result = look.found ? evidence_read(evidence, &run->options, &sink, &err) : EVIDENCE_FAILED;
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
    return status;
}
