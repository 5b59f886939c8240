/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "evidence/reading.h"

void reading_problem(struct reading *reading, const char *fmt, ...)
{
    char text[6144];
    va_list args;

    if (reading->forgiving)
        return;
    reading->partial = true;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    reading->sink->problem(reading->sink->arg, text);
}

void reading_note(struct reading *reading, const char *fmt, ...)
{
    char text[6144];
    va_list args;

    if (reading->forgiving)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    reading->sink->note(reading->sink->arg, text);
}

void reading_out_of_memory(struct reading *reading)
{
    if (!reading->failed)
        error_set(reading->err, "%s: out of memory", reading->path);
    reading->failed = true;
}
