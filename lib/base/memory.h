/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MEMORY_H
#define KITH_MEMORY_H

#include <stddef.h>

#include "base/error.h"

/* Allocates `size` zeroed bytes, to be freed by the caller.  NULL and a message if memory runs out. */
void *memory_new(size_t size, struct error *err);

#endif
