/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PACKING_H
#define KITH_PACKING_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "sample/sample.h"

/*
 * The samples of a file as stored in a reference set: position and character, about 15 bits each at C = 128.
 * The rest of the fingerprint is in the set's index; only its six low bits, the index of its character in the
 * alphabet of gf8, are packed here.
 */
void packing_pack(struct buffer *out, const struct sample *samples, size_t count);

/*
 * Unpacks exactly `count` samples, with positions ascending and below limit, and fp 0..63.  -1 if the bytes
 * are not what packing_pack writes for that many.
 */
int packing_unpack(const void *data, size_t len, uint64_t limit, struct sample *samples, size_t count);

/* As packing_unpack, into places (places.h); positions must fit. */
int packing_unpack_places(const void *data, size_t len, uint64_t limit, uint64_t *places, size_t count);

#endif
