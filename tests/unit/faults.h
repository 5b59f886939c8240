/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FAULTS_H
#define KITH_FAULTS_H

#include <stdio.h>

#include "check_main.h"

/* The first of the faults that a verification reports, and how many there are. */

static char first_fault[6000];
static unsigned fault_count;

static inline void begin_faults(void)
{
    first_fault[0] = '\0';
    fault_count = 0;
}

static inline void take_fault(void *arg, const char *text)
{
    (void)arg;
    ck_assert_int_ne(text[0], '\0');
    if (fault_count++ == 0)
        snprintf(first_fault, sizeof first_fault, "%s", text);
}

#endif
