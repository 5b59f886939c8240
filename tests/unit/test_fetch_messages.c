/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "fetch_inner.h"

/*
 * What compromised workers can do: evidence_read is the one below, which passes on whatever messages the test
 * has written.  Two objects are wanted: all of the first, and bytes 10 to 20 and 30 to 35 of the second.
 */

static const struct evidence_volume volume = {.label = "-"}, other_volume = {.label = "2@512"};

struct message {
    uint64_t kind, want, offset, len;
    size_t bytes; /* sent after the head */
};

static const struct message *messages;
static size_t message_count;
static size_t accepted; /* messages before the first that is not */
static bool elsewhere;  /* the messages are of another volume */
static bool unreadable; /* the objects are, too */

static bool send_message(const struct evidence_sink *sink, const struct message *message)
{
    const struct fetch_head head = {message->kind, message->want, message->offset, message->len};
    char data[sizeof head + 100] = {0};

    memcpy(data, &head, sizeof head);
    return sink->stream(sink->arg, elsewhere ? &other_volume : &volume, data, sizeof head + message->bytes);
}

enum evidence_result evidence_read(const char *path, const struct evidence_options *options,
                                   const struct evidence_sink *sink, struct error *err)
{
    struct object object = {.flags = OBJECT_RANGE, .start = 0, .size = 100};

    (void)path, (void)err;
    object.state = unreadable ? OBJECT_UNREADABLE : OBJECT_WHOLE;
    accepted = 0;
    while (accepted < message_count && send_message(sink, &messages[accepted]))
        accepted++;
    sink->object(sink->arg, &volume, &object, "", 0);
    object.start = 100;
    sink->object(sink->arg, &volume, &object, "", 0);
    return atomic_load(options->stop) ? EVIDENCE_STOPPED : EVIDENCE_DONE;
}

static char seen[400]; /* what the callbacks got */

static void see(const char *what, size_t want, uint64_t offset, uint64_t len)
{
    const size_t used = strlen(seen);

    snprintf(seen + used, sizeof seen - used, "%s%zu %d+%d;", what, want, (int)offset, (int)len);
}

static int take_begin(void *arg, size_t want, const char *label, uint64_t size)
{
    (void)arg, (void)label;
    see("B", want, 0, size);
    return 0;
}

static int take_data(void *arg, size_t want, uint64_t offset, const void *data, size_t len)
{
    (void)arg, (void)data;
    see("d", want, offset, len);
    return 0;
}

static int take_bad(void *arg, size_t want, uint64_t offset, uint64_t len)
{
    (void)arg;
    see("x", want, offset, len);
    return 0;
}

static int take_end(void *arg, size_t want, const char *label, const struct object *object, const char *paths,
                    size_t count)
{
    (void)arg, (void)label, (void)object, (void)paths, (void)count;
    see("E", want, 0, 0);
    return 0;
}

static void fetch_messages(const struct message *list, size_t count)
{
    static const struct range ranges[] = {{10, 10}, {30, 5}};
    static const struct fetch_want wants[] = {
        {.volume = "-", .address = "@0+100"},
        {.volume = "-", .address = "@100+100", .ranges = ranges, .range_count = 2}};
    static const struct fetch_sink sink = {
        .begin = take_begin, .data = take_data, .bad = take_bad, .end = take_end};
    static const struct evidence_options options = {.workers = 1};

    messages = list;
    message_count = count;
    seen[0] = '\0';
    ck_assert_int_eq(fetch("", &options, wants, 2, &sink, NULL), EVIDENCE_DONE);
}

#define SEND(...)                                                                                            \
    fetch_messages((const struct message[]){__VA_ARGS__},                                                    \
                   sizeof((const struct message[]){__VA_ARGS__}) / sizeof(struct message))

START_TEST(honest_messages_arrive_in_order)
{
    SEND({FETCH_BEGIN, 0, 100, 0, 0}, {FETCH_DATA, 0, 0, 60, 60}, {FETCH_BEGIN, 1, 33, 0, 0},
         {FETCH_DATA, 1, 10, 10, 10}, {FETCH_BAD, 0, 60, 40, 0}, {FETCH_END, 0, 100, 0, 0},
         {FETCH_DATA, 1, 30, 3, 3}, {FETCH_END, 1, 33, 0, 0});
    ck_assert_uint_eq(accepted, 8);
    ck_assert_str_eq(seen, "B0 0+100;d0 0+60;B1 0+33;d1 10+10;x0 60+40;d1 30+3;E0 0+0;E1 0+0;");
}
END_TEST

START_TEST(an_object_that_comes_again_begins_again)
{
    SEND({FETCH_BEGIN, 0, 100, 0, 0}, {FETCH_DATA, 0, 0, 60, 60}, {FETCH_BEGIN, 0, 50, 0, 0},
         {FETCH_DATA, 0, 0, 50, 50}, {FETCH_END, 0, 50, 0, 0});
    ck_assert_uint_eq(accepted, 5);
    ck_assert_str_eq(seen, "B0 0+100;d0 0+60;B0 0+50;d0 0+50;E0 0+0;");
}
END_TEST

START_TEST(an_incomplete_object_does_not_end)
{
    SEND({FETCH_BEGIN, 0, 100, 0, 0}, {FETCH_DATA, 0, 0, 60, 60});
    ck_assert_str_eq(seen, "B0 0+100;d0 0+60;");
}
END_TEST

START_TEST(an_unreadable_object_ends_without_having_begun)
{
    unreadable = true;
    SEND({FETCH_BEGIN, 0, 100, 0, 0}, {FETCH_DATA, 0, 0, 100, 100}, {FETCH_END, 0, 100, 0, 0});
    ck_assert_str_eq(seen, "B0 0+100;d0 0+100;E0 0+0;E1 0+0;");
    unreadable = false;
}
END_TEST

START_TEST(the_same_address_in_another_volume_is_ignored)
{
    elsewhere = true;
    SEND({FETCH_BEGIN, 0, 100, 0, 0}, {FETCH_DATA, 0, 0, 100, 100}, {FETCH_END, 0, 100, 0, 0});
    ck_assert_uint_eq(accepted, 3);
    ck_assert_str_eq(seen, "");
    elsewhere = false;
}
END_TEST

START_TEST(messages_that_no_honest_worker_sends_are_refused)
{
    const struct message begin = {FETCH_BEGIN, 1, 100, 0, 0};
    static const struct message bad[] = {
        {FETCH_END + 1, 1, 100, 0, 0},
        {FETCH_BEGIN, 2, 100, 0, 0},
        {FETCH_BEGIN, UINT64_MAX, 100, 0, 0},
        {FETCH_BEGIN, 1, UINT64_MAX, 0, 0},
        {FETCH_DATA, 0, 10, 10, 10}, /* has not begun */
        {FETCH_DATA, 1, 10, 10, 9},
        {FETCH_DATA, 1, 10, 10, 11},
        {FETCH_DATA, 1, 10, 0, 0},
        {FETCH_DATA, 1, 9, 10, 10},
        {FETCH_DATA, 1, 10, 11, 11}, /* after what is wanted */
        {FETCH_DATA, 1, 30, 5, 5},   /* leaves out what is */
        {FETCH_BAD, 1, 10, 10, 10},
        {FETCH_BAD, 1, 10, UINT64_MAX, 0},
        {FETCH_BAD, 1, 10, 11, 0},
        {FETCH_END, 0, 100, 0, 0},
        {FETCH_END, 1, 100, 0, 0}, /* nothing has come */
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        SEND(begin, bad[i]);
        ck_assert_msg(accepted == 1, "message %zu", i);
        ck_assert_str_eq(seen, "B1 0+100;");
    }
}
END_TEST

START_TEST(messages_that_are_too_short_are_refused)
{
    SEND({FETCH_BEGIN, 0, 100, 0, (size_t)-8});
    ck_assert_uint_eq(accepted, 0);
}
END_TEST

/* Sorted by path, then by address. */
static const struct fetch_want packed[] = {
    {.address = "12-1-0/zip/a"},         {.address = "12-1-0/zip/b//gz/c;7"},
    {.address = "@4096+512/zip@512/x"},  {.address = "-/zip/x", .path = "a.zip"},
    {.address = "-/gz/y", .path = "b!"}, {.address = "-/zip/in.zip//zip/x", .path = "b/in.zip/x"},
    {.address = "-", .path = "b/plain"},
};

static bool leads(const char *address, const char *host)
{
    enum { COUNT = sizeof packed / sizeof *packed };
    size_t sorted[COUNT];
    const struct fetch_plan plan = {.wants = packed, .count = COUNT, .sorted = sorted};

    for (size_t i = 0; i < COUNT; i++)
        sorted[i] = i;
    return fetch_leads(&plan, address, host, host ? strlen(host) : 0);
}

START_TEST(only_what_holds_something_wanted_is_opened)
{
    ck_assert(leads("12-1-0", NULL) && leads("12-1-0/zip/b", NULL) && leads("@4096+512", NULL));
    ck_assert(!leads("12-1-0/zip/a", NULL) && !leads("12-1-0/zip/b//gz/c", NULL));
    ck_assert(!leads("12-1", NULL) && !leads("2-1-0", NULL) && !leads("12-1-0/zip", NULL));
    ck_assert(!leads("@4096+51", NULL) && !leads("@4096+512/zip@512/x", NULL) && !leads("", NULL));
}
END_TEST

START_TEST(a_file_of_the_host_is_opened_by_its_path)
{
    ck_assert(leads("-", "a.zip") && leads("-", "b") && leads("-", "b!"));
    ck_assert(leads("-/zip/in.zip", "b"));
    ck_assert(!leads("-/zip/in.zip", "a.zip") && !leads("-/zip/in", "b"));
    ck_assert(!leads("-", "a") && !leads("-", "b/plain") && !leads("-", "c") && !leads("-", NULL));
}
END_TEST

START_TEST(only_members_of_hosts_need_a_path)
{
    ck_assert(fetch_needs_path("-") && fetch_needs_path("-/zip/a"));
    ck_assert(!fetch_needs_path("12-1-0/zip/a") && !fetch_needs_path("@0+5"));
}
END_TEST

RUN_TESTS("fetch_messages", only_what_holds_something_wanted_is_opened,
          a_file_of_the_host_is_opened_by_its_path, only_members_of_hosts_need_a_path,
          honest_messages_arrive_in_order, an_object_that_comes_again_begins_again,
          an_incomplete_object_does_not_end, an_unreadable_object_ends_without_having_begun,
          the_same_address_in_another_volume_is_ignored, messages_that_no_honest_worker_sends_are_refused,
          messages_that_are_too_short_are_refused)
