/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CPU_H
#define KITH_CPU_H

#include "base/error.h"

/*
 * The vector instructions that inner loops may use.  Every level gives the same results; to let tests prove
 * it, the environment variable KITH_CPU ("scalar", "avx2" or "avx512") lowers the level.
 */
enum cpu_level {
    CPU_SCALAR,
    CPU_AVX2,
    CPU_AVX512, /* F, BW, DQ, VL, VBMI2 and GFNI */
};

/* The level to use: the machine's, or a lower one named by KITH_CPU.  Unknown names are ignored here; see
 * cpu_check. */
enum cpu_level cpu_level(void);

/* The name of a level, as KITH_CPU spells it. */
const char *cpu_name(enum cpu_level level);

/* Returns -1 if KITH_CPU names an unknown level or one that this machine lacks. */
int cpu_check(struct error *err);

#endif
