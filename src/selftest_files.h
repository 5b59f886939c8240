/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_FILES_H
#define KITH_SELFTEST_FILES_H

#include "selftest_run.h"

/* Runs the cases whose objects are files: identical, versions, embedded, fragments, unrelated, and those in
 * which nothing can be found.  The sets must have been made. */
int selftest_files_run(struct selftest_run *run, struct error *err);

#endif
