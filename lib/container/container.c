/* SPDX-License-Identifier: Apache-2.0 */
#include "container/container.h"

#include "container/archive.h"
#include "container/html.h"
#include "container/media.h"
#include "container/ole.h"
#include "container/pdf.h"

const struct container_format *const container_formats[] = {
    &archive_format_zip,
    &media_format_jpeg,
    &html_format,
    &ole_format,
    &pdf_format,
    NULL,
};
