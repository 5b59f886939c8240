/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_FILES_INNER_H
#define KITH_SELFTEST_FILES_INNER_H

#include "selftest_files.h"

/* Runs the cases of files in which nothing can be found. */
int selftest_files_nothing(struct selftest_run *run, struct error *err);

#endif
