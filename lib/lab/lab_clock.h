/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_CLOCK_H
#define KITH_LAB_CLOCK_H

#include "base/error.h"

/* Measuring speeds.  Results differ from run to run. */

/* Seconds of processor time that this thread has used. */
double lab_clock_seconds(void);

/* Repeats the work for about this time, at least once, and sets *out to its repetitions per second.  work
 * returns -1 on error, and so does this. */
int lab_clock_rate(int (*work)(void *arg, struct error *err), void *arg, double seconds, double *out,
                   struct error *err);

#endif
