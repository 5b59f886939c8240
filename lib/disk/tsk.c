/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/tsk.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int tsk_failed(struct error *err, const char *fmt, ...)
{
    const char *cause = tsk_error_get();
    char what[1024];
    size_t len;
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    if (!cause)
        cause = "libtsk gives no reason";
    len = strcspn(cause, "\n");
    error_set(err, "%s: %.*s", what, (int)(len < 512 ? len : 512), cause);
    tsk_error_reset();
    return -1;
}

const char *tsk_library(void)
{
    return tsk_version_get_str();
}
