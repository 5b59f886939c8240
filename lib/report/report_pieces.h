/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_PIECES_H
#define KITH_REPORT_PIECES_H

#include <stdint.h>

#include "case/casefile.h"

/* Where a range of an object lies on the image: calls take for each piece of the bytes [start, end) that is
 * stored in one run, in the order of the object.  What no run covers is left out. */
void report_pieces(const struct case_object *object, uint64_t start, uint64_t end,
                   void (*take)(void *arg, uint64_t image, uint64_t len), void *arg);

#endif
