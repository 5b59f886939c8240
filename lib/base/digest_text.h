/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DIGEST_TEXT_H
#define KITH_DIGEST_TEXT_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/digest.h"

/* Digests as text: in lower-case hexadecimal, those that are present, in order, separated by slashes. */
void digest_text_add(const struct digest_values *values, struct buffer *out);

/* Appends ,"sha1":"..." and so on, for a JSON object. */
void digest_text_add_json(const struct digest_values *values, struct buffer *out);

/* Parses what digest_text_add writes if SHA-1 is present.  Returns NULL, or what is wrong with the text, as
 * in "is ...". */
const char *digest_text_parse(struct digest_values *values, const char *text, size_t len);

#endif
