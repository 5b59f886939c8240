/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/hasher_pair.h"

int hasher_pair_open(struct hasher_pair *pair, uint32_t n, uint32_t c, const struct sampler_key *const *keys,
                     size_t count, unsigned digests, struct error *err)
{
    const struct sampler_params small = {.scheme = SAMPLER_GF8, .n = n, .c = SAMPLER_AUTO};
    const struct sampler_params large = {.scheme = SAMPLER_GF8, .n = n, .c = c};

    pair->c = c;
    pair->small = hasher_new_keyed(&small, keys, count, digests, err);
    pair->large = pair->small ? hasher_new_keyed(&large, keys, count, digests, err) : NULL;
    if (pair->large)
        return 0;
    hasher_pair_close(pair);
    return -1;
}

void hasher_pair_close(struct hasher_pair *pair)
{
    hasher_free(pair->small);
    hasher_free(pair->large);
    *pair = (struct hasher_pair){0};
}

struct hasher *hasher_pair_for(const struct hasher_pair *pair, uint64_t len)
{
    return sampler_auto_c(len) < pair->c ? pair->small : pair->large;
}
