/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/distance.h"
#include "compare/verdict.h"
#include "sample/coates.h"

struct comparer {
    struct estimator *estimator;
    struct record a, b; /* reduced copies */
    struct estimate_range whole;
    struct buffer a_signature, b_signature;
    double contents_factor, signatures_factor;
};

const char *compare_verdict_name(enum compare_verdict verdict)
{
    static const char *const names[] = {"identical", "variant",   "embedded",    "fragment",
                                        "none",      "too-small", "low-entropy", "undecided"};

    return names[verdict];
}

struct comparer *compare_new(struct error *err)
{
    struct comparer *comparer = memory_new(sizeof *comparer, err);

    if (comparer && (comparer->estimator = estimate_new(err))) {
        compare_set_factors(comparer, COATES_FACTOR, COATES_FACTOR);
        return comparer;
    }
    compare_free(comparer);
    return NULL;
}

void compare_set_factors(struct comparer *comparer, double contents, double signatures)
{
    comparer->contents_factor = contents;
    comparer->signatures_factor = signatures;
}

void compare_free(struct comparer *comparer)
{
    if (!comparer)
        return;
    record_release(&comparer->a);
    record_release(&comparer->b);
    buffer_release(&comparer->a_signature);
    buffer_release(&comparer->b_signature);
    estimate_free(comparer->estimator);
    free(comparer);
}

static int check_same_kind(const struct record *a, const struct record *b, struct error *err)
{
    const struct sampler_params *p = &a->params, *q = &b->params;

    if (p->scheme == q->scheme && p->n == q->n && p->k == q->k && (p->scheme == SAMPLER_GF8 || p->c == q->c))
        return 0;
    return error_set(
        err, "cannot compare records of different kinds: %s n=%u C=%u k=%u and %s n=%u C=%u k=%u",
        sampler_scheme_name(p->scheme), p->n, p->c, p->k, sampler_scheme_name(q->scheme), q->n, q->c, q->k);
}

static uint32_t larger_c(const struct record *a, const struct record *b)
{
    return a->params.c > b->params.c ? a->params.c : b->params.c;
}

static bool same_content(const struct record *a, const struct record *b)
{
    return a->len == b->len && digest_agree(&a->digests, &b->digests);
}

static void set_identical(struct comparer *comparer, const struct record *a, struct comparison *out)
{
    struct estimate *e = &out->estimate;

    comparer->whole = (struct estimate_range){0, a->len, 0, a->len, a->count};
    out->verdict = COMPARE_IDENTICAL;
    out->c = a->params.c;
    out->a_samples = out->b_samples = a->count;
    *e = (struct estimate){.resemblance = 1,
                           .a_in_b = 1,
                           .b_in_a = 1,
                           .anchors = a->count,
                           .a_matched = a->len,
                           .b_matched = a->len,
                           .ranges = &comparer->whole,
                           .range_count = a->len > 0};
}

static struct estimate_side side_of(const struct record *record)
{
    return (struct estimate_side){record->samples, record->count, record->len, record->coincidence};
}

int compare_relate(struct comparer *comparer, const struct record *a, const struct record *b,
                   const struct chain_hints *hints, struct comparison *out, struct error *err)
{
    struct chain_hints still; /* the hints that remain valid when samples are dropped */
    struct estimate_side a_side, b_side;

    *out = (struct comparison){.c = larger_c(a, b)};
    if (hints && (a->params.c < out->c || b->params.c < out->c)) {
        still = (struct chain_hints){.diagonal = hints->diagonal};
        hints = &still;
    }
    a = record_reduced(a, out->c, &comparer->a, err);
    b = a ? record_reduced(b, out->c, &comparer->b, err) : NULL;
    if (!b)
        return -1;
    out->a_samples = a->count;
    out->b_samples = b->count;
    a_side = side_of(a);
    b_side = side_of(b);
    if (estimate_run(comparer->estimator, &a_side, &b_side, a->params.n, out->c, hints, &out->estimate, err))
        return -1;
    verdict_of_pair(a, b, out);
    return 0;
}

int compare_run(struct comparer *comparer, const struct record *a, const struct record *b,
                struct comparison *out, struct error *err)
{
    if (same_content(a, b)) {
        *out = (struct comparison){0};
        set_identical(comparer, a, out);
        return 0;
    }
    if (check_same_kind(a, b, err))
        return -1;
    if (a->params.scheme == SAMPLER_GF8)
        return compare_relate(comparer, a, b, NULL, out, err);
    *out = (struct comparison){.verdict = COMPARE_UNDECIDED, .c = larger_c(a, b)};
    if (a->len < a->params.n || b->len < b->params.n)
        out->verdict = COMPARE_TOO_SMALL;
    return 0;
}

static int make_signature(const struct record *record, uint32_t c, struct record *copy, struct buffer *out,
                          struct error *err)
{
    record = record_reduced(record, c, copy, err);
    if (!record)
        return -1;
    buffer_reset(out);
    record_signature(record, out);
    return out->failed ? error_set(err, "out of memory for a signature of %zu characters", record->count) : 0;
}

int compare_signatures(struct comparer *comparer, const struct record *a, const struct record *b,
                       int (*stop)(void *arg), void *arg, struct compare_papers *out, struct error *err)
{
    const struct buffer *x = &comparer->a_signature, *y = &comparer->b_signature;
    const uint32_t c = larger_c(a, b);
    int stopped;

    *out = (struct compare_papers){0};
    if (check_same_kind(a, b, err) || make_signature(a, c, &comparer->a, &comparer->a_signature, err) ||
        make_signature(b, c, &comparer->b, &comparer->b_signature, err))
        return -1;
    out->a_len = x->len;
    out->b_len = y->len;
    stopped = distance_bounded((const uint8_t *)x->data, x->len, (const uint8_t *)y->data, y->len,
                               UINT64_MAX - 1, stop, arg, &out->distance, err);
    if (stopped)
        return stopped;
    out->expected = coates_expected(out->a_len, out->b_len, comparer->signatures_factor);
    out->too_short = out->expected < COMPARE_PAPERS_LEAST;
    out->unrelated = (double)out->distance >= out->expected;
    out->edits_least = a->len > b->len ? a->len - b->len : b->len - a->len;
    out->edits_2011 = coates_2011_edits(out->distance, c);
    out->edits_2015 = coates_2015_edits(out->distance, c, comparer->contents_factor);
    out->significance =
        coates_significance(out->distance, out->a_len, out->b_len, comparer->signatures_factor);
    return 0;
}
