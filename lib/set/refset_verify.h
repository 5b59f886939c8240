/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_VERIFY_H
#define KITH_REFSET_VERIFY_H

#include <stdatomic.h>

#include "base/error.h"

/*
 * Checks a set as a whole: every byte of the file by its page's CRC, SQLite's structure, the schema; that the
 * counts are right, that each file is found by each of its digests and each sample in the index, and that the
 * filters are what the indexes make of them.
 *
 * Each fault is told.  Returns their number, or -1 if the file could not be read at all.  count: files that
 * were looked at; may be NULL.
 */
int refset_verify(const char *path, void (*fault)(void *arg, const char *text), void *arg,
                  atomic_ullong *count, struct error *err);

#endif
