/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/lab_judge.h"
#include "selftest_images_inner.h"

/* Scans an image and judges the rows. */

enum { COMMON_STRING = 64, BLOCK = 4096 /* of a set */ };

struct judging {
    const struct selftest_images *images;
    const struct selftest_image *image;
    size_t system;
    struct selftest_case *const *tests;
};

/* ---- references ---- */

/* The item with this number among the references; its system and place. */
static struct selftest_item *item_of(const struct selftest_images *images, size_t number, size_t *system,
                                     enum selftest_images_place *place)
{
    const size_t count = images->items[0].count, per_system = SELFTEST_PLACES * count;

    *system = number / per_system;
    *place = (enum selftest_images_place)(number % per_system / count);
    return *system < images->count ? &images->items[*system].list[*place][number % count] : NULL;
}

int selftest_images_references(const struct selftest_images *images, struct error *err)
{
    const struct selftest_item *item;
    enum selftest_images_place place;
    size_t system;
    char name[32];

    if (selftest_scratch_folder(&images->run->scratch, "references", err))
        return -1;
    for (size_t i = 0; (item = item_of(images, i, &system, &place)); i++) {
        snprintf(name, sizeof name, "references/%zu", i);
        if (selftest_scratch_write(&images->run->scratch, name, item->content.data, item->content.len, err))
            return -1;
    }
    return 0;
}

/* ---- judging ---- */

/* The kinds of objects that a place may be listed as.  A deleted file lies in free blocks, so it may be found
 * there as well.  Gaps are outside of partitions. */
static bool is_right_kind(enum selftest_images_place place, const char *kind)
{
    static const char *const kinds[SELFTEST_PLACES][4] = {
        {"file"}, {"deleted", "orphan", "unallocated"}, {"unallocated", "gap"}, {"slack"}};

    for (size_t i = 0; i < 4 && kinds[place][i]; i++)
        if (strcmp(kinds[place][i], kind) == 0)
            return true;
    return false;
}

/* Free blocks are addressed by their place in the image: @OFFSET+LENGTH. */
static bool object_bytes(const struct selftest_image *image, const struct lab_judge_row *row,
                         struct lab_judge_bytes *out)
{
    uint64_t at, len;
    int end = 0;

    if (sscanf(row->address, "@%" SCNu64 "+%" SCNu64 "%n", &at, &len, &end) != 2 || row->address[end] ||
        at > image->len || len > image->len - at)
        return false;
    *out = (struct lab_judge_bytes){image->bytes + at, (size_t)len};
    return true;
}

static void note_broken(struct selftest_case *test, const struct lab_judge_row *row, const char *what)
{
    test->broken++;
    selftest_case_note(test, "object %s, reference %s: %s", row->address, row->ref_name, what);
}

static void judge_promise(const struct judging *judging, const struct lab_judge_row *row,
                          const struct selftest_item *item, struct selftest_case *test)
{
    const struct lab_judge_bytes reference = {(const uint8_t *)item->content.data, item->content.len};
    struct lab_judge_bytes object;
    enum lab_judge_promise promise;

    if (strcmp(row->verdict, "identical") == 0) {
        test->promises++;
        if (strcmp(row->sha1, item->sha1) != 0 || row->size != item->content.len)
            note_broken(test, row, lab_judge_promise_text(LAB_JUDGE_FALSE_IDENTICAL));
    } else if (object_bytes(judging->image, row, &object)) {
        promise = lab_judge_promise(row, &object, &reference, BLOCK);
        test->promises += promise != LAB_JUDGE_NONE;
        if (promise != LAB_JUDGE_NONE && promise != LAB_JUDGE_KEPT)
            note_broken(test, row, lab_judge_promise_text(promise));
    }
}

/* Whether anything planted in the image has a string in common with this. */
static int is_related(const struct judging *judging, const struct selftest_item *item, struct error *err)
{
    const struct selftest_items *items = &judging->images->items[judging->system];
    const struct lab_judge_bytes reference = {(const uint8_t *)item->content.data, item->content.len};

    for (enum selftest_images_place place = 0; place < SELFTEST_PLACES; place++)
        for (size_t i = 0; i < items->count; i++) {
            const struct buffer *content = &items->list[place][i].content;
            const struct lab_judge_bytes planted = {(const uint8_t *)content->data, content->len};
            const int shared =
                content == &item->content ? 0 : lab_judge_share(&planted, &reference, COMMON_STRING, err);

            if (shared)
                return shared;
        }
    return 0;
}

/* A finding that names content which does not lie at this kind of place of this image. */
static int judge_other(const struct judging *judging, const struct selftest_item *item,
                       struct selftest_case *test, struct error *err)
{
    const int related = is_related(judging, item, err);

    if (related < 0)
        return -1;
    test->other++;
    test->unfounded += related == 0;
    return 0;
}

static int judge_row(void *arg, const struct lab_judge_row *row, struct error *err)
{
    struct judging *judging = arg;
    enum selftest_images_place place;
    struct selftest_case *test;
    struct selftest_item *item;
    size_t system;
    char *end;

    if (!row->has_span)
        return 0;
    item = item_of(judging->images, strtoul(row->ref_name, &end, 10), &system, &place);
    if (*end || !item)
        return error_set(err, "kith scan names a reference that is not in the set: %s", row->ref_name);
    test = judging->tests[place];
    judge_promise(judging, row, item, test);
    if (system != judging->system || !is_right_kind(place, row->kind))
        return judge_other(judging, item, test, err);
    item->found = true;
    item->right |= selftest_case_expects(test, row->verdict);
    item->identical |= strcmp(row->verdict, "identical") == 0;
    return 0;
}

static void count_item(struct selftest_item *item, enum selftest_images_place place,
                       struct selftest_case *test)
{
    test->trials++;
    test->hits += item->found;
    test->right += item->found && item->right;
    if (place == SELFTEST_ACTIVE && !item->identical) {
        test->promises++;
        test->broken++;
        selftest_case_note(test, "%s: an identical file was missed", item->file);
    } else if (!item->found) {
        selftest_case_note(test, "missed: %zu bytes of class %s at offset %" PRIu64, item->content.len,
                           selftest_class_names[item->class], item->at);
    }
    item->found = item->right = item->identical = false;
}

int selftest_images_scan(const struct selftest_images *images, const struct selftest_image *image,
                         size_t system, bool dense, struct selftest_case *const tests[SELFTEST_PLACES],
                         struct error *err)
{
    const char *argv[] = {"kith",
                          "scan",
                          "-q",
                          "--csv",
                          "--all-references",
                          "--containers",
                          "no",
                          "-r",
                          dense ? "images-dense.kith" : "images.kith",
                          "image.img",
                          dense ? "--deep" : NULL,
                          NULL};
    struct judging judging = {images, image, system, tests};
    struct selftest_items *items = &images->items[system];

    if (selftest_run_kith(images->run, argv, err) ||
        lab_judge_rows(images->run->out.data, images->run->out.len, judge_row, &judging, err))
        return -1;
    for (enum selftest_images_place place = 0; place < SELFTEST_PLACES; place++)
        for (size_t i = 0; i < items->count; i++)
            count_item(&items->list[place][i], place, tests[place]);
    return 0;
}
