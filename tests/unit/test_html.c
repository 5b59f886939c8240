/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "container/html.h"
#include "text_member.h"

static void check_text(const char *input, size_t len, const char *expected)
{
    struct containers_list list = containers_open(&html_format, input, len, false, NULL);

    text_member_check(&list, expected);
}

static const struct {
    const char *in, *out;
} cases[] = {
    {"<html></html>", ""},
    {"<p>One<p>Two", "One\nTwo\n"},
    {"<p>One <b>two</b>\n  thr<i>ee</i></p>", "One two three\n"},
    {"<title>T</title><style>p{color:red}</style><body><script>var a='<p>x</p>';</script>b", "T\nb\n"},
    {"<div>a<br>b<br/>c<hr>d</div>e", "a\nb\nc\nd\ne\n"},
    {"<table><tr><td>1<td>2<tr><th>3</table>", "1\n2\n3\n"},
    {"<pre>a  b\nc\td</pre>e\nf", "a b\nc d\ne f\n"},
    {"<PRE>a\nb</PRE>c\nd", "a\nb\nc d\n"},
    {"<p>caf&eacute; &#233; &#xe9; &#8364; &#128; &#150; &amp;lt;",
     "caf\xc3\xa9 \xc3\xa9 \xc3\xa9 \xe2\x82\xac "
     "\xe2\x82\xac \xe2\x80\x93 &lt;\n"},
    {"<p>a&nbsp;b&shy;c", "a bc\n"},
    {"<p>a<!-- b --><!-- <p> -->c", "ac\n"},
    {"<img alt='x'><p title=\"<p>y\">a</p>", "a\n"},
    {"<p>na\xc3\xafve", "na\xc3\xafve\n"}, /* UTF-8 by its looks */
    {"<p>na\xefve", "na\xc3\xafve\n"},     /* Windows-1252 by its looks */
    {"<p>\x93quoted\x94 \x80", "\xe2\x80\x9cquoted\xe2\x80\x9d \xe2\x82\xac\n"},
    {"<meta charset=windows-1252><p>\xc3\xaf", "\xc3\x83\xc2\xaf\n"},
    {"<meta http-equiv=Content-Type content='text/html; charset=ISO-8859-1'><p>\xc3\xaf",
     "\xc3\x83\xc2\xaf\n"},
    {"<meta charset='utf-8'><p>a\xef z", "a z\n"},
    {"<meta charset=iso-8859-15><p>\xc3\xaf", "\xc3\xaf\n"}, /* not known, so by its looks */
    {"<?xml version='1.0' encoding='iso-8859-1'?><html><p>\xc3\xaf", "\xc3\x83\xc2\xaf\n"},
    {"\xef\xbb\xbf<html><meta charset=windows-1252><p>\xc3\xaf", "\xc3\xaf\n"}, /* the mark is stronger */
    {"<html:p>a</html:p><html:p>b</html:p>", "a\nb\n"},
};

START_TEST(text_as_shown)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_text(cases[i].in, strlen(cases[i].in), cases[i].out);
}
END_TEST

static bool is_html(const char *head)
{
    struct container_sight sight = {
        .head = (const uint8_t *)head, .head_len = strlen(head), .size = strlen(head)};

    return html_format.matches(&sight);
}

START_TEST(recognised_by_its_head)
{
    static const char *const html[] = {"<!DOCTYPE html>",
                                       "<!doctype HTML PUBLIC \"x\">",
                                       "<html>",
                                       "  \r\n<HTML lang=de>",
                                       "\xef\xbb\xbf<html>",
                                       "<head><title>",
                                       "<body bgcolor=white>",
                                       "<!-- x --><html>",
                                       "<?xml version='1.0'?>\n<!DOCTYPE html><html xmlns='x'>",
                                       "<div class=x>",
                                       "<p>Dear"};
    static const char *const other[] = {"",
                                        "<",
                                        "<htmlx>",
                                        "text <html>",
                                        "<!-- x --><svg>",
                                        "<?xml version='1.0'?><svg/>",
                                        "<!DOCTYPE svg>",
                                        "<#include>",
                                        "<project name=\"html\">",
                                        "<pathelement>",
                                        "\xef\xbb\xbf"};

    for (size_t i = 0; i < sizeof html / sizeof *html; i++)
        ck_assert_msg(is_html(html[i]), "%s", html[i]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        ck_assert_msg(!is_html(other[i]), "%s", other[i]);
}
END_TEST

/* Longer than all windows, and read in pieces of odd lengths. */
START_TEST(long_text_in_pieces)
{
    struct buffer input = {0}, expected = {0};
    struct containers_list list;

    buffer_add_text(&input, "<html><body>");
    for (unsigned i = 0; i < 40000; i++) {
        buffer_printf(&input, "<p class='c%u'>Paragraph &quot;%u&quot;,\n<b>b%u</b>ld</p>", i, i, i);
        buffer_printf(&expected, "Paragraph \"%u\", b%uld\n", i, i);
    }
    for (size_t piece = 1000; piece < 70000; piece *= 7) {
        list = containers_open(&html_format, input.data, input.len, false,
                               &(struct containers_limits){.piece = piece + 3});
        ck_assert_uint_eq(list.members[0].data.len, expected.len);
        ck_assert(memcmp(list.members[0].data.data, expected.data, expected.len) == 0);
        containers_release(&list);
    }
    buffer_release(&input);
    buffer_release(&expected);
}
END_TEST

/* Content that cannot be read to its end. */
struct broken_content {
    struct content content;
    struct content_memory memory;
    uint64_t readable;
};

static ssize_t read_broken(struct content *content, uint64_t offset, void *into, size_t len)
{
    struct broken_content *broken = (struct broken_content *)content;

    if (offset >= broken->readable)
        return -1;
    len = len < broken->readable - offset ? len : (size_t)(broken->readable - offset);
    return broken->memory.content.read(&broken->memory.content, offset, into, len);
}

START_TEST(what_can_be_read_is_not_lost)
{
    static const char html[] = "<html><p>One<p>Two<p>Three";
    static const struct container_watch watch = {.progress = containers_progress};
    struct broken_content broken = {.content = {.size = sizeof html - 1, .read = read_broken},
                                    .readable = 16};
    const struct container_sight sight = {
        .content = &broken.content, .head = (const uint8_t *)html, .head_len = 16, .size = sizeof html - 1};
    struct container_member member;
    struct container *container;
    struct error err;
    char text[100];

    content_memory_init(&broken.memory, html, sizeof html - 1);
    container = html_format.open(&sight, &watch, &err);
    ck_assert_ptr_nonnull(container);
    ck_assert_int_eq(container->next(container, &member, &err), 1);
    ck_assert_int_eq(container->read(container, text, sizeof text, &err), 6);
    ck_assert_mem_eq(text, "One\nT\n", 6);
    ck_assert_int_eq(container->read(container, text, sizeof text, &err), -1);
    ck_assert_str_eq(err.text, "cannot be read from byte 16 on");
    ck_assert_int_eq(container->next(container, &member, &err), 0);
    container->close(container);
}
END_TEST

RUN_TESTS("html", text_as_shown, recognised_by_its_head, long_text_in_pieces, what_can_be_read_is_not_lost)
