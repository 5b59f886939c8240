/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "container/media.h"
#include "containers.h"
#include "media.h"

/* Random packets in random pages, of several streams at a time, against the packets as they were put in. */

enum { MOST = 4 };

static const char *const codecs[MOST] = {"\x01vorbis", "OpusHead", "fishead?", "\x80theora"};

struct stream {
    struct buffer packets, comments; /* joined, as expected */
    struct buffer lacing, payload;   /* of the page that is being filled */
    unsigned packet;
    bool is_open; /* the last packet goes on in the next page */
};

static struct buffer file;
static struct stream streams[MOST];

static void put_page(struct stream *stream, uint32_t serial, uint8_t flags)
{
    uint8_t header[27] = "OggS";
    const size_t segments = stream->lacing.len;

    header[5] = flags;
    memcpy(header + 14, &serial, 4);
    header[26] = (uint8_t)segments;
    buffer_add(&file, header, sizeof header);
    buffer_add(&file, stream->lacing.data, segments);
    buffer_add(&file, stream->payload.data, stream->payload.len);
    buffer_reset(&stream->lacing);
    buffer_reset(&stream->payload);
}

/* Adds a packet; full pages are written. */
static void put_packet(struct stream *stream, uint32_t serial, const uint8_t *packet, size_t len,
                       bool is_comment)
{
    buffer_add(is_comment ? &stream->comments : &stream->packets, packet, len);
    for (size_t at = 0; at <= len; at += 255) {
        const size_t part = len - at < 255 ? len - at : 255;

        buffer_add_char(&stream->lacing, (char)part);
        buffer_add(&stream->payload, packet + at, part);
        if (stream->lacing.len == 255 || random64() % 40 == 0)
            put_page(stream, serial, 0);
    }
    stream->packet++;
}

static void begin(void)
{
    buffer_release(&file);
    for (size_t i = 0; i < MOST; i++) {
        buffer_release(&streams[i].packets);
        buffer_release(&streams[i].comments);
        buffer_release(&streams[i].lacing);
        buffer_release(&streams[i].payload);
        streams[i] = (struct stream){0};
    }
}

static void put_random_packet(unsigned n, uint32_t serial)
{
    const size_t len = random64() % 8 ? random64() % 300 : random64() % 70000;
    uint8_t *packet = random_block(len + 1);

    put_packet(&streams[n], serial, packet, len, streams[n].packet == 1 && n != 2);
    free(packet);
}

/* A group of streams with serial numbers from `serial` on. */
static void put_group(unsigned count, uint32_t serial)
{
    for (unsigned i = 0; i < count; i++) {
        buffer_add(&streams[i].packets, codecs[i], 8);
        buffer_add(&streams[i].payload, codecs[i], 8);
        buffer_add_char(&streams[i].lacing, 8);
        put_page(&streams[i], serial + i, 2);
        streams[i].packet = 1;
    }
    for (int round = 0; round < 60; round++) {
        const unsigned n = (unsigned)(random64() % count);

        put_random_packet(n, serial + n);
    }
    for (unsigned i = 0; i < count; i++)
        put_page(&streams[i], serial + i, 4);
}

static void check_group(const struct containers_list *list, size_t at, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct buffer *comments = &streams[i].comments, *packets = &streams[i].packets;

        if (i != 2) { /* this codec is unknown */
            ck_assert_str_eq(list->members[at].failure, "");
            ck_assert_mem_eq(list->members[at].name.data, "comments", 8);
            ck_assert_uint_eq(list->members[at].data.len, comments->len);
            if (comments->len > 0)
                ck_assert_mem_eq(list->members[at].data.data, comments->data, comments->len);
            at++;
        }
        ck_assert_mem_eq(list->members[at].name.data, "stream", 6);
        ck_assert_uint_eq(list->members[at].data.len, packets->len);
        ck_assert_mem_eq(list->members[at].data.data, packets->data, packets->len);
        at++;
    }
}

START_TEST(packets_of_streams_at_a_time)
{
    for (unsigned count = 1; count <= MOST; count++) {
        struct containers_list list;

        begin();
        put_group(count, 7);
        list = containers_open(&media_format_ogg, file.data, file.len, false, NULL);
        ck_assert(list.matches);
        ck_assert_str_eq(list.failure, "");
        ck_assert_uint_eq(list.count, 2 * count - (count > 2));
        check_group(&list, 0, count);
        ck_assert_uint_eq(list.end, file.len);
        containers_release(&list);
    }
}
END_TEST

START_TEST(groups_one_after_another)
{
    struct containers_list list;
    struct buffer first = {0};
    size_t all;

    begin();
    put_group(3, 7);
    buffer_add(&first, file.data, file.len);
    begin();
    put_group(2, 7); /* the same numbers again */
    buffer_add(&file, first.data, first.len);
    all = file.len;
    buffer_add(&file, "something else", 14);
    list = containers_open(&media_format_ogg, file.data, file.len, true, NULL);
    ck_assert_uint_eq(list.count, 4 + 5);
    check_group(&list, 0, 2);
    ck_assert_uint_eq(list.end, all);
    containers_release(&list);
    buffer_release(&first);
}
END_TEST

START_TEST(damage_costs_its_page)
{
    struct containers_list list;

    begin();
    put_group(1, 7);
    memset(file.data + 36 + file.len / 4, 0, file.len / 2);
    list = containers_open(&media_format_ogg, file.data, file.len, false, NULL);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_uint_gt(containers_find(&list, "stream")->data.len, streams[0].packets.len / 6);
    containers_release(&list);
}
END_TEST

START_TEST(cut_off)
{
    begin();
    put_group(1, 7);
    for (size_t len = 40; len < file.len; len += 9001) {
        struct containers_list list = containers_open(&media_format_ogg, file.data, len, false, NULL);
        const struct containers_member *member = containers_find(&list, "stream");

        ck_assert(member->data.len > 0 && member->data.len <= streams[0].packets.len);
        ck_assert_mem_eq(member->data.data, streams[0].packets.data, member->data.len);
        containers_release(&list);
    }
}
END_TEST

/* Each stream of a group costs a walk through it. */
START_TEST(too_many_streams_at_a_time)
{
    struct stream *stream = &streams[0];
    struct containers_list list;

    begin();
    for (uint32_t i = 0; i < 1000; i++) {
        buffer_add_char(&stream->lacing, 2);
        buffer_add(&stream->payload, "xy", 2);
        put_page(stream, i, 2);
    }
    list = containers_open(&media_format_ogg, file.data, file.len, false, NULL);
    ck_assert_uint_eq(list.count, 16);
    ck_assert_str_eq(list.failure, "has more than 16 streams at a time");
    containers_release(&list);
}
END_TEST

/* tests/data/containers/media.sh made the files: with other tags, encoded again, and by another program. */
START_TEST(programs_that_change_tags_leave_the_stream)
{
    static const char *const names[] = {"one.opus", "two.opus", "three.opus"};
    char digest[41] = "";

    for (size_t i = 0; i < 3; i++) {
        struct containers_list list = media_open(&media_format_ogg, names[i]);

        ck_assert_uint_eq(list.count, 2);
        ck_assert_mem_eq(containers_find(&list, "comments")->data.data, "OpusTags", 8);
        ck_assert_mem_eq(containers_find(&list, "stream")->data.data, "OpusHead", 8);
        if (i > 0)
            ck_assert_str_eq(containers_find(&list, "stream")->sha1, digest);
        memcpy(digest, containers_find(&list, "stream")->sha1, sizeof digest);
        containers_release(&list);
    }
}
END_TEST

RUN_TESTS("media_ogg", packets_of_streams_at_a_time, groups_one_after_another, damage_costs_its_page, cut_off,
          too_many_streams_at_a_time, programs_that_change_tags_leave_the_stream)
