/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_EXPERIMENTS_H
#define KITH_LAB_EXPERIMENTS_H

#include "lab/lab.h"

/* All experiments, by paper; NULL ends the list. */
extern const struct lab_experiment *const lab_experiments[];

/* Runs one.  NULL on error; the document is the caller's. */
struct lab_document *lab_experiments_run(const struct lab_experiment *experiment, const struct lab_run *run,
                                         struct error *err);

/* What stands in its place if it could not be run: a document that says why.  NULL without memory. */
struct lab_document *lab_experiments_not_run(const struct lab_experiment *experiment,
                                             const struct error *reason);

#endif
