/* SPDX-License-Identifier: Apache-2.0 */
#include "match/whole.h"

#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "compare/verdict.h"
#include "disk/content.h"
#include "sample/gf8.h"
#include "set/known.h"

enum {
    /* Bytes hashed for one object and set, and as a multiple of the object: bounds time.  16 times changes 2
     * rows of copies; 64 times makes no difference. */
    MOST_HASHED = 256 << 20,
    MOST_TIMES = 32,
    LOOKS_A_SAMPLE = 16, /* regions looked at in the time it takes to compare one sample (effort.h) */
    MOST_VOTES = 256,    /* most seeds that vote on where a reference lies; nearly all of them agree */
};

/* The share of a reference's samples that the chain must explain: some may be too common to be found by.
 * 0.25 makes no difference; with 0.9 files that lie in copies twice are compared instead of hashed, which
 * changes the resemblance in 15 rows. */
static const double likely = 0.5;

/* A stretch of the object, and the file with the same bytes. */
struct whole_place {
    uint64_t start, len;
    uint64_t file; /* 0: no such file */
};

/* Regions being marked. */
struct marking {
    struct digest *digest;
    struct region *list;
    size_t count, wholes;
    const struct seeds *seeds;
    const struct queries *queries;
    const struct subject *subject;
    struct effort *effort;
    struct error *err;
    struct whole_place last; /* the last one looked up */
    uint64_t budget;         /* bytes that may still be hashed */
};

/* Whether the object has about as many samples of the reference as it would have if all of it were there. */
static bool is_likely(const struct subject *subject, const struct seed_chain *chain)
{
    const struct set_place *place = &chain->place;
    const double thinned = fmin(1, (double)place->c / subject->probed_c);
    const double expected = (double)place->count * thinned;

    return (double)chain->support >= likely * expected - 2 * sqrt(expected);
}

static bool is_inside(const struct subject *subject, const struct seed_chain *chain)
{
    const int64_t start = chain->cluster.main;

    return start >= 0 && chain->place.len <= subject->size &&
           (uint64_t)start <= subject->size - chain->place.len;
}

/*
 * Whether the object may have the reference there: it has all of the reference's samples and no others, as
 * far as it was sampled yet.  Samples at the start are left out, since the bytes before influence which
 * windows are selected.
 */
static bool may_have_same_bytes(const struct subject *subject, const struct set_record *record,
                                uint64_t start)
{
    const uint32_t c = record->place.c;
    const uint64_t limit = UINT64_MAX / (c > subject->c ? c : subject->c);
    const uint64_t from = start + GF8_REACH, end = start + record->place.len;
    const size_t first = SEARCH_FIRST(i, 0, subject->count, subject->samples[i].pos >= from);
    size_t same = 0;

    for (size_t i = first; i < subject->count && subject->samples[i].pos + subject->n <= end; i++) {
        const struct sample *sample = &subject->samples[i];

        if (sample->fp > limit)
            continue;
        if (places_find(&record->places, sample->pos - start, sample->fp % KNOWN_SYMBOLS) ==
            record->places.count)
            return false;
        same++;
    }
    return c < subject->c || end > subject->sampled ||
           same == record->places.count - places_from(&record->places, GF8_REACH);
}

/* Looks up which file has the bytes where the reference would lie; the result is in m->last. */
static int look_up(struct marking *m, const struct seed_chain *chain)
{
    const uint64_t start = (uint64_t)chain->cluster.main, len = chain->place.len;
    struct set *set = m->seeds->set;
    struct whole_place *last = &m->last;
    struct digest_values values;
    int hashed;

    if (last->start == start && last->len == len)
        return 0;
    *last = (struct whole_place){.start = start, .len = len};
    if (len > m->budget)
        return 0;
    m->budget -= len;
    effort_add(m->effort, len / EFFORT_HASHED);
    hashed = content_digest(m->subject->content, m->digest, start, len, &values, m->err);
    return hashed < 0 || (hashed && set->does->find(set, &values, &last->file, m->err)) ? -1 : 0;
}

static int by_place(const void *a, const void *b)
{
    const struct seed_chain *x = &((const struct region *)a)->chain, *y = &((const struct region *)b)->chain;

    if (x->cluster.main != y->cluster.main)
        return x->cluster.main < y->cluster.main ? -1 : 1;
    if (x->place.len != y->place.len)
        return x->place.len < y->place.len ? -1 : 1;
    return x->place.file < y->place.file ? -1 : x->place.file > y->place.file;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The diagonal that most of the chain's seeds have; -1 if it has none. */
static int64_t main_diagonal(const struct seeds *seeds, const struct queries *queries,
                             const struct seed_chain *chain, const struct set_record *record)
{
    int64_t diagonals[MOST_VOTES], best = -1;
    size_t count = 0, most = 0;

    for (size_t i = 0; i < chain->count && count < MOST_VOTES; i++) {
        const struct seed *seed = &seeds->list[chain->first + i];
        const uint64_t number = seed->sample - record->place.first;

        if (number < record->places.count)
            diagonals[count++] = (int64_t)(queries->all[seed->query].pos -
                                           places_position(places_at(&record->places, number)));
    }
    if (count)
        qsort(diagonals, count, sizeof *diagonals, by_number);
    for (size_t i = 0, first = 0; i < count; i++) {
        if (diagonals[i] != diagonals[first])
            first = i;
        if (i - first + 1 > most) {
            most = i - first + 1;
            best = diagonals[i];
        }
    }
    return best;
}

/* Finds where a reference that was only counted would lie.  Returns 1, 0 if its record has been removed, -1
 * on error. */
static int locate(const struct seeds *seeds, const struct queries *queries, struct seed_chain *chain,
                  struct error *err)
{
    const struct set_record *record;
    const int there = seeds->set->does->record(seeds->set, chain->place.first, &record, err);

    if (there <= 0)
        return there;
    chain->place = record->place;
    chain->cluster.main = main_diagonal(seeds, queries, chain, record);
    chain->cluster.low = chain->cluster.high = chain->cluster.main;
    return 1;
}

static bool is_in_whole(const struct marking *m, const struct cluster *cluster)
{
    if (m->wholes == 0)
        return false;
    effort_add(m->effort, m->count / LOOKS_A_SAMPLE);
    for (size_t i = 0; i < m->count; i++) {
        const struct seed_chain *other = &m->list[i].chain;

        if (m->list[i].whole && (uint64_t)other->cluster.main <= cluster->start &&
            cluster->end <= (uint64_t)other->cluster.main + other->place.len)
            return true;
    }
    return false;
}

/* Whether the reference lies in its place.  Returns 1 or 0, -1 on error. */
static int lies_there(struct marking *m, const struct seed_chain *chain)
{
    struct set *set = m->seeds->set;
    const struct set_record *record;
    const int there = set->does->record(set, chain->place.first, &record, m->err);

    if (there <= 0 || !may_have_same_bytes(m->subject, record, (uint64_t)chain->cluster.main))
        return there < 0 ? -1 : 0;
    if (look_up(m, chain))
        return -1;
    return m->last.file && m->last.file == chain->place.file;
}

static int mark_accepted(struct marking *m)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct seed_chain *chain = &m->list[i].chain;
        int there;

        if (chain->counted || !is_inside(m->subject, chain) || !is_likely(m->subject, chain))
            continue;
        there = lies_there(m, chain);
        if (there < 0)
            return -1;
        m->list[i].whole = there > 0;
        m->wholes += there > 0;
    }
    return 0;
}

/* One of the references that were only counted may be the right one. */
static int mark_counted(struct marking *m)
{
    for (size_t i = 0; i < m->count; i++) {
        struct seed_chain chain = m->list[i].chain;
        int there;

        if (!chain.counted || is_in_whole(m, &chain.cluster))
            continue;
        there = locate(m->seeds, m->queries, &chain, m->err);
        if (there > 0)
            there = is_inside(m->subject, &chain) ? lies_there(m, &chain) : 0;
        if (there < 0)
            return -1;
        if (!there)
            continue;
        chain.counted = false;
        chain.support = chain.count;
        m->list[i].chain = chain;
        m->list[i].whole = true;
        m->wholes++;
    }
    return 0;
}

int whole_mark(struct digest *digest, struct region *regions, size_t count, const struct seeds *seeds,
               const struct queries *queries, const struct subject *subject, struct effort *effort,
               struct error *err)
{
    struct marking marking = {
        .digest = digest,
        .list = regions,
        .count = count,
        .seeds = seeds,
        .queries = queries,
        .subject = subject,
        .effort = effort,
        .err = err,
        .budget = subject->size > MOST_HASHED / MOST_TIMES ? MOST_HASHED : MOST_TIMES * subject->size};

    if (!subject->content || !count)
        return 0;
    qsort(regions, count, sizeof *regions, by_place); /* so that each place is hashed once */
    return mark_accepted(&marking) || mark_counted(&marking) ? -1 : 0;
}

/* ---- the finding ---- */

/* The share of the samples of both that lie where the reference does. */
static double resemblance_of(const struct subject *subject, uint64_t start, uint64_t end)
{
    const struct sample *samples = subject->samples;
    const size_t first = SEARCH_FIRST(i, 0, subject->count, samples[i].pos >= start);
    const size_t inside = SEARCH_FIRST(i, first, subject->count, samples[i].pos >= end) - first;

    return subject->count ? (double)inside / (double)subject->count
                          : (double)(end - start) / (double)subject->size;
}

/* All its blocks are proved, if the set has them. */
static int take_proof(struct set *set, const struct seed_chain *chain, struct finding *finding,
                      struct error *err)
{
    const struct set_record *record;
    const int there = set->does->record(set, chain->place.first, &record, err);

    if (there <= 0)
        return there < 0 ? -1 : error_set(err, "a record has been removed from the set");
    finding->proved = finding->blocks = record->blocks.len / DIGEST_SHA1_LEN;
    finding->proof = finding->blocks ? PROOF_BLOCKS : PROOF_SHA1;
    return 0;
}

int whole_find(struct set *set, const struct subject *subject, const struct region *region,
               struct finding *finding, struct error *err)
{
    const struct seed_chain *chain = &region->chain;
    const uint64_t start = (uint64_t)chain->cluster.main, len = chain->place.len;

    if (finding_resize(finding, 1, err) || take_proof(set, chain, finding, err))
        return -1;
    finding->ranges[0] = (struct finding_range){start, start + len, 0, len};
    finding_measure(finding);
    finding->ref_size = len;
    finding->containment = 1;
    finding->resemblance = resemblance_of(subject, start, start + len);
    finding->has_edits = true;
    finding->verdict = verdict_of_whole(&finding->ranges[0], subject->size, subject->range);
    if (finding->verdict == VERDICT_VARIANT)
        finding->edits = finding->edits_low = finding->edits_high = (double)(subject->size - len);
    return 0;
}
