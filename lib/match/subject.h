/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SUBJECT_H
#define KITH_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disk/inspector.h"
#include "sample/sample.h"

/* The object being matched, as all stages see it. */
struct subject {
    uint64_t size;                 /* bytes */
    uint32_t n, c;                 /* sampling parameters of the samples that are kept */
    const struct sampler_key *key; /* with which they are sampled; NULL: none */
    uint32_t probed_c;             /* C of the queries; of a huge object fewer samples are kept */
    const struct sample *samples;  /* sorted by position */
    size_t count;
    uint64_t sampled;        /* in bytes: all samples before this offset are there */
    uint64_t turn;           /* changes with the samples and with the object, so it identifies both */
    uint32_t coincidence;    /* as in struct sampler_result; 0: unknown */
    bool range;              /* not a file: see matcher_is_range */
    struct content *content; /* NULL if it cannot be read again */
};

#endif
