/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_BRODER_H
#define KITH_LAB_BRODER_H

#include "lab/lab.h"

/* What Broder 1997 shows in figures, and its formulas beside simulations. */
extern const struct lab_experiment lab_broder_rose;
extern const struct lab_experiment lab_broder_sample;
extern const struct lab_experiment lab_broder_collisions;
extern const struct lab_experiment lab_broder_azuma;
extern const struct lab_experiment lab_broder_letters;
extern const struct lab_experiment lab_broder_heap;
extern const struct lab_experiment lab_broder_speed;
extern const struct lab_experiment lab_broder_estimates;
extern const struct lab_experiment lab_broder_clusters;

#endif
