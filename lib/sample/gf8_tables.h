/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_GF8_TABLES_H
#define KITH_GF8_TABLES_H

#include "sample/gf8.h"

/* Fills in the tables of the selector, for its n; secret: NULL for none. */
void gf8_tables_make(struct gf8 *gf8, const struct gf8_secret *secret);

#endif
