/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_chance.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "match/chance_line.h"
#include "sample/sampler.h"

enum {
    OBJECTS = 100, /* of a class */
    OBJECT_LEN = 65536,
    BLOCK = SAMPLER_DEFAULT_N, /* bytes: one window, so that no two matches have the same cause */
    DENSITY = 32,
    MOST_HOLDERS = 64, /* hits of one sample */
};

/* A sample of a reference. */
struct entry {
    uint64_t fp, pos;
    size_t reference;
};

/* A sample of the object that a reference has as well. */
struct match {
    size_t reference;
    struct chance_match match;
};

struct work {
    const struct selftest_content *content;
    size_t references; /* those from which samples are taken */
    struct sampler *sampler;
    struct entry *entries; /* by fingerprint */
    size_t count, room;
    double bytes; /* of the references */
    struct match *matches;
    size_t matched, match_room;
    size_t object_samples;     /* those that references have as well */
    struct chance_match *line; /* the matches of one reference */
    struct chance_step *steps;
    size_t line_room;
    struct buffer object;
};

double selftest_chance_limit(size_t index)
{
    return pow(10, 3 - (double)index);
}

static int take_samples(struct work *work, const void *data, size_t len, struct sampler_result *out,
                        struct error *err)
{
    sampler_begin(work->sampler, len);
    if (sampler_update(work->sampler, data, len, err))
        return -1;
    *out = sampler_final(work->sampler);
    return 0;
}

static int by_fingerprint(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->fp != y->fp)
        return x->fp < y->fp ? -1 : 1;
    if (x->reference != y->reference)
        return x->reference < y->reference ? -1 : 1;
    return (x->pos > y->pos) - (x->pos < y->pos);
}

static int index_references(struct work *work, struct error *err)
{
    for (size_t i = 0; i < work->references; i++) {
        const struct selftest_file *file = &work->content->files[i];
        struct sampler_result result;

        if (selftest_run_continue(err) || take_samples(work, file->data, file->len, &result, err))
            return -1;
        if (array_reserve(&work->entries, &work->room, work->count + result.count))
            return error_set(err, "out of memory");
        for (size_t k = 0; k < result.count; k++)
            work->entries[work->count++] = (struct entry){result.samples[k].fp, result.samples[k].pos, i};
        work->bytes += (double)file->len;
    }
    if (work->count)
        qsort(work->entries, work->count, sizeof *work->entries, by_fingerprint);
    return 0;
}

static void make_object(struct work *work, const struct selftest_cell *files, struct lab_random *random)
{
    buffer_reset(&work->object);
    while (work->object.len < OBJECT_LEN && !work->object.failed) {
        const struct selftest_file *file =
            &work->content->files[files->first + lab_random_below(random, files->count)];

        buffer_add(&work->object, file->data + lab_random_below(random, file->len - BLOCK + 1), BLOCK);
    }
}

static int find_matches(struct work *work, struct error *err)
{
    struct sampler_result result;

    work->matched = 0;
    if (work->object.failed)
        return error_set(err, "out of memory");
    if (take_samples(work, work->object.data, work->object.len, &result, err))
        return -1;
    work->object_samples = 0;
    for (size_t i = 0; i < result.count; i++) {
        const struct sample *sample = &result.samples[i];
        const size_t first = SEARCH_FIRST(k, 0, work->count, work->entries[k].fp >= sample->fp),
                     last = SEARCH_FIRST(k, first, work->count, work->entries[k].fp > sample->fp);

        work->object_samples += last > first && last - first <= MOST_HOLDERS;
        for (size_t at = first; at < last && last - first <= MOST_HOLDERS; at++) {
            if (array_reserve(&work->matches, &work->match_room, work->matched + 1))
                return error_set(err, "out of memory");
            work->matches[work->matched++] =
                (struct match){work->entries[at].reference,
                               {.object = sample->pos,
                                .reference = work->entries[at].pos,
                                .sample = sample->fp,
                                .number = (uint32_t)work->object_samples,
                                .information = log(work->bytes / (double)(last - first))}};
        }
    }
    return 0;
}

static int by_reference(const void *a, const void *b)
{
    const struct match *x = a, *y = b;

    if (x->reference != y->reference)
        return x->reference < y->reference ? -1 : 1;
    if (x->match.object != y->match.object)
        return x->match.object < y->match.object ? -1 : 1;
    return (x->match.reference > y->match.reference) - (x->match.reference < y->match.reference);
}

/* Counts the best line of the matches of one reference, the first of which is number `first`. */
static int count_line(struct work *work, size_t first, size_t count, struct selftest_chance *chance,
                      struct error *err)
{
    const size_t reference = work->matches[first].reference;
    const struct chance_search search = {.matches = (double)work->matched,
                                         .bytes = work->bytes,
                                         .choices = (double)work->object_samples *
                                                    (double)work->content->files[reference].len,
                                         .n = BLOCK};
    double ln_e;

    if (array_reserve_all(&work->line_room, count, ARRAY_PART(&work->line), ARRAY_PART(&work->steps)))
        return error_set(err, "out of memory");
    for (size_t i = 0; i < count; i++)
        work->line[i] = work->matches[first + i].match;
    ln_e = chance_line_ln_e(&search, work->line, count, work->steps);
    for (size_t k = 0; k < SELFTEST_DECADES; k++)
        chance->observed[k] += ln_e <= log(selftest_chance_limit(k));
    return 0;
}

static int run_object(struct work *work, const struct selftest_cell *files, struct lab_random *random,
                      struct selftest_chance *chance, struct error *err)
{
    make_object(work, files, random);
    if (find_matches(work, err))
        return -1;
    if (work->matched)
        qsort(work->matches, work->matched, sizeof *work->matches, by_reference);
    for (size_t first = 0, count; first < work->matched; first += count) {
        for (count = 1; first + count < work->matched &&
                        work->matches[first + count].reference == work->matches[first].reference;
             count++)
            ;
        if (count_line(work, first, count, chance, err))
            return -1;
    }
    chance->objects++;
    chance->matches += work->matched;
    return 0;
}

/* The files of a class, of all sizes: they are adjacent. */
static struct selftest_cell files_of(const struct selftest_content *content, enum selftest_class class)
{
    struct selftest_cell all = {0, 0};

    for (enum selftest_size size = 0; size < SELFTEST_SIZES; size++) {
        const struct selftest_cell *cell = &content->cells[class][size];

        all.first = all.count || !cell->count ? all.first : cell->first;
        all.count += cell->count;
    }
    return all;
}

static int run_objects(struct work *work, struct selftest_run *run, struct error *err)
{
    struct lab_random random = selftest_run_random(run, "chance");
    int result = index_references(work, err);

    for (enum selftest_class class = 0; result == 0 && class < SELFTEST_CLASSES; class ++) {
        const struct selftest_cell files = files_of(&run->content, class);

        for (int i = run->quick ? OBJECTS / 10 : OBJECTS; result == 0 && files.count && i > 0; i--)
            result =
                selftest_run_continue(err) ? -1 : run_object(work, &files, &random, &run->chance[class], err);
    }
    return result;
}

int selftest_chance_run(struct selftest_run *run, struct error *err)
{
    const struct sampler_params params = {SAMPLER_GF8, SAMPLER_DEFAULT_N, DENSITY, 0};
    struct work *work = calloc(1, sizeof *work);
    int result;

    if (!work)
        return error_set(err, "out of memory");
    work->content = &run->content;
    work->references = run->content.count - run->content.uniform.count;
    work->sampler = sampler_new(&params, err);
    result = work->sampler ? 0 : -1;
    if (result == 0 && work->references > 0)
        result = run_objects(work, run, err);
    sampler_free(work->sampler);
    free(work->entries);
    free(work->matches);
    free(work->line);
    free(work->steps);
    buffer_release(&work->object);
    free(work);
    return result;
}
