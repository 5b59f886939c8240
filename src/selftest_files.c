/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "selftest_batch.h"
#include "selftest_edits.h"
#include "selftest_files_inner.h"

enum {
    MIB = 1 << 20,
    CELL_BYTES = 12 * MIB, /* most that one case of a batch may occupy: the disk space is limited */
    EMBEDDED_BYTES = 20 * MIB,
    FRAGMENT_HOST = 32768,
};

static const char *const identical[] = {"identical", NULL};
static const char *const embedded[] = {"embedded", NULL};
static const char *const fragment[] = {"fragment", "embedded", NULL};

/* A case for one class and size of files. */
static struct selftest_case *add_case(struct selftest_run *run, enum selftest_group group, char letter,
                                      unsigned number, enum selftest_class class, enum selftest_size size,
                                      struct error *err)
{
    struct selftest_case *test = selftest_case_add(&run->cases, group, err, "%c%02u-%s-%s", letter, number,
                                                   selftest_class_names[class], selftest_size_names[size]);

    if (test) {
        test->class_name = selftest_class_names[class];
        test->size_name = selftest_size_names[size];
    }
    return test;
}

/* How many trials a case has, if each needs about this number of bytes. */
static size_t trials(const struct selftest_run *run, size_t wanted, size_t bytes, size_t most)
{
    const size_t room = most / (bytes + 1);

    wanted = run->quick ? (wanted + 9) / 10 : wanted;
    return wanted < room ? wanted : room;
}

/* ---- one case after another of a class and size ---- */

/* Makes an object from a file. */
typedef void maker(const void *how, const struct selftest_run *run, struct lab_random *random,
                   struct selftest_batch_object *object, struct buffer *out);

static int plant_cell(struct selftest_batch *batch, struct selftest_case *test,
                      const struct selftest_cell *cell, size_t count, maker *make, const void *how,
                      struct error *err)
{
    struct lab_random random = selftest_run_random(batch->run, test->id);
    struct buffer made = {0};
    int result = 0;

    test->first_file = cell->first;
    test->files = count < cell->count ? count : cell->count;
    for (size_t i = 0; result == 0 && i < count; i++) {
        struct selftest_batch_object object = {.test = test, .file = cell->first + i % cell->count};

        buffer_reset(&made);
        make(how, batch->run, &random, &object, &made);
        result = selftest_batch_plant(batch, &object, &made, err);
    }
    buffer_release(&made);
    return result;
}

/* What the cases of a procedure have in common. */
struct procedure {
    enum selftest_group group;
    char letter;
    unsigned number;
    const char *what;
    const char *const *expected;
    maker *make;
    const void *how;
    size_t wanted; /* trials of small files; a third and a sixth of larger ones */
    size_t factor; /* length of the object / length of the file */
    size_t most;   /* bytes of a case */
};

/* Says that a case lacks the files of the class and of these sizes of which nothing but copies is found. */
static void note_uniform(const struct selftest_run *run, enum selftest_class class, enum selftest_size first,
                         enum selftest_size last, struct selftest_case *test)
{
    const struct selftest_cell *uniform = &run->content.uniform;
    size_t count = 0;

    for (size_t i = uniform->first; i < uniform->first + uniform->count; i++) {
        const struct selftest_file *file = &run->content.files[i];

        count += file->class == class && file->size >= first && file->size <= last;
    }
    if (count)
        selftest_case_note(test, "without %zu files of this class that are too uniform to be sampled", count);
}

static int plant_class(struct selftest_batch *batch, const struct procedure *procedure,
                       enum selftest_class class, enum selftest_size size, struct error *err)
{
    static const size_t parts[SELFTEST_SIZES] = {1, 2, 5};
    struct selftest_run *run = batch->run;
    const struct selftest_cell *cell = &run->content.cells[class][size];
    struct selftest_case *test =
        add_case(run, procedure->group, procedure->letter, procedure->number, class, size, err);
    const size_t most = run->quick ? procedure->most / 4 : procedure->most;
    size_t longest = 0, count;

    if (!test)
        return -1;
    snprintf(test->what, sizeof test->what, "%s", procedure->what);
    test->expected = procedure->expected;
    note_uniform(run, class, size, size, test);
    if (cell->count == 0) {
        selftest_case_note(test, "no files of this class and size in the folder");
        return 0;
    }
    for (size_t i = 0; i < cell->count; i++)
        if (run->content.files[cell->first + i].len > longest)
            longest = run->content.files[cell->first + i].len;
    count = trials(run, procedure->wanted / parts[size], longest * procedure->factor, most);
    if (procedure->group == SELFTEST_IDENTICAL && count > cell->count)
        count = cell->count; /* a second copy would be the same trial */
    if (count == 0)
        selftest_case_note(
            test, "an object would have %zu MiB, more than the %zu MiB of disk space for a case%s",
            longest * procedure->factor / MIB, most / MIB, run->quick ? " of a quick run" : "");
    return plant_cell(batch, test, cell, count, procedure->make, procedure->how, err);
}

static int run_procedure(struct selftest_run *run, const struct procedure *procedure, struct error *err)
{
    struct selftest_batch batch;
    int result = selftest_batch_begin(&batch, run, err);

    for (enum selftest_class class = 0; result == 0 && class < SELFTEST_CLASSES; class ++)
        for (enum selftest_size size = 0; result == 0 && size < SELFTEST_SIZES; size++)
            result = plant_class(&batch, procedure, class, size, err);
    if (result == 0)
        result = selftest_batch_scan(&batch, false, NULL, err);
    selftest_batch_end(&batch);
    return result;
}

/* ---- identical files and versions ---- */

static void copy(const void *how, const struct selftest_run *run, struct lab_random *random,
                 struct selftest_batch_object *object, struct buffer *out)
{
    const struct selftest_file *file = &run->content.files[object->file];

    (void)how;
    (void)random;
    buffer_add(out, file->data, file->len);
}

static void edit(const void *how, const struct selftest_run *run, struct lab_random *random,
                 struct selftest_batch_object *object, struct buffer *out)
{
    const struct selftest_edit *edit = how;

    edit->make(edit, &run->content, &run->content.files[object->file], random, out);
}

/* They are found as identical, too, but not in any other case. */
static int run_uniform(struct selftest_run *run, struct error *err)
{
    const struct selftest_cell *cell = &run->content.uniform;
    struct selftest_case *test = selftest_case_add(&run->cases, SELFTEST_IDENTICAL, err, "I02-uniform");
    struct selftest_batch batch;
    int result;

    if (!test)
        return -1;
    snprintf(test->what, sizeof test->what, "the file itself, too uniform to be sampled");
    test->expected = identical;
    if (cell->count == 0)
        selftest_case_note(test, "no file is too uniform to be sampled");
    result = selftest_batch_begin(&batch, run, err);
    if (result == 0)
        result = plant_cell(&batch, test, cell, cell->count, copy, NULL, err);
    if (result == 0)
        result = selftest_batch_scan(&batch, false, NULL, err);
    selftest_batch_end(&batch);
    return result;
}

static int run_identical(struct selftest_run *run, struct error *err)
{
    const struct procedure procedure = {.group = SELFTEST_IDENTICAL,
                                        .letter = 'I',
                                        .number = 1,
                                        .what = "the file itself",
                                        .expected = identical,
                                        .make = copy,
                                        .wanted = 20,
                                        .factor = 1,
                                        .most = 2 * CELL_BYTES};

    return run_procedure(run, &procedure, err) || run_uniform(run, err) ? -1 : 0;
}

static int run_versions(struct selftest_run *run, struct error *err)
{
    for (unsigned i = 0; selftest_edits[i].what; i++) {
        const struct procedure procedure = {.group = SELFTEST_VERSIONS,
                                            .letter = 'V',
                                            .number = i + 1,
                                            .what = selftest_edits[i].what,
                                            .expected = selftest_edits[i].expected,
                                            .make = edit,
                                            .how = &selftest_edits[i],
                                            .wanted = 40,
                                            .factor = 1,
                                            .most = CELL_BYTES};

        if (run_procedure(run, &procedure, err))
            return -1;
    }
    return 0;
}

/* ---- embedded files ---- */

static void embed(const void *how, const struct selftest_run *run, struct lab_random *random,
                  struct selftest_batch_object *object, struct buffer *out)
{
    const struct selftest_file *file = &run->content.files[object->file];
    const size_t rest = file->len * (*(const size_t *)how - 1), before = lab_random_below(random, rest + 1);

    selftest_content_foreign(&run->content, file->class, random, before, out);
    object->start = out->len;
    buffer_add(out, file->data, file->len);
    object->end = out->len;
    selftest_content_foreign(&run->content, file->class, random, rest - before, out);
}

static int run_embedded(struct selftest_run *run, struct error *err)
{
    static const size_t factors[] = {10, 100};
    static const char *const what[] = {"the whole file in a host of 10 times its length",
                                       "the whole file in a host of 100 times its length"};

    for (unsigned i = 0; i < 2; i++) {
        const struct procedure procedure = {.group = SELFTEST_EMBEDDED,
                                            .letter = 'H',
                                            .number = i + 1,
                                            .what = what[i],
                                            .expected = embedded,
                                            .make = embed,
                                            .how = &factors[i],
                                            .wanted = 40,
                                            .factor = factors[i],
                                            .most = EMBEDDED_BYTES};

        if (run_procedure(run, &procedure, err))
            return -1;
    }
    return 0;
}

/* ---- fragments ---- */

static void cut(const void *how, const struct selftest_run *run, struct lab_random *random,
                struct selftest_batch_object *object, struct buffer *out)
{
    const struct selftest_file *file = &run->content.files[object->file];
    const size_t len = *(const size_t *)how, at = lab_random_below(random, FRAGMENT_HOST - len);

    selftest_content_make(SELFTEST_PACKED, random, at, out);
    object->start = out->len;
    buffer_add(out, file->data + lab_random_below(random, file->len - len + 1), len);
    object->end = out->len;
    selftest_content_make(SELFTEST_PACKED, random, FRAGMENT_HOST - len - at, out);
}

static int plant_fragments(struct selftest_batch *batch, enum selftest_class class, bool dense,
                           struct error *err)
{
    static const size_t lens[] = {256, 512, 1024, 2048, 4096, 8192, 16384};
    const struct selftest_cell *cells = batch->run->content.cells[class];
    const struct selftest_cell larger = {cells[SELFTEST_MEDIUM].count ? cells[SELFTEST_MEDIUM].first
                                                                      : cells[SELFTEST_LARGE].first,
                                         cells[SELFTEST_MEDIUM].count + cells[SELFTEST_LARGE].count};

    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        struct selftest_case *test =
            selftest_case_add(&batch->run->cases, SELFTEST_FRAGMENTS, err, "F%02zu-%s-%s", i + 1,
                              selftest_class_names[class], dense ? "dense" : "default");

        if (!test)
            return -1;
        snprintf(test->what, sizeof test->what, "%zu bytes of a file of at least 32 KiB, among random bytes",
                 lens[i]);
        snprintf(test->size_text, sizeof test->size_text, "%zu", lens[i]);
        test->size_name = test->size_text;
        test->class_name = selftest_class_names[class];
        test->dense = dense;
        test->expected = fragment;
        note_uniform(batch->run, class, SELFTEST_MEDIUM, SELFTEST_LARGE, test);
        if (larger.count == 0)
            selftest_case_note(test, "no files of this class and size in the folder");
        else if (plant_cell(batch, test, &larger, trials(batch->run, 60, FRAGMENT_HOST, CELL_BYTES), cut,
                            &lens[i], err))
            return -1;
    }
    return 0;
}

static int run_fragments(struct selftest_run *run, struct error *err)
{
    int result = 0;

    for (int dense = 0; result == 0 && dense < 2; dense++) {
        struct selftest_batch batch;

        result = selftest_batch_begin(&batch, run, err);
        for (enum selftest_class class = 0; result == 0 && class < SELFTEST_CLASSES; class ++)
            result = plant_fragments(&batch, class, dense, err);
        if (result == 0)
            result = selftest_batch_scan(&batch, dense, NULL, err);
        selftest_batch_end(&batch);
    }
    return result;
}

/* ---- unrelated content ---- */

/* Large files would take most of the time, and that nothing is found in uniform ones says nothing. */
static bool is_permuted(const struct selftest_file *file)
{
    return file->size != SELFTEST_LARGE && !file->is_uniform;
}

static int plant_permuted(struct selftest_batch *batch, struct selftest_case *test, struct error *err)
{
    const struct selftest_content *content = &batch->run->content;
    const unsigned permutations = batch->run->quick ? 2 : 10;
    struct buffer made = {0};
    int result = 0;

    for (unsigned k = 0; result == 0 && k < permutations; k++)
        for (size_t i = 0; result == 0 && i < content->count; i++) {
            const struct selftest_batch_object object = {.test = test, .file = SELFTEST_BATCH_NO_FILE};

            if (!is_permuted(&content->files[i]))
                continue;
            buffer_reset(&made);
            buffer_add(&made, content->files[i].data, content->files[i].len);
            if (!made.failed)
                selftest_content_permute((uint8_t *)made.data, made.len, k);
            result = selftest_batch_plant(batch, &object, &made, err);
        }
    buffer_release(&made);
    return result;
}

/* The stranger with this index: generated, or one of the user's files that is no reference.  Nothing is
 * appended if there is none. */
static void add_stranger(const struct selftest_content *content, enum selftest_class class, size_t index,
                         struct lab_random *random, struct buffer *out)
{
    if (content->is_generated) {
        selftest_content_make(class, random, 8192 + lab_random_below(random, 1 << 17), out);
        return;
    }
    for (size_t i = 0; i < content->stranger_count; i++)
        if (content->strangers[i].class == class && index-- == 0) {
            buffer_add(out, content->strangers[i].data, content->strangers[i].len);
            return;
        }
}

static int plant_strangers(struct selftest_batch *batch, enum selftest_class class, struct error *err)
{
    struct selftest_case *test =
        selftest_case_add(&batch->run->cases, SELFTEST_UNRELATED, err, "U05-%s", selftest_class_names[class]);
    struct buffer made = {0};
    struct lab_random random;
    int result = test ? 0 : -1;

    if (!test)
        return -1;
    snprintf(test->what, sizeof test->what, "other files of the same class, --max-e 0.001");
    test->class_name = selftest_class_names[class];
    random = selftest_run_random(batch->run, test->id);
    for (size_t i = 0; result == 0 && i < trials(batch->run, 100, 1 << 17, CELL_BYTES); i++) {
        const struct selftest_batch_object object = {.test = test, .file = SELFTEST_BATCH_NO_FILE};

        buffer_reset(&made);
        add_stranger(&batch->run->content, class, i, &random, &made);
        if (made.len == 0) {
            if (i == 0)
                selftest_case_note(test, "no further files of this class in the folder");
            break;
        }
        result = selftest_batch_plant(batch, &object, &made, err);
    }
    buffer_release(&made);
    return result;
}

static int run_strangers(struct selftest_run *run, struct error *err)
{
    struct selftest_batch batch;
    int result = selftest_batch_begin(&batch, run, err);

    for (enum selftest_class class = 0; result == 0 && class < SELFTEST_CLASSES; class ++)
        result = plant_strangers(&batch, class, err);
    if (result == 0)
        result = selftest_batch_scan(&batch, false, NULL, err);
    selftest_batch_end(&batch);
    return result;
}

/* The same objects with each limit, so that only the first one, the default, gives new trials. */
static int run_unrelated(struct selftest_run *run, struct error *err)
{
    static const char *const limits[] = {"0.001", "0.01", "0.1", "1"};
    struct selftest_batch batch;
    int result = selftest_batch_begin(&batch, run, err);

    for (size_t i = 0; result == 0 && i < sizeof limits / sizeof *limits; i++) {
        struct selftest_case *test =
            selftest_case_add(&run->cases, SELFTEST_UNRELATED, err, "U%02zu-max-e-%s", i + 1, limits[i]);

        if (!test) {
            result = -1;
            break;
        }
        snprintf(test->what, sizeof test->what,
                 "files in which each byte value is replaced by another, --max-e %s", limits[i]);
        snprintf(test->size_text, sizeof test->size_text, "%s", limits[i]);
        test->size_name = test->size_text;
        test->again = i > 0;
        for (size_t k = 0; k < run->content.count; k++)
            test->files += is_permuted(&run->content.files[k]);
        for (size_t k = 0; k < batch.count; k++)
            batch.objects[k].test = test;
        if (i == 0)
            result = plant_permuted(&batch, test, err);
        if (result == 0)
            result = selftest_batch_scan(&batch, false, limits[i], err);
    }
    selftest_batch_end(&batch);
    return result;
}

int selftest_files_run(struct selftest_run *run, struct error *err)
{
    return run_identical(run, err) || run_versions(run, err) || run_embedded(run, err) ||
                   run_fragments(run, err) || run_unrelated(run, err) || run_strangers(run, err) ||
                   selftest_files_nothing(run, err)
               ? -1
               : 0;
}
