/* SPDX-License-Identifier: Apache-2.0 */
#include "extract_name.h"

#include <stdbool.h>
#include <string.h>

enum { KEPT_END = 20 }; /* of a long name: its extension is there */

static bool is_safe(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

static void add_safe(struct buffer *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        buffer_add_char(out, is_safe(text[i]) ? text[i] : '_');
}

void extract_name(struct buffer *out, const char *number, const char *path, size_t len)
{
    const char *slash = len ? memrchr(path, '/', len) : NULL;
    const char *name = slash ? slash + 1 : path;
    size_t name_len = len - (size_t)(name - path);

    buffer_add_text(out, number);
    while (name_len > 0 && name[name_len - 1] == '.') /* Windows drops them */
        name_len--;
    if (name_len == 0)
        return;
    buffer_add_char(out, '-');
    if (name_len < EXTRACT_NAME_MOST) {
        add_safe(out, name, name_len);
        return;
    }
    add_safe(out, name, EXTRACT_NAME_MOST - 2 - KEPT_END);
    buffer_add_char(out, '_');
    add_safe(out, name + name_len - KEPT_END, KEPT_END);
}
