/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_KEEP_H
#define KITH_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which of a common feature's samples an index keeps.
 *
 * The first ones belong to the same few files for all features of a family of near-copies, which is how
 * matching finds one of them.  As many more are chosen by a hash of the number of the sample: a random
 * selection of all, which shows what kind of files these are.  What is kept of two lists together depends
 * only on what is kept of each.
 */
enum { KEEP_MOST = 16 };

struct keep {
    size_t first;               /* how many are kept because they are the first, */
    size_t chosen;              /* and how many are chosen among the others, */
    uint64_t hashes[KEEP_MOST]; /* which have these hashes, ascending */
    size_t count;
};

/* Begins for a set in which features of more than `common` files, at least one, are common. */
void keep_begin(struct keep *keep, uint32_t common);
/* Adds sample number i of an ascending list. */
void keep_add(struct keep *keep, size_t i, uint64_t sample);
/* Once all were added: whether sample number i of the list is kept. */
bool keep_has(const struct keep *keep, size_t i, uint64_t sample);

/* Returns how many are kept in all. */
static inline size_t keep_count(uint32_t common)
{
    return common < KEEP_MOST ? common : KEEP_MOST;
}

/* Returns how many of them are kept because they are the first. */
static inline size_t keep_leading(uint32_t common)
{
    return (keep_count(common) + 1) / 2;
}

#endif
