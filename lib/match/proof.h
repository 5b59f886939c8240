/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PROOF_H
#define KITH_PROOF_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "compare/finding.h"
#include "disk/inspector.h"
#include "sample/places.h"
#include "sample/sample.h"

/*
 * From likely to certain.  A finding's ranges say where each block of the reference must be in the object;
 * exactly these bytes are read again, and their SHA-1 is compared with the block's.  A reference that is too
 * small for blocks is hashed as a whole.
 */
struct prover;

/* The samples of both, which tell of most blocks that they are not where they were thought to be. */
struct proof_samples {
    const struct places *reference;
    const struct sample *object; /* by position */
    size_t object_count;
    uint32_t n, reference_c, object_c;
};

struct proof_reference {
    uint64_t len;
    uint64_t block_size;
    const uint8_t *blocks; /* SHA-1s, one behind the other */
    size_t block_count;    /* 0: there are none */
    const uint8_t *sha1;   /* of the whole; NULL: unknown */
    uint32_t c;            /* at which it was sampled: the ends of ranges are known to about as many bytes */
    /* Where blocks may be besides the ends of the finding's ranges: stretches that are as long in both. */
    const struct finding_range *hints;
    size_t hint_count;
    const struct proof_samples *samples; /* or NULL */
};

/* NULL without memory. */
struct prover *proof_new(struct error *err);
void proof_free(struct prover *prover);

/*
 * Fills proof, proved and blocks, and makes the ranges exact where they are proved.  What cannot be read
 * again stays an estimate.  -1: the environment failed.
 */
int proof_run(struct prover *prover, const struct proof_reference *reference, struct content *content,
              uint64_t size, struct finding *finding, struct error *err);

#endif
