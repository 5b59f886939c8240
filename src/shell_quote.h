/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SHELL_QUOTE_H
#define KITH_SHELL_QUOTE_H

#include <stddef.h>

#include "base/buffer.h"

/* Appends the bytes as one word for bash, in printable ASCII: as they are if no character is special, else in
 * quotes, in which everything but printable ASCII is written as \xHH.  Zero bytes cannot be in an argument.
 */
void shell_quote(struct buffer *out, const char *text, size_t len);

#endif
