/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_RATES_H
#define KITH_LAB_RATES_H

#include <stdint.h>

/* The interval of a rate that was observed `hits` times in `trials` independent trials. */
struct lab_rates_interval {
    double low, high; /* from 0 to 1 */
};

/*
 * The two-sided 95 % interval of Clopper and Pearson (Biometrika 26, 1934), which covers the true rate in at
 * least 95 % of cases, whatever it is.  hits: at most trials.  Without trials it is all of 0 to 1.
 */
struct lab_rates_interval lab_rates_interval(uint64_t hits, uint64_t trials);

/* The mean of `count` values and the half width of its 95 % interval from their sum and their sum of squares;
 * 0 for fewer than two values. */
double lab_rates_half_width(double sum, double squares, uint64_t count);

#endif
