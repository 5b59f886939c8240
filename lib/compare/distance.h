/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DISTANCE_H
#define KITH_DISTANCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Exact Levenshtein distance of two byte strings: signatures (8-bit symbols) or whole files.
 *
 * Bit-parallel (Myers 1999; Hyyro 2003 for the block version): a column of the matrix is stored as vertical
 * differences, 64 rows per word.  A common prefix or suffix costs next to nothing.  An empty string may be
 * NULL.
 */

#define DISTANCE_MORE UINT64_MAX /* the distance is greater than the limit */

/* Computes the distance.  Needs one byte of memory per byte of the shorter string; -1 without memory. */
int distance_exact(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len, uint64_t *out,
                   struct error *err);

/*
 * Computes the distance if it is at most limit, else DISTANCE_MORE.  Time is proportional to limit * length
 * of the shorter string / 64, or less if the strings soon turn out to differ by more; memory is proportional
 * to limit, at most 33 bytes per byte of the longer string.
 *
 * After both strings were read once, stop, if not NULL, is called at the beginning and then at least every
 * few milliseconds.  If it returns non-zero, *out is DISTANCE_MORE and the function returns 1.  Otherwise
 * returns 0, or -1 without memory.
 */
int distance_bounded(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len, uint64_t limit,
                     int (*stop)(void *arg), void *arg, uint64_t *out, struct error *err);

/*
 * One query against many references; most efficient if many of them have similar lengths.  A query includes
 * work space, so only one thread may use it at a time.
 */
struct distance_query;

/* Copies the query and chooses a kernel by cpu_level(); NULL without memory. */
struct distance_query *distance_query_new(const uint8_t *query, size_t len, struct error *err);
void distance_query_free(struct distance_query *query);

/* Sets out[i] to the exact distance between the query and refs[i], of lens[i] bytes.  -1 without memory. */
int distance_many(struct distance_query *query, const uint8_t *const *refs, const size_t *lens, size_t count,
                  uint64_t *out, struct error *err);

#endif
