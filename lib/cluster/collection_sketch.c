/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "cluster/collection_inner.h"
#include "cluster/unrelated.h"

/* Characters of a signature that make a key, which few unrelated signatures share. */
static size_t key_characters(enum sketch_scheme scheme)
{
    return scheme == SKETCH_COATES2011 ? 16 : 4;
}

static bool is_signature(enum sketch_scheme scheme)
{
    return scheme == SKETCH_COATES2011 || scheme == SKETCH_COATES2015;
}

/* Sketches of a fixed size, of which some may stand for more than others: the share of common values is only
 * a bound. */
static bool is_fixed(enum sketch_scheme scheme)
{
    return scheme == SKETCH_MIN || scheme == SKETCH_MINMOD || scheme == SKETCH_MINWISE;
}

/* ---- adding ---- */

static int make_keys(struct collection_content *content, size_t count, struct error *err)
{
    if (count && array_resize(&content->keys, count))
        return error_set(err, "out of memory for %zu values of a sketch", count);
    content->key_count = count;
    return 0;
}

/* Minima are only compared with those under the same permutation. */
static int key_minima(struct collection_content *content, struct error *err)
{
    const struct sketch *sketch = content->sketch;

    if (make_keys(content, sketch->count, err))
        return -1;
    for (size_t i = 0; i < sketch->count; i++)
        content->keys[i] = sketch->values[i] ^ (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return 0;
}

static int key_signature(struct collection_content *content, struct error *err)
{
    const size_t characters = key_characters(content->sketch->params.scheme);
    struct buffer signature = {0};
    int result;

    record_signature(&content->sketch->record, &signature);
    result = signature.failed
                 ? error_set(err, "out of memory for a signature")
                 : make_keys(content, signature.len < characters ? 0 : signature.len - characters + 1, err);
    for (size_t i = 0; i < content->key_count && !result; i++) {
        uint64_t key = 0;

        for (size_t k = 0; k < characters; k++) /* 89 characters: 7 bits; or 0 and 1 */
            key = characters == 16 ? key << 1 | (signature.data[i + k] & 1)
                                   : key << 8 | (uint8_t)signature.data[i + k];
        content->keys[i] = key;
    }
    buffer_release(&signature);
    return result;
}

static int fill(struct collection_content *content, struct sketch *sketch, struct error *err)
{
    content->sketch = memory_new(sizeof *content->sketch, err);
    if (!content->sketch)
        return -1;
    *content->sketch = *sketch;
    *sketch = (struct sketch){0};
    content->c = content->sketch->modulus;
    if (content->sketch->params.scheme == SKETCH_MINWISE)
        return key_minima(content, err);
    return is_signature(content->sketch->params.scheme) ? key_signature(content, err) : 0;
}

int collection_add_sketch(struct collection *collection, struct sketch *sketch, const char *name,
                          struct collection_origin origin, struct error *err)
{
    struct collection_document document = {.size = sketch->len, .origin = origin};
    struct collection_content *fresh;

    if (sketch->params.scheme == SKETCH_GF8 || !(sketch->digests.kinds & DIGEST_BIT(DIGEST_SHA1)))
        return error_set(err, "this sketch cannot be clustered: it is of scheme gf8, or lacks a SHA-1");
    memcpy(document.sha1, sketch->digests.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    if (collection_enter(collection, &document, name, &fresh, err))
        return -1;
    return fresh ? fill(fresh, sketch, err) : 0;
}

struct postings_list collection_sketch_list(const struct collection_content *content)
{
    const struct sketch *sketch = content->sketch;

    if (content->keys)
        return (struct postings_list){content->keys, content->key_count, sizeof *content->keys};
    if (sketch->params.scheme == SKETCH_HAMMING || is_signature(sketch->params.scheme))
        return (struct postings_list){.stride = sizeof *sketch->values};
    return (struct postings_list){sketch->values, sketch->count, sizeof *sketch->values};
}

/* ---- judging ---- */

int collection_check_limits(enum sketch_scheme scheme, const struct likeness_limits *limits,
                            struct error *err)
{
    const char *name = sketch_scheme_name(scheme);

    if (limits->resemblance > 0 && is_signature(scheme))
        return error_set(err, "scheme %s does not estimate resemblance, only edits", name);
    if (limits->containment > 0 && !sketch_has_containment(scheme))
        return error_set(err, "scheme %s does not estimate containment", name);
    if (limits->certain && (is_signature(scheme) || scheme == SKETCH_CHUNKS || scheme == SKETCH_BSW))
        return error_set(err, "scheme %s gives no interval, which --certain needs", name);
    if (limits->has_edits && !is_signature(scheme) && scheme != SKETCH_GF8)
        return error_set(err, "scheme %s does not estimate edits", name);
    return 0;
}

struct state {
    const struct collection_judge *judge;
    struct sketcher *sketcher;
    struct buffer signatures[2];
};

static void *judge_open(const void *arg, struct error *err)
{
    const struct collection_judge *judge = arg;
    struct state *state = memory_new(sizeof *state, err);

    if (!state)
        return NULL;
    state->judge = judge;
    state->sketcher = sketch_new(&judge->collection->contents[0].sketch->params, err);
    if (state->sketcher)
        return state;
    free(state);
    return NULL;
}

static void judge_close(void *arg)
{
    struct state *state = arg;

    sketch_free(state->sketcher);
    buffer_release(&state->signatures[0]);
    buffer_release(&state->signatures[1]);
    free(state);
}

/* The larger modulus leaves fewer values, as a larger C leaves fewer samples. */
static bool judge_may(const void *arg, uint32_t a, uint32_t b, uint32_t shared)
{
    const struct collection_judge *judge = ((const struct state *)arg)->judge;
    const struct postings *p = judge->postings;
    const struct collection_content *x = &judge->collection->contents[a],
                                    *y = &judge->collection->contents[b];
    const enum sketch_scheme scheme = x->sketch->params.scheme;
    uint32_t rarer = a, denser = b, hidden;

    if (!p || is_signature(scheme))
        return true;
    hidden = p->widespread[a] < p->widespread[b] ? p->widespread[a] : p->widespread[b];
    if (is_fixed(scheme) ? p->distinct[b] > p->distinct[a] : y->c > x->c) {
        rarer = b;
        denser = a;
    }
    return likeness_may_meet(&judge->limits, shared, hidden, p->distinct[rarer], p->distinct[denser],
                             !is_fixed(scheme) && x->c == y->c);
}

/* Whether signatures are closer than those of unrelated documents; others are not concerned.  -1 on error. */
static int is_evidence(struct state *state, const struct sketch *x, const struct sketch *y, struct error *err)
{
    const struct buffer *a = &state->signatures[0], *b = &state->signatures[1];
    const double contents = (double)state->judge->collection->content_count;
    double distance, most;

    if (!is_signature(x->params.scheme))
        return 1;
    buffer_reset(&state->signatures[0]);
    buffer_reset(&state->signatures[1]);
    record_signature(&x->record, &state->signatures[0]);
    record_signature(&y->record, &state->signatures[1]);
    if (a->failed || b->failed)
        return error_set(err, "out of memory for a signature");
    if (a->len == 0 || b->len == 0)
        return 0;
    if (unrelated_most((const uint8_t *)a->data, a->len, (const uint8_t *)b->data, b->len,
                       contents * (contents - 1) / 2, &distance, &most, err))
        return -1;
    return distance <= most;
}

static int judge_compare(void *arg, uint32_t a, uint32_t b, struct likeness *out, struct error *err)
{
    struct state *state = arg;
    const struct sketch *x = state->judge->collection->contents[a].sketch,
                        *y = state->judge->collection->contents[b].sketch;
    struct sketch_likeness l;

    *out = (struct likeness){0};
    if (sketch_compare(state->sketcher, x, y, &l, err))
        return -1;
    if (l.too_small)
        return 0;
    if (l.too_short)
        return error_set(err, "fingerprints of %u bits are too short for these documents; use more (--bits)",
                         x->params.bits);
    *out = (struct likeness){.has_resemblance = l.has_resemblance,
                             .has_containment = l.has_containment,
                             .has_edits = l.has_edits,
                             .has_interval = l.has_edits_interval,
                             .resemblance = l.resemblance,
                             .a_in_b = l.a_in_b,
                             .b_in_a = l.b_in_a,
                             .edits = l.edits,
                             .edits_low = l.edits_low,
                             .edits_high = l.edits_high,
                             .has_share_intervals = l.has_resemblance && l.basis != SKETCH_PIECES,
                             .resemblance_low = l.resemblance_low,
                             .resemblance_high = l.resemblance_high,
                             .a_in_b_low = l.a_in_b_low,
                             .a_in_b_high = l.a_in_b_high,
                             .b_in_a_low = l.b_in_a_low,
                             .b_in_a_high = l.b_in_a_high,
                             .common = l.common,
                             .compared = l.compared};
    return likeness_meets(&state->judge->limits, out, x->len, y->len) ? is_evidence(state, x, y, err) : 0;
}

struct likeness_judge collection_sketch_judge(const struct collection_judge *judge)
{
    return (struct likeness_judge){judge_open, judge_close, judge_may, judge_compare, judge};
}
