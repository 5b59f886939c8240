/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SAMPLE_H
#define KITH_SAMPLE_H

#include <stdint.h>

/* A window that was selected: where it is in the content, and what it holds. */
struct sample {
    uint64_t pos; /* of its first byte */
    uint64_t fp;  /* fingerprint */
};

#endif
