/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_TEXT_H
#define KITH_PDF_TEXT_H

#include "container/container.h"

/*
 * The running text of a PDF as its one member, "text": of all pages in their order, in the order in which
 * their contents show it, forms included. Text whose font does not say which characters it is made of is left
 * out. There is no member if there is no text.
 */
extern const struct container_format pdf_text_format;

#endif
