/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_INTERRUPT_H
#define KITH_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

/*
 * Ctrl-C (SIGINT), SIGTERM and SIGHUP as a wish to end well: what is done is kept.  The same signal once more
 * ends the process at once.
 */
void interrupt_catch(void);

/* The same wish, by the program itself: it makes no sense to go on. */
void interrupt_request(void);

/* Becomes true when the wish was uttered. */
const atomic_bool *interrupt_flag(void);

#endif
