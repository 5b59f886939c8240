/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_FILTER_H
#define KITH_PDF_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "container/pdf_crypt.h"
#include "disk/content.h"

/*
 * Decodes the data of a stream (ISO 32000-1, 7.4) through a chain of filters, piece by piece. What can be
 * decoded of damaged data is, up to the damage.
 */

enum pdf_filter_kind {
    PDF_FILTER_HEX,
    PDF_FILTER_ASCII85,
    PDF_FILTER_RUNS,
    PDF_FILTER_LZW,
    PDF_FILTER_FLATE,
    PDF_FILTER_PREDICTOR,
    PDF_FILTER_DECRYPT,
};

/* A filter of the chain; rows and the rest are those of a predictor. */
struct pdf_filter_step {
    enum pdf_filter_kind kind;
    struct pdf_crypt_key key; /* to decrypt; not PDF_CRYPT_NONE */
    bool is_early;            /* of LZW: codes grow by one code early, as usual */
    bool is_png;              /* rows begin with the predictor's number; or else, as in TIFF */
    uint32_t bits;            /* of a sample: 1, 2, 4, 8 or 16 */
    uint32_t colours, columns;
};

enum {
    PDF_FILTER_MOST = 16,         /* steps of a chain */
    PDF_FILTER_MOST_ROW = 1 << 20 /* bytes of a row of samples */
};

struct pdf_filter;

/* Begins to decode a range of the content, which is borrowed. The steps are applied in order; predictors must
 * have rows of 1 to PDF_FILTER_MOST_ROW bytes. NULL on error. */
struct pdf_filter *pdf_filter_new(struct content *content, uint64_t at, uint64_t len,
                                  const struct pdf_filter_step *steps, size_t count, struct error *err);
void pdf_filter_free(struct pdf_filter *filter);
/* Reads on. Returns the number of bytes, 0 at the end, -1 if the rest is lost: err says why, as "is damaged".
 */
ssize_t pdf_filter_read(struct pdf_filter *filter, void *into, size_t len, struct error *err);
/* Bytes of a row of samples, rounded up; 0 if the numbers are out of range. */
size_t pdf_filter_row(const struct pdf_filter_step *step);

#endif
