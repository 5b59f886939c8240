/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "disk/content_part.h"

enum { LEN = 300 };

static uint8_t bytes[LEN], got[LEN];

/* Every range of every part of bytes in memory, against the bytes themselves. */
START_TEST(parts_of_memory)
{
    struct content_memory memory;

    fill_random(bytes, LEN);
    content_memory_init(&memory, bytes, LEN);
    for (size_t start = 0; start <= LEN; start += 25)
        for (size_t size = 0; size <= LEN - start; size += 25) {
            struct content_part part;

            content_part_init(&part, &memory.content, start, size);
            ck_assert_uint_eq(part.content.size, size);
            for (size_t at = 0; at <= size; at += 5) {
                ck_assert_int_eq(content_read(&part.content, at, got, size - at), 0);
                ck_assert_mem_eq(got, bytes + start + at, size - at);
                ck_assert_int_eq(content_read(&part.content, at, got, size - at + 1), -1);
            }
        }
}
END_TEST

/* A read that goes beyond the end of the part returns what there is. */
START_TEST(reads_beyond_the_end)
{
    struct content_memory memory;
    struct content_part part;

    fill_random(bytes, LEN);
    content_memory_init(&memory, bytes, LEN);
    content_part_init(&part, &memory.content, 100, 50);
    ck_assert_int_eq(part.content.read(&part.content, 40, got, 100), 10);
    ck_assert_mem_eq(got, bytes + 140, 10);
    ck_assert_int_eq(part.content.read(&part.content, 50, got, 1), 0);
    ck_assert_int_eq(part.content.read(&part.content, UINT64_MAX, got, 1), 0);
    ck_assert_int_eq(memory.content.read(&memory.content, 290, got, 100), 10);
    ck_assert_int_eq(memory.content.read(&memory.content, LEN, got, 1), 0);
}
END_TEST

RUN_TESTS("content_part", parts_of_memory, reads_beyond_the_end)
