/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/features.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/siphash.h"

enum { BYTES_EACH = 4 };

static int by_fingerprint(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static int by_feature(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static uint32_t feature_of(uint64_t fingerprint)
{
    static const uint8_t key[SIPHASH_KEY_LEN] = "kith feature";
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(fingerprint >> 8 * i);
    return (uint32_t)siphash(key, bytes, sizeof bytes);
}

/* Two fingerprints may have the same feature. */
static unsigned drop_repeated(uint32_t *list, unsigned count)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < count; i++)
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    return kept;
}

void features_take(struct features *features, uint64_t *fingerprints, size_t count)
{
    features->count = 0;
    if (count == 0)
        return;
    qsort(fingerprints, count, sizeof *fingerprints, by_fingerprint);
    for (size_t i = 0; i < count && features->count < FEATURES_MOST; i++)
        if (i == 0 || fingerprints[i] != fingerprints[i - 1])
            features->list[features->count++] = feature_of(fingerprints[i]);
    qsort(features->list, features->count, sizeof *features->list, by_feature);
    features->count = drop_repeated(features->list, features->count);
}

bool features_are_sound(const struct features *features)
{
    if (features->count > FEATURES_MOST)
        return false;
    for (unsigned i = 1; i < features->count; i++)
        if (features->list[i - 1] >= features->list[i])
            return false;
    return true;
}

/* ---- messages ---- */

void features_encode(struct buffer *out, const struct features *features)
{
    wire_put(out, features->holders);
    wire_put(out, features->count);
    for (unsigned i = 0; i < features->count; i++)
        wire_put(out, features->list[i]);
}

bool features_decode(struct wire *wire, struct features *features)
{
    uint64_t count;

    features->holders = wire_get(wire);
    count = wire_get(wire);
    if (count > FEATURES_MOST)
        return false;
    features->count = (unsigned)count;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t feature = wire_get(wire);

        if (feature > UINT32_MAX)
            return false;
        features->list[i] = (uint32_t)feature;
    }
    return features_are_sound(features);
}

/* ---- cases ---- */

void features_pack(struct buffer *out, const struct features *features)
{
    for (unsigned i = 0; i < features->count; i++)
        for (int byte = 0; byte < BYTES_EACH; byte++)
            buffer_add_char(out, (char)(features->list[i] >> 8 * byte));
}

bool features_unpack(const void *data, size_t len, struct features *features)
{
    if (len % BYTES_EACH || len / BYTES_EACH > FEATURES_MOST)
        return false;
    features->count = (unsigned)(len / BYTES_EACH);
    for (unsigned i = 0; i < features->count; i++)
        features->list[i] = bytes_load32((const uint8_t *)data + i * BYTES_EACH);
    return features_are_sound(features);
}
