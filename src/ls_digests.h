/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LS_DIGESTS_H
#define KITH_LS_DIGESTS_H

#include "base/digest.h"
#include "disk/inspector.h"

/* The digests of objects: an inspector.  kinds: a set of DIGEST_BIT, which must stay. */
struct inspector ls_digests_inspector(unsigned *kinds);

/* In the other process: what came out of an object; none if it was not read. */
void ls_digests_result(const struct object *object, struct digest_values *values);

#endif
