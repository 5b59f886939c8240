/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SHELL_QUOTE_H
#define KITH_SHELL_QUOTE_H

#include <stddef.h>

#include "base/buffer.h"

/* Appends the bytes as one word for a shell, in printable ASCII: as they are if no character is special, else
 * in quotes.  Words with bytes other than printable ASCII are for bash, with these bytes as \xHH.  Zero bytes
 * cannot be in an argument. */
void shell_quote(struct buffer *out, const char *text, size_t len);

/* The same for a path of the host, so that no command takes it for an option. */
void shell_quote_path(struct buffer *out, const char *path, size_t len);

#endif
