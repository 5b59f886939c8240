/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_OBJECTS_INNER_H
#define KITH_PDF_OBJECTS_INNER_H

#include "container/pdf_objects.h"

/* Decodes an object stream into `into`, up to the limit. -1 if memory runs out. */
int pdf_objects_unpack(struct pdf_objects *objects, const struct pdf_objects_entry *holder,
                       struct buffer *into, struct error *err);

#endif
