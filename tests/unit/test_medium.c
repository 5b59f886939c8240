/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "disk/medium.h"

enum {
    SIZE = 300000, /* of the backend that is asked; not a multiple of anything */
    BEYOND = 50000,
    PIECE = 4096,
    MAX_RANGES = 40,
};

/* ---- a backend of the test's own ---- */

enum behaviour {
    UP_TO_THE_BAD,  /* returns what precedes the bad place, as pread(2) on a disk does */
    ALL_OR_NOTHING, /* fails if any of it is bad */
    IN_PIECES,      /* like the last one, but returns as little as it likes */
};

struct fake {
    enum behaviour behaviour;
    bool is_bad[SIZE];
    struct range wrong[MAX_RANGES], known_bad[1000]; /* returned, but known to be wrong */
    size_t wrong_count, known_bad_count;
    bool ends; /* claims the end where it cannot be read */
    unsigned closed;
};

static struct fake fake;
static bool wanted[SIZE + BEYOND]; /* to be recorded */
static uint8_t got[SIZE + BEYOND];

/* Never 0. */
static uint8_t byte_at(uint64_t offset)
{
    return (uint8_t)(1 + (offset * 0x9e3779b97f4a7c15u >> 32) % 255);
}

static size_t good_until(uint64_t offset, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (fake.is_bad[offset + i])
            return i;
    return len;
}

static void tell_wrong(uint64_t offset, size_t len)
{
    for (size_t i = 0; i < fake.wrong_count; i++) {
        const struct range *wrong = &fake.wrong[i];

        if (offset < wrong->start + wrong->len && wrong->start < offset + len && fake.known_bad_count < 1000)
            fake.known_bad[fake.known_bad_count++] = *wrong;
    }
}

static ssize_t fake_read(void *state, uint64_t offset, void *into, size_t len)
{
    size_t good;

    if (state != &fake || offset >= SIZE || len > SIZE - offset || len == 0)
        ck_abort_msg("read outside");
    if (fake.behaviour == IN_PIECES)
        len = 1 + random64() % len;
    good = good_until(offset, len);
    if (good == 0 || (good < len && fake.behaviour != UP_TO_THE_BAD)) {
        memset(into, 0xee, len); /* leaves other bytes */
        errno = EIO;
        return fake.ends ? 0 : -1;
    }
    for (size_t i = 0; i < good; i++)
        ((uint8_t *)into)[i] = byte_at(offset + i);
    tell_wrong(offset, good);
    return (ssize_t)good;
}

static size_t fake_bad(void *state, size_t from, uint64_t *offset, uint64_t *len)
{
    ck_assert_ptr_eq(state, &fake);
    if (from >= fake.known_bad_count)
        return 0;
    *offset = fake.known_bad[from].start;
    *len = fake.known_bad[from].len;
    return 1;
}

static void fake_close(void *state)
{
    ck_assert_ptr_eq(state, &fake);
    fake.closed++;
}

static struct medium *fake_medium(uint64_t size)
{
    const struct backend backend = {
        .size = size, .sector_size = 4096, .read = fake_read, .close = fake_close, .state = &fake};
    struct error err = {""};
    struct medium *medium = medium_new(&backend, "fake", &err);

    ck_assert_msg(medium != NULL, "%s", err.text);
    return medium;
}

static void begin_fake(enum behaviour behaviour)
{
    memset(&fake, 0, sizeof fake);
    memset(wanted, 0, sizeof wanted);
    fake.behaviour = behaviour;
    fake.ends = random64() % 2;
}

static void make_bad(unsigned count, size_t unit, size_t longest)
{
    while (count-- > 0) {
        const size_t start = random64() % SIZE / unit * unit, len = (1 + random64() % longest) * unit;

        for (size_t i = start; i < start + len && i < SIZE; i++)
            fake.is_bad[i] = true;
    }
}

/* ---- expected results ---- */

/* The unreadable part of each piece of the disk: all of it, or what follows the first bad byte. */
static void want_bad(uint64_t offset, size_t len)
{
    for (uint64_t i = offset; i < offset + len;) {
        uint64_t end = (i / PIECE + 1) * PIECE;
        size_t good;

        if (end > offset + len)
            end = offset + len;
        if (i < SIZE && end > SIZE)
            end = SIZE;
        good = i < SIZE ? good_until(i, (size_t)(end - i)) : 0;
        if (good < end - i && fake.behaviour != UP_TO_THE_BAD)
            good = 0;
        for (uint64_t k = i + good; k < end; k++)
            wanted[k] = true;
        i = end;
    }
}

static void assert_read(struct medium *medium, uint64_t offset, size_t len)
{
    uint8_t *into = malloc(len ? len : 1);
    uint64_t before = medium_bytes_read(medium), there = offset >= SIZE        ? 0
                                                         : len > SIZE - offset ? SIZE - offset
                                                                               : len;
    static bool earlier[SIZE + BEYOND];

    ck_assert_ptr_nonnull(into);
    memcpy(earlier, wanted, sizeof earlier);
    memset(wanted, 0, sizeof wanted);
    want_bad(offset, len);
    memset(into, 0xdd, len);
    medium_read(medium, offset, into, len);
    for (size_t i = 0; i < len; i++)
        if (into[i] != (wanted[offset + i] ? 0 : byte_at(offset + i)))
            ck_abort_msg("byte %llu of %llu+%zu", (unsigned long long)(offset + i),
                         (unsigned long long)offset, len);
    for (size_t i = 0; i < sizeof wanted; i++)
        wanted[i] = wanted[i] || earlier[i];
    ck_assert_uint_eq(medium_bytes_read(medium), before + there);
    free(into);
}

static void assert_noted(const struct medium *medium)
{
    static bool noted[SIZE + BEYOND];
    size_t count;
    const struct range *bad = medium_bad(medium, &count);

    memset(noted, 0, sizeof noted);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_gt(bad[i].len, 0);
        ck_assert_uint_le(bad[i].start + bad[i].len, SIZE + BEYOND);
        memset(noted + bad[i].start, 1, bad[i].len);
    }
    for (size_t i = 0; i < sizeof noted; i++)
        if (noted[i] != wanted[i])
            ck_abort_msg("byte %zu is%s noted", i, noted[i] ? "" : " not");
}

static uint64_t wanted_bytes(uint64_t offset, uint64_t len)
{
    uint64_t sum = 0;

    for (uint64_t i = offset; i < offset + len && i < sizeof wanted; i++)
        sum += wanted[i];
    return sum;
}

static void assert_counted(const struct medium *medium)
{
    for (int i = 0; i < 20; i++) {
        const uint64_t offset = random64() % (SIZE + BEYOND), len = random64() >> (40 + random64() % 24);

        ck_assert_uint_eq(medium_bad_bytes(medium, offset, len), wanted_bytes(offset, len));
    }
    ck_assert_uint_eq(medium_bad_bytes(medium, 0, SIZE + BEYOND), wanted_bytes(0, SIZE + BEYOND));
}

static void read_anywhere(struct medium *medium)
{
    const uint64_t offset = random64() % SIZE + (random64() % 4 ? 0 : random64() % 10000);

    assert_read(medium, offset, random64() % (random64() % 2 ? 20000 : 600));
}

/* ---- reading ---- */

START_TEST(everything_readable_is_read_correctly)
{
    for (int round = 0; round < 15; round++) {
        struct medium *medium;

        begin_fake((enum behaviour)(round % 3));
        medium = fake_medium(SIZE);
        assert_read(medium, 0, SIZE);
        for (int i = 0; i < 30; i++) {
            const uint64_t offset = random64() % SIZE;

            assert_read(medium, offset, random64() % (SIZE - offset + 1));
        }
        assert_noted(medium);
        ck_assert_uint_eq(medium_bad_bytes(medium, 0, UINT64_MAX), 0);
        medium_close(medium);
    }
}
END_TEST

static void read_around(struct medium *medium)
{
    for (int i = 0; i < 30; i++)
        read_anywhere(medium);
}

START_TEST(unreadable_bytes_are_zeros_and_recorded)
{
    for (int round = 0; round < 60; round++) {
        const enum behaviour behaviour = (enum behaviour)(round % 3);
        const size_t unit = behaviour == IN_PIECES || random64() % 2 ? PIECE : random64() % 2 ? 512 : 1;
        struct medium *medium;

        begin_fake(behaviour);
        make_bad(1 + (unsigned)(random64() % (round % 2 ? 100 : 10)), unit, round % 2 ? 3 : 20000 / unit);
        medium = fake_medium(SIZE);
        read_around(medium);
        assert_noted(medium);
        medium_close(medium);
    }
}
END_TEST

static ssize_t read_fake_content(struct content *content, uint64_t offset, void *into, size_t len)
{
    ck_assert_uint_eq(content->size, SIZE);
    return fake_read(&fake, offset, into, len);
}

START_TEST(content_is_read_like_a_disk)
{
    for (int round = 0; round < 9; round++) {
        struct content content = {.size = SIZE, .read = read_fake_content};
        struct medium *medium;
        struct error err = {""};

        begin_fake((enum behaviour)(round % 3));
        make_bad((unsigned)(random64() % 10), PIECE, 3);
        medium = medium_open_content(&content, "it", round % 2 ? "raw" : NULL, false, &err);
        ck_assert_msg(medium != NULL, "%s", err.text);
        ck_assert_uint_eq(medium_size(medium), SIZE);
        ck_assert_str_eq(medium_format(medium), "raw");
        read_around(medium);
        assert_noted(medium);
        medium_close(medium);
        ck_assert_uint_eq(fake.closed, 0);
    }
}
END_TEST

START_TEST(content_that_claims_too_much_is_refused)
{
    struct content content = {.size = ((uint64_t)1 << 50) + 1, .read = read_fake_content};
    struct error err = {""};

    ck_assert_ptr_null(medium_open_content(&content, "it", "raw", false, &err));
    ck_assert_msg(strstr(err.text, "it: claims"), "%s", err.text);
    content.size = (uint64_t)INT64_MAX + 1;
    ck_assert_ptr_null(medium_open_content(&content, "it", "raw", false, &err));
}
END_TEST

START_TEST(one_read_of_everything_records_each_bad_range_once)
{
    for (int round = 0; round < 30; round++) {
        struct medium *medium;
        const struct range *bad;
        size_t count, stretches = 0;

        begin_fake((enum behaviour)(round % 3));
        make_bad(10, PIECE, 4);
        medium = fake_medium(SIZE);
        assert_read(medium, 0, SIZE);
        assert_noted(medium);
        assert_counted(medium);
        for (size_t i = 0; i < SIZE; i++)
            stretches += wanted[i] && (i == 0 || !wanted[i - 1]);
        bad = medium_bad(medium, &count);
        ck_assert_uint_eq(count, stretches);
        for (size_t i = 1; i < count; i++)
            ck_assert_uint_gt(bad[i].start, bad[i - 1].start + bad[i - 1].len);
        medium_close(medium);
    }
}
END_TEST

START_TEST(bad_bytes_are_counted_once_however_they_were_read)
{
    for (int round = 0; round < 60; round++) {
        struct medium *medium;

        begin_fake((enum behaviour)(round % 3));
        make_bad(1 + (unsigned)(random64() % 30), PIECE, 5);
        medium = fake_medium(SIZE);
        read_around(medium);
        assert_counted(medium);
        medium_close(medium);
    }
}
END_TEST

START_TEST(bad_bytes_between_two_bad_ranges_are_counted_once)
{
    struct medium *medium;

    begin_fake(UP_TO_THE_BAD);
    memset(fake.is_bad, 1, 3 * PIECE);
    medium = fake_medium(SIZE);
    assert_read(medium, 0, PIECE);
    assert_read(medium, 2 * PIECE, PIECE);
    assert_read(medium, PIECE, PIECE);
    assert_counted(medium);
    assert_read(medium, 0, 3 * PIECE);
    assert_counted(medium);
    medium_close(medium);
}
END_TEST

START_TEST(bad_bytes_reread_much_later_are_counted_once)
{
    struct medium *medium;

    begin_fake(UP_TO_THE_BAD);
    for (size_t i = 0; i < SIZE; i += 1024)
        fake.is_bad[i] = true;
    medium = fake_medium(SIZE);
    for (int again = 0; again < 2; again++)
        for (uint64_t i = 0; i < SIZE; i += 1024)
            assert_read(medium, i, 512);
    assert_noted(medium);
    assert_counted(medium);
    medium_close(medium);
}
END_TEST

START_TEST(bytes_past_the_end_are_zeros_and_recorded)
{
    struct medium *medium;

    begin_fake(ALL_OR_NOTHING);
    medium = fake_medium(SIZE);
    assert_read(medium, SIZE - 100, 300);
    assert_read(medium, SIZE, 10);
    assert_read(medium, SIZE + 1000, 500);
    assert_read(medium, SIZE, 0);
    assert_noted(medium);
    assert_counted(medium);
    memset(got, 1, 100);
    medium_read(medium, (uint64_t)INT64_MAX - 50, got, 100);
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(got[i], 0);
    ck_assert_uint_eq(medium_bad_bytes(medium, (uint64_t)INT64_MAX - 100, 1000), 100);
    medium_close(medium);
}
END_TEST

START_TEST(what_the_backend_knows_to_be_wrong_is_recorded)
{
    for (int round = 0; round < 20; round++) {
        struct backend backend = {.size = SIZE,
                                  .sector_size = 512,
                                  .read = fake_read,
                                  .bad = fake_bad,
                                  .close = fake_close,
                                  .state = &fake};
        struct error err = {""};
        struct medium *medium;

        begin_fake(UP_TO_THE_BAD);
        for (fake.wrong_count = 0; fake.wrong_count < MAX_RANGES; fake.wrong_count++)
            fake.wrong[fake.wrong_count] = (struct range){random64() % (SIZE - 3000), 1 + random64() % 3000};
        medium = medium_new(&backend, "fake", &err);
        for (int i = 0; i < 5; i++) {
            const uint64_t offset = random64() % SIZE;

            assert_read(medium, offset, random64() % (SIZE - offset) % 10000);
        }
        for (size_t i = 0; i < fake.known_bad_count; i++)
            memset(wanted + fake.known_bad[i].start, 1, fake.known_bad[i].len);
        assert_noted(medium);
        medium_close(medium);
    }
}
END_TEST

/* ---- very many ---- */

enum { VERY_MANY = 70000 };

static ssize_t read_nothing(void *state, uint64_t offset, void *into, size_t len)
{
    (void)state;
    (void)offset;
    (void)into;
    (void)len;
    errno = EIO;
    return -1;
}

static struct medium *unreadable_medium(void)
{
    const struct backend backend = {.size = (uint64_t)VERY_MANY * 2 * PIECE,
                                    .sector_size = 512,
                                    .read = read_nothing,
                                    .close = fake_close,
                                    .state = &fake};
    struct error err = {""};

    return medium_new(&backend, "fake", &err);
}

/* It may then be recorded too widely, but not too narrowly. */
START_TEST(very_many_bad_ranges_are_recorded_in_ascending_order)
{
    struct medium *medium = unreadable_medium();

    for (uint64_t i = 0; i < VERY_MANY; i++)
        medium_read(medium, i * 2 * PIECE, got, 512);
    for (uint64_t i = 0; i < VERY_MANY; i += 997)
        ck_assert_uint_ge(medium_bad_bytes(medium, i * 2 * PIECE, 512), 512);
    medium_close(medium);
}
END_TEST

START_TEST(very_many_bad_ranges_are_recorded_in_descending_order)
{
    struct medium *medium = unreadable_medium();

    for (uint64_t i = VERY_MANY; i-- > 0;)
        medium_read(medium, i * 2 * PIECE, got, 512);
    for (uint64_t i = 0; i < VERY_MANY; i += 997)
        ck_assert_msg(medium_bad_bytes(medium, i * 2 * PIECE, 512) >= 512, "stretch %llu",
                      (unsigned long long)i);
    medium_close(medium);
}
END_TEST

/* ---- properties ---- */

START_TEST(a_medium_describes_its_backend)
{
    struct backend backend = {
        .size = 12345, .sector_size = 2048, .read = fake_read, .close = fake_close, .state = &fake};
    struct error err = {""};
    struct medium *medium;

    begin_fake(UP_TO_THE_BAD);
    backend.stored.kinds = DIGEST_BIT(DIGEST_MD5);
    medium = medium_new(&backend, "fake", &err);
    ck_assert_uint_eq(medium_size(medium), 12345);
    ck_assert_uint_eq(medium_sector_size(medium), 2048);
    ck_assert_str_eq(medium_format(medium), "fake");
    ck_assert_uint_eq(medium_stored(medium)->kinds, DIGEST_BIT(DIGEST_MD5));
    medium_close(medium);
    ck_assert_uint_eq(fake.closed, 1);
    backend.sector_size = 0; /* unknown */
    medium = medium_new(&backend, "fake", &err);
    ck_assert_uint_eq(medium_sector_size(medium), 512);
    medium_close(medium);
    medium_close(NULL);
    ck_assert_uint_eq(fake.closed, 2);
}
END_TEST

/* ---- files ---- */

static char folder[64], path[128];

static void begin_folder(void)
{
    strcpy(folder, "/tmp/test_medium_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static const char *name_of(unsigned part)
{
    snprintf(path, sizeof path, "%s/image.%03u", folder, part);
    return path;
}

static void write_part(unsigned part, uint64_t from, size_t len)
{
    FILE *file = fopen(name_of(part), "wb");

    ck_assert_ptr_nonnull(file);
    for (size_t i = 0; i < len; i++)
        putc(byte_at(from + i), file);
    ck_assert_int_eq(fclose(file), 0);
}

static void end_folder(unsigned parts)
{
    while (parts > 0)
        unlink(name_of(parts--));
    ck_assert_int_eq(rmdir(folder), 0);
}

static struct medium *open_first(const char *type)
{
    struct error err = {""};
    size_t count = 0;
    char **files = medium_files(name_of(1), type, &count, &err);
    struct medium *medium;

    ck_assert_msg(files != NULL, "%s", err.text);
    ck_assert_ptr_null(files[count]);
    medium = medium_open(files, count, type, false, &err);
    ck_assert_msg(medium != NULL, "%s", err.text);
    medium_files_free(files);
    return medium;
}

START_TEST(a_descriptor_is_read_and_stays_open)
{
    struct error err = {""};
    struct medium *medium;
    int fd;

    begin_fake(UP_TO_THE_BAD);
    begin_folder();
    write_part(1, 0, SIZE);
    fd = open(name_of(1), O_RDONLY | O_CLOEXEC);
    medium = medium_open_fd(fd, path, &err);
    ck_assert_msg(medium != NULL, "%s", err.text);
    ck_assert_uint_eq(medium_size(medium), SIZE);
    ck_assert_str_eq(medium_format(medium), "raw");
    for (int i = 0; i < 50; i++)
        read_anywhere(medium);
    assert_noted(medium);
    medium_close(medium);
    ck_assert_int_ne(fcntl(fd, F_GETFD), -1);
    close(fd);
    ck_assert_ptr_null(medium_open_fd(fd, "the name of it", &err));
    ck_assert_ptr_nonnull(strstr(err.text, "the name of it"));
    end_folder(1);
}
END_TEST

START_TEST(the_parts_of_an_image_follow_each_other)
{
    for (int round = 0; round < 6; round++) {
        const size_t each = 40000 + random64() % 60000;
        unsigned parts = 0;
        uint64_t done = 0;
        struct medium *medium;

        begin_fake(UP_TO_THE_BAD);
        begin_folder();
        while (done < SIZE) {
            const size_t len = each < SIZE - done ? each : (size_t)(SIZE - done);

            write_part(++parts, done, len);
            done += len;
        }
        medium = open_first(round % 2 ? "raw" : NULL);
        ck_assert_uint_eq(medium_size(medium), SIZE);
        assert_read(medium, 0, SIZE);
        for (int i = 0; i < 50; i++)
            read_anywhere(medium);
        assert_noted(medium);
        medium_close(medium);
        end_folder(parts);
    }
}
END_TEST

START_TEST(a_file_that_shrank_is_recorded_as_bad_from_there_on)
{
    struct medium *medium;

    begin_fake(UP_TO_THE_BAD);
    begin_folder();
    write_part(1, 0, SIZE);
    medium = open_first(NULL);
    ck_assert_int_eq(truncate(name_of(1), 200000), 0);
    memset(fake.is_bad + 200000, 1, SIZE - 200000);
    assert_read(medium, 150000, 100000);
    assert_read(medium, 0, SIZE);
    assert_noted(medium);
    medium_close(medium);
    end_folder(1);
}
END_TEST

START_TEST(a_missing_part_is_an_error_that_names_it)
{
    char first[128], second[128];
    char *files[] = {first, second, NULL};
    struct error err = {""};

    begin_folder();
    write_part(1, 0, 1000);
    strcpy(first, name_of(1));
    strcpy(second, name_of(2));
    ck_assert_ptr_null(medium_open(files, 2, NULL, false, &err));
    ck_assert_ptr_nonnull(strstr(err.text, second));
    ck_assert_ptr_null(medium_open(files, 2, "raw", false, &err));
    end_folder(1);
}
END_TEST

START_TEST(truncated_or_foreign_parts_are_refused)
{
    static const struct {
        size_t lens[3];
        unsigned named; /* the part that the message is about; 0: nothing is wrong */
    } cases[] = {{{1000, 1000, 1000}, 0}, {{1000, 1000, 1}, 0},    {{1000, 1000, 0}, 0},
                 {{1000, 999, 1000}, 2},  {{1000, 0, 1000}, 2},    {{1000, 1001, 1000}, 2},
                 {{999, 1000, 1000}, 2},  {{1000, 1000, 1001}, 3}, {{1000, 512, 512}, 2}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char first[128], second[128], third[128];
        char *files[] = {first, second, third, NULL};
        struct error err = {""};
        struct medium *medium;

        begin_folder();
        for (unsigned part = 1; part <= 3; part++)
            write_part(part, 0, cases[i].lens[part - 1]);
        strcpy(first, name_of(1));
        strcpy(second, name_of(2));
        strcpy(third, name_of(3));
        medium = medium_open(files, 3, i % 2 ? "raw" : NULL, false, &err);
        ck_assert_msg((medium != NULL) == !cases[i].named, "case %zu: %s", i, err.text);
        if (cases[i].named)
            ck_assert_msg(strstr(err.text, files[cases[i].named - 1]), "case %zu: %s", i, err.text);
        medium_close(medium);
        end_folder(3);
    }
}
END_TEST

START_TEST(an_empty_file_is_an_empty_medium)
{
    struct medium *medium;

    begin_folder();
    write_part(1, 0, 0);
    medium = open_first(NULL);
    ck_assert_uint_eq(medium_size(medium), 0);
    memset(got, 1, 10);
    medium_read(medium, 0, got, 10);
    for (int i = 0; i < 10; i++)
        ck_assert_uint_eq(got[i], 0);
    ck_assert_uint_eq(medium_bad_bytes(medium, 0, 100), 10);
    medium_close(medium);
    end_folder(1);
}
END_TEST

START_TEST(an_unsupported_container_is_refused_unless_raw_is_requested)
{
    static const uint8_t qed[] = {'Q', 'E', 'D', 0, 1, 0, 0, 0};
    char first[128];
    char *files[] = {first, NULL};
    struct error err = {""};
    struct medium *medium;
    FILE *file;

    begin_folder();
    write_part(1, 0, 70000);
    strcpy(first, name_of(1));
    file = fopen(first, "r+b");
    ck_assert_uint_eq(fwrite(qed, 1, sizeof qed, file), sizeof qed);
    fclose(file);
    ck_assert_ptr_null(medium_open(files, 1, NULL, false, &err));
    ck_assert_msg(strstr(err.text, first) && strstr(err.text, "QED"), "%s", err.text);
    medium = medium_open(files, 1, "raw", false, &err);
    ck_assert_msg(medium != NULL, "%s", err.text);
    ck_assert_uint_eq(medium_size(medium), 70000);
    medium_close(medium);
    end_folder(1);
}
END_TEST

RUN_TESTS("medium", everything_readable_is_read_correctly, unreadable_bytes_are_zeros_and_recorded,
          content_is_read_like_a_disk, content_that_claims_too_much_is_refused,
          one_read_of_everything_records_each_bad_range_once,
          bad_bytes_are_counted_once_however_they_were_read,
          bad_bytes_between_two_bad_ranges_are_counted_once, bad_bytes_reread_much_later_are_counted_once,
          bytes_past_the_end_are_zeros_and_recorded, what_the_backend_knows_to_be_wrong_is_recorded,
          very_many_bad_ranges_are_recorded_in_ascending_order,
          very_many_bad_ranges_are_recorded_in_descending_order, a_medium_describes_its_backend,
          a_descriptor_is_read_and_stays_open, the_parts_of_an_image_follow_each_other,
          a_file_that_shrank_is_recorded_as_bad_from_there_on, a_missing_part_is_an_error_that_names_it,
          truncated_or_foreign_parts_are_refused, an_empty_file_is_an_empty_medium,
          an_unsupported_container_is_refused_unless_raw_is_requested)
