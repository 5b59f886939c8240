/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"
#include "container/archive.h"
#include "containers.h"
#include "crew/sandbox.h"

/* Archives that other programs made; tests/data/containers/archives.sh. */

#define NUMBERS "a7d9d7bba6e12d57909a32656d537ca7a27db53a" /* seq 1 500 | sha1sum */
#define TAC     "5fc0ab0fe1651026122b4ec9c48479605fbc018c" /* seq 1 7 3000 | tac | sha1sum */
#define EMPTY   "da39a3ee5e6b4b0d3255bfef95601890afd80709"
#define NAME    "95f9ea0e11e8c22888fbb309f7de72b13f638d7b" /* printf 'a name beyond ASCII\n' | sha1sum */
#define FAR     "84ee48cbd70fec4596981a6b4c27c160dab82142" /* archives.sh */
#define TWO     "aae7a500e29a7999e12ec21be1b7da45e3543e36" /* (seq 1 500; seq 1 7 3000 | tac) | sha1sum */

struct expected {
    const char *name, *sha1;
};

static const struct expected all[] = {{"numbers", NUMBERS},
                                      {"folder/tac", TAC},
                                      {"empty", EMPTY},
                                      {"folder/za\u017c\u00f3\u0142\u0107", NAME},
                                      {NULL, NULL}};

static const struct expected plain[] = {
    {"numbers", NUMBERS}, {"folder/tac", TAC}, {"empty", EMPTY}, {NULL, NULL}};

struct sample {
    const char *file;
    const struct container_format *format;
    const struct expected *members;
};

#define ONE(name, sha1) ((const struct expected[]){{name, sha1}, {NULL, NULL}})

static const struct sample samples[] = {
    {"deflate.zip", &archive_format_zip, all},
    {"stored.zip", &archive_format_zip, all},
    {"bzip2.zip", &archive_format_zip, all},
    {"deflate64.zip", &archive_format_zip, all},
    {"far.zip", &archive_format_zip, ONE("far", FAR)},
    {"streamed.zip", &archive_format_zip, all},
    {"zip64.zip", &archive_format_zip, all},
    {"lzma.zip", &archive_format_zip, all},
    {"ppmd.zip", &archive_format_zip, all},
    {"lzma2.7z", &archive_format_7z, all},
    {"ppmd.7z", &archive_format_7z, all},
    {"stored.rar", &archive_format_rar, all},
    {"stored5.rar", &archive_format_rar, all},
    {"mszip.cab", &archive_format_cab, all},
    {"gnu.tar", &archive_format_tar, all},
    {"ustar.tar", &archive_format_tar, all},
    {"pax.tar", &archive_format_tar, all},
    {"ustar.tar.gz", &archive_format_tar, all},
    {"ustar.tar.bz2", &archive_format_tar, all},
    {"gnu.tar.xz", &archive_format_tar, all},
    {"ustar.tar.zst", &archive_format_tar, all},
    {"bin.cpio", &archive_format_cpio, all},
    {"odc.cpio", &archive_format_cpio, all},
    {"newc.cpio", &archive_format_cpio, all},
    {"newc.cpio.gz", &archive_format_cpio, all},
    {"lh5-0.lzh", &archive_format_lha, plain},
    {"lh5-1.lzh", &archive_format_lha, plain},
    {"lh5-2.lzh", &archive_format_lha, plain},
    {"lh6.lzh", &archive_format_lha, plain},
    {"lh7.lzh", &archive_format_lha, plain},
    {"gzip.xar", &archive_format_xar, all},
    {"links.tar", &archive_format_tar, ONE("copy", NUMBERS)},
    {"sparse-gnu.tar", &archive_format_tar, ONE("sparse", "cb60d3593f4b14382b89f2ad5196098854c2dc08")},
    {"sparse-posix.tar", &archive_format_tar, ONE("sparse", "cb60d3593f4b14382b89f2ad5196098854c2dc08")},
    {"names.a", &archive_format_ar,
     (const struct expected[]){{"numbers", NUMBERS}, {"tac", TAC}, {NULL, NULL}}},
    {"numbers.rpm", &archive_format_rpm,
     (const struct expected[]){{"./opt/numbers", NUMBERS}, {"./opt/tac", TAC}, {NULL, NULL}}},
    {"numbers.gz", &archive_format_gz, ONE("numbers", NUMBERS)},
    {"numbers.bz2", &archive_format_bz2, ONE("data", NUMBERS)},
    {"empty.bz2", &archive_format_bz2, ONE("data", EMPTY)},
    {"empty.lz4", &archive_format_lz4, ONE("data", EMPTY)},
    {"numbers.lzma", &archive_format_lzma, ONE("data", NUMBERS)},
    {"numbers.lz4", &archive_format_lz4, ONE("data", NUMBERS)},
    {"numbers.lz", &archive_format_lzip, ONE("data", NUMBERS)},
    {"numbers.Z", &archive_format_z, ONE("data", NUMBERS)},
    {"two.gz", &archive_format_gz, ONE("numbers", TWO)},
    {"two.xz", &archive_format_xz, ONE("data", TWO)},
    {"two.zst", &archive_format_zst, ONE("data", TWO)},
};

enum { SAMPLES = sizeof samples / sizeof *samples };

static uint8_t *load(const char *file, size_t *len)
{
    const char *source = getenv("SRCDIR");
    char path[4096];

    snprintf(path, sizeof path, "%s/tests/data/containers/archives/%s", source ? source : ".", file);
    return containers_load(path, len);
}

/* The image is stored packed. */
static uint8_t *load_unpacked(const char *file, size_t *len)
{
    uint8_t *packed = load(file, len), *bytes;
    struct containers_list list = containers_open(&archive_format_xz, packed, *len, false, NULL);

    ck_assert_uint_eq(list.count, 1);
    *len = list.members[0].data.len;
    bytes = malloc(*len);
    memcpy(bytes, list.members[0].data.data, *len);
    containers_release(&list);
    free(packed);
    return bytes;
}

static void check_members(struct containers_list *list, const struct expected *expected, const char *file)
{
    size_t count = 0;

    containers_digests(list);
    for (; expected[count].name; count++) {
        const struct containers_member *member = containers_find(list, expected[count].name);

        ck_assert_msg(member, "%s: no %s", file, expected[count].name);
        ck_assert_msg(strcmp(member->sha1, expected[count].sha1) == 0, "%s: %s differs", file,
                      expected[count].name);
        ck_assert_str_eq(member->problem, "");
        ck_assert_str_eq(member->failure, "");
    }
    ck_assert_msg(list->count == count, "%s: %zu members", file, list->count);
    ck_assert_msg(list->failure[0] == 0, "%s: %s", file, list->failure);
}

static void prepare(void)
{
    ck_assert_int_eq(archive_format_7z.prepare(NULL), 0);
}

START_TEST(yields_what_other_programs_packed)
{
    static const struct containers_limits limits[] = {{0}, {.piece = 1}, {.piece = 300}};

    prepare();
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t len;
        uint8_t *bytes = load(samples[i].file, &len);

        for (size_t j = 0; j < 3; j++) {
            struct containers_list list = containers_open(samples[i].format, bytes, len, false, &limits[j]);

            check_members(&list, samples[i].members, samples[i].file);
            containers_release(&list);
        }
        free(bytes);
    }
}
END_TEST

START_TEST(recognises_each_as_what_it_is)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t len;
        uint8_t *bytes = load(samples[i].file, &len);

        for (size_t j = 0; j < SAMPLES; j++) {
            struct content_memory content;
            const struct container_sight sight = {&content.content, bytes,
                                                  len < CONTAINER_HEAD ? len : CONTAINER_HEAD, len, false};

            content_memory_init(&content, bytes, len);
            ck_assert_msg(samples[j].format->matches(&sight) == (samples[i].format == samples[j].format),
                          "%s: %s", samples[i].file, samples[j].format->name);
        }
        free(bytes);
    }
}
END_TEST

START_TEST(yields_the_files_of_images)
{
    static const char *const files[] = {"joliet.iso.xz", "rockridge.iso.xz"};

    prepare();
    for (size_t i = 0; i < 2; i++) {
        size_t len;
        uint8_t *bytes = load_unpacked(files[i], &len);
        struct containers_list list = containers_open(&archive_format_iso, bytes, len, false, NULL);

        ck_assert(list.matches);
        check_members(&list, all, files[i]);
        containers_release(&list);
        free(bytes);
    }
}
END_TEST

START_TEST(reports_what_is_encrypted)
{
    static const struct sample encrypted[] = {{"encrypted.zip", &archive_format_zip, NULL},
                                              {"encrypted.7z", &archive_format_7z, NULL}};
    struct containers_list list;
    uint8_t *bytes;
    size_t len;

    prepare();
    for (size_t i = 0; i < 2; i++) {
        bytes = load(encrypted[i].file, &len);
        list = containers_open(encrypted[i].format, bytes, len, false, NULL);
        ck_assert_uint_eq(list.count, 4);
        ck_assert_str_eq(containers_find(&list, "numbers")->problem, "it is encrypted");
        containers_release(&list);
        free(bytes);
    }
    bytes = load("encrypted-names.7z", &len);
    list = containers_open(&archive_format_7z, bytes, len, false, NULL);
    ck_assert_uint_eq(list.count, 0);
    ck_assert_str_eq(list.failure, "is encrypted");
    containers_release(&list);
    free(bytes);
}
END_TEST

START_TEST(says_where_stored_members_lie)
{
    static const char *const files[] = {"stored.zip", "gnu.tar", "pax.tar", "newc.cpio", "names.a"};

    prepare();
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t j = 0; j < 5; j++) {
            struct containers_list list;
            const struct containers_member *member;
            uint8_t *bytes;
            size_t len;

            if (strcmp(samples[i].file, files[j]) != 0)
                continue;
            bytes = load(files[j], &len);
            list = containers_open(samples[i].format, bytes, len, false, NULL);
            member = containers_find(&list, "numbers");
            ck_assert_uint_lt(member->place, len);
            ck_assert(memmem(bytes + member->place, len - member->place, member->data.data,
                             member->data.len) != NULL);
            containers_release(&list);
            free(bytes);
        }
}
END_TEST

/* Nothing is made up, whatever is missing. */
START_TEST(yields_beginnings_of_what_is_cut_off)
{
    prepare();
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t len;
        uint8_t *bytes = load(samples[i].file, &len);
        struct containers_list whole = containers_open(samples[i].format, bytes, len, false, NULL);

        for (size_t cut = 64; cut < len; cut += 64) {
            uint8_t *copy = memcpy(malloc(cut), bytes, cut);
            struct containers_list list = containers_open(samples[i].format, copy, cut, false, NULL);

            for (size_t j = 0; j < list.count && j < whole.count; j++) {
                const struct containers_member *member = &list.members[j];
                const struct containers_member *same =
                    containers_find(&whole, member->name.len == strlen("numbers") ? "numbers" : "");

                if (!same || memcmp(member->name.data, "numbers", 7) != 0)
                    continue;
                ck_assert_msg(member->data.len <= same->data.len &&
                                  (member->data.len == 0 ||
                                   memcmp(member->data.data, same->data.data, member->data.len) == 0),
                              "%s: cut at %zu", samples[i].file, cut);
            }
            containers_release(&list);
            free(copy);
        }
        containers_release(&whole);
        free(bytes);
    }
}
END_TEST

/* Of a small file: what has been read is unpacked to the last byte. */
START_TEST(unpacks_the_beginnings_of_files)
{
    static const char *const files[] = {"numbers.gz", "two.gz", "two.xz", "numbers.lzma", "numbers.lz"};

    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t j = 0; j < 5; j++) {
            size_t len, last = 0;
            uint8_t *bytes;
            struct containers_list whole;

            if (strcmp(samples[i].file, files[j]) != 0)
                continue;
            bytes = load(files[j], &len);
            whole = containers_open(samples[i].format, bytes, len, false, NULL);
            for (size_t cut = len / 2; cut < len; cut++) {
                struct containers_list list = containers_open(samples[i].format, bytes, cut, false, NULL);

                ck_assert_uint_eq(list.count, 1);
                ck_assert_uint_ge(list.members[0].data.len, last);
                last = list.members[0].data.len;
                ck_assert_mem_eq(list.members[0].data.data, whole.members[0].data.data, last);
                ck_assert_uint_gt(last, whole.members[0].data.len / 8);
                containers_release(&list);
            }
            ck_assert_uint_gt(last, whole.members[0].data.len - 200);
            containers_release(&whole);
            free(bytes);
        }
}
END_TEST

START_TEST(ends_where_the_archive_ends)
{
    prepare();
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t len;
        uint8_t *bytes, *longer;
        struct containers_list list;

        if (!samples[i].format->magic || samples[i].format == &archive_format_rar)
            continue;
        bytes = load(samples[i].file, &len);
        longer = malloc(len + 5000);
        memcpy(longer, bytes, len);
        for (int with = 0; with < 2; with++) {
            memset(longer + len, 0, 5000);
            if (with)
                fill_random(longer + len, 5000);
            list = containers_open(samples[i].format, longer, len + 5000, true, NULL);
            check_members(&list, samples[i].members, samples[i].file);
            ck_assert_msg(list.end <= len && list.end + 1100 > len, "%s: %lu instead of %zu", samples[i].file,
                          (unsigned long)list.end, len);
            containers_release(&list);
        }
        free(longer);
        free(bytes);
    }
}
END_TEST

START_TEST(checks_the_crc_of_gzip)
{
    size_t len;
    uint8_t *bytes = load("numbers.gz", &len);
    struct containers_list list;

    bytes[len - 8] ^= 1;
    list = containers_open(&archive_format_gz, bytes, len, false, NULL);
    ck_assert_str_eq(list.members[0].failure, "its CRC-32 does not agree");
    ck_assert_str_eq(list.failure, "is damaged: its CRC-32 does not agree");
    containers_digests(&list);
    ck_assert_str_eq(list.members[0].sha1, NUMBERS);
    containers_release(&list);
    free(bytes);
}
END_TEST

static _Noreturn void open_in_sandbox(uint8_t *const *bytes, const size_t *lens)
{
    static const char *const nothing[] = {NULL};
    unsigned missing;

    if (archive_format_7z.prepare(NULL) || sandbox_limit(nothing, 0, &missing, NULL) ||
        sandbox_close(&missing, NULL))
        _exit(2);
    for (size_t i = 0; i < SAMPLES; i++) {
        struct containers_list list = containers_open(samples[i].format, bytes[i], lens[i], false, NULL);

        if (list.failure[0] || list.count == 0)
            _exit(3);
        containers_release(&list);
    }
    _exit(missing ? 77 : 0);
}

/* A system call that opens one kills the process. */
START_TEST(opens_no_file)
{
    uint8_t *bytes[SAMPLES];
    size_t lens[SAMPLES];
    int status;
    pid_t child;

    for (size_t i = 0; i < SAMPLES; i++)
        bytes[i] = load(samples[i].file, &lens[i]);
    child = fork();
    if (child == 0) {
        setenv("TZ", "UTC0", 1);
        tzset();
        open_in_sandbox(bytes, lens);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    for (size_t i = 0; i < SAMPLES; i++)
        free(bytes[i]);
    ck_assert(WIFEXITED(status));
    ck_assert(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
}
END_TEST

/* Bytes of address space in use. */
static rlim_t mapped(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (!file || fscanf(file, "%lu", &pages) != 1)
        _exit(3);
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* containers.h needs memory of its own. */
static void open_quietly(const struct container_format *format, const uint8_t *bytes, size_t len)
{
    static const struct container_watch watch = {.progress = containers_progress};
    static uint8_t into[4096];
    struct content_memory content;
    const struct container_sight sight = {&content.content, bytes,
                                          len < CONTAINER_HEAD ? len : CONTAINER_HEAD, len, false};
    struct container_member member;
    struct container *container;
    struct error err;

    content_memory_init(&content, bytes, len);
    format->matches(&sight);
    container = format->open(&sight, &watch, &err);
    while (container && container->next(container, &member, &err) == 1)
        while (!member.problem && container->read(container, into, sizeof into, &err) > 0)
            ;
    if (container)
        container->close(container);
}

/* The limit on the address space is what a worker has. */
static _Noreturn void open_with_little_memory(uint8_t *const *bytes, const size_t *lens)
{
    for (rlim_t room = 8 << 20; room >= 64 << 10; room -= room / 8) {
        const rlim_t most = mapped() + room;

        if (setrlimit(RLIMIT_AS, &(struct rlimit){most, RLIM_INFINITY}))
            _exit(2);
        for (size_t i = 0; i < SAMPLES; i++)
            open_quietly(samples[i].format, bytes[i], lens[i]);
    }
    _exit(0);
}

START_TEST(survives_a_lack_of_memory)
{
#ifndef SANDBOX_SANITIZED /* a sanitizer needs more than any limit */
    uint8_t *bytes[SAMPLES];
    size_t lens[SAMPLES];
    int status = 0;
    pid_t child;

    prepare();
    for (size_t i = 0; i < SAMPLES; i++)
        bytes[i] = load(samples[i].file, &lens[i]);
    child = fork();
    if (child == 0)
        open_with_little_memory(bytes, lens);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    for (size_t i = 0; i < SAMPLES; i++)
        free(bytes[i]);
    ck_assert_int_eq(status, 0);
#else
    (void)open_with_little_memory;
#endif
}
END_TEST

/* A member that claims this many bytes, in base 256. */
static size_t make_huge(uint8_t *tar)
{
    unsigned sum = 0;

    memset(tar, 0, 1024);
    memcpy(tar, "huge", 4);
    memcpy(tar + 100, "0000644", 7);
    memcpy(tar + 257, "ustar\00000", 8);
    tar[156] = '0';
    tar[124] = 0x80;
    memset(tar + 128, 0x7f, 8);
    memset(tar + 148, ' ', 8);
    for (size_t i = 0; i < 512; i++)
        sum += tar[i];
    snprintf((char *)tar + 148, 8, "%06o", sum);
    memset(tar + 512, 'x', 512);
    return 1024;
}

START_TEST(believes_no_size)
{
    uint8_t tar[1024];
    struct containers_list list;

    prepare();
    list = containers_open(&archive_format_tar, tar, make_huge(tar), false, NULL);
    ck_assert(list.matches);
    if (list.count > 0) {
        ck_assert_uint_eq(list.count, 1);
        ck_assert_uint_le(list.members[0].data.len, 512);
        ck_assert_str_ne(list.members[0].failure, "");
    }
    ck_assert_str_ne(list.failure, "");
    containers_release(&list);
}
END_TEST

/* ar(1) writes the mode without the kind of file; and an empty file is one. */
START_TEST(yields_empty_files_in_ar)
{
    static const char archive[] = "!<arch>\n"
                                  "empty/          0           0     0     644     0         `\n"
                                  "one/            0           0     0     644     1         `\nx\n";
    struct containers_list list = containers_open(&archive_format_ar, archive, strlen(archive), false, NULL);

    ck_assert_uint_eq(list.count, 2);
    ck_assert_mem_eq(list.members[0].name.data, "empty", 5);
    ck_assert_uint_eq(list.members[0].data.len, 0);
    ck_assert_str_eq(list.members[0].failure, "");
    ck_assert_uint_eq(list.members[1].data.len, 1);
    containers_release(&list);
}
END_TEST

RUN_TESTS("archive", yields_empty_files_in_ar, yields_what_other_programs_packed,
          recognises_each_as_what_it_is, yields_the_files_of_images, reports_what_is_encrypted,
          says_where_stored_members_lie, yields_beginnings_of_what_is_cut_off,
          unpacks_the_beginnings_of_files, ends_where_the_archive_ends, checks_the_crc_of_gzip, opens_no_file,
          survives_a_lack_of_memory, believes_no_size)
