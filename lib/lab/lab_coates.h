/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_COATES_H
#define KITH_LAB_COATES_H

#include "lab/lab.h"

/* The tables of Coates' papers of 2011 and 2015. */
extern const struct lab_experiment lab_coates_speed;
extern const struct lab_experiment lab_coates_substitutions;
extern const struct lab_experiment lab_coates_blocks;
extern const struct lab_experiment lab_coates_embedded;
extern const struct lab_experiment lab_coates_split;
extern const struct lab_experiment lab_coates_locality;
extern const struct lab_experiment lab_coates_errors;
extern const struct lab_experiment lab_coates_2015;
extern const struct lab_experiment lab_coates_2015_speed;
extern const struct lab_experiment lab_coates_places;
extern const struct lab_experiment lab_coates_unrelated;

#endif
