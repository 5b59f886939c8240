/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_UNOPENED_H
#define KITH_UNOPENED_H

#include "container/container.h"

/*
 * Formats that are recognised, so that it is reported that they were not opened, but only that: the one
 * member has no name, and a problem.
 */

/* Outlook data files, [MS-PST]: PST, OST and PAB. */
extern const struct container_format unopened_format_pst;
/* Disk images: containers of these, and raw disks with a partition table.  They are evidence of their own. */
extern const struct container_format unopened_format_image;
/* The problem of one in a format that can also be read where it is stored. */
extern const char unopened_image_problem[];

#endif
