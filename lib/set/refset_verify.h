/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_VERIFY_H
#define KITH_REFSET_VERIFY_H

#include <stdatomic.h>

#include "base/error.h"

/*
 * Checks a set completely: every byte of the file by its page's CRC, SQLite's structure, the schema; whether
 * the counts are correct, each file is found by each of its digests and each sample in the index, and the
 * filters match the indexes.
 *
 * Reports each fault.  Returns their number, or -1 if the file could not be read at all.  count: incremented
 * for each file examined; may be NULL.
 */
int refset_verify(const char *path, void (*fault)(void *arg, const char *text), void *arg,
                  atomic_ullong *count, struct error *err);

#endif
