/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TALLY_H
#define KITH_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sketch/permutation.h"

/*
 * Counts how often each number occurred: a hash table with open addressing.  A zeroed struct is empty.
 *
 * The content of evidence chooses the numbers, so each table hashes them by a random permutation of its own:
 * nobody can construct numbers that meet in one place and take quadratic time.  The counts do not depend on
 * it.
 */
struct tally {
    struct tally_entry {
        uint64_t key, times; /* 0 times: a free place */
    } * entries;
    size_t room, count;
    struct permutation hash; /* unless the table is empty */
};

/* Counts the key and returns how often it has occurred, this time included; 0 and a message without memory
 * or random bytes, or if there are too many keys. */
uint64_t tally_add(struct tally *tally, uint64_t key, struct error *err);
/* Whether the key has occurred. */
bool tally_has(const struct tally *tally, uint64_t key);
/* Forgets all keys, but keeps a table of ordinary size. */
void tally_reset(struct tally *tally);
void tally_release(struct tally *tally);

#endif
