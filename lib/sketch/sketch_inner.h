/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SKETCH_INNER_H
#define KITH_SKETCH_INNER_H

#include "compare/compare.h"
#include "sketch/permutation.h"
#include "sketch/rabin.h"
#include "sketch/shingles.h"
#include "sketch/sketch.h"
#include "sketch/tally.h"

/* What the files of sketch share: one file for each family of schemes. */

/* A list of numbers. */
struct sketch_values {
    uint64_t *list;
    size_t count, room;
    size_t limit; /* at which duplicates are looked for */
    size_t most;  /* distinct ones */
};

/* Tests for multiples without a division: Granlund and Montgomery, 1994. */
struct sketch_divisor {
    uint64_t inverse, most;
    unsigned shift;
};

struct sketcher {
    struct sketch_params params;
    const struct sketch_operations *operations;
    struct shingles *shingles;
    struct digest *digest;
    bool with_digest;
    uint8_t *buffer;     /* of sketch_fd */
    uint64_t len, count; /* bytes, and shingles */

    struct sketch_values values; /* those selected so far; min: a heap, with the greatest at the root */
    struct sketch_divisor divisor;
    uint32_t modulus;   /* nested: so far */
    struct tally tally; /* min: the values in the heap, and earlier ones */

    struct permutation *permutations; /* minwise, hamming: `size` of each */
    uint64_t *minima, *masks;         /* masks: the functions b */

    bool is_open;      /* bsw, chunks: tokens came after the last boundary */
    uint64_t smallest; /* window of the chunk; UINT64_MAX: none yet */
    struct rabin hash; /* of chunks */
    struct permutation hash_permutation;
    uint64_t chunk; /* its fingerprint so far */

    struct sampler *sampler; /* coates schemes, gf8 */
    struct comparer *comparer;
};

/* A scheme.  The functions get the sketcher of the stream; those that are NULL have nothing to do. */
struct sketch_operations {
    const char *name;
    unsigned uses; /* enum sketch_use */
    bool has_containment;
    bool with_tokens; /* the batches must have them */
    struct sketch_params defaults;
    int (*prepare)(struct sketcher *sketcher, struct error *err); /* once */
    void (*begin)(struct sketcher *sketcher, uint64_t len);       /* len: or FEED_UNKNOWN */
    int (*add)(struct sketcher *sketcher, const struct shingles_batch *batch, struct error *err);
    int (*update)(struct sketcher *sketcher, const void *data, size_t len,
                  struct error *err); /* no shingles */
    int (*final)(struct sketcher *sketcher, struct sketch *out, struct error *err);
    int (*compare)(struct sketcher *sketcher, const struct sketch *a, const struct sketch *b,
                   struct sketch_likeness *out, struct error *err);
};

/* The schemes, in the order of enum sketch_scheme. */
extern const struct sketch_operations sketch_of_shingles;
extern const struct sketch_operations sketch_of_min;
extern const struct sketch_operations sketch_of_mod;
extern const struct sketch_operations sketch_of_minmod;
extern const struct sketch_operations sketch_of_nested;
extern const struct sketch_operations sketch_of_minwise;
extern const struct sketch_operations sketch_of_hamming;
extern const struct sketch_operations sketch_of_bsw;
extern const struct sketch_operations sketch_of_chunks;
extern const struct sketch_operations sketch_of_coates2011;
extern const struct sketch_operations sketch_of_coates2015;
extern const struct sketch_operations sketch_of_gf8;

/* Independent draws of one seed, besides those of shingles. */
enum sketch_stream {
    SKETCH_STREAM_MINWISE = SHINGLES_STREAMS,
    SKETCH_STREAM_MASKS,
    SKETCH_STREAM_HASH,
    SKETCH_STREAM_HASH_PERMUTATION,
};

/* The divisor is not 0. */
struct sketch_divisor sketch_divisor_of(uint32_t divisor);

/* Whether x is a multiple of the divisor. */
static inline bool sketch_divides(const struct sketch_divisor *divisor, uint64_t x)
{
    const uint64_t product = x * divisor->inverse;

    return (product >> divisor->shift | product << (-divisor->shift & 63)) <= divisor->most;
}

/* Appends a value.  Duplicates are removed now and then, so that repetitive content of any length needs
 * little memory.  -1 without memory or if there are too many. */
int sketch_values_add(struct sketch_values *values, uint64_t value, struct error *err);
void sketch_values_reset(struct sketch_values *values);
/* Sorts, and removes duplicates. */
int sketch_values_sort(struct sketch_values *values, struct error *err);
/* Sorts a list in which few values are far from their places; false, with the work half done, if it would
 * take more moves than a linear number. */
bool sketch_values_insert(uint64_t *list, size_t count);
/* Makes room for `count` values in the sketch, and sets their number. */
int sketch_values_room(struct sketch *sketch, size_t count, struct error *err);
/* Sorts the values and copies them into the sketch. */
int sketch_values_give(struct sketch_values *values, struct sketch *out, struct error *err);

/* Sets resemblance and interval to common / compared.  Nothing but these if compared is 0. */
void sketch_values_resemblance(struct sketch_likeness *out, uint64_t common, uint64_t compared,
                               enum sketch_basis basis);
/* Compares two sketches as sets of values that are 0 modulo `modulus` (0: all). */
void sketch_values_compare(const struct sketch *a, const struct sketch *b, uint32_t modulus,
                           enum sketch_basis basis, struct sketch_likeness *out);

#endif
