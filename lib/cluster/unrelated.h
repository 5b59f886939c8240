/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_UNRELATED_H
#define KITH_UNRELATED_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * How close two signatures must be to be evidence of a relation.  Any two strings of the same few characters
 * have much in common: those of coates2011 differ in some 0.3 of their bits if the documents are unrelated.
 *
 * What unrelated signatures would differ by is measured on the pair itself: one of them is reversed, which
 * leaves its length, characters and runs as they are, but nothing of its order, and rotated by several
 * amounts.  The mean and the standard deviation of these distances are those of chance.
 */

/*
 * Sets *most to the largest distance that is evidence, given the number of pairs that are compared: chance
 * gives that or less to less than 0.05 of them all together, if distances are normally distributed.
 * Negative: none is, if they are so short that chance makes some equal.  *distance: that of the two.  Neither
 * may be empty.  -1 without memory.
 */
int unrelated_most(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len, double pairs,
                   double *distance, double *most, struct error *err);

#endif
