/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <stdlib.h>

void *memory_new(size_t size, struct error *err)
{
    void *block = calloc(1, size);

    if (!block)
        error_set(err, "out of memory");
    return block;
}
