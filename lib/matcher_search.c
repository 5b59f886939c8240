/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "known.h"
#include "matcher_inner.h"

enum {
    BATCH = 1024,      /* queries that are looked up together */
    FEW_MATCHES = 200, /* that are sorted as usual */
    MOST_MATCHES = 1 << 20,
    MOST_CANDIDATES = 1 << 14,
    MOST_CLUSTERS = 1 << 12,  /* of one reference, */
    CLUSTER_WORK = 1 << 27,   /* and not so many that they take for ever: each goes through all hits */
    NEIGHBOURS = 256,         /* samples before and behind a query in which it must not stand alone */
    SMALL_OBJECT = 512,       /* samples: here one neighbour is enough, else two */
    STRETCH = SEARCH_STRETCH, /* samples of which so many are looked up in each round: */
    ROUNDS = 4,
    LEAST_COMMON = 64, /* files that may have a sample in any case, */
    LEAST_RARE = 2,    /* matches, that a candidate is worth telling a part of */
    FEW_REFERENCES = 100,
    COMMON_SHARE = 100, /* or one in so many */
};

static const double first_look = 1e-3; /* E of the few samples that were looked up */
static const size_t looked_up[ROUNDS] = {8, 32, 128, SIZE_MAX};

enum {
    CLOSE_SUPPORT = 3,  /* so many */
    CLOSE_SAMPLES = 16, /* among as many samples as that are close to each other; */
    MUCH_SUPPORT = 6,   /* and so many need not be */
};

enum query_state { QUERY_OPEN, QUERY_LOOKED_UP, QUERY_EXPLAINED, QUERY_DROPPED };

struct stretch {
    uint64_t start, end; /* half open */
};

struct searcher {
    struct refset_search *search;
    struct refset_cache *cache;
    struct search_object object;
    uint32_t *queries; /* those of the set, by pos */
    uint8_t *states;
    size_t count, room;
    uint64_t *keys; /* to be looked up, and which queries these are */
    uint32_t *asked;
    struct refset_hits hits;
    struct match *matches; /* by sample, then query */
    struct match *spare;   /* as much room, for sorting */
    size_t match_count, match_room;
    size_t noise; /* rare matches that nothing explains */
    struct candidate *candidates;
    size_t candidate_count;
    struct cluster *clusters; /* of one reference */
    bool cut;                 /* there are more than that */
    size_t unnamed;           /* queries that are in so many files that the set does not tell in which */
    struct stretch *covered;  /* where something was found */
    struct chance_hit *line;
    size_t line_room;
};

struct searcher *searcher_new(struct refset_search *search, size_t cache, struct error *err)
{
    struct searcher *s = calloc(1, sizeof *s);

    if (s) {
        s->candidates = malloc(MOST_CANDIDATES * sizeof *s->candidates);
        s->covered = malloc(MOST_CANDIDATES * sizeof *s->covered);
        s->clusters = malloc(MOST_CLUSTERS * sizeof *s->clusters);
    }
    if (!s || !s->candidates || !s->covered || !s->clusters) {
        error_set(err, "out of memory");
        searcher_free(s);
        return NULL;
    }
    s->search = search;
    s->cache = refset_cache_new(search, cache, err);
    if (s->cache)
        return s;
    searcher_free(s);
    return NULL;
}

void searcher_free(struct searcher *s)
{
    if (!s)
        return;
    refset_cache_free(s->cache);
    free(s->queries);
    free(s->states);
    free(s->keys);
    free(s->asked);
    refset_hits_release(&s->hits);
    free(s->matches);
    free(s->spare);
    free(s->candidates);
    free(s->covered);
    free(s->clusters);
    free(s->line);
    free(s);
}

/* ---- which queries to look up ---- */

static size_t least_neighbours(const struct search_object *object)
{
    return object->size / object->c < SMALL_OBJECT ? 1 : 2;
}

/* What chance lets through the filter stands alone mostly. */
static bool stands_alone(const struct searcher *s, size_t i)
{
    const uint64_t reach = (uint64_t)NEIGHBOURS * s->object.c, pos = s->object.queries[s->queries[i]].pos;
    const size_t needed = least_neighbours(&s->object);
    size_t near = 0;

    for (size_t k = 1; k <= needed && k <= i; k++)
        near += pos - s->object.queries[s->queries[i - k]].pos <= reach;
    for (size_t k = 1; k <= needed && i + k < s->count; k++)
        near += s->object.queries[s->queries[i + k]].pos - pos <= reach;
    return near < needed;
}

static int make_room(struct searcher *s, size_t count, struct error *err)
{
    if (count <= s->room)
        return 0;
    free(s->queries);
    free(s->states);
    free(s->keys);
    free(s->asked);
    s->room = 2 * count;
    s->queries = malloc(s->room * sizeof *s->queries);
    s->states = malloc(s->room);
    s->keys = malloc(s->room * sizeof *s->keys);
    s->asked = malloc(s->room * sizeof *s->asked);
    if (s->queries && s->states && s->keys && s->asked)
        return 0;
    s->room = 0;
    return error_set(err, "out of memory for %zu samples", count);
}

/* The set's queries among the first count; what a known set has is no evidence for another one. */
static int collect(struct searcher *s, uint64_t set, uint64_t known, struct error *err)
{
    const size_t count = s->object.query_count;

    if (make_room(s, count, err))
        return -1;
    s->count = 0;
    for (size_t i = 0; i < count; i++)
        if ((s->object.queries[i].sets & set) && !(s->object.queries[i].sets & known))
            s->queries[s->count++] = (uint32_t)i;
    for (size_t i = 0; i < s->count; i++)
        s->states[i] = stands_alone(s, i) ? QUERY_DROPPED : QUERY_OPEN;
    return 0;
}

/* The open queries of the stretch that begins with number i; *end: where it ends. */
static size_t open_in_stretch(const struct searcher *s, size_t i, size_t *end)
{
    const uint64_t len = (uint64_t)STRETCH * s->object.c;
    const uint64_t stretch = s->object.queries[s->queries[i]].pos / len;
    size_t open = 0;

    for (; i < s->count && s->object.queries[s->queries[i]].pos / len == stretch; i++)
        open += s->states[i] == QUERY_OPEN;
    *end = i;
    return open;
}

/* Chooses some of each stretch, evenly. */
static size_t choose(struct searcher *s, size_t most)
{
    size_t chosen = 0;

    for (size_t i = 0, end; i < s->count; i = end) {
        const size_t open = open_in_stretch(s, i, &end), step = open / most + (open % most > 0);

        for (size_t k = 0; i < end; i++)
            if (s->states[i] == QUERY_OPEN && k++ % step == 0) {
                s->keys[chosen] = known_key(s->object.queries[s->queries[i]].fp);
                s->asked[chosen++] = s->queries[i];
                s->states[i] = QUERY_LOOKED_UP;
            }
    }
    return chosen;
}

/* ---- looking them up ---- */

static int by_sample(const void *a, const void *b)
{
    const struct match *x = a, *y = b;

    if (x->sample != y->sample)
        return x->sample < y->sample ? -1 : 1;
    return x->query < y->query ? -1 : x->query > y->query;
}

/* One pass of a radix sort: by the byte of the query, or of the sample, that shift selects. */
static void sort_by_byte(struct searcher *s, bool of_query, unsigned shift)
{
    const struct match *from = s->matches;
    struct match *to = s->spare;
    size_t places[257] = {0};

    for (size_t i = 0; i < s->match_count; i++)
        places[((of_query ? from[i].query : from[i].sample) >> shift & 255) + 1]++;
    for (size_t i = 1; i < 256; i++)
        places[i] += places[i - 1];
    for (size_t i = 0; i < s->match_count; i++)
        to[places[(of_query ? from[i].query : from[i].sample) >> shift & 255]++] = from[i];
    s->spare = s->matches;
    s->matches = to;
}

/* By sample, then query.  They may be many, and both are small numbers mostly. */
static void sort_matches(struct searcher *s)
{
    uint64_t samples = 0, queries = 0;

    if (s->match_count < FEW_MATCHES) {
        if (s->match_count)
            qsort(s->matches, s->match_count, sizeof *s->matches, by_sample);
        return;
    }
    for (size_t i = 0; i < s->match_count; i++) {
        samples |= s->matches[i].sample;
        queries |= s->matches[i].query;
    }
    for (unsigned shift = 0; shift < 32 && queries >> shift; shift += 8)
        sort_by_byte(s, true, shift);
    for (unsigned shift = 0; shift < 64 && samples >> shift; shift += 8)
        sort_by_byte(s, false, shift);
}

static int make_match_room(struct searcher *s, size_t count, struct error *err)
{
    const size_t room = 2 * count;
    struct match *list;

    if (count <= s->match_room)
        return 0;
    free(s->spare);
    s->spare = malloc(room * sizeof *s->spare);
    list = s->spare ? realloc(s->matches, room * sizeof *list) : NULL;
    if (!list) {
        s->match_room = 0;
        return error_set(err, "out of memory for %zu matches", room);
    }
    s->matches = list;
    s->match_room = room;
    return 0;
}

/* A sample that so many files have is no evidence of one of them. */
static uint64_t most_files(const struct searcher *s)
{
    const uint64_t references = refset_search_info(s->search)->counts.records;

    return references / COMMON_SHARE > LEAST_COMMON ? references / COMMON_SHARE : LEAST_COMMON;
}

static int keep_matches(struct searcher *s, struct error *err)
{
    const uint64_t most = most_files(s);

    if (make_match_room(s, s->match_count + s->hits.count, err))
        return -1;
    for (size_t i = 0; i < s->hits.count; i++) {
        const struct refset_hit *hit = &s->hits.list[i];
        const enum match_kind kind = hit->files > most ? MATCH_COMMON : MATCH_RARE;

        if (hit->files == 0) {
            s->unnamed++;
            continue;
        }
        s->matches[s->match_count++] = (struct match){hit->sample, s->asked[hit->query], kind};
        s->noise += kind == MATCH_RARE;
    }
    return 0;
}

static int look_up(struct searcher *s, size_t count, struct error *err)
{
    for (size_t done = 0, piece; done < count && s->match_count < MOST_MATCHES; done += piece) {
        piece = count - done < BATCH ? count - done : BATCH;
        s->hits.count = 0;
        if (refset_search_features(s->search, s->keys + done, piece, &s->hits, err))
            return -1;
        for (size_t i = 0; i < s->hits.count; i++)
            s->hits.list[i].query += (uint32_t)done;
        if (keep_matches(s, err))
            return -1;
    }
    sort_matches(s);
    return 0;
}

/* ---- candidates ---- */

/* A candidate's matches that are evidence, and those that would be noise to others. */
struct own_matches {
    size_t evidence, noise;
};

static struct own_matches count_own(const struct searcher *s, const struct candidate *candidate)
{
    struct own_matches own = {0};

    for (size_t i = 0; i < candidate->count; i++) {
        const enum match_kind kind = s->matches[candidate->first + i].kind;

        own.evidence += kind != MATCH_COMMON;
        own.noise += kind == MATCH_RARE;
    }
    return own;
}

/* The matches with other references tell how many there would be by chance with this one; a few references
 * tell little. */
static struct chance_pair pair_of(const struct searcher *s, const struct refset_place *place,
                                  const struct own_matches *own)
{
    const struct refset_counts *counts = &refset_search_info(s->search)->counts;
    const double mean = (double)counts->samples / (double)counts->records;
    const double noise = (double)(s->noise - own->noise) / fmax((double)counts->records, FEW_REFERENCES);

    return (struct chance_pair){
        .object_len = s->object.size,
        .reference_len = place->len,
        .references = (double)counts->records,
        .noise = noise * fmin(1, (double)place->count / fmax(1, mean)),
        .most_ln_e = fmax(s->object.most_ln_e, log(first_look)), /* more will be seen of it */
    };
}

static struct chance_hit hit_of(const struct searcher *s, const struct match *match,
                                const struct refset_record *record)
{
    const struct query *query = &s->object.queries[match->query];

    return (struct chance_hit){.object = query->pos,
                               .reference = record->record.samples[match->sample - record->place.first].pos,
                               .sample = query->fp};
}

/* The candidate's matches that lie in its cluster: in the order of the reference, so nearly in that of the
 * object. */
static size_t take_cluster(struct searcher *s, struct candidate *candidate,
                           const struct refset_record *record)
{
    const struct cluster *cluster = &candidate->cluster;
    size_t count = 0, rare = 0;

    for (size_t i = 0; i < candidate->count; i++) {
        const struct match *match = &s->matches[candidate->first + i];
        const struct chance_hit hit = hit_of(s, match, record);
        const int64_t diagonal = (int64_t)(hit.object - hit.reference);

        if (diagonal < cluster->low || diagonal > cluster->high)
            continue;
        s->line[count++] = hit;
        rare += match->kind == MATCH_RARE || match->kind == MATCH_EXPLAINED;
    }
    candidate->common = rare < LEAST_RARE;
    return count;
}

/* Whether the reference has this query on the diagonal of the match before it, or of the one behind. */
static bool is_on_line(const struct searcher *s, const struct query *query, size_t next, size_t count,
                       const struct record *record, size_t *near)
{
    for (size_t side = next ? next - 1 : 0; side <= next && side < count; side++) {
        const uint64_t at = query->pos - s->line[side].object + s->line[side].reference;

        if (aligner_find(record, at, query->fp % KNOWN_SYMBOLS, near) < record->count)
            return true;
    }
    return false;
}

/* The first query of the set that is not before pos. */
static size_t first_query(const struct searcher *s, int64_t pos)
{
    size_t low = 0, high = s->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if ((int64_t)s->object.queries[s->queries[middle]].pos < pos)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What a candidate has besides the matches of its cluster. */
struct support {
    size_t count;     /* matches, and queries that lie on their diagonals at samples with the same character:
                         their     fingerprints are in s->keys, as many as there is room for */
    size_t explained; /* these queries: their numbers are in s->asked */
    uint64_t close;   /* bytes that are close; */
    bool is_close;    /* whether some of all these lie so close to each other */
    uint64_t last[CLOSE_SUPPORT - 1];
};

static void support_at(struct searcher *s, struct support *support, uint64_t pos, uint64_t fp)
{
    const uint64_t first = support->last[support->count % (CLOSE_SUPPORT - 1)];

    if (support->count >= CLOSE_SUPPORT - 1 && pos - first <= support->close)
        support->is_close = true;
    support->last[support->count % (CLOSE_SUPPORT - 1)] = pos;
    if (support->count < s->room)
        s->keys[support->count] = fp;
    support->count++;
}

static int by_fingerprint(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Of the support's samples, the different ones. */
static size_t count_different(const struct searcher *s, const struct support *support)
{
    const size_t count = support->count < s->room ? support->count : s->room;
    size_t different = 0;

    qsort(s->keys, count, sizeof *s->keys, by_fingerprint);
    for (size_t i = 0; i < count; i++)
        different += i == 0 || s->keys[i] != s->keys[i - 1];
    return different;
}

static void gather_support(struct searcher *s, struct candidate *candidate,
                           const struct refset_record *record, struct support *support)
{
    const int64_t from = candidate->cluster.low, to = candidate->cluster.high + (int64_t)record->place.len;
    const size_t count = take_cluster(s, candidate, record);
    size_t next = 0, near = 0;

    *support = (struct support){.close = (uint64_t)CLOSE_SAMPLES *
                                         (s->object.c > record->place.c ? s->object.c : record->place.c)};
    for (size_t i = first_query(s, from); i < s->count; i++) {
        const struct query *query = &s->object.queries[s->queries[i]];

        if ((int64_t)query->pos >= to)
            break;
        for (; next < count && s->line[next].object < query->pos; next++)
            support_at(s, support, s->line[next].object, s->line[next].sample);
        if (s->states[i] != QUERY_LOOKED_UP && is_on_line(s, query, next, count, &record->record, &near)) {
            support_at(s, support, query->pos, query->fp);
            s->asked[support->explained++] = (uint32_t)i;
        }
    }
    for (; next < count; next++)
        support_at(s, support, s->line[next].object, s->line[next].sample);
}

/*
 * Takes a candidate that is believed: E is small enough, and its matches are so many or so close that there
 * may be a stretch which proves it (matcher_judge.c).  What it explains need not be looked up.
 */
static void consider(struct searcher *s, struct candidate *candidate, const struct refset_record *record,
                     const struct chance_pair *pair)
{
    struct support support;
    size_t different;

    gather_support(s, candidate, record, &support);
    different = count_different(s, &support);
    candidate->support = support.count;
    candidate->cluster.ln_e = chance_again(pair, &candidate->cluster, (double)different);
    if (candidate->cluster.ln_e > s->object.most_ln_e || (!support.is_close && different < MUCH_SUPPORT))
        return;
    for (size_t i = 0; i < support.explained; i++)
        s->states[s->asked[i]] = QUERY_EXPLAINED;
    s->candidates[s->candidate_count++] = *candidate;
}

static int make_line(struct searcher *s, size_t count, struct error *err)
{
    if (count <= s->line_room)
        return 0;
    free(s->line);
    s->line_room = 2 * count;
    s->line = malloc(s->line_room * sizeof *s->line);
    if (s->line)
        return 0;
    s->line_room = 0;
    return error_set(err, "out of memory for %zu matches", count);
}

/* The matches that are evidence, as hits. */
static size_t line_up(struct searcher *s, const struct candidate *candidate,
                      const struct refset_record *record)
{
    size_t count = 0;

    for (size_t i = 0; i < candidate->count; i++)
        if (s->matches[candidate->first + i].kind != MATCH_COMMON)
            s->line[count++] = hit_of(s, &s->matches[candidate->first + i], record);
    return count;
}

/* What is believed of one reference, of which the matches are candidate.first and count. */
static int judge(struct searcher *s, struct candidate candidate, uint64_t first, struct error *err)
{
    struct own_matches own = count_own(s, &candidate);
    struct chance_pair pair = pair_of(s, &candidate.place, &own);
    const struct refset_record *record;
    size_t found, room, hits;
    bool missing;

    if (chance_best_ln_e(&pair, own.evidence) > pair.most_ln_e)
        return 0;
    record = refset_cache_record(s->cache, first, &missing, err);
    if (!record)
        return missing ? 0 : -1;
    candidate.place = record->place;
    while (candidate.count &&
           s->matches[candidate.first + candidate.count - 1].sample >= first + record->place.count)
        candidate.count--; /* samples of a record that is not there any more */
    if (make_line(s, candidate.count, err))
        return -1;
    own = count_own(s, &candidate);
    pair = pair_of(s, &candidate.place, &own);
    hits = line_up(s, &candidate, record);
    room = CLUSTER_WORK / (hits + 1) < MOST_CLUSTERS ? CLUSTER_WORK / (hits + 1) : MOST_CLUSTERS;
    found = chance_clusters(&pair, s->line, hits, s->clusters, room);
    s->cut = s->cut || found == room || s->candidate_count + found > MOST_CANDIDATES;
    for (size_t i = 0; i < found && s->candidate_count < MOST_CANDIDATES; i++) {
        candidate.cluster = s->clusters[i];
        consider(s, &candidate, record, &pair);
    }
    return 0;
}

/* What was believed in an earlier round may not be in this one: then what it explained is open again. */
static void forget_explanations(struct searcher *s)
{
    s->candidate_count = 0;
    s->cut = false;
    for (size_t i = 0; i < s->count; i++)
        if (s->states[i] == QUERY_EXPLAINED)
            s->states[i] = QUERY_OPEN;
}

static int find_candidates(struct searcher *s, struct error *err)
{
    forget_explanations(s);
    for (size_t i = 0, next; i < s->match_count; i = next) {
        uint64_t first = 0, end = s->matches[i].sample + 1;
        const int found = refset_cache_bounds(s->cache, s->matches[i].sample, &first, &end, err);

        if (found < 0)
            return -1;
        for (next = i + 1; next < s->match_count && s->matches[next].sample < end;)
            next++;
        if (found && judge(s, (struct candidate){.first = i, .count = next - i}, first, err))
            return -1;
    }
    return 0;
}

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
 * lies elsewhere.  Elsewhere what is common counts, too: a set may have a hundred versions of one file, and
 * nothing of them may be rarer than that.  (matcher.c takes it only for whole files.)  The number of matches
 * that could now make a difference.
 */
static size_t sort_out_matches(struct searcher *s)
{
    const size_t count = cover(s);
    size_t explained = 0, admitted = 0;

    for (size_t i = 0; i < s->match_count; i++) {
        struct match *match = &s->matches[i];

        if (match->kind != MATCH_RARE && match->kind != MATCH_COMMON)
            continue;
        if (is_covered(s, count, s->object.queries[match->query].pos)) {
            explained += match->kind == MATCH_RARE;
            match->kind = match->kind == MATCH_RARE ? MATCH_EXPLAINED : MATCH_COMMON;
        } else if (match->kind == MATCH_COMMON) {
            match->kind = MATCH_ADMITTED;
            admitted++;
        }
    }
    s->noise -= explained;
    return admitted + (explained && s->noise >= LEAST_RARE ? s->noise : 0);
}

int searcher_run(struct searcher *s, const struct search_object *object, uint64_t set, uint64_t known,
                 struct error *err)
{
    size_t chosen;

    s->object = *object;
    s->match_count = s->candidate_count = 0;
    s->noise = s->unnamed = 0;
    s->cut = false;
    if (collect(s, set, known, err))
        return -1;
    for (int round = object->all ? ROUNDS - 1 : 0; (chosen = choose(s, looked_up[round])) > 0;
         round += round + 1 < ROUNDS)
        if (look_up(s, chosen, err) || find_candidates(s, err))
            return -1;
    return sort_out_matches(s) ? find_candidates(s, err) : 0;
}

struct candidate *searcher_candidates(struct searcher *s, size_t *count)
{
    *count = s->candidate_count;
    return s->candidates;
}

bool searcher_was_cut(const struct searcher *s)
{
    return s->cut || s->match_count >= MOST_MATCHES;
}

size_t searcher_unnamed(const struct searcher *s)
{
    return s->unnamed;
}

const struct match *searcher_matches(const struct searcher *s)
{
    return s->matches;
}

struct refset_cache *searcher_cache(struct searcher *s)
{
    return s->cache;
}
