/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_XML_H
#define KITH_REPORT_XML_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/digest.h"

/* Pieces of XML.  All text that is not kith's own passes through escape_xml here. */

/* Append an attribute, preceded by a blank, of a start tag that is still open. */
void report_xml_text(struct buffer *out, const char *name, const char *text);
void report_xml_number(struct buffer *out, const char *name, uint64_t number);

/* Appends an element with a text; before and after are its tags, as they are written. */
void report_xml_element(struct buffer *out, const char *before, const char *text, const char *after);
/* The same for a foreign name; the start tag is still open, and gets an attribute kith:hex with the bytes if
 * the text differs from them. */
void report_xml_name(struct buffer *out, const char *before, const char *name, size_t len, const char *after);
/* An element for each digest; the start tag is still open, and gets an attribute type. */
void report_xml_digests(struct buffer *out, const char *before, const struct digest_values *digests,
                        const char *after);

#endif
