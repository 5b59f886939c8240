/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MEDIUM_INNER_H
#define KITH_MEDIUM_INNER_H

/* Shared by the files of this module: medium_open.c finds and opens the files, medium.c reads. */

#include "disk/medium.h"

/* Reads as much of a range as possible; returns its length. */
size_t medium_read_some(const struct backend *backend, uint64_t offset, uint8_t *into, size_t len);

#endif
