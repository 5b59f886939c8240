/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digest_cipher.h"
#include "check_main.h"
#include "container/pdf.h"
#include "container/pdf_crypt.h"
#include "container/pdf_filter.h"
#include "container/pdf_text.h"
#include "containers.h"

static uint8_t *load(const char *name, size_t *len)
{
    const char *source = getenv("SRCDIR");
    char path[500];

    snprintf(path, sizeof path, "%s/tests/data/containers/pdf/%s", source ? source : ".", name);
    return containers_load(path, len);
}

/* RFC 6229, keys of 40 and 128 bits: the key stream at 0, and at 240. */
START_TEST(makes_the_key_stream_of_rc4)
{
    static const uint8_t first[2][16] = {
        {0xb2, 0x39, 0x63, 0x05, 0xf0, 0x3d, 0xc0, 0x27, 0xcc, 0xc3, 0x52, 0x4a, 0x0a, 0x11, 0x18, 0xa8},
        {0x9a, 0xc7, 0xcc, 0x9a, 0x60, 0x9d, 0x1e, 0xf7, 0xb2, 0x93, 0x28, 0x99, 0xcd, 0xe4, 0x1b, 0x97}};
    static const uint8_t later[2][16] = {
        {0x28, 0xcb, 0x11, 0x32, 0xc9, 0x6c, 0xe2, 0x86, 0x42, 0x1d, 0xca, 0xad, 0xb8, 0xb6, 0x9e, 0xae},
        {0x06, 0x59, 0x02, 0xe4, 0xb6, 0x20, 0xf6, 0xcc, 0x36, 0xc8, 0x58, 0x9f, 0x66, 0x43, 0x2f, 0x2b}};
    uint8_t key[16];

    for (uint8_t i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)(i + 1);
    for (size_t i = 0; i < 2; i++) {
        struct pdf_crypt_rc4 rc4;
        uint8_t bytes[256] = {0};

        pdf_crypt_rc4_begin(&rc4, key, i == 0 ? 5 : 16);
        pdf_crypt_rc4(&rc4, bytes, 100);
        pdf_crypt_rc4(&rc4, bytes + 100, sizeof bytes - 100);
        ck_assert_mem_eq(bytes, first[i], 16);
        ck_assert_mem_eq(bytes + 240, later[i], 16);
    }
}
END_TEST

/* What AES encrypted, of every length and cut off at every place, is decrypted as far as whole blocks go. */
START_TEST(decrypts_what_is_left)
{
    static const uint8_t key[16] = "sixteen bytes...", start[16] = "the first block.";
    enum { MOST = 16 << 10 };
    static const size_t lens[] = {0, 1, 15, 16, 17, 100, MOST - 17, MOST - 16, MOST - 1, MOST, MOST + 5};
    static uint8_t plain[MOST + 32], packed[MOST + 64], bytes[MOST + 64];

    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (uint8_t)(i * 7 >> 3);
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        const size_t len = lens[i], padding = 16 - len % 16, whole = 16 + len + padding;

        memcpy(packed, start, 16);
        memcpy(packed + 16, plain, len);
        memset(packed + 16 + len, (int)padding, padding);
        ck_assert_int_eq(digest_cipher_encrypt(key, start, packed + 16, whole - 16, packed + 16, NULL), 0);
        for (size_t cut = whole > 64 ? whole - 40 : 0; cut <= whole; cut++) {
            struct pdf_filter_step step = {.kind = PDF_FILTER_DECRYPT,
                                           .key = {.method = PDF_CRYPT_AES, .key_len = 16}};
            struct content_memory memory;
            struct pdf_filter *filter;
            size_t got = 0, right = cut < 16 ? 0 : (cut - 16) / 16 * 16;
            ssize_t more;
            struct error err;

            memcpy(step.key.key, key, 16);
            content_memory_init(&memory, packed, cut);
            filter = pdf_filter_new(&memory.content, 0, cut, &step, 1, NULL);
            while ((more = pdf_filter_read(filter, bytes + got, 1000 + cut % 64, &err)) > 0)
                got += (size_t)more;
            if (cut % 16 != 0 || cut == 0)
                ck_assert_str_eq(err.text, "is cut off");
            else
                ck_assert_int_eq(more, 0);
            /* What looks like padding is taken for it, wherever the end is. */
            right = cut == whole ? len : right < len ? right : got;
            ck_assert_uint_eq(got, right);
            ck_assert_mem_eq(bytes, plain, right < len ? right : len);
            pdf_filter_free(filter);
        }
    }
}
END_TEST

START_TEST(reports_files_with_a_password)
{
    size_t len;
    uint8_t *data = load("locked.pdf", &len);
    struct containers_list list = containers_open(&pdf_format, data, len, false, NULL);
    size_t locked = 0;

    for (size_t i = 0; i < list.count; i++) {
        const struct buffer *name = &list.members[i].name;
        const bool is_table = memmem(name->data, name->len, ".xref", 5) != NULL;

        ck_assert_str_eq(list.members[i].problem, is_table ? "" : "it is encrypted");
        for (size_t j = 0; j < name->len; j++) /* a number, not a file's name that is encrypted as well */
            ck_assert_msg(is_table || strchr("-0123456789", name->data[j]), "%.*s", (int)name->len,
                          name->data);
        locked += !is_table;
    }
    ck_assert_uint_gt(locked, 0);
    containers_release(&list);
    list = containers_open(&pdf_text_format, data, len, false, NULL);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_str_eq(list.members[0].problem, "it is encrypted");
    containers_release(&list);
    free(data);
}
END_TEST

/* A digit or letter in what the key is made of is changed: there is no key then, and no rubbish is yielded.
 */
START_TEST(does_not_guess_keys)
{
    static const struct {
        const char *name, *key;
    } parts[] = {
        {"encrypted-40.pdf", "/U <8"},      {"encrypted-40.pdf", "/O <c"},  {"encrypted-128.pdf", "/P -4"},
        {"encrypted-128.pdf", "/U <2"},     {"encrypted-256.pdf", "/U <7"}, {"encrypted-draft.pdf", "/U <1"},
        {"encrypted-aes.pdf", "/CFM /AES"}, {"encrypted-256.pdf", "/V 5"},  {"encrypted-128.pdf", "/R 3"},
        {"encrypted-aes.pdf", "/ID [<8"},
    };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t len;
        uint8_t *data = load(parts[i].name, &len), *at;
        struct containers_list list;

        at = memmem(data, len, parts[i].key, strlen(parts[i].key));
        ck_assert_msg(at != NULL, "no %s in %s", parts[i].key, parts[i].name);
        at += strlen(parts[i].key) - 1;
        *at = *at == '9' ? '0' : '9';
        list = containers_open(&pdf_text_format, data, len, false, NULL);
        ck_assert_uint_eq(list.count, 1);
        ck_assert_msg(strcmp(list.members[0].problem, "it is encrypted") == 0, "%s %s: %s", parts[i].name,
                      parts[i].key, list.members[0].problem);
        containers_release(&list);
        free(data);
    }
}
END_TEST

RUN_TESTS("pdf_crypt", makes_the_key_stream_of_rc4, decrypts_what_is_left, reports_files_with_a_password,
          does_not_guess_keys)
