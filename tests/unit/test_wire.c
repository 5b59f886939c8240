/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/wire.h"
#include "check_main.h"

enum { MAX_PARTS = 12, MAX_LEN = 300 };

/* A message of numbers, bytes and lists, as the tests know it. */
struct part {
    enum { NUMBER, BYTES, LIST, KINDS } kind;
    uint64_t number;
    size_t len; /* of bytes, or how many numbers the list has */
    uint8_t bytes[MAX_LEN];
};

static struct part parts[MAX_PARTS];
static size_t part_count;

static struct buffer make_message(void)
{
    struct buffer out = {0};

    part_count = 1 + random64() % MAX_PARTS;
    for (size_t i = 0; i < part_count; i++) {
        struct part *part = &parts[i];

        part->kind = random64() % KINDS;
        part->number = random64() >> random64() % 64;
        part->len = random64() % (random64() % 2 ? 4 : MAX_LEN / 8);
        fill_random(part->bytes, sizeof part->bytes);
        if (part->kind == BYTES) {
            wire_put_bytes(&out, part->len ? part->bytes : NULL, part->len);
            continue;
        }
        wire_put(&out, part->kind == LIST ? part->len : part->number);
        for (size_t k = 0; part->kind == LIST && k < part->len; k++)
            wire_put(&out, part->bytes[k]);
    }
    ck_assert(!out.failed);
    return out;
}

static void assert_zero_or(const struct wire *wire, uint64_t number, uint64_t wanted)
{
    if (number != (wire->broken ? 0 : wanted))
        ck_abort_msg("%llu, not %llu", (unsigned long long)number, (unsigned long long)wanted);
}

/* Reads everything that the message should hold; each value is right or absent. */
static void read_message(struct wire *wire)
{
    for (size_t i = 0; i < part_count; i++) {
        const struct part *part = &parts[i];
        const char *data;
        size_t len;

        if (part->kind == NUMBER) {
            uint64_t number = wire_get(wire);

            assert_zero_or(wire, number, part->number);
        } else if (part->kind == BYTES) {
            data = wire_get_bytes(wire, &len);
            assert_zero_or(wire, len, part->len);
            ck_assert_ptr_nonnull(data);
            ck_assert(len == 0 || memcmp(data, part->bytes, len) == 0);
        } else {
            len = wire_get_count(wire, 8);
            assert_zero_or(wire, len, part->len);
            for (size_t k = 0; k < len; k++) {
                uint64_t number = wire_get(wire);

                assert_zero_or(wire, number, part->bytes[k]);
            }
        }
    }
}

START_TEST(messages_round_trip)
{
    for (int round = 0; round < 500; round++) {
        struct buffer message = make_message();
        struct wire wire = {message.data, message.len, false};

        ck_assert(wire_more(&wire));
        read_message(&wire);
        ck_assert(!wire.broken);
        ck_assert(!wire_more(&wire));
        ck_assert_uint_eq(wire.len, 0);
        buffer_release(&message);
    }
}
END_TEST

/* In memory of exactly its size, so that a sanitizer sees reads beyond it. */
static char *copy_exactly(const char *data, size_t len)
{
    char *copy = malloc(len ? len : 1);

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, data, len);
    return copy;
}

START_TEST(a_truncated_message_is_broken)
{
    for (int round = 0; round < 60; round++) {
        struct buffer message = make_message();

        for (size_t len = 0; len < message.len; len++) {
            char *copy = copy_exactly(message.data, len);
            struct wire wire = {copy, len, false};

            read_message(&wire);
            ck_assert(wire.broken);
            ck_assert(!wire_more(&wire));
            free(copy);
        }
        buffer_release(&message);
    }
}
END_TEST

START_TEST(a_broken_reader_stays_broken_and_yields_nothing)
{
    struct buffer message = {0};
    struct wire wire;
    size_t len = 5;

    for (int i = 0; i < 20; i++)
        wire_put(&message, 1);
    wire = (struct wire){message.data, message.len, true};
    ck_assert_uint_eq(wire_get(&wire), 0);
    ck_assert_str_eq(wire_get_bytes(&wire, &len), "");
    ck_assert_uint_eq(len, 0);
    ck_assert_uint_eq(wire_get_count(&wire, 1), 0);
    ck_assert(wire.broken);
    ck_assert(!wire_more(&wire));
    buffer_release(&message);
}
END_TEST

START_TEST(impossible_counts_are_refused)
{
    static const size_t each[] = {1, 2, 3, 8, 16, 24, 1000};

    for (int round = 0; round < 2000; round++) {
        const size_t size = each[round % 7], room = random64() % 100;
        const uint64_t fit = room / size;
        const uint64_t count =
            round % 3 == 0 ? random64() >> random64() % 64 : fit + random64() % 3 - (fit ? 1 : 0);
        struct buffer message = {0};
        struct wire wire;
        size_t got;

        wire_put(&message, count);
        for (size_t i = 0; i < room; i++)
            buffer_add_char(&message, 'x');
        wire = (struct wire){message.data, message.len, false};
        got = wire_get_count(&wire, size);
        ck_assert_uint_eq(got, count <= fit ? count : 0);
        ck_assert_int_eq(wire.broken, count > fit);
        buffer_release(&message);
    }
}
END_TEST

START_TEST(bytes_longer_than_the_message_are_refused)
{
    static const uint64_t lens[] = {
        9, 10, 1000, UINT32_MAX, (uint64_t)UINT32_MAX + 9, INT64_MAX, UINT64_MAX - 8, UINT64_MAX};

    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        struct buffer message = {0};
        struct wire wire;
        size_t len = 1;

        wire_put(&message, lens[i]);
        wire_put(&message, 0); /* 8 bytes */
        wire = (struct wire){message.data, message.len, false};
        ck_assert_str_eq(wire_get_bytes(&wire, &len), "");
        ck_assert_uint_eq(len, 0);
        ck_assert(wire.broken);
        buffer_release(&message);
    }
}
END_TEST

START_TEST(an_empty_message_has_nothing_to_read)
{
    struct wire wire = {NULL, 0, false};

    ck_assert(!wire_more(&wire));
    ck_assert(!wire.broken);
    ck_assert_uint_eq(wire_get(&wire), 0);
    ck_assert(wire.broken);
}
END_TEST

RUN_TESTS("wire", messages_round_trip, a_truncated_message_is_broken,
          a_broken_reader_stays_broken_and_yields_nothing, impossible_counts_are_refused,
          bytes_longer_than_the_message_are_refused, an_empty_message_has_nothing_to_read)
