/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "disk/content.h"
#include "match/matcher_inner.h"

enum {
    MOST_HASHED = 256 << 20, /* bytes, for one object and set, */
    MOST_TIMES = 32,         /* or so many times the object */
    MOST_VOTES = 256,        /* matches that tell where a candidate lies */
};

static const double likely = 0.5; /* of a reference's samples: some may be too common to be found by */

/* Bytes of the object, and the file that has the same. */
struct whole_place {
    uint64_t start, len;
    uint64_t file; /* 0: none */
};

struct wholes {
    struct digest *digest;
    struct whole_place last; /* that was hashed */
    uint64_t budget;         /* bytes that may be */
};

struct wholes *matcher_whole_new(struct error *err)
{
    struct wholes *wholes = calloc(1, sizeof *wholes);

    if (!wholes)
        error_set(err, "out of memory");
    else if ((wholes->digest = digest_new(DIGEST_BIT(DIGEST_SHA1), err)))
        return wholes;
    matcher_whole_free(wholes);
    return NULL;
}

void matcher_whole_free(struct wholes *wholes)
{
    if (!wholes)
        return;
    digest_free(wholes->digest);
    free(wholes);
}

/* Whether the object has about as many samples of it as it would have of all of it. */
static bool is_likely(const struct aligner_object *object, const struct candidate *candidate)
{
    const struct refset_place *place = &candidate->place;
    const double thinned = fmin(1, (double)place->c / object->probed_c);
    const double expected = (double)place->count * thinned;

    return (double)candidate->support >= likely * expected - 2 * sqrt(expected);
}

static bool is_inside(const struct aligner_object *object, const struct candidate *candidate)
{
    const int64_t start = candidate->cluster.main;

    return start >= 0 && candidate->place.len <= object->size &&
           (uint64_t)start <= object->size - candidate->place.len;
}

/* Finds the file that lies where the candidate would. */
static int look_up(struct wholes *wholes, struct refset_search *search, const struct aligner_object *object,
                   const struct candidate *candidate, struct error *err)
{
    const uint64_t start = (uint64_t)candidate->cluster.main, len = candidate->place.len;
    struct whole_place *last = &wholes->last;
    struct digest_values values;
    int hashed;

    if (last->start == start && last->len == len)
        return 0;
    *last = (struct whole_place){.start = start, .len = len};
    if (len > wholes->budget)
        return 0;
    wholes->budget -= len;
    hashed = content_digest(object->content, wholes->digest, start, len, &values, err);
    return hashed < 0 || (hashed && refset_search_digests(search, &values, 0, &last->file, err)) ? -1 : 0;
}

static int by_place(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->cluster.main != y->cluster.main)
        return x->cluster.main < y->cluster.main ? -1 : 1;
    if (x->place.len != y->place.len)
        return x->place.len < y->place.len ? -1 : 1;
    return x->place.file < y->place.file ? -1 : x->place.file > y->place.file;
}

/* The best E of a candidate about there: one that lies there to the bit has at least as many matches. */
static double best_ln_e(const struct candidate *list, size_t count, const struct candidate *candidate)
{
    double best = 0;

    for (size_t i = 0; i < count; i++)
        if (!list[i].counted && list[i].cluster.start <= candidate->cluster.end &&
            candidate->cluster.start <= list[i].cluster.end && list[i].cluster.ln_e < best)
            best = list[i].cluster.ln_e;
    return best;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The diagonal that most of its matches have. */
static int64_t main_diagonal(const struct aligner_object *object, const struct match *matches,
                             const struct candidate *candidate, const struct refset_record *record)
{
    int64_t diagonals[MOST_VOTES], best = -1;
    size_t count = 0, most = 0;

    for (size_t i = 0; i < candidate->count && count < MOST_VOTES; i++) {
        const struct match *match = &matches[candidate->first + i];
        const uint64_t number = match->sample - record->place.first;

        if (number < record->places.count)
            diagonals[count++] =
                (int64_t)(object->queries[match->query].pos - places_position(places_at(&record->places, number)));
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

/* Where a candidate would lie that was only counted: 1, 0 if its record is not there, -1. */
static int locate(struct searcher *searcher, const struct aligner_object *object, struct candidate *candidate,
                  struct error *err)
{
    bool missing;
    const struct refset_record *record =
        refset_cache_record(matcher_search_cache(searcher), candidate->place.first, &missing, err);

    if (!record)
        return missing ? 0 : -1;
    candidate->place = record->place;
    candidate->cluster.main = main_diagonal(object, matcher_search_matches(searcher), candidate, record);
    candidate->cluster.low = candidate->cluster.high = candidate->cluster.main;
    return 1;
}

static bool is_in_whole(const struct candidate *list, size_t count, const struct candidate *candidate)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].whole && (uint64_t)list[i].cluster.main <= candidate->cluster.start &&
            candidate->cluster.end <= (uint64_t)list[i].cluster.main + list[i].place.len)
            return true;
    return false;
}

static int hash_candidate(struct wholes *wholes, struct refset_search *search,
                          const struct aligner_object *object, struct candidate *candidate, struct error *err)
{
    if (look_up(wholes, search, object, candidate, err))
        return -1;
    candidate->whole = wholes->last.file && wholes->last.file == candidate->place.file;
    return 0;
}

/* One of those that were only counted may be the right one. */
static int mark_counted(struct wholes *wholes, struct refset_search *search, struct searcher *searcher,
                        const struct aligner_object *object, struct candidate *list, size_t count,
                        struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct candidate candidate = list[i];
        int located;

        if (!candidate.counted || is_in_whole(list, count, &candidate))
            continue;
        located = locate(searcher, object, &candidate, err);
        if (located < 0 || (located && is_inside(object, &candidate) &&
                            hash_candidate(wholes, search, object, &candidate, err)))
            return -1;
        if (!candidate.whole)
            continue;
        candidate.counted = false;
        candidate.support = candidate.count;
        candidate.cluster.ln_e = best_ln_e(list, count, &candidate);
        list[i] = candidate;
    }
    return 0;
}

int matcher_whole_mark(struct wholes *wholes, struct refset_search *search, struct searcher *searcher,
                       const struct aligner_object *object, struct error *err)
{
    struct candidate *candidates;
    size_t count;

    if (!object->content)
        return 0;
    candidates = matcher_search_candidates(searcher, &count);
    if (count)
        qsort(candidates, count, sizeof *candidates, by_place); /* so that each place is hashed once */
    wholes->last = (struct whole_place){0};
    wholes->budget = object->size > MOST_HASHED / MOST_TIMES ? MOST_HASHED : MOST_TIMES * object->size;
    for (size_t i = 0; i < count; i++) {
        struct candidate *candidate = &candidates[i];

        if (candidate->counted || !is_inside(object, candidate) || !is_likely(object, candidate))
            continue;
        if (hash_candidate(wholes, search, object, candidate, err))
            return -1;
    }
    return mark_counted(wholes, search, searcher, object, candidates, count, err);
}

/* ---- what there is to say ---- */

/* Of the samples of object and reference, those of the place where it lies. */
static double resemblance_of(const struct aligner_object *object, uint64_t start, uint64_t end)
{
    size_t inside = 0;

    for (size_t i = 0; i < object->count; i++)
        inside += object->samples[i].pos >= start && object->samples[i].pos < end;
    return object->count ? (double)inside / (double)object->count
                         : (double)(end - start) / (double)object->size;
}

/* All of its blocks are there, if the set has them. */
static int take_proof(struct searcher *searcher, const struct candidate *candidate, struct finding *finding,
                      struct error *err)
{
    bool missing;
    const struct refset_record *record =
        refset_cache_record(matcher_search_cache(searcher), candidate->place.first, &missing, err);

    if (!record)
        return missing ? error_set(err, "a record is not there any more") : -1;
    finding->proved = finding->blocks = record->blocks.len / DIGEST_SHA1_LEN;
    finding->proof = finding->blocks ? PROOF_BLOCKS : PROOF_SHA1;
    return 0;
}

int matcher_whole_tell(const struct aligner_object *object, struct searcher *searcher,
                       const struct candidate *candidate, struct finding *finding, struct error *err)
{
    const uint64_t start = (uint64_t)candidate->cluster.main, len = candidate->place.len;
    const uint64_t before = start, behind = object->size - start - len;

    if (finding_resize(finding, 1, err) || take_proof(searcher, candidate, finding, err))
        return -1;
    finding->ranges[0] = (struct finding_range){start, start + len, 0, len};
    finding_measure(finding);
    finding->ref_size = len;
    finding->containment = 1;
    finding->resemblance = resemblance_of(object, start, start + len);
    finding->ln_e = candidate->cluster.ln_e;
    finding->has_edits = true;
    finding->verdict = VERDICT_EMBEDDED;
    /* a file to which something was added at one end is a newer version rather than a container */
    if (!object->range && (before == 0 || behind == 0) && object->size / 2 <= len) {
        finding->verdict = VERDICT_VARIANT;
        finding->edits = finding->edits_low = finding->edits_high = (double)(object->size - len);
    }
    return 0;
}
