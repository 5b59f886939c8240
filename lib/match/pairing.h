/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PAIRING_H
#define KITH_PAIRING_H

#include "compare/compare.h"
#include "disk/content.h"

/*
 * Judges a comparison of two contents as a scan of one of them judges the other as a reference: by the same
 * rules (merit.h, compare/verdict.h), and with the E that it would have in a set without other files
 * (significance.h).
 *
 * All samples of both are at hand, so nothing is missed that a scan has to search for.  E decides nothing if
 * these rules are met: two contents are given, not found among many.  If they are not met, a low E of the
 * samples in bytes that vary suffices (pairing.c).
 */
struct pairing;

/* Returns NULL if out of memory. */
struct pairing *pairing_new(struct error *err);
void pairing_free(struct pairing *pairing);

/*
 * Judges the outcome of compare_run for two records of scheme gf8, of which a takes the place of the object.
 * content: the bytes of a; NULL if they are not there, and then all of them count as evidence.
 *
 * Removes from the comparison the ranges that are no evidence, and decides the verdict anew; the ranges
 * belong to the pairing, and are valid until its next use.  *ln_e: the natural logarithm of E; INFINITY if
 * there are no ranges.  Contents that are identical are left as they are.  Returns -1 if out of memory.
 */
int pairing_judge(struct pairing *pairing, const struct record *a, const struct record *b,
                  struct content *content, struct comparison *comparison, double *ln_e, struct error *err);

#endif
