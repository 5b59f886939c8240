/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PROSE_H
#define KITH_PROSE_H

#include "container/container.h"

/* Plain text whose lines are wrapped: its running text, in which lines are joined to paragraphs, so that it
 * is found in documents that have no such lines.  Only files of up to 1 MiB, and only those that begin as
 * wrapped text: most of their lines have no room for the word that begins the next one. */
extern const struct container_format prose_format;

#endif
