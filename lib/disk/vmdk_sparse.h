/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_VMDK_SPARSE_H
#define KITH_VMDK_SPARSE_H

#include <stdbool.h>

#include "base/error.h"
#include "disk/backend.h"

/*
 * A sparse extent of a VMDK (KDMV, COWD): a directory of tables locates its grains in the file.  If directory
 * and tables have copies, both must agree.
 */
enum { VMDK_SPARSE_HEADER = 512 }; /* bytes */

/* Opens it as a backend (backend.h).  force: tolerate a damaged map. */
int vmdk_sparse_open(struct backend *backend, const char *path, struct content *content, bool force,
                     struct error *err);

#endif
