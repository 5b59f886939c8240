/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "sample/sampler_key.h"

#define DIGITS "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define LINE   "kith-key1:" DIGITS

static char folder[] = "/tmp/test_sampler_key.XXXXXX", path[64];
static struct error err;

static void set_up(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/key", folder);
}

static void tear_down(void)
{
    unlink(path);
    rmdir(folder);
}

static void write_key(const char *text, mode_t mode)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    ck_assert_int_eq(fchmod(fd, mode), 0);
    close(fd);
}

static void assert_expected(const struct sampler_key *key)
{
    static const uint8_t columns[] = {0x24, 0xd0, 0x99, 0xe6, 0x45, 0x23, 0x63, 0xa7};
    static const uint64_t seeds[] = {0x9418b2c16cef5780, 0x7d1df65eef24606e, 0xfc6b53c0a2d54df9,
                                     0xb1d002e1a9bbe0d0};
    char id[SAMPLER_KEY_ID_ROOM];

    sampler_key_format(id, key->id);
    ck_assert_str_eq(id, "647b28f0caa1dac0ba6908e4cc6493e4");
    ck_assert_mem_eq(key->selector.columns, columns, sizeof columns);
    ck_assert_uint_eq(key->selector.target, 0xac);
    ck_assert_mem_eq(key->seeds, seeds, sizeof seeds);
}

/* Expectations: Python's hashlib, after kith-set(5). */
START_TEST(a_key_gives_what_the_manual_says)
{
    struct sampler_key key;

    set_up();
    write_key(LINE "\n", 0600);
    ck_assert_int_eq(sampler_key_load(&key, path, &err), 0);
    assert_expected(&key);
    write_key(LINE, 0400);
    ck_assert_int_eq(sampler_key_load(&key, path, &err), 0);
    assert_expected(&key);
    tear_down();
}
END_TEST

START_TEST(a_key_is_read_from_a_pipe)
{
    struct sampler_key key;
    int ends[2];
    char name[32];

    set_up();
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], LINE "\n", strlen(LINE) + 1), (ssize_t)strlen(LINE) + 1);
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    ck_assert_int_eq(sampler_key_load(&key, name, &err), 0);
    assert_expected(&key);
    close(ends[0]);
    tear_down();
}
END_TEST

START_TEST(other_files_are_refused_and_their_content_is_not_shown)
{
    static const char *const bad[] = {
        "",
        "kith-key1:",
        "kith-key2:" DIGITS "\n",
        "kith-key1:" DIGITS "0\n",
        LINE "\n\n",
        DIGITS "\n",
        "kith-key1:"
        "A" DIGITS,
        "kith-key1:0G0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n",
    };
    struct sampler_key key;

    set_up();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_key(bad[i], 0600);
        ck_assert_int_eq(sampler_key_load(&key, path, &err), -1);
        ck_assert_ptr_nonnull(strstr(err.text, "is not a key"));
        ck_assert_ptr_null(strstr(err.text, "0102"));
    }
    ck_assert_int_eq(sampler_key_load(&key, folder, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "is a folder"));
    tear_down();
}
END_TEST

START_TEST(a_key_that_others_can_read_is_refused)
{
    static const mode_t modes[] = {0640, 0604, 0620, 0660, 0644};
    struct sampler_key key;

    set_up();
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        write_key(LINE "\n", modes[i]);
        ck_assert_int_eq(sampler_key_load(&key, path, &err), -1);
        ck_assert_ptr_nonnull(strstr(err.text, "can be read or changed by others"));
    }
    tear_down();
}
END_TEST

START_TEST(new_keys_are_private_and_all_differ)
{
    struct sampler_key keys[20];
    const mode_t mask = umask(0);

    set_up();
    for (size_t i = 0; i < 20; i++) {
        struct stat st;

        unlink(path);
        ck_assert_int_eq(sampler_key_create(path, &err), 0);
        ck_assert_int_eq(stat(path, &st), 0);
        ck_assert_uint_eq(st.st_mode & 07777, 0600);
        ck_assert_int_eq(sampler_key_load(&keys[i], path, &err), 0);
        for (size_t k = 0; k < i; k++) {
            ck_assert_mem_ne(keys[k].id, keys[i].id, SAMPLER_KEY_ID_LEN);
            ck_assert_mem_ne(keys[k].selector.columns, keys[i].selector.columns, 8);
            ck_assert_mem_ne(keys[k].seeds, keys[i].seeds, sizeof keys[i].seeds);
        }
    }
    umask(mask);
    ck_assert_int_eq(sampler_key_create(path, &err), -1); /* it exists */
    ck_assert_int_eq(sampler_key_load(&keys[0], path, &err), 0);
    ck_assert_mem_eq(keys[0].id, keys[19].id, SAMPLER_KEY_ID_LEN);
    tear_down();
}
END_TEST

START_TEST(every_selector_is_a_permutation_of_bytes_that_never_takes_zeros)
{
    for (int round = 0; round < 100; round++) {
        struct sampler_key key;
        uint8_t secret[SAMPLER_KEY_SECRET_LEN];
        bool seen[256] = {false};

        fill_random(secret, sizeof secret);
        ck_assert_int_eq(sampler_key_derive(&key, secret, &err), 0);
        ck_assert(sampler_key_is_set(key.id));
        ck_assert_uint_ge(key.selector.target, 0x40);
        for (unsigned x = 0; x < 256; x++) {
            uint8_t product = 0;

            for (unsigned bit = 0; bit < 8; bit++)
                product ^= x >> bit & 1 ? key.selector.columns[bit] : 0;
            ck_assert(!seen[product]);
            seen[product] = true;
        }
        sampler_key_wipe(&key);
        ck_assert(!sampler_key_is_set(key.id));
    }
}
END_TEST

RUN_TESTS("sampler_key", a_key_gives_what_the_manual_says, a_key_is_read_from_a_pipe,
          other_files_are_refused_and_their_content_is_not_shown, a_key_that_others_can_read_is_refused,
          new_keys_are_private_and_all_differ,
          every_selector_is_a_permutation_of_bytes_that_never_takes_zeros)
