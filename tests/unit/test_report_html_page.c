/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/escape.h"
#include "check_main.h"
#include "report/report_html_page.h"

static struct error err;

static const char *text_of(struct buffer *buffer)
{
    buffer_add_char(buffer, '\0');
    ck_assert(!buffer->failed);
    return buffer->data;
}

static unsigned count(const char *text, const char *what)
{
    unsigned found = 0;

    for (; (text = strstr(text, what)); text++)
        found++;
    return found;
}

START_TEST(data_cannot_end_their_element)
{
    static const char name[] = "</script><script>alert(1)</script><!-- <script ]]> & \" \n \xff";
    struct buffer json = {0}, out = {0};
    const char *text;

    buffer_add_text(&json, "[");
    escape_json(&json, name, sizeof name - 1);
    buffer_add_text(&json, "]");
    report_html_page_data(&out, "id=\"x\"", &json);
    text = text_of(&out);
    ck_assert_uint_eq(count(text, "<"), 2);
    ck_assert_uint_eq(count(text, "\\u003c"), 5);
    ck_assert_int_eq(strncmp(text, "<script type=\"application/json\" id=\"x\">[\"\\u003c/script>", 55), 0);
    ck_assert_str_eq(text + strlen(text) - strlen("]</script>\n"), "]</script>\n");
    buffer_release(&json);
    buffer_release(&out);
}
END_TEST

START_TEST(a_page_has_its_policy_before_anything_that_it_governs)
{
    struct buffer out = {0};
    const char *text, *policy;

    ck_assert_int_eq(report_html_page_begin(&out, "<b>\"title\"", &err), 0);
    report_html_page_end(&out);
    text = text_of(&out);
    policy = strstr(text, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
    ck_assert_ptr_nonnull(policy);
    ck_assert(policy < strstr(text, "<title>") && policy < strstr(text, "<style>") &&
              policy < strstr(text, "<script>"));
    ck_assert_ptr_nonnull(strstr(text, "<title>&lt;b&gt;&quot;title&quot;</title>"));
    ck_assert_uint_eq(count(text, "<style>"), 1);
    ck_assert_uint_eq(count(text, "</style>"), 1);
    ck_assert_uint_eq(count(text, "<script>"), 1);
    ck_assert_uint_eq(count(text, "</script>"), 1);
    ck_assert_uint_eq(count(text, "<!--"), 0);
    ck_assert_uint_eq(count(text, "http:"), 1); /* the namespace of SVG */
    ck_assert_uint_eq(count(text, "https:"), 0);
    buffer_release(&out);
}
END_TEST

START_TEST(text_of_the_evidence_is_escaped_in_elements)
{
    struct buffer out = {0};

    report_html_page_element(&out, "p class=\"x\"", "<img src=x onerror=alert(1)>&'\x1b[2J");
    report_html_page_fact(&out, "a&b", "\xe2\x80\xae<");
    ck_assert_str_eq(text_of(&out),
                     "<p class=\"x\">&lt;img src=x onerror=alert(1)&gt;&amp;&#39;\\x1b[2J</p>\n"
                     "<dt>a&amp;b</dt>\n<dd>\\xe2\\x80\\xae&lt;</dd>\n");
    buffer_release(&out);
}
END_TEST

START_TEST(numbers_are_grouped_and_times_stay_in_one_piece)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"1 file, 47185920 bytes", "1 file, 47,185,920 bytes"},
        {"modified 2023-11-14T22:13:20.000000000Z, read",
         "modified <span class=\"time\">2023-11-14T22:13:20Z</span>, read"},
        {"2023-11-14T22:13:20", "<span class=\"time\">2023-11-14T22:13:20</span>"},
        {"2023-11-14T22:13", "2023-11-14T22:13"},
        {"<b>00012345 1234 99999999999999999999", "&lt;b&gt;00012345 1234 99999999999999999999"},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer out = {0};

        report_html_page_readable(&out, cases[i].text);
        ck_assert_str_eq(text_of(&out), cases[i].expected);
        buffer_release(&out);
    }
}
END_TEST

RUN_TESTS("report_html_page", data_cannot_end_their_element,
          a_page_has_its_policy_before_anything_that_it_governs,
          numbers_are_grouped_and_times_stay_in_one_piece, text_of_the_evidence_is_escaped_in_elements)
