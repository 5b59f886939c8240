/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "evidence_rules.h"
#include "wire.h"

/* A folder that was asked for, and what a worker sends of it: names, and its own count of these and of items.
 */

enum { FOLDER = 2 };

static void put_task(struct buffer *task)
{
    const uint64_t numbers[] = {TASK_FOLDERS, 0, 0, 0, 0, 1, FOLDER};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        wire_put(task, numbers[i]);
}

static void put_names(struct buffer *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const uint64_t numbers[] = {MESSAGE_NAME, 20 + i, FOLDER, 0, 1, 0};

        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            wire_put(out, numbers[k]);
        wire_put_bytes(out, "name", 4);
    }
}

static void put_done(struct buffer *out, uint64_t messages, uint64_t begun)
{
    wire_put(out, MESSAGE_DONE);
    wire_put(out, messages);
    wire_put(out, begun);
}

static bool is_accepted(const struct buffer *out)
{
    struct evidence_bounds bounds = {.size = 1 << 20, .seconds = 20};
    struct buffer task = {0};
    void *state = calloc(1, evidence_rules_state);
    struct crew_result result = {.data = out->data, .len = out->len};
    bool accepted;

    put_task(&task);
    result.task = task.data;
    result.task_len = task.len;
    ck_assert_ptr_nonnull(state);
    accepted = evidence_rules_accept(&bounds, state, &result, true);
    free(state);
    buffer_release(&task);
    return accepted;
}

START_TEST(a_message_that_was_dropped_is_missed)
{
    for (unsigned sent = 0; sent < 5; sent++)
        for (uint64_t told = 0; told < 5; told++) {
            struct buffer out = {0};

            put_names(&out, sent);
            put_done(&out, told, 1);
            ck_assert_msg(is_accepted(&out) == (sent == told), "%u sent, %u told", sent, (unsigned)told);
            buffer_release(&out);
        }
}
END_TEST

START_TEST(an_item_that_was_passed_over_is_missed)
{
    for (uint64_t begun = 0; begun < 4; begun++) {
        struct buffer out = {0};

        put_names(&out, 3);
        put_done(&out, 3, begun);
        ck_assert_msg(is_accepted(&out) == (begun == 1), "%u", (unsigned)begun);
        buffer_release(&out);
    }
}
END_TEST

START_TEST(nothing_comes_after_the_end)
{
    struct buffer out = {0};

    put_names(&out, 1);
    put_done(&out, 1, 1);
    put_names(&out, 1);
    ck_assert(!is_accepted(&out));
    buffer_release(&out);
    put_done(&out, 0, 1);
    put_done(&out, 1, 1);
    ck_assert(!is_accepted(&out));
    buffer_release(&out);
}
END_TEST

RUN_TESTS("evidence_rules", a_message_that_was_dropped_is_missed, an_item_that_was_passed_over_is_missed,
          nothing_comes_after_the_end)
