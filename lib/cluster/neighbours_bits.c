/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/neighbours_bits.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/queue.h"
#include "cluster/hamming.h"
#include "sketch/permutation.h"

enum {
    MOST_REDUCED = 4,
    SEED = 1,
    STREAM = 0x6e62, /* no other draws of this seed */
    SLICE = 16,      /* contents in a job */
    SLICES_PER_THREAD = 4,
};

int neighbours_bits_open(struct neighbours_bits *bits, const struct collection *collection, uint32_t k,
                         struct error *err)
{
    const struct sketch *first = collection->content_count ? collection->contents[0].sketch : NULL;

    *bits = (struct neighbours_bits){.collection = collection, .k = k};
    if (first && first->params.scheme == SKETCH_HAMMING)
        return 0;
    bits->permutations = memory_new(k * sizeof *bits->permutations, err);
    for (uint32_t i = 0; bits->permutations && i < k; i++)
        permutation_init(&bits->permutations[i], 64, SEED, STREAM, i);
    return bits->permutations ? 0 : -1;
}

void neighbours_bits_release(struct neighbours_bits *bits)
{
    free(bits->permutations);
}

/* ---- a content ---- */

/* A job: contents, and their fingerprints. */
struct slice {
    uint32_t from, to;
    bool has[SLICE]; /* a fingerprint */
    uint64_t *words;
    bool failed; /* out of memory */
};

/* The state of a thread. */
struct worker {
    const struct neighbours_bits *bits;
    uint32_t c;
    const atomic_bool *stop;
    uint64_t *numbers;
    size_t room;
};

/* Whether a fingerprint of a content remains at this C. */
static bool is_kept(const struct worker *worker, uint32_t content, uint64_t number)
{
    if (worker->c == 0)
        return true;
    return worker->bits->collection->contents[content].sketch ? number % worker->c == 0
                                                              : number <= UINT64_MAX / worker->c;
}

static int copy_numbers(struct worker *worker, uint32_t content, const struct postings_list *list,
                        size_t *count)
{
    const char *at = list->first;

    *count = 0;
    if (array_reserve(&worker->numbers, &worker->room, list->count))
        return -1;
    for (size_t i = 0; i < list->count; i++, at += list->stride) {
        memcpy(&worker->numbers[*count], at, sizeof *worker->numbers);
        *count += is_kept(worker, content, worker->numbers[*count]);
    }
    return 0;
}

/* The function b is the lowest bit. */
static void make_bits(const struct worker *worker, size_t count, uint64_t *out)
{
    const struct neighbours_bits *bits = worker->bits;

    memset(out, 0, hamming_words(bits->k) * sizeof *out);
    for (uint32_t i = 0; i < bits->k; i++) {
        const uint64_t least = permutation_least(&bits->permutations[i], worker->numbers, count, UINT64_MAX);

        out[i / 64] |= (least & 1) << (i % 64);
    }
}

/* Returns whether the content has a fingerprint at this C, -1 if out of memory. */
static int make(struct worker *worker, uint32_t content, uint64_t *out)
{
    const struct collection *collection = worker->bits->collection;
    const struct postings_source source = collection_source(collection);
    const struct postings_list list = source.list(source.arg, content);
    const uint32_t c = collection->contents[content].c;
    size_t count;

    if (list.count == 0 || c > worker->c || c < worker->c / MOST_REDUCED)
        return 0;
    if (copy_numbers(worker, content, &list, &count))
        return -1;
    if (count)
        make_bits(worker, count, out);
    return count > 0;
}

static void work(void *state, void *job)
{
    struct worker *worker = state;
    struct slice *slice = job;
    const size_t words = hamming_words(worker->bits->k);

    for (uint32_t i = 0; i < slice->to - slice->from && !slice->failed; i++) {
        const int has = worker->stop && atomic_load(worker->stop)
                            ? 0
                            : make(worker, slice->from + i, slice->words + i * words);

        slice->has[i] = has > 0;
        slice->failed = has < 0;
    }
}

/* ---- all of them ---- */

struct making {
    struct worker *workers;
    struct slice *slices; /* a ring with one more than the queue holds */
    uint64_t *words;      /* of all slices */
    void **states;
    size_t depth, next;
    struct queue *queue; /* NULL if there is one thread */
};

static int finish(const struct slice *slice, struct groups *groups, struct error *err)
{
    const size_t words = hamming_words(groups_params(groups).k);

    if (slice->failed)
        return error_set(err, "out of memory");
    for (uint32_t i = 0; i < slice->to - slice->from; i++)
        if (slice->has[i] && groups_add(groups, slice->from + i, slice->words + i * words, err))
            return -1;
    return 0;
}

static int submit(struct making *making, uint32_t from, uint32_t to, struct groups *groups, struct error *err)
{
    struct slice *slice = &making->slices[making->next];

    making->next = making->next + 1 < making->depth ? making->next + 1 : 0;
    *slice = (struct slice){.from = from, .to = to, .words = slice->words};
    if (!making->queue) {
        work(&making->workers[0], slice);
        return finish(slice, groups, err);
    }
    if (queue_full(making->queue) && finish(queue_pop(making->queue), groups, err))
        return -1;
    queue_push(making->queue, slice);
    return 0;
}

static bool is_stopped(const struct groups_run *run)
{
    return run->stop && atomic_load(run->stop);
}

static int make_all(struct making *making, uint32_t contents, const struct groups_run *run,
                    struct groups *groups, struct error *err)
{
    const struct slice *done;
    int result = 0;

    for (uint32_t from = 0; from < contents && result == 0 && !is_stopped(run); from += SLICE)
        result = submit(making, from, contents - from > SLICE ? from + SLICE : contents, groups, err);
    while (making->queue && (done = queue_pop(making->queue)))
        if (result == 0)
            result = finish(done, groups, err);
    return result ? -1 : is_stopped(run);
}

static int open_making(struct making *making, const struct neighbours_bits *bits, uint32_t c,
                       const struct groups_run *run, struct error *err)
{
    const size_t words = SLICE * hamming_words(bits->k);

    making->depth = (size_t)run->threads * SLICES_PER_THREAD + 1;
    making->workers = memory_new(run->threads * sizeof *making->workers, err);
    making->slices = making->workers ? memory_new(making->depth * sizeof *making->slices, err) : NULL;
    making->words = making->slices ? memory_new(making->depth * words * sizeof *making->words, err) : NULL;
    making->states = making->words ? memory_new(run->threads * sizeof *making->states, err) : NULL;
    if (!making->states)
        return -1;
    for (size_t i = 0; i < making->depth; i++)
        making->slices[i].words = making->words + i * words;
    for (unsigned i = 0; i < run->threads; i++) {
        making->workers[i] = (struct worker){.bits = bits, .c = c, .stop = run->stop};
        making->states[i] = &making->workers[i];
    }
    if (run->threads > 1 &&
        !(making->queue = queue_new(run->threads, making->depth - 1, work, making->states, err)))
        return -1;
    return 0;
}

static void close_making(struct making *making, const struct groups_run *run)
{
    queue_free(making->queue);
    for (unsigned i = 0; making->workers && i < run->threads; i++)
        free(making->workers[i].numbers);
    free(making->workers);
    free(making->slices);
    free(making->words);
    free(making->states);
}

static int add_sketches(const struct collection *collection, struct groups *groups, struct error *err)
{
    for (size_t i = 0; i < collection->content_count; i++) {
        const struct sketch *sketch = collection->contents[i].sketch;

        if (sketch->count && groups_add(groups, i, sketch->values, err))
            return -1;
    }
    return 0;
}

int neighbours_bits_add(const struct neighbours_bits *bits, uint32_t c, const struct groups_run *run,
                        struct groups *groups, struct error *err)
{
    struct making making = {0};
    int result;

    if (!bits->permutations)
        return add_sketches(bits->collection, groups, err);
    result = open_making(&making, bits, c, run, err)
                 ? -1
                 : make_all(&making, (uint32_t)bits->collection->content_count, run, groups, err);
    close_making(&making, run);
    return result;
}
