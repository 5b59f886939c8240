/* SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>

#include "check_main.h"
#include "crew/crew.h"
#include "evidence/reading.h"

/* ---- a crew whose workers do nothing ---- */

static void *start_at_once(void *arg, struct crew_worker *worker, struct error *err)
{
    static int state;

    (void)arg, (void)worker, (void)err;
    return &state;
}

static void work_not_at_all(void *state, struct crew_worker *worker, const void *task, size_t len,
                            const int *fds, unsigned fd_count)
{
    (void)state, (void)worker, (void)task, (void)len, (void)fds, (void)fd_count;
}

static struct crew *idle_crew(const atomic_bool *stop)
{
    static const char *const no_folders[] = {NULL};
    const struct crew_job job = {.start = start_at_once,
                                 .work = work_not_at_all,
                                 .folders = no_folders,
                                 .memory = (uint64_t)1 << 30,
                                 .seconds = 600,
                                 .patience = 20,
                                 .stop = stop};
    struct error err = {""};
    struct crew *crew = crew_new(&job, 1, &err);

    ck_assert_msg(crew != NULL, "%s", err.text);
    return crew;
}

/* ---- ranges ---- */

enum { RANGES = 100000, SECTOR = 512 };

static struct range *many_ranges(void)
{
    struct range *ranges = calloc(RANGES, sizeof *ranges);

    ck_assert_ptr_nonnull(ranges);
    for (size_t i = 0; i < RANGES; i++)
        ranges[i] = (struct range){2 * i * SECTOR, SECTOR};
    return ranges;
}

/* More ranges than any task holds are left when reading fails, between two tasks. */
START_TEST(ranges_without_end_are_no_harm_once_reading_was_stopped)
{
    const atomic_bool stop = true;
    const struct evidence_options options = {.kinds = OBJECT_BIT(OBJECT_UNALLOCATED), .stop = &stop};
    struct error err = {""};
    struct reading reading = {.options = &options, .err = &err, .crew = idle_crew(&stop)};
    struct range *ranges = many_ranges();

    for (unsigned i = 0; i < 2; i++) {
        reading_ranges(&reading, OBJECT_UNALLOCATED, ranges, RANGES);
        ck_assert(reading.failed && reading.stopped);
        ck_assert_str_eq(err.text, "it was stopped");
    }
    crew_free(reading.crew);
    buffer_release(&reading.task);
    free(ranges);
}
END_TEST

RUN_TESTS("reading", ranges_without_end_are_no_harm_once_reading_was_stopped)
