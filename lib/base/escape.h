/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ESCAPE_H
#define KITH_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/*
 * Names in evidence are attacker-controlled bytes.  In a terminal or a report they must not send control
 * sequences, hide characters or break lines.
 *
 * Escaped text is valid UTF-8.  A backslash is doubled; control characters (including U+0080..9F), invisible
 * and direction-changing characters, and bytes that are not UTF-8 become \xHH, byte by byte.  The escaping is
 * reversible.
 */
void escape_text(struct buffer *out, const void *data, size_t len);

/* Whether escape_text would change anything. */
bool escape_needed(const void *data, size_t len);

/* Reverses escape_text; false if the text is not something escape_text would have written. */
bool escape_undo(struct buffer *out, const char *text, size_t len);

/* Appends a quoted JSON string whose value is the escaped text of the bytes. */
void escape_json(struct buffer *out, const void *data, size_t len);

/* Appends the escaped text of the bytes as the content of an XML or HTML element or quoted attribute. */
void escape_xml(struct buffer *out, const void *data, size_t len);

/*
 * Variants for line formats of other programs, which expect the raw bytes of names: bytes that are not UTF-8
 * are kept unless a terminal may take them for control characters (0x80..9f).  Anything else that escape_text
 * writes as \xHH is written that way here, too.  escape_unsafe says whether there is any.
 *
 * escape_marked is for lines marked with a leading backslash, as sha1sum writes them: \\, \n and \r are
 * escaped; with `exact`, nothing else is.  escape_sparing only uses \xHH: a backslash becomes \x5c where it
 * would otherwise read as \xHH, and is kept elsewhere.  Both are reversible.
 */
bool escape_unsafe(const void *data, size_t len);
void escape_marked(struct buffer *out, const void *data, size_t len, bool exact);
void escape_sparing(struct buffer *out, const void *data, size_t len);

/* Appends the bytes as lower-case hexadecimal digits. */
void escape_hex(struct buffer *out, const void *data, size_t len);

#endif
