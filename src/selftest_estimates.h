/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_ESTIMATES_H
#define KITH_SELFTEST_ESTIMATES_H

#include "selftest_run.h"

/* Compares estimated edit distances and their intervals with exact distances, within this process. */
int selftest_estimates_run(struct selftest_run *run, struct error *err);

#endif
