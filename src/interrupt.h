/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_INTERRUPT_H
#define KITH_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

/*
 * From now on Ctrl-C (SIGINT), SIGTERM and SIGHUP only set the flag below, so that the command can stop and
 * keep its work.  The same signal a second time ends the process at once.
 */
void interrupt_catch(void);

/* Sets the flag from within the program, after an error that makes further work pointless. */
void interrupt_request(void);

/* The flag: true once the command should stop. */
const atomic_bool *interrupt_flag(void);

#endif
