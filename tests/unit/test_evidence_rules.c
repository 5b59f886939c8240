/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wire.h"
#include "check_main.h"
#include "disk/object.h"
#include "evidence/evidence_rules.h"

/* A requested folder, and what a worker sends about it: names, and its own count of names and of items. */

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

static bool accepts_within(struct evidence_bounds *bounds, const struct buffer *task,
                           const struct buffer *out)
{
    void *state = calloc(1, evidence_rules_state);
    const struct crew_result result = {
        .task = task->data, .task_len = task->len, .data = out->data, .len = out->len};
    bool accepted;

    ck_assert_ptr_nonnull(state);
    accepted = evidence_rules_accept(bounds, state, &result, true);
    free(state);
    return accepted;
}

static bool accepts(const struct buffer *task, const struct buffer *out)
{
    return accepts_within(&(struct evidence_bounds){.size = 1 << 20, .seconds = 20}, task, out);
}

static bool is_accepted(const struct buffer *out)
{
    struct buffer task = {0};
    bool accepted;

    put_task(&task);
    accepted = accepts(&task, out);
    buffer_release(&task);
    return accepted;
}

START_TEST(a_dropped_message_is_noticed)
{
    for (unsigned sent = 0; sent < 5; sent++)
        for (uint64_t counted = 0; counted < 5; counted++) {
            struct buffer out = {0};

            put_names(&out, sent);
            put_done(&out, counted, 1);
            ck_assert_msg(is_accepted(&out) == (sent == counted), "%u sent, %u counted", sent,
                          (unsigned)counted);
            buffer_release(&out);
        }
}
END_TEST

START_TEST(a_skipped_item_is_noticed)
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

static uint64_t most(enum evidence_task kind, uint64_t items, enum evidence_message message, uint64_t size)
{
    const uint64_t folders[] = {(uint64_t)kind, 0, 0, 0, 0, items},
                   objects[] = {(uint64_t)kind, 0, 0, 0, 0, 0, 0, items};
    const bool is_objects = kind == TASK_OBJECTS;

    return evidence_rules_most(is_objects ? objects : folders, is_objects ? sizeof objects : sizeof folders,
                               message, size);
}

START_TEST(the_result_limit_grows_with_the_items_and_the_image)
{
    ck_assert_uint_eq(most(TASK_FOLDERS, 2, MESSAGE_NAME, 0), 1024);
    ck_assert_uint_eq(most(TASK_FOLDERS, 2, MESSAGE_NAME, 1200), 1024 + 100);
    ck_assert_uint_eq(most(TASK_OBJECTS, 3, MESSAGE_OBJECT, 1600), 3 * 64 + 100);
    ck_assert_uint_eq(most(TASK_OBJECTS, 3, MESSAGE_DONE, 1600), 1);
    ck_assert_uint_eq(most(TASK_OBJECTS, 3, MESSAGE_NAME, 1600), 0);
}
END_TEST

START_TEST(nothing_is_accepted_after_the_end)
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

/* A range of 4096 bytes at 8192 was requested: what is read must lie there, completely and once. */
START_TEST(a_range_must_lie_where_it_was_requested)
{
    static const uint64_t task_numbers[] = {TASK_RANGES, OBJECT_UNALLOCATED, 0, 1, 8192, 4096, 1};
    static const struct {
        unsigned count;
        struct object_run runs[2];
        bool is_sound;
    } cases[] = {
        {1, {{0, 8192, 4096}}, true},
        {0, {{0}}, false},
        {1, {{0, 8192, 4095}}, false},
        {1, {{0, 8191, 4096}}, false},
        {1, {{1, 8192, 4095}}, false},
        {2, {{0, 8192, 2048}, {2048, 0, 2048}}, false},
        {2, {{0, 8192, 4096}, {4096, 0, 4096}}, false},
    };
    struct buffer task = {0};

    for (size_t i = 0; i < sizeof task_numbers / sizeof *task_numbers; i++)
        wire_put(&task, task_numbers[i]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct object object = {
            .kind = OBJECT_UNALLOCATED, .flags = OBJECT_RANGE, .start = 8192, .size = 4096};
        struct buffer out = {0};

        for (unsigned k = 0; k < cases[i].count; k++)
            ck_assert_int_eq(0, object_add_run(&object, cases[i].runs[k].offset, cases[i].runs[k].image,
                                               cases[i].runs[k].len));
        wire_put(&out, MESSAGE_OBJECT);
        wire_put(&out, 0);
        object_encode(&out, &object);
        put_done(&out, 1, 2);
        ck_assert_msg(accepts(&task, &out) == cases[i].is_sound, "case %zu", i);
        object_release(&object);
        buffer_release(&out);
    }
    buffer_release(&task);
}
END_TEST

/* A task for one inode; its items are halves. */
static void put_inode_task(struct buffer *task, bool wanted)
{
    enum { SYSTEM_NUMBERS = 4 };
    const uint64_t rest[] = {OBJECT_USUAL, OBJECT_USUAL, 1, 1234, wanted};

    wire_put(task, TASK_OBJECTS);
    for (size_t i = 0; i < SYSTEM_NUMBERS; i++)
        wire_put(task, 0);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        wire_put(task, rest[i]);
}

static void put_object(struct buffer *out, enum evidence_message message, const struct object *object)
{
    wire_put(out, (uint64_t)message);
    wire_put(out, 0);
    object_encode(out, object);
}

static bool accepts_member(bool opens, bool wanted, bool object_first, enum evidence_message message,
                           uint64_t inode)
{
    const struct object file = {.inode = 1234, .type = 128, .flags = wanted ? 0 : OBJECT_UNWANTED},
                        parent = {.inode = inode, .type = 128};
    struct evidence_bounds with = {.size = 1 << 20, .seconds = 1, .opens = opens};
    struct object member = {0};
    struct buffer task = {0}, out = {0};
    bool good;

    ck_assert_int_eq(
        0, object_set_parent(&member, &parent, &(struct object_member){"zip", 0, "a", 1, 1, false}));
    put_inode_task(&task, wanted);
    if (object_first)
        put_object(&out, MESSAGE_OBJECT, &file);
    put_object(&out, message, &member);
    put_done(&out, object_first + 1, 2);
    good = accepts_within(&with, &task, &out);
    object_release(&member);
    buffer_release(&task);
    buffer_release(&out);
    return good;
}

START_TEST(a_member_follows_the_object_that_it_is_packed_in)
{
    ck_assert(accepts_member(true, true, true, MESSAGE_MEMBER, 1234));
    ck_assert(!accepts_member(false, true, true, MESSAGE_MEMBER, 1234)); /* nothing is opened */
    ck_assert(!accepts_member(true, false, true, MESSAGE_MEMBER, 1234)); /* its content was not wanted */
    ck_assert(!accepts_member(true, true, false, MESSAGE_MEMBER, 1234));
    ck_assert(!accepts_member(true, true, true, MESSAGE_OBJECT, 1234));
    ck_assert(!accepts_member(true, true, true, MESSAGE_MEMBER, 1235)); /* of another inode */
}
END_TEST

RUN_TESTS("evidence_rules", a_member_follows_the_object_that_it_is_packed_in, a_dropped_message_is_noticed,
          a_skipped_item_is_noticed, the_result_limit_grows_with_the_items_and_the_image,
          nothing_is_accepted_after_the_end, a_range_must_lie_where_it_was_requested)
