/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_HTML_PLACES_H
#define KITH_REPORT_HTML_PLACES_H

#include "case/casefile.h"

/*
 * Where findings lie on the images of a case: each image, and each of its volumes, in REPORT_HTML_PLACES
 * places of equal size.  Memory is bounded: of more volumes than are kept only the findings in the image are
 * counted.
 */
struct report_html_places;

enum { REPORT_HTML_PLACES = 200 };

/* NULL if the case cannot be read, or memory runs out. */
struct report_html_places *report_html_places_new(struct casefile *casefile, struct error *err);
void report_html_places_free(struct report_html_places *places);

/* Counts a row, if it is a finding.  image: the byte of the image at which it begins; UINT64_MAX: none. */
void report_html_places_add(struct report_html_places *places, const struct case_row *row, uint64_t image);

/* Appends a table of the numbers, with an empty cell for each picture; nothing if there is no image. */
void report_html_places_table(const struct report_html_places *places, struct buffer *out);
/* Appends what the pictures need: a member of a JSON object, "parts". */
void report_html_places_json(const struct report_html_places *places, struct buffer *json);

#endif
