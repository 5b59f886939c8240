/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_INNER_H
#define KITH_REFSET_INNER_H

#include "database/statement.h"
#include "set/refset.h"

/* For the modules that read and write the tables of a set. */
struct refset {
    struct database *database;
    struct refset_info info;
};

extern const struct database_format refset_format;

/* Messages about a set begin with its path. */
int refset_broken(const struct refset *set, struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads and writes the row `info`; the write is within the caller's transaction. */
int refset_load_info(struct refset *set, struct error *err);
int refset_save_info(struct refset *set, struct error *err);

/* The sum of sizes stays at the greatest number that a set can hold. */
void refset_count_bytes(struct refset_counts *counts, uint64_t size);

/* Keyed by the set's UUID, so that nobody makes digests that meet in one key of whatever set. */
uint64_t refset_digest_key(const struct refset *set, enum digest_kind kind, const uint8_t *digest);

#endif
