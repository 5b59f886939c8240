/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CHECK_MAIN_H
#define KITH_CHECK_MAIN_H

#include <check.h>
#include <stdint.h>
#include <stdlib.h>

/* Shared by the unit tests: pseudo-random numbers that are the same in every run, and the runner of a file's
 * tests. */

static uint64_t random_state = 88172645463325252u;

static inline uint64_t random64(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1du;
}

static inline void fill_random(uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        p[i] = (uint8_t)(random64() >> 40);
}

/* On the heap, so that a sanitizer sees what lies beyond. */
static inline uint8_t *random_block(size_t len)
{
    uint8_t *block = malloc(len);

    ck_assert_ptr_nonnull(block);
    fill_random(block, len);
    return block;
}

/* Words of a small vocabulary: compresses and repeats like text. */
static inline void fill_text(uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len;) {
        uint64_t word = random64() % 400 * 0x9e3779b97f4a7c15;

        for (unsigned letters = 2 + (unsigned)(word >> 60); letters > 0 && i < len; letters--, word >>= 4)
            p[i++] = (uint8_t)('a' + (word >> 3) % 26);
        if (i < len)
            p[i++] = random64() % 12 ? ' ' : '\n';
    }
}

static inline int run_tests(const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *all = tcase_create(name);
    SRunner *runner;
    int failed;

    tcase_set_timeout(all, 600); /* enough for sanitizers and slow machines: it stops a test that hangs and
                                  * measures nothing */
    for (size_t i = 0; i < count; i++)
        tcase_add_test(all, tests[i]);
    suite_add_tcase(suite, all);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define RUN_TESTS(name, ...)                                                                                 \
    int main(void)                                                                                           \
    {                                                                                                        \
        const TTest *const tests[] = {__VA_ARGS__};                                                          \
        return run_tests(name, tests, sizeof tests / sizeof *tests);                                         \
    }

#endif
