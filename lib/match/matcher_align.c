/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "match/matcher_inner.h"
#include "sample/blocks.h"

enum {
    WHOLE_SHARE = 4, /* an object of up to so many times the reference's length is compared as a whole */
    WHOLE_LEAST = 64 << 10, /* bytes more */
    VERSION_SHARE = 2,      /* up to so many times it may be a version, though parts of it are there twice */
    MARGIN_LEAST = 4 << 10, /* bytes before and behind where the reference should lie */
    MARGIN_MOST = 64 << 10,
    MARGIN_SHARE = 4, /* of the reference's length */
    RESAMPLED_MOST = 256 << 20,
    MOST_HINTS = 4096,
    BYTES_A_SAMPLE = 64, /* that are read and sampled again while a sample is compared */
    MOST_SHIFTS = 21,    /* for every C that is a power of two */
};

static const double provable = 0.8; /* of a small reference's samples, to hash all of it */

/* What decides which samples are in a window. */
struct window_key {
    const struct refset_search *search;
    uint64_t turn, start, end;
    uint32_t c; /* of the reference; 0: none */
};

struct aligner {
    struct comparer *comparer;
    struct prover *prover;
    struct namer *namer;
    struct sampler *samplers[MOST_SHIFTS]; /* by log2 of C, made when they are needed */
    struct record window, reference;
    struct window_key loaded; /* what the window holds */
    bool *alone;
    size_t alone_room;
    struct refset_file file;
    uint8_t *piece;
    struct finding_range hints[MOST_HINTS];
};

struct aligner *matcher_align_new(struct error *err)
{
    struct aligner *aligner = calloc(1, sizeof *aligner);

    if (!aligner || !(aligner->piece = malloc(ALIGNER_PIECE)))
        error_set(err, "out of memory");
    else if ((aligner->comparer = compare_new(err)) && (aligner->prover = proof_new(err)) &&
             (aligner->namer = matcher_name_new(err)))
        return aligner;
    matcher_align_free(aligner);
    return NULL;
}

void matcher_align_free(struct aligner *aligner)
{
    if (!aligner)
        return;
    compare_free(aligner->comparer);
    proof_free(aligner->prover);
    for (int i = 0; i < MOST_SHIFTS; i++)
        sampler_free(aligner->samplers[i]);
    record_release(&aligner->window);
    record_release(&aligner->reference);
    free(aligner->alone);
    matcher_name_free(aligner->namer);
    free(aligner->piece);
    refset_file_release(&aligner->file);
    free(aligner);
}

/* ---- the window ---- */

static void choose_window(struct aligning *a)
{
    const uint64_t size = a->object->size, len = a->place.len;
    const uint64_t margin_wanted = len / MARGIN_SHARE;
    const uint64_t margin = MARGIN_LEAST + (margin_wanted < MARGIN_MOST ? margin_wanted : MARGIN_MOST);
    const int64_t low = a->candidate->cluster.low - (int64_t)margin;
    const uint64_t high = (uint64_t)(a->candidate->cluster.high + (int64_t)(len + margin));

    a->whole = size <= WHOLE_LEAST || (size - WHOLE_LEAST) / WHOLE_SHARE <= len;
    if (a->candidate->copy && size / VERSION_SHARE > len)
        a->whole = false;
    a->start = a->whole || low < 0 ? 0 : (uint64_t)low;
    a->end = a->whole || high > size ? size : high;
    a->whole = a->start == 0 && a->end == size;
}

static size_t first_at(const struct sample *samples, size_t count, uint64_t pos)
{
    size_t low = 0;

    while (low < count) {
        const size_t middle = low + (count - low) / 2;

        if (samples[middle].pos < pos)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

static void set_window(struct aligning *a, uint32_t c)
{
    struct record *window = a->window;

    window->params = (struct sampler_params){.scheme = SAMPLER_GF8, .n = a->object->n, .c = c};
    window->len = a->end - a->start;
}

/* The object's own samples that lie in the window; thinned as those of the reference are. */
static int cut_window(struct aligning *a)
{
    const struct aligner_object *object = a->object;
    const size_t first = first_at(object->samples, object->count, a->start);
    const size_t last = first_at(object->samples, object->count, a->end);
    struct record *window = a->window;
    const uint32_t c = a->place.c > object->c ? a->place.c : object->c;
    const uint64_t limit = UINT64_MAX / c; /* as sampler_thin has it */
    size_t count = 0;

    if (record_resize(window, last - first, a->err))
        return -1;
    for (size_t i = first; i < last; i++) {
        window->samples[count] = (struct sample){object->samples[i].pos - a->start, object->samples[i].fp};
        count += object->samples[i].fp <= limit;
    }
    window->count = count;
    window->coincidence = object->coincidence;
    set_window(a, c);
    return 0;
}

static struct sampler *sampler_at(struct aligning *a, uint32_t c)
{
    struct sampler **sampler = &a->aligner->samplers[__builtin_ctz(c)];
    const struct sampler_params params = {.scheme = SAMPLER_GF8, .n = a->object->n, .c = c};

    if (!*sampler)
        *sampler = sampler_new(&params, a->err);
    return *sampler;
}

/* The reference is sampled more densely than the object was: so the window is read again.  0 if it cannot be.
 */
static int resample_window(struct aligning *a)
{
    struct record *window = a->window;
    struct sampler *sampler = sampler_at(a, a->place.c);
    struct sampler_result result;

    if (!sampler)
        return -1;
    sampler_begin(sampler, a->end - a->start);
    for (uint64_t at = a->start; at < a->end;) {
        const size_t len = a->end - at < ALIGNER_PIECE ? (size_t)(a->end - at) : ALIGNER_PIECE;

        if (a->object->content->read(a->object->content, at, a->aligner->piece, len))
            return 0;
        if (sampler_update(sampler, a->aligner->piece, len, a->err))
            return -1;
        at += len;
    }
    result = sampler_final(sampler);
    window->coincidence = result.coincidence;
    set_window(a, a->place.c);
    return record_set_samples(window, result.samples, result.count, a->err) ? -1 : 1;
}

static int load_window(struct aligning *a)
{
    const bool denser = a->place.c < a->object->c;

    if (denser && a->object->content && a->end - a->start <= RESAMPLED_MOST) {
        const int done = resample_window(a);

        if (done)
            return done < 0 ? -1 : 0;
    }
    return cut_window(a);
}

/* Candidates are compared with all of the object mostly: then the window is the one that is there. */
static int take_window(struct aligning *a)
{
    const struct window_key key = {a->search, a->object->turn, a->start, a->end, a->place.c};
    struct window_key *loaded = &a->aligner->loaded;

    a->same_window = loaded->search == key.search && loaded->turn == key.turn && loaded->start == key.start &&
                     loaded->end == key.end && loaded->c == key.c;
    if (a->same_window)
        return 0;
    loaded->c = 0;
    if (load_window(a))
        return -1;
    *loaded = key;
    a->object->effort->done += a->window->params.c < a->object->c ? (a->end - a->start) / BYTES_A_SAMPLE : 0;
    return 0;
}

/* ---- what comes out ---- */

/* The part of the object in which the reference lies, if all of it does. */
static void trim_window(struct aligning *a, const struct finding *finding)
{
    const struct finding_range *span = &finding->span;
    const uint64_t before = span->ref_start, behind = a->place.len - span->ref_end;

    a->start = span->obj_start > before ? span->obj_start - before : 0;
    a->end = a->object->size - span->obj_end > behind ? span->obj_end + behind : a->object->size;
}

/* Of the whole object, though only a window of it was compared. */
static double resemblance_of(const struct aligning *a, const struct comparison *comparison)
{
    const struct estimate *e = &comparison->estimate;
    const double shared = (double)e->shared;
    const double all = (double)a->object->count * a->object->c / comparison->c;
    const double of_reference = e->b_in_a > 0 ? shared / e->b_in_a : 0;

    if (a->whole || all + of_reference - shared <= 0)
        return e->resemblance;
    return fmin(1, shared / (all + of_reference - shared));
}

static void take_edits(struct finding *finding, double edits, double low, double high)
{
    finding->has_edits = true;
    finding->edits = edits;
    finding->edits_low = low;
    finding->edits_high = high;
}

static int relate(struct aligning *a, struct comparison *comparison)
{
    struct chain_hints hints = {.alone_b = a->alone};

    if (take_window(a) || matcher_name_run(a->aligner->namer, a))
        return -1;
    a->object->effort->done += a->window->count + a->reference->count;
    hints.diagonal = a->candidate->cluster.main - (int64_t)a->start;
    hints.same_a = a->same_window;
    return compare_relate(a->aligner->comparer, a->window, a->reference, &hints, comparison, a->err);
}

/* The distance of an embedded reference is that of the part of the object in which it lies. */
static int measure_edits(struct aligning *a, const struct comparison *whole, struct finding *finding)
{
    const struct estimate *e = &whole->estimate;
    struct comparison comparison;
    double least;

    if (finding->verdict == VERDICT_FRAGMENT)
        return 0;
    if (finding_is_complete(finding)) {
        const double more =
            finding->verdict == VERDICT_EMBEDDED ? 0 : (double)a->object->size - (double)a->place.len;

        take_edits(finding, more, more, more);
        return 0;
    }
    if (finding->verdict == VERDICT_EMBEDDED) {
        trim_window(a, finding);
        if (relate(a, &comparison))
            return -1;
        e = &comparison.estimate;
    }
    /* it is not identical, even if no sample shows it */
    least = finding->verdict == VERDICT_VARIANT ? 1 : 0;
    take_edits(finding, fmax(e->edits, least), fmax(e->edits_low, least), fmax(e->edits_high, least));
    return 0;
}

/* Stretches in which all samples match: there a block is equal to the bit, if any is. */
static size_t take_hints(const struct aligning *a, const struct estimate *estimate,
                         struct finding_range *hints)
{
    const size_t count = estimate->solid_count < MOST_HINTS ? estimate->solid_count : MOST_HINTS;

    for (size_t i = 0; i < count; i++) {
        const struct estimate_range *solid = &estimate->solid[i];

        hints[i] = (struct finding_range){a->start + solid->a_start, a->start + solid->a_end, solid->b_start,
                                          solid->b_end};
    }
    return count;
}

static int prove(const struct aligning *a, const struct buffer *blocks, const struct estimate *estimate,
                 struct finding *finding)
{
    struct finding_range *hints = a->aligner->hints;
    struct refset_file *file = &a->aligner->file;
    const struct proof_samples samples = {.reference = a->places,
                                          .object = a->object->samples,
                                          .object_count = a->object->count,
                                          .n = a->object->n,
                                          .reference_c = a->place.c,
                                          .object_c = a->object->c};
    struct proof_reference reference = {.len = a->place.len,
                                        .blocks = (const uint8_t *)blocks->data,
                                        .block_count = blocks->len / DIGEST_SHA1_LEN,
                                        .c = a->place.c,
                                        .hints = hints,
                                        .samples = &samples,
                                        .hint_count = take_hints(a, estimate, hints)};

    if (refset_search_file(a->search, a->place.file, file, a->err) < 0)
        return -1;
    if (finding->containment >= provable && (file->digests.kinds & DIGEST_BIT(DIGEST_SHA1)))
        reference.sha1 = file->digests.bytes[DIGEST_SHA1];
    if (reference.block_count)
        reference.block_size = blocks_size(a->place.len, refset_search_info(a->search)->params.block);
    return proof_run(a->aligner->prover, &reference, a->object->content, a->object->size, finding, a->err);
}

/* Whether a block may lie in a range. */
static bool may_prove(const struct aligning *a, const struct buffer *blocks, const struct finding *finding)
{
    const uint64_t block = blocks_size(a->place.len, refset_search_info(a->search)->params.block);

    for (size_t i = 0; i < finding->range_count && blocks->len; i++)
        if (finding->ranges[i].ref_end - finding->ranges[i].ref_start + 2 * a->place.c >= block)
            return true;
    return blocks->len == 0 && finding->containment >= provable;
}

/* Fills the finding; 0 if it is none. */
static int judge(struct aligning *a, const struct buffer *blocks, const struct comparison *comparison,
                 struct finding *finding)
{
    const struct estimate *e = &comparison->estimate;
    bool evidence;

    if (matcher_judge_ranges(a, e, finding))
        return -1;
    if (finding->range_count == 0)
        return 0;
    finding->ref_size = a->place.len;
    finding->resemblance = resemblance_of(a, comparison);
    finding->containment = e->b_in_a;
    evidence = matcher_judge_is_evidence(a, e, finding);
    if (!evidence && !may_prove(a, blocks, finding))
        return 0;
    finding->ln_e = a->candidate->cluster.ln_e;
    if (prove(a, blocks, e, finding))
        return -1;
    if (!evidence && finding->proof == PROOF_ESTIMATE)
        return 0;
    finding->verdict = matcher_judge_verdict(a, comparison, finding);
    return measure_edits(a, comparison, finding) ? -1 : 1;
}

static int align(struct aligning *a, const struct buffer *blocks, struct findings *findings)
{
    struct comparison comparison;
    struct finding *finding;
    int result;

    choose_window(a);
    if (relate(a, &comparison))
        return -1;
    if (comparison.verdict > COMPARE_FRAGMENT || comparison.estimate.range_count == 0)
        return 0;
    finding = finding_list_add(findings, a->err);
    if (!finding)
        return -1;
    result = judge(a, blocks, &comparison, finding);
    if (result == 0) {
        free(finding->ranges);
        findings->count--;
    }
    return result;
}

static int make_alone(struct aligner *aligner, size_t count, struct error *err)
{
    if (count > aligner->alone_room) {
        free(aligner->alone);
        aligner->alone = malloc(2 * count * sizeof *aligner->alone);
        aligner->alone_room = aligner->alone ? 2 * count : 0;
        if (!aligner->alone)
            return error_set(err, "out of memory for %zu samples", count);
    }
    if (count)
        memset(aligner->alone, 0, count * sizeof *aligner->alone);
    return 0;
}

/* The reference's samples, which are to be named. */
static int take_reference(struct aligner *aligner, const struct refset_record *record, uint32_t n,
                          struct error *err)
{
    struct record *reference = &aligner->reference;

    reference->params = (struct sampler_params){.scheme = SAMPLER_GF8, .n = n, .c = record->place.c};
    reference->len = record->place.len;
    reference->coincidence = record->coincidence;
    if (record_resize(reference, record->places.count, err) || make_alone(aligner, record->places.count, err))
        return -1;
    for (size_t i = 0; i < record->places.count; i++) {
        const uint64_t place = places_at(&record->places, i);

        reference->samples[i] = (struct sample){places_position(place), places_character(place)};
    }
    return 0;
}

int matcher_align_run(struct aligner *aligner, struct refset_search *search, struct searcher *searcher,
                      const struct aligner_object *object, const struct candidate *candidate,
                      struct findings *findings, struct error *err)
{
    struct aligning a = {.aligner = aligner,
                         .search = search,
                         .object = object,
                         .candidate = candidate,
                         .matches = matcher_search_matches(searcher),
                         .window = &aligner->window,
                         .reference = &aligner->reference,
                         .piece = aligner->piece,
                         .err = err};
    struct repeat *repeats = NULL;
    bool missing;
    const struct refset_record *record =
        refset_cache_record(matcher_search_cache(searcher), candidate->place.first, &missing, err);
    int result;

    if (!record)
        return missing ? 0 : -1;
    a.place = record->place;
    a.places = &record->places;
    result = take_reference(aligner, record, object->n, err);
    a.alone = aligner->alone;
    if (!result && repeats_unpack(record->repeats.data, record->repeats.len, record->places.count, &repeats,
                                  &a.repeat_count))
        result = error_set(err, "the repeats of a record in %s cannot be read", refset_search_path(search));
    a.repeats = repeats;
    if (!result)
        result = align(&a, &record->blocks, findings);
    free(repeats);
    return result;
}
