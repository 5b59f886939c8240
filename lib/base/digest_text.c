/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digest_text.h"

#include <string.h>

#include "base/escape.h"
#include "base/fields.h"

void digest_text_add(const struct digest_values *values, struct buffer *out)
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        if (!(values->kinds & DIGEST_BIT(kind)))
            continue;
        if (kind != DIGEST_SHA1)
            buffer_add_char(out, '/');
        escape_hex(out, values->bytes[kind], digest_len((enum digest_kind)kind));
    }
}

void digest_text_add_json(const struct digest_values *values, struct buffer *out)
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        if (!(values->kinds & DIGEST_BIT(kind)))
            continue;
        buffer_printf(out, ",\"%s\":\"", digest_name((enum digest_kind)kind));
        escape_hex(out, values->bytes[kind], digest_len((enum digest_kind)kind));
        buffer_add_char(out, '"');
    }
}

/* SHA-1, then optionally the others in order; their lengths distinguish them. */
const char *digest_text_parse(struct digest_values *values, const char *text, size_t len)
{
    const char *p = text, *stop = text + len;

    memset(values, 0, sizeof *values);
    for (int kind = 0; kind < DIGEST_KINDS && p < stop; kind++) {
        const char *slash = memchr(p, '/', (size_t)(stop - p));
        const size_t bytes = digest_len((enum digest_kind)kind), chars = (size_t)((slash ? slash : stop) - p);

        if (chars != 2 * bytes)
            continue;
        if (!fields_hex(p, bytes, values->bytes[kind]))
            return "is not in lower-case hexadecimal";
        values->kinds |= DIGEST_BIT(kind);
        p = slash ? slash + 1 : stop;
        if (slash && p == stop)
            break;
    }
    if (!(values->kinds & DIGEST_BIT(DIGEST_SHA1)) || p != stop || (len && stop[-1] == '/'))
        return "is not SHA-1, with MD5 and SHA-256 perhaps";
    return NULL;
}
