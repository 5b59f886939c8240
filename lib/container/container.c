/* SPDX-License-Identifier: Apache-2.0 */
#include "container/container.h"

#include "container/archive.h"
#include "container/html.h"

const struct container_format *const container_formats[] = {
    &archive_format_zip,
    &html_format,
    NULL,
};
