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

/* Quotes end before an apostrophe, which every shell understands. */
static void add_quoted(struct buffer *out, const char *text, size_t len)
{
    buffer_add_char(out, '\'');
    for (size_t i = 0; i < len; i++)
        if (text[i] == '\'')
            buffer_add_text(out, "'\\''");
        else
            buffer_add_char(out, text[i]);
    buffer_add_char(out, '\'');
}

void shell_quote(struct buffer *out, const char *text, size_t len)
{
    bool plain = len > 0 && text[0] != '=', printable = true;

    for (size_t i = 0; i < len; i++) {
        plain = plain && is_plain(text[i]);
        printable = printable && is_printable(text[i]);
    }
    if (!printable)
        add_escaped(out, text, len);
    else if (plain)
        buffer_add(out, text, len);
    else
        add_quoted(out, text, len);
}

void shell_quote_path(struct buffer *out, const char *path, size_t len)
{
    struct buffer whole = {0};

    if (len > 0 && path[0] == '-')
        buffer_add_text(&whole, "./");
    buffer_add(&whole, path, len);
    shell_quote(out, whole.len ? whole.data : "", whole.len);
    buffer_inherit(out, &whole);
    buffer_release(&whole);
}
