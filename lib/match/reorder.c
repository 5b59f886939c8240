/* SPDX-License-Identifier: Apache-2.0 */
#include "match/reorder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/search.h"
#include "match/chance_common.h"
#include "match/merit.h"

/* The effect of other values was measured on 254 files of 4 KB to 4 MB with shuffled blocks, lines and halves
 * in a set of 18,700 files (found: 231 in another order; without candidates 196), and on the pairs of
 * README.md. */
enum {
    /* Candidates without a chain, for one object, and references that are considered: those with most seeds.
     * Both bound time; halving either makes no difference. */
    MOST_CANDIDATES = 8,
    MOST_CONSIDERED = 64,
    LOOKS_A_SAMPLE = 16, /* chains looked at in the time it takes to compare one sample (effort.h) */
    /* Different ones: fewer could not be evidence (merit.h).  Halving or doubling it makes no difference. */
    LEAST_SEEDS = 12,
    MOST_HITS = 256, /* samples that more references have count like those that this number has */
    /* With fewer references than this, p is that of this number (as in chains.c).  Halving or doubling it
     * makes no difference. */
    FEW_REFERENCES = 100,
    /* Samples whose bytes are examined.  Halving it makes no difference. */
    RICH_TRIES = 256,
    /* Ranges of a finding: bounds the size of a report.  The shortest runs are left out
     * (of_very_many_runs_the_longest_are_listed). */
    MOST_RANGES = 4096,
    /* Mean distances between samples that a run may lack them for, on both sides.  Chance leaves out as many
     * once in 9 million.  With 4, a fiftieth fewer bytes are covered, and two halves that changed places are
     * some sixty ranges instead of two. */
    RUN_GAPS = 16,
    /* Of a sample that the reference has often, the one that continues the run is sought among this many.
     * Halving it makes no difference. */
    MOST_OCCURRENCES = 32,
};

/* The share of each one's samples that a candidate must have: less than half of them, since not all of them
 * are looked up.  Halving it makes no difference; doubling it loses 17 findings. */
static const double candidate_share = 1 / 3.0;

struct reorderer {
    struct sample *named; /* the reference's samples, by fingerprint and position */
    bool *seen;           /* whether the object has it, for the first one of each fingerprint */
    uint64_t *common;     /* where the object has each of those that it has, first */
    size_t count, common_count, room;
    struct finding_range *runs;
    uint32_t *lengths; /* in samples */
    size_t run_count, run_room;
    struct chance_bin bins[MOST_HITS + 1];
};

struct reorderer *reorder_new(struct error *err)
{
    return memory_new(sizeof(struct reorderer), err);
}

void reorder_free(struct reorderer *r)
{
    if (!r)
        return;
    free(r->named);
    free(r->seen);
    free(r->common);
    free(r->runs);
    free(r->lengths);
    free(r);
}

/* ---- candidates ---- */

static bool has_chain(const struct chains *chains, uint64_t record)
{
    for (size_t i = 0; i < chains->count; i++)
        if (chains->list[i].place.first == record && !chains->list[i].counted)
            return true;
    return false;
}

/* Whether the seeds are a good part of the samples that both would have at the larger C. */
static bool has_share(const struct queries *queries, const struct subject *subject,
                      const struct set_place *place, double seeds)
{
    const double c = fmax(place->c, queries->c);

    return seeds >= candidate_share * (double)subject->count * subject->c / c &&
           seeds >= candidate_share * (double)place->count * place->c / c;
}

/* Adds a chain of all seeds of the reference, on whatever diagonals.  It is doubtful, so it is compared last.
 */
static bool add_chain(struct chains *chains, const struct seeds *seeds, const struct queries *queries,
                      const struct set_place *place, const struct holder *holder)
{
    struct seed_chain chain = {.place = *place,
                               .cluster = {.low = -(int64_t)place->len, .start = UINT64_MAX},
                               .first = holder->first,
                               .count = holder->count,
                               .doubtful = true,
                               .scattered = true,
                               .common = true};

    while (chain.count && seeds->list[chain.first + chain.count - 1].sample >= place->first + place->count)
        chain.count--; /* samples of a record that has been removed */
    chain.cluster.hits = chain.cluster.all = chain.count;
    chain.support = chain.count;
    chain.cluster.high = (int64_t)queries->size;
    for (size_t i = 0; i < chain.count; i++) {
        const uint64_t pos = queries->all[seeds->list[chain.first + i].query].pos;

        chain.cluster.start = pos < chain.cluster.start ? pos : chain.cluster.start;
        chain.cluster.end = pos > chain.cluster.end ? pos : chain.cluster.end;
    }
    return chains_add(chains, &chain);
}

int reorder_add_chains(struct chains *chains, const struct seeds *seeds, const struct queries *queries,
                       const struct subject *subject, struct error *err)
{
    const struct holders *holders = &chains->holders;
    const size_t accepted = chains->count;

    if (subject->range)
        return 0;
    for (size_t i = 0; i < holders->count && i < MOST_CONSIDERED; i++) {
        const struct holder *holder = &holders->list[i];
        const struct set_record *record;
        int there;

        if (holder->count < LEAST_SEEDS ||
            (!chains->wanted.all && chains->count - accepted == MOST_CANDIDATES))
            break;
        effort_add(chains->wanted.effort, accepted / LOOKS_A_SAMPLE);
        if (has_chain(chains, holder->record))
            continue;
        there = seeds->set->does->record(seeds->set, holder->record, &record, err);
        if (there < 0)
            return -1;
        if (there && has_share(queries, subject, &record->place, (double)holder->count) &&
            !add_chain(chains, seeds, queries, &record->place, holder))
            break;
    }
    return 0;
}

/* ---- evidence ---- */

static int by_sample(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;

    if (x->fp != y->fp)
        return x->fp < y->fp ? -1 : 1;
    return x->pos < y->pos ? -1 : x->pos > y->pos;
}

static int sort_reference(struct reorderer *r, const struct record *reference, struct error *err)
{
    if (array_reserve_all(&r->room, reference->count, ARRAY_PART(&r->named), ARRAY_PART(&r->seen),
                          ARRAY_PART(&r->common)))
        return error_set(err, "out of memory for %zu samples", reference->count);
    r->count = reference->count;
    if (r->count) {
        memcpy(r->named, reference->samples, r->count * sizeof *r->named);
        memset(r->seen, 0, r->count * sizeof *r->seen);
        qsort(r->named, r->count, sizeof *r->named, by_sample);
    }
    return 0;
}

/* The first of the reference's samples with this fingerprint, or their number. */
static size_t find(const struct reorderer *r, uint64_t fp)
{
    const size_t at = SEARCH_FIRST(i, 0, r->count, r->named[i].fp >= fp);

    return at < r->count && r->named[at].fp == fp ? at : r->count;
}

/* Sorts the queries by the number of references that have them.  Returns how many different ones the
 * reference has; of these it notes the first ones. */
static double fill_bins(struct reorderer *r, const struct significance *s, const struct queries *queries,
                        uint64_t limit)
{
    r->common_count = 0;
    for (size_t i = 0; i <= MOST_HITS; i++)
        r->bins[i] = (struct chance_bin){0};
    for (size_t i = 0; i < queries->count; i++) {
        const struct query *query = queries_at(queries, i);
        const double hits = significance_hits(s, queries->numbers[i]);
        struct chance_bin *bin = &r->bins[hits < MOST_HITS ? (size_t)ceil(hits) : MOST_HITS];
        const size_t at = find(r, query->fp);

        if (query->fp > limit || (at < r->count && r->seen[at]))
            continue;
        bin->all++;
        if (at == r->count)
            continue;
        bin->common++;
        r->seen[at] = true;
        r->common[r->common_count++] = query->pos;
    }
    return (double)r->common_count;
}

/* The share of the common samples that lie in bytes that vary, from some of them. */
static double rich_share(const struct reorderer *r, struct content *content)
{
    const size_t step = r->common_count / RICH_TRIES + 1;
    size_t tried = 0, rich = 0;

    for (size_t i = 0; i < r->common_count; i += step, tried++)
        rich += merit_is_rich_at(content, r->common[i]);
    return tried ? (double)rich / (double)tried : 0;
}

int reorder_judge(struct reorderer *r, const struct significance *s, const struct alignment *a, double *ln_e,
                  bool *evidence, struct error *err)
{
    const struct queries *queries = significance_queries(s);
    const struct set_place *place = &a->record->place;
    const uint64_t limit = UINT64_MAX / place->c;
    const double references = fmax(1, significance_bytes(s) / (double)place->len);
    const double likely = 1 / fmax(references, FEW_REFERENCES);
    double common, rich;

    if (sort_reference(r, a->reference, err))
        return -1;
    common = fill_bins(r, s, queries, limit);
    rich = rich_share(r, a->subject->content);
    for (size_t i = 0; i <= MOST_HITS; i++) {
        r->bins[i].p = fmin(1, fmax(1, (double)i) * likely);
        r->bins[i].common *= rich;
    }
    *ln_e = chance_common_ln_e(references, r->bins, MOST_HITS + 1);
    *evidence = merit_is_many(a, common * rich);
    return 0;
}

/* ---- ranges ---- */

/* Whether the reference has this sample of the object on the diagonal. */
static bool lies_on(const struct reorderer *r, const struct sample *sample, uint64_t diagonal)
{
    const struct sample wanted = {.pos = sample->pos - diagonal, .fp = sample->fp};
    const size_t at = SEARCH_FIRST(i, 0, r->count, by_sample(&r->named[i], &wanted) >= 0);

    return at < r->count && by_sample(&r->named[at], &wanted) == 0;
}

/* The diagonal of one of the reference's samples that is equal to sample i of the window: one on which the
 * next sample lies, too, else the first. */
static uint64_t diagonal_of(const struct reorderer *r, const struct record *window, size_t i, size_t first)
{
    const struct sample *sample = &window->samples[i];

    for (size_t j = first; i + 1 < window->count && j < r->count && j - first < MOST_OCCURRENCES &&
                           r->named[j].fp == sample->fp;
         j++)
        if (lies_on(r, sample + 1, sample->pos - r->named[j].pos))
            return sample->pos - r->named[j].pos;
    return sample->pos - r->named[first].pos;
}

static int add_run(struct reorderer *r, const struct finding_range *run, uint32_t length, struct error *err)
{
    if (array_reserve_all(&r->run_room, r->run_count + 1, ARRAY_PART(&r->runs), ARRAY_PART(&r->lengths)))
        return error_set(err, "out of memory for %zu ranges", r->run_count + 1);
    r->runs[r->run_count] = *run;
    r->lengths[r->run_count++] = length;
    return 0;
}

/* Whether the reference has no sample between these places, of which the first has one. */
static bool is_next(const struct record *reference, uint64_t from, uint64_t to)
{
    const size_t i = SEARCH_FIRST(j, 0, reference->count, reference->samples[j].pos > from);

    return i < reference->count && reference->samples[i].pos == to;
}

/* Whether sample i of the window continues a run on this diagonal: what lies between it and the one before it
 * is most likely equal, then. */
static bool continues(const struct reorderer *r, const struct alignment *a, size_t i, uint64_t diagonal)
{
    const struct record *window = a->window;
    const uint64_t before = window->samples[i - 1].pos, pos = window->samples[i].pos;

    return pos - before <= (uint64_t)RUN_GAPS * window->params.c &&
           lies_on(r, &window->samples[i], diagonal) &&
           (a->reference->params.c != window->params.c ||
            is_next(a->reference, before - diagonal, pos - diagonal));
}

/* Finds stretches of the object whose samples all lie on one diagonal. */
static int find_runs(struct reorderer *r, const struct alignment *a, struct error *err)
{
    const struct record *window = a->window;
    const uint32_t n = a->subject->n;

    r->run_count = 0;
    for (size_t i = 0, next; i < window->count; i = next) {
        const size_t first = find(r, window->samples[i].fp);
        uint64_t diagonal, start, end;

        next = i + 1;
        if (first == r->count)
            continue;
        diagonal = diagonal_of(r, window, i, first);
        while (next < window->count && continues(r, a, next, diagonal))
            next++;
        start = window->samples[i].pos;
        end = window->samples[next - 1].pos + n;
        if (add_run(
                r,
                &(struct finding_range){a->start + start, a->start + end, start - diagonal, end - diagonal},
                (uint32_t)(next - i), err))
            return -1;
    }
    return 0;
}

static size_t count_runs(const struct reorderer *r, uint32_t least)
{
    size_t count = 0;

    for (size_t i = 0; i < r->run_count; i++)
        count += r->lengths[i] >= least;
    return count;
}

int reorder_ranges(struct reorderer *r, const struct alignment *a, struct finding *finding, struct error *err)
{
    uint32_t least = 1;
    size_t count = 0;

    if (find_runs(r, a, err))
        return -1;
    while (count_runs(r, least) > MOST_RANGES)
        least++;
    if (finding_resize(finding, count_runs(r, least), err))
        return -1;
    for (size_t i = 0; i < r->run_count; i++)
        if (r->lengths[i] >= least)
            finding->ranges[count++] = r->runs[i];
    finding_measure(finding);
    return 0;
}
