/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BENCH_H
#define KITH_BENCH_H

#include <stdint.h>
#include <time.h>

/* What the measuring programs share. */

static inline double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Numbers that look random and are always the same. */
static inline uint64_t random64(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

#endif
