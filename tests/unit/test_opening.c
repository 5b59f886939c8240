/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "compound.h"
#include "container/opening.h"
#include "disk/content_part.h"
#include "disk/deflate.h"

/*
 * Walks through tar archives and gzip streams of bytes without compression, both written here.  What a format
 * makes of its bytes is tested beside it; here it is what becomes of the members.
 */

static struct error err;

/* ---- archives ---- */

/* width: with the NUL at the end. */
static void put_octal(char *field, size_t width, uint64_t number)
{
    field[--width] = '\0';
    for (; width > 0; number >>= 3)
        field[--width] = (char)('0' + (number & 7));
}

static void add_to_tar(struct buffer *tar, const char *name, const void *data, size_t len)
{
    char head[512] = {0};
    unsigned sum = 0;

    snprintf(head, 100, "%s", name);
    put_octal(head + 100, 8, 0644);
    put_octal(head + 108, 8, 0);
    put_octal(head + 116, 8, 0);
    put_octal(head + 124, 12, len);
    put_octal(head + 136, 12, 1700000000);
    head[156] = '0';
    memcpy(head + 257, "ustar\00000", 8);
    memset(head + 148, ' ', 8);
    for (size_t i = 0; i < sizeof head; i++)
        sum += (uint8_t)head[i];
    put_octal(head + 148, 7, sum);
    buffer_add(tar, head, sizeof head);
    buffer_add(tar, data, len);
    while (tar->len % 512)
        buffer_add_char(tar, '\0');
}

static void end_tar(struct buffer *tar)
{
    static const char zeros[1024];

    buffer_add(tar, zeros, sizeof zeros);
}

/* ---- what comes out ---- */

struct taken {
    struct buffer text; /* a line for each member */
    unsigned most;      /* members that are taken */
    unsigned count;
    bool closed; /* members are not opened */
    bool depth_is_chosen;
    const uint8_t *image; /* where runs lie */
    unsigned runs;        /* members whose runs hold their bytes */
    unsigned again;       /* members that could be read again from their start */
};

static uint32_t sum_of(struct content *content)
{
    static uint8_t piece[5000];
    uint32_t sum = 0;

    for (uint64_t at = 0; at < content->size; at += sizeof piece) {
        const uint64_t left = content->size - at;
        const size_t len = left < sizeof piece ? (size_t)left : sizeof piece;

        if (content_read(content, at, piece, len))
            return UINT32_MAX;
        sum = sum * 31 + deflate_crc(0, piece, len);
    }
    return sum;
}

static void check_runs(struct taken *taken, const struct object *member, struct content *content)
{
    uint8_t bytes[4096];

    if (!taken->image || member->run_count != 1 || member->size > sizeof bytes)
        return;
    ck_assert_int_eq(content_read(content, 0, bytes, (size_t)member->size), 0);
    ck_assert_uint_eq(member->runs[0].len, member->size);
    ck_assert_mem_eq(taken->image + member->runs[0].image, bytes, (size_t)member->size);
    taken->runs++;
}

static bool take(void *arg, struct object *member, struct content *content)
{
    struct taken *taken = arg;
    const uint32_t sum = content ? sum_of(content) : 0;

    object_address(&taken->text, member);
    buffer_printf(&taken->text, " %llu", (unsigned long long)member->size);
    if (content) {
        ck_assert_uint_eq(content->size, member->size);
        check_runs(taken, member, content);
        taken->again += sum == sum_of(content);
    }
    if (member->problem.len)
        buffer_printf(&taken->text, " %d: %.*s", (int)member->state, (int)member->problem.len,
                      member->problem.data);
    buffer_add_char(&taken->text, '\n');
    return ++taken->count < taken->most;
}

static bool opens(void *arg, const struct object *object)
{
    const struct taken *taken = arg;

    return !taken->closed || object->kind != OBJECT_MEMBER;
}

static void walk(struct taken *taken, enum opening_mode mode, unsigned depth, const struct object *object,
                 const struct buffer *bytes)
{
    const struct opening_sink sink = {.opens = opens, .member = take, .arg = taken};
    struct opening *opening =
        opening_new(&(struct opening_extent){mode, depth, taken->depth_is_chosen}, &sink, &err);
    struct content_memory memory;

    ck_assert_msg(opening != NULL, "%s", err.text);
    taken->most = taken->most ? taken->most : UINT32_MAX;
    content_memory_init(&memory, bytes->data, bytes->len);
    if (opening_begin(opening, object)) /* in pieces that end with sectors, as an image is read */
        for (size_t at = 0, len = 1024 - object->start % 512; at < bytes->len; at += len, len = 1024) {
            len = bytes->len - at < len ? bytes->len - at : len;
            opening_notice(opening, bytes->data + at, len);
        }
    opening_object(opening, object, &memory.content, UINT64_MAX);
    opening_free(opening);
}

static void assert_walk(enum opening_mode mode, unsigned depth, const struct object *object,
                        const struct buffer *bytes, const char *expected)
{
    struct taken taken = {.most = 0};

    walk(&taken, mode, depth, object, bytes);
    buffer_add_char(&taken.text, '\0');
    ck_assert_str_eq(taken.text.data, expected);
    buffer_release(&taken.text);
}

static const struct object file = {.inode = 12, .type = 128, .id = 3, .size = 1};

/* ---- tests ---- */

START_TEST(formats_are_few_enough_and_well_named)
{
    size_t count = 0;

    for (; container_formats[count]; count++) {
        const char *name = container_formats[count]->name;

        ck_assert_uint_eq(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789"), strlen(name));
        ck_assert(strlen(name) > 0 && strlen(name) <= OBJECT_MOST_OPENER);
    }
    ck_assert_uint_le(count, CONTAINER_MOST_FORMATS);
}
END_TEST

START_TEST(members_come_in_order_with_their_addresses)
{
    struct buffer tar = {0};

    add_to_tar(&tar, "a.txt", "alpha", 5);
    add_to_tar(&tar, "b/c d.txt", "beta", 4);
    add_to_tar(&tar, "a.txt", "gamma!", 6);
    add_to_tar(&tar, "empty", "", 0);
    end_tar(&tar);
    assert_walk(OPENING_KNOWN, 5, &file, &tar,
                "12-128-3/tar/a.txt 5\n12-128-3/tar/b/c%20d.txt 4\n12-128-3/tar/a.txt;3 6\n"
                "12-128-3/tar/empty 0\n");
    assert_walk(OPENING_NO, 5, &file, &tar, "");
    buffer_release(&tar);
}
END_TEST

static void nest(struct buffer *tar, unsigned levels)
{
    struct buffer inner = {0};

    if (levels > 0) {
        nest(&inner, levels - 1);
        add_to_tar(tar, "t", inner.data, inner.len);
    } else {
        add_to_tar(tar, "x", "y", 1);
    }
    end_tar(tar);
    buffer_release(&inner);
}

START_TEST(nesting_is_limited_and_said)
{
    struct buffer tar = {0};

    nest(&tar, 2);
    assert_walk(OPENING_KNOWN, 3, &file, &tar,
                "12-128-3/tar/t 3584\n12-128-3/tar/t//tar/t 2048\n12-128-3/tar/t//tar/t//tar/x 1\n");
    assert_walk(OPENING_KNOWN, 2, &file, &tar,
                "12-128-3/tar/t 3584\n12-128-3/tar/t//tar/t 2048\n"
                "12-128-3/tar/t//tar/t//tar/;1 0 2: not opened: it is nested more than 2 deep (--depth)\n");
    buffer_release(&tar);
}
END_TEST

START_TEST(what_is_nested_deeper_than_wanted_is_not_reported)
{
    struct buffer tar = {0};
    struct taken taken = {.depth_is_chosen = true};

    nest(&tar, 2);
    walk(&taken, OPENING_KNOWN, 2, &file, &tar);
    buffer_add_char(&taken.text, '\0');
    ck_assert_str_eq(taken.text.data, "12-128-3/tar/t 3584\n12-128-3/tar/t//tar/t 2048\n");
    buffer_release(&tar);
    buffer_release(&taken.text);
}
END_TEST

START_TEST(as_deep_as_addresses_go)
{
    struct buffer tar = {0};
    struct taken taken = {.most = 0};

    nest(&tar, OPENING_MOST_DEPTH + 2);
    walk(&taken, OPENING_KNOWN, 1000, &file, &tar);
    ck_assert_uint_eq(taken.count, OPENING_MOST_DEPTH);
    buffer_release(&tar);
    buffer_release(&taken.text);
}
END_TEST

START_TEST(the_sink_decides_what_is_opened)
{
    struct buffer tar = {0};
    struct taken taken = {.closed = true};

    nest(&tar, 2);
    walk(&taken, OPENING_KNOWN, 5, &file, &tar);
    ck_assert_uint_eq(taken.count, 1);
    buffer_release(&taken.text);
    taken = (struct taken){.most = 2};
    walk(&taken, OPENING_KNOWN, 5, &file, &tar);
    ck_assert_uint_eq(taken.count, 3); /* the third says that there are more */
    buffer_release(&taken.text);
    buffer_release(&tar);
}
END_TEST

START_TEST(what_is_left_of_a_container_is_kept)
{
    struct buffer tar = {0};
    struct taken taken = {.most = 0};

    add_to_tar(&tar, "a", "alpha", 5);
    add_to_tar(&tar, "b", "0123456789", 10);
    tar.len = 3 * 512 + 4;
    walk(&taken, OPENING_KNOWN, 5, &file, &tar);
    buffer_add_char(&taken.text, '\0');
    ck_assert_ptr_nonnull(strstr(taken.text.data, "12-128-3/tar/a 5\n"));
    ck_assert_ptr_nonnull(strstr(taken.text.data, "12-128-3/tar/b 4 1: it cannot be unpacked after byte 4"));
    buffer_release(&taken.text);
    buffer_release(&tar);
}
END_TEST

/* Formats state it with a subject or without one. */
START_TEST(what_is_wrong_is_said_in_sentences)
{
    static const struct {
        const char *gz, *said;
    } samples[] = {{"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0wrong\0\0\0",
                    "12-128-3/gz/;2 0 2: opening stopped: the gz is damaged: its CRC-32 does not agree\n"},
                   {"\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\x09\0\xf6\xff"
                    "alpha",
                    "12-128-3/gz/;2 0 2: opening stopped: the gz is cut off\n"}};

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct buffer gz = {0};
        struct taken taken = {.most = 0};

        buffer_add(&gz, samples[i].gz, 20);
        walk(&taken, OPENING_KNOWN, 5, &file, &gz);
        buffer_add_char(&taken.text, '\0');
        ck_assert_msg(strstr(taken.text.data, samples[i].said) != NULL, "%s", taken.text.data);
        buffer_release(&taken.text);
        buffer_release(&gz);
    }
}
END_TEST

/* An OLE2 file without a directory, which both its own format and that of its text cannot open. */
START_TEST(what_is_wrong_is_said_once)
{
    struct buffer ole = {0};
    struct taken taken = {.most = 0};

    compound_begin(&ole);
    compound_number(&ole, 48, 0xfffffffe, 4);
    walk(&taken, OPENING_KNOWN, 5, &file, &ole);
    buffer_add_char(&taken.text, '\0');
    ck_assert_uint_eq(taken.count, 1);
    ck_assert_msg(strstr(taken.text.data, "12-128-3/ole/;1 ") &&
                      strstr(taken.text.data, ": not opened: the ole is cut off before its directory\n"),
                  "%s", taken.text.data);
    buffer_release(&taken.text);
    buffer_release(&ole);
}
END_TEST

/* In free space a container may begin at any sector of the image, and ends where it ends. */
START_TEST(containers_in_free_space)
{
    const struct object range = {
        .kind = OBJECT_UNALLOCATED, .flags = OBJECT_RANGE, .start = 4096 + 100, .size = 1 << 20};
    struct buffer space = {0}, tar = {0};

    add_to_tar(&tar, "a", "alpha", 5);
    end_tar(&tar);
    for (int i = 0; i < 412 + 1024; i++)
        buffer_add_char(&space, (char)('a' + i % 7));
    buffer_add(&space, tar.data, tar.len);
    for (int i = 0; i < 512; i++)
        buffer_add_char(&space, 'z');
    buffer_add(&space, tar.data, tar.len);
    assert_walk(OPENING_ALL, 5, &range, &space, "@4196+1048576/tar@1436/a 5\n@4196+1048576/tar@3996/a 5\n");
    assert_walk(OPENING_KNOWN, 5, &range, &space, "");
    buffer_release(&space);
    buffer_release(&tar);
}
END_TEST

/* Of a mail without its end, nothing says where that was: it takes the first byte of what follows for its
 * own. */
START_TEST(what_follows_a_container_that_was_cut_off)
{
    static const char mail[] = "Message-ID: <a@b>\nFrom: a@b\nTo: c@d\n\n";
    const struct object range = {
        .kind = OBJECT_UNALLOCATED, .flags = OBJECT_RANGE, .start = 0, .size = 1 << 20};
    struct buffer space = {0};

    buffer_add_text(&space, mail);
    while (space.len < 1024)
        buffer_add_char(&space, 'x');
    add_to_tar(&space, "a", "alpha", 5);
    end_tar(&space);
    assert_walk(OPENING_ALL, 5, &range, &space,
                "@0+1048576/mail/part-1 988\n@0+1048576/mail/part-1%20text 989\n@0+1048576/tar@1024/a 5\n");
    buffer_release(&space);
}
END_TEST

/* Larger than what is kept in memory: read in order, again from the start, and at places. */
START_TEST(a_large_member_can_be_read_again)
{
    enum { LEN = OPENING_ROOM + 300000 };
    struct buffer tar = {0};
    struct taken taken = {.most = 0};
    uint8_t *bytes = random_block(LEN);

    add_to_tar(&tar, "small", "alpha", 5);
    add_to_tar(&tar, "large", bytes, LEN);
    add_to_tar(&tar, "last", "omega", 5);
    end_tar(&tar);
    walk(&taken, OPENING_KNOWN, 5, &file, &tar);
    ck_assert_uint_eq(taken.count, 3);
    ck_assert_uint_eq(taken.again, 3);
    buffer_add_char(&taken.text, '\0');
    ck_assert_ptr_null(strstr(taken.text.data, ":"));
    free(bytes);
    buffer_release(&tar);
    buffer_release(&taken.text);
}
END_TEST

/* The same, packed by gzip, which has to be unpacked again to go back; as a reader of an archive does it, who
 * looks at its directory at the end and at its members in turn. */
static uint64_t progress;
static const uint8_t *original;

static void count_progress(void *arg)
{
    (void)arg;
    progress++;
}

static bool read_at_two_places(void *arg, struct object *member, struct content *content)
{
    enum { STEP = 50000, BACK = 1000 };
    static uint8_t piece[STEP];
    const uint64_t half = content->size / 2;

    (void)arg;
    (void)member;
    for (uint64_t at = 0; at + STEP <= half; at += STEP - BACK) {
        ck_assert_int_eq(content_read(content, at, piece, STEP), 0);
        ck_assert_mem_eq(piece, original + at, STEP);
        ck_assert_int_eq(content_read(content, half + at, piece, STEP), 0);
        ck_assert_mem_eq(piece, original + half + at, STEP);
    }
    return true;
}

/* A gzip stream of stored blocks. */
static void put_gzip(struct buffer *out, const uint8_t *data, size_t len)
{
    static const uint8_t head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
    const uint32_t crc = deflate_crc(0, data, len);

    buffer_add(out, head, sizeof head);
    for (size_t at = 0, part; at < len; at += part) {
        part = len - at < 65535 ? len - at : 65535;
        buffer_add_char(out, at + part == len);
        for (int shift = 0; shift < 16; shift += 8)
            buffer_add_char(out, (char)(part >> shift));
        for (int shift = 0; shift < 16; shift += 8)
            buffer_add_char(out, (char)(~part >> shift));
        buffer_add(out, data + at, part);
    }
    for (int shift = 0; shift < 32; shift += 8)
        buffer_add_char(out, (char)(crc >> shift));
    for (int shift = 0; shift < 32; shift += 8)
        buffer_add_char(out, (char)(len >> shift));
}

START_TEST(going_back_and_forth_unpacks_only_a_few_times)
{
    enum { LEN = OPENING_ROOM };
    const struct opening_sink sink = {.member = read_at_two_places, .progress = count_progress};
    struct opening *opening =
        opening_new(&(struct opening_extent){.mode = OPENING_KNOWN, .depth = 5}, &sink, &err);
    struct content_memory memory;
    struct buffer packed = {0};
    uint8_t *bytes = random_block(LEN);

    original = bytes;
    ck_assert_ptr_nonnull(opening);
    put_gzip(&packed, bytes, LEN);
    content_memory_init(&memory, packed.data, packed.len);
    opening_begin(opening, &file);
    opening_object(opening, &file, &memory.content, UINT64_MAX);
    ck_assert_uint_gt(progress, LEN / CONTAINER_PIECE);
    ck_assert_uint_lt(progress, 5 * LEN / CONTAINER_PIECE);
    opening_free(opening);
    buffer_release(&packed);
    free(bytes);
}
END_TEST

static bool go_back(void *arg, struct object *member, struct content *content)
{
    uint8_t byte;
    bool *told = arg;

    if (!content)
        *told = memmem(member->problem.data, member->problem.len, "too often", 9) != NULL;
    for (unsigned i = 0; content && i < 100; i++)
        if (content_read(content, content->size - 1 - i * (100 << 10), &byte, 1))
            break;
    return true;
}

START_TEST(what_takes_too_long_to_unpack_again_is_said)
{
    enum { LEN = OPENING_ROOM };
    bool told = false;
    const struct opening_sink sink = {.member = go_back, .arg = &told};
    struct opening *opening =
        opening_new(&(struct opening_extent){.mode = OPENING_KNOWN, .depth = 5}, &sink, &err);
    struct content_memory memory;
    struct buffer packed = {0};
    uint8_t *bytes = random_block(LEN);

    ck_assert_ptr_nonnull(opening);
    put_gzip(&packed, bytes, LEN);
    content_memory_init(&memory, packed.data, packed.len);
    opening_begin(opening, &file);
    opening_object(opening, &file, &memory.content, UINT64_MAX);
    ck_assert(told);
    opening_free(opening);
    buffer_release(&packed);
    free(bytes);
}
END_TEST

/* In two runs of the image, of which the second comes first. */
START_TEST(members_that_are_stored_as_they_are_have_a_place)
{
    struct buffer tar = {0};
    uint8_t bytes[1000], image[8192];
    struct object stored = file;
    struct taken taken = {.image = image};

    fill_random(bytes, sizeof bytes);
    add_to_tar(&tar, "a", bytes, sizeof bytes);
    add_to_tar(&tar, "b", bytes + 100, 700);
    end_tar(&tar);
    ck_assert_uint_eq(tar.len, 4096);
    memcpy(image + 4096, tar.data, 1536);
    memcpy(image + 512, tar.data + 1536, tar.len - 1536);
    ck_assert_int_eq(object_add_run(&stored, 0, 4096, 1536), 0);
    ck_assert_int_eq(object_add_run(&stored, 1536, 512, tar.len - 1536), 0);
    stored.size = tar.len;
    walk(&taken, OPENING_KNOWN, 5, &stored, &tar);
    ck_assert_uint_eq(taken.count, 2);
    ck_assert_uint_eq(taken.runs, 2);
    object_release(&stored);
    buffer_release(&tar);
    buffer_release(&taken.text);
}
END_TEST

RUN_TESTS("opening", formats_are_few_enough_and_well_named, members_come_in_order_with_their_addresses,
          nesting_is_limited_and_said, what_is_nested_deeper_than_wanted_is_not_reported,
          as_deep_as_addresses_go, the_sink_decides_what_is_opened, what_is_left_of_a_container_is_kept,
          what_is_wrong_is_said_in_sentences, what_is_wrong_is_said_once, containers_in_free_space,
          what_follows_a_container_that_was_cut_off, a_large_member_can_be_read_again,
          going_back_and_forth_unpacks_only_a_few_times, what_takes_too_long_to_unpack_again_is_said,
          members_that_are_stored_as_they_are_have_a_place)
