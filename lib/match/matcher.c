/* SPDX-License-Identifier: Apache-2.0 */
#include "match/matcher.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "compare/verdict.h"
#include "match/choice.h"
#include "match/examine.h"
#include "match/reorder.h"
#include "set/known.h"

enum {
    BATCH = 1024, /* samples probed together: 20 KiB of keys and results */
    /* Bounds memory.  The samples kept of an object take 16 MiB, with those just arriving: an object of more
     * than 64 MiB at C = 128 is thinned.  The queries kept before they are looked up take 24 MiB. */
    MOST_SAMPLES = 1 << 19,
    MOST_QUERIES = 1 << 20,
    /* Fewer queries than this are not searched in parts, however many seeds they have (MOST_SEEDS).  2048 to
     * 8192 make no difference. */
    LEAST_PARTED = 4096,
    /* If this many of an object's samples are in very many files, that is reported as the reason for no
     * finding.  No row of the corpora has this reason, even with half the value. */
    COMMON_LEAST = 16,
    /* The limit on work for an object (effort.h).  20,000 pieces of 2 KB of 540 files need less than 1 a
     * byte; if the set has 60 near-copies of each file, they need more than 2, and not all are compared. With
     * 1 a byte the near-copies take a third less time, and half as many of their pieces are found. */
    LEAST_WORK = 1 << 22, /* an eighth of a second */
    WORK_A_BYTE = 2,
    WORK_FOR_ALL =
        16, /* times that if all references are wanted: then each of many near-copies is compared */
    ROUNDS = 4,
};

/* A few first, then four times as many in each round, since by then most of an object is explained; in the
 * end all. */
static const size_t looked_up[ROUNDS] = {8, 32, 128, SIZE_MAX}; /* in each round, of each stretch */

struct matcher {
    struct set *sets[MATCHER_MOST_SETS];
    struct seeds seeds[MATCHER_MOST_SETS];
    size_t set_count;
    uint64_t known; /* bit i: set i is of kind known */
    struct matcher_options options;
    struct queries selected;
    struct chains chains;
    struct regions regions;
    struct examiner *examiner;
    /* the object: */
    struct subject subject;
    struct sample *samples;
    struct query *queries;
    size_t sample_count, query_count, query_room;
    bool cut;      /* there are more references or places than were found */
    bool settled;  /* its digests suffice */
    size_t common; /* queries that very many files of one set have */
    struct effort effort;
    uint64_t matched; /* it was searched up to this offset */
    struct findings found;
};

/* ---- making one ---- */

static int take_sets(struct matcher *matcher, struct set *const *sets, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct refset_info *info = sets[i]->does->info(sets[i]);

        matcher->sets[i] = sets[i];
        matcher->set_count = i + 1;
        if (seeds_open(&matcher->seeds[i], sets[i], matcher->options.all_references, err))
            return -1;
        if (info->counts.records)
            matcher->subject.n = info->params.n;
        if (info->params.kind == REFSET_KNOWN)
            matcher->known |= (uint64_t)1 << i;
    }
    return 0;
}

struct matcher *matcher_new(struct set *const *sets, size_t count, const struct matcher_options *options,
                            struct error *err)
{
    struct matcher *matcher = memory_new(sizeof *matcher, err);

    if (!matcher)
        return NULL;
    matcher->options = *options;
    matcher->subject.key = options->key;
    if ((matcher->samples = memory_new(2 * MOST_SAMPLES * sizeof *matcher->samples, err)) &&
        chains_open(&matcher->chains, err) == 0 && regions_open(&matcher->regions, err) == 0 &&
        (matcher->examiner = examine_new(options->most_ln_e, err)) &&
        take_sets(matcher, sets, count, err) == 0)
        return matcher;
    matcher_free(matcher);
    return NULL;
}

void matcher_free(struct matcher *matcher)
{
    if (!matcher)
        return;
    for (size_t i = 0; i < matcher->set_count; i++)
        seeds_release(&matcher->seeds[i]);
    queries_release(&matcher->selected);
    chains_release(&matcher->chains);
    regions_release(&matcher->regions);
    examine_free(matcher->examiner);
    free(matcher->samples);
    free(matcher->queries);
    finding_list_release(&matcher->found);
    free(matcher);
}

static uint64_t most_work(const struct matcher *matcher, uint64_t size)
{
    const uint64_t times = matcher->options.all_references ? WORK_FOR_ALL : 1;

    if (matcher->options.most_work)
        return matcher->options.most_work;
    return size < UINT64_MAX / WORK_FOR_ALL / WORK_A_BYTE - LEAST_WORK
               ? (LEAST_WORK + size * WORK_A_BYTE) * times
               : UINT64_MAX;
}

void matcher_begin(struct matcher *matcher, uint64_t size, uint32_t c, struct content *content)
{
    struct subject *subject = &matcher->subject;

    subject->c = subject->probed_c = c;
    subject->size = size;
    subject->content = content;
    subject->coincidence = 0;
    subject->range = false;
    matcher->sample_count = matcher->query_count = 0;
    matcher->cut = matcher->settled = false;
    matcher->common = 0;
    matcher->matched = 0;
    matcher->effort = (struct effort){.most = most_work(matcher, size), .watch = matcher->options.watch};
    finding_list_reset(&matcher->found);
}

void matcher_is_range(struct matcher *matcher)
{
    matcher->subject.range = true;
}

/* ---- some queries through all stages ---- */

/* Consecutive queries. */
struct query_range {
    size_t first, count;
};

/* From queries to chains: looks up a few of each stretch, then more of those that nothing explains. */
static int find_chains(struct matcher *matcher, struct seeds *seeds, bool may_part, struct error *err)
{
    const struct matcher_options *options = &matcher->options;
    struct queries *queries = &matcher->selected;
    struct chains *chains = &matcher->chains;
    const struct chains_wanted wanted = {options->all_references, may_part, &matcher->effort};
    int some = 0;

    effort_begin_search(&matcher->effort);
    seeds_begin(seeds);
    chains_begin(chains, &wanted);
    for (int round = options->all_references ? ROUNDS - 1 : 0;
         !chains_are_over(chains, seeds) && (some = seeds_look_up(seeds, queries, looked_up[round], err)) > 0;
         round += round + 1 < ROUNDS)
        if (chains_find(chains, seeds, queries, round + 1 < ROUNDS, err))
            return -1;
    if (some < 0)
        return -1;
    return chains_are_over(chains, seeds) ? 0 : chains_find_elsewhere(chains, seeds, queries, err);
}

/* From chains to findings. */
static int find_findings(struct matcher *matcher, size_t set, struct error *err)
{
    const struct seeds *seeds = &matcher->seeds[set];
    const struct queries *queries = &matcher->selected;
    struct regions *regions = &matcher->regions;
    struct findings *found = &matcher->found;
    struct region *region;

    if (regions_find(regions, &matcher->chains, seeds, queries, &matcher->subject, err) ||
        (regions->count && examine_begin(matcher->examiner, seeds, queries, &matcher->subject, err)))
        return -1;
    while ((region = regions_next(regions))) {
        const int result = examine_region(matcher->examiner, seeds, queries, &matcher->subject, region,
                                          &matcher->effort, found, err);

        if (result < 0)
            return -1;
        if (result > 0) {
            found->list[found->count - 1].set = (uint32_t)set;
            if (regions_settle(regions, region, found, err))
                return -1;
        }
    }
    regions_count(regions, found);
    matcher->cut = matcher->cut || regions->cut;
    return 0;
}

/* Returns where to divide the range: at the widest gap in its middle half. */
static size_t widest_gap(const struct matcher *matcher, const struct query_range *range)
{
    const struct query *queries = matcher->queries + range->first;
    size_t widest = range->count / 2;

    for (size_t i = range->count / 4; i < range->count - range->count / 4; i++)
        if (queries[i].pos - queries[i - 1].pos > queries[widest].pos - queries[widest - 1].pos)
            widest = i;
    return widest;
}

/* Whether these are all queries of an object that was sampled to its end. */
static bool is_all_of_object(const struct matcher *matcher, const struct query_range *range)
{
    return matcher->subject.sampled == matcher->subject.size && range->first == 0 &&
           range->count == matcher->query_count;
}

static int match_parts(struct matcher *matcher, size_t set, struct query_range range, unsigned halvings,
                       struct error *err);

/*
 * Matches some queries with one set, through all stages: queries, seeds, chains, regions, alignments, proofs,
 * verdicts.  Searches them in parts if they are too much at once.
 */
static int match_range(struct matcher *matcher, size_t set, struct query_range range, struct error *err)
{
    const uint64_t bit = (uint64_t)1 << set;
    struct seeds *seeds = &matcher->seeds[set];
    const bool may_part = range.count >= LEAST_PARTED;
    bool is_cut;

    if (effort_is_spent(&matcher->effort)) {
        matcher->cut = true;
        return 0;
    }
    if (queries_select(&matcher->selected, &matcher->subject, matcher->queries + range.first, range.count,
                       bit, matcher->known & bit ? 0 : matcher->known, err) ||
        find_chains(matcher, seeds, may_part, err))
        return -1;
    is_cut = matcher->chains.cut || seeds_are_cut(seeds);
    if (is_cut && may_part && !effort_search_is_spent(&matcher->effort))
        return match_parts(matcher, set, range, matcher->chains.halved, err);
    matcher->cut = matcher->cut || is_cut;
    if (is_all_of_object(matcher, &range) &&
        reorder_add_chains(&matcher->chains, seeds, &matcher->selected, &matcher->subject, err))
        return -1;
    if (seeds->common > matcher->common)
        matcher->common = seeds->common;
    return find_findings(matcher, set, err);
}

/* Matches the halves of a range, or the halves of these, one after the other. */
static int match_parts(struct matcher *matcher, size_t set, struct query_range range, unsigned halvings,
                       struct error *err)
{
    struct effort *effort = &matcher->effort;
    struct query_range rest;
    size_t half;
    uint64_t most;
    int result;

    if (halvings == 0 || range.count < LEAST_PARTED)
        return match_range(matcher, set, range, err);
    half = widest_gap(matcher, &range);
    rest = (struct query_range){range.first + half, range.count - half};
    most = effort_share(effort, half, range.count);
    result = match_parts(matcher, set, (struct query_range){range.first, half}, halvings - 1, err);
    effort->most = most;
    return result ? result : match_parts(matcher, set, rest, halvings - 1, err);
}

/* Matches the first `count` queries with these sets.  sampled: the object is sampled up to this offset. */
static int match_queries(struct matcher *matcher, uint64_t sets, size_t count, uint64_t sampled,
                         struct error *err)
{
    struct effort *effort = &matcher->effort;
    const uint64_t most =
        effort_share(effort, sampled - matcher->matched, matcher->subject.size - matcher->matched);

    matcher->subject.samples = matcher->samples;
    matcher->subject.count = matcher->sample_count;
    matcher->subject.sampled = sampled;
    matcher->subject.turn++;
    for (size_t set = 0; set < matcher->set_count && count > 0; set++) {
        const uint64_t share = effort_share(effort, 1, matcher->set_count - set);
        int result = 0;

        if (sets >> set & 1)
            result = match_range(matcher, set, (struct query_range){0, count}, err);
        effort->most = share;
        if (result)
            return -1;
    }
    effort->most = most;
    matcher->matched = sampled;
    return 0;
}

/* ---- collecting ---- */

/* Returns where to cut the queries when there are too many: after the last stretch without any. */
static size_t quiet_place(const struct matcher *matcher)
{
    const uint64_t quiet = (uint64_t)SEEDS_STRETCH * matcher->subject.probed_c;

    for (size_t i = matcher->query_count - 1; i > matcher->query_count / 2; i--)
        if (matcher->queries[i].pos - matcher->queries[i - 1].pos > quiet)
            return i;
    return matcher->query_count;
}

static int flush(struct matcher *matcher, struct error *err)
{
    const size_t count = quiet_place(matcher);
    const uint64_t sampled = matcher->queries[matcher->query_count - 1].pos;

    if (match_queries(matcher, UINT64_MAX, count, sampled, err))
        return -1;
    memmove(matcher->queries, matcher->queries + count,
            (matcher->query_count - count) * sizeof *matcher->queries);
    matcher->query_count -= count;
    return 0;
}

static int add_queries(struct matcher *matcher, const struct sample *samples, size_t count,
                       const uint64_t *sets, struct error *err)
{
    if (array_reserve(&matcher->queries, &matcher->query_room, matcher->query_count + count))
        return error_set(err, "out of memory for %zu samples", matcher->query_count + count);
    for (size_t i = 0; i < count; i++)
        if (sets[i])
            matcher->queries[matcher->query_count++] = (struct query){samples[i].pos, samples[i].fp, sets[i]};
    return matcher->query_count >= MOST_QUERIES ? flush(matcher, err) : 0;
}

static int probe(struct matcher *matcher, const struct sample *samples, size_t count, struct error *err)
{
    uint64_t keys[BATCH], sets[BATCH];
    uint32_t passed[BATCH];
    size_t any = 0;

    for (size_t i = 0; i < count; i++) {
        keys[i] = known_key(samples[i].fp);
        sets[i] = 0;
    }
    for (size_t set = 0; set < matcher->set_count; set++) {
        const size_t found = matcher->sets[set]->does->probe(matcher->sets[set], keys, count, passed);

        for (size_t i = 0; i < found; i++)
            sets[passed[i]] |= (uint64_t)1 << set;
        any += found;
    }
    return any ? add_queries(matcher, samples, count, sets, err) : 0;
}

/* Keeps samples for comparing, thinning them when there are too many.  Content made of windows with the
 * smallest fingerprints cannot be thinned: what has no room is dropped then. */
static void keep_samples(struct matcher *matcher, const struct sample *samples, size_t count)
{
    const uint64_t limit = UINT64_MAX / matcher->subject.c;
    const size_t room = 2 * MOST_SAMPLES - matcher->sample_count;

    if (count > room) {
        count = room;
        matcher->cut = true;
    }
    if (matcher->subject.c == matcher->subject.probed_c) {
        memcpy(matcher->samples + matcher->sample_count, samples, count * sizeof *samples);
        matcher->sample_count += count;
    } else {
        for (size_t i = 0; i < count; i++)
            if (samples[i].fp <= limit)
                matcher->samples[matcher->sample_count++] = samples[i];
    }
    while (matcher->sample_count > MOST_SAMPLES && matcher->subject.c < SAMPLER_MAX_C) {
        matcher->subject.c *= 2;
        matcher->sample_count = sampler_thin(matcher->samples, matcher->sample_count, matcher->subject.c);
    }
}

int matcher_take(struct matcher *matcher, const struct sample *samples, size_t count, struct error *err)
{
    for (size_t done = 0, piece; done < count; done += piece) {
        piece = count - done < BATCH ? count - done : BATCH;
        keep_samples(matcher, samples + done, piece);
        if (probe(matcher, samples + done, piece, err))
            return -1;
    }
    return 0;
}

/* ---- the outcome ---- */

static int add_identical(struct matcher *matcher, size_t set, uint64_t file, struct error *err)
{
    const uint64_t size = matcher->subject.size;
    struct finding *finding = finding_list_add(&matcher->found, err);

    if (!finding || finding_resize(finding, size > 0, err))
        return -1;
    if (size)
        finding->ranges[0] = (struct finding_range){0, size, 0, size};
    finding_measure(finding);
    finding->verdict = VERDICT_IDENTICAL;
    finding->set = (uint32_t)set;
    finding->file = file;
    finding->ref_size = size;
    finding->resemblance = finding->containment = finding->score = 1;
    finding->has_edits = true;
    finding->ln_e = -INFINITY;
    finding->proof = PROOF_SHA1;
    return 0;
}

/* Looks up the digests and returns the sets still to be searched for related references; *failed: -1 on
 * error, else 0. */
static uint64_t look_up_digests(struct matcher *matcher, const struct digest_values *digests, int *failed,
                                struct error *err)
{
    uint64_t sets = 0;
    bool known = false;

    *failed = 0;
    for (size_t set = 0; set < matcher->set_count && !*failed; set++) {
        uint64_t file = 0;

        *failed = matcher->sets[set]->does->find(matcher->sets[set], digests, &file, err);
        if (*failed)
            break;
        if (!file || matcher->options.all_references)
            sets |= (uint64_t)1 << set;
        if (file) {
            known = known || (matcher->known >> set & 1);
            *failed = add_identical(matcher, set, file, err);
        }
    }
    return (known && !matcher->options.all_references) || matcher->settled ? 0 : sets;
}

int matcher_is_known(struct matcher *matcher, const struct digest_values *digests, struct error *err)
{
    for (size_t set = 0; set < matcher->set_count; set++) {
        uint64_t file = 0;

        if (!(matcher->known >> set & 1) || matcher->subject.size == 0)
            continue;
        if (matcher->sets[set]->does->find(matcher->sets[set], digests, &file, err))
            return -1;
        if (file)
            return 1;
    }
    return 0;
}

void matcher_search_no_more(struct matcher *matcher)
{
    matcher->settled = true;
}

int matcher_end(struct matcher *matcher, const struct digest_values *digests, uint32_t coincidence,
                struct findings *findings, enum verdict *verdict, struct error *err)
{
    const struct subject *subject = &matcher->subject;
    struct findings *found = &matcher->found;
    const struct findings swap = *findings;
    uint64_t sets;
    int failed;

    matcher->subject.coincidence = coincidence;
    if (subject->size == 0) { /* identical to any other empty file, which means nothing */
        finding_list_reset(findings);
        *verdict = VERDICT_TOO_SMALL;
        return 0;
    }
    sets = look_up_digests(matcher, digests, &failed, err);
    if (failed || match_queries(matcher, sets, matcher->query_count, subject->size, err))
        return -1;
    if (choice_make(found, matcher->options.least_matched, matcher->options.all_references, err))
        return -1;
    *verdict = found->count ? found->list[0].verdict
                            : verdict_without_finding(matcher->sample_count, subject->size, subject->c);
    found->lacks = matcher->cut ? FINDINGS_CUT : 0;
    if (*verdict == VERDICT_NONE && matcher->common >= COMMON_LEAST)
        found->lacks |= FINDINGS_COMMON;
    *findings = *found;
    *found = swap;
    return 0;
}

uint64_t matcher_work(const struct matcher *matcher)
{
    return matcher->effort.done;
}
