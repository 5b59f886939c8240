/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EXTRACT_NAME_H
#define KITH_EXTRACT_NAME_H

#include <stddef.h>

#include "base/buffer.h"

enum { EXTRACT_NAME_MOST = 120 };

/*
 * Appends the name of a file for extracted content: the number, a dash, and what is safe of the last part of
 * its path in the evidence.  Of that, everything except ASCII letters, digits, '.', '_' and '-' becomes '_';
 * a long name loses its middle.  number: of digits, dots and '+', not empty: because of it no name is hidden,
 * reserved, or the same as another's, and none looks like an option.  At most EXTRACT_NAME_MOST characters
 * are added after the number.
 */
void extract_name(struct buffer *out, const char *number, const char *path, size_t len);

#endif
