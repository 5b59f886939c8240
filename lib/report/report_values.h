/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_VALUES_H
#define KITH_REPORT_VALUES_H

#include <stdint.h>

#include "base/buffer.h"

/* Values as reports write them. */

/* An E-value from its natural logarithm: "1.2e-34", "0" if it is none at all. */
void report_values_e(struct buffer *out, double ln_e);
/* A time in UTC from seconds since 1970: "2024-05-01T12:00:00Z", with nanoseconds if they are not 0; "@" and
 * the seconds if no calendar has that year. */
void report_values_time(struct buffer *out, int64_t seconds, uint32_t nanoseconds);
/* A size for people, exact below 10,000 bytes: "1234 bytes", "57 kB". */
void report_values_size(struct buffer *out, uint64_t bytes);
/* Foreign text, a string, as escape_text writes it. */
void report_values_foreign(struct buffer *out, const char *text);

#endif
