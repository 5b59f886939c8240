/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_CHANCE_H
#define KITH_SELFTEST_CHANCE_H

#include "selftest_run.h"

/*
 * Whether E is what it says: the number of references of which chance alone lines up matches in an object,
 * counted within this process, before any other rule for findings.
 *
 * The objects are what E takes chance to be, made from real content: samples of the references of a class, in
 * random order and at random distances.  So that an E far below one in all objects can be tested, most
 * objects are made to have lines, and weigh as little as they are then too frequent (lab_tilt.h).  -1 without
 * memory, and if the run is interrupted.
 */
int selftest_chance_run(struct selftest_run *run, struct error *err);

/* The limit of E with this index, of those below which selftest_chance counts: 10, 1, ... */
double selftest_chance_limit(size_t index);

#endif
