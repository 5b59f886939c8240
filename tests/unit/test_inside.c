/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "evidence/inside.h"

/* ---- the path ---- */

/* A file of the host; paths below it name objects. */
static char file[] = "/tmp/test_inside.XXXXXX";

static void make_file(void)
{
    const int fd = mkstemp(file);

    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void assert_parts(const char *suffix, const char *expected)
{
    char path[9000], *outer;
    const char *object = NULL;

    snprintf(path, sizeof path, "%s%s", file, suffix);
    errno = EXDEV;
    outer = inside_file(path, &object);
    ck_assert_int_eq(errno, EXDEV);
    if (expected) {
        ck_assert_str_eq(outer, file);
        ck_assert_ptr_eq(object, path + strlen(path) - strlen(expected));
    } else
        ck_assert_ptr_null(outer);
    free(outer);
}

START_TEST(only_a_path_below_a_file_names_an_object)
{
    static char rest[8000], suffix[8002];

    make_file();
    assert_parts("", NULL);
    assert_parts(".gone/12-1-0", NULL);
    assert_parts("/", "");
    assert_parts("/12-1-0", "12-1-0");
    assert_parts("/2@1048576/12-1-0", "2@1048576/12-1-0");
    assert_parts("//12-1-0", "/12-1-0");
    memset(rest, 'x', sizeof rest - 1); /* longer than a path of the host may be */
    memcpy(rest, "12-1-0/tar/", 11);
    snprintf(suffix, sizeof suffix, "/%s", rest);
    assert_parts(suffix, rest);
    unlink(file);
    assert_parts("/12-1-0", NULL);
    ck_assert_ptr_null(inside_file("/tmp/12-1-0", &(const char *){NULL}));
}
END_TEST

START_TEST(an_object_is_named_by_an_address_and_perhaps_a_label)
{
    static const struct {
        const char *object, *own;
        size_t label_len;
    } cases[] = {
        {"12-1-0", "12-1-0", 0},
        {"@4096+512", "@4096+512", 0},
        {"2@1048576/12-128-3", "12-128-3", 9},
        {"2.1@1048576/@0+1", "@0+1", 11},
        {"-/12-1-0", "12-1-0", 1},
        {"2@512/apfs1/12-1-0", "12-1-0", 11},
        {"", NULL, 0},
        {"-", NULL, 0},
        {"12-1", NULL, 0},
        {"12-1-0/", NULL, 0},
        {"12-1-0x", NULL, 0},
        {"012-1-0", NULL, 0},
        {"@4096", NULL, 0},
        {"12-1-0/tar/a.img", "12-1-0/tar/a.img", 0},
        {"2@512/@4096+512/zip@1/a.tar;2//tar/b", "@4096+512/zip@1/a.tar;2//tar/b", 5},
        {"12-1-0/tar/", NULL, 0},
        {"12-1-0/tar/a.img/13-1-0", "12-1-0/tar/a.img/13-1-0", 0},
        {"12-1-0/13-1-0", NULL, 0},
        {"-/tar/a.img", NULL, 0},
        {"file.dd", NULL, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct inside_address address = {NULL, 0, NULL};
        struct error err = {""};
        const int result = inside_parse(&address, "PATH", cases[i].object, &err);

        ck_assert_int_eq(result, cases[i].own ? 0 : -1);
        if (cases[i].own) {
            ck_assert_str_eq(address.own, cases[i].own);
            ck_assert_ptr_eq(address.label, cases[i].object);
            ck_assert_uint_eq(address.label_len, cases[i].label_len);
        } else
            ck_assert_msg(strncmp(err.text, "PATH: ", 6) == 0, "%s", err.text);
    }
}
END_TEST

/* ---- the search ---- */

static const struct evidence_options options = {.workers = 3, .seconds = 7, .sector = 99, .has_offset = true};
static const struct evidence_sink nothing;

static void begin(struct inside *inside, const char *object)
{
    static const char outer[] = "disk.dd/";
    static char path[200];
    struct error err = {""};

    snprintf(path, sizeof path, "%s%s", outer, object);
    *inside = (struct inside){.path = NULL};
    ck_assert_msg(inside_begin(inside, path, path + strlen(outer), &options, &nothing, &err) == 0, "%s",
                  err.text);
}

static void give(struct inside *inside, const char *label, const char *system, struct object *object)
{
    const struct evidence_volume volume = {.label = label, .system = system};

    inside->sink.object(inside->sink.arg, &volume, object, "a path", 1);
}

static void give_file(struct inside *inside, const char *label, uint64_t inode, unsigned flags)
{
    struct object object = {.inode = inode, .type = 1, .size = 5000, .flags = flags};

    ck_assert_int_eq(object_add_run(&object, 0, inode * 100000, 4096), 0);
    ck_assert_int_eq(object_add_run(&object, 4096, inode * 100000 + 50000, 904), 0);
    give(inside, label, "ext4", &object);
    object_release(&object);
}

/* expected: a part of the message; NULL: it is found. */
static void assert_end(struct inside *inside, const char *expected)
{
    struct error err = {""};
    const int result = inside_end(inside, &err);

    ck_assert_msg(expected ? result && strstr(err.text, expected) : result == 0, "%s", err.text);
    inside_release(inside);
}

START_TEST(an_object_is_found_with_its_runs)
{
    struct inside inside;

    begin(&inside, "12-1-0");
    ck_assert_uint_eq(inside.options.workers, 3);
    ck_assert_uint_eq(inside.options.seconds, 7);
    ck_assert(!inside.options.has_offset); /* it is for the inner image */
    give_file(&inside, "2@512", 11, 0);
    give_file(&inside, "2@512", 12, 0);
    give_file(&inside, "2@512", 13, 0);
    ck_assert(!atomic_load(&inside.stop)); /* another volume may have the same address */
    ck_assert_uint_eq(inside.object.size, 5000);
    ck_assert_uint_eq(inside.object.run_count, 2);
    ck_assert_uint_eq(inside.object.runs[1].offset, 4096);
    ck_assert_uint_eq(inside.object.runs[1].image, 1250000);
    ck_assert_uint_eq(inside.object.runs[1].len, 904);
    assert_end(&inside, NULL);
    begin(&inside, "12-1-0");
    give_file(&inside, "2@512", 11, 0);
    assert_end(&inside, "no such object");
}
END_TEST

START_TEST(the_label_chooses_the_volume)
{
    static const char *const labels[] = {"2@512/12-1-0", "-@512/12-1-0", "3@1024/12-1-0", "12-1-0"};
    struct inside inside;

    for (size_t i = 0; i < 4; i++) {
        begin(&inside, labels[i]);
        give_file(&inside, "2@512", 12, 0);
        ck_assert_int_eq(atomic_load(&inside.stop), i < 2);
        give_file(&inside, "3@1024", 12, 0);
        ck_assert_int_eq(atomic_load(&inside.stop), i < 3);
        assert_end(&inside, i < 3 ? NULL : "say which one, as in disk.dd/2@512/12-1-0");
    }
    begin(&inside, "12-1-0");
    give_file(&inside, "-", 12, 0); /* there is only one */
    ck_assert(atomic_load(&inside.stop));
    assert_end(&inside, NULL);
}
END_TEST

START_TEST(only_what_is_stored_as_it_is_can_be_read)
{
    struct inside inside;
    struct object object = {.inode = 12, .type = 1, .size = 5};

    for (unsigned flag = OBJECT_ALLOCATED; flag <= OBJECT_ENCRYPTED; flag *= 2) {
        begin(&inside, "12-1-0");
        give_file(&inside, "-", 12, flag);
        assert_end(&inside, flag == OBJECT_ALLOCATED ? NULL : "extract it");
    }
    begin(&inside, "12-1-0");
    give(&inside, "-/apfs1", "apfs", &object);
    assert_end(&inside, "extract it");
    object_blame(&object, OBJECT_PARTIAL, "half of it is gone");
    begin(&inside, "12-1-0");
    give(&inside, "-", "ext4", &object);
    assert_end(&inside, "half of it is gone (--force");
    begin(&inside, "12-1-0");
    inside.options.force = true;
    give(&inside, "-", "ext4", &object);
    assert_end(&inside, NULL);
    object_blame(&object, OBJECT_UNREADABLE, "all of it is gone");
    begin(&inside, "12-1-0");
    inside.options.force = true;
    give(&inside, "-", "ext4", &object);
    assert_end(&inside, "all of it is gone");
    object_release(&object);
}
END_TEST

static void give_member(struct inside *inside, struct object *parent, const char *name, uint64_t stored)
{
    const struct object_member member = {
        .opener = "tar", .name = name, .name_len = strlen(name), .number = 1};
    struct object object = {.size = 5000};

    ck_assert_int_eq(object_set_parent(&object, parent, &member), 0);
    ck_assert_int_eq(object_add_run(&object, 0, 700000, stored), 0);
    give(inside, "-", "ext4", &object);
    object_release(&object);
}

START_TEST(members_are_read_if_they_are_not_packed)
{
    static const struct {
        enum object_state state; /* of the container */
        uint64_t stored;
        const char *expected;
    } cases[] = {{OBJECT_WHOLE, 5000, NULL},
                 {OBJECT_WHOLE, 4096, NULL}, /* with a hole */
                 {OBJECT_WHOLE, 0, "extract it"},
                 {OBJECT_PARTIAL, 5000, "is incomplete (--force"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct object whole = {.inode = 11, .type = 1}, parent = {.inode = 12, .type = 1};
        struct inside inside;

        begin(&inside, "12-1-0/tar/disk.img");
        ck_assert(inside.options.kinds & OBJECT_BIT(OBJECT_MEMBER));
        object_blame(&parent, cases[i].state, "it is so");
        give(&inside, "-", "ext4", &whole);
        give_member(&inside, &whole, "disk.img", 5000);
        give(&inside, "-", "ext4", &parent);
        give_member(&inside, &parent, "disk.im", 5000);
        ck_assert(!inside.found);
        give_member(&inside, &parent, "disk.img", cases[i].stored);
        assert_end(&inside, cases[i].expected);
        object_release(&whole);
        object_release(&parent);
    }
}
END_TEST

START_TEST(a_range_is_asked_for)
{
    struct inside inside;
    struct object object = {.kind = OBJECT_IMAGE, .flags = OBJECT_RANGE, .start = 4096, .size = 512};

    begin(&inside, "7@512/@4096+512");
    ck_assert_uint_eq(inside.options.kinds, OBJECT_BIT(OBJECT_IMAGE));
    ck_assert_uint_eq(inside.options.ranges->count, 1);
    ck_assert_uint_eq(inside.options.ranges->list[0].start, 4096);
    ck_assert_uint_eq(inside.options.ranges->list[0].len, 512);
    give(&inside, "-", "", &object);
    assert_end(&inside, NULL);
    begin(&inside, "@99999999999999999999+512");
    ck_assert_uint_eq(inside.options.ranges->count, 0);
    assert_end(&inside, "no such object");
}
END_TEST

START_TEST(the_caller_can_stop_the_search)
{
    static atomic_bool stop;
    const struct evidence_options stoppable = {.stop = &stop};
    struct inside inside = {.path = NULL};
    struct error err;

    ck_assert_int_eq(inside_begin(&inside, "12-1-0", "12-1-0", &stoppable, &nothing, &err), 0);
    inside.sink.idle(inside.sink.arg);
    ck_assert(!atomic_load(inside.options.stop));
    atomic_store(&stop, true);
    inside.sink.idle(inside.sink.arg);
    ck_assert(atomic_load(inside.options.stop));
    inside_release(&inside);
}
END_TEST

RUN_TESTS("inside", only_a_path_below_a_file_names_an_object,
          an_object_is_named_by_an_address_and_perhaps_a_label, an_object_is_found_with_its_runs,
          the_label_chooses_the_volume, only_what_is_stored_as_it_is_can_be_read,
          members_are_read_if_they_are_not_packed, a_range_is_asked_for, the_caller_can_stop_the_search)
