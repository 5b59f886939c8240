/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CHOICE_H
#define KITH_CHOICE_H

#include "compare/finding.h"

/*
 * Chooses which of an object's findings are reported.  Of those that explain the same bytes the best one is
 * kept and counts the others.  Findings are sorted by set, and within a set best first.
 */

/* least: findings with fewer matching bytes are dropped, unless the object is identical; all: keep findings
 * that a better one explains, too.  Returns -1 if memory runs out; the list is then incomplete. */
int choice_make(struct findings *findings, uint64_t least, bool all, struct error *err);

#endif
