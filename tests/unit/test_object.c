/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "disk/object.h"
#include "named.h"

enum { UNIVERSE = 2000, MAX_RUNS = 50 };

/* ---- kinds ---- */

START_TEST(kinds_are_looked_up_by_name)
{
    for (int kind = 0; kind < OBJECT_KINDS; kind++)
        assert_named(kind, object_kind_name((enum object_kind)kind), object_kind_find);
    ck_assert_int_eq(object_kind_find("File", 4), -1);
}
END_TEST

/* ---- addresses ---- */

static void assert_address(const struct object *object, const char *text)
{
    struct buffer out = {0};

    buffer_add_text(&out, "at ");
    object_address(&out, object);
    ck_assert_msg(out.len == strlen(text) + 3 && memcmp(out.data + 3, text, strlen(text)) == 0,
                  "%.*s, not %s", (int)out.len, out.data, text);
    buffer_release(&out);
}

START_TEST(addresses_are_written_as_documented)
{
    assert_address(&(struct object){.inode = 1234, .type = 128, .id = 3}, "1234-128-3");
    assert_address(
        &(struct object){
            .inode = UINT64_MAX, .type = UINT32_MAX, .id = UINT32_MAX, .flags = OBJECT_ALLOCATED},
        "18446744073709551615-4294967295-4294967295");
    assert_address(&(struct object){.flags = OBJECT_RANGE, .inode = 7, .start = 4096, .size = 65536},
                   "@4096+65536");
    assert_address(&(struct object){.flags = OBJECT_RANGE, .kind = OBJECT_GAP, .start = INT64_MAX, .size = 0},
                   "@9223372036854775807+0");
    assert_address(&(struct object){.flags = OBJECT_HOST | OBJECT_ALLOCATED, .inode = 7}, "-");
    assert_address(&(struct object){0}, "0-0-0");
}
END_TEST

/* ---- members ---- */

enum { LEVELS = OBJECT_MOST_LEVELS };

static const struct object inode = {.inode = 1234, .type = 128, .id = 1, .flags = OBJECT_ALLOCATED};

static struct object_member member_of(const char *opener, const char *name)
{
    return (struct object_member){.opener = opener, .name = name, .name_len = strlen(name), .number = 7};
}

static struct object make_member(const struct object *parent, const struct object_member *member)
{
    struct object object = {0};

    ck_assert_int_eq(object_set_parent(&object, parent, member), 0);
    return object;
}

static void assert_member(const struct object *parent, const struct object_member *member, const char *text)
{
    struct object object = make_member(parent, member);

    assert_address(&object, text);
    object_release(&object);
}

START_TEST(a_member_has_the_address_of_its_parent_before_its_own)
{
    const struct object range = {.flags = OBJECT_RANGE, .start = 4096, .size = 65536},
                        host = {.flags = OBJECT_HOST};
    const struct object_member document = member_of("zip", "word/document.xml"),
                               inner = member_of("7z", "a.tgz"), nameless = member_of("gzip", ""),
                               carved = {.opener = "zip",
                                         .offset = 512,
                                         .name = "word/document.xml",
                                         .name_len = 17};
    struct object one = make_member(&inode, &inner), two = make_member(&one, &nameless);

    assert_member(&inode, &document, "1234-128-1/zip/word/document.xml");
    assert_member(&range, &document, "@4096+65536/zip/word/document.xml");
    assert_member(&range, &carved, "@4096+65536/zip@512/word/document.xml");
    assert_member(&host, &document, "-/zip/word/document.xml");
    assert_address(&two, "1234-128-1/7z/a.tgz//gzip/;7");
    assert_member(&two, &document, "1234-128-1/7z/a.tgz//gzip/;7//zip/word/document.xml");
    ck_assert_uint_eq(two.inode, 1234);
    ck_assert_uint_eq(two.type, 128);
    ck_assert_uint_eq(two.id, 1);
    ck_assert_int_eq(two.kind, OBJECT_MEMBER);
    ck_assert_uint_eq(two.flags, OBJECT_ALLOCATED);
    ck_assert_uint_eq(two.inner.len, 5);
    ck_assert_mem_eq(two.inner.data, "a.tgz", 5);
    object_release(&one);
    object_release(&two);
}
END_TEST

START_TEST(a_name_cannot_escape_its_level)
{
    static const char *const names[][2] = {
        {"/etc/passwd", "%2Fetc/passwd"},
        {"a//zip/b", "a/%2Fzip/b"},
        {"a/", "a%2F"},
        {"//", "%2F%2F"},
        {"../../x", "../../x"},
        {"100%;1", "100%25%3B1"},
        {"a b", "a%20b"},
        {"x\n\x1b[2J", "x%0A%1B[2J"},
        {"\xc3\xa9.txt", "%C3%A9.txt"},
        {"\"\\", "%22%5C"},
        {"/", "%2F"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct object_member member = member_of("zip", names[i][0]);
        char text[100];

        snprintf(text, sizeof text, "1234-128-1/zip/%s", names[i][1]);
        assert_member(&inode, &member, text);
    }
}
END_TEST

START_TEST(members_with_the_same_name_or_none_differ_by_number)
{
    static char name[OBJECT_MOST_MEMBER + 2], huge[2 * OBJECT_MOST_INNER];
    struct object_member member = member_of("zip", "x;7");
    char text[OBJECT_MOST_MEMBER + 100];

    assert_member(&inode, &member, "1234-128-1/zip/x%3B7");
    member = member_of("zip", "x");
    member.is_repeated = true;
    assert_member(&inode, &member, "1234-128-1/zip/x;7");
    /* As long as possible; one byte more; one that becomes too long. */
    memset(name, 'n', OBJECT_MOST_MEMBER - 4);
    member = member_of("zip", name);
    snprintf(text, sizeof text, "1234-128-1/zip/%s", name);
    assert_member(&inode, &member, text);
    name[OBJECT_MOST_MEMBER - 4] = 'n';
    member = member_of("zip", name);
    member.number = UINT64_MAX;
    assert_member(&inode, &member, "1234-128-1/zip/;18446744073709551615");
    memset(name, '%', OBJECT_MOST_MEMBER / 3);
    name[OBJECT_MOST_MEMBER / 3] = '\0';
    member = member_of("zip", name);
    assert_member(&inode, &member, "1234-128-1/zip/;7");
    memset(huge, 'x', sizeof huge);
    member.name = huge;
    member.name_len = sizeof huge;
    assert_member(&inode, &member, "1234-128-1/zip/;7");
}
END_TEST

/* Undoes what add_name did, from the description in object.h alone. */
static size_t unescape(const char *text, size_t len, char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < len; i += text[i] == '%' ? 3 : 1) {
        unsigned byte = (unsigned char)text[i];

        if (byte == '%')
            ck_assert_int_eq(sscanf(text + i + 1, "%2X", &byte), 1);
        name[count++] = (char)byte;
    }
    return count;
}

/* All names of up to four of the special bytes, in an archive, and as the inner of two. */
static void assert_level(const char **at, const char *opener, uint64_t offset, const char *name,
                         uint64_t number)
{
    struct object_level level;
    struct buffer raw = {0};

    ck_assert(object_next_level(at, &level));
    ck_assert_uint_eq(level.opener_len, strlen(opener));
    ck_assert_mem_eq(level.opener, opener, level.opener_len);
    ck_assert_uint_eq(level.offset, offset);
    ck_assert_uint_eq(level.number, number);
    object_level_name(&raw, &level);
    ck_assert_uint_eq(raw.len, strlen(name));
    ck_assert(!raw.len || memcmp(raw.data, name, raw.len) == 0);
    buffer_release(&raw);
}

START_TEST(an_address_is_taken_apart_level_by_level)
{
    static const char address[] = "@4096+65536/zip@512/a/%C3%BC%2F%3B.zip//gz/;7//tar/x;12",
                      flat[] = "12-128-3", *const bad[] = {"",       "/",       "//",      "zip",   "zip/",
                                                           "/ZIP/a", "zip/a b", "zip@0/a", "zip/%4"};
    const char *at = address + object_base_len(address);
    struct object_level level;

    ck_assert_uint_eq(object_base_len(address), strlen("@4096+65536"));
    ck_assert_uint_eq(object_parent_len(address), strlen(address) - strlen("//tar/x;12"));
    ck_assert_uint_eq(object_parent_len("12-128-3/zip/a"), strlen(flat));
    ck_assert_uint_eq(object_base_len(flat), strlen(flat));
    ck_assert_uint_eq(object_parent_len(flat), 0);
    assert_level(&at, "zip", 512, "a/\xc3\xbc/;.zip", 0);
    assert_level(&at, "gz", 0, "", 7);
    assert_level(&at, "tar", 0, "x", 12);
    ck_assert(!object_next_level(&at, &level));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        at = bad[i];
        ck_assert_msg(!object_next_level(&at, &level), "%s", bad[i]);
    }
}
END_TEST

START_TEST(every_name_round_trips_and_no_two_share_an_address)
{
    static const char bytes[] = {'/', '%', ';', '2', 'F', '\0', '\xff'};
    enum { BYTES = sizeof bytes, MOST = 4, NAMES = BYTES + 49 + 343 + 2401 };
    static char seen[NAMES][MOST * 3 + 1];
    const struct object_member outer = member_of("zip", "x");
    struct object archive = make_member(&inode, &outer), object = {0};
    struct buffer address = {0};
    size_t count = 0;

    for (size_t len = 1, all = BYTES; len <= MOST; len++, all *= BYTES)
        for (size_t i = 0; i < all; i++, count++) {
            static const char before[] = "1234-128-1/zip/x//7z/";
            const size_t skip = sizeof before - 1;
            char name[MOST], back[MOST * 3];
            const struct object_member member = {"7z", 0, name, len, 1, false};

            for (size_t k = 0, rest = i; k < len; k++, rest /= BYTES)
                name[k] = bytes[rest % BYTES];
            ck_assert_int_eq(object_set_parent(&object, &archive, &member), 0);
            buffer_reset(&address);
            object_address(&address, &object);
            ck_assert(address.len > skip && memcmp(address.data, before, skip) == 0);
            ck_assert_ptr_null(memmem(address.data + skip, address.len - skip, "//", 2));
            ck_assert(address.data[address.len - 1] != '/');
            ck_assert_uint_eq(unescape(address.data + skip, address.len - skip, back), len);
            ck_assert_mem_eq(back, name, len);
            memcpy(seen[count], address.data + skip, address.len - skip);
        }
    qsort(seen, NAMES, sizeof *seen, (int (*)(const void *, const void *))strcmp);
    for (size_t i = 1; i < NAMES; i++)
        ck_assert_str_ne(seen[i - 1], seen[i]);
    buffer_release(&address);
    object_release(&archive);
    object_release(&object);
}
END_TEST

START_TEST(nesting_of_members_is_limited)
{
    const struct object_member member = member_of("zip", "z");
    struct object objects[LEVELS + 1] = {inode}, more = {0};

    for (int i = 1; i <= LEVELS; i++)
        objects[i] = make_member(&objects[i - 1], &member);
    ck_assert_int_eq(object_set_parent(&more, &objects[LEVELS], &member), -1);
    ck_assert(!object_failed(&more));
    assert_address(&objects[3], "1234-128-1/zip/z//zip/z//zip/z");
    for (int i = 1; i <= LEVELS; i++)
        object_release(&objects[i]);
    object_release(&more);
}
END_TEST

/* ---- runs ---- */

static void add_run(struct object *object, uint64_t offset, uint64_t image, uint64_t len)
{
    ck_assert_int_eq(object_add_run(object, offset, image, len), 0);
}

/* Where each byte of the object lies, + 1; 0: a hole. */
static void place(uint64_t places[UNIVERSE], uint64_t offset, uint64_t image, uint64_t len)
{
    for (uint64_t i = 0; i < len; i++)
        places[offset + i] = image + i + 1;
}

START_TEST(only_contiguous_runs_are_joined)
{
    for (int round = 0; round < 300; round++) {
        uint64_t added[UNIVERSE] = {0}, kept[UNIVERSE] = {0}, offset = 0, image = random64() % 100,
                 stretches = 0;
        struct object object = {0};

        while (offset < UNIVERSE - 20) {
            const uint64_t len = random64() % 10;

            add_run(&object, offset, image, len);
            place(added, offset, image, len);
            offset += len + (random64() % 3 ? 0 : random64() % 4);
            image = random64() % 3 ? image + len : random64() % 1000;
        }
        for (size_t i = 0; i < object.run_count; i++) {
            ck_assert_uint_gt(object.runs[i].len, 0);
            place(kept, object.runs[i].offset, object.runs[i].image, object.runs[i].len);
        }
        for (size_t i = 0; i < UNIVERSE; i++)
            stretches += added[i] && (i == 0 || added[i] != added[i - 1] + 1);
        ck_assert_mem_eq(added, kept, sizeof added);
        ck_assert_uint_ge(object.run_count, stretches);
        for (size_t i = 1; i < object.run_count; i++) {
            const struct object_run *a = &object.runs[i - 1], *b = &object.runs[i];

            ck_assert(a->offset + a->len != b->offset || a->image + a->len != b->image);
        }
        object_release(&object);
    }
}
END_TEST

START_TEST(a_run_ends_within_63_bits_in_the_object_and_on_the_image)
{
    const uint64_t far = INT64_MAX;
    struct object object = {0};

    ck_assert_int_eq(object_add_run(&object, far - 5, 0, 6), -1);
    ck_assert_int_eq(object_add_run(&object, 0, far - 5, 6), -1);
    ck_assert_int_eq(object_add_run(&object, 0, 0, far + 1), -1);
    ck_assert_uint_eq(object.run_count, 0);
    ck_assert_int_eq(object_add_run(&object, far - 5, far - 5, 5), 0);
    ck_assert_int_eq(object_add_run(&object, far, 0, 1), -1);
    ck_assert_uint_eq(object_stored(&object), 5);
    object_release(&object);
}
END_TEST

START_TEST(stored_and_overlap_are_sums_over_bytes)
{
    for (int round = 0; round < 200; round++) {
        unsigned times[UNIVERSE] = {0}; /* whether a byte of the image is in a run */
        struct object object = {0};
        uint64_t stored = 0;

        for (uint64_t i = 0, runs = random64() % MAX_RUNS; i < runs; i++) {
            const uint64_t image = random64() % (UNIVERSE - 100), len = random64() % 100;

            add_run(&object, i * 1000, image, len);
            stored += len;
            for (uint64_t k = 0; k < len; k++)
                times[image + k]++;
        }
        ck_assert_uint_eq(object_stored(&object), stored);
        for (int query = 0; query < 50; query++) {
            const uint64_t image = random64() % UNIVERSE, len = random64() % (UNIVERSE - image);
            uint64_t sum = 0;

            for (uint64_t k = 0; k < len; k++)
                sum += times[image + k];
            ck_assert_uint_eq(object_overlap(&object, image, len), sum);
        }
        ck_assert_uint_eq(object_overlap(&object, 0, INT64_MAX), stored);
        ck_assert_uint_eq(object_overlap(&object, UNIVERSE, INT64_MAX - UNIVERSE), 0);
        object_release(&object);
    }
}
END_TEST

START_TEST(overlap_is_right_at_the_largest_offsets)
{
    struct object object = {0};
    const uint64_t far = INT64_MAX;

    add_run(&object, 0, far - 100, 100);
    ck_assert_uint_eq(object_overlap(&object, far - 50, 50), 50);
    ck_assert_uint_eq(object_overlap(&object, 1000, far - 1000), 100);
    ck_assert_uint_eq(object_overlap(&object, 0, far), 100);
    ck_assert_uint_eq(object_overlap(&object, far, far), 0);
    object_release(&object);
}
END_TEST

/* ---- states ---- */

START_TEST(a_worse_state_replaces_a_better_one_with_its_reason)
{
    struct object object = {0};

    for (int i = 0; i < 300; i++) {
        const enum object_state before = object.state,
                                state = (enum object_state)(random64() % (OBJECT_CHANGED + 1));
        struct buffer text = {0};

        if (random64() % 10 == 0)
            object_reset(&object);
        else {
            buffer_add(&text, object.problem.data, object.problem.len);
            object_blame(&object, state, "%d: because of %s", i, "it");
            ck_assert_int_eq(object.state, state > before ? state : before);
            if (state > before) {
                buffer_reset(&text);
                buffer_printf(&text, "%d: because of it", i);
            }
            ck_assert_uint_eq(object.problem.len, text.len);
            ck_assert(text.len == 0 || memcmp(object.problem.data, text.data, text.len) == 0);
        }
        ck_assert_int_eq(object.problem.len > 0, object.state != OBJECT_WHOLE);
        buffer_release(&text);
    }
    object_release(&object);
}
END_TEST

/* ---- messages ---- */

static void fill_buffer(struct buffer *buffer)
{
    uint8_t bytes[500];

    fill_random(bytes, sizeof bytes);
    buffer_reset(buffer);
    buffer_add(buffer, bytes, random64() % 3 ? random64() % sizeof bytes : 0);
}

/* A member of a member of .. of anything, with any names. */
static void fill_member(struct object *object)
{
    struct object parent = {.inode = random64() >> random64() % 64, .type = 128, .id = 3}, next = {0}, swap;

    for (uint64_t i = 0, levels = random64() % LEVELS; i <= levels; i++) {
        char name[400];
        const struct object_member member = {
            i % 2 ? "zip" : "123456789012345", random64() % 2, name,
            random64() % sizeof name,          random64(),     random64() % 2};

        fill_random((uint8_t *)name, sizeof name);
        ck_assert_int_eq(object_set_parent(i < levels ? &next : object, &parent, &member), 0);
        swap = parent;
        parent = next;
        next = swap;
    }
    object_release(&parent);
    object_release(&next);
}

static uint32_t any32(void)
{
    return (uint32_t)(random64() >> (32 + random64() % 32));
}

static void fill_object(struct object *object)
{
    uint64_t offset = random64() % 100;

    object_reset(object);
    object->kind = (enum object_kind)(random64() % OBJECT_KINDS);
    object->flags = (unsigned)(random64() % OBJECT_FLAGS);
    object->inode = random64() >> random64() % 64;
    object->type = any32() / 2;
    object->id = any32() / 2;
    object->start = random64() >> random64() % 64;
    object->size = random64() >> random64() % 64;
    object->mode = any32();
    object->uid = any32();
    object->gid = any32();
    object->state = (enum object_state)(random64() % (OBJECT_CHANGED + 1));
    for (int i = 0; i < OBJECT_TIMES; i++)
        object->times[i] = (struct object_stamp){(int64_t)random64(), any32()};
    if (object->kind == OBJECT_MEMBER)
        fill_member(object);
    fill_buffer(&object->stream);
    fill_buffer(&object->problem);
    fill_buffer(&object->result);
    for (uint64_t i = 0, runs = random64() % MAX_RUNS; i < runs; i++) {
        const uint64_t len = 1 + (random64() >> (4 + random64() % 60)) / MAX_RUNS;

        add_run(object, offset, random64() >> (1 + random64() % 63), len);
        offset += len + (random64() % 2 ? 0 : random64() % 100);
    }
}

static void assert_same_bytes(const struct buffer *a, const struct buffer *b)
{
    ck_assert_uint_eq(a->len, b->len);
    ck_assert(a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static void assert_same(const struct object *a, const struct object *b)
{
    ck_assert_int_eq(a->kind, b->kind);
    ck_assert_uint_eq(a->flags, b->flags);
    ck_assert_uint_eq(a->inode, b->inode);
    ck_assert_uint_eq(a->type, b->type);
    ck_assert_uint_eq(a->id, b->id);
    ck_assert_uint_eq(a->start, b->start);
    ck_assert_uint_eq(a->size, b->size);
    ck_assert_uint_eq(a->mode, b->mode);
    ck_assert_uint_eq(a->uid, b->uid);
    ck_assert_uint_eq(a->gid, b->gid);
    ck_assert_int_eq(a->state, b->state);
    for (int i = 0; i < OBJECT_TIMES; i++) {
        ck_assert_int_eq(a->times[i].seconds, b->times[i].seconds);
        ck_assert_uint_eq(a->times[i].nanoseconds, b->times[i].nanoseconds);
    }
    assert_same_bytes(&a->stream, &b->stream);
    if (a->kind == OBJECT_MEMBER) {
        assert_same_bytes(&a->inner, &b->inner);
        assert_same_bytes(&a->parent, &b->parent);
        assert_same_bytes(&a->member, &b->member);
    }
    assert_same_bytes(&a->problem, &b->problem);
    assert_same_bytes(&a->result, &b->result);
    ck_assert_uint_eq(a->run_count, b->run_count);
    ck_assert(a->run_count == 0 || memcmp(a->runs, b->runs, a->run_count * sizeof *a->runs) == 0);
}

START_TEST(objects_round_trip_through_messages)
{
    struct object objects[5] = {0}, back = {0};

    for (int round = 0; round < 200; round++) {
        struct buffer message = {0};
        struct wire wire;

        for (int i = 0; i < 5; i++) {
            fill_object(&objects[i]);
            object_encode(&message, &objects[i]);
        }
        wire = (struct wire){message.data, message.len, false};
        for (int i = 0; i < 5; i++) {
            ck_assert(wire_more(&wire));
            ck_assert(object_decode(&wire, &back));
            assert_same(&objects[i], &back);
        }
        ck_assert(!wire_more(&wire));
        buffer_release(&message);
    }
    for (int i = 0; i < 5; i++)
        object_release(&objects[i]);
    object_release(&back);
}
END_TEST

START_TEST(the_largest_numbers_round_trip)
{
    struct object object = {.kind = OBJECT_IMAGE, .flags = OBJECT_FLAGS - 1, .state = OBJECT_CHANGED};
    struct object back = {0};
    struct buffer message = {0};
    struct wire wire;

    object.inode = object.start = object.size = UINT64_MAX;
    object.type = object.id = object.mode = object.uid = object.gid = UINT32_MAX;
    object.times[OBJECT_MTIME] = (struct object_stamp){INT64_MIN, UINT32_MAX};
    object.times[OBJECT_CRTIME] = (struct object_stamp){INT64_MAX, 0};
    add_run(&object, 0, 0, INT64_MAX);
    object_encode(&message, &object);
    wire = (struct wire){message.data, message.len, false};
    ck_assert(object_decode(&wire, &back));
    assert_same(&object, &back);
    buffer_release(&message);
    object_release(&object);
    object_release(&back);
}
END_TEST

START_TEST(a_truncated_message_is_refused)
{
    struct object object = {0}, back = {0};

    for (int round = 0; round < 5; round++) {
        struct buffer message = {0};

        fill_object(&object);
        object_encode(&message, &object);
        for (size_t len = 0; len < message.len; len++) {
            char *copy = malloc(len ? len : 1); /* of exactly this size */
            struct wire wire = {copy, len, false};

            ck_assert_ptr_nonnull(copy);
            memcpy(copy, message.data, len);
            ck_assert(!object_decode(&wire, &back));
            ck_assert(wire.broken);
            free(copy);
        }
        buffer_release(&message);
    }
    object_release(&object);
    object_release(&back);
}
END_TEST

/* A message of an empty object, with a number of it changed. */
static bool is_taken(size_t at, uint64_t number)
{
    struct object object = {0}, back = {0};
    struct buffer message = {0};
    struct wire wire;
    bool taken;

    object_encode(&message, &object);
    memcpy(message.data + 8 * at, &number, 8);
    wire = (struct wire){message.data, message.len, false};
    taken = object_decode(&wire, &back);
    ck_assert_int_eq(taken, !wire.broken);
    buffer_release(&message);
    object_release(&object);
    object_release(&back);
    return taken;
}

START_TEST(impossible_objects_are_refused)
{
    enum { KIND = 0, FLAGS = 1, TYPE = 3, ID = 4, MODE = 7, UID = 8, GID = 9, STATE = 10, NANOSECONDS = 12 };
    static const size_t narrow[] = {TYPE, ID, MODE, UID, GID, NANOSECONDS};

    ck_assert(is_taken(KIND, OBJECT_IMAGE) && !is_taken(KIND, OBJECT_KINDS) && !is_taken(KIND, UINT64_MAX));
    ck_assert(is_taken(FLAGS, OBJECT_DISK_IMAGE) && !is_taken(FLAGS, OBJECT_FLAGS) &&
              !is_taken(FLAGS, (uint64_t)1 << 32));
    ck_assert(is_taken(STATE, OBJECT_CHANGED) && !is_taken(STATE, OBJECT_CHANGED + 1) &&
              !is_taken(STATE, (uint64_t)1 << 32));
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        ck_assert(is_taken(narrow[i], UINT32_MAX - 1) && !is_taken(narrow[i], (uint64_t)UINT32_MAX + 1));
}
END_TEST

/* As parent and member of a message, which is decoded and viewed. */
static bool member_is_taken(const char *parent, const char *member)
{
    struct object object = {.kind = OBJECT_MEMBER}, back = {0};
    struct object_view view;
    struct buffer message = {0};
    struct wire wire, again;
    bool taken;

    buffer_add_text(&object.parent, parent);
    buffer_add_text(&object.member, member);
    object_encode(&message, &object);
    wire = again = (struct wire){message.data, message.len, false};
    taken = object_decode(&wire, &back);
    ck_assert_int_eq(taken, object_view(&again, &view));
    buffer_release(&message);
    object_release(&object);
    object_release(&back);
    return taken;
}

START_TEST(invalid_addresses_are_refused)
{
    static const char *const bad_parents[] = {"",
                                              "1234",
                                              "1-2",
                                              "1-2-3-4",
                                              "1-2-",
                                              "01-2-3",
                                              "+1-2-3",
                                              "@1",
                                              "@1+",
                                              "@+1",
                                              "@1+2+3",
                                              "--",
                                              "1-2-3/",
                                              "1-2-3//zip/a",
                                              "1-2-3/zip",
                                              "1-2-3/zip/a/",
                                              "1-2-3/zip/a//",
                                              "1-2-3/zip/a///zip/b",
                                              "1-2-3/zip/a//zip",
                                              "1-2-3/ZIP/a",
                                              "1-2-3/zip/\n",
                                              "111111111111111111111-2-3",
                                              "1-2-3 ",
                                              "1-2-3/z/1//z/2//z/3//z/4//z/5//z/6//z/7//z/8"};
    static const char *const bad_members[] = {"",
                                              "zip",
                                              "/a",
                                              "zip/",
                                              "zip//a",
                                              "zip/a/",
                                              "zip/a//zip/b",
                                              "z.p/a",
                                              "Zip/a",
                                              "1234567890123456/a",
                                              "zip/a b",
                                              "zip/%",
                                              "zip/%4",
                                              "zip/%2f",
                                              "zip/%41",
                                              "zip/%G1",
                                              "zip/a;",
                                              "zip/;",
                                              "zip/a;x",
                                              "zip/a;07",
                                              "zip/a;1;2",
                                              "zip/a;1/b",
                                              "zip/\xc3\xa9",
                                              "zip/a;111111111111111111111",
                                              "zip/a\\b",
                                              "zip/\"",
                                              "zip/;1/"};
    static char level[OBJECT_MOST_MEMBER + 2];

    ck_assert(member_is_taken("1-2-3", "zip/a/b;1"));
    ck_assert(member_is_taken("-", "123456789012345/%2F"));
    ck_assert(member_is_taken("@0+18446744073709551615/zip/;0", "7z/a%FF"));
    ck_assert(member_is_taken("1-2-3/z/1//z/2//z/3//z/4//z/5//z/6//z/7", "zip/a"));
    for (size_t i = 0; i < sizeof bad_parents / sizeof *bad_parents; i++)
        ck_assert_msg(!member_is_taken(bad_parents[i], "zip/a"), "%s", bad_parents[i]);
    for (size_t i = 0; i < sizeof bad_members / sizeof *bad_members; i++)
        ck_assert_msg(!member_is_taken("1-2-3", bad_members[i]), "%s", bad_members[i]);
    memset(level, 'n', OBJECT_MOST_MEMBER);
    memcpy(level, "zip/", 4);
    ck_assert(member_is_taken("1-2-3", level));
    level[OBJECT_MOST_MEMBER] = 'n';
    ck_assert(!member_is_taken("1-2-3", level));
}
END_TEST

static bool runs_are_taken(const struct object_run *runs, size_t count)
{
    struct object object = {0}, back = {0};
    struct buffer message = {0};
    struct wire wire;
    bool taken;

    object.runs = (struct object_run *)(uintptr_t)runs;
    object.run_count = count;
    object_encode(&message, &object);
    wire = (struct wire){message.data, message.len, false};
    taken = object_decode(&wire, &back);
    buffer_release(&message);
    object_release(&back);
    return taken;
}

START_TEST(impossible_runs_are_refused)
{
    const uint64_t far = INT64_MAX, too_far = far + 1;

    ck_assert(runs_are_taken((struct object_run[]){{0, 0, 10}, {10, 50, 10}, {30, 0, 10}}, 3));
    ck_assert(runs_are_taken((struct object_run[]){{0, 0, far}}, 1));
    ck_assert(runs_are_taken((struct object_run[]){{far - 1, far - 1, 1}}, 1));
    ck_assert(!runs_are_taken((struct object_run[]){{0, 0, 10}, {9, 50, 10}}, 2));
    ck_assert(!runs_are_taken((struct object_run[]){{20, 0, 10}, {0, 50, 10}}, 2));
    ck_assert(!runs_are_taken((struct object_run[]){{too_far, 0, 10}}, 1));
    ck_assert(!runs_are_taken((struct object_run[]){{0, too_far, 10}}, 1));
    ck_assert(!runs_are_taken((struct object_run[]){{0, 0, too_far}}, 1));
    ck_assert(!runs_are_taken((struct object_run[]){{0, 0, UINT64_MAX}}, 1));
}
END_TEST

/* They are joined while they are read, so an accepted one might become too long to be sent on. */
START_TEST(accepted_runs_can_be_sent_on)
{
    const uint64_t half = (uint64_t)1 << 62, far = INT64_MAX;
    const struct object_run runs[][2] = {{{0, 0, far}, {far, far, far}},
                                         {{0, 0, half}, {half, half, half}},
                                         {{0, 0, half}, {half, half, half - 1}}};

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const struct object_run joined = {0, 0, runs[i][0].len + runs[i][1].len};

        ck_assert(!runs_are_taken(runs[i], 2) || runs_are_taken(&joined, 1));
    }
}
END_TEST

START_TEST(a_reset_object_is_empty)
{
    struct object object = {0}, empty = {0};

    for (int i = 0; i < 20; i++) {
        fill_object(&object);
        object_reset(&object);
        assert_same(&object, &empty);
    }
    object_release(&object);
    assert_same(&object, &empty);
    ck_assert_ptr_null(object.runs);
    object_release(&object);
}
END_TEST

RUN_TESTS("object", kinds_are_looked_up_by_name, addresses_are_written_as_documented,
          a_member_has_the_address_of_its_parent_before_its_own, a_name_cannot_escape_its_level,
          members_with_the_same_name_or_none_differ_by_number, an_address_is_taken_apart_level_by_level,
          every_name_round_trips_and_no_two_share_an_address, nesting_of_members_is_limited,
          invalid_addresses_are_refused, only_contiguous_runs_are_joined,
          a_run_ends_within_63_bits_in_the_object_and_on_the_image, stored_and_overlap_are_sums_over_bytes,
          overlap_is_right_at_the_largest_offsets, a_worse_state_replaces_a_better_one_with_its_reason,
          objects_round_trip_through_messages, the_largest_numbers_round_trip, a_truncated_message_is_refused,
          impossible_objects_are_refused, impossible_runs_are_refused, accepted_runs_can_be_sent_on,
          a_reset_object_is_empty)
