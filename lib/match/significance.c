/* SPDX-License-Identifier: Apache-2.0 */
#include "match/significance.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/search.h"
#include "match/chance_line.h"
#include "match/merit.h"
#include "set/known.h"

enum {
    /* Samples of the reference before and after the expected one, among which a match is looked for: more
     * than an insertion within a range shifts it by. */
    ASIDE = 16,
    MOST_RICH = 4 << 10, /* bytes that vary, counted in proved ones: enough for any E */
};

/* Nats that a byte of a rich window is worth at most: a bit, which is less than in any text or code. */
static const double byte_information = 0.69;

struct significance {
    const struct seeds *seeds;
    const struct queries *queries;
    const struct subject *subject;
    double bytes;     /* of all references that were sampled */
    double elsewhere; /* samples of the reference that were looked up, and match outside of the ranges only */
    double mean_hits; /* samples of the set that are equal to a query that was looked up, */
    struct chance_shares shares;
    uint32_t *hits; /* and to each query, by index into all; 0: unknown */
    size_t query_room;
    uint32_t *found; /* the same for each sample of the reference that was looked up; 0: others */
    bool *taken;     /* samples of the reference that match in the ranges */
    size_t sample_room;
    struct chance_match *matches;
    struct chance_step *steps;
    size_t count, most, match_room;
    uint64_t *numbers; /* work space */
    size_t number_room;
};

struct significance *significance_new(struct error *err)
{
    return memory_new(sizeof(struct significance), err);
}

void significance_free(struct significance *s)
{
    if (!s)
        return;
    free(s->hits);
    free(s->found);
    free(s->taken);
    free(s->matches);
    free(s->steps);
    free(s->numbers);
    free(s);
}

/* ---- how often the set has each sample ---- */

/* The bytes of all references that were sampled, but not more than their samples stand for: files known by
 * digests alone, whose sizes are counted as well, may be many. */
static double bytes_of(const struct refset_info *info)
{
    const struct refset_counts *counts = &info->counts;
    const double share = counts->files ? (double)counts->records / (double)counts->files : 1;

    return fmax(1, fmin((double)counts->bytes * share, (double)counts->samples * info->params.c));
}

int significance_begin(struct significance *s, const struct seeds *seeds, const struct queries *queries,
                       const struct subject *subject, struct error *err)
{
    double asked = 0, all = 0;

    s->seeds = seeds;
    s->queries = queries;
    s->subject = subject;
    s->bytes = bytes_of(seeds->set->does->info(seeds->set));
    if (array_reserve(&s->hits, &s->query_room, queries->all_count))
        return error_set(err, "out of memory for %zu samples", queries->all_count);
    if (queries->all_count)
        memset(s->hits, 0, queries->all_count * sizeof *s->hits);
    for (size_t i = 0; i < seeds->count; i++)
        s->hits[seeds->list[i].query]++;
    for (size_t i = 0; i < queries->count; i++) {
        uint32_t *hits = &s->hits[queries->numbers[i]];

        if (*hits && queries->files[i] > *hits) /* the set knows only some of the files */
            *hits = queries->files[i];
        asked += *hits > 0;
        all += *hits;
    }
    chance_line_shares(&s->shares, s->hits, queries->all_count);
    s->mean_hits = asked > 0 ? all / asked : 1;
    return 0;
}

const struct queries *significance_queries(const struct significance *s)
{
    return s->queries;
}

double significance_hits(const struct significance *s, size_t query)
{
    return s->hits[query] ? s->hits[query] : s->mean_hits;
}

double significance_bytes(const struct significance *s)
{
    return s->bytes;
}

/* -ln q of a sample that the set has this many times, but never more than `most`. */
static double information_of(const struct significance *s, double hits, double most)
{
    return fmax(0, fmin(log(s->bytes / hits), most));
}

/* ---- matches ---- */

static int make_room(struct significance *s, size_t count, struct error *err)
{
    s->count = 0;
    s->most = count;
    if (array_reserve_all(&s->match_room, count, ARRAY_PART(&s->matches), ARRAY_PART(&s->steps)))
        return error_set(err, "out of memory for %zu matches", count);
    return 0;
}

/* Notes which samples of the reference were looked up, and how often the set has each. */
static int find_looked_up(struct significance *s, const struct alignment *a, struct error *err)
{
    const struct seed_chain *chain = a->chain;
    const size_t count = a->reference->count;

    if (array_reserve_all(&s->sample_room, count, ARRAY_PART(&s->found), ARRAY_PART(&s->taken)))
        return error_set(err, "out of memory for %zu samples", count);
    if (count) {
        memset(s->found, 0, count * sizeof *s->found);
        memset(s->taken, 0, count * sizeof *s->taken);
    }
    s->elsewhere = 0;
    for (size_t i = 0; i < chain->count; i++) {
        const struct seed *seed = &s->seeds->list[chain->first + i];
        const uint64_t j = seed->sample - chain->place.first;

        if (j >= count || !chains_has_seed(chain, seed))
            continue;
        s->elsewhere += s->found[j] == 0;
        s->found[j] = s->hits[seed->query];
    }
    return 0;
}

/* What a sample is worth that matches by place and character: in unrelated content one of the reference's
 * samples rarely is just there. */
static double of_place(const struct record *reference)
{
    return log((double)KNOWN_SYMBOLS * fmax(1, (double)reference->len / (double)reference->count));
}

static uint64_t apart(uint64_t x, uint64_t y)
{
    return x > y ? x - y : y - x;
}

/* Finds the sample of the reference with this fingerprint that is closest to where it should be; *near: the
 * first one from there on, which only grows.  Returns their number if there is none. */
static size_t find_sample(const struct record *reference, uint64_t fp, uint64_t expected, size_t *near)
{
    size_t best = reference->count, first, last;

    while (*near < reference->count && reference->samples[*near].pos < expected)
        ++*near;
    if (*near < reference->count && reference->samples[*near].pos == expected &&
        reference->samples[*near].fp == fp)
        return *near;
    first = *near > ASIDE ? *near - ASIDE : 0;
    last = *near + ASIDE < reference->count ? *near + ASIDE : reference->count;
    for (size_t j = first; j < last; j++)
        if (reference->samples[j].fp == fp &&
            (best == reference->count ||
             apart(reference->samples[j].pos, expected) < apart(reference->samples[best].pos, expected)))
            best = j;
    return best;
}

/* The queries of the object before this offset. */
static uint32_t queries_before(const struct significance *s, uint64_t pos)
{
    const struct queries *queries = s->queries;

    return (uint32_t)SEARCH_FIRST(i, 0, queries->all_count, queries->all[i].pos >= pos);
}

/* Adds the matches in one range of the finding. */
static void take_range(struct significance *s, const struct alignment *a, const struct finding_range *range)
{
    const struct record *window = a->window, *reference = a->reference;
    const uint64_t start = range->obj_start - a->start, end = range->obj_end - a->start;
    const double place = of_place(reference);
    uint64_t diagonal = start - range->ref_start; /* may wrap around */
    size_t near = SEARCH_FIRST(j, 0, reference->count, reference->samples[j].pos >= range->ref_start);

    for (size_t i = SEARCH_FIRST(k, 0, window->count, window->samples[k].pos >= start);
         i < window->count && window->samples[i].pos < end && s->count < s->most; i++) {
        const struct sample *sample = &window->samples[i];
        const size_t j = find_sample(reference, sample->fp, sample->pos - diagonal, &near);

        if (j == reference->count)
            continue;
        diagonal = sample->pos - reference->samples[j].pos;
        s->elsewhere -= s->found[j] && !s->taken[j];
        s->taken[j] = true;
        s->matches[s->count++] =
            (struct chance_match){.object = sample->pos,
                                  .reference = reference->samples[j].pos,
                                  .sample = sample->fp,
                                  .number = queries_before(s, a->start + sample->pos),
                                  .information = s->found[j] ? information_of(s, s->found[j], INFINITY)
                                                             : information_of(s, s->mean_hits, place)};
    }
}

/* What was searched for a reference of this length.  times: the number of samples taken in
 * place of a query. */
static struct chance_search search_of(const struct significance *s, uint64_t len, double times)
{
    const double samples = fmax(1, (double)s->queries->count * times);

    return (struct chance_search){.shares = &s->shares,
                                  .matches = fmax(1, samples * s->mean_hits),
                                  .bytes = s->bytes,
                                  .samples = samples,
                                  .length = fmax(1, (double)len)};
}

int significance_of_ranges(struct significance *s, const struct alignment *a, const struct finding *finding,
                           double *ln_e, struct error *err)
{
    const double times = fmax(1, (double)s->queries->c / a->window->params.c);
    struct chance_search search = search_of(s, a->record->place.len, times);

    if (make_room(s, 2 * a->window->count, err) || find_looked_up(s, a, err))
        return -1;
    for (size_t i = 0; i < finding->range_count; i++)
        take_range(s, a, &finding->ranges[i]);
    search.elsewhere = s->elsewhere;
    *ln_e = chance_line_ln_e(&search, s->matches, s->count, s->steps);
    return 0;
}

/* ---- all of a reference ---- */

/* The hits of the object's sample at this offset, if it was looked up. */
static double hits_at(const struct significance *s, uint64_t pos)
{
    const struct queries *queries = s->queries;
    const size_t i = SEARCH_FIRST(k, 0, queries->all_count, queries->all[k].pos >= pos);

    return i < queries->all_count && queries->all[i].pos == pos ? significance_hits(s, i) : s->mean_hits;
}

int significance_of_whole(struct significance *s, const struct finding_range *range, double *ln_e,
                          struct error *err)
{
    const struct subject *subject = s->subject;
    const struct chance_search search = search_of(s, range->ref_end, 1);
    const struct sample *samples = subject->samples;
    const size_t first = SEARCH_FIRST(i, 0, subject->count, samples[i].pos >= range->obj_start);
    const size_t last = SEARCH_FIRST(i, first, subject->count, samples[i].pos + subject->n > range->obj_end);
    const double rich =
        (double)merit_rich_bytes(subject->content, range->obj_start, range->obj_end, MOST_RICH);

    if (make_room(s, last - first, err))
        return -1;
    for (size_t i = first; i < last; i++)
        s->matches[s->count++] =
            (struct chance_match){.object = samples[i].pos,
                                  .reference = samples[i].pos - range->obj_start,
                                  .sample = samples[i].fp,
                                  .number = queries_before(s, samples[i].pos),
                                  .information = information_of(s, hits_at(s, samples[i].pos), INFINITY)};
    *ln_e = fmin(chance_line_ln_e(&search, s->matches, s->count, s->steps),
                 chance_line_of_bytes(&search, (double)subject->size, byte_information * rich));
    return 0;
}

/* ---- features ---- */

/* The object's samples in a range are those from *first to before *last. */
static void find_samples(const struct subject *subject, const struct finding_range *range, size_t *first,
                         size_t *last)
{
    const struct sample *samples = subject->samples;

    *first = SEARCH_FIRST(i, 0, subject->count, samples[i].pos >= range->obj_start);
    *last = SEARCH_FIRST(i, *first, subject->count, samples[i].pos + subject->n > range->obj_end);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* How often the set has what was looked up in the ranges, as the median of the first ones, for which there is
 * room; 0 if nothing was. */
static uint64_t holders_of(const struct significance *s, const struct finding *finding)
{
    const struct queries *queries = s->queries;
    uint64_t *numbers = s->numbers;
    size_t known = 0;

    for (size_t r = 0; r < finding->range_count; r++) {
        const struct finding_range *range = &finding->ranges[r];

        for (size_t i = SEARCH_FIRST(k, 0, queries->all_count, queries->all[k].pos >= range->obj_start);
             i < queries->all_count && queries->all[i].pos + s->subject->n <= range->obj_end; i++)
            if (s->hits[i] && known < s->number_room)
                numbers[known++] = s->hits[i];
    }
    if (known)
        qsort(numbers, known, sizeof *numbers, by_number);
    return known ? numbers[known / 2] : 0;
}

int significance_features(struct significance *s, struct finding *finding, struct error *err)
{
    size_t count = 0, first, last, most = 0;

    for (size_t r = 0; r < finding->range_count; r++) {
        find_samples(s->subject, &finding->ranges[r], &first, &last);
        most += last - first;
    }
    if (array_reserve(&s->numbers, &s->number_room, most))
        return error_set(err, "out of memory for %zu samples", most);
    finding->features.holders = holders_of(s, finding);
    for (size_t r = 0; r < finding->range_count; r++) {
        find_samples(s->subject, &finding->ranges[r], &first, &last);
        for (size_t i = first; i < last; i++)
            s->numbers[count++] = s->subject->samples[i].fp;
    }
    features_take(&finding->features, s->numbers, count);
    return 0;
}
