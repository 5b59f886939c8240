/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_INNER_H
#define KITH_REFSET_INNER_H

#include "database/statement.h"
#include "set/refset.h"

/* For modules that read and write the tables of a set. */
struct refset {
    struct database *database;
    struct refset_info info;
};

extern const struct database_format refset_format;

/* Reports that the set is damaged, and how; the message begins with the set's path.  Returns -1. */
int refset_broken(const struct refset *set, struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Read and write the row of `info`; the write is part of the caller's transaction. */
int refset_load_info(struct refset *set, struct error *err);
int refset_save_info(struct refset *set, struct error *err);

/* Whether the set has table member, which sets of the first schema lack. */
bool refset_has_members(const struct refset *set);

/* Adds a size to the sum, which stops at the largest number that a set can hold. */
void refset_count_bytes(struct refset_counts *counts, uint64_t size);

/* Returns a digest's key in the index.  It depends on the set's UUID, so digests that collide in every set
 * cannot be prepared. */
uint64_t refset_digest_key(const struct refset *set, enum digest_kind kind, const uint8_t *digest);

#endif
