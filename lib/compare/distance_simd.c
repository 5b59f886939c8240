/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/distance_simd.h"

#include <stdlib.h>
#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/*
 * "words" is a constant wherever the functions below are inlined, and loops over words are unrolled.  Only
 * then are the arrays of a strip kept in registers, which is worth a factor of 1.5.
 */
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif

/* Calls function(of, words) with words as a constant. */
/* clang-format off */
#define WITH_CONSTANT_WORDS(function, of, words) \
    switch (words) {                             \
    case 1: function(of, 1); break;              \
    case 2: function(of, 2); break;              \
    case 3: function(of, 3); break;              \
    case 4: function(of, 4); break;              \
    case 5: function(of, 5); break;              \
    case 6: function(of, 6); break;              \
    case 7: function(of, 7); break;              \
    default: function(of, 8); break;             \
    }
/* clang-format on */

/* ---- shared by all kernels ---- */

/* The number of words of the strip that starts at `word`. */
static size_t strip_words(const struct distance_columns *columns, size_t word)
{
    size_t left = columns->words - word;

    return left < columns->strip ? left : columns->strip;
}

void distance_strip_fill(uint64_t *masks, uint64_t *rows, size_t words, const uint8_t *pattern, size_t len)
{
    uint64_t bit = 1;
    size_t word = 0;

    for (size_t i = 0; i < len; i++) {
        masks[pattern[i] * (size_t)DISTANCE_STRIP + word] |= bit;
        rows[word] |= bit;
        if (++word == words) {
            word = 0;
            bit <<= 1;
        }
    }
}

static void columns_fill(struct distance_columns *columns, const uint8_t *query, size_t len)
{
    uint64_t *masks = columns->masks;

    for (size_t word = 0; word < columns->words; word += columns->strip) {
        size_t words = strip_words(columns, word), left = len - word * 64;

        distance_strip_fill(masks, columns->rows + word, words, query + word * 64,
                            left < words * 64 ? left : words * 64);
        masks += DISTANCE_SYMBOLS * DISTANCE_STRIP;
    }
}

int distance_columns_init(struct distance_columns *columns, const uint8_t *query, size_t len, size_t lanes)
{
    const size_t mask_words = DISTANCE_SYMBOLS * DISTANCE_STRIP,
                 edge_words = DISTANCE_TILE * 2 * DISTANCE_LANES;
    const size_t strip_all_words = mask_words + DISTANCE_STRIP + 2 * DISTANCE_STRIP * DISTANCE_LANES;
    size_t words = len / 64 + (len % 64 != 0), strips = (words + DISTANCE_STRIP - 1) / DISTANCE_STRIP;
    size_t padded = strips * DISTANCE_STRIP, all_words = strips * strip_all_words + edge_words;

    if (strips > (SIZE_MAX / sizeof(uint64_t) - edge_words) / strip_all_words)
        return -1;
    columns->masks = aligned_alloc(64, all_words * sizeof(uint64_t));
    if (!columns->masks)
        return -1;
    memset(columns->masks, 0, strips * strip_all_words * sizeof(uint64_t));
    columns->rows = columns->masks + strips * mask_words;
    columns->plus = columns->rows + padded;
    columns->minus = columns->plus + padded * lanes;
    columns->edge = columns->masks + strips * strip_all_words;
    columns->words = words;
    columns->strip = strips ? (words + strips - 1) / strips : 0;
    columns_fill(columns, query, len);
    return 0;
}

void distance_columns_free(struct distance_columns *columns)
{
    free(columns->masks);
}

void distance_columns_reset(struct distance_columns *columns, size_t lane, size_t lanes)
{
    for (size_t word = 0; word < columns->words; word++) {
        columns->plus[word * lanes + lane] = ~(uint64_t)0;
        columns->minus[word * lanes + lane] = 0;
    }
}

/* Inlined into each kernel: only with its target flags is a population count a single instruction. */
ALWAYS_INLINE void sum_lanes(const struct distance_columns *columns, size_t lanes, uint64_t *sums)
{
    for (size_t word = 0; word < columns->words; word++) {
        const uint64_t *plus = columns->plus + word * lanes, *minus = columns->minus + word * lanes;

        for (size_t lane = 0; lane < lanes; lane++)
            sums[lane] += (uint64_t)__builtin_popcountll(plus[lane] & columns->rows[word]) -
                          (uint64_t)__builtin_popcountll(minus[lane] & columns->rows[word]);
    }
}

/* ---- scalar: 1 lane ---- */

/* The first pass: computes zero[] without the carries; returns the carries into the first word. */
ALWAYS_INLINE uint64_t carry1(const struct distance_strip *strip, size_t words, uint64_t *zero,
                              uint64_t from_above)
{
    uint64_t made = 0, passed = ~(uint64_t)0, either;

    UNROLLED
    for (size_t word = 0; word < words; word++) {
        zero[word] |= strip->minus[word];
        made = (zero[word] | made) & strip->plus[word];
        passed &= strip->plus[word];
    }
    either = made | passed;
    return (made + from_above + either) ^ made ^ either;
}

/* Computes a word of the next column from the row above. */
ALWAYS_INLINE void update1(const struct distance_strip *strip, size_t word, uint64_t zero,
                           uint64_t above_plus, uint64_t above_minus)
{
    strip->plus[word] = above_minus | ~(zero | above_plus);
    strip->minus[word] = zero & above_plus;
}

ALWAYS_INLINE uint8_t column1(const struct distance_strip *strip, size_t words, const uint64_t *masks,
                              uint8_t edge)
{
    uint64_t zero[DISTANCE_STRIP], above_plus = 0, above_minus, first;

    UNROLLED
    for (size_t word = 0; word < words; word++)
        zero[word] = masks[word];
    first = above_minus = carry1(strip, words, zero, edge & DISTANCE_SHRANK ? 1 : 0);
    UNROLLED
    for (size_t word = 0; word < words; word++) {
        uint64_t plus = strip->plus[word], minus = strip->minus[word];

        zero[word] |= above_minus;
        if (word > 0)
            update1(strip, word, zero[word], above_plus, above_minus);
        above_plus = minus | ~(plus | zero[word]);
        above_minus = plus & zero[word];
    }
    /* The first word comes last: it needs the last word, shifted by one bit, whose top bit goes to the edge.
     */
    update1(strip, 0, zero[0], above_plus << 1 | (edge & DISTANCE_GREW ? 1 : 0), first);
    return (uint8_t)((above_plus >> 63 ? DISTANCE_GREW : 0) | (above_minus >> 63 ? DISTANCE_SHRANK : 0));
}

ALWAYS_INLINE void strip_scalar(const struct distance_strip *strip, size_t words)
{
    for (size_t i = 0; i < strip->count; i++)
        strip->edge[i] =
            column1(strip, words, strip->masks + strip->text[i] * (size_t)DISTANCE_STRIP, strip->edge[i]);
}

void distance_strip_advance(const struct distance_strip *strip, size_t words)
{
    WITH_CONSTANT_WORDS(strip_scalar, strip, words)
}

static void advance_scalar(struct distance_columns *columns, const uint8_t *const *texts, size_t count)
{
    uint8_t edge[DISTANCE_TILE];
    struct distance_strip strip = {columns->masks, columns->plus, columns->minus, texts[0], count, edge};

    memset(edge, DISTANCE_GREW, count);
    for (size_t word = 0; word < columns->words; word += columns->strip) {
        distance_strip_advance(&strip, strip_words(columns, word));
        strip.masks += DISTANCE_SYMBOLS * DISTANCE_STRIP;
        strip.plus += columns->strip;
        strip.minus += columns->strip;
    }
}

static void sum_scalar(const struct distance_columns *columns, uint64_t *sums)
{
    sum_lanes(columns, 1, sums);
}

static const struct distance_kernel kernel_scalar = {1, advance_scalar, sum_scalar};

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2   __attribute__((target("avx2,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")))

/* A tile of one strip: its masks and words, and where its edges are read and written. */
struct tile {
    const uint64_t *masks;
    uint64_t *plus, *minus;
    const uint64_t *above;
    uint64_t *below;
    size_t above_step, below_step; /* 0: the same edge for all columns, or an edge that nobody needs */
    const uint8_t *const *texts;
    size_t count;
};

/* The strip that starts at `word`.  top: the edge above the first strip; spare: room for that of the last. */
ALWAYS_INLINE struct tile tile_at(const struct distance_columns *columns, size_t word, size_t lanes,
                                  const uint64_t *top, uint64_t *spare)
{
    int is_first = word == 0, is_last = word + columns->strip >= columns->words;

    return (struct tile){
        .masks = columns->masks + word / columns->strip * DISTANCE_SYMBOLS * DISTANCE_STRIP,
        .plus = columns->plus + word * lanes,
        .minus = columns->minus + word * lanes,
        .above = is_first ? top : columns->edge,
        .below = is_last ? spare : columns->edge,
        .above_step = is_first ? 0 : 2 * lanes,
        .below_step = is_last ? 0 : 2 * lanes,
    };
}

/* Points to the masks of the symbol in each lane. */
ALWAYS_INLINE void masks_at(const struct tile *tile, size_t column, size_t lanes, const uint64_t **masks)
{
    UNROLLED
    for (size_t lane = 0; lane < lanes; lane++)
        masks[lane] = tile->masks + (size_t)tile->texts[lane][column] * DISTANCE_STRIP;
}

/* ---- AVX2: 4 lanes ---- */

#define LANES4 4

struct strip4 {
    __m256i plus[DISTANCE_STRIP], minus[DISTANCE_STRIP];
};

/* Rows that increased or decreased to the right; storing the complement of the first saves an instruction. */
struct row4 {
    __m256i not_plus, minus;
};

AVX2 ALWAYS_INLINE __m256i load4(const uint64_t *from)
{
    return _mm256_load_si256((const __m256i *)from);
}

AVX2 ALWAYS_INLINE void store4(uint64_t *to, __m256i value)
{
    _mm256_store_si256((__m256i *)to, value);
}

AVX2 ALWAYS_INLINE __m256i join4(const uint64_t *low, const uint64_t *high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128((const __m128i *)low)),
                                   _mm_load_si128((const __m128i *)high), 1);
}

/* Sets zero[word] to that word of the masks of all lanes. */
AVX2 ALWAYS_INLINE void transpose4(const uint64_t *const *masks, size_t words, __m256i *zero)
{
    UNROLLED
    for (size_t word = 0; word < words; word += 2) {
        __m256i lanes02 = join4(masks[0] + word, masks[2] + word);
        __m256i lanes13 = join4(masks[1] + word, masks[3] + word);

        zero[word] = _mm256_unpacklo_epi64(lanes02, lanes13);
        zero[word + 1] = _mm256_unpackhi_epi64(lanes02, lanes13);
    }
}

/* The first pass: computes zero[] without the carries; returns the carries into the first word. */
AVX2 ALWAYS_INLINE __m256i carry4(const struct strip4 *strip, size_t words, __m256i *zero, __m256i edge)
{
    __m256i made = _mm256_setzero_si256(), passed = _mm256_set1_epi64x(-1), either, sum;

    UNROLLED
    for (size_t word = 0; word < words; word++) {
        zero[word] = _mm256_or_si256(zero[word], strip->minus[word]);
        made = _mm256_and_si256(_mm256_or_si256(zero[word], made), strip->plus[word]);
        passed = _mm256_and_si256(passed, strip->plus[word]);
    }
    either = _mm256_or_si256(made, passed);
    sum = _mm256_add_epi64(_mm256_add_epi64(made, _mm256_srli_epi64(edge, 63)), either);
    return _mm256_xor_si256(sum, _mm256_xor_si256(made, either));
}

/* The row differences of a word, from the previous column. */
AVX2 ALWAYS_INLINE struct row4 rows4(const struct strip4 *strip, size_t word, __m256i zero)
{
    __m256i plus = strip->plus[word], minus = strip->minus[word];

    return (struct row4){_mm256_andnot_si256(minus, _mm256_or_si256(plus, zero)),
                         _mm256_and_si256(plus, zero)};
}

/* Computes a word of the next column from the rows above. */
AVX2 ALWAYS_INLINE void update4(struct strip4 *strip, size_t word, __m256i zero, struct row4 above)
{
    strip->plus[word] = _mm256_or_si256(above.minus, _mm256_andnot_si256(zero, above.not_plus));
    strip->minus[word] = _mm256_andnot_si256(above.not_plus, zero);
}

/* edge: in, the row above the strip; out, its last row.  Only the sign bits matter. */
AVX2 ALWAYS_INLINE void column4(struct strip4 *strip, size_t words, const uint64_t *const *masks,
                                struct row4 *edge)
{
    __m256i zero[DISTANCE_STRIP], first;
    struct row4 above, below;

    transpose4(masks, words, zero);
    first = carry4(strip, words, zero, edge->minus);
    zero[0] = _mm256_or_si256(zero[0], first);
    above = rows4(strip, 0, zero[0]);
    UNROLLED
    for (size_t word = 1; word < words; word++) {
        zero[word] = _mm256_or_si256(zero[word], above.minus);
        below = rows4(strip, word, zero[word]);
        update4(strip, word, zero[word], above);
        above = below;
    }
    below = above;
    above.not_plus = _mm256_or_si256(_mm256_add_epi64(below.not_plus, below.not_plus),
                                     _mm256_srli_epi64(edge->not_plus, 63));
    above.minus = first;
    update4(strip, 0, zero[0], above);
    *edge = below;
}

AVX2 ALWAYS_INLINE void strip_avx2(const struct tile *tile, size_t words)
{
    const uint64_t *masks[LANES4], *above = tile->above;
    uint64_t *below = tile->below;
    struct strip4 strip;

    UNROLLED
    for (size_t word = 0; word < words; word++) {
        strip.plus[word] = load4(tile->plus + word * LANES4);
        strip.minus[word] = load4(tile->minus + word * LANES4);
    }
    for (size_t i = 0; i < tile->count; i++, above += tile->above_step, below += tile->below_step) {
        struct row4 edge = {load4(above), load4(above + LANES4)};

        masks_at(tile, i, LANES4, masks);
        column4(&strip, words, masks, &edge);
        store4(below, edge.not_plus);
        store4(below + LANES4, edge.minus);
    }
    UNROLLED
    for (size_t word = 0; word < words; word++) {
        store4(tile->plus + word * LANES4, strip.plus[word]);
        store4(tile->minus + word * LANES4, strip.minus[word]);
    }
}

AVX2 static void advance_avx2(struct distance_columns *columns, const uint8_t *const *texts, size_t count)
{
    _Alignas(64) static const uint64_t top[2 * LANES4] = {0}; /* increases in every lane */
    _Alignas(64) uint64_t spare[2 * LANES4];

    for (size_t word = 0; word < columns->words; word += columns->strip) {
        struct tile tile = tile_at(columns, word, LANES4, top, spare);

        tile.texts = texts;
        tile.count = count;
        WITH_CONSTANT_WORDS(strip_avx2, &tile, strip_words(columns, word))
    }
}

AVX2 static void sum_avx2(const struct distance_columns *columns, uint64_t *sums)
{
    sum_lanes(columns, LANES4, sums);
}

static const struct distance_kernel kernel_avx2 = {LANES4, advance_avx2, sum_avx2};

/* ---- AVX-512: 8 lanes ---- */

#define LANES8 8

/* Truth tables for ternarylogic are written as expressions of the inputs A, B and C. */
enum { A = 0xf0, B = 0xcc, C = 0xaa };
#define TERNARY(a, b, c, expression) _mm512_ternarylogic_epi64(a, b, c, (expression)&0xff)

struct strip8 {
    __m512i plus[DISTANCE_STRIP], minus[DISTANCE_STRIP];
};

struct row8 {
    __m512i plus, minus;
};

AVX512 ALWAYS_INLINE __m512i join8(const uint64_t *low, const uint64_t *high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_load_si256((const __m256i *)low)),
                              _mm256_load_si256((const __m256i *)high), 1);
}

AVX512 ALWAYS_INLINE void transpose8(const uint64_t *const *masks, size_t words, __m512i *zero)
{
    UNROLLED
    for (size_t word = 0; word < words; word += 4) {
        __m512i lanes02 = join8(masks[0] + word, masks[2] + word);
        __m512i lanes13 = join8(masks[1] + word, masks[3] + word);
        __m512i lanes46 = join8(masks[4] + word, masks[6] + word);
        __m512i lanes57 = join8(masks[5] + word, masks[7] + word);
        __m512i even0 = _mm512_unpacklo_epi64(lanes02, lanes13);
        __m512i even4 = _mm512_unpacklo_epi64(lanes46, lanes57);
        __m512i odd0 = _mm512_unpackhi_epi64(lanes02, lanes13);
        __m512i odd4 = _mm512_unpackhi_epi64(lanes46, lanes57);

        zero[word] = _mm512_shuffle_i64x2(even0, even4, _MM_SHUFFLE(2, 0, 2, 0));
        zero[word + 1] = _mm512_shuffle_i64x2(odd0, odd4, _MM_SHUFFLE(2, 0, 2, 0));
        zero[word + 2] = _mm512_shuffle_i64x2(even0, even4, _MM_SHUFFLE(3, 1, 3, 1));
        zero[word + 3] = _mm512_shuffle_i64x2(odd0, odd4, _MM_SHUFFLE(3, 1, 3, 1));
    }
}

AVX512 ALWAYS_INLINE __m512i carry8(const struct strip8 *strip, size_t words, __m512i *zero, __m512i edge)
{
    __m512i made = _mm512_setzero_si512(), passed = _mm512_set1_epi64(-1), either, sum;

    UNROLLED
    for (size_t word = 0; word < words; word++) {
        zero[word] = _mm512_or_si512(zero[word], strip->minus[word]);
        made = TERNARY(zero[word], made, strip->plus[word], (A | B) & C);
        passed = _mm512_and_si512(passed, strip->plus[word]);
    }
    either = _mm512_or_si512(made, passed);
    sum = _mm512_add_epi64(_mm512_add_epi64(made, _mm512_srli_epi64(edge, 63)), either);
    return TERNARY(sum, made, either, A ^ B ^ C);
}

AVX512 ALWAYS_INLINE struct row8 rows8(const struct strip8 *strip, size_t word, __m512i zero)
{
    __m512i plus = strip->plus[word], minus = strip->minus[word];

    return (struct row8){TERNARY(minus, plus, zero, A | ~(B | C)), _mm512_and_si512(plus, zero)};
}

AVX512 ALWAYS_INLINE void update8(struct strip8 *strip, size_t word, __m512i zero, struct row8 above)
{
    strip->plus[word] = TERNARY(above.minus, zero, above.plus, A | ~(B | C));
    strip->minus[word] = _mm512_and_si512(above.plus, zero);
}

AVX512 ALWAYS_INLINE void column8(struct strip8 *strip, size_t words, const uint64_t *const *masks,
                                  struct row8 *edge)
{
    __m512i zero[DISTANCE_STRIP], first;
    struct row8 above, below;

    transpose8(masks, words, zero);
    first = carry8(strip, words, zero, edge->minus);
    zero[0] = _mm512_or_si512(zero[0], first);
    above = rows8(strip, 0, zero[0]);
    UNROLLED
    for (size_t word = 1; word < words; word++) {
        zero[word] = _mm512_or_si512(zero[word], above.minus);
        below = rows8(strip, word, zero[word]);
        update8(strip, word, zero[word], above);
        above = below;
    }
    below = above;
    above.plus = _mm512_shldi_epi64(below.plus, edge->plus, 1);
    above.minus = first;
    update8(strip, 0, zero[0], above);
    *edge = below;
}

AVX512 ALWAYS_INLINE void strip_avx512(const struct tile *tile, size_t words)
{
    const uint64_t *masks[LANES8], *above = tile->above;
    uint64_t *below = tile->below;
    struct strip8 strip;

    UNROLLED
    for (size_t word = 0; word < words; word++) {
        strip.plus[word] = _mm512_load_si512(tile->plus + word * LANES8);
        strip.minus[word] = _mm512_load_si512(tile->minus + word * LANES8);
    }
    for (size_t i = 0; i < tile->count; i++, above += tile->above_step, below += tile->below_step) {
        struct row8 edge = {_mm512_load_si512(above), _mm512_load_si512(above + LANES8)};

        masks_at(tile, i, LANES8, masks);
        column8(&strip, words, masks, &edge);
        _mm512_store_si512(below, edge.plus);
        _mm512_store_si512(below + LANES8, edge.minus);
    }
    UNROLLED
    for (size_t word = 0; word < words; word++) {
        _mm512_store_si512(tile->plus + word * LANES8, strip.plus[word]);
        _mm512_store_si512(tile->minus + word * LANES8, strip.minus[word]);
    }
}

AVX512 static void advance_avx512(struct distance_columns *columns, const uint8_t *const *texts, size_t count)
{
    _Alignas(64) uint64_t top[2 * LANES8], spare[2 * LANES8];

    _mm512_store_si512(top, _mm512_set1_epi64(INT64_MIN)); /* increases in every lane */
    _mm512_store_si512(top + LANES8, _mm512_setzero_si512());
    for (size_t word = 0; word < columns->words; word += columns->strip) {
        struct tile tile = tile_at(columns, word, LANES8, top, spare);

        tile.texts = texts;
        tile.count = count;
        WITH_CONSTANT_WORDS(strip_avx512, &tile, strip_words(columns, word))
    }
}

AVX512 static void sum_avx512(const struct distance_columns *columns, uint64_t *sums)
{
    sum_lanes(columns, LANES8, sums);
}

static const struct distance_kernel kernel_avx512 = {LANES8, advance_avx512, sum_avx512};

#endif

const struct distance_kernel *distance_kernel_at(enum cpu_level level)
{
#if defined(__x86_64__)
    if (level == CPU_AVX512)
        return &kernel_avx512;
    if (level == CPU_AVX2)
        return &kernel_avx2;
#endif
    (void)level;
    return &kernel_scalar;
}
