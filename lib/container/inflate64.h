/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_INFLATE64_H
#define KITH_INFLATE64_H

#include "disk/deflate.h"

/*
 * Deflate64, by which Windows packs large files into zip archives: Deflate (RFC 1951) with a window of 64
 * KiB, two more codes of distances, and a last code of lengths that has 16 bits.
 */

struct inflate64;

/* NULL if out of memory. */
struct inflate64 *inflate64_new(void);
void inflate64_free(struct inflate64 *inflate);
/* Begins another stream. */
void inflate64_begin(struct inflate64 *inflate);
/* As deflate_step. */
int inflate64_step(struct inflate64 *inflate, struct deflate_step *step);

#endif
