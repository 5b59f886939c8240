/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ENCODED_H
#define KITH_ENCODED_H

#include "container/container.h"

/*
 * Text that encodes something, in files that are no containers.
 *
 * `base64`: blocks of Base64 anywhere in a file - in PEM, data: URIs, JSON, scripts - each a member, named by
 * its offset in decimal; except in mail, where they are parts.  A block is at least 200 characters on one
 * line, or on lines that all have the length of the first, and are indented like it.  Upper-case and
 * lower-case letters and digits must be mixed.
 *
 * `utf16`: the text of a file that is UTF-16 throughout, as the member "text"; or, as a guess, each run of at
 * least 100 characters of Western, Greek or Cyrillic UTF-16 in any other file, named by its offset.  Either
 * is converted to UTF-8 and otherwise left as it is.
 */
extern const struct container_format encoded_base64_format;
extern const struct container_format encoded_utf16_format;
extern const struct container_format encoded_utf16_runs_format;

#endif
