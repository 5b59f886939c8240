/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "match/matcher_inner.h"
#include "set/known.h"

enum {
    BATCH = 1024,           /* samples that are probed together */
    MOST_SAMPLES = 1 << 19, /* that are kept of an object */
    MOST_QUERIES = 1 << 20, /* that are kept of one before they are looked up */
    CACHE_BYTES = 64 << 20, /* of records, for all sets together */
    LEAST_SIZE = 256,       /* bytes: in less one cannot say that there is nothing */
    MOST_COMPARED = 8,      /* candidates in the same place */
    LEAST_PARTED = 4096,    /* queries: fewer are searched at once */
    MUCH_LARGER = 2,
    COMMON_LEAST = 16,   /* of an object's samples: if so many are in very many files, that is told */
    MOST_WORK = 1 << 28, /* for one object: 8 s of a processor of 2023, where a worker is stopped after 20, */
    MORE_WORK = 4,       /* and a share of that more, to compare what was found by then */
    COVERED_SHARE = 80,  /* percent of a finding that better ones explain: then it is not told */
};

struct matcher {
    struct refset_search *sets[MATCHER_MOST_SETS];
    struct searcher *searchers[MATCHER_MOST_SETS];
    size_t set_count;
    uint64_t known; /* the sets of that kind, a bit each */
    struct matcher_options options;
    struct wholes *wholes;
    struct aligner *aligner;
    /* the object: */
    struct aligner_object object;
    struct sample *samples;
    struct query *queries;
    size_t sample_count, query_count, query_room;
    bool cut;      /* there are more than were found */
    size_t common; /* queries that are in very many files of one set */
    struct effort effort;
    struct findings found;
};

/* ---- making one ---- */

static int take_sets(struct matcher *matcher, struct refset_search *const *sets, size_t count,
                     struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct refset_info *info = refset_search_info(sets[i]);

        matcher->sets[i] = sets[i];
        matcher->searchers[i] = matcher_search_new(sets[i], CACHE_BYTES / count, err);
        if (!matcher->searchers[i])
            return -1;
        matcher->set_count = i + 1;
        if (info->counts.records)
            matcher->object.n = info->params.n;
        if (info->params.kind == REFSET_KNOWN)
            matcher->known |= (uint64_t)1 << i;
    }
    return 0;
}

struct matcher *matcher_new(struct refset_search *const *sets, size_t count,
                            const struct matcher_options *options, struct error *err)
{
    struct matcher *matcher = calloc(1, sizeof *matcher);

    if (matcher)
        matcher->samples = malloc(2 * MOST_SAMPLES * sizeof *matcher->samples);
    if (!matcher || !matcher->samples) {
        error_set(err, "out of memory");
        matcher_free(matcher);
        return NULL;
    }
    matcher->options = *options;
    if (!matcher->options.most_work)
        matcher->options.most_work = MOST_WORK;
    matcher->object.effort = &matcher->effort;
    if ((matcher->wholes = matcher_whole_new(err)) && (matcher->aligner = matcher_align_new(err)) &&
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
        matcher_search_free(matcher->searchers[i]);
    matcher_whole_free(matcher->wholes);
    matcher_align_free(matcher->aligner);
    free(matcher->samples);
    free(matcher->queries);
    finding_list_release(&matcher->found);
    free(matcher);
}

void matcher_begin(struct matcher *matcher, uint64_t size, uint32_t c, struct content *content)
{
    matcher->object.c = matcher->object.probed_c = c;
    matcher->object.size = size;
    matcher->object.content = content;
    matcher->object.coincidence = 0;
    matcher->object.range = false;
    matcher->sample_count = matcher->query_count = 0;
    matcher->cut = false;
    matcher->common = 0;
    matcher->effort = (struct effort){.most = matcher->options.most_work};
    finding_list_reset(&matcher->found);
}

void matcher_is_range(struct matcher *matcher)
{
    matcher->object.range = true;
}

/* ---- comparing them ---- */

/* Those that need no comparing first, by their place; then those that explain most; then those that are only
 * counted. */
static int by_support(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->whole != y->whole)
        return x->whole ? -1 : 1;
    if (x->counted != y->counted)
        return y->counted ? -1 : 1;
    if (x->whole && x->cluster.main != y->cluster.main)
        return x->cluster.main < y->cluster.main ? -1 : 1;
    if (!x->whole && x->support != y->support)
        return x->support > y->support ? -1 : 1;
    if (x->place.len != y->place.len)
        return x->place.len < y->place.len ? -1 : 1;
    if (x->place.file != y->place.file)
        return x->place.file < y->place.file ? -1 : 1;
    return x->cluster.low < y->cluster.low ? -1 : x->cluster.low > y->cluster.low;
}

/* Candidates of one set, and what came of them. */
struct comparing {
    struct matcher *matcher;
    size_t set;
    struct candidate *list;
    size_t count, wholes; /* of them, the first ones */
};

static bool covers(const struct candidate *candidate, const struct candidate *other)
{
    const struct cluster *cluster = &candidate->cluster;

    if (candidate->whole)
        return (uint64_t)cluster->main <= other->cluster.start &&
               other->cluster.end <= (uint64_t)cluster->main + candidate->place.len;
    return cluster->start <= other->cluster.start && other->cluster.end <= cluster->end;
}

/* A candidate that is whole, covers this one and is not much larger; or NULL. */
static const struct candidate *whole_around(const struct comparing *comparing,
                                            const struct candidate *candidate)
{
    const struct candidate *list = comparing->list;
    size_t low = 0, high = comparing->wholes;

    while (low < high) { /* the first that begins behind it */
        const size_t middle = low + (high - low) / 2;

        if ((uint64_t)list[middle].cluster.main <= candidate->cluster.start)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t tries = 0; low > 0 && tries < MOST_COMPARED; tries++, low--)
        if (list[low - 1].finding && covers(&list[low - 1], candidate) &&
            candidate->place.len >= list[low - 1].place.len / MUCH_LARGER)
            return &list[low - 1];
    return NULL;
}

/* Near-copies of what lies there to the bit are only counted; they are taken out of the list. */
static void count_near_copies(struct comparing *comparing)
{
    struct candidate *list = comparing->list;
    size_t kept = comparing->wholes;

    for (size_t i = comparing->wholes; i < comparing->count; i++) {
        const struct candidate *whole = whole_around(comparing, &list[i]);

        if (whole)
            comparing->matcher->found.list[whole->finding - 1].also++;
        else
            list[kept++] = list[i];
    }
    comparing->count = kept;
}

/*
 * Among many near-copies only those that explain most are compared.  Whether the number-th is one of the
 * others, or was only counted all the time; *best: what was found there, or NULL.
 */
static bool is_one_of_many(const struct comparing *comparing, size_t number, const struct candidate **best)
{
    const struct candidate *list = comparing->list;
    size_t covering = 0;

    *best = NULL;
    if (comparing->matcher->options.all_references)
        return false;
    for (size_t i = comparing->wholes; i < number && covering < MOST_COMPARED && !list[i].counted; i++) {
        if (!covers(&list[i], &list[number]))
            continue;
        if (!*best && list[i].finding)
            *best = &list[i];
        covering++;
    }
    return covering >= MOST_COMPARED || list[number].counted;
}

/* Whether the same reference was found there already, by other matches. */
static bool is_found(const struct comparing *comparing, size_t number)
{
    const struct candidate *candidate = &comparing->list[number];

    for (size_t i = 0; i < number; i++) {
        const struct candidate *other = &comparing->list[i];
        const struct finding_range *span;

        if (other->place.first != candidate->place.first || !other->finding)
            continue;
        span = &comparing->matcher->found.list[other->finding - 1].span;
        if (span->obj_start <= candidate->cluster.start && candidate->cluster.end <= span->obj_end)
            return true;
    }
    return false;
}

/* 1 and a finding at the end of the list, 0, or -1. */
static int relate(struct comparing *comparing, const struct candidate *candidate, struct error *err)
{
    struct matcher *matcher = comparing->matcher;
    struct findings *found = &matcher->found;
    struct finding *finding;

    if (!candidate->whole)
        return matcher_align_run(matcher->aligner, matcher->sets[comparing->set],
                                 matcher->searchers[comparing->set], &matcher->object, candidate, found, err);
    finding = finding_list_add(found, err);
    if (!finding)
        return -1;
    return matcher_whole_tell(&matcher->object, matcher->searchers[comparing->set], candidate, finding, err)
               ? -1
               : 1;
}

static int compare(struct comparing *comparing, struct candidate *candidate, struct error *err)
{
    struct findings *found = &comparing->matcher->found;
    const int result = relate(comparing, candidate, err);

    if (result <= 0)
        return result;
    if (candidate->common && found->list[found->count - 1].verdict == VERDICT_FRAGMENT) {
        free(found->list[--found->count].ranges);
        return 0;
    }
    candidate->finding = found->count;
    found->list[found->count - 1].set = (uint32_t)comparing->set;
    found->list[found->count - 1].file = candidate->place.file;
    return 0;
}

static int compare_wholes(struct comparing *comparing, struct error *err)
{
    struct candidate *list = comparing->list;

    while (comparing->wholes < comparing->count && list[comparing->wholes].whole)
        comparing->wholes++;
    for (size_t i = 0; i < comparing->wholes; i++) {
        const bool again = i > 0 && list[i].place.first == list[i - 1].place.first &&
                           list[i].cluster.main == list[i - 1].cluster.main;

        if (!again && compare(comparing, &list[i], err))
            return -1;
    }
    return 0;
}

static int compare_others(struct comparing *comparing, struct error *err)
{
    struct matcher *matcher = comparing->matcher;

    for (size_t i = comparing->wholes; i < comparing->count; i++) {
        const struct candidate *best;

        if (matcher->effort.done >= matcher->effort.most + matcher->effort.most / MORE_WORK) {
            matcher->cut = true;
            break;
        }
        if (!comparing->list[i].counted && is_found(comparing, i))
            continue;
        if (!is_one_of_many(comparing, i, &best)) {
            if (compare(comparing, &comparing->list[i], err))
                return -1;
        } else if (best) {
            comparing->matcher->found.list[best->finding - 1].also++;
        }
    }
    return 0;
}

static int compare_candidates(struct matcher *matcher, size_t set, struct error *err)
{
    struct comparing comparing = {.matcher = matcher, .set = set};

    comparing.list = matcher_search_candidates(matcher->searchers[set], &comparing.count);
    if (matcher_whole_mark(matcher->wholes, matcher->sets[set], matcher->searchers[set], &matcher->object,
                           err))
        return -1;
    if (comparing.count)
        qsort(comparing.list, comparing.count, sizeof *comparing.list, by_support);
    if (compare_wholes(&comparing, err))
        return -1;
    if (!matcher->options.all_references)
        count_near_copies(&comparing);
    return compare_others(&comparing, err);
}

/* Queries that lie one behind the other. */
struct query_range {
    size_t first, count;
};

/* Where to part them: at the widest gap of the middle half. */
static size_t widest_gap(const struct matcher *matcher, const struct query_range *range)
{
    const struct query *queries = matcher->queries + range->first;
    size_t widest = range->count / 2;

    for (size_t i = range->count / 4; i < range->count - range->count / 4; i++)
        if (queries[i].pos - queries[i - 1].pos > queries[widest].pos - queries[widest - 1].pos)
            widest = i;
    return widest;
}

static int search_range(struct matcher *matcher, size_t set, const struct query_range *range,
                        struct error *err)
{
    const uint64_t bit = (uint64_t)1 << set;
    const struct search_object object = {.queries = matcher->queries + range->first,
                                         .query_count = range->count,
                                         .size = matcher->object.size,
                                         .c = matcher->object.probed_c,
                                         .most_ln_e = matcher->options.most_ln_e,
                                         .all = matcher->options.all_references,
                                         .may_part = range->count >= LEAST_PARTED,
                                         .effort = &matcher->effort};

    matcher->object.queries = object.queries;
    return matcher_search_run(matcher->searchers[set], &object, bit,
                              matcher->known & bit ? 0 : matcher->known, err);
}

/* What is too much for one search is searched in two parts. */
static int match_range(struct matcher *matcher, size_t set, struct query_range range, struct error *err)
{
    const struct searcher *searcher = matcher->searchers[set];

    if (effort_is_spent(&matcher->effort)) {
        matcher->cut = true;
        return 0;
    }
    if (search_range(matcher, set, &range, err))
        return -1;
    if (matcher_search_was_cut(searcher) && range.count >= LEAST_PARTED &&
        !effort_is_spent(&matcher->effort)) {
        const size_t half = widest_gap(matcher, &range);

        return match_range(matcher, set, (struct query_range){range.first, half}, err) ||
                       match_range(matcher, set, (struct query_range){range.first + half, range.count - half},
                                   err)
                   ? -1
                   : 0;
    }
    matcher->cut = matcher->cut || matcher_search_was_cut(searcher);
    if (matcher_search_common(searcher) > matcher->common)
        matcher->common = matcher_search_common(searcher);
    return compare_candidates(matcher, set, err);
}

/* Matches the first count queries with these sets. */
static int match_queries(struct matcher *matcher, uint64_t sets, size_t count, struct error *err)
{
    matcher->object.samples = matcher->samples;
    matcher->object.count = matcher->sample_count;
    matcher->object.turn++;
    for (size_t set = 0; set < matcher->set_count && count > 0; set++)
        if ((sets >> set & 1) && match_range(matcher, set, (struct query_range){0, count}, err))
            return -1;
    return 0;
}

/* ---- collecting ---- */

/* Where to cut the queries that are too many: at the last place where nothing was found for a while. */
static size_t quiet_place(const struct matcher *matcher)
{
    const uint64_t quiet = (uint64_t)SEARCH_STRETCH * matcher->object.probed_c;

    for (size_t i = matcher->query_count - 1; i > matcher->query_count / 2; i--)
        if (matcher->queries[i].pos - matcher->queries[i - 1].pos > quiet)
            return i;
    return matcher->query_count;
}

static int flush(struct matcher *matcher, struct error *err)
{
    const size_t count = quiet_place(matcher);

    if (match_queries(matcher, UINT64_MAX, count, err))
        return -1;
    memmove(matcher->queries, matcher->queries + count,
            (matcher->query_count - count) * sizeof *matcher->queries);
    matcher->query_count -= count;
    return 0;
}

static struct query *add_query(struct matcher *matcher, struct error *err)
{
    if (matcher->query_count == matcher->query_room) {
        const size_t room = matcher->query_room ? 2 * matcher->query_room : 1024;
        struct query *queries = realloc(matcher->queries, room * sizeof *queries);

        if (!queries) {
            error_set(err, "out of memory for %zu samples", room);
            return NULL;
        }
        matcher->queries = queries;
        matcher->query_room = room;
    }
    return &matcher->queries[matcher->query_count++];
}

static int add_queries(struct matcher *matcher, const struct sample *samples, size_t count,
                       const uint64_t *sets, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct query *query;

        if (!sets[i])
            continue;
        query = add_query(matcher, err);
        if (!query)
            return -1;
        *query = (struct query){samples[i].pos, samples[i].fp, sets[i]};
    }
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
        const size_t found = refset_search_probe(matcher->sets[set], keys, count, passed);

        for (size_t i = 0; i < found; i++)
            sets[passed[i]] |= (uint64_t)1 << set;
        any += found;
    }
    return any ? add_queries(matcher, samples, count, sets, err) : 0;
}

static void keep_samples(struct matcher *matcher, const struct sample *samples, size_t count)
{
    const uint64_t limit = UINT64_MAX / matcher->object.c;

    if (matcher->object.c == matcher->object.probed_c) {
        memcpy(matcher->samples + matcher->sample_count, samples, count * sizeof *samples);
        matcher->sample_count += count;
    } else {
        for (size_t i = 0; i < count; i++)
            if (samples[i].fp <= limit)
                matcher->samples[matcher->sample_count++] = samples[i];
    }
    while (matcher->sample_count > MOST_SAMPLES && matcher->object.c < SAMPLER_MAX_C) {
        matcher->object.c *= 2;
        matcher->sample_count = sampler_thin(matcher->samples, matcher->sample_count, matcher->object.c);
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
    const uint64_t size = matcher->object.size;
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
    finding->resemblance = finding->containment = 1;
    finding->has_edits = true;
    finding->ln_e = -INFINITY;
    finding->proof = PROOF_SHA1;
    return 0;
}

/* The sets that are still to be searched for kin; -1 in *failed. */
static uint64_t look_up_digests(struct matcher *matcher, const struct digest_values *digests, int *failed,
                                struct error *err)
{
    uint64_t sets = 0;
    bool known = false;

    *failed = 0;
    for (size_t set = 0; set < matcher->set_count && !*failed; set++) {
        uint64_t file = 0;

        *failed = refset_search_digests(matcher->sets[set], digests, 0, &file, err);
        if (*failed)
            break;
        if (!file || matcher->options.all_references)
            sets |= (uint64_t)1 << set;
        if (file) {
            known = known || (matcher->known >> set & 1);
            *failed = add_identical(matcher, set, file, err);
        }
    }
    return known && !matcher->options.all_references ? 0 : sets;
}

static double proved_share(const struct finding *finding)
{
    switch (finding->proof) {
    case PROOF_SHA1:
        return 1;
    case PROOF_BLOCKS:
        return (double)finding->proved / (double)finding->blocks;
    default:
        return 0;
    }
}

/* Near-copies may have all samples in common: then only the proof tells which of them it is. */
static double worth(const struct finding *finding)
{
    const uint64_t matched = finding->matched < finding->ref_size ? finding->matched : finding->ref_size;

    return (double)matched * (1 + fmax(finding->resemblance, finding->containment) + proved_share(finding));
}

static int by_worth(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    if (x->set != y->set)
        return x->set < y->set ? -1 : 1;
    if ((x->verdict == VERDICT_IDENTICAL) != (y->verdict == VERDICT_IDENTICAL))
        return x->verdict == VERDICT_IDENTICAL ? -1 : 1;
    if (worth(x) != worth(y))
        return worth(x) > worth(y) ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->span.obj_start < y->span.obj_start ? -1 : x->span.obj_start > y->span.obj_start;
}

/* What is proved from first to last byte explains what is not, not the other way round. */
static int by_certainty(const void *a, const void *b)
{
    const bool x = finding_is_complete(a), y = finding_is_complete(b);

    return x != y ? (x ? -1 : 1) : by_worth(a, b);
}

/* Bytes of x that lie in ranges of y. */
static uint64_t overlap(const struct finding *x, const struct finding *y)
{
    uint64_t sum = 0;

    for (size_t i = 0, k = 0; i < x->range_count && k < y->range_count;) {
        const struct finding_range *a = &x->ranges[i], *b = &y->ranges[k];
        const uint64_t start = a->obj_start > b->obj_start ? a->obj_start : b->obj_start;
        const uint64_t end = a->obj_end < b->obj_end ? a->obj_end : b->obj_end;

        if (end > start)
            sum += end - start;
        if (a->obj_end < b->obj_end)
            i++;
        else
            k++;
    }
    return sum;
}

/*
 * Whether a better one of the same set explains it.  All of a reference in a much larger one's place is worth
 * telling all the same: these two are no near-copies.
 */
static bool is_explained(const struct finding *finding, const struct finding *better)
{
    if (better->set != finding->set || overlap(finding, better) * 100 < finding->matched * COVERED_SHARE)
        return false;
    return better->verdict == VERDICT_IDENTICAL || finding->verdict == VERDICT_FRAGMENT ||
           finding->matched * MUCH_LARGER > better->matched;
}

/* Whether the better one says that all of the object is this reference. */
static bool is_said(const struct finding *finding, const struct finding *better)
{
    return better->verdict == VERDICT_IDENTICAL && better->set == finding->set &&
           better->file == finding->file;
}

/* Drops what is said already, and what better ones explain, which is counted there. */
static size_t drop_explained(struct finding *list, size_t count, const struct matcher_options *options)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        bool drop = list[i].matched < options->least_matched && list[i].verdict != VERDICT_IDENTICAL;

        for (size_t k = 0; k < kept && !drop; k++) {
            drop = is_said(&list[i], &list[k]);
            if (!drop && !options->all_references && is_explained(&list[i], &list[k])) {
                list[k].also += 1 + list[i].also;
                drop = true;
            }
        }
        if (drop)
            free(list[i].ranges);
        else
            list[kept++] = list[i];
    }
    return kept;
}

static enum verdict without_finding(const struct matcher *matcher)
{
    if (matcher->object.size < LEAST_SIZE)
        return VERDICT_TOO_SMALL;
    switch (compare_without_match(matcher->sample_count, matcher->object.size, matcher->object.c)) {
    case COMPARE_TOO_SMALL:
        return VERDICT_TOO_SMALL;
    case COMPARE_LOW_ENTROPY:
        return VERDICT_LOW_ENTROPY;
    default:
        return VERDICT_NONE;
    }
}

int matcher_end(struct matcher *matcher, const struct digest_values *digests, uint32_t coincidence,
                struct findings *findings, enum verdict *verdict, struct error *err)
{
    struct findings *found = &matcher->found;
    const struct findings swap = *findings;
    uint64_t sets;
    int failed;

    matcher->object.coincidence = coincidence;
    if (matcher->object.size == 0) { /* it is the same as any other empty file, which says nothing */
        finding_list_reset(findings);
        *verdict = VERDICT_TOO_SMALL;
        return 0;
    }
    sets = look_up_digests(matcher, digests, &failed, err);
    if (failed || match_queries(matcher, sets, matcher->query_count, err))
        return -1;
    if (found->count) {
        qsort(found->list, found->count, sizeof *found->list, by_certainty);
        found->count = drop_explained(found->list, found->count, &matcher->options);
        qsort(found->list, found->count, sizeof *found->list, by_worth);
    }
    *verdict = found->count ? found->list[0].verdict : without_finding(matcher);
    found->lacks = matcher->cut ? FINDINGS_CUT : 0;
    if (*verdict == VERDICT_NONE && matcher->common >= COMMON_LEAST)
        found->lacks |= FINDINGS_COMMON;
    *findings = *found;
    *found = swap;
    return 0;
}
