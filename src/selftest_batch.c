/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "lab/lab_judge.h"

enum {
    COMMON_STRING = 64, /* two contents with a common string of this length are related */
    NAME_LEN = 32,
};

/* ---- sets ---- */

static int write_references(struct selftest_run *run, struct error *err)
{
    char name[NAME_LEN];

    if (selftest_scratch_folder(&run->scratch, "references", err))
        return -1;
    for (size_t i = 0; i < run->content.count; i++) {
        const struct selftest_file *file = &run->content.files[i];

        snprintf(name, sizeof name, "references/%06zu", i);
        if (selftest_scratch_write(&run->scratch, name, file->data, file->len, err))
            return -1;
    }
    return 0;
}

int selftest_batch_make_sets(struct selftest_run *run, struct error *err)
{
    const char *const usual[] = {"kith", "add",          "-q",         "--containers",
                                 "no",   "default.kith", "references", NULL};
    const char *const dense[] = {"kith", "add", "-q",         "--containers", "no",
                                 "-C",   "32",  "dense.kith", "references",   NULL};

    if (write_references(run, err) || selftest_run_kith(run, usual, err) ||
        selftest_run_kith(run, dense, err))
        return -1;
    selftest_scratch_drop(&run->scratch, "references");
    return 0;
}

/* ---- objects ---- */

static void object_name(size_t number, char name[NAME_LEN])
{
    snprintf(name, NAME_LEN, "objects/%06zu", number);
}

int selftest_batch_begin(struct selftest_batch *batch, struct selftest_run *run, struct error *err)
{
    *batch = (struct selftest_batch){.run = run};
    return selftest_scratch_folder(&run->scratch, "objects", err);
}

void selftest_batch_end(struct selftest_batch *batch)
{
    selftest_scratch_drop(&batch->run->scratch, "objects");
    buffer_release(&batch->object);
    free(batch->objects);
}

int selftest_batch_plant(struct selftest_batch *batch, const struct selftest_batch_object *object,
                         const struct buffer *content, struct error *err)
{
    char name[NAME_LEN];

    object_name(batch->count, name);
    if (content->failed || array_reserve(&batch->objects, &batch->room, batch->count + 1))
        return error_set(err, "out of memory");
    if (selftest_run_continue(err) ||
        selftest_scratch_write(&batch->run->scratch, name, content->data, content->len, err))
        return -1;
    batch->objects[batch->count++] = *object;
    batch->bytes += content->len;
    batch->run->scanned += content->len;
    return 0;
}

static int load(struct selftest_batch *batch, size_t number, struct lab_judge_bytes *out, struct error *err)
{
    char name[NAME_LEN];

    if (batch->loaded != number + 1) {
        object_name(number, name);
        if (selftest_scratch_read(&batch->run->scratch, name, &batch->object, err))
            return -1;
        batch->loaded = number + 1;
    }
    *out = (struct lab_judge_bytes){(const uint8_t *)batch->object.data, batch->object.len};
    return 0;
}

/* ---- judging ---- */

/* A number of six digits below the limit. */
static bool read_number(const char *text, size_t limit, size_t *out)
{
    char *end;

    *out = strtoul(text, &end, 10);
    return strlen(text) == 6 && !*end && *out < limit;
}

static int judge_promise(struct selftest_batch *batch, const struct lab_judge_row *row, size_t number,
                         size_t file, struct error *err)
{
    const struct selftest_file *reference = &batch->run->content.files[file];
    const struct lab_judge_bytes content = {reference->data, reference->len};
    struct selftest_case *test = batch->objects[number].test;
    struct lab_judge_bytes object = {NULL, 0};
    enum lab_judge_promise promise;

    if (strcmp(row->proof, "estimate") == 0 && strcmp(row->verdict, "identical") != 0)
        return 0;
    if (load(batch, number, &object, err))
        return -1;
    promise = lab_judge_promise(row, &object, &content, SELFTEST_BATCH_BLOCK);
    test->promises += promise != LAB_JUDGE_NONE;
    if (promise == LAB_JUDGE_NONE || promise == LAB_JUDGE_KEPT)
        return 0;
    test->broken++;
    selftest_case_note(test, "object %06zu, reference %06zu: %s", number, file,
                       lab_judge_promise_text(promise));
    return 0;
}

/* Whether the reference has a string in common with the object, or with the file that the object was made
 * from: few strings of that length survive where every twentieth byte was changed. */
static int is_related(struct selftest_batch *batch, size_t number, size_t file, struct error *err)
{
    const struct selftest_file *files = batch->run->content.files;
    const struct lab_judge_bytes reference = {files[file].data, files[file].len};
    const size_t source = batch->objects[number].file;
    struct lab_judge_bytes object = {NULL, 0};
    int shared;

    if (load(batch, number, &object, err))
        return -1;
    shared = lab_judge_share(&object, &reference, COMMON_STRING, err);
    if (shared != 0 || source == SELFTEST_BATCH_NO_FILE)
        return shared;
    object = (struct lab_judge_bytes){files[source].data, files[source].len};
    return lab_judge_share(&object, &reference, COMMON_STRING, err);
}

/* A finding that names another reference than the one planted. */
static int judge_other(struct selftest_batch *batch, size_t number, size_t file, struct error *err)
{
    struct selftest_case *test = batch->objects[number].test;
    const int related = is_related(batch, number, file, err);

    if (related < 0)
        return -1;
    test->other++;
    test->unfounded += related == 0;
    batch->objects[number].unfounded |= related == 0;
    return 0;
}

static void judge_range(const struct selftest_batch_object *object, const struct lab_judge_row *row)
{
    const double start = (double)row->obj_start - (double)object->start;
    const double end = (double)row->obj_end - (double)object->end;

    if (object->end == 0)
        return;
    object->test->ranges++;
    object->test->range_sum += ((start < 0 ? -start : start) + (end < 0 ? -end : end)) / 2;
}

static int judge_finding(struct selftest_batch *batch, const struct lab_judge_row *row, size_t number,
                         struct error *err)
{
    struct selftest_batch_object *object = &batch->objects[number];
    size_t file;

    if (!read_number(row->ref_name, batch->run->content.count, &file))
        return error_set(err, "kith scan names a reference that is not in the set: %s", row->ref_name);
    object->reported = true;
    if (judge_promise(batch, row, number, file, err))
        return -1;
    if (file != object->file)
        return judge_other(batch, number, file, err);
    if (!object->found)
        judge_range(object, row);
    object->found = true;
    object->right |= selftest_case_expects(object->test, row->verdict);
    object->identical |= strcmp(row->verdict, "identical") == 0;
    return 0;
}

static int judge_row(void *arg, const struct lab_judge_row *row, struct error *err)
{
    struct selftest_batch *batch = arg;
    size_t number;

    if (!read_number(row->path, batch->count, &number))
        return error_set(err, "kith scan names an object that is not there: %s", row->path);
    if (row->has_span)
        return judge_finding(batch, row, number, err);
    batch->objects[number].right |= selftest_case_expects(batch->objects[number].test, row->verdict);
    return 0;
}

/* One trial's result into its case. */
static void count_object(const struct selftest_batch *batch, size_t number)
{
    const struct selftest_batch_object *object = &batch->objects[number];
    struct selftest_case *test = object->test;

    test->trials++;
    switch (test->group) {
    case SELFTEST_IDENTICAL:
        test->hits += object->identical;
        test->right += object->identical;
        break;
    case SELFTEST_UNRELATED:
        test->hits += object->unfounded;
        break;
    case SELFTEST_NOTHING:
        test->hits += object->right && !object->reported;
        test->right += object->right && !object->reported;
        break;
    default:
        test->hits += object->found;
        test->right += object->found && object->right;
    }
    if (test->group == SELFTEST_IDENTICAL && !object->identical) {
        test->promises++;
        test->broken++;
        selftest_case_note(test, "object %06zu: an identical file was missed", number);
    }
}

int selftest_batch_scan(struct selftest_batch *batch, bool dense, const char *max_e, struct error *err)
{
    /* what is measured is matching, not opening */
    const char *argv[18] = {"kith",         "scan", "-q", "--csv", "--all", "--all-references",
                            "--containers", "no",   "-r"};
    size_t count = 9;

    argv[count++] = dense ? "dense.kith" : "default.kith";
    if (dense)
        argv[count++] = "--deep";
    if (max_e) {
        argv[count++] = "--max-e";
        argv[count++] = max_e;
    }
    argv[count] = "objects";
    for (size_t i = 0; i < batch->count; i++) {
        struct selftest_batch_object *object = &batch->objects[i];

        object->found = object->right = object->reported = object->identical = object->unfounded = false;
    }
    if (batch->count == 0)
        return 0;
    if (selftest_run_kith(batch->run, argv, err) ||
        lab_judge_rows(batch->run->out.data, batch->run->out.len, judge_row, batch, err))
        return -1;
    for (size_t i = 0; i < batch->count; i++)
        count_object(batch, i);
    return 0;
}
