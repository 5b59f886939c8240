/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LS_DIGESTS_H
#define KITH_LS_DIGESTS_H

#include "base/digest.h"
#include "disk/inspector.h"

/* An inspector that computes digests of objects.  kinds: a set of DIGEST_BIT, which must outlive it. */
struct inspector ls_digests_inspector(unsigned *kinds);

/* Reads the result of an object in the parent process; no digests if it was not read. */
void ls_digests_result(const struct object *object, struct digest_values *values);

#endif
