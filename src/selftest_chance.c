/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_chance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "lab/lab_tilt.h"
#include "match/chance_line.h"
#include "sample/sampler.h"

enum {
    OBJECTS = 1000, /* of a class */
    SLOTS = 128,    /* samples that are put into an object, */
    APART = 32,     /* bytes from one to the next, on average */
    SAMPLE = SAMPLER_DEFAULT_N,
    OBJECT_LEN = SLOTS * (2 * APART - SAMPLE), /* at most */
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
    double bytes;                    /* of the references */
    struct lab_tilt_sample *samples; /* of the references of a class, in their order, */
    size_t sample_count, sample_room;
    struct lab_tilt *tilt; /* and how they get into objects */
    struct match *matches;
    size_t matched, match_room;
    size_t object_samples;       /* those that references have as well */
    struct chance_shares shares; /* of these samples */
    uint32_t *holders;           /* of each of them */
    size_t holder_room;
    struct chance_match *line; /* the matches of one reference */
    struct chance_step *steps;
    size_t line_room;
    uint8_t object[OBJECT_LEN];
    double weight;                    /* of the object, */
    uint32_t lines[SELFTEST_DECADES]; /* and its lines with an E of at most each limit */
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
        work->bytes += (double)file->len;
    }
    if (work->count)
        qsort(work->entries, work->count, sizeof *work->entries, by_fingerprint);
    return 0;
}

/* The entries of a sample that is to be counted: those of the others are too many. */
static size_t find_entries(const struct work *work, uint64_t fp, size_t *first)
{
    size_t end;

    *first = SEARCH_FIRST(k, 0, work->count, work->entries[k].fp >= fp);
    end = SEARCH_FIRST(k, *first, work->count, work->entries[k].fp > fp);
    return end - *first <= MOST_HOLDERS ? end - *first : 0;
}

static int add_samples(struct work *work, uint32_t reference, struct error *err)
{
    const struct selftest_file *file = &work->content->files[reference];
    struct sampler_result result;
    size_t first;

    if (take_samples(work, file->data, file->len, &result, err))
        return -1;
    if (array_reserve(&work->samples, &work->sample_room, work->sample_count + result.count))
        return error_set(err, "out of memory");
    for (size_t i = 0; i < result.count; i++)
        if (find_entries(work, result.samples[i].fp, &first) > 0)
            work->samples[work->sample_count++] =
                (struct lab_tilt_sample){result.samples[i].fp, result.samples[i].pos, reference};
    return 0;
}

/* Takes the samples that objects are made of. */
static int begin_class(struct work *work, const struct selftest_cell *files, struct error *err)
{
    work->sample_count = 0;
    for (size_t i = files->first; i < files->first + files->count && i < work->references; i++)
        if (add_samples(work, (uint32_t)i, err))
            return -1;
    lab_tilt_free(work->tilt);
    work->tilt = NULL;
    if (work->sample_count == 0)
        return 0;
    work->tilt = lab_tilt_new(work->samples, work->sample_count, err);
    return work->tilt ? 0 : -1;
}

/* Random samples at random distances, among random bytes. */
static int make_object(struct work *work, struct lab_random *random, struct error *err)
{
    struct lab_tilt_slot slots[SLOTS];
    uint64_t pos = 0;

    for (size_t i = 0; i < SLOTS; i++) {
        slots[i].pos = pos;
        pos += SAMPLE + lab_random_below(random, 2 * (APART - SAMPLE) + 1);
    }
    work->weight = lab_tilt_draw(work->tilt, random, slots, SLOTS, err);
    if (work->weight < 0)
        return -1;
    for (size_t i = 0; i < OBJECT_LEN; i++)
        work->object[i] = (uint8_t)lab_random_below(random, 256);
    for (size_t i = 0; i < SLOTS; i++) {
        const struct lab_tilt_sample *sample = &work->samples[slots[i].sample];

        memcpy(work->object + slots[i].pos, work->content->files[sample->reference].data + sample->pos,
               SAMPLE);
    }
    return 0;
}

static int find_matches(struct work *work, struct error *err)
{
    struct sampler_result result;

    work->matched = 0;
    if (take_samples(work, work->object, sizeof work->object, &result, err))
        return -1;
    work->object_samples = 0;
    for (size_t i = 0; i < result.count; i++) {
        const struct sample *sample = &result.samples[i];
        size_t first;
        const size_t held = find_entries(work, sample->fp, &first);

        if (held == 0)
            continue;
        if (array_reserve(&work->holders, &work->holder_room, work->object_samples + 1))
            return error_set(err, "out of memory");
        work->holders[work->object_samples++] = (uint32_t)held;
        for (size_t at = first; at < first + held; at++) {
            if (array_reserve(&work->matches, &work->match_room, work->matched + 1))
                return error_set(err, "out of memory");
            work->matches[work->matched++] = (struct match){work->entries[at].reference,
                                                            {.object = sample->pos,
                                                             .reference = work->entries[at].pos,
                                                             .sample = sample->fp,
                                                             .number = (uint32_t)work->object_samples,
                                                             .information = log(work->bytes / (double)held)}};
        }
    }
    chance_line_shares(&work->shares, work->holders, work->object_samples);
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
static int count_line(struct work *work, size_t first, size_t count, struct error *err)
{
    const size_t reference = work->matches[first].reference;
    const struct chance_search search = {.shares = &work->shares,
                                         .matches = (double)work->matched,
                                         .bytes = work->bytes,
                                         .samples = (double)work->object_samples,
                                         .length = (double)work->content->files[reference].len};
    double ln_e;

    if (array_reserve_all(&work->line_room, count, ARRAY_PART(&work->line), ARRAY_PART(&work->steps)))
        return error_set(err, "out of memory");
    for (size_t i = 0; i < count; i++)
        work->line[i] = work->matches[first + i].match;
    ln_e = chance_line_ln_e(&search, work->line, count, work->steps);
    for (size_t k = 0; k < SELFTEST_DECADES; k++)
        work->lines[k] += ln_e <= log(selftest_chance_limit(k));
    return 0;
}

static int run_object(struct work *work, struct lab_random *random, struct selftest_chance *chance,
                      struct error *err)
{
    if (make_object(work, random, err) || find_matches(work, err))
        return -1;
    memset(work->lines, 0, sizeof work->lines);
    if (work->matched)
        qsort(work->matches, work->matched, sizeof *work->matches, by_reference);
    for (size_t first = 0, count; first < work->matched; first += count) {
        for (count = 1; first + count < work->matched &&
                        work->matches[first + count].reference == work->matches[first].reference;
             count++)
            ;
        if (count_line(work, first, count, err))
            return -1;
    }
    for (size_t k = 0; k < SELFTEST_DECADES; k++) {
        chance->observed[k] += work->weight * work->lines[k];
        chance->squares[k] += pow(work->weight * work->lines[k], 2);
    }
    chance->objects++;
    chance->matches += work->weight * (double)work->matched;
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

static int run_class(struct work *work, struct selftest_run *run, enum selftest_class class,
                     struct lab_random *random, struct error *err)
{
    const struct selftest_cell files = files_of(&run->content, class);

    if (begin_class(work, &files, err))
        return -1;
    for (int i = run->quick ? OBJECTS / 10 : OBJECTS; work->tilt && i > 0; i--)
        if (selftest_run_continue(err) || run_object(work, random, &run->chance[class], err))
            return -1;
    return 0;
}

static int run_objects(struct work *work, struct selftest_run *run, struct error *err)
{
    struct lab_random random = selftest_run_random(run, "chance");

    if (index_references(work, err))
        return -1;
    for (enum selftest_class class = 0; class < SELFTEST_CLASSES; class ++)
        if (run_class(work, run, class, &random, err))
            return -1;
    return 0;
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
    free(work->holders);
    free(work->samples);
    lab_tilt_free(work->tilt);
    free(work);
    return result;
}
