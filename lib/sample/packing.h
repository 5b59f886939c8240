/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PACKING_H
#define KITH_PACKING_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "sample/sample.h"

/*
 * The samples of a file as a reference set keeps them: the position and the character of each, some 15 bits
 * at C = 128.  The rest of the fingerprint is in the set's index.
 *
 * Only the six lower bits of a fingerprint are packed: the number of its character in gf8's alphabet.
 */
void packing_pack(struct buffer *out, const struct sample *samples, size_t count);

/*
 * Fills count samples, positions ascending and below limit, fp 0..63; -1 if the bytes are anything but what
 * packing_pack writes for so many.
 */
int packing_unpack(const void *data, size_t len, uint64_t limit, struct sample *samples, size_t count);

/* As packing_unpack, for positions that fit in a place: see places.h. */
int packing_unpack_places(const void *data, size_t len, uint64_t limit, uint64_t *places, size_t count);

#endif
