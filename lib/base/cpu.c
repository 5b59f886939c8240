/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

static const char *const level_names[] = {"scalar", "avx2", "avx512"};

static enum cpu_level machine_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("gfni"))
        return CPU_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return CPU_AVX2;
#endif
    return CPU_SCALAR;
}

/* The level that KITH_CPU names, or -1. */
static int wanted_level(const char *name)
{
    for (int i = CPU_SCALAR; i <= CPU_AVX512; i++)
        if (strcmp(name, level_names[i]) == 0)
            return i;
    return -1;
}

enum cpu_level cpu_level(void)
{
    enum cpu_level machine = machine_level();
    const char *name = getenv("KITH_CPU");
    int wanted = name ? wanted_level(name) : -1;

    return wanted >= 0 && wanted < (int)machine ? (enum cpu_level)wanted : machine;
}

const char *cpu_name(enum cpu_level level)
{
    return level_names[level];
}

int cpu_check(struct error *err)
{
    const char *name = getenv("KITH_CPU");
    int wanted = name && *name ? wanted_level(name) : CPU_SCALAR;

    if (wanted < 0)
        return error_set(err, "KITH_CPU is '%s', expected scalar, avx2 or avx512", name);
    if (wanted > (int)machine_level())
        return error_set(err, "KITH_CPU asks for %s, but this machine has only %s", name,
                         cpu_name(machine_level()));
    return 0;
}
