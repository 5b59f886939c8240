/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"
#include "crew/sandbox.h"
#include "database/statement.h"
#include "evidence/evidence.h"

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

static void *inspector_open(void *arg, const struct inspector_watch *watch, struct error *err)
{
    (void)watch;
    (void)err;
    return arg;
}

static bool inspector_begin(void *state, const struct object *object, struct content *content)
{
    (void)object;
    (void)content;
    *(struct sum *)state = (struct sum){0};
    return true;
}

static void inspector_data(void *state, const void *data, size_t len)
{
    sum_bytes(state, data, len);
}

static void inspector_no_data(void *state, uint64_t len)
{
    sum_bytes(state, NULL, (size_t)len);
}

static void inspector_end(void *state, struct object *object)
{
    buffer_add(&object->result, state, sizeof(struct sum));
}

static struct sum of_worker;
static const struct inspector inspector = {.open = inspector_open,
                                           .begin = inspector_begin,
                                           .data = inspector_data,
                                           .zeros = inspector_no_data,
                                           .end = inspector_end,
                                           .arg = &of_worker};

/* An inspector that begins or ends objects differently. */
static struct inspector inspector_with(void *(*begin)(void *arg, const struct inspector_watch *watch,
                                                      struct error *err),
                                       void (*end)(void *state, struct object *object))
{
    struct inspector other = inspector;

    other.open = begin;
    other.end = end;
    return other;
}

/* ---- findings, line by line ---- */

static struct buffer found;
static unsigned problems, images, volumes, unexamined;
static const char *touch; /* a file to change during the scan */

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
    unexamined += volume->unexamined;
    buffer_printf(&found, "volume %s %" PRIu64 "+%" PRIu64 " %s %s\n", at ? at : volume->label, volume->start,
                  volume->len, volume->system, volume->content);
}

/* The line expected for an object with this content. */
static void expect_object(struct buffer *out, const char *kind, uint64_t start, const uint8_t *data,
                          size_t len, const char *path)
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
    buffer_printf(&found, "%s %" PRIu64 "+%" PRIu64 " %" PRIx64 " %s\n", object_kind_name(object->kind),
                  object->start, object->size, sum.value, count ? paths : "");
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

static bool no_landlock; /* of the kernel */

static void found_note(void *arg, const char *text)
{
    (void)arg;
    no_landlock = no_landlock || strstr(text, "Landlock");
}

static const struct evidence_sink sink = {.image = found_image,
                                          .volume = found_volume,
                                          .object = found_object,
                                          .digests = found_digests,
                                          .problem = found_problem,
                                          .note = found_note};

static struct evidence_options defaults(void)
{
    return (struct evidence_options){.workers = 1,
                                     .seconds = 600,
                                     .kinds = OBJECT_STORED,
                                     .inspector = &inspector,
                                     .ok_unexamined = true,
                                     .no_sandbox = true};
}

static enum evidence_result read_evidence(const char *path, const struct evidence_options *options,
                                          struct error *err)
{
    buffer_reset(&found);
    problems = images = volumes = unexamined = 0;
    return evidence_read(path, options, &sink, err);
}

static void assert_result(const char *path, const struct evidence_options *options,
                          enum evidence_result result_wanted, const struct buffer *wanted)
{
    struct error err = {""};
    enum evidence_result result = read_evidence(path, options, &err);

    ck_assert_msg(result == result_wanted, "%d: %s %.*s", result, err.text, (int)found.len, found.data);
    ck_assert_msg(found.len == wanted->len &&
                      (found.len == 0 || memcmp(found.data, wanted->data, found.len) == 0),
                  "found:\n%.*s\nnot:\n%.*s", (int)found.len, found.data, (int)wanted->len, wanted->data);
}

static void assert_found(const char *path, const struct evidence_options *options,
                         const struct buffer *wanted)
{
    assert_result(path, options, EVIDENCE_DONE, wanted);
}

/* ---- files and folders ---- */

static char folder[64];

/* How to read the folder, and the report that is expected. */
static struct {
    struct evidence_options options;
    struct buffer wanted;
} test;

static void begin_folder(void)
{
    test.options = defaults();
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
    buffer_release(&test.wanted);
}

static void write_file(const char *name, const uint8_t *data, size_t len)
{
    FILE *file = fopen(in_folder(name), "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, len, file), len);
    ck_assert_int_eq(fclose(file), 0);
}

/* Adds a file to the folder, and the line expected for it. */
static void add_file(struct buffer *wanted, const char *name, size_t len)
{
    fill_text(bytes, len);
    write_file(name, bytes, len);
    expect_object(wanted, "file", 0, bytes, len, name);
}

START_TEST(files_of_a_folder_are_reported_in_order_with_their_content)
{
    static const size_t lens[] = {0, 1, 511, 4096, 100000, 2500000, 70000, 3};
    atomic_ullong counted;
    uint64_t all = 0;

    begin_folder();
    ck_assert_int_eq(
        mkdir(in_folder("c"), 0700) | mkdir(in_folder("c/empty"), 0700) | mkdir(in_folder("c/y"), 0700), 0);
    ck_assert_int_eq(symlink("a00", in_folder("link")) | mkfifo(in_folder("fifo"), 0600), 0);
    for (unsigned i = 0; i < 40; i++, all += lens[(i - 1) % 8]) {
        char name[64];

        snprintf(name, sizeof name,
                 i < 20   ? "a%02u"
                 : i < 30 ? "c/x%02u"
                 : i < 38 ? "c/y/%02u"
                          : "d %u\n\xff",
                 i);
        add_file(&test.wanted, name, lens[i % 8]);
    }
    for (test.options.workers = 1; test.options.workers <= 4; test.options.workers *= 2) {
        test.options.bytes = &counted;
        assert_found(folder, &test.options, &test.wanted);
        ck_assert_uint_eq(atomic_load(&counted), all);
        ck_assert_uint_eq(images + volumes + problems, 0);
    }
    end_folder();
}
END_TEST

START_TEST(an_empty_folder_reports_nothing)
{
    begin_folder();
    assert_found(folder, &test.options, &test.wanted);
    end_folder();
}
END_TEST

START_TEST(a_trailing_slash_changes_nothing)
{
    begin_folder();
    add_file(&test.wanted, "x", 1000);
    assert_found(in_folder(""), &test.options, &test.wanted);
    assert_found(in_folder("//"), &test.options, &test.wanted);
    end_folder();
}
END_TEST

START_TEST(a_file_that_is_not_an_image_is_read_as_a_file)
{
    static const size_t lens[] = {0, 1, 511, 512, 513, 1000, 5000, 65536, 200000, 2000000};

    begin_folder();
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        struct buffer wanted = {0};

        add_file(&wanted, "a file", lens[i]);
        test.options.workers = 1 + (unsigned)(i % 2);
        assert_found(in_folder("a file"), &test.options, &wanted);
        buffer_release(&wanted);
    }
    end_folder();
}
END_TEST

START_TEST(without_an_inspector_only_names_are_reported)
{
    begin_folder();
    write_file("x", (const uint8_t *)"content", 7);
    test.options.inspector = NULL;
    buffer_add_text(&test.wanted, "file 0+7 0 x\n");
    assert_found(folder, &test.options, &test.wanted);
    assert_found(in_folder("x"), &test.options, &test.wanted);
    end_folder();
}
END_TEST

START_TEST(a_file_is_an_image_if_the_caller_says_so)
{
    begin_folder();
    fill_text(bytes, 100000);
    write_file("x", bytes, 100000);
    test.options.image_type = "raw";
    buffer_add_text(&test.wanted, "image raw  100000 512\nvolume - 0+100000  \n");
    expect_object(&test.wanted, "unallocated", 0, bytes, 100000, "");
    assert_found(in_folder("x"), &test.options, &test.wanted);
    end_folder();
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
        expect_object(wanted, kind, (uint64_t)from * SECTOR, disk + (size_t)from * SECTOR,
                      (size_t)(to - from) * SECTOR, "");
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
        test.options.workers = 1 + (unsigned)(random64() % 4);
        assert_found(in_folder("disk"), &test.options, &wanted);
        buffer_release(&wanted);
    }
    end_folder();
}
END_TEST

START_TEST(only_the_requested_kinds_are_reported)
{
    const struct part part = {100, 1000};

    begin_folder();
    make_disk(&part, 1);
    test.options.kinds = OBJECT_BIT(OBJECT_GAP);
    buffer_printf(&test.wanted, "image raw dos %d 512\n", DISK_LEN);
    tell_disk(&test.wanted, "gap", 0, 100);
    buffer_add_text(&test.wanted, "volume @51200 51200+512000  \n");
    tell_disk(&test.wanted, "gap", 1100, DISK_SECTORS);
    assert_found(in_folder("disk"), &test.options, &test.wanted);
    end_folder();
}
END_TEST

START_TEST(with_an_offset_only_what_begins_there_is_read)
{
    const struct part part = {100, 1000};
    struct error err = {""};

    begin_folder();
    make_disk(&part, 1);
    test.options.has_offset = true;
    test.options.inspector = NULL;
    test.options.kinds = 0;
    test.options.sector = 100;
    buffer_printf(&test.wanted, "image raw  %d 512\nvolume @51200 51200+%d  \n", DISK_LEN, DISK_LEN - 51200);
    assert_result(in_folder("disk"), &test.options, EVIDENCE_DONE, &test.wanted);
    memset(disk + 51200, 0, DISK_LEN - 51200);
    write_file("disk", disk, DISK_LEN);
    buffer_reset(&test.wanted);
    buffer_printf(
        &test.wanted,
        "problem no file system begins at sector 100\nimage raw  %d 512\nvolume @51200 51200+%d  \n",
        DISK_LEN, DISK_LEN - 51200);
    assert_result(in_folder("disk"), &test.options, EVIDENCE_PARTIAL, &test.wanted);
    test.options.sector = DISK_SECTORS;
    ck_assert_int_eq(read_evidence(in_folder("disk"), &test.options, &err), EVIDENCE_FAILED);
    ck_assert_ptr_nonnull(strstr(err.text, "6000"));
    end_folder();
}
END_TEST

/* What the volume of a disk begins with, and whether it may hold files that are not listed. */
struct unseen {
    const char *what;
    size_t offset;
    const char *mark;
    size_t mark_len;
    bool unexamined;
};

static void assert_unseen(const struct unseen *tried, bool accepted)
{
    const struct part part = {100, 1000};
    const bool bad = tried->unexamined && !accepted;
    struct evidence_options options = defaults();
    struct error err = {""};
    enum evidence_result result;

    make_disk(&part, 1);
    memset(disk + 100 * SECTOR, 0, 1000 * SECTOR);
    memcpy(disk + 100 * SECTOR + tried->offset, tried->mark, tried->mark_len);
    write_file("disk", disk, DISK_LEN);
    options.ok_unexamined = accepted;
    result = read_evidence(in_folder("disk"), &options, &err);
    ck_assert_msg(result == (bad ? EVIDENCE_PARTIAL : EVIDENCE_DONE) && problems == bad &&
                      unexamined == tried->unexamined,
                  "%s: %d, %u problems, %u unexamined", tried->what, result, problems, unexamined);
}

START_TEST(unexamined_volumes_are_problems_unless_accepted)
{
    static const struct unseen tried[] = {
        {"zeros", 0, "", 0, false},
        {"a byte near the end", 999 * SECTOR, "x", 1, true},
        {"LUKS", 0, "LUKS\xba\xbe\0\2", 8, true},
        {"BitLocker", 3, "-FVE-FS-", 8, true},
        {"btrfs", 65536 + 64, "_BHRfS_M", 8, true},
        {"swap", 4096 - 10, "SWAPSPACE2", 10, false},
        {"a partition table of its own", 0, "PM\0\0", 4, false},
    };

    begin_folder();
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        assert_unseen(&tried[i], false);
        assert_unseen(&tried[i], true);
    }
    end_folder();
}
END_TEST

START_TEST(the_digests_of_a_disk_match_its_bytes)
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

START_TEST(a_disk_that_changes_while_it_is_read_is_reported)
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

/* ---- reading again ---- */

struct twice {
    struct sum sum;
    struct content *content;
    uint64_t size;
    bool same;
};

static struct twice twice_of_worker;

static bool twice_begin(void *state, const struct object *object, struct content *content)
{
    *(struct twice *)state = (struct twice){.content = content, .size = object->size, .same = true};
    return true;
}

/* Reads something else first, then what is being given, which must still be there. */
static void twice_data(void *state, const void *data, size_t len)
{
    static uint8_t again[1 << 20];
    struct twice *twice = state;
    const uint64_t size = twice->size;
    const size_t some = size < 50000 ? (size_t)size : 50000;

    twice->same = twice->same && content_read(twice->content, size - some, again, some) == 0;
    twice->same = twice->same && len <= sizeof again &&
                  content_read(twice->content, twice->sum.len, again, len) == 0 &&
                  memcmp(again, data, len) == 0;
    sum_bytes(&twice->sum, data, len);
}

static void twice_zeros(void *state, uint64_t len)
{
    sum_bytes(&((struct twice *)state)->sum, NULL, (size_t)len);
}

/* The result consists of the bytes that were reread. */
static void twice_end(void *state, struct object *object)
{
    static uint8_t again[70001];
    struct twice *twice = state;
    struct sum sum = {0};

    while (sum.len < object->size && twice->same) {
        const uint64_t left = object->size - sum.len;
        const size_t len = left < sizeof again ? (size_t)left : sizeof again;

        twice->same = content_read(twice->content, sum.len, again, len) == 0;
        sum_bytes(&sum, again, len);
    }
    if (twice->same && content_read(twice->content, object->size, again, 1) == -1)
        buffer_add(&object->result, &sum, sizeof sum);
}

static const struct inspector reads_twice = {.open = inspector_open,
                                             .begin = twice_begin,
                                             .data = twice_data,
                                             .zeros = twice_zeros,
                                             .end = twice_end,
                                             .arg = &twice_of_worker};

START_TEST(rereading_gives_the_same_content)
{
    static const size_t lens[] = {0, 1, 5000, 100000, 200000, 2900000};
    const struct part part = {100, 5000};
    struct evidence_options options = defaults();
    struct buffer files = {0}, ranges;

    begin_folder();
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        char name[8];

        snprintf(name, sizeof name, "%zu", i);
        add_file(&files, name, lens[i]);
    }
    options.inspector = &reads_twice;
    assert_found(folder, &options, &files);
    make_disk(&part, 1);
    ranges = wanted_of(&part, 1);
    assert_found(in_folder("disk"), &options, &ranges);
    end_folder();
    buffer_release(&files);
    buffer_release(&ranges);
}
END_TEST

/* ---- a floppy disk with files ---- */

enum {
    FLOPPY_SECTORS = 2880,
    FLOPPY_FATS = 1, /* where the first one lies; 9 sectors each */
    FLOPPY_ROOT = 19,
    FLOPPY_DATA = 33,
    FLOPPY_PART = 64, /* sectors before the volume, on a disk */
};

static uint8_t *floppy = disk + FLOPPY_PART * SECTOR;
static uint32_t floppy_cluster; /* the next free one */

static void put16(uint8_t *p, unsigned number)
{
    p[0] = (uint8_t)number;
    p[1] = (uint8_t)(number >> 8);
}

static void link_cluster(uint32_t cluster, unsigned next)
{
    for (int copy = 0; copy < 2; copy++) {
        uint8_t *p = floppy + (FLOPPY_FATS + 9 * copy) * SECTOR + cluster * 3 / 2;

        put16(p, cluster % 2 ? (p[0] & 0x0f) | next << 4 : (unsigned)(p[1] & 0xf0) << 8 | next);
    }
}

static uint8_t *cluster_at(uint32_t cluster)
{
    return floppy + (FLOPPY_DATA + cluster - 2) * SECTOR;
}

/* name: 8 and 3 letters.  Returns the first cluster; what is deleted keeps its bytes but not its clusters. */
static uint32_t add_entry(uint8_t *entry, const char *name, uint32_t len, bool is_folder, bool deleted)
{
    const uint32_t count = (len + SECTOR - 1) / SECTOR, first = floppy_cluster;

    memcpy(entry, name, 11);
    entry[11] = is_folder ? 0x10 : 0x20;
    put16(entry + 24, 0x5a21); /* in 2025 */
    put16(entry + 26, first);
    put32(entry + 28, is_folder ? 0 : len);
    for (uint32_t i = 0; i < count; i++)
        if (!deleted)
            link_cluster(first + i, i + 1 < count ? first + i + 1 : 0xfff);
    if (deleted)
        entry[0] = 0xe5;
    floppy_cluster += count;
    return first;
}

static void format_floppy(void)
{
    static const uint8_t head[] = {0xeb, 0x3c, 0x90, 'k', 'i', 't',  'h',  ' ',  ' ', ' ', ' ', 0, 2, 1,
                                   1,    0,    2,    224, 0,   0x40, 0x0b, 0xf0, 9,   0,   18,  0, 2, 0};

    fill_text(disk, DISK_LEN);
    memset(floppy, 0, FLOPPY_DATA * SECTOR);
    memcpy(floppy, head, sizeof head);
    floppy[38] = 0x29;
    memcpy(floppy + 43, "KITH       FAT12   ", 19);
    floppy[510] = 0x55;
    floppy[511] = 0xaa;
    link_cluster(0, 0xff0);
    link_cluster(1, 0xfff);
    floppy_cluster = 2;
}

/* In the root: two files, a folder with two and a deleted one, a deleted file.  Its files hold what lay
 * there. */
static void fill_floppy(void)
{
    uint8_t *root = floppy + FLOPPY_ROOT * SECTOR, *inner;
    uint32_t folder_at;

    format_floppy();
    add_entry(root, "ONE     TXT", 700, false, false);
    add_entry(root + 32, "TWO     TXT", 40000, false, false);
    folder_at = add_entry(root + 64, "FOLDER     ", SECTOR, true, false);
    add_entry(root + 96, "GONE    TXT", 1500, false, true);
    inner = cluster_at(folder_at);
    memset(inner, 0, SECTOR);
    memcpy(inner, root + 64, 32);
    memcpy(inner, ".          ", 11);
    memcpy(inner + 32, inner, 32);
    memcpy(inner + 32, "..         ", 11);
    put16(inner + 32 + 26, 0);
    add_entry(inner + 64, "THREE   TXT", 5, false, false);
    add_entry(inner + 96, "FOUR    TXT", 3000, false, false);
    add_entry(inner + 128, "LOST    TXT", 900, false, true);
}

/* A disk with the floppy's file system in a volume, and another volume without one. */
static void make_disk_with_files(void)
{
    const struct part parts[] = {{FLOPPY_PART, FLOPPY_SECTORS}, {3200, 2000}};

    fill_floppy();
    memset(disk, 0, SECTOR);
    for (size_t i = 0; i < 2; i++) {
        uint8_t *entry = disk + 446 + 16 * i;

        entry[4] = i ? LINUX : 1;
        put32(entry + 8, parts[i].first);
        put32(entry + 12, parts[i].count);
    }
    disk[510] = 0x55;
    disk[511] = 0xaa;
    write_file("disk", disk, DISK_LEN);
}

/* ---- items ---- */

enum { MOST_RECORDS = 200 };

/* What is reported of an object. */
struct listed {
    uint64_t item, inode, start, size;
    struct sum sum;
    unsigned kind, flags, state, has_result;
    char path[100];
};

struct listing {
    struct listed list[MOST_RECORDS];
    size_t count;
};

static void list_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                        const char *paths, size_t count)
{
    struct listing *listing = arg;
    struct listed *listed = &listing->list[listing->count++];

    (void)volume;
    ck_assert_uint_le(listing->count, MOST_RECORDS);
    *listed = (struct listed){.item = object->item,
                              .inode = object->inode,
                              .start = object->start,
                              .size = object->size,
                              .kind = object->kind,
                              .flags = object->flags,
                              .state = object->state,
                              .has_result = object->result.len > 0};
    if (listed->has_result)
        memcpy(&listed->sum, object->result.data, sizeof listed->sum);
    snprintf(listed->path, sizeof listed->path, "%s", count ? paths : "");
    ck_assert(listing->count < 2 || listed[-1].item <= listed->item);
}

static struct listing listing_of(const char *path, const struct evidence_options *options)
{
    struct listing listing = {.count = 0};
    const struct evidence_sink into = {.object = list_object, .arg = &listing};
    struct error err = {""};
    enum evidence_result result = evidence_read(path, options, &into, &err);

    ck_assert_msg(result == EVIDENCE_DONE || result == EVIDENCE_PARTIAL, "%s", err.text);
    return listing;
}

static void assert_listing(const struct listing *a, const struct listing *b)
{
    ck_assert_uint_eq(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const struct listed *x = &a->list[i], *y = &b->list[i];

        ck_assert_msg(memcmp(x, y, sizeof *x) == 0, "%" PRIu64 " %u %x %s, not %" PRIu64 " %u %x %s", x->item,
                      x->kind, x->flags, x->path, y->item, y->kind, y->flags, y->path);
    }
}

static void make_host_folder(void)
{
    struct buffer ignored = {0};

    ck_assert_int_eq(mkdir(in_folder("host"), 0700) | mkdir(in_folder("host/b"), 0700), 0);
    for (unsigned i = 0; i < 40; i++) {
        char name[32];

        snprintf(name, sizeof name, i < 20 ? "host/a%02u" : "host/b/%02u", i);
        add_file(&ignored, name, i * 531 % 9000);
    }
    buffer_release(&ignored);
}

/* A folder of the host; a disk without files, one with some, and the file system of that alone. */
static const char *const evidence[] = {"host", "ranges", "disk", "floppy"};
enum { EVIDENCE_COUNT = sizeof evidence / sizeof *evidence };

static void make_evidence(void)
{
    const struct part parts[] = {{100, 1000}, {1500, 2000}};

    begin_folder();
    make_host_folder();
    make_disk(parts, 2);
    write_file("ranges", disk, DISK_LEN);
    make_disk_with_files();
    write_file("floppy", floppy, FLOPPY_SECTORS * SECTOR);
}

static struct evidence_options all_kinds(unsigned workers)
{
    struct evidence_options options = defaults();

    options.kinds = OBJECT_BIT(OBJECT_KINDS) - 1;
    options.workers = workers;
    return options;
}

static const struct listed *find_listed(const struct listing *listing, const char *path, unsigned kind)
{
    for (size_t i = 0; i < listing->count; i++)
        if (strcmp(listing->list[i].path, path) == 0 && listing->list[i].kind == kind)
            return &listing->list[i];
    ck_abort_msg("%s is not listed", path);
    return NULL;
}

START_TEST(items_are_numbered_alike_for_any_number_of_workers)
{
    make_evidence();
    for (size_t i = 0; i < EVIDENCE_COUNT; i++) {
        struct evidence_options one = all_kinds(1), three = all_kinds(3);
        struct listing first = listing_of(in_folder(evidence[i]), &one),
                       second = listing_of(in_folder(evidence[i]), &three);

        assert_listing(&first, &second);
        ck_assert_uint_gt(first.count, 1);
        ck_assert_uint_gt(first.list[first.count - 1].item, first.list[0].item);
    }
    end_folder();
}
END_TEST

START_TEST(each_file_with_its_slack_is_an_item_and_so_is_each_range)
{
    struct evidence_options options = all_kinds(2);
    struct listing listing;
    const struct listed *one;

    make_evidence();
    listing = listing_of(in_folder("host"), &options);
    ck_assert_uint_eq(listing.count, 40);
    for (size_t i = 0; i < listing.count; i++)
        ck_assert_uint_eq(listing.list[i].item, i);
    listing = listing_of(in_folder("ranges"), &options);
    ck_assert_uint_eq(listing.count, 5);
    for (size_t i = 0; i < listing.count; i++)
        ck_assert_uint_eq(listing.list[i].item, i);
    listing = listing_of(in_folder("floppy"), &options);
    one = find_listed(&listing, "ONE.TXT", OBJECT_FILE);
    ck_assert_uint_eq(one->item, find_listed(&listing, "ONE.TXT", OBJECT_SLACK)->item);
    ck_assert_uint_ne(one->item, find_listed(&listing, "TWO.TXT", OBJECT_FILE)->item);
    ck_assert_uint_eq(find_listed(&listing, "FOLDER/THREE.TXT", OBJECT_FILE)->size, 5);
    ck_assert_uint_eq(find_listed(&listing, "FOLDER/_OST.TXT", OBJECT_DELETED)->size, 900);
    end_folder();
}
END_TEST

START_TEST(content_before_the_first_item_is_listed_but_not_read)
{
    make_evidence();
    for (size_t i = 0; i < EVIDENCE_COUNT; i++) {
        struct evidence_options options = all_kinds(1);
        struct listing whole = listing_of(in_folder(evidence[i]), &options);
        const uint64_t last = whole.list[whole.count - 1].item;

        for (uint64_t first = 0; first <= last + 1; first += 1 + last / 7) {
            struct listing wanted = whole, got;

            for (size_t k = 0; k < wanted.count; k++)
                if (wanted.list[k].item < first) {
                    wanted.list[k].flags |= OBJECT_UNWANTED;
                    wanted.list[k].has_result = 0;
                    wanted.list[k].sum = (struct sum){0};
                }
            options.first_item = first;
            options.workers = 1 + (unsigned)(first % 3);
            got = listing_of(in_folder(evidence[i]), &options);
            assert_listing(&got, &wanted);
        }
    }
    end_folder();
}
END_TEST

/* ---- selection by path ---- */

static unsigned questions;
static pid_t parent;

/* Not objects with a 1 or an O in any of their paths. */
static bool wants(void *arg, const char *paths, size_t count)
{
    bool wanted = true;

    ck_assert_ptr_eq(arg, &questions);
    ck_assert_int_eq(getpid(), parent);
    questions++;
    for (size_t i = 0; i < count; i++, paths += strlen(paths) + 1)
        wanted = wanted && !strpbrk(paths, "1O");
    return wanted;
}

START_TEST(the_paths_of_a_file_decide_whether_its_content_is_wanted)
{
    parent = getpid();
    make_evidence();
    for (size_t i = 0; i < EVIDENCE_COUNT; i++) {
        struct evidence_options options = all_kinds(3);
        struct listing wanted = listing_of(in_folder(evidence[i]), &options), got;

        for (size_t k = 0; k < wanted.count; k++) {
            struct listed *listed = &wanted.list[k];

            if (!strstr(listed->path, "/OrphanFile-") &&
                strpbrk(listed->path, "1O")) { /* else it has no name */
                listed->flags |= OBJECT_UNWANTED;
                listed->has_result = 0;
                listed->sum = (struct sum){0};
            }
        }
        questions = 0;
        options.wanted = wants;
        options.wanted_arg = &questions;
        got = listing_of(in_folder(evidence[i]), &options);
        assert_listing(&got, &wanted);
        ck_assert_int_eq(questions > 0, i != 1); /* wanted is not called for ranges */
    }
    end_folder();
}
END_TEST

START_TEST(wanted_is_not_called_before_the_first_item)
{
    struct evidence_options options = all_kinds(1);

    parent = getpid();
    begin_folder();
    make_host_folder();
    questions = 0;
    options.wanted = wants;
    options.wanted_arg = &questions;
    options.first_item = 33;
    listing_of(in_folder("host"), &options);
    ck_assert_uint_eq(questions, 7);
    end_folder();
}
END_TEST

/* ---- items that are lost ---- */

static void dying_end(void *state, struct object *object)
{
    if (object->size == 531 * 3 || object->size == 700)
        abort();
    inspector_end(state, object);
}

/* Objects listed both times have the same number, although the blocks of what was lost are objects as
 * well. */
static void assert_numbers(const struct listing *whole, const struct listing *got)
{
    size_t same = 0;

    for (size_t i = 0; i < whole->count; i++)
        for (size_t k = 0; k < got->count; k++) {
            const struct listed *x = &whole->list[i], *y = &got->list[k];

            if (x->kind != y->kind || x->inode != y->inode || x->start != y->start || x->size != y->size ||
                strcmp(x->path, y->path) != 0)
                continue;
            ck_assert_uint_eq(x->item, y->item);
            same++;
        }
    ck_assert_uint_ge(same + 2, whole->count);
}

START_TEST(losses_are_reported_in_their_place)
{
    const struct inspector dies = inspector_with(inspector_open, dying_end);

    make_evidence();
    for (size_t i = 0; i < EVIDENCE_COUNT; i++) {
        struct evidence_options options = all_kinds(2);
        struct listing whole = listing_of(in_folder(evidence[i]), &options), got;
        size_t lost = 0;

        options.inspector = &dies;
        got = listing_of(in_folder(evidence[i]), &options);
        for (size_t k = 0; k < got.count; k++)
            lost += got.list[k].state == OBJECT_UNREADABLE;
        ck_assert_uint_eq(lost, i != 1);
        assert_numbers(&whole, &got);
        if (i == 0)
            ck_assert_uint_eq(got.list[3].item == 3 && got.list[3].state == OBJECT_UNREADABLE, 1);
    }
    end_folder();
}
END_TEST

/* ---- a slow inspector ---- */

static const struct inspector_watch *watched_by;
static bool reports;

static void *slow_open(void *arg, const struct inspector_watch *to, struct error *err)
{
    watched_by = to;
    return inspector_open(arg, to, err);
}

/* Three seconds of CPU time. */
static void slow_end(void *state, struct object *object)
{
    const clock_t end = clock() + 3 * CLOCKS_PER_SEC;

    while (clock() < end)
        if (reports)
            watched_by->progress(watched_by->arg);
    inspector_end(state, object);
}

START_TEST(an_inspector_that_reports_progress_does_not_time_out)
{
    const struct inspector slow = inspector_with(slow_open, slow_end);
    struct evidence_options options = defaults();
    struct buffer files = {0};

    begin_folder();
    add_file(&files, "file", 5000);
    options.inspector = &slow;
    options.seconds = 1;
    for (int i = 0; i < 2; i++) {
        struct listing got;

        reports = i == 0;
        got = listing_of(folder, &options);
        ck_assert_uint_eq(got.count, 1);
        ck_assert_int_eq(got.list[0].state == OBJECT_UNREADABLE, !reports);
    }
    end_folder();
    buffer_release(&files);
}
END_TEST

/* ---- items that a worker lies about ---- */

static uint64_t lie;

static void lying_end(void *state, struct object *object)
{
    if (object->size == 40000)
        object->item = lie;
    inspector_end(state, object);
}

START_TEST(an_item_outside_the_task_or_already_done_is_rejected_and_costs_the_task)
{
    static const uint64_t lies[] = {0, 512, 100000, UINT64_MAX};
    const struct inspector liar = inspector_with(inspector_open, lying_end);
    struct evidence_options options = all_kinds(1);
    struct listing honest;

    make_evidence();
    honest = listing_of(in_folder("floppy"), &options);
    options.inspector = &liar;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        static const char *const names[] = {"ONE.TXT", "TWO.TXT"};
        struct listing got;

        lie = lies[i];
        got = listing_of(in_folder("floppy"), &options);
        for (size_t k = 0; k < 2; k++) {
            const struct listed *listed = find_listed(&got, names[k], OBJECT_FILE);

            ck_assert_uint_eq(listed->state, OBJECT_UNREADABLE);
            ck_assert_uint_eq(listed->item, find_listed(&honest, names[k], OBJECT_FILE)->item);
        }
    }
    end_folder();
}
END_TEST

/* ---- what an inspector needs ---- */

struct library {
    struct database *database;
    struct statement *statement;
    struct sum sum;
};

static char library_path[300];
static void *(*allocate)(size_t len) = malloc; /* not detected */

enum { LIBRARY_ROWS = 4000 };

static void make_library(void)
{
    struct database *database;
    struct statement *statement;

    snprintf(library_path, sizeof library_path, "%s", in_folder("library"));
    ck_assert_int_eq(mkdir(library_path, 0700), 0);
    strcat(library_path, "/db");
    database = database_create_foreign(library_path, NULL);
    ck_assert_ptr_nonnull(database);
    ck_assert_int_eq(database_run(database, "CREATE TABLE t(k INTEGER PRIMARY KEY, v TEXT); BEGIN", NULL), 0);
    statement = database_prepare(database, "INSERT INTO t VALUES(?, hex(randomblob(250)) || ?)", NULL);
    for (int i = 0; i < LIBRARY_ROWS; i++) {
        statement_bind_number(statement, 1, i);
        statement_bind_number(statement, 2, i);
        ck_assert_int_eq(statement_run(statement, NULL), 0);
    }
    statement_free(statement);
    ck_assert_int_eq(database_run(database, "COMMIT", NULL), 0);
    ck_assert_int_eq(database_close(database, NULL), 0);
}

static void *library_open(void *arg, const struct inspector_watch *watch, struct error *err)
{
    struct library *library = arg;

    (void)watch;
    library->database = database_open_foreign(library_path, err);
    if (library->database)
        library->statement =
            database_prepare(library->database, "SELECT substr(v, 501) FROM t WHERE k = ?", err);
    return library->statement ? library : NULL;
}

static bool library_begin(void *state, const struct object *object, struct content *content)
{
    (void)object;
    (void)content;
    ((struct library *)state)->sum = (struct sum){0};
    return true;
}

static void library_data(void *state, const void *data, size_t len)
{
    sum_bytes(&((struct library *)state)->sum, data, len);
}

static void library_zeros(void *state, uint64_t len)
{
    sum_bytes(&((struct library *)state)->sum, NULL, (size_t)len);
}

/* The result is only there if the row of the object's size says so. */
static void library_end(void *state, struct object *object)
{
    struct library *library = state;
    const uint64_t row = object->size % LIBRARY_ROWS;
    char number[24];
    const char *text;
    size_t len;

    snprintf(number, sizeof number, "%" PRIu64, row);
    statement_bind_number(library->statement, 1, (int64_t)row);
    if (statement_step(library->statement, NULL) == 1 &&
        statement_bytes(library->statement, 0, (const void **)&text, &len) && len == strlen(number) &&
        memcmp(text, number, len) == 0)
        buffer_add(&object->result, &library->sum, sizeof library->sum);
    statement_reset(library->statement);
}

START_TEST(an_inspector_reads_a_database_below_its_folders)
{
    static struct library library;
    struct evidence_options options = all_kinds(2);
    struct listing wanted, got;
    struct error err = {""};
    char path[300];
    const char *const folders[] = {path, NULL};
    struct inspector reads = {.open = library_open,
                              .begin = library_begin,
                              .data = library_data,
                              .zeros = library_zeros,
                              .end = library_end,
                              .arg = &library,
                              .folders = folders};

    make_evidence();
    make_library();
    snprintf(path, sizeof path, "%s", in_folder("library"));
    for (size_t i = 0; i < EVIDENCE_COUNT; i++) {
        options.inspector = &inspector;
        wanted = listing_of(in_folder(evidence[i]), &options);
        options.inspector = &reads;
        got = listing_of(in_folder(evidence[i]), &options);
        assert_listing(&got, &wanted);
    }
    no_landlock = false;
    options.kinds = OBJECT_STORED;
    options.inspector = &inspector;
    read_evidence(in_folder("host"), &options, &err);
    reads.folders = NULL;
    options.inspector = &reads;
    if (!no_landlock)
        ck_assert_int_eq(read_evidence(in_folder("host"), &options, &err), EVIDENCE_FAILED);
    end_folder();
}
END_TEST

static int locked_fd;

static void *locked_open(void *arg, const struct inspector_watch *watch, struct error *err)
{
    (void)watch;
    locked_fd = open(library_path, O_RDONLY);
    return locked_fd < 0 ? (error_set(err, "cannot open it"), NULL) : arg;
}

/* As SQLite does. */
static void locked_end(void *state, struct object *object)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0x40000002, .l_len = 510};
    char byte;

    if (fcntl(locked_fd, F_SETLK, &lock) == 0 && fcntl(locked_fd, F_GETLK, &lock) == 0 &&
        pread(locked_fd, &byte, 1, 0) == 1)
        inspector_end(state, object);
    lock.l_type = F_UNLCK;
    fcntl(locked_fd, F_SETLK, &lock);
}

START_TEST(an_inspector_locks_what_it_reads)
{
    struct evidence_options options = all_kinds(2);
    struct listing wanted, got;
    const char *const folders[] = {library_path, NULL};
    struct inspector locks = inspector;

    make_evidence();
    make_library();
    wanted = listing_of(in_folder("host"), &options);
    locks.open = locked_open;
    locks.end = locked_end;
    locks.folders = folders;
    options.inspector = &locks;
    got = listing_of(in_folder("host"), &options);
    assert_listing(&got, &wanted);
    end_folder();
}
END_TEST

static void *large_open(void *arg, const struct inspector_watch *watch, struct error *err)
{
    (void)watch;
    return allocate((size_t)700 << 20) ? arg : (error_set(err, "out of memory"), NULL);
}

START_TEST(an_inspector_gets_the_memory_it_asks_for)
{
    struct inspector large = inspector;
    struct evidence_options options = defaults();
    struct error err = {""};

    begin_folder();
    write_file("x", (const uint8_t *)"content", 7);
    large.open = large_open;
    options.inspector = &large;
#ifndef SANDBOX_SANITIZED
    ck_assert_int_eq(read_evidence(folder, &options, &err), EVIDENCE_FAILED);
#endif
    large.memory = (uint64_t)800 << 20;
    ck_assert_int_eq(read_evidence(folder, &options, &err), EVIDENCE_DONE);
    end_folder();
}
END_TEST

/* When it is asked about one file, it removes one of the next, which is already listed. */
static bool removes(void *arg, const char *paths, size_t count)
{
    ck_assert_uint_eq(count, 1);
    if (strcmp(paths, "a03") == 0)
        ck_assert_int_eq(unlink(arg), 0);
    return strcmp(paths, "a07") != 0;
}

START_TEST(an_unreadable_file_is_reported_between_its_neighbours)
{
    struct evidence_options options = all_kinds(2);
    struct listing listing;
    char doomed[300];

    begin_folder();
    make_host_folder();
    snprintf(doomed, sizeof doomed, "%s", in_folder("host/a07"));
    options.wanted = removes;
    options.wanted_arg = doomed;
    listing = listing_of(in_folder("host"), &options);
    ck_assert_uint_eq(listing.count, 40);
    for (size_t i = 0; i < listing.count; i++) {
        char name[8];

        snprintf(name, sizeof name, i < 20 ? "a%02zu" : "b/%02zu", i);
        ck_assert_str_eq(listing.list[i].path, name);
        ck_assert_uint_eq(listing.list[i].item, i);
        ck_assert_uint_eq(listing.list[i].state, i == 7 ? OBJECT_UNREADABLE : OBJECT_WHOLE);
        ck_assert_uint_eq(listing.list[i].flags & OBJECT_UNWANTED, i == 7 ? OBJECT_UNWANTED : 0);
    }
    end_folder();
}
END_TEST

/* ---- not evidence ---- */

static void assert_fails(const char *path, const char *reason)
{
    struct evidence_options options = defaults();
    struct error err = {""};

    ck_assert_int_eq(read_evidence(path, &options, &err), EVIDENCE_FAILED);
    ck_assert_msg(strstr(err.text, path) && strstr(err.text, reason), "%s", err.text);
    ck_assert_uint_eq(found.len, 0);
}

START_TEST(evidence_that_cannot_be_opened_is_an_error_that_names_it)
{
    static const uint8_t qed[600] = {'Q', 'E', 'D', 0, 1, 0, 0, 0};

    begin_folder();
    assert_fails(in_folder("missing"), "");
    ck_assert_int_eq(mkfifo(in_folder("fifo"), 0600), 0);
    assert_fails(in_folder("fifo"), "FIFO");
    assert_fails("/dev/null", "device");
    write_file("x.img", qed, sizeof qed);
    assert_fails(in_folder("x.img"), "QED");
    end_folder();
}
END_TEST

RUN_TESTS("evidence", files_of_a_folder_are_reported_in_order_with_their_content,
          an_empty_folder_reports_nothing, a_trailing_slash_changes_nothing,
          a_file_that_is_not_an_image_is_read_as_a_file, without_an_inspector_only_names_are_reported,
          a_file_is_an_image_if_the_caller_says_so, volumes_and_gaps_cover_a_disk_in_order,
          only_the_requested_kinds_are_reported, with_an_offset_only_what_begins_there_is_read,
          unexamined_volumes_are_problems_unless_accepted, the_digests_of_a_disk_match_its_bytes,
          a_disk_that_changes_while_it_is_read_is_reported,
          evidence_that_cannot_be_opened_is_an_error_that_names_it, rereading_gives_the_same_content,
          items_are_numbered_alike_for_any_number_of_workers,
          each_file_with_its_slack_is_an_item_and_so_is_each_range,
          content_before_the_first_item_is_listed_but_not_read,
          the_paths_of_a_file_decide_whether_its_content_is_wanted,
          wanted_is_not_called_before_the_first_item, losses_are_reported_in_their_place,
          an_inspector_that_reports_progress_does_not_time_out,
          an_item_outside_the_task_or_already_done_is_rejected_and_costs_the_task,
          an_inspector_reads_a_database_below_its_folders, an_inspector_locks_what_it_reads,
          an_inspector_gets_the_memory_it_asks_for, an_unreadable_file_is_reported_between_its_neighbours)
