/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LEVELS_H
#define KITH_LEVELS_H

#include <stdlib.h>

#include "base/cpu.h"

/* Runs the test with each instruction set of this machine, the slowest first. */
static inline void for_each_level(void (*test)(void))
{
    unsetenv("KITH_CPU");
    for (int level = CPU_SCALAR, most = (int)cpu_level(); level <= most; level++) {
        setenv("KITH_CPU", cpu_name((enum cpu_level)level), 1);
        test();
    }
    unsetenv("KITH_CPU");
}

#endif
