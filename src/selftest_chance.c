/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_chance.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "match/chance.h"
#include "sample/sampler.h"

enum {
    OBJECTS = 100, /* of a class */
    OBJECT_LEN = 65536,
    BLOCK = SAMPLER_DEFAULT_N, /* bytes: one window, so that no two matches have the same cause */
    DENSITY = 32,
    MOST_HOLDERS = 64, /* hits of one sample */
    MOST_CLUSTERS = 256,
    FEW_REFERENCES = 100, /* as in lib/match/chains.c */
};

/* A sample of a reference. */
struct entry {
    uint64_t fp, pos;
    size_t reference;
};

/* A sample of the object that a reference has as well. */
struct match {
    size_t reference;
    struct chance_hit hit;
};

struct work {
    const struct selftest_content *content;
    size_t references; /* those from which samples are taken */
    struct sampler *sampler;
    struct entry *entries; /* by fingerprint */
    size_t count, room;
    size_t *samples; /* of each reference */
    struct match *matches;
    size_t matched, match_room;
    struct chance_hit *hits; /* of one reference */
    size_t hit_room;
    struct buffer object;
    struct cluster clusters[MOST_CLUSTERS];
};

double selftest_chance_limit(size_t index)
{
    return pow(10, 1 - (double)index);
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
        work->samples[i] = result.count;
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
    for (size_t i = 0; i < result.count; i++) {
        const struct sample *sample = &result.samples[i];
        size_t at = SEARCH_FIRST(k, 0, work->count, work->entries[k].fp >= sample->fp);

        for (const size_t end = at + MOST_HOLDERS;
             at < end && at < work->count && work->entries[at].fp == sample->fp; at++) {
            if (array_reserve(&work->matches, &work->match_room, work->matched + 1))
                return error_set(err, "out of memory");
            work->matches[work->matched++] = (struct match){
                work->entries[at].reference,
                {.object = sample->pos, .reference = work->entries[at].pos, .sample = sample->fp}};
        }
    }
    return 0;
}

static int by_reference(const void *a, const void *b)
{
    const struct match *x = a, *y = b;

    if (x->reference != y->reference)
        return x->reference < y->reference ? -1 : 1;
    if (x->hit.reference != y->hit.reference)
        return x->hit.reference < y->hit.reference ? -1 : 1;
    return (x->hit.object > y->hit.object) - (x->hit.object < y->hit.object);
}

/* The clusters of one reference, whose matches begin at `first`.  The noise is that of a scan: what the other
 * references have, by the reference's size. */
static int count_clusters(struct work *work, size_t first, size_t count, struct selftest_chance *chance,
                          struct error *err)
{
    const size_t reference = work->matches[first].reference;
    const double mean = (double)work->count / (double)work->references,
                 others = (double)(work->matched - count) / fmax((double)work->references, FEW_REFERENCES);
    const struct chance_pair pair = {
        .object_len = work->object.len,
        .reference_len = work->content->files[reference].len,
        .references = (double)work->references,
        .noise = others * fmin(1, (double)work->samples[reference] / fmax(1, mean)),
        .most_ln_e = log(selftest_chance_limit(0)),
    };
    size_t found;

    if (array_reserve(&work->hits, &work->hit_room, count))
        return error_set(err, "out of memory");
    for (size_t i = 0; i < count; i++)
        work->hits[i] = work->matches[first + i].hit;
    found = chance_clusters(&pair, work->hits, count, work->clusters, MOST_CLUSTERS);
    for (size_t i = 0; i < found; i++)
        for (size_t k = 0; k < SELFTEST_DECADES; k++)
            chance->observed[k] += work->clusters[i].ln_e <= log(selftest_chance_limit(k));
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
        if (count_clusters(work, first, count, chance, err))
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
    if (result == 0 && array_resize(&work->samples, work->references + 1))
        result = error_set(err, "out of memory");
    if (result == 0 && work->references > 0)
        result = run_objects(work, run, err);
    sampler_free(work->sampler);
    free(work->entries);
    free(work->samples);
    free(work->matches);
    free(work->hits);
    buffer_release(&work->object);
    free(work);
    return result;
}
