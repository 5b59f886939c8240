/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "content.h"
#include "matcher_inner.h"

enum {
    MOST_HASHED = 256 << 20, /* bytes, for one object and set, */
    MOST_TIMES = 8,          /* or so many times the object */
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

struct wholes *wholes_new(struct error *err)
{
    struct wholes *wholes = calloc(1, sizeof *wholes);

    if (!wholes)
        error_set(err, "out of memory");
    else if ((wholes->digest = digest_new(DIGEST_BIT(DIGEST_SHA1), err)))
        return wholes;
    wholes_free(wholes);
    return NULL;
}

void wholes_free(struct wholes *wholes)
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

/* Of the candidates that were only counted, the one that has this file's record. */
static int find_counted(struct refset_search *search, struct candidate *candidates, size_t count,
                        uint64_t file, struct candidate **found, struct error *err)
{
    struct refset_file row = {0};
    const int there = refset_search_file(search, file, &row, err);

    *found = NULL;
    for (size_t i = 0; there > 0 && row.has_record && i < count && !*found; i++)
        if (candidates[i].counted && candidates[i].place.first == row.first)
            *found = &candidates[i];
    refset_file_release(&row);
    return there < 0 ? -1 : 0;
}

/* It lies where the other one would. */
static int uncover(struct searcher *searcher, struct candidate *counted, const struct candidate *other,
                   struct error *err)
{
    bool missing;
    const struct refset_record *record =
        refset_cache_record(searcher_cache(searcher), counted->place.first, &missing, err);

    if (!record)
        return missing ? 0 : -1;
    counted->place = record->place;
    counted->cluster = other->cluster;
    counted->support = other->support;
    counted->counted = false;
    counted->whole = true;
    return 0;
}

/* What lies there to the bit is the candidate itself, one that was only counted, or another one. */
static int mark(struct wholes *wholes, struct refset_search *search, struct searcher *searcher,
                struct candidate *candidate, struct error *err)
{
    struct candidate *list, *counted;
    size_t count;

    if (wholes->last.file == candidate->place.file) {
        candidate->whole = true;
        return 0;
    }
    if (!wholes->last.file)
        return 0;
    list = searcher_candidates(searcher, &count);
    if (find_counted(search, list, count, wholes->last.file, &counted, err))
        return -1;
    return counted ? uncover(searcher, counted, candidate, err) : 0;
}

int wholes_mark(struct wholes *wholes, struct refset_search *search, struct searcher *searcher,
                const struct aligner_object *object, struct error *err)
{
    struct candidate *candidates;
    size_t count;

    if (!object->content)
        return 0;
    candidates = searcher_candidates(searcher, &count);
    if (count)
        qsort(candidates, count, sizeof *candidates, by_place); /* so that each place is hashed once */
    wholes->last = (struct whole_place){0};
    wholes->budget = object->size > MOST_HASHED / MOST_TIMES ? MOST_HASHED : MOST_TIMES * object->size;
    for (size_t i = 0; i < count; i++) {
        struct candidate *candidate = &candidates[i];

        if (candidate->counted || candidate->whole || !is_inside(object, candidate) ||
            !is_likely(object, candidate))
            continue;
        if (look_up(wholes, search, object, candidate, err) || mark(wholes, search, searcher, candidate, err))
            return -1;
    }
    return 0;
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
        refset_cache_record(searcher_cache(searcher), candidate->place.first, &missing, err);

    if (!record)
        return missing ? error_set(err, "a record is not there any more") : -1;
    finding->proved = finding->blocks = record->blocks.len / DIGEST_SHA1_LEN;
    finding->proof = finding->blocks ? PROOF_BLOCKS : PROOF_SHA1;
    return 0;
}

int wholes_tell(const struct aligner_object *object, struct searcher *searcher,
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
