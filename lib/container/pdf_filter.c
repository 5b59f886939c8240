/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/memory.h"
#include "container/pdf_filter_inner.h"

static size_t inflate_stage(struct pdf_filter_stage *stage, uint8_t *into, size_t len)
{
    struct deflate_step step = {.into = into, .room = len};
    int result = 1;

    while (step.room > 0 && result > 0) {
        size_t had;

        if (stage->in_at == stage->in_len && !pdf_filter_fill(stage)) {
            pdf_filter_stop(stage, "is cut off");
            break;
        }
        step.packed = stage->in + stage->in_at;
        step.packed_len = had = stage->in_len - stage->in_at;
        result = deflate_step(stage->deflate, &step);
        stage->in_at += had - step.packed_len;
    }
    if (result <= 0)
        pdf_filter_stop(stage, result < 0 ? "is damaged" : NULL);
    return len - step.room;
}

typedef size_t decoder(struct pdf_filter_stage *stage, uint8_t *into, size_t len);

static decoder *const decoders[] = {
    [PDF_FILTER_HEX] = pdf_filter_hex,         [PDF_FILTER_ASCII85] = pdf_filter_ascii85,
    [PDF_FILTER_RUNS] = pdf_filter_runs,       [PDF_FILTER_LZW] = pdf_filter_unlzw,
    [PDF_FILTER_FLATE] = inflate_stage,        [PDF_FILTER_PREDICTOR] = pdf_filter_unpredict,
    [PDF_FILTER_DECRYPT] = pdf_filter_decrypt,
};

static int init_stage(struct pdf_filter_stage *stage)
{
    stage->decode = decoders[stage->step.kind];
    switch (stage->step.kind) {
    case PDF_FILTER_FLATE:
        stage->deflate = deflate_new(DEFLATE_ZLIB);
        return stage->deflate ? 0 : -1;
    case PDF_FILTER_LZW:
        return pdf_filter_lzw_init(stage);
    case PDF_FILTER_PREDICTOR:
        return pdf_filter_rows_init(stage);
    case PDF_FILTER_DECRYPT:
        return pdf_filter_crypt_init(stage);
    default:
        return 0;
    }
}

struct pdf_filter *pdf_filter_new(struct content *content, uint64_t at, uint64_t len,
                                  const struct pdf_filter_step *steps, size_t count, struct error *err)
{
    struct pdf_filter *filter = memory_new(sizeof *filter, err);

    if (!filter)
        return NULL;
    filter->content = content;
    filter->at = at < content->size ? at : content->size;
    filter->end = len < content->size - filter->at ? filter->at + len : content->size;
    for (size_t i = 0; i < count && i < PDF_FILTER_MOST; i++) {
        struct pdf_filter_stage *stage = memory_new(sizeof *stage, err);

        if (!stage) {
            pdf_filter_free(filter);
            return NULL;
        }
        stage->step = steps[i];
        stage->chain = filter;
        stage->below = i > 0 ? filter->stages[i - 1] : NULL;
        filter->stages[filter->count++] = stage;
        if (init_stage(stage) < 0) {
            error_set(err, "out of memory");
            pdf_filter_free(filter);
            return NULL;
        }
    }
    return filter;
}

void pdf_filter_free(struct pdf_filter *filter)
{
    for (size_t i = 0; filter && i < filter->count; i++) {
        deflate_free(filter->stages[i]->deflate);
        free(filter->stages[i]->lzw);
        pdf_filter_rows_release(filter->stages[i]);
        pdf_filter_crypt_release(filter->stages[i]);
        free(filter->stages[i]);
    }
    free(filter);
}

ssize_t pdf_filter_read(struct pdf_filter *filter, void *into, size_t len, struct error *err)
{
    const size_t got = filter->count > 0 ? pdf_filter_step(filter->stages[filter->count - 1], into, len)
                                         : pdf_filter_raw(filter, into, len);

    if (got == 0 && len > 0 && filter->problem)
        return error_set(err, "%s", filter->problem);
    return (ssize_t)got;
}
