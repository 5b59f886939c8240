/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_COATES_H
#define KITH_LAB_COATES_H

#include "lab/lab.h"

/* The tables of Coates' papers of 2011 and 2015. */
extern const struct lab_experiment lab_coates_substitutions;

#endif
