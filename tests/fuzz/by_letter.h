/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FUZZ_BY_LETTER_H
#define KITH_FUZZ_BY_LETTER_H

#include <stddef.h>
#include <stdint.h>

/* The first byte of an input selects the target of the rest: one or the other, or none. */
static inline int run_by_letter(const uint8_t *data, size_t size, char one,
                                void (*run_one)(const uint8_t *data, size_t size), char other,
                                void (*run_other)(const uint8_t *data, size_t size))
{
    if (size > 0 && data[0] == one)
        run_one(data + 1, size - 1);
    else if (size > 0 && data[0] == other)
        run_other(data + 1, size - 1);
    return 0;
}

#endif
