/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_UNOPENED_H
#define KITH_REPORT_UNOPENED_H

#include "case/casefile.h"

/* Calls take with a sentence for each reason for which members of containers were not unpacked, or not to the
 * end: "1,204 members of containers: it is encrypted (a.zip/x, a.zip/y, a.zip/z, ...)".  Returns -1 and fills
 * err if the case cannot be read or memory runs out. */
int report_unopened(struct casefile *casefile, uint64_t evidence, void (*take)(void *arg, const char *text),
                    void *arg, struct error *err);

#endif
