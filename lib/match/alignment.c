/* SPDX-License-Identifier: Apache-2.0 */
#include "match/alignment.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "match/naming.h"

enum {
    /* An object of up to this many times the reference's length, plus some bytes, is compared as a whole,
     * since it may be a version of the reference.  A share of 2 loses a finding in other files and gives a
     * planted file the wrong verdict; 8 gains no pair.  Halving or doubling the bytes changes 3 to 6 rows of
     * pairs; doubling also makes the pairs a fifth slower. */
    WHOLE_SHARE = 4,
    WHOLE_LEAST = 64 << 10,
    /* Up to this many times the length, the object may be a version even though it has parts of the reference
     * twice.  With 1 a variant of the pairs is lost; with 4 the test
     * a_part_that_occurs_three_times_is_found_three_times fails. */
    VERSION_SHARE = 2,
    /* Bytes before and after the place where the reference should lie: a share of its length, for insertions,
     * plus a minimum, bounded for time.  Halving or doubling any of them only changes ranges, and one or two
     * findings of the tar. */
    MARGIN_LEAST = 4 << 10,
    MARGIN_MOST = 64 << 10,
    MARGIN_SHARE = 4,
    /* A window ends after this many samples without one of the reference, ... */
    BARREN_SAMPLES = 16,
    /* ... at a multiple of this many bytes. */
    WINDOW_STEP = 1 << 10,
    /* Bounds time: larger windows are compared at the object's C. */
    RESAMPLED_MOST = 256 << 20,
    /* Bytes that are read and sampled again in the time it takes to compare one sample (30 ns: effort.h), at
     * 2 GB/s. */
    BYTES_A_SAMPLE = 64,
    MOST_SHIFTS = 21, /* one for every C that is a power of two: SAMPLER_MAX_C is 2 to the 20 */
    PIECE = 64 << 10, /* bytes read at once; half and twice as many take as long */
};

/* Determines which samples the window holds. */
struct window_key {
    const struct set *set;
    uint64_t turn, start, end;
    uint32_t c; /* of the reference; 0: nothing is loaded */
};

struct aligner {
    struct comparer *comparer;
    struct namer *namer;
    struct sampler *samplers[MOST_SHIFTS]; /* by log2 of C, made when needed */
    struct record window, reference;
    struct window_key loaded; /* what the window holds */
    bool *alone;              /* the reference's samples that match nothing */
    size_t alone_room;
    uint8_t *piece;
    /* of the latest alignment: */
    const struct seeds *seeds;
    const struct queries *queries;
};

struct aligner *alignment_new(struct error *err)
{
    struct aligner *aligner = memory_new(sizeof *aligner, err);

    if (aligner && (aligner->piece = memory_new(PIECE, err)) && (aligner->comparer = compare_new(err)) &&
        (aligner->namer = naming_new(err)))
        return aligner;
    alignment_free(aligner);
    return NULL;
}

void alignment_free(struct aligner *aligner)
{
    if (!aligner)
        return;
    compare_free(aligner->comparer);
    for (int i = 0; i < MOST_SHIFTS; i++)
        sampler_free(aligner->samplers[i]);
    record_release(&aligner->window);
    record_release(&aligner->reference);
    free(aligner->alone);
    naming_free(aligner->namer);
    free(aligner->piece);
    free(aligner);
}

/* ---- the window ---- */

/* Offsets in the object. */
struct stretch {
    uint64_t start, end;
};

/* The part of the window in which the chain, or any seed of the reference, lies. */
static struct stretch occupied(const struct aligner *aligner, const struct alignment *a)
{
    const struct seed_chain *chain = a->chain;
    struct stretch occupied = {chain->start, chain->end};

    for (size_t i = 0; i < chain->count; i++) {
        const uint64_t pos = aligner->queries->all[aligner->seeds->list[chain->first + i].query].pos;

        if (pos < a->start || pos >= a->end)
            continue;
        occupied.start = pos < occupied.start ? pos : occupied.start;
        occupied.end = pos > occupied.end ? pos : occupied.end;
    }
    return occupied;
}

/* Leaves out what has no sample of the reference: usually only a part of it is there.  Near-copies are then
 * compared with the same window. */
static void narrow_window(const struct aligner *aligner, struct alignment *a)
{
    const struct subject *subject = a->subject;
    const uint32_t c = a->record->place.c > subject->c ? a->record->place.c : subject->c;
    const struct stretch part = occupied(aligner, a);
    const uint64_t margin = (uint64_t)BARREN_SAMPLES * c, past = part.end + margin;
    const uint64_t start = part.start > margin ? (part.start - margin) / WINDOW_STEP * WINDOW_STEP : 0;
    const uint64_t end = (past + WINDOW_STEP - 1) / WINDOW_STEP * WINDOW_STEP;

    a->start = start > a->start ? start : a->start;
    a->end = end < a->end ? end : a->end;
}

static void choose_window(const struct aligner *aligner, struct alignment *a)
{
    const uint64_t size = a->subject->size, len = a->record->place.len;
    const uint64_t margin_wanted = len / MARGIN_SHARE;
    const uint64_t margin = MARGIN_LEAST + (margin_wanted < MARGIN_MOST ? margin_wanted : MARGIN_MOST);
    const int64_t low = a->chain->cluster.low - (int64_t)margin;
    const uint64_t high = (uint64_t)(a->chain->cluster.high + (int64_t)(len + margin));

    a->whole = size <= WHOLE_LEAST || (size - WHOLE_LEAST) / WHOLE_SHARE <= len;
    if (a->chain->copy && size / VERSION_SHARE > len)
        a->whole = false;
    a->start = a->whole || low < 0 ? 0 : (uint64_t)low;
    a->end = a->whole || high > size ? size : high;
    if (!a->whole)
        narrow_window(aligner, a);
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

static void set_window(struct aligner *aligner, const struct alignment *a, uint32_t c)
{
    struct record *window = &aligner->window;

    window->params = (struct sampler_params){.scheme = SAMPLER_GF8, .n = a->subject->n, .c = c};
    window->len = a->end - a->start;
}

/* The object's own samples in the window, thinned to the reference's C. */
static int cut_window(struct aligner *aligner, const struct alignment *a, struct error *err)
{
    const struct subject *subject = a->subject;
    const size_t first = first_at(subject->samples, subject->count, a->start);
    const size_t last = first_at(subject->samples, subject->count, a->end);
    struct record *window = &aligner->window;
    const uint32_t c = a->record->place.c > subject->c ? a->record->place.c : subject->c;
    const uint64_t limit = UINT64_MAX / c; /* as in sampler_thin */
    size_t count = 0;

    if (record_resize(window, last - first, err))
        return -1;
    for (size_t i = first; i < last; i++) {
        window->samples[count] = (struct sample){subject->samples[i].pos - a->start, subject->samples[i].fp};
        count += subject->samples[i].fp <= limit;
    }
    window->count = count;
    window->coincidence = subject->coincidence;
    set_window(aligner, a, c);
    return 0;
}

static struct sampler *sampler_at(struct aligner *aligner, const struct subject *subject, uint32_t c,
                                  struct error *err)
{
    struct sampler **sampler = &aligner->samplers[__builtin_ctz(c)];
    const struct sampler_params params = {.scheme = SAMPLER_GF8, .n = subject->n, .c = c};

    if (!*sampler)
        *sampler = sampler_new_keyed(&params, subject->key, err);
    return *sampler;
}

/* Reads and samples the window again, as the reference was sampled more densely than the object.  Returns 0
 * if the window cannot be read. */
static int resample_window(struct aligner *aligner, const struct alignment *a, struct error *err)
{
    struct content *content = a->subject->content;
    struct sampler *sampler = sampler_at(aligner, a->subject, a->record->place.c, err);
    struct sampler_result result;

    if (!sampler)
        return -1;
    sampler_begin(sampler, a->end - a->start);
    for (uint64_t at = a->start; at < a->end;) {
        const size_t len = a->end - at < PIECE ? (size_t)(a->end - at) : PIECE;

        if (content_read(content, at, aligner->piece, len))
            return 0;
        if (sampler_update(sampler, aligner->piece, len, err))
            return -1;
        at += len;
    }
    result = sampler_final(sampler);
    aligner->window.coincidence = result.coincidence;
    set_window(aligner, a, a->record->place.c);
    return record_set_samples(&aligner->window, result.samples, result.count, err) ? -1 : 1;
}

static int load_window(struct aligner *aligner, const struct alignment *a, struct error *err)
{
    const bool denser = a->record->place.c < a->subject->c;

    if (denser && a->subject->content && a->end - a->start <= RESAMPLED_MOST) {
        const int done = resample_window(aligner, a, err);

        if (done)
            return done < 0 ? -1 : 0;
    }
    return cut_window(aligner, a, err);
}

/* Loads the window.  Most chains are compared with the whole object, so usually it is loaded already:
 * *same. */
static int take_window(struct aligner *aligner, const struct alignment *a, struct effort *effort, bool *same,
                       struct error *err)
{
    const struct window_key key = {aligner->seeds->set, a->subject->turn, a->start, a->end,
                                   a->record->place.c};
    struct window_key *loaded = &aligner->loaded;

    *same = loaded->set == key.set && loaded->turn == key.turn && loaded->start == key.start &&
            loaded->end == key.end && loaded->c == key.c;
    if (*same)
        return 0;
    loaded->c = 0;
    if (load_window(aligner, a, err))
        return -1;
    *loaded = key;
    if (aligner->window.params.c < a->subject->c)
        effort_add(effort, (a->end - a->start) / BYTES_A_SAMPLE);
    return 0;
}

/* ---- comparing ---- */

static int compare(struct aligner *aligner, const struct alignment *a, struct effort *effort,
                   struct comparison *comparison, struct error *err)
{
    struct naming naming = {.seeds = aligner->seeds,
                            .queries = aligner->queries,
                            .chain = a->chain,
                            .record = a->record,
                            .window = &aligner->window,
                            .start = a->start,
                            .end = a->end,
                            .reference = &aligner->reference,
                            .alone = aligner->alone};
    struct chain_hints hints = {.alone_b = aligner->alone};

    if (take_window(aligner, a, effort, &naming.same_window, err) || naming_run(aligner->namer, &naming, err))
        return -1;
    effort_add(effort, aligner->window.count + aligner->reference.count);
    hints.diagonal = a->chain->cluster.main - (int64_t)a->start;
    hints.same_a = naming.same_window;
    return compare_relate(aligner->comparer, &aligner->window, &aligner->reference, &hints, comparison, err);
}

static int make_alone(struct aligner *aligner, size_t count, struct error *err)
{
    if (array_reserve(&aligner->alone, &aligner->alone_room, count))
        return error_set(err, "out of memory for %zu samples", count);
    if (count)
        memset(aligner->alone, 0, count * sizeof *aligner->alone);
    return 0;
}

/* Loads the reference's samples, which have yet to be named. */
static int take_reference(struct aligner *aligner, const struct set_record *record, uint32_t n,
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

int alignment_make(struct aligner *aligner, const struct seeds *seeds, const struct queries *queries,
                   const struct subject *subject, const struct seed_chain *chain, struct effort *effort,
                   struct alignment *alignment, struct error *err)
{
    int there;

    *alignment = (struct alignment){
        .subject = subject, .chain = chain, .window = &aligner->window, .reference = &aligner->reference};
    aligner->seeds = seeds;
    aligner->queries = queries;
    there = seeds->set->does->record(seeds->set, chain->place.first, &alignment->record, err);
    if (there <= 0)
        return there;
    if (take_reference(aligner, alignment->record, subject->n, err))
        return -1;
    choose_window(aligner, alignment);
    return compare(aligner, alignment, effort, &alignment->comparison, err) ? -1 : 1;
}

int alignment_trim(struct aligner *aligner, struct alignment *alignment, uint64_t obj_start, uint64_t obj_end,
                   uint64_t ref_start, uint64_t ref_end, struct effort *effort, struct comparison *comparison,
                   struct error *err)
{
    const uint64_t after = alignment->record->place.len - ref_end, size = alignment->subject->size;

    alignment->start = obj_start > ref_start ? obj_start - ref_start : 0;
    alignment->end = size - obj_end > after ? obj_end + after : size;
    return compare(aligner, alignment, effort, comparison, err);
}
