/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CHARSET_H
#define KITH_CHARSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* Converts text to UTF-8.  Characters that do not exist become U+FFFD; in a charset that is not known, bytes
 * stay what they are, as do those of UTF-8. */
enum charset_kind {
    CHARSET_RAW, /* UTF-8, US-ASCII, or unknown */
    CHARSET_WINDOWS_1252,
    CHARSET_LATIN_9,
    CHARSET_UTF16, /* big-endian unless its byte order mark says otherwise */
    CHARSET_UTF16_BE,
    CHARSET_UTF16_LE,
};

/* A zeroed struct with its kind is ready. */
struct charset {
    enum charset_kind kind;
    bool has_half; /* of a 16-bit unit */
    uint8_t half;
    uint16_t high;    /* the first half of a surrogate pair; 0: none */
    bool has_begun;   /* after a byte order mark, if there is one */
    bool has_changed; /* something was written otherwise than it was */
};

/* By its name in mail, in any case; ISO 8859-1 is taken as the Windows-1252 that it often is. */
enum charset_kind charset_find(const char *name, size_t len);

/* Appends the text, which may be divided anywhere. */
void charset_add(struct charset *charset, struct buffer *out, const uint8_t *data, size_t len);
/* Ends it: a character that is cut off is U+FFFD. */
void charset_end(struct charset *charset, struct buffer *out);

/* A character of Windows-1252; 0 if it has none for this byte. */
uint32_t charset_windows(uint8_t byte);

#endif
