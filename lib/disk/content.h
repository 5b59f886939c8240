/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CONTENT_H
#define KITH_CONTENT_H

#include "base/digest.h"
#include "disk/inspector.h"

/* The digests of bytes that are read again: 1; 0 if they cannot be read; -1 if libcrypto fails. */
int content_digest(struct content *content, struct digest *digest, uint64_t offset, uint64_t len,
                   struct digest_values *values, struct error *err);

#endif
