/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base64_text.h"
#include "check_main.h"
#include "container/transfer.h"

/* In pieces of this size. */
static struct buffer decode(enum transfer_kind kind, const char *in, size_t len, size_t piece)
{
    struct transfer transfer = {.kind = kind};
    struct buffer out = {0};

    for (size_t at = 0; at < len; at += piece)
        transfer_add(&transfer, &out, (const uint8_t *)in + at, len - at < piece ? len - at : piece);
    transfer_end(&transfer, &out);
    ck_assert(!out.failed);
    return out;
}

/* What Python's binascii.a2b_base64, binascii.a2b_qp and uu.decode make of them, and perl's unpack("u"). */
static const struct {
    enum transfer_kind kind;
    const char *in, *out;
} cases[] = {
    {TRANSFER_IDENTITY, "a=3D\r\n", "a=3D\r\n"},
    {TRANSFER_BASE64, "", ""},
    {TRANSFER_BASE64, "aGVsbG8=", "hello"},
    {TRANSFER_BASE64, "aGVs\r\nbG8gd29y\r\nbGQ=\r\n", "hello world"},
    {TRANSFER_BASE64, "aGV!s b*G8", "hello"},
    {TRANSFER_BASE64, "aGVsbA==bG8=", "hell"},
    {TRANSFER_BASE64, "aGVsbG8=\r\n____\r\nfooter of a list\r\n", "hello"},
    {TRANSFER_BASE64, "=aGVsb=G8=", "hello"}, /* padding where there is nothing to pad */
    {TRANSFER_BASE64, "aGVsbG", "hell"},
    {TRANSFER_BASE64, "Y2F0c", "cat"},
    {TRANSFER_QUOTED, "a=3Db=3db", "a=b=b"},
    {TRANSFER_QUOTED, "soft=\nbreak=\r\nhere \n", "softbreakhere \n"},
    {TRANSFER_QUOTED, "=C3=A4==3D=zz= =\r\r\nx", "\xc3\xa4=3D=zz= x"},
    {TRANSFER_QUOTED, "=4", "=4"},
    {TRANSFER_QUOTED, "=4=41", "=4A"},
    {TRANSFER_QUOTED, "a=", "a"},
    {TRANSFER_QUOTED, "a=\r", "a"},
    {TRANSFER_UU, "text\nbegin 644 x\n+:&5L;&\\@=V]R;&0`\n`\nend\nM more", "hello world"},
    {TRANSFER_UU, "begin 644 x\r\n#0V%T\r\n \r\nend\r\n", "Cat"},
    {TRANSFER_UU, "begin 644 x\n#0V%T", "Cat"},
    {TRANSFER_UU, "#0V%T\n", ""},
};

START_TEST(cases_however_divided)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t piece = 1; piece <= strlen(cases[i].in) + 1; piece++) {
            struct buffer out = decode(cases[i].kind, cases[i].in, strlen(cases[i].in), piece);

            ck_assert_msg(out.len == strlen(cases[i].out) &&
                              (out.len == 0 || memcmp(out.data, cases[i].out, out.len) == 0),
                          "%s: %.*s", cases[i].in, (int)out.len, out.data ? out.data : "");
            buffer_release(&out);
        }
}
END_TEST

/* Of any length, in lines of any length. */
START_TEST(base64_round_trip)
{
    for (size_t len = 0; len < 300; len++) {
        uint8_t *bytes = random_block(len + 1);
        struct buffer text = {0}, out;

        base64_text_add(&text, bytes, len, random64() % 80, "\r\n");
        out = decode(TRANSFER_BASE64, text.data, text.len, 1 + random64() % 50);
        ck_assert_uint_eq(out.len, len);
        if (len)
            ck_assert_mem_eq(out.data, bytes, len);
        buffer_release(&text);
        buffer_release(&out);
        free(bytes);
    }
}
END_TEST

START_TEST(names_in_any_case)
{
    ck_assert_int_eq(transfer_find("BASE64", 6), TRANSFER_BASE64);
    ck_assert_int_eq(transfer_find("Quoted-Printable", 16), TRANSFER_QUOTED);
    ck_assert_int_eq(transfer_find("x-uuencode", 10), TRANSFER_UU);
    ck_assert_int_eq(transfer_find("8bit", 4), TRANSFER_IDENTITY);
    ck_assert_int_eq(transfer_find("base64x", 7), TRANSFER_IDENTITY);
    ck_assert_int_eq(transfer_base64_values['/'], 64);
    ck_assert_int_eq(transfer_base64_values['='], 0);
}
END_TEST

RUN_TESTS("transfer", cases_however_divided, base64_round_trip, names_in_any_case)
