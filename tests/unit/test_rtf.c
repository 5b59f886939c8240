/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "container/rtf.h"
#include "text_member.h"

static void check_text(const char *input, size_t len, size_t piece, const char *expected)
{
    struct containers_list list =
        containers_open(&rtf_format, input, len, false, &(struct containers_limits){.piece = piece});

    ck_assert(list.matches);
    text_member_check(&list, expected);
}

static const struct {
    const char *in, *out;
} cases[] = {
    {"{\\rtf1}", ""},
    {"{\\rtf1 One\\par two\\line three\\par}", "One\ntwo\nthree\n"},
    {"{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}{\\stylesheet{Normal;}}{\\*\\generator X;}\\f0 t\nex\r\nt}",
     "text\n"},
    {"{\\rtf1 a {\\b b}{\\i\\b0 c}d}", "a bcd\n"},
    {"{\\rtf1 caf\\'e9 \\'80\\~x\\_y\\-z \\\\ \\{\\}}", "caf\xc3\xa9 \xe2\x82\xac x-yz \\ {}\n"},
    {"{\\rtf1 \\ldblquote a\\rdblquote\\emdash b\\bullet}", "\xe2\x80\x9c"
                                                            "a\xe2\x80\x9d\xe2\x80\x94"
                                                            "b\xe2\x80\xa2\n"},
    {"{\\rtf1 \\u8364?\\u8364\\'80x{\\uc0\\u233 y}{\\uc2\\u233 abz}}",
     "\xe2\x82\xac\xe2\x82\xacx\xc3\xa9y\xc3\xa9z\n"},
    {"{\\rtf1 \\u-10179?\\u-8638?}", "\xf0\x9f\x99\x82\n"},
    {"{\\rtf1 a\\u233{?}b}", "a\xc3\xa9?b\n"}, /* a fallback does not go beyond its group */
    {"{\\rtf1\\trowd a\\cell b\\cell\\row c\\tab d}", "a\nb\nc d\n"},
    {"{\\rtf1 a{\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt b}}c{\\pict\\pngblip 89504e}d}", "abcd\n"},
    {"{\\rtf1 a{\\*\\unknown b{\\b c}}d{\\*\\shpinst{\\sp{\\sn e}}}f}", "adef\n"},
    {"{\\rtf1 a{\\bin5 }}{{\\}b}", "ab\n"},
    {"{\\rtf1{\\header head\\par}a{\\footnote note\\par}b{\\deleted old}c{\\*\\annotation remark}\\par "
     "end\\par}",
     "abc\nend\nhead\nnote\nold\nremark\n"},
    {"{\\rtf1 unbalanced}}}} {\\b", "unbalanced\n"},
    {"{\\rtf1 cut off \\'", "cut off\n"},
};

START_TEST(text_as_shown)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t piece = 1; piece < 300; piece += 150)
            check_text(cases[i].in, strlen(cases[i].in), piece, cases[i].out);
}
END_TEST

/* Each word divided by the end of the window, wherever that is. */
START_TEST(longer_than_the_window)
{
    struct buffer input = {0}, expected = {0};

    buffer_add_text(&input, "{\\rtf1");
    for (unsigned i = 0; i < 12000; i++) {
        buffer_printf(&input, "{\\b Word\\'e9} %u\\u8364?{\\*\\bkmkstart x}\\par ", i);
        buffer_printf(&expected, "Word\xc3\xa9 %u\xe2\x82\xac\n", i);
    }
    buffer_add_char(&expected, '\0');
    for (size_t pad = 0; pad < 20; pad++) {
        buffer_add_char(&input, '}');
        memmove(input.data + 7, input.data + 6, input.len - 7);
        input.data[6] = '\n';
        check_text(input.data, input.len, 5000, expected.data);
    }
    buffer_release(&input);
    buffer_release(&expected);
}
END_TEST

START_TEST(deeper_than_the_state)
{
    struct buffer input = {0};

    buffer_add_text(&input, "{\\rtf1 a");
    for (unsigned i = 0; i < 100000; i++)
        buffer_add_char(&input, '{');
    buffer_add_text(&input, "b");
    for (unsigned i = 0; i < 100000; i++)
        buffer_add_char(&input, '}');
    buffer_add_text(&input, "c");
    check_text(input.data, input.len, 100, "abc\n");
    buffer_release(&input);
}
END_TEST

RUN_TESTS("rtf", text_as_shown, longer_than_the_window, deeper_than_the_state)
