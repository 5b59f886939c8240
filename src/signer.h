/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SIGNER_H
#define KITH_SIGNER_H

#include "disk/inspector.h"
#include "set/known.h"

/* An inspector that makes a struct known, the entry of a set, from the content of a file. */
struct signer_plan {
    uint32_t n, c;                 /* the parameters of the set */
    const struct sampler_key *key; /* of the set; NULL: none */
    uint32_t block;                /* 0: no digests of blocks */
    unsigned digests;              /* a set of DIGEST_BIT */
};

/* The plan must outlive the inspector. */
struct inspector signer_inspector(struct signer_plan *plan);

/* Reads the result of an object in the parent process; it has no names.  Returns false if it is invalid. */
bool signer_result(const struct object *object, struct known *known);

#endif
