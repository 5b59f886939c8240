/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_html_page.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/escape.h"
#include "report/report_values.h"

/* ---- the policy ---- */

void report_html_page_base64(struct buffer *out, const void *data, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *bytes = data;

    for (size_t i = 0; i < len; i += 3) {
        const size_t left = len - i;
        const uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);

        buffer_add_char(out, digits[three >> 18]);
        buffer_add_char(out, digits[three >> 12 & 63]);
        buffer_add_char(out, left > 1 ? digits[three >> 6 & 63] : '=');
        buffer_add_char(out, left > 2 ? digits[three & 63] : '=');
    }
}

static int add_source(struct buffer *out, const char *directive, struct digest *digest, const char *text,
                      struct error *err)
{
    struct digest_values values = {0};

    if (digest_begin(digest, err) || digest_update(digest, text, strlen(text), err) ||
        digest_final(digest, &values, err))
        return -1;
    buffer_printf(out, "; %s 'sha256-", directive);
    report_html_page_base64(out, values.bytes[DIGEST_SHA256], DIGEST_SHA256_LEN);
    buffer_add_char(out, '\'');
    return 0;
}

/* Everything is forbidden but what the page consists of; and the script cannot make HTML of text. */
static int add_policy(struct buffer *out, struct error *err)
{
    struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256), err);
    int result = digest ? 0 : -1;

    buffer_add_text(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'");
    if (result == 0)
        result = add_source(out, "style-src", digest, report_html_page_style, err);
    if (result == 0)
        result = add_source(out, "script-src", digest, report_html_page_script, err);
    buffer_add_text(out, "; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for "
                         "'script'; trusted-types 'none'\">\n");
    digest_free(digest);
    return result;
}

/* ---- the frame ---- */

int report_html_page_begin(struct buffer *out, const char *title, struct error *err)
{
    buffer_add_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    if (add_policy(out, err))
        return -1;
    buffer_add_text(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                         "<meta name=\"referrer\" content=\"no-referrer\">\n");
    report_html_page_element(out, "title", title);
    buffer_add_text(out, "<style>");
    buffer_add_text(out, report_html_page_style);
    buffer_add_text(out, "</style>\n</head>\n<body>\n");
    return 0;
}

void report_html_page_end(struct buffer *out)
{
    buffer_add_text(out, "<script>");
    buffer_add_text(out, report_html_page_script);
    buffer_add_text(out, "</script>\n</body>\n</html>\n");
}

/* ---- content ---- */

void report_html_page_text(struct buffer *out, const char *text)
{
    escape_xml(out, text, strlen(text));
}

/* The length of a time, up to its fraction, at the beginning of the text; 0: there is none. */
static size_t time_length(const char *text)
{
    static const char form[] = "0000-00-00T00:00:00";

    for (size_t i = 0; form[i]; i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return 0;
    return sizeof form - 1;
}

void report_html_page_readable(struct buffer *out, const char *text)
{
    enum { LEAST_GROUPED = 5, MOST_GROUPED = 18 };
    static const char digits[] = "0123456789";

    while (*text) {
        const size_t number = strspn(text, digits), time = time_length(text);
        const size_t len = time ? time : number ? number : strcspn(text, digits);

        if (time)
            buffer_add_text(out, "<span class=\"time\">");
        if (!time && *text != '0' && number >= LEAST_GROUPED && number <= MOST_GROUPED)
            report_values_number(out, strtoull(text, NULL, 10));
        else
            escape_xml(out, text, len);
        text += len;
        if (!time)
            continue;
        if (*text == '.')
            text += 1 + strspn(text + 1, digits);
        if (*text == 'Z')
            buffer_add_char(out, *text++);
        buffer_add_text(out, "</span>");
    }
}

void report_html_page_element(struct buffer *out, const char *element, const char *text)
{
    buffer_printf(out, "<%s>", element);
    report_html_page_text(out, text);
    buffer_printf(out, "</%.*s>\n", (int)strcspn(element, " "), element);
}

void report_html_page_fact(struct buffer *out, const char *term, const char *text)
{
    report_html_page_element(out, "dt", term);
    report_html_page_element(out, "dd", text);
}

/* ---- data ---- */

void report_html_page_data(struct buffer *out, const char *attributes, const struct buffer *json)
{
    buffer_printf(out, "<script type=\"application/json\" %s>", attributes);
    /* a "<" can only be in a string */
    for (size_t i = 0, plain; i < json->len; i += plain) {
        const char *bracket = memchr(json->data + i, '<', json->len - i);

        plain = bracket ? (size_t)(bracket - json->data) - i : json->len - i;
        buffer_add(out, json->data + i, plain);
        if (bracket) {
            buffer_add_text(out, "\\u003c");
            plain++;
        }
    }
    buffer_add_text(out, "</script>\n");
    buffer_inherit(out, json);
}
