/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SAMPLE_H
#define KITH_SAMPLE_H

#include <stdint.h>

/* A selected window: its position in the content and its fingerprint. */
struct sample {
    uint64_t pos; /* of the first byte */
    uint64_t fp;
};

#endif
