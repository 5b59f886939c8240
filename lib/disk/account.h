/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ACCOUNT_H
#define KITH_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ranges.h"
#include "disk/object.h"

/*
 * The account of a part of an image: which kind of object each of its bytes belongs to, so that none is lost.
 *
 * A file system's objects claim the bytes that they are stored in; each byte counts once, for the first that
 * claims it.  One bit for each unit (the file system's block) says whether it was claimed: the rest of a unit
 * that an object fills in part is slack, since every object of a file system comes with the slack of its
 * blocks.  Objects that are not allocated claim nothing that is in use: what they lie in counts as deleted
 * where it is free, or nobody else's.  What no object claims in the end is `unclaimed`.
 */
enum account_row {
    /* An object's kind is its row; after them: */
    ACCOUNT_UNREADABLE = OBJECT_KINDS, /* errors of the medium, and stretches that had to be given up */
    ACCOUNT_NOT_EXAMINED,              /* encrypted, or a file system that cannot be read */
    ACCOUNT_NOT_SELECTED,              /* of kinds, or in a place, that was not asked for */
    ACCOUNT_ROWS,
};

struct account_table {
    uint64_t start, len; /* of the part, in bytes of the image */
    uint64_t objects[ACCOUNT_ROWS], bytes[ACCOUNT_ROWS];
};

struct account;

/* unit: bytes for each bit; 0: no map is needed, since no two objects overlap.  NULL without memory. */
struct account *account_new(uint64_t start, uint64_t len, uint64_t unit);
void account_free(struct account *account);

/*
 * Bytes of the image are stored in an object that belongs to a row; what lies outside of the part, or was
 * claimed before, is passed over.  bad: what of it could not be read, as ranges_insert keeps it; may be NULL.
 * -1 without memory.
 */
int account_claim(struct account *account, unsigned row, uint64_t start, uint64_t len,
                  const struct ranges *bad);

/* The same for an object that is not allocated. */
int account_claim_deleted(struct account *account, uint64_t start, uint64_t len);

/* An object was listed. */
void account_count(struct account *account, unsigned row);

/*
 * Appends what no object claims between two bytes of the image, in units that begin there.  Where objects lie
 * that are not allocated it is theirs, and counts as deleted.  -1 without memory.
 */
int account_unclaimed(struct account *account, uint64_t start, uint64_t end, struct ranges *out);

/* All that is not claimed yet counts for a row. */
int account_rest(struct account *account, unsigned row);

/* It lies in the account, and changes with each claim. */
const struct account_table *account_table(const struct account *account);
uint64_t account_sum(const struct account_table *table); /* of all rows, in bytes */

/* "file" .. "unreadable", "not-examined", "not-selected". */
const char *account_row_name(unsigned row);
int account_row_find(const char *name); /* -1: there is none of that name */

#endif
