/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_IMAGES_H
#define KITH_SELFTEST_IMAGES_H

#include "selftest_facts.h"
#include "selftest_run.h"

/* Runs the cases with images of file systems.  programs: is given the tools that make them. */
int selftest_images_run(struct selftest_run *run, struct selftest_facts *programs, struct error *err);

#endif
