/* SPDX-License-Identifier: Apache-2.0 */
#include "match/proof.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/search.h"
#include "disk/content.h"
#include "sample/gf8.h"

enum {
    /* Places at which a block is hashed: bounds reading where content repeats itself and ranges overlap
     * (proofs_from_any_estimate_of_repetitive_content_are_sound).  Halving it changes 4 rows. */
    MOST_TRIES = 8,
};

static const int64_t nowhere = INT64_MIN;

/* Where a block was looked for, as diagonals: place in the object - place in the reference. */
struct block_search {
    int64_t found; /* or nowhere */
    size_t tries;
    int64_t tried[MOST_TRIES];
};

struct prover {
    struct digest *digest;
    struct block_search *blocks;
    size_t room;
};

/* A finding being proved. */
struct proving {
    struct prover *prover;
    const struct proof_reference *reference;
    struct content *content;
    uint64_t size;
    struct finding *finding;
    struct error *err;
};

struct prover *proof_new(struct error *err)
{
    struct prover *prover = memory_new(sizeof *prover, err);

    if (prover && (prover->digest = digest_new(DIGEST_BIT(DIGEST_SHA1), err)))
        return prover;
    proof_free(prover);
    return NULL;
}

void proof_free(struct prover *prover)
{
    if (!prover)
        return;
    digest_free(prover->digest);
    free(prover->blocks);
    free(prover);
}

/* Whether bytes of the object have this SHA-1.  Returns 1 or 0, 0 also if they cannot be read; -1 if
 * libcrypto fails. */
static int has_digest(const struct proving *proving, uint64_t at, uint64_t len, const uint8_t *sha1)
{
    struct digest_values values;
    const int read =
        content_digest(proving->content, proving->prover->digest, at, len, &values, proving->err);

    effort_add(proving->reference->effort, len / EFFORT_HASHED);
    return read <= 0 ? read : memcmp(values.bytes[DIGEST_SHA1], sha1, DIGEST_SHA1_LEN) == 0;
}

/* As has_digest, for bytes of the reference on a diagonal; 0 if they would lie outside the object. */
static int lies_on(const struct proving *proving, int64_t diagonal, uint64_t start, uint64_t len,
                   const uint8_t *sha1)
{
    const int64_t at = (int64_t)start + diagonal;

    if (at < 0 || (uint64_t)at > proving->size || len > proving->size - (uint64_t)at)
        return 0;
    return has_digest(proving, (uint64_t)at, len, sha1);
}

static int64_t diagonal_at_start(const struct finding_range *range)
{
    return (int64_t)(range->obj_start - range->ref_start);
}

static int64_t diagonal_at_end(const struct finding_range *range)
{
    return (int64_t)(range->obj_end - range->ref_end);
}

/* ---- all of the reference ---- */

/* The reference is in the object from first to last byte. */
static int set_complete(const struct proving *proving, int64_t diagonal)
{
    const uint64_t len = proving->reference->len, start = (uint64_t)diagonal;
    struct finding *finding = proving->finding;

    if (finding_resize(finding, 1, proving->err))
        return -1;
    finding->ranges[0] = (struct finding_range){start, start + len, 0, len};
    finding->containment = 1;
    return 0;
}

static int prove_whole(const struct proving *proving)
{
    const struct proof_reference *reference = proving->reference;
    struct finding *finding = proving->finding;

    for (size_t i = 0; i < finding->range_count && i < MOST_TRIES; i++) {
        const int64_t diagonal = diagonal_at_start(&finding->ranges[i]);
        const int found = lies_on(proving, diagonal, 0, reference->len, reference->sha1);

        if (found < 0)
            return -1;
        if (found) {
            finding->proof = PROOF_SHA1;
            return set_complete(proving, diagonal);
        }
    }
    return 0;
}

/* ---- block by block ---- */

static uint64_t block_start(const struct proof_reference *reference, size_t block)
{
    return block * reference->block_size;
}

static uint64_t block_end(const struct proof_reference *reference, size_t block)
{
    const uint64_t end = (block + 1) * reference->block_size;

    return end < reference->len ? end : reference->len;
}

/* ---- what samples say ---- */

/* Bytes before a window that influence whether it becomes a sample. */
enum { REACH = GF8_REACH };

static size_t first_sample(const struct proof_samples *samples, uint64_t pos)
{
    return SEARCH_FIRST(i, 0, samples->object_count, samples->object[i].pos >= pos);
}

/*
 * Equal bytes have equal samples, except for samples influenced by the bytes before.  So if one side has a
 * sample that the other lacks, returns false: there is no need to hash.
 */
static bool may_be_equal(const struct proof_samples *samples, uint64_t start, uint64_t end, int64_t diagonal)
{
    const struct places *places = samples->reference;
    const uint64_t from = start + REACH, to = end - samples->n; /* both are starts of windows */
    const uint64_t limit = UINT64_MAX / samples->reference_c;
    const bool all = samples->object_c <= samples->reference_c;
    size_t next = places_from(places, from);

    if (samples->object_count == 0 ||
        samples->object[samples->object_count - 1].pos < end + (uint64_t)diagonal)
        return true; /* samples after it may still be to come */
    for (size_t i = first_sample(samples, from + (uint64_t)diagonal); i < samples->object_count; i++) {
        const struct sample *sample = &samples->object[i];
        const uint64_t at = sample->pos - (uint64_t)diagonal;
        uint64_t place;

        if (at > to)
            break;
        if (sample->fp > limit) /* below the reference's density */
            continue;
        place = at << PLACES_CHARACTER_BITS | (sample->fp & ((1 << PLACES_CHARACTER_BITS) - 1));
        while (!all && next < places->count && places_at(places, next) < place)
            next++;
        if (next == places->count || places_at(places, next++) != place)
            return false;
    }
    return !all || next == places->count || places_position(places_at(places, next)) > to;
}

/* Whether the block was tried there: ranges that touch a block, and its neighbours, mostly have the same
 * diagonal. */
static bool is_tried(const struct block_search *search, int64_t diagonal)
{
    for (size_t i = 0; i < search->tries; i++)
        if (search->tried[i] == diagonal)
            return true;
    return false;
}

static int prove_block(const struct proving *proving, size_t block, int64_t diagonal)
{
    const struct proof_reference *reference = proving->reference;
    struct block_search *search = &proving->prover->blocks[block];
    const uint64_t start = block_start(reference, block), end = block_end(reference, block);
    bool again;
    int found;

    if (search->found != nowhere || search->tries == MOST_TRIES)
        return 0;
    again = is_tried(search, diagonal);
    search->tried[search->tries++] = diagonal;
    if (again || (reference->samples && end - start > REACH + reference->samples->n &&
                  !may_be_equal(reference->samples, start, end, diagonal)))
        return 0;
    found = lies_on(proving, diagonal, start, end - start, reference->blocks + block * DIGEST_SHA1_LEN);
    if (found > 0)
        search->found = diagonal;
    return found < 0 ? -1 : 0;
}

/* How far off the ends of a range may be. */
static uint64_t slack_of(const struct proof_reference *reference)
{
    return 2 * (uint64_t)reference->c;
}

struct block_span {
    size_t first, last; /* half open */
};

/* The blocks that a range touches, or may touch. */
static struct block_span blocks_of(const struct proof_reference *reference, const struct finding_range *range)
{
    const uint64_t slack = slack_of(reference);
    const uint64_t start = range->ref_start > slack ? range->ref_start - slack : 0,
                   end = range->ref_end + slack;
    struct block_span span = {(size_t)(start / reference->block_size),
                              (size_t)(end / reference->block_size) + 1};

    if (span.last > reference->block_count)
        span.last = reference->block_count;
    return span;
}

static int prove_range(const struct proving *proving, const struct finding_range *range)
{
    const int64_t at_start = diagonal_at_start(range), at_end = diagonal_at_end(range);
    const struct block_span span = blocks_of(proving->reference, range);

    for (size_t block = span.first; block < span.last; block++) {
        if (prove_block(proving, block, at_start))
            return -1;
        if (at_end != at_start && prove_block(proving, block, at_end))
            return -1;
    }
    return 0;
}

/* Whether a block would lie in the object on this diagonal: then it was tried there, and if it was not found,
 * it is not there. */
static bool was_tried(const struct proving *proving, size_t block, int64_t diagonal)
{
    const int64_t start = (int64_t)block_start(proving->reference, block) + diagonal;

    return block < proving->reference->block_count && start >= 0 &&
           (uint64_t)((int64_t)block_end(proving->reference, block) + diagonal) <= proving->size;
}

static bool is_ordered(const struct finding_range *range)
{
    return range->obj_start <= range->obj_end && range->ref_start <= range->ref_end;
}

static void move_start(const struct proving *proving, struct finding_range *range, size_t block)
{
    const struct proof_reference *reference = proving->reference;
    const uint64_t start = block_start(reference, block);
    const int64_t diagonal = diagonal_at_start(range);

    if (start <= range->ref_start ||
        (start <= range->ref_start + slack_of(reference) && was_tried(proving, block - 1, diagonal))) {
        range->ref_start = start;
        range->obj_start = (uint64_t)((int64_t)start + diagonal);
    }
}

static void move_end(const struct proving *proving, struct finding_range *range, size_t block)
{
    const struct proof_reference *reference = proving->reference;
    const uint64_t end = block_end(reference, block);
    const int64_t diagonal = diagonal_at_end(range);

    if (end >= range->ref_end ||
        (end + slack_of(reference) >= range->ref_end && was_tried(proving, block + 1, diagonal))) {
        range->ref_end = end;
        range->obj_end = (uint64_t)((int64_t)end + diagonal);
    }
}

/*
 * Moves the ends of a range to those of proved blocks if these are farther out, or if they are about as far
 * and the next block was tried in vain.  A range is left as it is if blocks of repeating content were found
 * in an order that no range has.
 */
static void make_exact(const struct proving *proving, struct finding_range *range)
{
    const struct block_span span = blocks_of(proving->reference, range);
    const struct block_search *blocks = proving->prover->blocks;
    struct finding_range exact = *range;
    size_t first = span.first, last = span.last;

    while (first < span.last && blocks[first].found != diagonal_at_start(range))
        first++;
    while (last > span.first && blocks[last - 1].found != diagonal_at_end(range))
        last--;
    while (first > 0 && first < span.last && blocks[first - 1].found == diagonal_at_start(range))
        first--;
    while (last > span.first && last < proving->reference->block_count &&
           blocks[last].found == diagonal_at_end(range))
        last++;
    if (first < span.last)
        move_start(proving, &exact, first);
    if (last > span.first)
        move_end(proving, &exact, last - 1);
    if (is_ordered(&exact))
        *range = exact;
}

static int by_start(const void *a, const void *b)
{
    const struct finding_range *x = a, *y = b;

    if (x->obj_start != y->obj_start)
        return x->obj_start < y->obj_start ? -1 : 1;
    return x->ref_start < y->ref_start ? -1 : x->ref_start > y->ref_start;
}

static int by_diagonal(const void *a, const void *b)
{
    const struct finding_range *x = a, *y = b;
    const int64_t p = diagonal_at_start(x), q = diagonal_at_start(y);

    return p != q ? (p < q ? -1 : 1) : by_start(a, b);
}

/* Joins ranges that have grown into each other. */
static void join_ranges(struct finding *finding)
{
    struct finding_range *ranges = finding->ranges;
    size_t kept = 0;

    qsort(ranges, finding->range_count, sizeof *ranges, by_diagonal);
    for (size_t i = 0; i < finding->range_count; i++) {
        struct finding_range *last = kept ? &ranges[kept - 1] : NULL;

        if (!last || diagonal_at_end(last) != diagonal_at_start(&ranges[i]) ||
            ranges[i].obj_start > last->obj_end || diagonal_at_start(last) != diagonal_at_end(&ranges[i])) {
            ranges[kept++] = ranges[i];
        } else if (ranges[i].obj_end > last->obj_end) {
            last->obj_end = ranges[i].obj_end;
            last->ref_end = ranges[i].ref_end;
        }
    }
    finding->range_count = kept;
    qsort(ranges, kept, sizeof *ranges, by_start);
}

static int make_room(struct prover *prover, size_t blocks, struct error *err)
{
    if (blocks > prover->room) {
        if (array_resize(&prover->blocks, blocks))
            return error_set(err, "out of memory for %zu blocks", blocks);
        prover->room = blocks;
    }
    for (size_t i = 0; i < blocks; i++) {
        prover->blocks[i].found = nowhere;
        prover->blocks[i].tries = 0;
    }
    return 0;
}

/* Proved content may extend to blocks that no sample points to. */
static int prove_neighbours(const struct proving *proving)
{
    const struct block_search *blocks = proving->prover->blocks;
    const size_t count = proving->reference->block_count;

    for (size_t i = 1; i < count; i++)
        if (blocks[i - 1].found != nowhere && prove_block(proving, i, blocks[i - 1].found))
            return -1;
    for (size_t i = count - 1; i > 0; i--)
        if (blocks[i].found != nowhere && prove_block(proving, i - 1, blocks[i].found))
            return -1;
    return 0;
}

static int prove_blocks(const struct proving *proving)
{
    const struct proof_reference *reference = proving->reference;
    struct finding *finding = proving->finding;
    const struct block_search *blocks;
    bool in_place = true;

    if (make_room(proving->prover, reference->block_count, proving->err))
        return -1;
    for (size_t i = 0; i < reference->hint_count; i++)
        if (prove_range(proving, &reference->hints[i]))
            return -1;
    for (size_t i = 0; i < finding->range_count; i++)
        if (prove_range(proving, &finding->ranges[i]))
            return -1;
    if (prove_neighbours(proving))
        return -1;
    blocks = proving->prover->blocks;
    finding->blocks = reference->block_count;
    for (size_t i = 0; i < reference->block_count; i++) {
        finding->proved += blocks[i].found != nowhere;
        in_place = in_place && blocks[i].found == blocks[0].found;
    }
    if (finding->proved == 0) {
        finding->blocks = 0;
        return 0;
    }
    finding->proof = PROOF_BLOCKS;
    if (finding->proved == finding->blocks && in_place)
        return set_complete(proving, blocks[0].found);
    for (size_t i = 0; i < finding->range_count; i++)
        make_exact(proving, &finding->ranges[i]);
    join_ranges(finding);
    return 0;
}

int proof_run(struct prover *prover, const struct proof_reference *reference, struct content *content,
              uint64_t size, struct finding *finding, struct error *err)
{
    const struct proving proving = {prover, reference, content, size, finding, err};
    int result = 0;

    finding->proof = PROOF_ESTIMATE;
    finding->proved = finding->blocks = 0;
    if (!content || finding->range_count == 0)
        return 0;
    if (reference->block_count)
        result = prove_blocks(&proving);
    else if (reference->sha1)
        result = prove_whole(&proving);
    finding_measure(finding);
    return result;
}
