/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_H
#define KITH_PDF_H

#include "container/container.h"

/*
 * PDF (ISO 32000-1). The members are the streams in the order of the file, all versions of an object
 * included: "12-0" is that of object 12, generation 0. What its filters leave is its content; a picture
 * remains the file that it nearly is: "12-0.jpg" (DCTDecode), ".jp2" (JPX), ".jb2" (JBIG2) or ".fax"
 * (CCITTFax). An embedded file has its own name.
 */
extern const struct container_format pdf_format;

/* Whether content begins with the header of a PDF, as far as readers require it. */
bool pdf_matches(const struct container_sight *sight);

#endif
