/* SPDX-License-Identifier: Apache-2.0 */
#include "shell_quote.h"

#include <stdbool.h>
#include <string.h>

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("/._-+,:@%=", c));
}

static bool is_printable(char c)
{
    return c >= ' ' && c < 0x7f;
}

/* In $'...' each byte can be written as an escape. */
static void add_escaped(struct buffer *out, const char *text, size_t len)
{
    buffer_add_text(out, "$'");
    for (size_t i = 0; i < len; i++)
        if (is_printable(text[i]) && text[i] != '\'' && text[i] != '\\')
            buffer_add_char(out, text[i]);
        else
            buffer_printf(out, "\\x%02x", (unsigned)(unsigned char)text[i]);
    buffer_add_char(out, '\'');
}

void shell_quote(struct buffer *out, const char *text, size_t len)
{
    bool plain = len > 0 && text[0] != '=', printable = true;

    for (size_t i = 0; i < len; i++) {
        plain = plain && is_plain(text[i]);
        printable = printable && is_printable(text[i]) && text[i] != '\'';
    }
    if (!printable) {
        add_escaped(out, text, len);
        return;
    }
    if (!plain)
        buffer_add_char(out, '\'');
    buffer_add(out, text, len);
    if (!plain)
        buffer_add_char(out, '\'');
}
