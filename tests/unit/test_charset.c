/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "container/charset.h"

static const struct {
    const char *name, *in;
    size_t len;
    const char *out;
} cases[] = {
    {"utf-8", "\xc3\xa4\xff", 3, "\xc3\xa4\xff"},
    {"koi8-r", "\xc1", 1, "\xc1"}, /* not known: raw */
    {"ISO-8859-1", "caf\xe9 \xa4", 6, "caf\xc3\xa9 \xc2\xa4"},
    {"windows-1252", "\x80\x81\x93", 3, "\xe2\x82\xac\xef\xbf\xbd\xe2\x80\x9c"},
    {"iso-8859-15", "\xa4\xa6\xa8\xb4\xb8\xbc\xbd\xbe\xe4", 9,
     "\xe2\x82\xac\xc5\xa0\xc5\xa1\xc5\xbd\xc5\xbe\xc5\x92\xc5\x93\xc5\xb8\xc3\xa4"},
    {"utf-16", "\xff\xfe\xe4\0\xac\x20", 6, "\xc3\xa4\xe2\x82\xac"},
    {"utf-16", "\xfe\xff\0\xe4", 4, "\xc3\xa4"},
    {"utf-16", "\0a\0b", 4, "ab"},
    {"utf-16le", "a\0\x3d\xd8\x42\xde", 6, "a\xf0\x9f\x99\x82"}, /* U+1F642 */
    {"utf-16be", "\xd8\x3d\0a\xde\x42", 6,
     "\xef\xbf\xbd"
     "a\xef\xbf\xbd"}, /* halves of a pair */
    {"utf-16be", "\xd8\x3d", 2, "\xef\xbf\xbd"},
    {"utf-16le", "a\0b", 3, "a\xef\xbf\xbd"},
};

START_TEST(cases_however_divided)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t at = 0; at <= cases[i].len; at++) {
            struct charset charset = {.kind = charset_find(cases[i].name, strlen(cases[i].name))};
            const uint8_t *in = (const uint8_t *)cases[i].in;
            struct buffer out = {0};

            charset_add(&charset, &out, in, at);
            charset_add(&charset, &out, in + at, cases[i].len - at);
            charset_end(&charset, &out);
            ck_assert_msg(out.len == strlen(cases[i].out) && memcmp(out.data, cases[i].out, out.len) == 0,
                          "case %zu", i);
            ck_assert(charset.has_changed == (charset.kind != CHARSET_RAW));
            buffer_release(&out);
        }
}
END_TEST

START_TEST(ascii_does_not_change)
{
    struct charset charset = {.kind = CHARSET_WINDOWS_1252};
    struct buffer out = {0};

    charset_add(&charset, &out, (const uint8_t *)"abc", 4);
    charset_end(&charset, &out);
    ck_assert_uint_eq(out.len, 4);
    ck_assert_mem_eq(out.data, "abc", 4);
    ck_assert(!charset.has_changed);
    buffer_release(&out);
}
END_TEST

RUN_TESTS("charset", cases_however_divided, ascii_does_not_change)
