/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_write.h"

#include <string.h>

#include "base/escape.h"

/* What precedes a value. */
static void begin(struct json_write *out, const char *key, const char *suffix)
{
    if (out->comma)
        buffer_add_char(out->to, ',');
    out->comma = true;
    if (!key)
        return;
    buffer_add_char(out->to, '"');
    buffer_add_text(out->to, key);
    buffer_add_text(out->to, suffix);
    buffer_add_text(out->to, "\":");
}

void json_write_open(struct json_write *out, const char *key, char bracket)
{
    begin(out, key, "");
    buffer_add_char(out->to, bracket);
    out->comma = false;
}

void json_write_close(struct json_write *out, char bracket)
{
    buffer_add_char(out->to, bracket);
    out->comma = true;
}

void json_write_line(struct json_write *out)
{
    buffer_add_char(out->to, '\n');
    out->comma = false;
}

void json_write_bytes(struct json_write *out, const char *key, const void *data, size_t len)
{
    begin(out, key, "");
    escape_json(out->to, data, len);
}

void json_write_text(struct json_write *out, const char *key, const char *text)
{
    json_write_bytes(out, key, text, strlen(text));
}

void json_write_number(struct json_write *out, const char *key, uint64_t number)
{
    begin(out, key, "");
    buffer_add_number(out->to, number);
}

void json_write_real(struct json_write *out, const char *key, int decimals, double number)
{
    begin(out, key, "");
    buffer_add_fixed(out->to, number, decimals);
}

void json_write_bool(struct json_write *out, const char *key, bool value)
{
    json_write_raw(out, key, value ? "true" : "false");
}

void json_write_hex(struct json_write *out, const char *key, const void *data, size_t len)
{
    begin(out, key, "");
    buffer_add_char(out->to, '"');
    escape_hex(out->to, data, len);
    buffer_add_char(out->to, '"');
}

void json_write_raw(struct json_write *out, const char *key, const char *value)
{
    begin(out, key, "");
    buffer_add_text(out->to, value);
}

void json_write_made(struct json_write *out, const char *key, struct buffer *text)
{
    json_write_bytes(out, key, text->len ? text->data : "", text->len);
    buffer_inherit(out->to, text);
    buffer_reset(text);
}

void json_write_name(struct json_write *out, const char *key, const char *name, size_t len)
{
    json_write_bytes(out, key, name, len);
    if (!escape_needed(name, len))
        return;
    begin(out, key, "_hex");
    buffer_add_char(out->to, '"');
    escape_hex(out->to, name, len);
    buffer_add_char(out->to, '"');
}
