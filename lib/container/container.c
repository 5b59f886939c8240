/* SPDX-License-Identifier: Apache-2.0 */
#include "container/container.h"

const struct container_format *const container_formats[] = {
    NULL,
};
