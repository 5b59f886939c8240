/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/memory.h"
#include "check_main.h"

/* AddressSanitizer ends a program that requests too much, unless it may return NULL. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

START_TEST(a_new_block_is_all_zero)
{
    for (size_t size = 1; size < 100000; size = 3 * size + 1) {
        uint8_t *volatile dirty = malloc(size);
        uint8_t *block;

        memset(dirty, 0xff, size);
        free(dirty); /* the next block may well be the same memory */
        block = memory_new(size, NULL);
        ck_assert_ptr_nonnull(block);
        for (size_t i = 0; i < size; i++)
            ck_assert_uint_eq(block[i], 0);
        free(block);
    }
}
END_TEST

START_TEST(running_out_of_memory_is_an_error)
{
    struct error err = {""};

    ck_assert_ptr_null(memory_new(SIZE_MAX, &err));
    ck_assert_str_eq(err.text, "out of memory");
    ck_assert_ptr_null(memory_new(SIZE_MAX, NULL));
}
END_TEST

RUN_TESTS("memory", a_new_block_is_all_zero, running_out_of_memory_is_an_error)
