/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_PROCESS_H
#define KITH_SELFTEST_PROCESS_H

#include "base/error.h"

/* Runs this program and the tools that make file systems, without a shell. */

/* What a program prints on standard output and standard error, and its folder. */
struct selftest_process {
    int folder;               /* descriptor of the folder it runs in; the files below are in it */
    const char *out, *errors; /* file names; replaced */
    const char *in;           /* standard input; NULL: empty */
};

/*
 * Runs the program to its end, with the locale C, UTC and fixed times.  argv ends with NULL.  Returns its
 * exit status, or -1 if it could not be started or was killed by a signal.
 */
int selftest_process_run(const struct selftest_process *process, const char *program, const char *const *argv,
                         struct error *err);

/* The path of a tool, looked up in PATH and in the folders of system tools; to be freed by the caller.  NULL
 * if there is none, or no memory. */
char *selftest_process_find(const char *tool);

#endif
