/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"

/* Smaller ones would mean the same to a reader, and many programs cannot parse them. */
static const double least_log10_e = -300;

void report_values_e(struct buffer *out, double ln_e)
{
    const double log10_e = fmax(ln_e / log(10), least_log10_e);
    double exponent, mantissa;

    if (isinf(ln_e)) {
        buffer_add_char(out, '0');
        return;
    }
    exponent = floor(log10_e);
    mantissa = round(pow(10, log10_e - exponent + 1)) / 10;
    if (mantissa >= 10) {
        mantissa /= 10;
        exponent++;
    }
    buffer_printf(out, "%.1fe%+.0f", mantissa, exponent);
}

static void add_offset(struct buffer *out, long seconds)
{
    const long minutes = (seconds < 0 ? -seconds : seconds) / 60;

    buffer_printf(out, "%c%02ld:%02ld", seconds < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

void report_values_zone_time(struct buffer *out, int64_t seconds, uint32_t nanoseconds, enum report_zone zone)
{
    const time_t time = (time_t)seconds;
    struct tm tm;
    char text[40];

    if (!(zone == REPORT_ZONE_LOCAL ? localtime_r(&time, &tm) : gmtime_r(&time, &tm)) ||
        !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm)) {
        buffer_printf(out, "@%" PRId64, seconds);
        return;
    }
    buffer_add_text(out, text);
    if (nanoseconds && nanoseconds < 1000000000)
        buffer_printf(out, ".%09" PRIu32, nanoseconds);
    if (zone == REPORT_ZONE_UTC)
        buffer_add_char(out, 'Z');
    if (zone == REPORT_ZONE_LOCAL)
        add_offset(out, tm.tm_gmtoff);
}

bool report_values_stamp(struct buffer *out, const struct object_stamp *stamp)
{
    const size_t before = out->len;
    const char *text;

    if (!stamp->seconds && !stamp->nanoseconds)
        return false;
    report_values_zone_time(out, stamp->seconds, stamp->nanoseconds, REPORT_ZONE_UTC);
    text = out->data + before;
    if (out->len - before > 4 && text[0] >= '0' && text[0] <= '9' && text[4] == '-')
        return true;
    out->len = before;
    return false;
}

const char *report_values_status(const struct case_object *object)
{
    return object->verdict == VERDICT_UNREADABLE ? "unreadable" : object->partial ? "partial" : "ok";
}

void report_values_size(struct buffer *out, uint64_t bytes)
{
    static const char units[] = "kMGTPE";
    double scaled = (double)bytes;
    int unit = -1;

    if (bytes < 10000) {
        buffer_printf(out, "%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
        return;
    }
    do {
        scaled /= 1000;
        unit++;
    } while (scaled >= 999.95 && unit < 5);
    buffer_printf(out, "%.1f %cB", scaled, units[unit]);
}

void report_values_number(struct buffer *out, uint64_t number)
{
    char digits[24];
    const int len = snprintf(digits, sizeof digits, "%" PRIu64, number);

    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            buffer_add_char(out, ',');
        buffer_add_char(out, digits[i]);
    }
}

/* Regular English plurals only. */
static void add_plural(struct buffer *out, const char *noun)
{
    const size_t len = strlen(noun);
    const char last = len ? noun[len - 1] : '\0', before = len > 1 ? noun[len - 2] : '\0';

    if (last == 'y' && before && !strchr("aeiou", before)) {
        buffer_add(out, noun, len - 1);
        buffer_add_text(out, "ies");
        return;
    }
    buffer_add_text(out, noun);
    if (last == 's' || last == 'x' || (last == 'h' && (before == 'c' || before == 's')))
        buffer_add_char(out, 'e');
    buffer_add_char(out, 's');
}

void report_values_count(struct buffer *out, uint64_t count, const char *noun)
{
    report_values_number(out, count);
    buffer_add_char(out, ' ');
    if (count == 1)
        buffer_add_text(out, noun);
    else
        add_plural(out, noun);
}

void report_values_foreign(struct buffer *out, const char *text)
{
    escape_text(out, text, strlen(text));
}
