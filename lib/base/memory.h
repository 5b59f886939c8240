/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MEMORY_H
#define KITH_MEMORY_H

#include <stddef.h>

#include "base/error.h"

/* A block of `size` bytes, all zero, which the caller frees; NULL without memory, and the error says so. */
void *memory_new(size_t size, struct error *err);

#endif
