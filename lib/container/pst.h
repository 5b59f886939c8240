/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PST_H
#define KITH_PST_H

#include "container/container.h"

/*
 * Outlook data files, [MS-PST]: PST, OST and PAB.  They are recognised, so that it is reported that they were
 * not opened, but only that: the one member has no name, and a problem.
 */
extern const struct container_format pst_format;

#endif
