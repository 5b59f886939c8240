/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_HASHER_H
#define KITH_HASHER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "sample/record.h"
#include "sample/sampler.h"

/*
 * One pass over a stream of bytes: digests and samples, while the bytes are in the cache; the result is a
 * record. A hasher is used for one stream after another, by one thread.
 */
struct hasher;

/* digests: a set of DIGEST_BIT in which SHA-1 is.  NULL on error. */
struct hasher *hasher_new(const struct sampler_params *params, unsigned digests, struct error *err);
void hasher_free(struct hasher *hasher);

/* len: the length if it is known, or SAMPLER_UNKNOWN. */
int hasher_begin(struct hasher *hasher, uint64_t len, struct error *err);
int hasher_update(struct hasher *hasher, const void *data, size_t len, struct error *err);
/* So many zeros, in no time: then the record has no digests. */
int hasher_skip(struct hasher *hasher, uint64_t zeros, struct error *err);
/* As sampler_take: what is taken is not in the record any more. */
size_t hasher_take(struct hasher *hasher, const struct sample **samples);
/* Fills everything but the name. */
int hasher_final(struct hasher *hasher, struct record *record, struct error *err);

enum hasher_result {
    HASHER_OK,
    HASHER_UNREADABLE, /* the content cannot be had */
    HASHER_CHANGED,    /* it is not the same as when reading began */
    HASHER_FAILED,     /* the environment: memory, libcrypto */
};

/*
 * Hashes all that can be read from fd.  name is for the messages.  A regular file is watched: if its size or
 * times change, that is HASHER_CHANGED.  *progress, if not NULL, counts bytes.
 */
enum hasher_result hasher_fd(struct hasher *hasher, int fd, const char *name, atomic_ullong *progress,
                             struct record *record, struct error *err);

#endif
