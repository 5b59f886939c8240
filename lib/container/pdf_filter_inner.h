/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_FILTER_INNER_H
#define KITH_PDF_FILTER_INNER_H

#include "container/pdf_filter.h"
#include "disk/deflate.h"

enum {
    PDF_FILTER_PIECE = 16 << 10,
    PDF_FILTER_CODES = 4096, /* of LZW */
};

struct pdf_filter_lzw {
    uint16_t prefix[PDF_FILTER_CODES], len[PDF_FILTER_CODES];
    uint8_t last[PDF_FILTER_CODES];
    uint8_t string[PDF_FILTER_CODES]; /* of the present code, the bytes that are left last */
    size_t left;
    unsigned next, width, previous; /* previous: PDF_FILTER_CODES: none */
    uint32_t bits;
    unsigned bit_count;
};

struct pdf_filter_rows {
    size_t row_len, pixel_len; /* in bytes */
    size_t at, have;           /* of `row`, which is left to be read */
    uint8_t *row, *above;
};

/* One filter of a chain, with the bytes that it has read of the one below. */
struct pdf_filter_stage {
    struct pdf_filter_step step;
    struct pdf_filter_stage *below; /* NULL: `raw` */
    struct pdf_filter *chain;
    size_t (*decode)(struct pdf_filter_stage *stage, uint8_t *into, size_t len);
    uint8_t in[PDF_FILTER_PIECE];
    size_t in_at, in_len;
    bool in_ended, ended;
    uint8_t group[4]; /* of ASCII85: decoded bytes that are left */
    unsigned group_at, group_len;
    unsigned run; /* of a run: bytes that are left */
    int repeated; /* the byte, or -1: copied */
    struct deflate *deflate;
    struct pdf_filter_lzw *lzw;
    struct pdf_filter_rows *rows;
    struct pdf_filter_crypt *crypt;
};

struct pdf_filter {
    struct content *content;
    uint64_t at, end;
    const char *problem; /* why the rest is lost */
    size_t count;
    struct pdf_filter_stage *stages[PDF_FILTER_MOST];
};

/* Reads the data as it is stored; 0 at the end, or if it cannot be read. */
size_t pdf_filter_raw(struct pdf_filter *filter, uint8_t *into, size_t len);
/* Decodes up to len bytes, fewer only at the end. */
size_t pdf_filter_step(struct pdf_filter_stage *stage, uint8_t *into, size_t len);
/* Reads more of what is below if nothing is left; false at the end. */
bool pdf_filter_fill(struct pdf_filter_stage *stage);
/* The next byte from below, or -1. */
static inline int pdf_filter_get(struct pdf_filter_stage *stage)
{
    if (stage->in_at == stage->in_len && !pdf_filter_fill(stage))
        return -1;
    return stage->in[stage->in_at++];
}
/* The stage ends here; with a problem, unless that is NULL or there is one below. */
static inline void pdf_filter_stop(struct pdf_filter_stage *stage, const char *problem)
{
    stage->ended = true;
    if (!stage->chain->problem)
        stage->chain->problem = problem;
}

/* The decoders, for pdf_filter_step. */
size_t pdf_filter_hex(struct pdf_filter_stage *stage, uint8_t *into, size_t len);
size_t pdf_filter_ascii85(struct pdf_filter_stage *stage, uint8_t *into, size_t len);
size_t pdf_filter_runs(struct pdf_filter_stage *stage, uint8_t *into, size_t len);
size_t pdf_filter_unlzw(struct pdf_filter_stage *stage, uint8_t *into, size_t len);
size_t pdf_filter_unpredict(struct pdf_filter_stage *stage, uint8_t *into, size_t len);
size_t pdf_filter_decrypt(struct pdf_filter_stage *stage, uint8_t *into, size_t len);

/* -1 if memory runs out. */
int pdf_filter_lzw_init(struct pdf_filter_stage *stage);
int pdf_filter_rows_init(struct pdf_filter_stage *stage);
int pdf_filter_crypt_init(struct pdf_filter_stage *stage);
/* Frees what the init functions allocated. */
void pdf_filter_rows_release(struct pdf_filter_stage *stage);
void pdf_filter_crypt_release(struct pdf_filter_stage *stage);

#endif
