/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_HTML_PAGE_H
#define KITH_REPORT_HTML_PAGE_H

#include "base/buffer.h"
#include "base/error.h"

/*
 * The frame of a page: one file that needs nothing else.  Its policy admits only the style and the script of
 * the frame, by their SHA-256, and images that are part of the page.  Data for the script are JSON in
 * elements of their own.
 */

/* The style and the script: the files of lib/report/page, which the build puts together. */
extern const char report_html_page_style[], report_html_page_script[];

/* Begins a page with this title, up to <body>.  Returns -1 only if libcrypto fails; a lack of memory is left
 * to the buffer. */
int report_html_page_begin(struct buffer *out, const char *title, struct error *err);
/* Ends the page with its script. */
void report_html_page_end(struct buffer *out);

/* Appends a text of the evidence as content of an element or attribute. */
void report_html_page_text(struct buffer *out, const char *text);
/* Appends a text of the evidence in which long numbers are grouped and times, "2024-05-01T12:00:00.25Z", are
 * given to the second and not broken between lines. */
void report_html_page_readable(struct buffer *out, const char *text);
/* Appends <element>text</element>; attributes, if any, follow the element's name. */
void report_html_page_element(struct buffer *out, const char *element, const char *text);
/* Appends a term and its definition, for a list of facts.  Text of the evidence. */
void report_html_page_fact(struct buffer *out, const char *term, const char *text);

/* Appends bytes in base64 (RFC 4648). */
void report_html_page_base64(struct buffer *out, const void *data, size_t len);

/* Appends an element with JSON for the script; attributes: as in "id=\"data\"".  The JSON may hold anything:
 * it cannot end the element. */
void report_html_page_data(struct buffer *out, const char *attributes, const struct buffer *json);

#endif
