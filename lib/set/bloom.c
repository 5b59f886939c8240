/* SPDX-License-Identifier: Apache-2.0 */
#include "set/bloom.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    WORDS = BLOOM_BLOCK_LEN / sizeof(uint32_t),
    KEYS_PER_BLOCK = BLOOM_BLOCK_LEN * 8 / BLOOM_BITS_PER_KEY,
    BATCH = 32, /* cache lines requested at a time */
    LINE = 64,
    HUGE_PAGE = 2 << 20,
};

#define INLINE static inline __attribute__((always_inline))

static const uint64_t most_blocks = 1ULL << 34; /* half a terabyte */

/* Parquet, "Bloom filter", split block. */
static const uint32_t salts[WORDS] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                      0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

uint64_t bloom_blocks_for(uint64_t keys)
{
    const uint64_t blocks = keys / KEYS_PER_BLOCK + (keys % KEYS_PER_BLOCK != 0);

    return blocks ? blocks : 1;
}

struct bloom *bloom_new(uint64_t blocks)
{
    const size_t len = (size_t)blocks * BLOOM_BLOCK_LEN, align = len < HUGE_PAGE ? LINE : HUGE_PAGE;
    struct bloom *bloom = NULL;

    if (blocks == 0 || blocks > most_blocks || blocks > SIZE_MAX / 2 / BLOOM_BLOCK_LEN)
        return NULL;
    bloom = malloc(sizeof *bloom);
    if (!bloom)
        return NULL;
    bloom->blocks = blocks;
    bloom->words = aligned_alloc(align, (len + align - 1) / align * align);
    if (!bloom->words) {
        free(bloom);
        return NULL;
    }
    if (align == HUGE_PAGE)
        madvise(bloom->words, len, MADV_HUGEPAGE); /* otherwise each look-up also misses the TLB */
    memset(bloom->words, 0, len);
    return bloom;
}

void bloom_free(struct bloom *bloom)
{
    if (bloom)
        free(bloom->words);
    free(bloom);
}

/* The finaliser of SplitMix64 (Steele, Lea and Flood, 2014): each bit of the key reaches all of the hash. */
INLINE uint64_t mix(uint64_t key)
{
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9;
    key = (key ^ key >> 27) * 0x94d049bb133111eb;
    return key ^ key >> 31;
}

/* Where a key belongs: the upper half of its hash selects the block, the lower half the bits. */
struct place {
    uint32_t *block;
    uint32_t hash;
};

INLINE struct place place_of(const struct bloom *bloom, uint64_t key)
{
    const uint64_t hash = mix(key);
    const uint64_t block = (uint64_t)((unsigned __int128)hash * bloom->blocks >> 64);

    return (struct place){bloom->words + block * WORDS, (uint32_t)hash};
}

INLINE unsigned bit_of(uint32_t hash, unsigned word)
{
    return (hash * salts[word]) >> 27;
}

static size_t batch_len(size_t left)
{
    return left < BATCH ? left : BATCH;
}

void bloom_add(struct bloom *bloom, const uint64_t *keys, size_t count)
{
    struct place places[BATCH];

    for (size_t at = 0; at < count; at += BATCH) {
        const size_t len = batch_len(count - at);

        for (size_t i = 0; i < len; i++) {
            places[i] = place_of(bloom, keys[at + i]);
            __builtin_prefetch(places[i].block, 1);
        }
        for (size_t i = 0; i < len; i++)
            for (unsigned word = 0; word < WORDS; word++)
                places[i].block[word] |= 1u << bit_of(places[i].hash, word);
    }
}

/* ---- look-ups ---- */

typedef bool (*test_fn)(struct place place);

INLINE size_t probe(const struct bloom *bloom, const uint64_t *keys, size_t count, uint32_t *passed,
                    test_fn test)
{
    struct place places[BATCH];
    size_t found = 0;

    for (size_t at = 0; at < count; at += BATCH) {
        const size_t len = batch_len(count - at);

        for (size_t i = 0; i < len; i++) {
            places[i] = place_of(bloom, keys[at + i]);
            __builtin_prefetch(places[i].block);
        }
        for (size_t i = 0; i < len; i++) { /* branch-free: found <= at + i, so there is room */
            passed[found] = (uint32_t)(at + i);
            found += test(places[i]);
        }
    }
    return found;
}

/* An absent key usually fails at the first or second word. */
INLINE bool test_scalar(struct place place)
{
    for (unsigned word = 0; word < WORDS; word++)
        if (!(place.block[word] >> bit_of(place.hash, word) & 1))
            return false;
    return true;
}

static size_t probe_scalar(const struct bloom *bloom, const uint64_t *keys, size_t count, uint32_t *passed)
{
    return probe(bloom, keys, count, passed, test_scalar);
}

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2,bmi,bmi2")))

INLINE AVX2 bool test_avx2(struct place place)
{
    const __m256i by = _mm256_loadu_si256((const __m256i *)salts);
    __m256i bits = _mm256_mullo_epi32(_mm256_set1_epi32((int)place.hash), by);

    bits = _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(bits, 27));
    return _mm256_testc_si256(_mm256_load_si256((const __m256i *)place.block), bits);
}

static AVX2 size_t probe_avx2(const struct bloom *bloom, const uint64_t *keys, size_t count, uint32_t *passed)
{
    return probe(bloom, keys, count, passed, test_avx2);
}

#endif

size_t bloom_probe(const struct bloom *bloom, const uint64_t *keys, size_t count, uint32_t *passed)
{
#if defined(__x86_64__)
    if (cpu_level() >= CPU_AVX2)
        return probe_avx2(bloom, keys, count, passed);
#endif
    return probe_scalar(bloom, keys, count, passed);
}
