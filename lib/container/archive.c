/* SPDX-License-Identifier: Apache-2.0 */
#include "container/archive.h"

#include <string.h>

#include "container/archive_inner.h"

const char *archive_library(void)
{
    static const char name[] = "libarchive ";
    const char *version = archive_version_string();

    return strncmp(version, name, strlen(name)) == 0 ? version + strlen(name) : version;
}
