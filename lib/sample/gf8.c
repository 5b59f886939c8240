/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/gf8.h"

#include <string.h>

#include "base/bytes.h"
#include "base/cpu.h"
#include "sample/gf8_tables.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    TARGET = 0xc3, /* a window fires where the upper bits of H equal those of this */
    BLOCK = 64,
    CROWDED = 2, /* with more firing positions in a block, check for periodic content */
};

#define INLINE static inline __attribute__((always_inline))

static uint8_t mask_of(uint32_t c)
{
    return (uint8_t)(0xff << (8 - __builtin_ctz(c)));
}

/* A mask of 64 bits: set where a and b hold the same byte. */
typedef uint64_t (*equal_fn)(const uint8_t *a, const uint8_t *b);

/* The positions in block[0..64) where a window ends that equals the one gf8->period bytes earlier. */
INLINE uint64_t repeated_ends(const struct gf8 *gf8, const uint8_t *block, equal_fn equal_places)
{
    const uint8_t *back = block - GF8_REACH;
    uint64_t before = equal_places(back, back - gf8->period) & UINT32_MAX;
    unsigned __int128 equal =
        (unsigned __int128)equal_places(block, block - gf8->period) << GF8_REACH | before;
    uint32_t length = 1;

    for (; length * 2 <= gf8->n; length *= 2)
        equal &= equal << length;
    equal &= equal << (gf8->n - length);
    return (uint64_t)(equal >> GF8_REACH);
}

INLINE size_t first_place(uint64_t places)
{
    return places ? (size_t)__builtin_ctzll(places) : BLOCK;
}

/*
 * Writes the firing positions of a block, nearly always none, one or two.  If there are more, those that
 * repeat at the last period are skipped, without which constant and periodic content would be slow.
 */
INLINE uint16_t *take(struct gf8 *gf8, const uint8_t *block, uint64_t fires, size_t base, uint16_t *end,
                      equal_fn equal_places)
{
    unsigned count = (unsigned)__builtin_popcountll(fires);
    uint64_t skipped;

    if (__builtin_expect(count <= CROWDED, 1)) {
        end[0] = (uint16_t)(base + first_place(fires));
        end[1] = (uint16_t)(base + first_place(fires & (fires - 1)));
        return end + count;
    }
    skipped = gf8->period ? fires & repeated_ends(gf8, block, equal_places) : 0;
    if (skipped)
        gf8->skipped_end = base + BLOCK - (size_t)__builtin_clzll(skipped);
    for (fires &= ~skipped; fires; fires &= fires - 1)
        *end++ = (uint16_t)(base + (size_t)__builtin_ctzll(fires));
    return end;
}

/* A mask of the first len positions of a block, len < BLOCK. */
INLINE uint64_t places_below(size_t len)
{
    return (1ULL << len) - 1;
}

/* ---- plain C ---- */

static uint64_t equal_places_scalar(const uint8_t *a, const uint8_t *b)
{
    uint64_t equal = 0;

    for (unsigned i = 0; i < BLOCK; i++)
        equal |= (uint64_t)(a[i] == b[i]) << i;
    return equal;
}

/* A mask of the 64 positions where the hash matches the target. */
static uint64_t firing_places(const uint8_t *hash, uint8_t mask)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7f, each = 0x0101010101010101;
    uint64_t fires = 0;

    for (unsigned i = 0; i < BLOCK; i += 8) {
        uint64_t x = bytes_load64(hash + i) & (mask * each);
        uint64_t zero_bytes = ~(((x & low) + low) | x | low);

        for (; zero_bytes; zero_bytes &= zero_bytes - 1)
            fires |= 1ULL << (i + (unsigned)__builtin_ctzll(zero_bytes) / 8);
    }
    return fires;
}

/* Rolls the hash over p[0..len) in four interleaved strands, since each step depends on the one before. */
INLINE void hash_strands(struct gf8 *gf8, const uint8_t *p, size_t len, bool secret)
{
    const size_t strand = (len + 3) / 4;
    uint8_t h[4] = {0};

    for (size_t s = 0; s < 4; s++)
        for (const uint8_t *q = p + s * strand - gf8->n; q < p + s * strand && q < p + len; q++)
            h[s] = (uint8_t)(gf8->roll[h[s]] ^ (secret ? gf8->enter[*q] : *q));
    for (size_t i = 0; i < strand; i++)
        for (size_t s = 0; s < 4; s++) {
            const size_t at = s * strand + i < len ? s * strand + i : len - 1;

            h[s] = (uint8_t)(gf8->roll[h[s]] ^ (secret ? gf8->enter[p[at]] : p[at]) ^
                             gf8->leave[*(p + at - gf8->n)]);
            if (s * strand + i < len)
                gf8->hash[at] = h[s] ^ gf8->target;
        }
}

static void hash_scalar(struct gf8 *gf8, const uint8_t *p, size_t len)
{
    if (gf8->secret)
        hash_strands(gf8, p, len, true);
    else
        hash_strands(gf8, p, len, false);
}

static size_t scan_scalar(struct gf8 *gf8, const uint8_t *p, size_t len, uint16_t *ends)
{
    uint8_t mask = mask_of(gf8->c);
    uint16_t *end = ends;

    hash_scalar(gf8, p, len);
    for (size_t base = 0; base < len; base += BLOCK) {
        uint64_t fires = firing_places(gf8->hash + base, mask);

        if (len - base < BLOCK)
            fires &= places_below(len - base);
        end = take(gf8, p + base, fires, base, end, equal_places_scalar);
    }
    return (size_t)(end - ends);
}

#if defined(__x86_64__)

/*
 * The vector kernels hash the 64 (or 2 x 32) windows that end in a block.  h4, the hash of the last four
 * bytes, comes from four loads; each further step of four bytes is  h(4i+4) = h4 ^ g^4 * h(4i)[4 positions
 * earlier],  where positions before the block come from the previous block; the rest of n beyond a multiple
 * of four comes from single loads.  What is loaded is multiplied by the secret matrix and a power of g at
 * once.
 */
#define AVX2      __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))
#define AVX512    __attribute__((target("avx512f,avx512bw,avx512vl,gfni,bmi,bmi2,popcnt,lzcnt")))
#define UNROLL    _Pragma("GCC unroll 8") /* keeps the vectors in registers at -O2, too */
#define MAX_STEPS (GF8_MAX_N / 4)

/* What a kernel does, constant where it matters. */
struct shape {
    unsigned steps, rest;
    bool keep_hash, secret;
};

static const struct shape usual = {3, 0, false, false}, usual_secret = {3, 0, false, true};

static struct shape shape_of(const struct gf8 *gf8)
{
    return (struct shape){gf8->n / 4, gf8->n % 4, true, gf8->secret};
}

/* ---- AVX-512 ---- */

INLINE AVX512 uint64_t equal_places512(const uint8_t *a, const uint8_t *b)
{
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(a), _mm512_loadu_si512(b));
}

struct kernel512 {
    __m512i g[4];              /* matrices for g^0 .. g^3 */
    __m512i step;              /* g^4 */
    __m512i rest[4];           /* matrices for g^(4 steps) .. */
    __m512i before[MAX_STEPS]; /* h(4i) of the previous block */
};

/* Loads 64 bytes and multiplies them by a matrix. */
INLINE AVX512 __m512i enter512(const uint8_t *p, __m512i matrix)
{
    return _mm512_gf2p8affine_epi64_epi8(_mm512_loadu_si512(p), matrix, 0);
}

INLINE AVX512 __m512i hash512(struct kernel512 *k, const uint8_t *p, unsigned steps, unsigned rest,
                              bool secret)
{
    __m512i h4 = secret ? enter512(p, k->g[0]) : _mm512_loadu_si512(p), h;

    UNROLL
    for (int i = 1; i < 4; i++)
        h4 = _mm512_xor_si512(h4, enter512(p - i, k->g[i]));
    h = h4;
    UNROLL
    for (unsigned i = 1; i < steps; i++) {
        __m512i moved = _mm512_alignr_epi32(h, k->before[i], 15);

        k->before[i] = h;
        h = _mm512_xor_si512(h4, _mm512_gf2p8mul_epi8(moved, k->step));
    }
    UNROLL
    for (unsigned i = 0; i < rest; i++)
        h = _mm512_xor_si512(h, enter512(p - 4 * steps - i, k->rest[i]));
    return h;
}

/* Hashes the windows of a block, XORs the target, and returns where they fire. */
INLINE AVX512 uint64_t fires512(struct gf8 *gf8, struct kernel512 *k, const uint8_t *p, size_t base,
                                __m512i target, __m512i mask, struct shape shape)
{
    __m512i h = _mm512_xor_si512(hash512(k, p + base, shape.steps, shape.rest, shape.secret), target);

    if (shape.keep_hash)
        _mm512_storeu_si512(gf8->hash + base, h);
    return _mm512_testn_epi8_mask(h, mask);
}

INLINE AVX512 size_t scan512(struct gf8 *gf8, const uint8_t *p, size_t len, uint16_t *ends,
                             struct shape shape)
{
    const __m512i target = _mm512_set1_epi8((char)gf8->target),
                  mask = _mm512_set1_epi8((char)mask_of(gf8->c));
    uint8_t first[2 * BLOCK] = {0};
    struct kernel512 k = {0};
    uint16_t *end = ends;
    size_t base = 0;
    uint64_t fires;

    UNROLL
    for (unsigned i = 0; i < 4; i++)
        k.g[i] = _mm512_set1_epi64((long long)gf8->products[i].matrix);
    k.step = _mm512_set1_epi8((char)gf8->step);
    UNROLL
    for (unsigned i = 0; i < shape.rest; i++)
        k.rest[i] = _mm512_set1_epi64((long long)gf8->products[4 * shape.steps + i].matrix);
    memcpy(first + BLOCK, p - BLOCK, BLOCK);
    hash512(&k, first + BLOCK, shape.steps, 0, shape.secret);
    for (; base + BLOCK <= len; base += BLOCK) {
        fires = fires512(gf8, &k, p, base, target, mask, shape);
        end = take(gf8, p + base, fires, base, end, equal_places512);
    }
    if (base < len) {
        fires = fires512(gf8, &k, p, base, target, mask, shape) & places_below(len - base);
        end = take(gf8, p + base, fires, base, end, equal_places512);
    }
    return (size_t)(end - ends);
}

static AVX512 size_t scan_avx512(struct gf8 *gf8, const uint8_t *p, size_t len, uint16_t *ends)
{
    if (gf8->n == 12 && gf8->c == GF8_MAX_C)
        return gf8->secret ? scan512(gf8, p, len, ends, usual_secret) : scan512(gf8, p, len, ends, usual);
    return scan512(gf8, p, len, ends, shape_of(gf8));
}

/* ---- AVX2 ---- */

/* Multiplication by a constant, nibble by nibble. */
struct product256 {
    __m256i low, high;
};

struct kernel256 {
    struct product256 g[4], step, rest[4]; /* as in kernel512 */
    __m256i before[MAX_STEPS];
};

INLINE AVX2 struct product256 product256(const struct gf8_product *product)
{
    return (struct product256){_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)product->low)),
                               _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)product->high))};
}

INLINE AVX2 __m256i multiply256(__m256i x, const struct product256 *by)
{
    const __m256i nibble = _mm256_set1_epi8(0x0f);
    __m256i low = _mm256_shuffle_epi8(by->low, _mm256_and_si256(x, nibble));
    __m256i high = _mm256_shuffle_epi8(by->high, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble));

    return _mm256_xor_si256(low, high);
}

INLINE AVX2 __m256i load256(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

INLINE AVX2 uint64_t equal_places256(const uint8_t *a, const uint8_t *b)
{
    unsigned low = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(load256(a), load256(b)));
    unsigned high = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(load256(a + 32), load256(b + 32)));

    return (uint64_t)high << 32 | low;
}

INLINE AVX2 __m256i hash256(struct kernel256 *k, const uint8_t *p, unsigned steps, unsigned rest, bool secret)
{
    __m256i h4 = secret ? multiply256(load256(p), &k->g[0]) : load256(p), h;

    UNROLL
    for (int i = 1; i < 4; i++)
        h4 = _mm256_xor_si256(h4, multiply256(load256(p - i), &k->g[i]));
    h = h4;
    UNROLL
    for (unsigned i = 1; i < steps; i++) {
        __m256i moved = _mm256_alignr_epi8(h, _mm256_permute2x128_si256(k->before[i], h, 0x21), 12);

        k->before[i] = h;
        h = _mm256_xor_si256(h4, multiply256(moved, &k->step));
    }
    UNROLL
    for (unsigned i = 0; i < rest; i++)
        h = _mm256_xor_si256(h, multiply256(load256(p - 4 * steps - i), &k->rest[i]));
    return h;
}

INLINE AVX2 unsigned fires256(struct gf8 *gf8, struct kernel256 *k, const uint8_t *p, size_t base,
                              uint8_t mask, struct shape shape)
{
    __m256i h = _mm256_xor_si256(hash256(k, p + base, shape.steps, shape.rest, shape.secret),
                                 _mm256_set1_epi8((char)gf8->target));

    if (shape.keep_hash)
        _mm256_storeu_si256((__m256i *)(gf8->hash + base), h);
    h = _mm256_and_si256(h, _mm256_set1_epi8((char)mask));
    return (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(h, _mm256_setzero_si256()));
}

INLINE AVX2 size_t scan256(struct gf8 *gf8, const uint8_t *p, size_t len, uint16_t *ends, struct shape shape)
{
    const uint8_t mask = mask_of(gf8->c);
    uint8_t first[2 * BLOCK] = {0};
    struct kernel256 k = {0};
    uint16_t *end = ends;

    UNROLL
    for (unsigned i = 0; i < 4; i++)
        k.g[i] = product256(&gf8->products[i]);
    k.step = product256(&gf8->by);
    UNROLL
    for (unsigned i = 0; i < shape.rest; i++)
        k.rest[i] = product256(&gf8->products[4 * shape.steps + i]);
    memcpy(first + BLOCK, p - BLOCK, BLOCK);
    hash256(&k, first + BLOCK, shape.steps, 0, shape.secret);
    hash256(&k, first + BLOCK + 32, shape.steps, 0, shape.secret);
    for (size_t base = 0; base < len; base += BLOCK) {
        uint64_t fires = fires256(gf8, &k, p, base, mask, shape);

        fires |= (uint64_t)fires256(gf8, &k, p, base + 32, mask, shape) << 32;
        if (len - base < BLOCK)
            fires &= places_below(len - base);
        end = take(gf8, p + base, fires, base, end, equal_places256);
    }
    return (size_t)(end - ends);
}

static AVX2 size_t scan_avx2(struct gf8 *gf8, const uint8_t *p, size_t len, uint16_t *ends)
{
    if (gf8->n == 12 && gf8->c == GF8_MAX_C)
        return gf8->secret ? scan256(gf8, p, len, ends, usual_secret) : scan256(gf8, p, len, ends, usual);
    return scan256(gf8, p, len, ends, shape_of(gf8));
}

#endif

void gf8_init(struct gf8 *gf8, uint32_t n, uint32_t c, const struct gf8_secret *secret)
{
    enum cpu_level level = cpu_level();

    memset(gf8, 0, sizeof *gf8);
    gf8->n = n;
    gf8->c = c;
    gf8->secret = secret != NULL;
    gf8->target = secret ? secret->target : TARGET;
    gf8_tables_make(gf8, secret);
    gf8->scan = scan_scalar;
#if defined(__x86_64__)
    if (level >= CPU_AVX512)
        gf8->scan = scan_avx512;
    else if (level >= CPU_AVX2)
        gf8->scan = scan_avx2;
#endif
    (void)level;
}

size_t gf8_scan(struct gf8 *gf8, const uint8_t *p, size_t len, uint16_t *ends)
{
    gf8->skipped_end = 0;
    return gf8->scan(gf8, p, len, ends);
}

/* The distances (bit 0: GF8_REACH, bit 31: 1) at which the four bytes at p also occur before p. */
static uint32_t likely_repeats(const uint8_t *p)
{
    uint32_t places = 0;

#if defined(__SSE2__)
    for (unsigned half = 0; half < GF8_REACH; half += 16) {
        const uint8_t *q = p - GF8_REACH + half;
        __m128i same = _mm_set1_epi8(-1);

        for (unsigned i = 0; i < 4; i++)
            same = _mm_and_si128(
                same, _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(q + i)), _mm_set1_epi8((char)p[i])));
        places |= (uint32_t)_mm_movemask_epi8(same) << half;
    }
#else
    for (unsigned i = 0; i < GF8_REACH; i++)
        places |= (uint32_t)(memcmp(p - GF8_REACH + i, p, 4) == 0) << i;
#endif
    return places;
}

bool gf8_repeats(struct gf8 *gf8, const uint8_t *window)
{
    for (uint32_t places = likely_repeats(window); places; places &= places - 1) {
        unsigned distance = GF8_REACH - (unsigned)__builtin_ctz(places);

        if (memcmp(window - distance, window, gf8->n) == 0) {
            gf8->period = distance;
            return true;
        }
    }
    return false;
}
