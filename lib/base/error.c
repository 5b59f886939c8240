/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROOM_FOR_REASON = 128 };

int(error_set)(struct error *err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    if (err)
        vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    return -1;
}

int(error_errno)(struct error *err, const char *fmt, ...)
{
    int saved = errno;
    va_list args;
    size_t len;

    if (!err)
        return -1;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    len = strlen(err->text);
    if (len > sizeof err->text - ROOM_FOR_REASON) /* truncate the name rather than the reason */
        len = sizeof err->text - ROOM_FOR_REASON;
    snprintf(err->text + len, sizeof err->text - len, ": %s", strerror(saved));
    return -1;
}
