/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pdf_filter_inner.h"

size_t pdf_filter_raw(struct pdf_filter *filter, uint8_t *into, size_t len)
{
    const uint64_t left = filter->end - filter->at;
    const size_t want = len < left ? len : (size_t)left;
    ssize_t got = 0;

    if (want > 0 && (got = filter->content->read(filter->content, filter->at, into, want)) <= 0) {
        filter->problem = "cannot be read";
        filter->end = filter->at;
        return 0;
    }
    filter->at += (uint64_t)got;
    return (size_t)got;
}

size_t pdf_filter_step(struct pdf_filter_stage *stage, uint8_t *into, size_t len)
{
    return stage->ended ? 0 : stage->decode(stage, into, len);
}

/* Recursion is as deep as the chain is long. */
bool pdf_filter_fill(struct pdf_filter_stage *stage)
{
    if (stage->in_ended)
        return false;
    stage->in_at = 0;
    stage->in_len = stage->below ? pdf_filter_step(stage->below, stage->in, sizeof stage->in)
                                 : pdf_filter_raw(stage->chain, stage->in, sizeof stage->in);
    stage->in_ended = stage->in_len == 0;
    return !stage->in_ended;
}

size_t pdf_filter_row(const struct pdf_filter_step *step)
{
    uint64_t bits;

    if (step->bits < 1 || step->bits > 16 || (step->bits & (step->bits - 1)) != 0 || step->colours < 1 ||
        step->colours > 1024 || step->columns < 1 || step->columns > PDF_FILTER_MOST_ROW * 8)
        return 0;
    bits = (uint64_t)step->bits * step->colours * step->columns;
    return bits <= PDF_FILTER_MOST_ROW * UINT64_C(8) ? (size_t)((bits + 7) / 8) : 0;
}
