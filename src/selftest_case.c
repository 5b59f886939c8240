/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_case.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct selftest_case *selftest_case_add(struct selftest_cases *cases, enum selftest_group group,
                                        struct error *err, const char *id, ...)
{
    struct selftest_case *test = calloc(1, sizeof *test);
    va_list args;

    // NOLINTNEXTLINE(bugprone-sizeof-expression): pointers
    if (!test || array_reserve(&cases->list, &cases->room, cases->count + 1)) {
        free(test);
        error_set(err, "out of memory");
        return NULL;
    }
    va_start(args, id);
    vsnprintf(test->id, sizeof test->id, id, args);
    va_end(args);
    test->group = group;
    test->class_name = test->size_name = "";
    cases->list[cases->count++] = test;
    return test;
}

void selftest_case_release(struct selftest_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++)
        free(cases->list[i]);
    free(cases->list);
}

void selftest_case_note(struct selftest_case *test, const char *fmt, ...)
{
    va_list args;

    if (test->note[0])
        return;
    va_start(args, fmt);
    vsnprintf(test->note, sizeof test->note, fmt, args);
    va_end(args);
}

const char *selftest_case_result(const struct selftest_case *test)
{
    if (test->broken)
        return "FAIL";
    if (test->trials == 0)
        return "not run";
    return test->promises ? "pass" : "measured";
}

bool selftest_case_expects(const struct selftest_case *test, const char *verdict)
{
    for (size_t i = 0; test->expected && test->expected[i]; i++)
        if (strcmp(test->expected[i], verdict) == 0)
            return true;
    return false;
}

uint64_t selftest_case_files(const struct selftest_case *test)
{
    return test->files ? test->files : test->trials;
}

static void add_promises(struct selftest_case *sum, const struct selftest_case *test)
{
    sum->promises += test->promises;
    sum->broken += test->broken;
}

/* All but the files. */
static void add_up(struct selftest_case *sum, const struct selftest_case *test)
{
    sum->trials += test->trials;
    sum->hits += test->hits;
    sum->right += test->right;
    sum->other += test->other;
    sum->unfounded += test->unfounded;
    add_promises(sum, test);
    sum->error_sum += test->error_sum;
    sum->error_squares += test->error_squares;
    sum->width_sum += test->width_sum;
    sum->ranges += test->ranges;
    sum->range_sum += test->range_sum;
}

/* Whether another case of the group has the same files, and more of them, or as many and comes first. */
static bool has_its_files(const struct selftest_cases *cases, size_t index)
{
    const struct selftest_case *test = cases->list[index];

    for (size_t i = 0; i < cases->count; i++) {
        const struct selftest_case *other = cases->list[i];

        if (i != index && other->group == test->group && other->trials && other->files &&
            other->first_file == test->first_file &&
            (other->files > test->files || (other->files == test->files && i < index)))
            return true;
    }
    return false;
}

struct selftest_case selftest_case_sum(const struct selftest_cases *cases, enum selftest_group group)
{
    struct selftest_case sum = {.group = group, .class_name = "", .size_name = ""};

    for (size_t i = 0; i < cases->count; i++) {
        const struct selftest_case *test = cases->list[i];

        if (test->group != group)
            continue;
        if (test->again) {
            add_promises(&sum, test);
            continue;
        }
        add_up(&sum, test);
        if (test->trials && (test->files == 0 || !has_its_files(cases, i)))
            sum.files += selftest_case_files(test);
    }
    return sum;
}

static bool is_same_procedure(const struct selftest_case *a, const struct selftest_case *b)
{
    const size_t len = strcspn(a->id, "-") + 1;

    return strncmp(a->id, b->id, len) == 0 && a->dense == b->dense && strcmp(a->what, b->what) == 0;
}

bool selftest_case_procedure(const struct selftest_cases *cases, size_t index, struct selftest_case *sum)
{
    for (size_t i = 0; i < index; i++)
        if (is_same_procedure(cases->list[i], cases->list[index]))
            return false;
    *sum = *cases->list[index];
    sum->id[strcspn(sum->id, "-")] = '\0';
    sum->files = selftest_case_files(sum);
    for (size_t i = index + 1; i < cases->count; i++)
        if (is_same_procedure(cases->list[i], cases->list[index])) {
            add_up(sum, cases->list[i]);
            sum->files += selftest_case_files(cases->list[i]);
        }
    return true;
}
