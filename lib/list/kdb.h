/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_KDB_H
#define KITH_KDB_H

#include "base/digest.h"
#include "base/error.h"

/* Writes a hash database of The Sleuth Kit and Autopsy (.kdb), which is an SQLite file. */
struct kdb;

/* Creates the file, which must not exist.  NULL on error. */
struct kdb *kdb_create(const char *path, struct error *err);
/*
 * Adds a file.  names: each terminated by a zero byte.  Returns 0; 1 if the file cannot be looked up in such
 * a database, because it has no MD5 or another entry has the same one (its names are added to that entry); -1
 * on error.
 */
int kdb_add(struct kdb *kdb, const struct digest_values *digests, const char *names, size_t names_len,
            struct error *err);
/* Completes the file; -1 on error.  Without this, kdb_free leaves an incomplete file. */
int kdb_finish(struct kdb *kdb, struct error *err);
void kdb_free(struct kdb *kdb);

#endif
