/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DISTANCE_H
#define KITH_DISTANCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Exact Levenshtein distance of two strings of bytes: signatures (8-bit symbols) or whole files.
 *
 * Bit-parallel (Myers 1999; Hyyro 2003 for the block version): a column of the matrix is kept as vertical
 * differences, 64 rows a word.  What two strings begin and end with in common costs next to nothing.  An
 * empty string may be NULL.
 */

#define DISTANCE_MORE UINT64_MAX /* the distance is greater than the limit */

/* 0 and *out, or -1 without memory: one byte for each byte of the shorter string. */
int distance_exact(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len, uint64_t *out,
                   struct error *err);

/*
 * The distance if it is at most limit, else DISTANCE_MORE; work in proportion to limit * shorter length / 64,
 * and less if the strings soon turn out to differ more; memory in proportion to limit, at most 33 bytes for
 * each byte of the longer string.
 *
 * stop, when not NULL, is asked at the beginning and then at least every few ms, after both strings were read
 * once.  When it answers non-zero, *out is DISTANCE_MORE and the call returns 1.  Otherwise 0, or -1 without
 * memory.
 */
int distance_bounded(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len, uint64_t limit,
                     int (*stop)(void *arg), void *arg, uint64_t *out, struct error *err);

/*
 * One query against many references; best when many of them have nearly the same length.  A query has room to
 * work in, so only one thread uses it at a time.
 */
struct distance_query;

/* Copies the query, and chooses the instructions by cpu_level(); NULL without memory. */
struct distance_query *distance_query_new(const uint8_t *query, size_t len, struct error *err);
void distance_query_free(struct distance_query *query);

/* out[i] is the exact distance of the query and refs[i] (lens[i] bytes).  -1 without memory. */
int distance_many(struct distance_query *query, const uint8_t *const *refs, const size_t *lens, size_t count,
                  uint64_t *out, struct error *err);

#endif
