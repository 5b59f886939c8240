/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TSK_H
#define KITH_TSK_H

/*
 * The Sleuth Kit, for the few modules that use it.  They may run only in worker processes: libtsk is known to
 * crash, hang and abort on hostile images.
 */
#include <tsk/libtsk.h>

#include "base/error.h"

/* Fills err with a message, followed by libtsk's last error as one line; returns -1. */
int tsk_failed(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The version of the library that is in use: "4.11.1".  This may be called in any process. */
const char *tsk_library(void);

#endif
