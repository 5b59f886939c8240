/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_VMDK_SPARSE_H
#define KITH_VMDK_SPARSE_H

#include <stdbool.h>

#include "base/error.h"
#include "disk/backend.h"

/*
 * A sparse extent of a VMDK (KDMV, COWD): grains that a directory of tables places in the file.  Directory
 * and tables may have copies, and both have to say the same.
 */
enum { VMDK_SPARSE_HEADER = 512 }; /* bytes */

/* As the backends of backend.h: force puts up with a damaged map. */
int vmdk_sparse_open(struct backend *backend, const char *path, bool force, struct error *err);

#endif
