/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/hasher.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

enum {
    PASS_LEN = 32 << 10, /* hashed, then sampled: fits in the L1 cache */
};

struct hasher {
    struct sampler_params params;
    struct digest *digest;
    struct sampler *samplers[HASHER_MOST_KEYS]; /* one for each key */
    size_t count;
    uint64_t len;
    bool skipped;
};

struct hasher *hasher_new(const struct sampler_params *params, unsigned digests, struct error *err)
{
    const struct sampler_key *const none = NULL;

    return hasher_new_keyed(params, &none, 1, digests, err);
}

static int make_samplers(struct hasher *hasher, const struct sampler_params *params,
                         const struct sampler_key *const *keys, size_t count, struct error *err)
{
    for (; hasher->count < count; hasher->count++) {
        struct sampler **sampler = &hasher->samplers[hasher->count];

        *sampler = sampler_new_keyed(params, keys[hasher->count], err);
        if (!*sampler)
            return -1;
    }
    return 0;
}

struct hasher *hasher_new_keyed(const struct sampler_params *params, const struct sampler_key *const *keys,
                                size_t count, unsigned digests, struct error *err)
{
    struct hasher *hasher = memory_new(sizeof *hasher, err);

    if (!hasher)
        return NULL;
    hasher->params = *params;
    if (keys[0])
        hasher->params.k = sampler_key_number(keys[0]->id);
    if ((hasher->digest = digest_new(digests, err)) && make_samplers(hasher, params, keys, count, err) == 0)
        return hasher;
    hasher_free(hasher);
    return NULL;
}

void hasher_free(struct hasher *hasher)
{
    if (!hasher)
        return;
    for (size_t i = 0; i < hasher->count; i++)
        sampler_free(hasher->samplers[i]);
    digest_free(hasher->digest);
    free(hasher);
}

int hasher_begin(struct hasher *hasher, uint64_t len, struct error *err)
{
    hasher->len = 0;
    hasher->skipped = false;
    for (size_t i = 0; i < hasher->count; i++)
        sampler_begin(hasher->samplers[i], len);
    return digest_begin(hasher->digest, err);
}

int hasher_update(struct hasher *hasher, const void *data, size_t len, struct error *err)
{
    const uint8_t *p = data;

    hasher->len += len;
    for (size_t pass; len > 0; p += pass, len -= pass) {
        pass = len < PASS_LEN ? len : PASS_LEN;
        if (digest_update(hasher->digest, p, pass, err))
            return -1;
        for (size_t i = 0; i < hasher->count; i++)
            if (sampler_update(hasher->samplers[i], p, pass, err))
                return -1;
    }
    return 0;
}

int hasher_skip(struct hasher *hasher, uint64_t zeros, struct error *err)
{
    hasher->len += zeros;
    hasher->skipped = true;
    for (size_t i = 0; i < hasher->count; i++)
        if (sampler_skip(hasher->samplers[i], zeros, err))
            return -1;
    return 0;
}

size_t hasher_take(struct hasher *hasher, size_t key, const struct sample **samples)
{
    return sampler_take(hasher->samplers[key], samples);
}

int hasher_final(struct hasher *hasher, struct record *record, struct error *err)
{
    struct sampler_result result = sampler_final(hasher->samplers[0]);

    record->params = hasher->params;
    record->params.c = result.c;
    record->len = hasher->len;
    record->coincidence = result.coincidence;
    if (digest_final(hasher->digest, &record->digests, err))
        return -1;
    if (hasher->skipped)
        record->digests = (struct digest_values){0};
    return record_set_samples(record, result.samples, result.count, err);
}
