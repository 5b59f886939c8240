/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "container/mail_header.h"

bool mail_header_boundary(const struct mail_header *header, struct buffer *out)
{
    if (!mail_value_is(&header->type, "multipart/") || !mail_parameter(&header->type, "boundary", out))
        return false;
    while (out->len && strchr(" \t\r\n", out->data[out->len - 1]))
        out->len--;
    return out->len > 0;
}

void mail_header_name(const struct mail_header *header, struct buffer *out)
{
    if (!mail_parameter(&header->disposition, "filename", out))
        mail_parameter(&header->type, "name", out);
    if (out->len > MAIL_NAME_MOST)
        out->len = MAIL_NAME_MOST;
}

bool mail_header_states(const struct mail_header *header, const char *name, const char *value)
{
    struct buffer found = {0};
    bool is;

    mail_parameter(&header->type, name, &found);
    is = mail_value_is(&found, value);
    buffer_release(&found);
    return is;
}

enum charset_kind mail_header_charset(const struct mail_header *header)
{
    struct buffer found = {0};
    enum charset_kind kind;
    const char *name;
    size_t len;

    mail_parameter(&header->type, "charset", &found);
    name = mail_value(&found, &len);
    kind = name ? charset_find(name, len) : CHARSET_RAW;
    buffer_release(&found);
    return kind;
}

enum transfer_kind mail_header_transfer(const struct mail_header *header)
{
    size_t len;
    const char *name = mail_value(&header->encoding, &len);

    return name ? transfer_find(name, len) : TRANSFER_IDENTITY;
}
