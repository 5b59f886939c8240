/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FEATURES_H
#define KITH_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/wire.h"

/*
 * What findings of the same content have in common, whatever their references: those of the matching samples
 * with the lowest fingerprints.
 *
 * Samples that are selected at a larger C have lower fingerprints, so objects and references that are sampled
 * at different C have the same features as long as their content is the same.  Fingerprints are hashed,
 * since those of a set with a key are as secret as the key.
 */
enum { FEATURES_MOST = 8 };

struct features {
    uint64_t holders; /* times that the set has the content: the median of the matching samples; 0: unknown */
    unsigned count;
    uint32_t list[FEATURES_MOST]; /* ascending, all different */
};

/* Fills the list from the fingerprints of the matching samples, which it sorts. */
void features_take(struct features *features, uint64_t *fingerprints, size_t count);

/* Whether the list is ascending and not too long. */
bool features_are_sound(const struct features *features);

/* Encode as a message, and decode it; decoding returns false if it is malformed. */
void features_encode(struct buffer *out, const struct features *features);
bool features_decode(struct wire *wire, struct features *features);

/* Convert the list to bytes, four for each, and back; unpacking returns false if the bytes are malformed. */
void features_pack(struct buffer *out, const struct features *features);
bool features_unpack(const void *data, size_t len, struct features *features);

#endif
