/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sample/sampler.h"
#include "sketch/sketch_inner.h"

static const struct sketch_operations *const schemes[SKETCH_SCHEMES] = {
    [SKETCH_SHINGLES] = &sketch_of_shingles,
    [SKETCH_MIN] = &sketch_of_min,
    [SKETCH_MOD] = &sketch_of_mod,
    [SKETCH_MINMOD] = &sketch_of_minmod,
    [SKETCH_NESTED] = &sketch_of_nested,
    [SKETCH_MINWISE] = &sketch_of_minwise,
    [SKETCH_HAMMING] = &sketch_of_hamming,
    [SKETCH_BSW] = &sketch_of_bsw,
    [SKETCH_CHUNKS] = &sketch_of_chunks,
    [SKETCH_COATES2011] = &sketch_of_coates2011,
    [SKETCH_COATES2015] = &sketch_of_coates2015,
    [SKETCH_GF8] = &sketch_of_gf8,
};

/* ---- schemes ---- */

struct sketch_params sketch_defaults(enum sketch_scheme scheme)
{
    return schemes[scheme]->defaults;
}

const char *sketch_scheme_name(enum sketch_scheme scheme)
{
    return schemes[scheme]->name;
}

int sketch_scheme_find(const char *name)
{
    for (int i = 0; i < SKETCH_SCHEMES; i++)
        if (strcmp(schemes[i]->name, name) == 0)
            return i;
    return -1;
}

unsigned sketch_uses(enum sketch_scheme scheme)
{
    return schemes[scheme]->uses;
}

bool sketch_has_containment(enum sketch_scheme scheme)
{
    return schemes[scheme]->has_containment;
}

/* ---- checks ---- */

static int check_range(const char *name, const char *what, uint64_t value, uint64_t least, uint64_t most,
                       struct error *err)
{
    if (value < least || value > most)
        return error_set(err, "scheme %s takes a %s from %llu to %llu, not %llu", name, what,
                         (unsigned long long)least, (unsigned long long)most, (unsigned long long)value);
    return 0;
}

/* A parameter that the scheme does not use must be 0. */
static int check_unused(const struct sketch_params *params, struct error *err)
{
    const unsigned uses = schemes[params->scheme]->uses;
    const bool has_tokens = (uses & SKETCH_USE_TOKENS) != 0;
    const struct {
        const char *what;
        bool is_set, may_be_set;
    } all[] = {
        {"tokens other than bytes as they are", !tokens_is_plain(&params->tokens), has_tokens},
        {"labels", params->labelled, has_tokens},
        {"bits", params->bits != 0, has_tokens},
        {"a seed", params->seed != 0, has_tokens},
        {"a rate", params->rate != 0, uses & SKETCH_USE_RATE},
        {"a size", params->size != 0, uses & SKETCH_USE_SIZE},
        {"a residue", params->residue != 0, uses & SKETCH_USE_RESIDUE},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_set && !all[i].may_be_set)
            return error_set(err, "scheme %s does not use %s", schemes[params->scheme]->name, all[i].what);
    return 0;
}

/* Numbers divisible by a rate that is close to the greatest number are no random selection. */
static int check_rate(const struct sketch_params *params, struct error *err)
{
    enum { MULTIPLES = 6 }; /* bits of their number */
    const uint64_t most = UINT64_C(1) << (params->bits - MULTIPLES);
    const char *name = schemes[params->scheme]->name;

    if (check_range(name, "rate", params->rate, 1, SKETCH_MAX_RATE, err))
        return -1;
    if (params->rate > most)
        return error_set(err, "scheme %s takes a rate of at most %llu with %u bits, not %u", name,
                         (unsigned long long)most, params->bits, params->rate);
    return 0;
}

int sketch_check(const struct sketch_params *params, struct error *err)
{
    const unsigned uses = (unsigned)params->scheme < SKETCH_SCHEMES ? schemes[params->scheme]->uses : 0;
    const char *name;

    if ((unsigned)params->scheme >= SKETCH_SCHEMES || (unsigned)params->tokens.unit >= TOKENS_UNITS)
        return error_set(err, "unknown scheme or unit of tokens");
    name = schemes[params->scheme]->name;
    if (check_unused(params, err))
        return -1;
    if (!(uses & SKETCH_USE_TOKENS))
        return sampler_check(&(struct sampler_params){(enum sampler_scheme)sampler_scheme_find(name),
                                                      params->window, params->rate, params->residue},
                             err);
    if (check_range(name, "window", params->window, 1, SHINGLES_MAX_WINDOW, err) ||
        check_range(name, "number of bits", params->bits, RABIN_MIN_BITS, RABIN_MAX_BITS, err) ||
        ((uses & SKETCH_USE_RATE) && check_rate(params, err)) ||
        ((uses & SKETCH_USE_SIZE) && check_range(name, "size", params->size, 1, SKETCH_MAX_SIZE, err)))
        return -1;
    return 0;
}

/* ---- making sketches ---- */

static int take_batch(void *arg, const struct shingles_batch *batch, struct error *err)
{
    struct sketcher *sketcher = arg;

    sketcher->count += batch->count;
    return sketcher->operations->add(sketcher, batch, err);
}

static int prepare(struct sketcher *sketcher, struct error *err)
{
    const struct sketch_params *params = &sketcher->params;
    const struct shingles_params wanted = {params->tokens, params->labelled, params->window, params->bits,
                                           params->seed};

    sketcher->digest = digest_new(DIGEST_BIT(DIGEST_SHA1), err);
    if (!sketcher->digest)
        return -1;
    if (sketcher->operations->add) {
        sketcher->shingles =
            shingles_new(&wanted, sketcher->operations->with_tokens, take_batch, sketcher, err);
        if (!sketcher->shingles)
            return -1;
    }
    return sketcher->operations->prepare ? sketcher->operations->prepare(sketcher, err) : 0;
}

struct sketcher *sketch_new(const struct sketch_params *params, struct error *err)
{
    struct sketcher *sketcher;

    if (sketch_check(params, err))
        return NULL;
    sketcher = memory_new(sizeof *sketcher, err);
    if (!sketcher)
        return NULL;
    sketcher->params = *params;
    sketcher->operations = schemes[params->scheme];
    if (prepare(sketcher, err)) {
        sketch_free(sketcher);
        return NULL;
    }
    return sketcher;
}

void sketch_free(struct sketcher *sketcher)
{
    if (!sketcher)
        return;
    shingles_free(sketcher->shingles);
    digest_free(sketcher->digest);
    free(sketcher->values.list);
    tally_release(&sketcher->tally);
    free(sketcher->permutations);
    free(sketcher->minima);
    free(sketcher->masks);
    free(sketcher->buffer);
    sampler_free(sketcher->sampler);
    compare_free(sketcher->comparer);
    free(sketcher);
}

int sketch_digests(struct sketcher *sketcher, unsigned kinds, struct error *err)
{
    struct digest *digest = digest_new(kinds, err);

    if (!digest)
        return -1;
    digest_free(sketcher->digest);
    sketcher->digest = digest;
    return 0;
}

static int begin(struct sketcher *sketcher, uint64_t len, bool with_digest, struct error *err)
{
    sketcher->len = sketcher->count = 0;
    sketcher->with_digest = with_digest;
    sketcher->operations->begin(sketcher, len);
    if (sketcher->shingles)
        shingles_begin(sketcher->shingles);
    return with_digest ? digest_begin(sketcher->digest, err) : 0;
}

int sketch_begin(struct sketcher *sketcher, uint64_t len, struct error *err)
{
    return begin(sketcher, len, true, err);
}

int sketch_update(struct sketcher *sketcher, const void *data, size_t len, struct error *err)
{
    enum { PASS = 32 << 10 }; /* hashed, then sketched: fits in the L1 cache */
    const uint8_t *p = data;

    sketcher->len += len;
    for (size_t pass; len > 0; p += pass, len -= pass) {
        pass = len < PASS ? len : PASS;
        if (sketcher->with_digest && digest_update(sketcher->digest, p, pass, err))
            return -1;
        if (sketcher->shingles ? shingles_update(sketcher->shingles, p, pass, err)
                               : sketcher->operations->update(sketcher, p, pass, err))
            return -1;
    }
    return 0;
}

static bool has_text(const struct sketch_params *params)
{
    return params->tokens.unit == TOKENS_LETTERS || tokens_is_words(params->tokens.unit);
}

int sketch_final(struct sketcher *sketcher, struct sketch *out, struct error *err)
{
    if (sketcher->shingles && shingles_final(sketcher->shingles, err))
        return -1;
    out->params = sketcher->params;
    out->len = sketcher->len;
    out->modulus = 0;
    out->strange = has_text(&sketcher->params) ? shingles_strange(sketcher->shingles) : 0;
    out->removed = sketcher->shingles ? shingles_removed(sketcher->shingles) : 0;
    if (sketcher->operations->final(sketcher, out, err))
        return -1;
    out->shingles = sketcher->count;
    if (out->shingles == 0)
        out->count = 0;
    out->digests = (struct digest_values){0};
    buffer_reset(&out->name);
    if (sketcher->with_digest && digest_final(sketcher->digest, &out->digests, err))
        return -1;
    out->record.digests = out->digests;
    record_set_name(&out->record, NULL, 0);
    return 0;
}

int sketch_bytes(struct sketcher *sketcher, const void *data, size_t len, bool with_digest,
                 struct sketch *out, struct error *err)
{
    return begin(sketcher, len, with_digest, err) || sketch_update(sketcher, data, len, err) ||
                   sketch_final(sketcher, out, err)
               ? -1
               : 0;
}

void sketch_set_name(struct sketch *sketch, const void *name, size_t len)
{
    buffer_reset(&sketch->name);
    buffer_add(&sketch->name, name, len);
    record_set_name(&sketch->record, name, len);
}

void sketch_release(struct sketch *sketch)
{
    free(sketch->values);
    record_release(&sketch->record);
    buffer_release(&sketch->name);
    *sketch = (struct sketch){0};
}

/* ---- comparing ---- */

/* The first parameter in which they differ, or NULL. */
static const char *difference(const struct sketch_params *a, const struct sketch_params *b)
{
    const struct tokens_rules *s = &a->tokens, *t = &b->tokens;

    return a->scheme != b->scheme ? "scheme"
           : s->unit != t->unit   ? "unit of tokens"
           : s->fold_case != t->fold_case || s->fold_space != t->fold_space ||
                   s->drop_punctuation != t->drop_punctuation || s->drop_markup != t->drop_markup
               ? "canonical form"
           : a->labelled != b->labelled                    ? "labelling of shingles"
           : a->window != b->window                        ? "window"
           : a->rate != b->rate && a->scheme != SKETCH_GF8 ? "rate"
           : a->size != b->size                            ? "size"
           : a->bits != b->bits                            ? "number of bits"
           : a->residue != b->residue                      ? "residue"
           : a->seed != b->seed                            ? "seed"
                                                           : NULL;
}

/* The number of distinct shingles, or a bound on it. */
static double distinct(const struct sketch *sketch)
{
    const struct sketch_params *params = &sketch->params;
    const bool is_complete = params->scheme == SKETCH_SHINGLES || params->scheme == SKETCH_CHUNKS ||
                             (params->scheme == SKETCH_MIN && sketch->count < params->size);

    return (double)(is_complete ? sketch->count : sketch->shingles);
}

/* At most one in 100 possible fingerprints may be in use. */
bool sketch_is_crowded(const struct sketch *sketch)
{
    return sketch_uses(sketch->params.scheme) & SKETCH_USE_TOKENS &&
           distinct(sketch) > ldexp(1, (int)sketch->params.bits) / 100;
}

static void widen(double *low, double *high, double error, double least)
{
    *low = fmax(*low - error, least);
    *high = fmin(*high + error, 1);
}

/* Broder 4.1: fingerprints collide.  A value of one document is among n random ones of the other by
 * coincidence with probability n / 2^bits at most. */
static void allow_for_collisions(const struct sketch *a, const struct sketch *b, struct sketch_likeness *out)
{
    const unsigned bits = a->params.bits;
    const double of_a = distinct(a), of_b = distinct(b), error = sketch_collision_error(of_a + of_b, bits);

    out->too_short = sketch_is_crowded(a) || sketch_is_crowded(b);
    out->is_exact = out->has_resemblance && out->basis == SKETCH_ALL && error < 1e-6;
    if (out->basis == SKETCH_PIECES || out->is_exact)
        return;
    if (out->has_resemblance)
        widen(&out->resemblance_low, &out->resemblance_high, error,
              a->params.scheme == SKETCH_HAMMING ? -1 : 0);
    if (out->has_containment) { /* the error is that of twice the colliding pairs, as a share of the union */
        widen(&out->a_in_b_low, &out->a_in_b_high, error / 2 * (of_a + of_b) / of_a, 0);
        widen(&out->b_in_a_low, &out->b_in_a_high, error / 2 * (of_a + of_b) / of_b, 0);
    }
}

int sketch_compare(struct sketcher *sketcher, const struct sketch *a, const struct sketch *b,
                   struct sketch_likeness *out, struct error *err)
{
    const char *differing = difference(&a->params, &b->params);

    if (!differing)
        differing = difference(&sketcher->params, &a->params);
    if (differing)
        return error_set(err, "the sketches differ in their %s, so they cannot be compared", differing);
    *out = (struct sketch_likeness){0};
    if (sketcher->shingles) {
        out->too_small = a->shingles == 0 || b->shingles == 0;
        if (out->too_small)
            return 0;
    }
    if (sketcher->operations->compare(sketcher, a, b, out, err))
        return -1;
    if (sketcher->shingles)
        allow_for_collisions(a, b, out);
    return 0;
}
