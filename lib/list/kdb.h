/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_KDB_H
#define KITH_KDB_H

#include "base/digest.h"
#include "base/error.h"

/* Writing the hash database of The Sleuth Kit and Autopsy (.kdb): an SQLite file of theirs. */
struct kdb;

/* The file must not be there. */
struct kdb *kdb_create(const char *path, struct error *err);
/*
 * names: each ended by a zero byte.  1: it cannot be looked up there: it has no MD5, or another entry has the
 * same one (its names are added to that); -1: an error.
 */
int kdb_add(struct kdb *kdb, const struct digest_values *digests, const char *names, size_t names_len,
            struct error *err);
/* -1 if it is not complete; kdb_free alone leaves an incomplete file. */
int kdb_finish(struct kdb *kdb, struct error *err);
void kdb_free(struct kdb *kdb);

#endif
