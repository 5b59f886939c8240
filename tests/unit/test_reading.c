/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>

#include "check_main.h"
#include "crew/crew.h"
#include "evidence/reading.h"
#include "small_crew.h"

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
    return small_crew((struct crew_job){.start = start_at_once, .work = work_not_at_all, .stop = stop});
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
START_TEST(any_number_of_ranges_is_harmless_once_reading_was_stopped)
{
    const atomic_bool stop = true;
    const struct evidence_options options = {.kinds = OBJECT_BIT(OBJECT_UNALLOCATED), .stop = &stop};
    struct error err = {""};
    struct reading reading = {.options = &options, .err = &err, .crew = idle_crew(&stop)};
    struct range *ranges = many_ranges();

    for (unsigned i = 0; i < 2; i++) {
        reading_ranges(&reading, OBJECT_UNALLOCATED, ranges, RANGES);
        ck_assert(reading.failed && reading.stopped);
        ck_assert_str_eq(err.text, "stopped");
    }
    crew_free(reading.crew);
    buffer_release(&reading.task);
    free(ranges);
}
END_TEST

/* ---- tasks that were lost ---- */

static struct buffer said;

static void say(void *arg, const char *text)
{
    (void)arg;
    buffer_printf(&said, "%s\n", text);
}

static void say_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                       const char *paths, size_t count)
{
    (void)arg, (void)volume, (void)paths, (void)count;
    ck_assert_int_eq(object->state, OBJECT_UNREADABLE);
    buffer_printf(&said, "%s %" PRIu64 " %" PRIu64 "+%" PRIu64 " item %" PRIu64 ": %.*s%s\n",
                  object_kind_name(object->kind), object->inode, object->start, object->size, object->item,
                  (int)object->problem.len, object->problem.data,
                  object->flags & OBJECT_UNWANTED ? ", not wanted" : "");
}

static const struct evidence_sink sayer = {.problem = say, .object = say_object};

/* The message if a task with these numbers yielded nothing but a reason. */
static void loses(enum evidence_task kind, const uint64_t *numbers, size_t count, const char *wanted)
{
    static const struct evidence_options options = {.kinds = UINT_MAX};
    static const struct crew_loss loss = {CREW_WHOLE_TASK, "it died"};
    struct error err = {""};
    struct reading reading = {.options = &options, .sink = &sayer, .path = "image", .err = &err};

    buffer_reset(&said);
    reading_begin(&reading, kind);
    for (size_t i = 0; i < count; i++)
        wire_put(&reading.task, numbers[i]);
    reading.taking.result = (struct crew_result){
        .tag = 70, .task = reading.task.data, .task_len = reading.task.len, .losses = &loss, .loss_count = 1};
    reading_take_losses(&reading, UINT64_MAX);
    buffer_add_text(&said, err.text);
    buffer_add(&said, "", 1);
    ck_assert_str_eq(said.data, wanted);
    ck_assert(reading.failed ? kind == TASK_IMAGE : reading.partial);
    object_release(&reading.object);
    buffer_release(&reading.paths);
    buffer_release(&reading.task);
    buffer_release(&said);
}

#define LOSES(kind, wanted, ...)                                                                             \
    loses(kind, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), \
          wanted)

#define A_SYSTEM 0, 0, 0, 0

START_TEST(what_a_lost_task_would_have_found_is_reported)
{
    LOSES(TASK_IMAGE, "image: cannot open the image: it died", 0);
    LOSES(TASK_TABLE, "cannot read the partition table: it died\n", 0, 0);
    LOSES(TASK_SYSTEMS, "cannot open a file system: it died\n", 0, 1, 0, 100);
    LOSES(TASK_FOLDERS, "cannot read folder 11: it died\ncannot read folder 13: it died\n", A_SYSTEM, 2, 11,
          13);
    LOSES(TASK_RECORDS,
          "cannot read the names of inode 32: it died\ncannot read the names of inode 33: it died\n",
          A_SYSTEM, 32, 2);
    LOSES(TASK_LIST, "files that no folder lists may be missing: it died\n", A_SYSTEM);
    LOSES(TASK_OBJECTS, "deleted 21 0+0 item 70: it died\ndeleted 23 0+0 item 71: it died, not wanted\n",
          A_SYSTEM, 0, 0, 2, 21, 1, 23, 0);
    LOSES(TASK_STRUCTURES, "cannot list the file system's structures: it died\n", A_SYSTEM);
    LOSES(TASK_BLOCKS, "cannot list the free blocks from 100 to 199: it died\n", A_SYSTEM, 100, 199);
    LOSES(TASK_RANGES,
          "unallocated 0 4096+512 item 70: it died\nunallocated 0 8192+1024 item 71: it died, not wanted\n",
          OBJECT_UNALLOCATED, 0, 2, 4096, 512, 1, 8192, 1024, 0);
    LOSES(TASK_RANGES, "gap 0 4096+512 item 70: it died\ngap 0 8192+1024 item 70: it died\n", OBJECT_GAP, 1,
          2, 4096, 512, 1, 8192, 1024, 1);
    LOSES(TASK_DIGEST, "cannot compute the digest of the image: it died\n", 0);
}
END_TEST

START_TEST(each_lost_item_is_reported_once_before_those_after_it)
{
    static const struct evidence_options options = {.kinds = UINT_MAX};
    static const struct crew_loss losses[] = {{0, "it died"}, {1, "it hung"}, {3, "it died"}};
    static const uint64_t numbers[] = {A_SYSTEM, 4, 11, 12, 13, 14};
    struct reading reading = {.options = &options, .sink = &sayer};

    reading_begin(&reading, TASK_FOLDERS);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        wire_put(&reading.task, numbers[i]);
    reading.taking.result = (struct crew_result){
        .task = reading.task.data, .task_len = reading.task.len, .losses = losses, .loss_count = 3};
    reading_take_losses(&reading, 3);
    buffer_add(&said, "", 1);
    ck_assert_str_eq(said.data, "cannot read folder 11: it died\ncannot read folder 12: it hung\n");
    buffer_reset(&said);
    reading_take_losses(&reading, UINT64_MAX);
    buffer_add(&said, "", 1);
    ck_assert_str_eq(said.data, "cannot read folder 14: it died\n");
    buffer_release(&reading.task);
    buffer_release(&said);
}
END_TEST

RUN_TESTS("reading", any_number_of_ranges_is_harmless_once_reading_was_stopped,
          what_a_lost_task_would_have_found_is_reported,
          each_lost_item_is_reported_once_before_those_after_it)
