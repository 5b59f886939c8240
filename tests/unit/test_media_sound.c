/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "container/media.h"
#include "containers.h"
#include "media.h"

/* MP3, FLAC and WAV, and the tags before and after them. */

static struct buffer file, stream;

static void begin(void)
{
    buffer_release(&file);
    buffer_release(&stream);
}

static void put(const void *bytes, size_t len)
{
    buffer_add(&file, bytes, len);
}

#define PUT(text) put(text, sizeof(text) - 1)

static struct containers_list list_of(const struct container_format *format, bool is_carved)
{
    return containers_open(format, file.data, file.len, is_carved, NULL);
}

/* Frames of 128 kbit/s at 44.1 kHz: 417 bytes, with padding 418. */
static void put_frames(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const unsigned padding = i % 3 == 0;
        uint8_t frame[418];

        fill_random(frame, sizeof frame);
        memcpy(frame, padding ? "\xff\xfb\x92\x00" : "\xff\xfb\x90\x00", 4);
        put(frame, 417 + padding);
        buffer_add(&stream, frame, 417 + padding);
    }
}

static void put_id3v2(char version, const void *frames, size_t len)
{
    const uint8_t header[] = {'I', 'D', '3', (uint8_t)version,    0,
                              0,   0,   0,   (uint8_t)(len >> 7), (uint8_t)(len & 127)};

    put(header, sizeof header);
    put(frames, len);
}

static void put_id3v1(void)
{
    char tag[128] = "TAGtitle";

    put(tag, sizeof tag);
}

/* ---- MP3 ---- */

START_TEST(joins_frames_between_tags)
{
    struct containers_list list;

    begin();
    put_id3v2(3, "TIT2\0\0\0\2\0\0\0t", 12);
    put_frames(400);
    put_id3v1();
    list = list_of(&media_format_mp3, false);
    ck_assert(list.matches);
    ck_assert_str_eq(list.failure, "");
    ck_assert_uint_eq(list.count, 3);
    MEDIA_CHECK_TEXT(&list, "id3v2", "ID3\3\0\0\0\0\0\x0cTIT2\0\0\0\2\0\0\0t");
    media_check_bytes(&list, "stream", stream.data, stream.len);
    ck_assert_uint_eq(containers_find(&list, "id3v1")->data.len, 128);
    containers_release(&list);
}
END_TEST

/* What lies between frames is not sound, even if it looks like the start of a frame. */
START_TEST(skips_what_is_no_frame)
{
    struct containers_list list;

    begin();
    put_id3v2(3, "TIT2\0\0\0\2\0\0\0t", 12);
    PUT("\0\0\0\0");
    put_frames(100);
    PUT("junk \xff\xfb\x90 and \xff\xff\xff more");
    put_frames(100);
    PUT("end");
    list = list_of(&media_format_mp3, false);
    media_check_bytes(&list, "stream", stream.data, stream.len);
    containers_release(&list);
}
END_TEST

START_TEST(ape_and_lyrics)
{
    static const char items[] =
        "\x03\0\0\0\0\0\0\0Title\0abc\x0f\0\0\0\2\0\0\0Cover Art (Front)\0name.jpg\0\xff\xd8rest";
    const uint32_t size = sizeof items - 1 + 32;
    char footer[32] = "APETAGEX\xd0\x07\0\0";
    struct containers_list list;

    begin();
    put_frames(20);
    PUT("LYRICSBEGININD0000200"
        "000021LYRICS200");
    memcpy(footer + 12, &size, 4);
    footer[16] = 2;
    put(items, sizeof items - 1);
    put(footer, 32);
    put_id3v1();
    list = list_of(&media_format_mp3, false);
    ck_assert(list.matches);
    ck_assert_uint_eq(list.count, 5);
    media_check_bytes(&list, "stream", stream.data, stream.len);
    MEDIA_CHECK_TEXT(&list, "picture", "\xff\xd8rest");
    ck_assert_uint_eq(containers_find(&list, "ape")->data.len, size);
    ck_assert_uint_eq(containers_find(&list, "lyrics3")->data.len, 36);
    containers_release(&list);
}
END_TEST

static const struct {
    char version;
    size_t len;
    const char *frames;
} pictures[] = {
    {2, 24, "TT2\0\0\2\0tPIC\0\0\x0a\0JPG\3\0data"},
    {3, 41, "TIT2\0\0\0\2\0\0\0tAPIC\0\0\0\x13\0\0\0image/png\0\3de\0data"},
    {4, 44, "TIT2\0\0\0\2\0\0\0tAPIC\0\0\0\x16\0\0\1image/png\0\3d\0e\0\0\0data"}, /* UTF-16 */
};

START_TEST(pictures_of_all_versions)
{
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        struct containers_list list;

        begin();
        put_id3v2(pictures[i].version, pictures[i].frames, pictures[i].len);
        put_frames(20);
        list = list_of(&media_format_mp3, false);
        MEDIA_CHECK_TEXT(&list, "picture", "data");
        media_check_bytes(&list, "stream", stream.data, stream.len);
        containers_release(&list);
    }
}
END_TEST

START_TEST(a_compressed_picture_is_listed)
{
    struct containers_list list;

    begin();
    put_id3v2(3,
              "APIC\0\0\0\x04\0\x80"
              "abcd",
              14);
    put_frames(20);
    list = list_of(&media_format_mp3, false);
    ck_assert_str_ne(containers_find(&list, "picture")->problem, "");
    containers_release(&list);
}
END_TEST

/* In free space, sound ends where no frame follows. */
START_TEST(ends_in_free_space)
{
    struct containers_list list;
    size_t end;

    begin();
    put_id3v2(3, "TIT2\0\0\0\2\0\0\0t", 12);
    put_frames(300);
    end = file.len;
    PUT("other content");
    put_frames(10);
    list = list_of(&media_format_mp3, true);
    ck_assert(list.matches);
    media_check_bytes(&list, "stream", stream.data, end - 22);
    ck_assert_uint_eq(list.end, end);
    containers_release(&list);
}
END_TEST

START_TEST(cut_off_frames)
{
    begin();
    put_id3v2(3, "TIT2\0\0\0\2\0\0\0t", 12);
    put_frames(4);
    for (size_t cut = 1; cut < 400; cut++) {
        struct containers_list list =
            containers_open(&media_format_mp3, file.data, file.len - cut, false, NULL);

        media_check_bytes(&list, "stream", stream.data, stream.len - cut);
        ck_assert_str_eq(list.failure, "is cut off");
        containers_release(&list);
    }
}
END_TEST

/* The lengths of frames of each kind, from the formulas of the standard: in bytes, for the header. */
START_TEST(frames_of_all_kinds)
{
    static const struct {
        const char *header;
        size_t len;
    } frames[] = {
        {"\xff\xfb\xe0\x00", 1044}, /* layer III, 320 kbit/s, 44.1 kHz */
        {"\xff\xfd\xe8\x00", 1728}, /* layer II, 384 kbit/s, 32 kHz */
        {"\xff\xff\x44\x00", 128},  /* layer I, 128 kbit/s, 48 kHz */
        {"\xff\xf3\x80\x00", 208},  /* version 2, layer III, 64 kbit/s, 22.05 kHz */
        {"\xff\xf5\x84\x00", 384},  /* version 2, layer II, 64 kbit/s, 24 kHz */
        {"\xff\xe3\x18\xc0", 72},   /* version 2.5, layer III, 8 kbit/s, 8 kHz */
        {"\xff\xf7\x42\x00", 140},  /* version 2, layer I, 64 kbit/s, 22.05 kHz, padded: 4 more */
    };

    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        struct containers_list list;
        char frame[2000] = "";

        begin();
        put_id3v2(4, "TIT2\0\0\0\2\0\0\0t", 12);
        memcpy(frame, frames[i].header, 4);
        for (int n = 0; n < 5; n++)
            put(frame, frames[i].len);
        list = list_of(&media_format_mp3, false);
        media_check_bytes(&list, "stream", file.data + 22, 5 * frames[i].len);
        ck_assert_str_eq(list.failure, "");
        containers_release(&list);
    }
}
END_TEST

START_TEST(frames_alone_are_no_container)
{
    struct containers_list list;

    begin();
    put_frames(20);
    list = list_of(&media_format_mp3, false);
    ck_assert(!list.matches);
    containers_release(&list);
}
END_TEST

/* tests/data/containers/media.sh made the files; bare.mp3 has nothing but frames. */
START_TEST(programs_that_change_tags_leave_the_stream)
{
    static const struct {
        const char *name, *digest;
        bool has_picture;
    } expected[] = {
        {"bare-id3v2.mp3", "55d15b18c40d5c8c3845753e70b2b77a8f149dc4", false},
        {"bare-eyed3.mp3", "55d15b18c40d5c8c3845753e70b2b77a8f149dc4", true},
        {"bare-ffmpeg.mp3", "55d15b18c40d5c8c3845753e70b2b77a8f149dc4", false},
        {"lame.mp3", "6c6f1585016ffe231f73d36344773942868e18e7", false},
        {"lame-id3v2.mp3", "6c6f1585016ffe231f73d36344773942868e18e7", false},
        {"lame-eyed3.mp3", "6c6f1585016ffe231f73d36344773942868e18e7", true},
        {"lame-ffmpeg.mp3", "6c6f1585016ffe231f73d36344773942868e18e7", false},
    };

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct containers_list list = media_open(&media_format_mp3, expected[i].name);
        const struct containers_member *picture = containers_find(&list, "picture");

        ck_assert(list.matches);
        ck_assert_str_eq(list.failure, "");
        ck_assert_str_eq(containers_find(&list, "stream")->sha1, expected[i].digest);
        ck_assert_int_eq(picture != NULL, expected[i].has_picture);
        if (picture)
            ck_assert_str_eq(picture->sha1, "a0fb67422abccdc42dc0027431e540e23d9227ac");
        containers_release(&list);
    }
}
END_TEST

/* ---- FLAC ---- */

START_TEST(flac_files)
{
    static const char *const names[] = {"bare.flac", "tagged.flac", "changed.flac"};

    for (size_t i = 0; i < 3; i++) {
        struct containers_list list = media_open(&media_format_flac, names[i]);

        ck_assert(list.matches);
        ck_assert_str_eq(list.failure, "");
        ck_assert_uint_eq(list.count, i == 0 ? 2 : 5);
        ck_assert_str_eq(containers_find(&list, "stream")->sha1, "b5ab0624b004ff712052b08d56179399b1bbe86f");
        ck_assert_uint_eq(containers_find(&list, "streaminfo")->data.len, 34);
        if (i > 0)
            ck_assert_str_eq(containers_find(&list, "picture")->sha1,
                             "a0fb67422abccdc42dc0027431e540e23d9227ac");
        containers_release(&list);
    }
}
END_TEST

static void put_flac(void)
{
    char info[34] = "";

    PUT("fLaC\0\0\0\x22");
    put(info, sizeof info);
    PUT("\1\0\0\3pad\4\0\0\x04"
        "tags\x85\0\0\2cd");
    PUT("\xff\xf8 frames");
}

START_TEST(flac_between_tags)
{
    struct containers_list list;

    begin();
    put_id3v2(3, "TIT2\0\0\0\2\0\0\0t", 12);
    put_flac();
    put_id3v1();
    list = list_of(&media_format_mp3, false);
    ck_assert(!list.matches);
    containers_release(&list);
    list = list_of(&media_format_flac, false);
    ck_assert(list.matches);
    ck_assert_str_eq(list.failure, "");
    ck_assert_uint_eq(list.count, 6);
    MEDIA_CHECK_TEXT(&list, "comments", "tags");
    MEDIA_CHECK_TEXT(&list, "cuesheet", "cd");
    MEDIA_CHECK_TEXT(&list, "stream", "\xff\xf8 frames");
    containers_release(&list);
}
END_TEST

START_TEST(flac_cut_off_anywhere)
{
    begin();
    put_flac();
    for (size_t len = 0; len < file.len; len++) {
        struct containers_list list = containers_open(&media_format_flac, file.data, len, false, NULL);

        ck_assert_msg((list.failure[0] != '\0') == (len <= file.len - 9), "%zu of %zu", len, file.len);
        if (len >= 60)
            MEDIA_CHECK_TEXT(&list, "comments", "tags");
        containers_release(&list);
    }
}
END_TEST

/* ---- WAV ---- */

START_TEST(chunks_of_wav)
{
    struct containers_list list;

    begin();
    PUT("RIFF\x4c\0\0\0WAVEfmt \x04\0\0\0form"
        "LIST\x05\0\0\0INFOx\0"
        "data\x07\0\0\0samples\0"
        "id3 \x16\0\0\0ID3\3\0\0\0\0\0\x0cTIT2\0\0\0\2\0\0\0t");
    ck_assert_uint_eq(file.len, 0x4c + 8);
    PUT("more");
    list = list_of(&media_format_wav, false);
    ck_assert(list.matches);
    ck_assert_str_eq(list.failure, "");
    ck_assert_uint_eq(list.count, 5);
    MEDIA_CHECK_TEXT(&list, "fmt", "form");
    MEDIA_CHECK_TEXT(&list, "LIST", "INFOx");
    MEDIA_CHECK_TEXT(&list, "stream", "samples");
    MEDIA_CHECK_TEXT(&list, "after", "more");
    ck_assert_uint_eq(containers_find(&list, "id3v2")->data.len, 22);
    containers_release(&list);
    list = list_of(&media_format_wav, true);
    ck_assert_uint_eq(list.count, 4);
    ck_assert_uint_eq(list.end, file.len - 4);
    containers_release(&list);
    file.len = 0x4c;
    list = list_of(&media_format_wav, false);
    ck_assert_str_eq(list.failure, "is cut off");
    MEDIA_CHECK_TEXT(&list, "stream", "samples");
    containers_release(&list);
}
END_TEST

START_TEST(wav_longer_than_32_bits_can_say)
{
    struct containers_list list;

    begin();
    PUT("RF64\xff\xff\xff\xff"
        "WAVEds64\x1c\0\0\0\x60\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "data\xff\xff\xff\xffsamples\0LIST\4\0\0\0INFO");
    list = list_of(&media_format_wav, false);
    ck_assert(list.matches);
    MEDIA_CHECK_TEXT(&list, "stream", "samples");
    MEDIA_CHECK_TEXT(&list, "LIST", "INFO");
    containers_release(&list);
}
END_TEST

RUN_TESTS("media_sound", joins_frames_between_tags, skips_what_is_no_frame, ape_and_lyrics,
          pictures_of_all_versions, a_compressed_picture_is_listed, ends_in_free_space, cut_off_frames,
          frames_of_all_kinds, frames_alone_are_no_container, programs_that_change_tags_leave_the_stream,
          flac_files, flac_between_tags, flac_cut_off_anywhere, chunks_of_wav,
          wav_longer_than_32_bits_can_say)
