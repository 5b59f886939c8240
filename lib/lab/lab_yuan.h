/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_YUAN_H
#define KITH_LAB_YUAN_H

#include "lab/lab.h"

/* The examples, figures and table of Yuan et al. 2012. */
extern const struct lab_experiment lab_yuan_examples;
extern const struct lab_experiment lab_yuan_variance;
extern const struct lab_experiment lab_yuan_complexity;
extern const struct lab_experiment lab_yuan_group_size;
extern const struct lab_experiment lab_yuan_precision;
extern const struct lab_experiment lab_yuan_time;
extern const struct lab_experiment lab_yuan_change;

#endif
