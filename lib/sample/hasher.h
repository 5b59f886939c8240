/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_HASHER_H
#define KITH_HASHER_H

#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "sample/record.h"
#include "sample/sampler.h"

/*
 * Turns a stream of bytes into a record: digests and samples in a single pass, while the bytes are in the
 * cache.  A hasher is reusable, for one stream at a time, by one thread.
 */
struct hasher;

enum { HASHER_MOST_KEYS = 8 };

/* digests: a set of DIGEST_BITs that includes SHA-1.  NULL on error. */
struct hasher *hasher_new(const struct sampler_params *params, unsigned digests, struct error *err);
/* As hasher_new, with up to HASHER_MOST_KEYS keys of which each selects its own samples; NULL is no key. Keys
 * are not needed afterwards. */
struct hasher *hasher_new_keyed(const struct sampler_params *params, const struct sampler_key *const *keys,
                                size_t count, unsigned digests, struct error *err);
void hasher_free(struct hasher *hasher);

/* len: the length if known, else SAMPLER_UNKNOWN. */
int hasher_begin(struct hasher *hasher, uint64_t len, struct error *err);
int hasher_update(struct hasher *hasher, const void *data, size_t len, struct error *err);
/* Skips a run of zeros in constant time; the record then has no digests. */
int hasher_skip(struct hasher *hasher, uint64_t zeros, struct error *err);
/* As sampler_take, of the key with this index (0 if there are no keys): samples taken are no longer part of
 * the record. */
size_t hasher_take(struct hasher *hasher, size_t key, const struct sample **samples);
/* Fills in the record, except for the name, with the samples of the first key. */
int hasher_final(struct hasher *hasher, struct record *record, struct error *err);

#endif
