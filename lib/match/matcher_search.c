/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "match/matcher_kin.h"
#include "set/known.h"

enum {
    MOST_CANDIDATES = 1 << 14,
    MOST_CLUSTERS = 1 << 12, /* of one reference, */
    LEAST_CLUSTERS = 16,
    CLUSTER_WORK = 1 << 20, /* but not so many that they take for ever: each goes through all hits */
    ROUNDS = 4,
    TARGETS_A_SAMPLE = 32, /* queries that are looked for on a diagonal while a sample is compared, */
    HITS_A_SAMPLE = 16,    /* and hits that are counted for a cluster */
    LEAST_RARE = 2,        /* matches, that a candidate is worth telling a part of */
    FEW_REFERENCES = 100,
    MOST_LEAST = 16,
    LEAST_COPY = 6,   /* hits of a copy */
    MOST_COPIES = 64, /* of a part of a reference, that a cluster is compared with */
};

static const double first_look = 1;   /* E of the few samples that were looked up, */
static const double best_look = 1e-3; /* and if all of them should line up */
static const size_t looked_up[ROUNDS] = {8, 32, 128, SIZE_MAX}; /* in each round, of each stretch */

enum {
    CLOSE_SUPPORT = 3,  /* so many */
    CLOSE_SAMPLES = 16, /* among as many samples as that are close to each other; */
    MUCH_SUPPORT = 6,   /* and so many need not be */
};

struct stretch {
    uint64_t start, end; /* half open */
};

/* A query of the set. */
struct target {
    uint64_t pos, place; /* place: as in a list of places, if the reference lay at the object's beginning */
};

/* A match in the cluster that is being looked at. */
struct spot {
    uint64_t object; /* where the query lies */
    int64_t diagonal;
    uint32_t query;
};

struct searcher {
    struct lookup lookup;
    struct refset_cache *cache;
    struct candidate *candidates;
    size_t candidate_count;
    struct cluster *clusters; /* of one reference */
    bool cut;                 /* there are more than that */
    struct stretch *covered;  /* where something was found */
    struct kin_list kin;
    struct chance_hit *hits; /* the matches of one reference */
    int64_t *diagonals;      /* theirs, in the order of the matches */
    struct spot *line;       /* those of one cluster */
    size_t hit_room;
    struct target *targets; /* the queries of the set */
    uint32_t *numbers;      /* of each query of the object, the first one with its fingerprint, */
    uint32_t *seen;         /* and in which turn that one was counted last */
    size_t number_room;
    uint32_t turn;
    bool numbered; /* the queries of this object are */
};

struct searcher *matcher_search_new(struct refset_search *search, size_t cache, struct error *err)
{
    struct searcher *s = calloc(1, sizeof *s);

    if (s) {
        s->candidates = malloc(MOST_CANDIDATES * sizeof *s->candidates);
        s->covered = malloc(MOST_CANDIDATES * sizeof *s->covered);
        s->clusters = malloc(MOST_CLUSTERS * sizeof *s->clusters);
    }
    if (!s || !s->candidates || !s->covered || !s->clusters) {
        error_set(err, "out of memory");
        matcher_search_free(s);
        return NULL;
    }
    s->cache = matcher_lookup_open(&s->lookup, search, err) ? NULL : refset_cache_new(search, cache, err);
    if (s->cache)
        return s;
    matcher_search_free(s);
    return NULL;
}

void matcher_search_free(struct searcher *s)
{
    if (!s)
        return;
    refset_cache_free(s->cache);
    matcher_lookup_release(&s->lookup);
    free(s->candidates);
    free(s->covered);
    free(s->clusters);
    free(s->hits);
    free(s->diagonals);
    free(s->line);
    free(s->targets);
    free(s->numbers);
    free(s->seen);
    matcher_kin_release(&s->kin);
    free(s);
}

/* ---- candidates ---- */

/* Of a candidate's matches those that would be noise to others. */
static size_t count_rare(const struct searcher *s, const struct candidate *candidate)
{
    size_t count = 0;

    for (size_t i = 0; i < candidate->count; i++)
        count += s->lookup.matches[candidate->first + i].kind == MATCH_RARE;
    return count;
}

/* The matches with other references tell how many there would be by chance with this one; a few references
 * tell little. */
static struct chance_pair pair_of(const struct searcher *s, const struct candidate *candidate)
{
    const struct refset_counts *counts = &refset_search_info(s->lookup.search)->counts;
    const double mean = (double)counts->samples / (double)counts->records;
    const double noise =
        (double)(s->lookup.noise - count_rare(s, candidate)) / fmax((double)counts->records, FEW_REFERENCES);

    return (struct chance_pair){
        .object_len = s->lookup.object.size,
        .reference_len = candidate->place.len,
        .references = (double)counts->records,
        .noise = noise * fmin(1, (double)candidate->place.count / fmax(1, mean)),
        .most_ln_e = fmax(s->lookup.object.most_ln_e, log(first_look)), /* more will be seen of it */
    };
}

/* The candidate's matches that lie in its cluster: in the order of the reference, so nearly in that of the
 * object. */
static size_t take_cluster(struct searcher *s, struct candidate *candidate)
{
    const struct cluster *cluster = &candidate->cluster;
    const struct match *matches = s->lookup.matches + candidate->first;
    size_t count = 0, rare = 0;

    for (size_t i = 0; i < candidate->count; i++) {
        if (s->diagonals[i] < cluster->low || s->diagonals[i] > cluster->high)
            continue;
        s->line[count++] =
            (struct spot){s->lookup.object.queries[matches[i].query].pos, s->diagonals[i], matches[i].query};
        rare += matches[i].kind != MATCH_ADMITTED;
    }
    candidate->common = rare < LEAST_RARE;
    return count;
}

/* The first query of the set that is not before pos. */
static size_t first_query(const struct searcher *s, int64_t pos)
{
    size_t low = 0, high = s->lookup.count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if ((int64_t)s->targets[middle].pos < pos)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What a candidate has besides the matches of its cluster. */
struct support {
    size_t count; /* matches, and queries that lie on their diagonals at samples with the same character */
    size_t different; /* of them, as far as they are not more than the queries */
    size_t matches;   /* those are in s->line */
    size_t explained; /* these queries: their numbers are in s->lookup.asked */
    uint64_t close;   /* bytes that are close; */
    bool is_close;    /* whether some of all these lie so close to each other */
    uint64_t last[CLOSE_SUPPORT - 1];
};

static void support_at(struct searcher *s, struct support *support, uint64_t pos, uint32_t query)
{
    const uint64_t first = support->last[support->count % (CLOSE_SUPPORT - 1)];
    uint32_t *seen = &s->seen[s->numbers[query]];

    if (support->count >= CLOSE_SUPPORT - 1 && pos - first <= support->close)
        support->is_close = true;
    support->last[support->count % (CLOSE_SUPPORT - 1)] = pos;
    support->different += support->count < s->lookup.room && *seen != s->turn;
    *seen = s->turn;
    support->count++;
}

static int make_numbers(struct searcher *s, size_t count, struct error *err)
{
    if (count <= s->number_room)
        return 0;
    free(s->targets);
    free(s->numbers);
    free(s->seen);
    s->targets = malloc(2 * count * sizeof *s->targets);
    s->numbers = malloc(2 * count * sizeof *s->numbers);
    s->seen = calloc(2 * count, sizeof *s->seen);
    s->number_room = s->targets && s->numbers && s->seen ? 2 * count : 0;
    s->turn = 0;
    return s->number_room ? 0 : error_set(err, "out of memory for %zu samples", count);
}

/* Finds the queries with equal fingerprints, once for an object that has candidates. */
static int number_queries(struct searcher *s, struct error *err)
{
    const struct query *queries = s->lookup.object.queries;
    const size_t count = s->lookup.object.query_count;
    size_t slots = 16;
    uint32_t *table;

    if (s->numbered)
        return 0;
    while (slots < 2 * count)
        slots *= 2;
    table = calloc(slots, sizeof *table);
    if (!table || make_numbers(s, count, err)) {
        free(table);
        return error_set(err, "out of memory for %zu samples", count);
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = queries[i].fp * 0x9e3779b97f4a7c15 >> 32 & (slots - 1);

        while (table[at] && queries[table[at] - 1].fp != queries[i].fp)
            at = (at + 1) & (slots - 1);
        if (!table[at])
            table[at] = (uint32_t)i + 1;
        s->numbers[i] = table[at] - 1;
    }
    free(table);
    for (size_t i = 0; i < s->lookup.count; i++) {
        const struct query *query = &queries[s->lookup.queries[i]];

        s->targets[i] =
            (struct target){query->pos, query->pos << PLACES_CHARACTER_BITS | query->fp % KNOWN_SYMBOLS};
    }
    s->numbered = true;
    return 0;
}

/* The turns of counting what is different; after many of them old marks would look new. */
static void next_turn(struct searcher *s)
{
    if (++s->turn)
        return;
    memset(s->seen, 0, s->number_room * sizeof *s->seen);
    s->turn = 1;
}

/*
 * Queries number i to end that lie behind the match before next, up to it: whether the reference has them on
 * the diagonal of the one or the other, which is the same mostly.  Returns where they end.
 */
static size_t support_between(struct searcher *s, struct support *support, const struct places *places,
                              size_t next, size_t i, size_t end)
{
    const struct spot *before = &s->line[next ? next - 1 : 0],
                      *behind = next < support->matches ? &s->line[next] : before;
    const uint64_t limit = next < support->matches ? behind->object : UINT64_MAX;
    const uint64_t shift_before = (uint64_t)before->diagonal << PLACES_CHARACTER_BITS,
                   shift_behind = (uint64_t)behind->diagonal << PLACES_CHARACTER_BITS;

    for (; i < end && s->targets[i].pos <= limit; i++) {
        const uint64_t place = s->targets[i].place;

        if (s->lookup.states[i] == QUERY_LOOKED_UP)
            continue;
        if (places_number(places, place - shift_before) == places->count &&
            (shift_before == shift_behind || places_number(places, place - shift_behind) == places->count))
            continue;
        support_at(s, support, s->targets[i].pos, s->lookup.queries[i]);
        s->lookup.asked[support->explained++] = (uint32_t)i;
    }
    return i;
}

static void gather_support(struct searcher *s, struct candidate *candidate,
                           const struct refset_record *record, struct support *support)
{
    const uint32_t object_c = s->lookup.object.c, c = record->place.c;
    const size_t end = first_query(s, candidate->cluster.high + (int64_t)record->place.len);
    size_t i = first_query(s, candidate->cluster.low), next = 0;

    next_turn(s);
    s->lookup.object.effort->done += (end > i ? end - i : 0) / TARGETS_A_SAMPLE;
    *support = (struct support){.matches = take_cluster(s, candidate),
                                .close = (uint64_t)CLOSE_SAMPLES * (object_c > c ? object_c : c)};
    while (i < end) {
        for (; next < support->matches && s->line[next].object < s->targets[i].pos; next++)
            support_at(s, support, s->line[next].object, s->line[next].query);
        i = support_between(s, support, &record->places, next, i, end);
    }
    for (; next < support->matches; next++)
        support_at(s, support, s->line[next].object, s->line[next].query);
}

/*
 * Takes a candidate that is believed: E is small enough, and its matches are so many or so close that there
 * may be a stretch which proves it (matcher_judge.c).  What it explains need not be looked up.
 */
static void consider(struct searcher *s, struct candidate *candidate, const struct refset_record *record,
                     const struct chance_pair *pair)
{
    struct support support;

    gather_support(s, candidate, record, &support);
    candidate->support = support.count;
    candidate->cluster.ln_e = chance_again(pair, &candidate->cluster, (double)support.different);
    if (candidate->cluster.ln_e > s->lookup.object.most_ln_e ||
        (!support.is_close && support.different < MUCH_SUPPORT))
        return;
    for (size_t i = 0; i < support.explained; i++)
        s->lookup.states[s->lookup.asked[i]] = QUERY_EXPLAINED;
    s->candidates[s->candidate_count++] = *candidate;
    for (size_t i = 0; i < support.matches; i++)
        matcher_kin_claim(&s->kin, s->line[i].query);
}

static int make_hits(struct searcher *s, size_t count, struct error *err)
{
    if (count <= s->hit_room)
        return 0;
    free(s->hits);
    free(s->diagonals);
    free(s->line);
    s->hit_room = 2 * count;
    s->hits = malloc(s->hit_room * sizeof *s->hits);
    s->diagonals = malloc(s->hit_room * sizeof *s->diagonals);
    s->line = malloc(s->hit_room * sizeof *s->line);
    if (s->hits && s->diagonals && s->line)
        return 0;
    s->hit_room = 0;
    return error_set(err, "out of memory for %zu matches", count);
}

static void take_hits(struct searcher *s, const struct candidate *candidate,
                      const struct refset_record *record)
{
    for (size_t i = 0; i < candidate->count; i++) {
        const struct match *match = &s->lookup.matches[candidate->first + i];
        const struct query *query = &s->lookup.object.queries[match->query];
        const uint64_t reference = places_position(places_at(&record->places, match->sample - record->place.first));

        s->hits[i] = (struct chance_hit){.object = query->pos, .reference = reference, .sample = query->fp};
        s->diagonals[i] = (int64_t)(query->pos - reference);
    }
}

/* How many clusters to look for among so many hits. */
static size_t room_for(size_t hits)
{
    const size_t room = CLUSTER_WORK / (hits + 1);

    return room < LEAST_CLUSTERS ? LEAST_CLUSTERS : room < MOST_CLUSTERS ? room : MOST_CLUSTERS;
}

/* Whether two clusters have about the same part of the reference. */
static bool are_copies(const struct cluster *a, const struct cluster *b)
{
    const int64_t a_start = (int64_t)a->start - a->main, a_end = (int64_t)a->end - a->main;
    const int64_t b_start = (int64_t)b->start - b->main, b_end = (int64_t)b->end - b->main;
    const int64_t start = a_start > b_start ? a_start : b_start, end = a_end < b_end ? a_end : b_end;
    const int64_t shorter = a_end - a_start < b_end - b_start ? a_end - a_start : b_end - b_start;

    /* content that repeats itself has fewer hits where it was not cut from */
    return 2 * (end - start) > shorter && a->hits >= LEAST_COPY && b->hits >= LEAST_COPY &&
           4 * a->hits > 3 * b->hits && 4 * b->hits > 3 * a->hits;
}

static bool is_copy(const struct searcher *s, size_t found, size_t cluster)
{
    for (size_t i = 0; i < found && i < MOST_COPIES; i++)
        if (i != cluster && are_copies(&s->clusters[i], &s->clusters[cluster]))
            return true;
    return false;
}

/* What is believed of one reference. */
static int judge(struct searcher *s, const struct kin *kin, struct error *err)
{
    struct candidate candidate = {.first = kin->first, .count = kin->count};
    struct chance_pair pair;
    const struct refset_record *record;
    size_t found, room;
    bool missing;

    record = refset_cache_record(s->cache, kin->record, &missing, err);
    if (!record)
        return missing ? 0 : -1;
    candidate.place = record->place;
    while (candidate.count && s->lookup.matches[candidate.first + candidate.count - 1].sample >=
                                  kin->record + record->place.count)
        candidate.count--; /* samples of a record that is not there any more */
    if (make_hits(s, candidate.count, err))
        return -1;
    pair = pair_of(s, &candidate);
    take_hits(s, &candidate, record);
    room = room_for(candidate.count);
    found = chance_clusters(&pair, s->hits, candidate.count, s->clusters, room);
    if (found && number_queries(s, err))
        return -1;
    s->lookup.object.effort->done += (found + 1) * candidate.count / HITS_A_SAMPLE;
    s->cut = s->cut || found == room || s->candidate_count + found > MOST_CANDIDATES;
    for (size_t i = 0; i < found && s->candidate_count < MOST_CANDIDATES; i++) {
        candidate.cluster = s->clusters[i];
        candidate.copy = is_copy(s, found, i);
        consider(s, &candidate, record, &pair);
    }
    return 0;
}

/* What was believed in an earlier round may not be in this one: then what it explained is open again. */
static void forget_explanations(struct searcher *s)
{
    s->candidate_count = 0;
    s->cut = false;
    for (size_t i = 0; i < s->lookup.count; i++)
        if (s->lookup.states[i] == QUERY_EXPLAINED)
            s->lookup.states[i] = s->lookup.files[i] ? QUERY_POSTPONED : QUERY_OPEN;
}

/* Whether it is of no use to go on: the object will be searched part by part, or it took too much. */
static bool is_over(const struct searcher *s)
{
    return (s->lookup.object.may_part && matcher_search_was_cut(s)) ||
           effort_is_spent(s->lookup.object.effort);
}

/* ---- the references that have matches ---- */

/* How many matches of a reference there must be at least. */
static size_t least_matches(const struct searcher *s)
{
    const struct chance_pair pair = pair_of(s, &(struct candidate){.count = 0});
    const double most = fmax(s->lookup.object.most_ln_e, log(best_look));
    size_t least = 1;

    while (least < MOST_LEAST && chance_best_ln_e(&pair, least) > most)
        least++;
    return least;
}

static void count_only(struct searcher *s, const struct kin *kin)
{
    struct candidate candidate = {.place = {.first = kin->record, .count = kin->samples},
                                  .cluster = {.start = UINT64_MAX},
                                  .first = kin->first,
                                  .count = kin->count,
                                  .counted = true};

    if (s->candidate_count == MOST_CANDIDATES)
        return;
    candidate.place.len = kin->samples * refset_search_info(s->lookup.search)->params.c;
    for (size_t i = 0; i < kin->count; i++) {
        const uint64_t pos = s->lookup.object.queries[s->lookup.matches[kin->first + i].query].pos;

        candidate.cluster.start = pos < candidate.cluster.start ? pos : candidate.cluster.start;
        candidate.cluster.end = pos > candidate.cluster.end ? pos : candidate.cluster.end;
    }
    s->candidates[s->candidate_count++] = candidate;
}

static int find_candidates(struct searcher *s, struct error *err)
{
    forget_explanations(s);
    if (matcher_kin_gather(&s->kin, &s->lookup, s->cache, least_matches(s), err))
        return -1;
    for (size_t i = 0; i < s->kin.count && !is_over(s); i++) {
        const struct kin *kin = &s->kin.list[i];

        if (!s->lookup.object.all && matcher_kin_is_one_of_many(&s->kin, &s->lookup, kin))
            count_only(s, kin);
        else if (judge(s, kin, err))
            return -1;
    }
    s->cut = s->cut || effort_is_spent(s->lookup.object.effort);
    return 0;
}

/* ---- what was found, and what more there may be ---- */

static int by_start(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return x->cluster.start < y->cluster.start ? -1 : x->cluster.start > y->cluster.start;
}

/* Where candidates lie, in order and apart from each other; their number. */
static size_t cover(struct searcher *s)
{
    size_t count = 0;

    if (s->candidate_count)
        qsort(s->candidates, s->candidate_count, sizeof *s->candidates, by_start);
    for (size_t i = 0; i < s->candidate_count; i++) {
        const struct cluster *cluster = &s->candidates[i].cluster;

        if (s->candidates[i].counted)
            continue;
        if (count == 0 || cluster->start > s->covered[count - 1].end)
            s->covered[count++] = (struct stretch){cluster->start, cluster->end + 1};
        else if (cluster->end >= s->covered[count - 1].end)
            s->covered[count - 1].end = cluster->end + 1;
    }
    return count;
}

static bool is_covered(const struct searcher *s, size_t count, uint64_t pos)
{
    size_t low = 0, high = count;

    while (low < high) { /* the first that ends behind it */
        const size_t middle = low + (high - low) / 2;

        if (s->covered[middle].end <= pos)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && s->covered[low].start <= pos;
}

/*
 * Matches where something was found are explained by it, or by near-copies of it: they are no noise to what
 * lies elsewhere.  The number of those.
 */
static size_t explain_matches(struct searcher *s, size_t covered)
{
    size_t explained = 0;

    for (size_t i = 0; i < s->lookup.match_count; i++) {
        struct match *match = &s->lookup.matches[i];

        if (match->kind != MATCH_RARE || !is_covered(s, covered, s->lookup.object.queries[match->query].pos))
            continue;
        match->kind = MATCH_EXPLAINED;
        explained++;
    }
    return explained;
}

/* Queries that were postponed are explained only by what lies on their diagonal: there may be a better
 * reference, all of which is frequent. */
static size_t explain_postponed(const struct searcher *s)
{
    const struct lookup *lookup = &s->lookup;
    size_t explained = 0;

    for (size_t i = 0; i < lookup->count; i++)
        if (lookup->states[i] == QUERY_EXPLAINED && matcher_lookup_is_rare(lookup, lookup->files[i]))
            explained += lookup->files[i];
    return explained;
}

/* Whether the reference is a candidate about there, too. */
static bool is_again(const struct searcher *s, const struct candidate *candidate)
{
    for (size_t i = 0; i < s->candidate_count; i++) {
        const struct candidate *other = &s->candidates[i];

        if (other->place.first == candidate->place.first && !other->counted &&
            other->cluster.start <= candidate->cluster.end && candidate->cluster.start <= other->cluster.end)
            return true;
    }
    return false;
}

/* The first match of a sample, or of one behind it. */
static size_t first_match(const struct searcher *s, uint64_t sample)
{
    size_t low = 0, high = s->lookup.match_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (s->lookup.matches[middle].sample < sample)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What was believed stays so, with all matches that it has by now: it explains what was never looked up. */
static void add_believed(struct searcher *s, const struct candidate *believed, size_t count)
{
    for (size_t i = 0; i < count && s->candidate_count < MOST_CANDIDATES; i++) {
        struct candidate candidate = believed[i];

        if (candidate.counted || is_again(s, &candidate))
            continue;
        candidate.first = first_match(s, candidate.place.first);
        candidate.count = first_match(s, candidate.place.first + candidate.place.count) - candidate.first;
        s->candidates[s->candidate_count++] = candidate;
    }
}

static int find_again(struct searcher *s, struct error *err)
{
    const size_t count = s->candidate_count;
    struct candidate *believed = malloc((count + 1) * sizeof *believed);
    int result;

    if (!believed)
        return error_set(err, "out of memory for %zu references", count);
    if (count)
        memcpy(believed, s->candidates, count * sizeof *believed);
    result = find_candidates(s, err);
    if (!result)
        add_believed(s, believed, count);
    free(believed);
    return result;
}

/*
 * Elsewhere what was postponed counts, too, also what is so common that it is no evidence of a part: a set
 * may have a hundred versions of one file, and nothing of them may be rarer than that.
 */
static int look_elsewhere(struct searcher *s, struct error *err)
{
    const size_t covered = cover(s);
    const size_t explained = explain_matches(s, covered) + explain_postponed(s);
    int more;

    s->lookup.noise -= explained;
    more = matcher_lookup_postponed(&s->lookup, err);
    if (more < 0)
        return -1;
    return more || (explained && s->lookup.noise >= LEAST_RARE) ? find_again(s, err) : 0;
}

int matcher_search_run(struct searcher *s, const struct search_object *object, uint64_t set, uint64_t known,
                       struct error *err)
{
    int some = 0;

    s->candidate_count = 0;
    s->cut = s->numbered = false;
    if (matcher_lookup_begin(&s->lookup, object, set, known, err))
        return -1;
    for (int round = object->all ? ROUNDS - 1 : 0;
         !is_over(s) && (some = matcher_lookup_some(&s->lookup, looked_up[round], err)) > 0;
         round += round + 1 < ROUNDS)
        if (find_candidates(s, err))
            return -1;
    if (some < 0)
        return -1;
    if (is_over(s))
        return 0;
    return look_elsewhere(s, err);
}

struct candidate *matcher_search_candidates(struct searcher *s, size_t *count)
{
    *count = s->candidate_count;
    return s->candidates;
}

bool matcher_search_was_cut(const struct searcher *s)
{
    return s->cut || matcher_lookup_is_full(&s->lookup);
}

size_t matcher_search_common(const struct searcher *s)
{
    return s->lookup.common;
}

const struct match *matcher_search_matches(const struct searcher *s)
{
    return s->lookup.matches;
}

struct refset_cache *matcher_search_cache(struct searcher *s)
{
    return s->cache;
}
