/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "evidence/gather.h"

enum { SIZE = 64 << 20, GAP = 4096, SECTOR = 512 };

/* ---- a medium that counts what is read from it ---- */

static uint64_t reads, bytes_read;

static uint8_t byte_at(uint64_t offset)
{
    return (uint8_t)(offset * 0x9e3779b97f4a7c15u >> 56);
}

static ssize_t read_medium(void *state, uint64_t offset, void *into, size_t len)
{
    (void)state;
    ck_assert(offset <= SIZE && len <= SIZE - offset);
    reads++;
    bytes_read += len;
    for (size_t i = 0; i < len; i++)
        ((uint8_t *)into)[i] = byte_at(offset + i);
    return (ssize_t)len;
}

static void close_medium(void *state)
{
    (void)state;
}

/* ---- gathering ---- */

static struct gather gather;
static struct object object;

static void add(uint64_t image, uint64_t len)
{
    object_reset(&object);
    ck_assert_int_eq(object_add_run(&object, 0, image, len), 0);
    ck_assert_int_eq(gather_add(&gather, &object), 0);
}

static void assert_found(uint64_t image, uint64_t len)
{
    const uint8_t *bytes = gather_find(&gather, &(struct object_run){0, image, len});

    for (uint64_t i = 0; i < len; i++)
        ck_assert_uint_eq(bytes[i], byte_at(image + i));
}

/* Into memory of exactly the size that is promised to suffice. */
static void read_all(void)
{
    const struct backend backend = {
        .size = SIZE, .sector_size = SECTOR, .read = read_medium, .close = close_medium};
    struct medium *medium = medium_new(&backend, "fake", NULL);
    static uint8_t *into;

    free(into);
    into = malloc(2 * (size_t)GATHER_MOST);
    reads = bytes_read = 0;
    gather_read(&gather, medium, into);
    medium_close(medium);
}

static void end(void)
{
    gather_release(&gather);
    object_release(&object);
}

START_TEST(small_gaps_are_read)
{
    add(10000 + 100 + GAP, 100);
    add(10000, 100);
    read_all();
    ck_assert_uint_eq(reads, 1);
    ck_assert_uint_eq(bytes_read, 200 + GAP);
    assert_found(10000, 100);
    assert_found(10100 + GAP, 100);
    gather_reset(&gather);
    add(10000, 100);
    add(10000 + 100 + GAP + 1, 100);
    read_all();
    ck_assert_uint_eq(reads, 2);
    ck_assert_uint_eq(bytes_read, 200);
    assert_found(10000, 100);
    assert_found(10101 + GAP, 100);
    end();
}
END_TEST

START_TEST(overlapping_runs_are_read_once)
{
    add(5000, 1000);
    add(5500, 100);
    add(5000, 200);
    add(5900, 300);
    add(5000, 1000);
    read_all();
    ck_assert_uint_eq(reads, 1);
    ck_assert_uint_eq(bytes_read, 1200);
    assert_found(5000, 1000);
    assert_found(5500, 100);
    assert_found(5000, 200);
    assert_found(5900, 300);
    end();
}
END_TEST

START_TEST(gaps_stay_within_the_memory_limit_of_runs)
{
    enum { RUNS = 3000, EACH = GATHER_MOST / RUNS, STEP = EACH + GAP };

    for (uint64_t i = 0; i < RUNS; i++)
        add((i * 1777 % RUNS) * STEP, EACH);
    read_all();
    ck_assert_uint_gt(reads, 1);
    ck_assert_uint_le(bytes_read, 2 * (uint64_t)GATHER_MOST);
    for (uint64_t i = 0; i < RUNS; i++)
        assert_found(i * STEP, EACH);
    end();
}
END_TEST

START_TEST(no_runs_read_nothing)
{
    gather_reset(&gather);
    read_all();
    object_reset(&object);
    ck_assert_int_eq(gather_add(&gather, &object), 0);
    read_all();
    ck_assert_uint_eq(reads, 0);
    end();
}
END_TEST

RUN_TESTS("gather", small_gaps_are_read, overlapping_runs_are_read_once,
          gaps_stay_within_the_memory_limit_of_runs, no_runs_read_nothing)
