/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_images.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftest_images_inner.h"
#include "selftest_process.h"

/* Images in the manner of CFTT's string-search sets: known content that is active, deleted, in unallocated
 * space and in slack, on each file system that can be made here. */

enum { SYSTEMS = 9 };
static const struct selftest_image_system *const systems[SYSTEMS] = {
    &selftest_image_ext2,  &selftest_image_ext3,  &selftest_image_ext4,
    &selftest_image_fat12, &selftest_image_fat16, &selftest_image_fat32,
    &selftest_image_exfat, &selftest_image_ntfs,  &selftest_image_mbr};

/* ---- tools ---- */

/* The first line with a digit of what the tool prints about itself. */
static bool add_version(struct selftest_facts *programs, const char *tool, const char *path,
                        const struct buffer *said)
{
    size_t start = 0;

    for (size_t i = 0; i < said->len; i++)
        if (said->data[i] == '\n') {
            start = i + 1;
        } else if (isdigit((unsigned char)said->data[i])) {
            const char *end = memchr(said->data + i, '\n', said->len - i);
            const size_t len = end ? (size_t)(end - said->data) - start : said->len - start;

            selftest_facts_add(programs, tool, "%s: %.*s", path, (int)(len < 200 ? len : 200),
                               said->data + start);
            return true;
        }
    return false;
}

/* Most of these tools print their version for -V, mkfs.fat and mtools for --help and --version, and not all
 * of them exit with 0. */
static int describe(struct selftest_run *run, struct selftest_facts *programs, const char *tool,
                    const char *path, struct error *err)
{
    static const char *const options[] = {"-V", "--version", "--help"};

    for (size_t i = 0; i < programs->count; i++)
        if (strcmp(programs->list[i].name, tool) == 0)
            return 0;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *const argv[] = {tool, options[i], NULL};

        buffer_reset(&run->out);
        buffer_reset(&run->errors);
        selftest_run_tool(run, path, NULL, argv, err);
        if (selftest_run_continue(err))
            return -1;
        if (add_version(programs, tool, path, &run->out) || add_version(programs, tool, path, &run->errors))
            return 0;
    }
    selftest_facts_add(programs, tool, "%s", path);
    return 0;
}

/* Finds the tools of a system.  Returns the name of one that is missing, or NULL. */
static const char *find_tools(struct selftest_image *image)
{
    for (size_t i = 0; image->system->tools[i]; i++) {
        image->tools[i] = selftest_process_find(image->system->tools[i]);
        if (!image->tools[i])
            return image->system->tools[i];
    }
    return NULL;
}

/* ---- cases ---- */

struct cases {
    struct selftest_case *tests[2][SELFTEST_PLACES];
};

static int add_case(struct selftest_run *run, const char *system, enum selftest_images_place place,
                    bool dense, struct selftest_case **out, struct error *err)
{
    static const char *const whole[] = {"identical", NULL};
    static const char *const part[] = {"embedded", "variant", "identical", NULL};
    static const struct {
        const char *name, *what;
        const char *const *expected;
    } places[SELFTEST_PLACES] = {
        {"active", "an allocated file", whole},
        {"deleted", "a deleted file whose blocks were not used again", whole},
        {"unallocated", "free blocks that no file ever had, or outside of partitions", part},
        {"slack", "the rest of the last block of another file", part}};
    struct selftest_case *test = selftest_case_add(&run->cases, SELFTEST_IMAGES, err, "D%02d-%s-%s",
                                                   (int)place + 1, system, dense ? "dense" : "default");

    if (!test)
        return -1;
    snprintf(test->what, sizeof test->what, "content in %s", places[place].what);
    test->class_name = system;
    test->size_name = places[place].name;
    test->dense = dense;
    test->again = dense; /* the same image */
    test->expected = places[place].expected;
    *out = test;
    return 0;
}

static int add_cases(struct selftest_run *run, const char *system, struct cases *cases, struct error *err)
{
    for (int dense = 0; dense < 2; dense++)
        for (enum selftest_images_place place = 0; place < SELFTEST_PLACES; place++)
            if (add_case(run, system, place, dense, &cases->tests[dense][place], err))
                return -1;
    return 0;
}

static void note_all(const struct cases *cases, const char *what, const char *more)
{
    for (int dense = 0; dense < 2; dense++)
        for (enum selftest_images_place place = 0; place < SELFTEST_PLACES; place++)
            selftest_case_note(cases->tests[dense][place], "%s%s", what, more);
}

/* ---- one system ---- */

static int scan_both(const struct selftest_images *images, const struct selftest_image *image, size_t system,
                     const struct cases *cases, struct error *err)
{
    for (int dense = 0; dense < 2; dense++)
        if (selftest_images_scan(images, image, system, dense, cases->tests[dense], err))
            return -1;
    return 0;
}

/* An image that cannot be made is not the fault of the tool under test: its cases are not run. */
static int run_system(const struct selftest_images *images, size_t system, struct selftest_facts *programs,
                      struct error *err)
{
    struct selftest_image image = {.run = images->run, .system = images->systems[system]};
    struct cases cases;
    const char *missing;
    int result = add_cases(images->run, image.system->name, &cases, err);

    if (result)
        return -1;
    missing = find_tools(&image);
    for (size_t i = 0; result == 0 && !missing && image.system->tools[i]; i++)
        result = describe(images->run, programs, image.system->tools[i], image.tools[i], err);
    if (missing) {
        note_all(&cases, missing, " not found");
    } else if (result == 0 && selftest_images_plant(&image, &images->items[system], err)) {
        note_all(&cases, err->text, "");
        result = selftest_run_continue(err);
    } else if (result == 0) {
        images->run->scanned += 2 * image.len;
        result = scan_both(images, &image, system, &cases, err);
    }
    selftest_image_unmap(&image);
    for (size_t i = 0; i < SELFTEST_IMAGE_TOOLS; i++)
        free(image.tools[i]);
    selftest_scratch_drop(&images->run->scratch, "image.img");
    return result;
}

static int make_sets(const struct selftest_images *images, struct error *err)
{
    const char *const usual[] = {"kith", "add",         "-q",         "--containers",
                                 "no",   "images.kith", "references", NULL};
    const char *const dense[] = {
        "kith", "add", "-q", "--containers", "no", "-C", "32", "images-dense.kith", "references", NULL};

    if (selftest_images_references(images, err) || selftest_run_kith(images->run, usual, err) ||
        selftest_run_kith(images->run, dense, err))
        return -1;
    selftest_scratch_drop(&images->run->scratch, "references");
    return 0;
}

int selftest_images_run(struct selftest_run *run, struct selftest_facts *programs, struct error *err)
{
    struct selftest_items items[SYSTEMS] = {0};
    const struct selftest_images images = {run, systems, SYSTEMS, items};
    int result = 0;

    for (size_t i = 0; result == 0 && i < SYSTEMS; i++)
        result = selftest_images_generate(run, systems[i], &items[i], err);
    if (result == 0)
        result = make_sets(&images, err);
    for (size_t i = 0; result == 0 && i < SYSTEMS; i++)
        result = run_system(&images, i, programs, err);
    for (size_t i = 0; i < SYSTEMS; i++)
        selftest_images_release(&items[i]);
    return result;
}
