/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ARCHIVE_H
#define KITH_ARCHIVE_H

#include "container/container.h"

/*
 * Archives, through libarchive.  Of zip, the headers are read here, since the central directory and the local
 * headers need not agree; libarchive unpacks its members.
 */

extern const struct container_format archive_format_zip;

/* The version of libarchive that is in use: "3.6.2". */
const char *archive_library(void);

#endif
