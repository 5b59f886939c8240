/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch/sketch_inner.h"

/*
 * MIN_s, and MIN_s of MOD_m (Broder 1997, sections 3 and 4.1): a heap of the s smallest values with the
 * greatest at the root, and a hash table against duplicates.  The table keeps values that have left the heap,
 * since none of them can come back, until it is rebuilt.
 */

static void begin_min(struct sketcher *sketcher, uint64_t len)
{
    const uint32_t rate = sketcher->params.rate;

    (void)len;
    sketch_values_reset(&sketcher->values);
    sketcher->values.limit = SIZE_MAX; /* a heap must not be sorted */
    sketcher->modulus = rate;
    sketcher->divisor = sketch_divisor_of(rate ? rate : 1);
    tally_reset(&sketcher->tally);
}

/* Puts value at `at`, or below, so that no child is greater than its parent. */
static void sift_down(uint64_t *heap, size_t count, size_t at, uint64_t value)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && heap[child + 1] > heap[child];
        if (heap[child] <= value)
            break;
        heap[at] = heap[child];
    }
    heap[at] = value;
}

static void sift_up(uint64_t *heap, size_t at, uint64_t value)
{
    for (; at > 0 && heap[(at - 1) / 2] < value; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = value;
}

static int rebuild_table(struct sketcher *sketcher, struct error *err)
{
    tally_reset(&sketcher->tally);
    for (size_t i = 0; i < sketcher->values.count; i++)
        if (tally_add(&sketcher->tally, sketcher->values.list[i], err) == 0)
            return -1;
    return 0;
}

/* Takes a value that is among the smallest so far. */
static int take(struct sketcher *sketcher, uint64_t value, struct error *err)
{
    struct sketch_values *heap = &sketcher->values;
    const uint32_t size = sketcher->params.size;
    uint64_t times;

    if (sketcher->tally.count > 4 * (size_t)size && rebuild_table(sketcher, err))
        return -1;
    times = tally_add(&sketcher->tally, value, err);
    if (times != 1)
        return times == 0 ? -1 : 0;
    if (heap->count == size) {
        sift_down(heap->list, heap->count, 0, value);
        return 0;
    }
    if (sketch_values_add(heap, value, err))
        return -1;
    sift_up(heap->list, heap->count - 1, value);
    return 0;
}

static int add_min(struct sketcher *sketcher, const struct shingles_batch *batch, struct error *err)
{
    const struct sketch_values *heap = &sketcher->values;
    const struct sketch_divisor divisor = sketcher->divisor;
    const bool is_mod = sketcher->params.rate > 0;
    uint64_t limit = heap->count < sketcher->params.size ? UINT64_MAX : heap->list[0];

    for (size_t i = 0; i < batch->count; i++) {
        if (batch->ids[i] > limit || (is_mod && !sketch_divides(&divisor, batch->ids[i])))
            continue;
        if (take(sketcher, batch->ids[i], err))
            return -1;
        limit = heap->count < sketcher->params.size ? UINT64_MAX : heap->list[0];
    }
    return 0;
}

static int give(struct sketcher *sketcher, struct sketch *out, struct error *err)
{
    out->modulus = sketcher->modulus;
    return sketch_values_give(&sketcher->values, out, err);
}

/* Theorem 1: the share of common values among the s smallest of the union.  If both sets are complete and
 * their union has no more than s, that is exact. */
static int compare_min(struct sketcher *sketcher, const struct sketch *a, const struct sketch *b,
                       struct sketch_likeness *out, struct error *err)
{
    const uint32_t size = a->params.size;
    uint64_t common = 0, compared = 0;
    size_t i = 0, k = 0;

    (void)sketcher;
    (void)err;
    for (; compared < size && (i < a->count || k < b->count); compared++) {
        const bool take_a = i < a->count && (k == b->count || a->values[i] <= b->values[k]);
        const bool take_b = k < b->count && (i == a->count || b->values[k] <= a->values[i]);

        common += take_a && take_b;
        i += take_a;
        k += take_b;
    }
    sketch_values_resemblance(out, common, compared,
                              a->modulus <= 1 && a->count < size && b->count < size && i == a->count &&
                                      k == b->count
                                  ? SKETCH_ALL
                                  : SKETCH_SAMPLE);
    return 0;
}

const struct sketch_operations sketch_of_min = {
    .name = "min",
    .uses = SKETCH_USE_TOKENS | SKETCH_USE_SIZE,
    .defaults = {.scheme = SKETCH_MIN, .size = 100, .window = 20, .bits = 64, .seed = 1},
    .begin = begin_min,
    .add = add_min,
    .final = give,
    .compare = compare_min,
};

/* As for the web (Broder, Glassman, Manasse and Zweig 1997), where m was 25. */
const struct sketch_operations sketch_of_minmod = {
    .name = "minmod",
    .uses = SKETCH_USE_TOKENS | SKETCH_USE_SIZE | SKETCH_USE_RATE,
    .defaults = {.scheme = SKETCH_MINMOD, .size = 100, .rate = 25, .window = 20, .bits = 64, .seed = 1},
    .begin = begin_min,
    .add = add_min,
    .final = give,
    .compare = compare_min,
};
