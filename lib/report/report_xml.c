/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_xml.h"

#include <string.h>

#include "base/escape.h"

static void begin_attribute(struct buffer *out, const char *name)
{
    buffer_add_char(out, ' ');
    buffer_add_text(out, name);
    buffer_add_text(out, "=\"");
}

void report_xml_text(struct buffer *out, const char *name, const char *text)
{
    begin_attribute(out, name);
    escape_xml(out, text, strlen(text));
    buffer_add_char(out, '"');
}

void report_xml_number(struct buffer *out, const char *name, uint64_t number)
{
    begin_attribute(out, name);
    buffer_add_number(out, number);
    buffer_add_char(out, '"');
}

void report_xml_element(struct buffer *out, const char *before, const char *text, const char *after)
{
    buffer_add_text(out, before);
    escape_xml(out, text, strlen(text));
    buffer_add_text(out, after);
}

void report_xml_name(struct buffer *out, const char *before, const char *name, size_t len, const char *after)
{
    buffer_add_text(out, before);
    if (escape_needed(name, len)) {
        begin_attribute(out, "kith:hex");
        escape_hex(out, name, len);
        buffer_add_char(out, '"');
    }
    buffer_add_char(out, '>');
    escape_xml(out, name, len);
    buffer_add_text(out, after);
}

void report_xml_digests(struct buffer *out, const char *before, const struct digest_values *digests,
                        const char *after)
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        if (!(digests->kinds & DIGEST_BIT(kind)))
            continue;
        buffer_add_text(out, before);
        report_xml_text(out, "type", digest_name((enum digest_kind)kind));
        buffer_add_char(out, '>');
        escape_hex(out, digests->bytes[kind], digest_len((enum digest_kind)kind));
        buffer_add_text(out, after);
    }
}
