/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PROOF_H
#define KITH_PROOF_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "compare/finding.h"
#include "disk/inspector.h"
#include "match/effort.h"
#include "sample/places.h"
#include "sample/sample.h"

/*
 * Turns likely into certain.  A finding's ranges say where each block of the reference must be in the object;
 * exactly these bytes are read again, and their SHA-1 is compared with the block's.  A reference that is too
 * small for blocks is hashed as a whole.
 */
struct prover;

/* The samples of both sides.  They rule out most blocks that are not where they were assumed. */
struct proof_samples {
    const struct places *reference;
    const struct sample *object; /* sorted by position */
    size_t object_count;
    uint32_t n, reference_c, object_c;
};

struct proof_reference {
    uint64_t len;
    uint64_t block_size;
    const uint8_t *blocks; /* SHA-1 digests, concatenated */
    size_t block_count;    /* 0: no blocks */
    const uint8_t *sha1;   /* of the whole reference; NULL: unknown */
    uint32_t c;            /* C at which it was sampled; range ends are accurate to about this many bytes */
    /* Further places to look for blocks, besides the ends of the finding's ranges: stretches that have the
     * same length on both sides. */
    const struct finding_range *hints;
    size_t hint_count;
    const struct proof_samples *samples; /* may be NULL */
    struct effort *effort;               /* counts what is hashed */
};

/* Returns NULL if out of memory. */
struct prover *proof_new(struct error *err);
void proof_free(struct prover *prover);

/*
 * Sets proof, proved and blocks of the finding, and makes its ranges exact where they are proved.  What
 * cannot be read again remains an estimate.  Returns -1 only if the environment fails.
 */
int proof_run(struct prover *prover, const struct proof_reference *reference, struct content *content,
              uint64_t size, struct finding *finding, struct error *err);

#endif
