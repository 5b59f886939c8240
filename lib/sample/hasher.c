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
    struct sampler *sampler;
    uint64_t len;
    bool skipped;
};

struct hasher *hasher_new(const struct sampler_params *params, unsigned digests, struct error *err)
{
    struct hasher *hasher = memory_new(sizeof *hasher, err);

    if (!hasher)
        return NULL;
    hasher->params = *params;
    if ((hasher->digest = digest_new(digests, err)) && (hasher->sampler = sampler_new(params, err)))
        return hasher;
    hasher_free(hasher);
    return NULL;
}

void hasher_free(struct hasher *hasher)
{
    if (!hasher)
        return;
    sampler_free(hasher->sampler);
    digest_free(hasher->digest);
    free(hasher);
}

int hasher_begin(struct hasher *hasher, uint64_t len, struct error *err)
{
    hasher->len = 0;
    hasher->skipped = false;
    sampler_begin(hasher->sampler, len);
    return digest_begin(hasher->digest, err);
}

int hasher_update(struct hasher *hasher, const void *data, size_t len, struct error *err)
{
    const uint8_t *p = data;

    hasher->len += len;
    for (size_t pass; len > 0; p += pass, len -= pass) {
        pass = len < PASS_LEN ? len : PASS_LEN;
        if (digest_update(hasher->digest, p, pass, err) || sampler_update(hasher->sampler, p, pass, err))
            return -1;
    }
    return 0;
}

int hasher_skip(struct hasher *hasher, uint64_t zeros, struct error *err)
{
    hasher->len += zeros;
    hasher->skipped = true;
    return sampler_skip(hasher->sampler, zeros, err);
}

size_t hasher_take(struct hasher *hasher, const struct sample **samples)
{
    return sampler_take(hasher->sampler, samples);
}

int hasher_final(struct hasher *hasher, struct record *record, struct error *err)
{
    struct sampler_result result = sampler_final(hasher->sampler);

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
