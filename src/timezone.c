/* SPDX-License-Identifier: Apache-2.0 */
#include "timezone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Where the C library looks for zones. */
static const char default_folder[] = "/usr/share/zoneinfo";

/* A name can lead nowhere else: no part of it begins with a dot. */
static bool is_name(const char *zone)
{
    return zone[0] && zone[0] != '/' && zone[0] != '.' && !strstr(zone, "/.") &&
           strspn(zone, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-_/") == strlen(zone);
}

/* The C library takes any name and falls back to UTC, so the file is looked at first. */
static bool is_known(const char *zone)
{
    const char *folder = getenv("TZDIR");
    char path[4096], magic[4] = "";
    FILE *file;
    int len;

    if (!is_name(zone))
        return false;
    len = snprintf(path, sizeof path, "%s/%s", folder && *folder ? folder : default_folder, zone);
    file = len < (int)sizeof path ? fopen(path, "rb") : NULL;
    if (!file)
        return false;
    if (fread(magic, 1, sizeof magic, file) != sizeof magic)
        magic[0] = '\0';
    fclose(file);
    return memcmp(magic, "TZif", sizeof magic) == 0;
}

int timezone_take(const struct options *options, enum report_zone *zone)
{
    const char *name = options->value;

    *zone = strcmp(name, "UTC") == 0 ? REPORT_ZONE_UTC : REPORT_ZONE_LOCAL;
    if (*zone == REPORT_ZONE_LOCAL && strcmp(name, "local") != 0) {
        if (!is_known(name)) {
            options_wrong(options->command,
                          "unknown time zone '%s': use UTC, local, or a name such as Europe/Berlin", name);
            return -1;
        }
        if (setenv("TZ", name, 1)) {
            options_wrong(options->command, "--timezone %s: out of memory", name);
            return -1;
        }
    }
    tzset();
    return 0;
}
