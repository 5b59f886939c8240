/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ACCOUNT_H
#define KITH_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ranges.h"
#include "disk/object.h"

/*
 * The account of a part of an image: which kind of object each byte belongs to, so that none is lost.
 *
 * The objects of a file system claim the bytes they are stored in; each byte counts once, for the first
 * object that claims it.  A bit per unit (the file system's block) records whether the unit has been claimed:
 * if an object fills only part of a unit, the rest is slack, since each object of a file system comes with
 * the slack of its blocks.  Deleted objects cannot claim anything in use: the space they occupy counts as
 * deleted if it is free or belongs to no other object.  Whatever no object claims in the end is `unclaimed`.
 */
enum account_row {
    /* The first rows are the kinds of objects.  Besides these: */
    ACCOUNT_UNREADABLE = OBJECT_KINDS, /* read errors, and ranges that had to be given up */
    ACCOUNT_NOT_EXAMINED,              /* encrypted, or an unsupported file system */
    ACCOUNT_NOT_SELECTED,              /* of a kind, or in a place, that was not selected */
    ACCOUNT_ROWS,
};

struct account_table {
    uint64_t start, len; /* the part, in bytes of the image */
    uint64_t objects[ACCOUNT_ROWS], bytes[ACCOUNT_ROWS];
};

struct account;

/* unit: bytes per bit; 0: no map is needed, because objects do not overlap.  NULL if out of memory. */
struct account *account_new(uint64_t start, uint64_t len, uint64_t unit);
void account_free(struct account *account);

/*
 * Records that an object of this row is stored in these bytes of the image.  Bytes outside the part, or
 * already claimed, are ignored.  bad: unreadable ranges, sorted as by ranges_insert; may be NULL.  -1 if out
 * of memory.
 */
int account_claim(struct account *account, unsigned row, uint64_t start, uint64_t len,
                  const struct ranges *bad);

/* The same for a deleted object. */
int account_claim_deleted(struct account *account, uint64_t start, uint64_t len);

/* Records that an object was listed. */
void account_count(struct account *account, unsigned row);

/*
 * Appends the ranges between start and end that no object claims; units begin at start.  Where deleted
 * objects lie, the space is theirs and counts as deleted.  -1 if out of memory.
 */
int account_unclaimed(struct account *account, uint64_t start, uint64_t end, struct ranges *out);

/* Counts everything that has not been claimed under this row.  -1 if out of memory. */
int account_rest(struct account *account, unsigned row);

/* Points into the account and changes with each claim. */
const struct account_table *account_table(const struct account *account);
uint64_t account_sum(const struct account_table *table); /* sum over all rows, in bytes */

/* "file", ... "unreadable", "not-examined", "not-selected". */
const char *account_row_name(unsigned row);
int account_row_find(const char *name); /* -1 if there is no such name */

#endif
