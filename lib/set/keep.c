/* SPDX-License-Identifier: Apache-2.0 */
#include "set/keep.h"

/* The finalizer of SplitMix64 (kith-set(5)): different numbers have different hashes. */
static uint64_t hash_of(uint64_t sample)
{
    sample = (sample ^ sample >> 30) * 0xbf58476d1ce4e5b9;
    sample = (sample ^ sample >> 27) * 0x94d049bb133111eb;
    return sample ^ sample >> 31;
}

void keep_begin(struct keep *keep, uint32_t common)
{
    *keep = (struct keep){.first = keep_leading(common)};
    keep->chosen = keep_count(common) - keep->first;
}

void keep_add(struct keep *keep, size_t i, uint64_t sample)
{
    const uint64_t hash = hash_of(sample);
    size_t at = keep->count;

    if (i < keep->first || keep->chosen == 0)
        return;
    if (at == keep->chosen && hash > keep->hashes[at - 1])
        return;
    if (at < keep->chosen)
        keep->count++;
    else
        at--;
    for (; at > 0 && keep->hashes[at - 1] > hash; at--)
        keep->hashes[at] = keep->hashes[at - 1];
    keep->hashes[at] = hash;
}

bool keep_has(const struct keep *keep, size_t i, uint64_t sample)
{
    return i < keep->first || (keep->count && hash_of(sample) <= keep->hashes[keep->count - 1]);
}
