/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_VALUES_H
#define KITH_REPORT_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "case/casefile.h"
#include "disk/object.h"

/* Appends the values that several reports contain, formatted alike. */

/* An E-value, given its natural logarithm: "1.2e-34", or "0" for -INFINITY. */
void report_values_e(struct buffer *out, double ln_e);

enum report_zone {
    REPORT_ZONE_UTC,   /* "2024-05-01T12:00:00Z" */
    REPORT_ZONE_LOCAL, /* "2024-05-01T14:00:00+02:00": the zone of this process (tzset) */
    REPORT_ZONE_NONE,  /* "2024-05-01T12:00:00": a local time in an unknown zone */
};

/* A time in this zone, given in seconds since 1970, with nanoseconds unless they are 0.  Falls back to "@"
 * and the seconds if the year is out of range. */
void report_values_zone_time(struct buffer *out, int64_t seconds, uint32_t nanoseconds,
                             enum report_zone zone);
/* A time of an object in UTC.  Returns false, and appends nothing, if it is unknown or its year does not have
 * four digits, as ISO 8601 and XML Schema require. */
bool report_values_stamp(struct buffer *out, const struct object_stamp *stamp);
/* Whether an object could be read: "ok", "partial" or "unreadable". */
const char *report_values_status(const struct case_object *object);
/* A human-readable size of at most 10 characters, exact below 10,000 bytes: "1234 bytes", "56.8 kB". */
void report_values_size(struct buffer *out, uint64_t bytes);
/* A number with thousands separators: "1,204". */
void report_values_number(struct buffer *out, uint64_t number);
/* A count and its noun, given in the singular: "1 object", "1,204 objects", "2 entries", "3 matches". */
void report_values_count(struct buffer *out, uint64_t count, const char *noun);
/* Text from the evidence, a string, as escape_text writes it. */
void report_values_foreign(struct buffer *out, const char *text);

#endif
