/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_clock.h"

#include <stdint.h>
#include <time.h>

double lab_clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int lab_clock_rate(int (*work)(void *arg, struct error *err), void *arg, double seconds, double *out,
                   struct error *err)
{
    const double start = lab_clock_seconds();
    double taken = 0;
    uint64_t done = 0;

    /* the clock is read after 1, 2, 4, .. repetitions, since reading it may take longer than the work */
    for (uint64_t count = 1; taken < seconds; count *= 2) {
        for (; done < count; done++)
            if (work(arg, err))
                return -1;
        taken = lab_clock_seconds() - start;
    }
    *out = (double)done / (taken > 0 ? taken : 1e-9);
    return 0;
}
