/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_CHANCE_H
#define KITH_SELFTEST_CHANCE_H

#include "selftest_run.h"

/*
 * Whether E is what it says: the number of references of which chance alone lines up matches in an object,
 * counted within this process, before any other rule for findings.
 *
 * The objects are what E takes chance to be, made from real content: short blocks of the references, in
 * random order, so that many samples match, but nowhere line up for a reason.  -1 without memory, and if the
 * run is interrupted.
 */
int selftest_chance_run(struct selftest_run *run, struct error *err);

/* The limit of E with this index, of those below which selftest_chance counts: 1000, 100, ... */
double selftest_chance_limit(size_t index);

#endif
