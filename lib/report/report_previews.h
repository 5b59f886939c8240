/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_PREVIEWS_H
#define KITH_REPORT_PREVIEWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "case/casefile.h"

/* What a page shows of the evidence itself, which the case does not have: bytes at the ends of matching
 * ranges, and small pictures. */
struct report_preview {
    struct case_finding_id id;
    struct buffer json; /* an object, whose members finding.js names */
};

struct report_previews {
    struct report_preview *list; /* sorted by report_previews_sort */
    size_t count, room;
};

/* Adds an empty preview; NULL without memory. */
struct report_preview *report_previews_add(struct report_previews *previews,
                                           const struct case_finding_id *id);
void report_previews_sort(struct report_previews *previews);
/* The preview of a finding, or NULL. */
const struct report_preview *report_previews_find(const struct report_previews *previews,
                                                  const struct case_finding_id *id);
void report_previews_release(struct report_previews *previews);

/*
 * The media type of a picture that a page may show, or NULL: JPEG, PNG or GIF, whose header says that it has
 * at most 4096 by 4096 pixels, since a few bytes can stand for a picture that fills the memory.
 */
const char *report_previews_picture(const uint8_t *data, size_t len);

#endif
