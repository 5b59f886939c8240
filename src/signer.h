/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SIGNER_H
#define KITH_SIGNER_H

#include "disk/inspector.h"
#include "set/known.h"

/* What a set is to know of a file, from its content: an inspector, whose result is a struct known. */
struct signer_plan {
    uint32_t n, c, block; /* as the set has them */
    unsigned digests;     /* a set of DIGEST_BIT */
};

/* The plan must stay. */
struct inspector signer_inspector(struct signer_plan *plan);

/* In the other process: the known that an object's result is, without names.  false if it is none. */
bool signer_result(const struct object *object, struct known *known);

#endif
