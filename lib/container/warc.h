/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_WARC_H
#define KITH_WARC_H

#include "container/container.h"

/* Archives of web pages (WARC, ISO 28500): what servers answered, without the header of HTTP, under the
 * address that was asked for. */
extern const struct container_format warc_format;

#endif
