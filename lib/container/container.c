/* SPDX-License-Identifier: Apache-2.0 */
#include "container/container.h"

#include "container/html.h"

const struct container_format *const container_formats[] = {
    &html_format,
    NULL,
};
