/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "evidence.h"

enum {
    SECTOR = 512,
    DISK_SECTORS = 6000,
    DISK_LEN = DISK_SECTORS * SECTOR,
    MAX_LEN = 3000000,
    MAX_PARTS = 4,
    LINUX = 0x83,
};

static uint8_t disk[DISK_LEN];
static uint8_t bytes[MAX_LEN];

/* ---- an inspector: a sum over the bytes ---- */

struct sum {
    uint64_t value, len;
};

static void sum_bytes(struct sum *sum, const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sum->value = sum->value * 0x100000001b3u + (data ? data[i] : 0) + 1;
    sum->len += len;
}

static void *inspector_open(void *arg, struct error *err)
{
    (void)err;
    return arg;
}

static bool inspector_begin(void *state, const struct object *object)
{
    (void)object;
    *(struct sum *)state = (struct sum){0};
    return true;
}

static void inspector_data(void *state, const void *data, size_t len)
{
    sum_bytes(state, data, len);
}

static void inspector_zeros(void *state, uint64_t len)
{
    sum_bytes(state, NULL, (size_t)len);
}

static void inspector_end(void *state, struct object *object)
{
    buffer_add(&object->result, state, sizeof(struct sum));
}

static struct sum of_worker;
static const struct inspector inspector = {.open = inspector_open, .begin = inspector_begin, .data = inspector_data,
                                           .zeros = inspector_zeros, .end = inspector_end, .arg = &of_worker};

/* ---- what is found, line by line ---- */

static struct buffer found;
static unsigned problems, images, volumes;
static const char *touch; /* a file to change meanwhile */

static void found_image(void *arg, const struct evidence_image *image)
{
    (void)arg;
    images++;
    buffer_printf(&found, "image %s %s %" PRIu64 " %" PRIu32 "\n", image->format, image->table, image->size,
                  image->sector_size);
    if (touch)
        ck_assert_int_eq(utimensat(AT_FDCWD, touch, (struct timespec[]){{1, 0}, {1, 0}}, 0), 0);
}

static void found_volume(void *arg, const struct evidence_volume *volume)
{
    const char *at = strchr(volume->label, '@');

    (void)arg;
    volumes++;
    buffer_printf(&found, "volume %s %" PRIu64 "+%" PRIu64 " %s %s\n", at ? at : volume->label, volume->start,
                  volume->len, volume->system, volume->content);
}

/* How an object is told, with what it should hold. */
static void tell(struct buffer *out, const char *kind, uint64_t start, const uint8_t *data, size_t len,
                 const char *path)
{
    struct sum sum = {0};

    sum_bytes(&sum, data, len);
    buffer_printf(out, "%s %" PRIu64 "+%zu %" PRIx64 " %s\n", kind, start, len, sum.value, path);
}

static void found_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                         const char *paths, size_t count)
{
    struct sum sum = {0};

    (void)arg;
    (void)volume;
    ck_assert_int_eq(object->state, OBJECT_WHOLE);
    if (object->result.len) {
        ck_assert_uint_eq(object->result.len, sizeof sum);
        memcpy(&sum, object->result.data, sizeof sum);
        ck_assert_uint_eq(sum.len, object->size);
    }
    buffer_printf(&found, "%s %" PRIu64 "+%" PRIu64 " %" PRIx64 " %s\n", object_kind_name(object->kind), object->start,
                  object->size, sum.value, count ? paths : "");
    ck_assert_uint_eq(object->flags, count ? OBJECT_ALLOCATED | OBJECT_HOST : OBJECT_RANGE);
    ck_assert_uint_le(count, 1);
}

static void found_digests(void *arg, const struct digest_values *whole, const struct digest_values *stored)
{
    (void)arg;
    ck_assert_uint_eq(stored->kinds, 0);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        for (size_t i = 0; (whole->kinds & DIGEST_BIT(kind)) && i < digest_len((enum digest_kind)kind); i++)
            buffer_printf(&found, "%02x", whole->bytes[kind][i]);
    buffer_add_char(&found, '\n');
}

static void found_problem(void *arg, const char *text)
{
    (void)arg;
    problems++;
    buffer_printf(&found, "problem %s\n", text);
}

static void found_note(void *arg, const char *text)
{
    (void)arg;
    (void)text; /* of the kernel as well */
}

static const struct evidence_sink sink = {.image = found_image, .volume = found_volume, .object = found_object,
                                          .digests = found_digests, .problem = found_problem, .note = found_note};

static struct evidence_options defaults(void)
{
    return (struct evidence_options){.workers = 1, .seconds = 600, .kinds = OBJECT_CONTENT, .inspector = &inspector};
}

static enum evidence_result read_evidence(const char *path, const struct evidence_options *options, struct error *err)
{
    buffer_reset(&found);
    problems = images = volumes = 0;
    return evidence_read(path, options, &sink, err);
}

static void assert_result(const char *path, const struct evidence_options *options, enum evidence_result result_wanted,
                          const struct buffer *wanted)
{
    struct error err = {""};
    enum evidence_result result = read_evidence(path, options, &err);

    ck_assert_msg(result == result_wanted, "%d: %s %.*s", result, err.text, (int)found.len, found.data);
    ck_assert_msg(found.len == wanted->len && (found.len == 0 || memcmp(found.data, wanted->data, found.len) == 0),
                  "found:\n%.*s\nnot:\n%.*s", (int)found.len, found.data, (int)wanted->len, wanted->data);
}

static void assert_found(const char *path, const struct evidence_options *options, const struct buffer *wanted)
{
    assert_result(path, options, EVIDENCE_DONE, wanted);
}

/* ---- files and folders ---- */

static char folder[64];

static void begin_folder(void)
{
    strcpy(folder, "/tmp/test_evidence_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static const char *in_folder(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void end_folder(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf -- %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static void write_file(const char *name, const uint8_t *data, size_t len)
{
    FILE *file = fopen(in_folder(name), "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, len, file), len);
    ck_assert_int_eq(fclose(file), 0);
}

/* Adds a file to the folder, and what is to be told of it. */
static void add_file(struct buffer *wanted, const char *name, size_t len)
{
    fill_text(bytes, len);
    write_file(name, bytes, len);
    tell(wanted, "file", 0, bytes, len, name);
}

START_TEST(files_of_a_folder_are_told_in_order_with_their_content)
{
    static const size_t lens[] = {0, 1, 511, 4096, 100000, 2500000, 70000, 3};
    struct evidence_options options = defaults();
    struct buffer wanted = {0};
    atomic_ullong counted;
    uint64_t all = 0;

    begin_folder();
    ck_assert_int_eq(mkdir(in_folder("c"), 0700) | mkdir(in_folder("c/empty"), 0700) | mkdir(in_folder("c/y"), 0700),
                     0);
    ck_assert_int_eq(symlink("a00", in_folder("link")) | mkfifo(in_folder("fifo"), 0600), 0);
    for (unsigned i = 0; i < 40; i++, all += lens[(i - 1) % 8]) {
        char name[64];

        snprintf(name, sizeof name, i < 20 ? "a%02u" : i < 30 ? "c/x%02u" : i < 38 ? "c/y/%02u" : "d %u\n\xff", i);
        add_file(&wanted, name, lens[i % 8]);
    }
    for (options.workers = 1; options.workers <= 4; options.workers *= 2) {
        options.bytes = &counted;
        assert_found(folder, &options, &wanted);
        ck_assert_uint_eq(atomic_load(&counted), all);
        ck_assert_uint_eq(images + volumes + problems, 0);
    }
    end_folder();
    buffer_release(&wanted);
}
END_TEST

START_TEST(an_empty_folder_holds_nothing)
{
    struct evidence_options options = defaults();
    struct buffer wanted = {0};

    begin_folder();
    assert_found(folder, &options, &wanted);
    end_folder();
}
END_TEST

START_TEST(a_slash_behind_a_folder_changes_nothing)
{
    struct evidence_options options = defaults();
    struct buffer wanted = {0};

    begin_folder();
    add_file(&wanted, "x", 1000);
    assert_found(in_folder(""), &options, &wanted);
    assert_found(in_folder("//"), &options, &wanted);
    end_folder();
    buffer_release(&wanted);
}
END_TEST

START_TEST(a_file_that_is_no_disk_is_a_file)
{
    static const size_t lens[] = {0, 1, 511, 512, 513, 1000, 5000, 65536, 200000, 2000000};
    struct evidence_options options = defaults();

    begin_folder();
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        struct buffer wanted = {0};

        add_file(&wanted, "a file", lens[i]);
        options.workers = 1 + (unsigned)(i % 2);
        assert_found(in_folder("a file"), &options, &wanted);
        buffer_release(&wanted);
    }
    end_folder();
}
END_TEST

START_TEST(without_an_inspector_only_names_are_told)
{
    struct evidence_options options = defaults();
    struct buffer wanted = {0};

    begin_folder();
    write_file("x", (const uint8_t *)"content", 7);
    options.inspector = NULL;
    buffer_add_text(&wanted, "file 0+7 0 x\n");
    assert_found(folder, &options, &wanted);
    assert_found(in_folder("x"), &options, &wanted);
    end_folder();
    buffer_release(&wanted);
}
END_TEST

START_TEST(a_file_is_an_image_where_that_is_said)
{
    struct evidence_options options = defaults();
    struct buffer wanted = {0};

    begin_folder();
    fill_text(bytes, 100000);
    write_file("x", bytes, 100000);
    options.image_type = "raw";
    buffer_add_text(&wanted, "image raw  100000 512\nvolume - 0+100000  \n");
    tell(&wanted, "unallocated", 0, bytes, 100000, "");
    assert_found(in_folder("x"), &options, &wanted);
    end_folder();
    buffer_release(&wanted);
}
END_TEST

/* ---- disks with a partition table of 1983 ---- */

struct part {
    uint32_t first, count; /* sectors */
};

static void put32(uint8_t *p, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(number >> 8 * i);
}

static void make_disk(const struct part *parts, size_t count)
{
    fill_text(disk, DISK_LEN);
    memset(disk + 446, 0, 64);
    for (size_t i = 0; i < count; i++) {
        uint8_t *entry = disk + 446 + 16 * i;

        entry[4] = LINUX;
        put32(entry + 8, parts[i].first);
        put32(entry + 12, parts[i].count);
    }
    disk[510] = 0x55;
    disk[511] = 0xaa;
    write_file("disk", disk, DISK_LEN);
}

static void tell_disk(struct buffer *wanted, const char *kind, uint32_t from, uint32_t to)
{
    if (from < to)
        tell(wanted, kind, (uint64_t)from * SECTOR, disk + (size_t)from * SECTOR, (size_t)(to - from) * SECTOR, "");
}

static struct buffer wanted_of(const struct part *parts, size_t count)
{
    struct buffer wanted = {0};
    uint32_t end = 0;

    buffer_printf(&wanted, "image raw dos %d 512\n", DISK_LEN);
    for (size_t i = 0; i < count; i++) {
        const uint64_t start = (uint64_t)parts[i].first * SECTOR;

        tell_disk(&wanted, "gap", end, parts[i].first);
        end = parts[i].first + parts[i].count;
        buffer_printf(&wanted, "volume @%" PRIu64 " %" PRIu64 "+%" PRIu64 "  \n", start, start,
                      (uint64_t)parts[i].count * SECTOR);
        tell_disk(&wanted, "unallocated", parts[i].first, end);
    }
    tell_disk(&wanted, "gap", end, DISK_SECTORS);
    return wanted;
}

START_TEST(volumes_and_gaps_cover_a_disk_in_order)
{
    struct evidence_options options = defaults();

    begin_folder();
    for (int round = 0; round < 12; round++) {
        const size_t count = 1 + (size_t)round % MAX_PARTS;
        struct part parts[MAX_PARTS];
        struct buffer wanted;
        uint32_t at = 1;

        for (size_t i = 0; i < count; i++) {
            const uint32_t room = (DISK_SECTORS - at) / (uint32_t)(count - i);

            parts[i].first = at + (random64() % 3 ? (uint32_t)(random64() % (room / 2)) : 0);
            parts[i].count = 1 + (uint32_t)(random64() % (room / 2));
            at = parts[i].first + parts[i].count;
        }
        if (random64() % 3 == 0) /* up to the end */
            parts[count - 1].count = DISK_SECTORS - parts[count - 1].first;
        make_disk(parts, count);
        wanted = wanted_of(parts, count);
        options.workers = 1 + (unsigned)(random64() % 4);
        assert_found(in_folder("disk"), &options, &wanted);
        buffer_release(&wanted);
    }
    end_folder();
}
END_TEST

START_TEST(only_the_kinds_that_are_wanted_are_told)
{
    const struct part part = {100, 1000};
    struct evidence_options options = defaults();
    struct buffer wanted = {0};

    begin_folder();
    make_disk(&part, 1);
    options.kinds = OBJECT_BIT(OBJECT_GAP);
    buffer_printf(&wanted, "image raw dos %d 512\n", DISK_LEN);
    tell_disk(&wanted, "gap", 0, 100);
    buffer_add_text(&wanted, "volume @51200 51200+512000  \n");
    tell_disk(&wanted, "gap", 1100, DISK_SECTORS);
    assert_found(in_folder("disk"), &options, &wanted);
    end_folder();
    buffer_release(&wanted);
}
END_TEST

START_TEST(only_what_begins_at_an_offset_is_looked_at)
{
    const struct part part = {100, 1000};
    struct evidence_options options = defaults();
    struct buffer wanted = {0};
    struct error err = {""};
    char line[200];

    begin_folder();
    make_disk(&part, 1);
    options.has_offset = true;
    options.inspector = NULL;
    options.kinds = 0;
    options.sector = 100;
    snprintf(line, sizeof line, "problem at sector 100 begins no file system\nimage raw  %d 512\nvolume @51200 51200+%d  \n",
             DISK_LEN, DISK_LEN - 51200);
    buffer_add_text(&wanted, line);
    assert_result(in_folder("disk"), &options, EVIDENCE_PARTIAL, &wanted);
    options.sector = DISK_SECTORS;
    ck_assert_int_eq(read_evidence(in_folder("disk"), &options, &err), EVIDENCE_FAILED);
    ck_assert_ptr_nonnull(strstr(err.text, "6000"));
    end_folder();
    buffer_release(&wanted);
}
END_TEST

START_TEST(the_digests_of_a_disk_are_those_of_its_bytes)
{
    const struct part part = {100, 1000};
    const unsigned kinds = DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256);
    struct evidence_options options = defaults();
    struct digest *digest = digest_new(kinds, NULL);
    struct digest_values values = {0};
    struct buffer wanted;

    begin_folder();
    make_disk(&part, 1);
    wanted = wanted_of(&part, 1);
    ck_assert_int_eq(digest_begin(digest, NULL) | digest_update(digest, disk, DISK_LEN, NULL) |
                         digest_final(digest, &values, NULL),
                     0);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        for (size_t i = 0; (kinds & DIGEST_BIT(kind)) && i < digest_len((enum digest_kind)kind); i++)
            buffer_printf(&wanted, "%02x", values.bytes[kind][i]);
    buffer_add_char(&wanted, '\n');
    options.image_digests = kinds;
    assert_found(in_folder("disk"), &options, &wanted);
    digest_free(digest);
    end_folder();
    buffer_release(&wanted);
}
END_TEST

START_TEST(a_disk_that_changes_meanwhile_is_told)
{
    const struct part part = {100, 1000};
    struct evidence_options options = defaults();
    struct error err = {""};
    char path[256];

    begin_folder();
    make_disk(&part, 1);
    strcpy(path, in_folder("disk"));
    touch = path;
    ck_assert_int_eq(read_evidence(path, &options, &err), EVIDENCE_CHANGED);
    ck_assert_uint_eq(problems, 1);
    ck_assert_ptr_nonnull(memmem(found.data, found.len, path, strlen(path)));
    touch = NULL;
    ck_assert_int_eq(read_evidence(path, &options, &err), EVIDENCE_DONE);
    end_folder();
}
END_TEST

/* ---- what is no evidence ---- */

static void assert_fails(const char *path, const char *reason)
{
    struct evidence_options options = defaults();
    struct error err = {""};

    ck_assert_int_eq(read_evidence(path, &options, &err), EVIDENCE_FAILED);
    ck_assert_msg(strstr(err.text, path) && strstr(err.text, reason), "%s", err.text);
    ck_assert_uint_eq(found.len, 0);
}

START_TEST(what_cannot_be_opened_is_an_error_that_names_it)
{
    static const uint8_t qcow2[600] = {'Q', 'F', 'I', 0xfb, 0, 0, 0, 3, 0, 0, 0, 0,
                                       0,   0,   0,   0,    0, 0, 0, 0, 0, 0, 0, 16};

    begin_folder();
    assert_fails(in_folder("missing"), "");
    ck_assert_int_eq(mkfifo(in_folder("fifo"), 0600), 0);
    assert_fails(in_folder("fifo"), "FIFO");
    assert_fails("/dev/null", "device");
    write_file("x.img", qcow2, sizeof qcow2);
    assert_fails(in_folder("x.img"), "qcow2");
    end_folder();
}
END_TEST

START_TEST(types_are_known_by_their_whole_names)
{
    static const char *const known[] = {"raw", "ewf", "aff", "vmdk", "vhd"};
    static const char *const unknown[] = {"", "ra", "aw", "raw ewf", " ", "E01"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_msg(evidence_image_type_known(known[i]), "%s", known[i]);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        ck_assert_msg(!evidence_image_type_known(unknown[i]), "%s", unknown[i]);
    ck_assert(evidence_system_type_known("ntfs") && evidence_system_type_known("ext4"));
    ck_assert(!evidence_system_type_known("nt") && !evidence_system_type_known(""));
}
END_TEST

RUN_TESTS("evidence", files_of_a_folder_are_told_in_order_with_their_content, an_empty_folder_holds_nothing,
          a_slash_behind_a_folder_changes_nothing, a_file_that_is_no_disk_is_a_file,
          without_an_inspector_only_names_are_told, a_file_is_an_image_where_that_is_said,
          volumes_and_gaps_cover_a_disk_in_order, only_the_kinds_that_are_wanted_are_told,
          only_what_begins_at_an_offset_is_looked_at, the_digests_of_a_disk_are_those_of_its_bytes,
          a_disk_that_changes_meanwhile_is_told, what_cannot_be_opened_is_an_error_that_names_it,
          types_are_known_by_their_whole_names)
