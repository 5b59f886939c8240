/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SUBJECT_H
#define KITH_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disk/inspector.h"
#include "sample/sample.h"

/* The object that is being matched, as all stages see it. */
struct subject {
    uint64_t size;                /* bytes */
    uint32_t n, c;                /* of the samples that are kept */
    uint32_t probed_c;            /* at which it was looked for: of a huge object fewer samples are kept */
    const struct sample *samples; /* by position */
    size_t count;
    uint64_t turn;           /* another one for other samples, and for other objects */
    uint32_t coincidence;    /* as in struct sampler_result; 0: unknown */
    bool range;              /* it is no file: see matcher_is_range */
    struct content *content; /* NULL if it cannot be had again */
};

#endif
