/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CASE_OPEN_H
#define KITH_CASE_OPEN_H

#include <stdbool.h>

#include "case/casefile.h"

/* Opens a case read-only and verifies everything that it seals.  Shows a warning with each fault, and sets
 * *faulty.  Returns NULL and fills err if the case cannot be read. */
struct casefile *case_open(const char *path, bool *faulty, struct error *err);

#endif
