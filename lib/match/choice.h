/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CHOICE_H
#define KITH_CHOICE_H

#include "compare/finding.h"

/*
 * Which of an object's findings are reported: of those that explain the same bytes the best, which counts the
 * others; those of the first set first, and of each set the best one.
 */

/* least: bytes that must match, or only all of the object says enough; all: nothing is left out because a
 * better one explains it. */
void choice_make(struct findings *findings, uint64_t least, bool all);

#endif
