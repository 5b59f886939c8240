/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_KEY_H
#define KITH_REFSET_KEY_H

#include "database/statement.h"
#include "sample/sampler_key.h"

/* The ID of the key that the files of a set are sampled with, in its table key.  It never changes. */

/* Reads it: all zeros if there is none.  Returns 1, 0 if its row is malformed, or -1. */
int refset_key_load(struct database *database, uint8_t id[SAMPLER_KEY_ID_LEN], struct error *err);
/* Writes it to a new set, as part of the caller's transaction, unless it is all zeros. */
int refset_key_save(struct database *database, const uint8_t id[SAMPLER_KEY_ID_LEN], struct error *err);

#endif
