/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_RTF_H
#define KITH_RTF_H

#include "container/container.h"

/*
 * The running text of RTF files, in the form that document.h describes.  Characters of 8 bits are taken as
 * Windows-1252; writers state others in Unicode as well.  Footnotes, comments, headers, footers, text boxes
 * and deleted text follow at the end.
 */
extern const struct container_format rtf_format;

#endif
