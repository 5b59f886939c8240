/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TIMEZONE_H
#define KITH_TIMEZONE_H

#include "options.h"
#include "report/report_values.h"

/*
 * The time zone of text reports, which --timezone chooses: "UTC", "local" or a name of the IANA database such
 * as "Europe/Berlin".  It becomes the zone of this process, as REPORT_ZONE_LOCAL needs it.
 *
 * Returns -1 after an error was shown: there is no such zone.
 */
int timezone_take(const struct options *options, enum report_zone *zone);

#endif
