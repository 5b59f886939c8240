/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/sampler.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "sample/coates.h"
#include "sample/gf8.h"
#include "sample/sampler_fingerprint.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    BLOCK = 64,
    AUTO_SAMPLES = 48,
    /* Files below these sizes have a twentieth and an eighth of the bytes of a system, so sampling them four
     * times and twice as densely costs little: sets are 1.5 times as large, and 34 instead of 15 of 40 pieces
     * of 500 bytes that were pasted into other documents are found. */
    AUTO_MEDIUM = 24 << 10,
    AUTO_LARGE = 128 << 10,
    CROWDED_LIST = 1 << 24, /* at this many samples AUTO doubles c */
    HEAD = 4096,            /* count one byte in HEAD_STRIDE up to here, then one in STRIDE */
    HEAD_STRIDE = 31,
    STRIDE = 1021,
    COUNTED_MIN = 32, /* with fewer counted bytes, coincidence is unknown */
};

_Static_assert((int)COATES_MAX_N <= (int)GF8_HISTORY, "one history serves both kinds of scheme");

struct fire {
    uint64_t end;   /* one past the window */
    uint64_t first; /* the window's first eight bytes */
};

struct sampler {
    struct sampler_params params; /* c as the user gave it */
    uint32_t c;                   /* the current c */
    struct gf8 gf8;
    uint64_t seeds[SAMPLER_KEY_SEEDS]; /* of the fingerprints */
    struct coates coates;

    uint64_t len;
    uint8_t history[GF8_HISTORY]; /* the last bytes seen; zeros before the start */
    struct fire last, before;     /* gf8: the last window that fired, and the one before it */
    uint64_t last_skip;           /* gf8: one past the last position skipped as periodic, or 0 */

    struct sample *samples;
    size_t count;
    size_t room;

    uint32_t bytes[256]; /* occurrences of each value among the counted bytes */
    uint64_t next_counted;
    uint16_t ends[GF8_PIECE + 2]; /* of the windows that fire in a piece */
    uint16_t doubts[GF8_PIECE];   /* samples of the piece that may have to be dropped, and why */
};

/* ---- parameters ---- */

static const char *const scheme_names[SAMPLER_SCHEMES] = {"gf8", "coates2011", "coates2015"};

const char *sampler_scheme_name(enum sampler_scheme scheme)
{
    return scheme_names[scheme];
}

int sampler_scheme_find(const char *name)
{
    for (int i = 0; i < SAMPLER_SCHEMES; i++)
        if (strcmp(name, scheme_names[i]) == 0)
            return i;
    return -1;
}

struct sampler_params sampler_defaults(enum sampler_scheme scheme)
{
    switch (scheme) {
    case SAMPLER_COATES2011:
        return (struct sampler_params){scheme, 10, 100, 0};
    case SAMPLER_COATES2015:
        return (struct sampler_params){scheme, 9, 101, 0};
    default:
        return (struct sampler_params){scheme, SAMPLER_DEFAULT_N, SAMPLER_AUTO, 0};
    }
}

static int check_gf8(const struct sampler_params *params, struct error *err)
{
    if (params->n < GF8_MIN_N || params->n > GF8_MAX_N)
        return error_set(err, "n is %u: scheme gf8 takes %d to %d", params->n, GF8_MIN_N, GF8_MAX_N);
    if (params->c != SAMPLER_AUTO &&
        (params->c < SAMPLER_MIN_C || params->c > SAMPLER_MAX_C || (params->c & (params->c - 1)) != 0))
        return error_set(err, "C is %u: scheme gf8 takes a power of two from %d to %d", params->c,
                         SAMPLER_MIN_C, SAMPLER_MAX_C);
    if (params->k != 0)
        return error_set(err, "k is %u: scheme gf8 has no k", params->k);
    return 0;
}

int sampler_check(const struct sampler_params *params, struct error *err)
{
    if (params->scheme == SAMPLER_GF8)
        return check_gf8(params, err);
    if (params->n < 1 || params->n > COATES_MAX_N)
        return error_set(err, "n is %u: scheme %s takes 1 to %d", params->n, scheme_names[params->scheme],
                         COATES_MAX_N);
    if (params->c < 2 || params->c > SAMPLER_MAX_C)
        return error_set(err, "C is %u: scheme %s takes 2 to %d", params->c, scheme_names[params->scheme],
                         SAMPLER_MAX_C);
    if (params->k >= params->c)
        return error_set(err, "k is %u: must be less than C (%u)", params->k, params->c);
    if (params->scheme == SAMPLER_COATES2015 && params->c % COATES_2015_SYMBOLS == 0)
        return error_set(err, "C is %u: with a multiple of %d every character of the signature is the same",
                         params->c, COATES_2015_SYMBOLS);
    return 0;
}

uint32_t sampler_auto_c(uint64_t len)
{
    uint32_t c = SAMPLER_MIN_C;

    if (len >= AUTO_MEDIUM)
        return len < AUTO_LARGE ? SAMPLER_DEFAULT_C / 2 : SAMPLER_DEFAULT_C;
    while (c < SAMPLER_DEFAULT_C / 4 && len / (2 * c) >= AUTO_SAMPLES)
        c *= 2;
    return c;
}

char sampler_symbol(const struct sampler_params *params, uint64_t fp)
{
    static const char gf8_symbols[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    switch (params->scheme) {
    case SAMPLER_COATES2011:
        return coates_2011_symbol(fp, params->c);
    case SAMPLER_COATES2015:
        return coates_2015_symbol(fp);
    default:
        return gf8_symbols[fp % 64];
    }
}

unsigned sampler_fp_bits(const struct sampler_params *params)
{
    switch (params->scheme) {
    case SAMPLER_COATES2011:
        return COATES_2011_BITS;
    case SAMPLER_COATES2015:
        return 64;
    default:
        return 64 - (unsigned)__builtin_ctz(params->c);
    }
}

/* ---- gf8: from firing positions to samples ---- */

static bool has_period(const uint8_t *p, uint32_t n, uint32_t period)
{
    return memcmp(p, p + period, n - period) == 0;
}

/* A mask of the positions in p[0..32) that hold this byte. */
static uint32_t places_of(const uint8_t *p, uint8_t byte)
{
    uint32_t places = 0;

#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi8((char)byte);

    for (unsigned i = 0; i < 32; i += 16)
        places |=
            (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(p + i)), wanted))
            << i;
#else
    for (unsigned i = 0; i < 32; i++)
        places |= (uint32_t)(p[i] == byte) << i;
#endif
    return places;
}

static bool has_four_different(const uint8_t *window, uint32_t n)
{
    const uint8_t *p = window + n - 32; /* bytes before the window are history, and masked out */
    uint32_t left = UINT32_MAX << (32 - n);

    for (int different = 0; different < 3 && left; different++)
        left &= ~places_of(p, p[__builtin_ctz(left)]);
    return left != 0;
}

static bool is_dull(const uint8_t *p, uint32_t n)
{
    return !has_four_different(p, n) || has_period(p, n, 4) ||
           (n >= 16 && (has_period(p, n, 6) || has_period(p, n, 8)));
}

/* A quick test that most windows pass: their first bytes have four distinct values and none of the periods.
 */
static inline bool looks_rich(const uint8_t *p, uint32_t n)
{
    const uint32_t low = 0x01010101, high = 0x80808080;
    const uint64_t first = bytes_load64(p);
    const uint32_t x = (uint32_t)first, by1 = x ^ (x << 8 | x >> 24), by2 = x ^ (x << 16 | x >> 16);
    const bool equal_bytes =
        ((((by1 - low) & ~by1) | ((by2 - low) & ~by2)) & high) != 0; /* a zero byte in by1, by2 */
    const bool period_4 = x == (uint32_t)(first >> 32);

    if (n < 16)
        return !(equal_bytes | period_4);
    return !(equal_bytes | period_4 | ((uint16_t)x == (uint16_t)(first >> 48)) |
             (first == bytes_load64(p + 8)));
}

/* Why a sample of a piece may have to be dropped; the other bits are its number. */
enum {
    MAYBE_REPEATED = 1,
    MAYBE_DULL = 2,
    DOUBT_BITS = 2,
};

/* Drops uninformative windows from the piece's samples, which start at `first`. */
static void settle_doubts(struct sampler *s, const uint8_t *p, size_t first, size_t doubts)
{
    const uint64_t dropped = UINT64_MAX;
    size_t kept = first, drops = 0;

    for (size_t i = 0; i < doubts; i++) {
        const unsigned doubt = s->doubts[i];
        struct sample *sample = &s->samples[first + (doubt >> DOUBT_BITS)];
        const uint8_t *window = p + (int64_t)(sample->pos - s->len);

        if (((doubt & MAYBE_REPEATED) && gf8_repeats(&s->gf8, window)) ||
            ((doubt & MAYBE_DULL) && is_dull(window, s->params.n))) {
            sample->pos = dropped;
            drops++;
        }
    }
    if (drops == 0)
        return;
    for (size_t i = first; i < s->count; i++)
        if (s->samples[i].pos != dropped)
            s->samples[kept++] = s->samples[i];
    s->count = kept;
}

/*
 * Turns the firing positions of p[0..len) into samples; returns the number of doubtful ones.  Nothing
 * branches on the content: mispredictions would cost more than everything else.
 *
 * A repeated window fired before, too.  So it can only repeat the last one that fired, which then starts with
 * the same bytes; an earlier one, if the one before the last is near as well; or one that was skipped.
 */
static inline __attribute__((always_inline)) size_t take_fires(struct sampler *s, const uint8_t *p,
                                                               size_t fires, uint32_t n, bool usual)
{
    const uint64_t len = s->len,
                   limit = UINT64_MAX / s->c; /* c is a power of two: fp <= limit is fp < 2^64 / c */
    const uint64_t seeds[SAMPLER_KEY_SEEDS] = {s->seeds[0], s->seeds[1], s->seeds[2], s->seeds[3]};
    const bool skipped = len <= s->last_skip + GF8_REACH;
    struct fire last = s->last, before = s->before;
    struct sample *out = s->samples + s->count;
    size_t doubts = 0, count = 0;

    for (size_t i = 0; i < fires; i++) {
        const size_t at = s->ends[i];
        const uint8_t *window = p + at + 1 - n;
        const struct fire fire = {len + at + 1, bytes_load64(window)};
        const bool near = (fire.end - last.end <= GF8_REACH) & (fire.first == last.first);
        const bool repeated = near | (fire.end - before.end <= GF8_REACH) | skipped;
        uint64_t fp = sampler_fingerprint(window, n, seeds) >> 7;
        unsigned doubt = (repeated ? MAYBE_REPEATED : 0) | (looks_rich(window, n) ? 0 : MAYBE_DULL);
        bool selected = true;

        if (!usual) { /* not at c = 128 away from the start, where everything that fires is selected */
            if (s->c < GF8_MAX_C)
                fp |= (uint64_t)(s->gf8.hash[at] >> 1) << 57;
            selected = (fp <= limit) & (fire.end >= n);
        }
        out[count] = (struct sample){fire.end - n, fp};
        s->doubts[doubts] = (uint16_t)(count << DOUBT_BITS | doubt);
        doubts += selected & (doubt != 0);
        count += selected;
        before = last;
        last = fire;
    }
    s->last = last;
    s->before = before;
    s->count += count;
    return doubts;
}

/* Scans p[0..len), at offset s->len of the content, and appends the samples; room is reserved. */
static void sample_gf8(struct sampler *s, const uint8_t *p, size_t len)
{
    const size_t first = s->count;
    const size_t fires = gf8_scan(&s->gf8, p, len, s->ends);
    size_t doubts;

    if (s->gf8.skipped_end)
        s->last_skip = s->len + s->gf8.skipped_end;
    if (s->params.n == SAMPLER_DEFAULT_N && s->c == SAMPLER_DEFAULT_C && s->len >= SAMPLER_DEFAULT_N)
        doubts = take_fires(s, p, fires, SAMPLER_DEFAULT_N, true);
    else
        doubts = take_fires(s, p, fires, s->params.n, false);
    settle_doubts(s, p, first, doubts);
}

/* ---- streaming ---- */

static int make_room(struct sampler *s, size_t more, struct error *err)
{
    if (s->count + more <= s->room)
        return 0;
    if (s->count + more > SAMPLER_MAX_SAMPLES)
        return error_set(err, "more than %d samples at C = %u; choose a larger C", SAMPLER_MAX_SAMPLES, s->c);
    return array_reserve(&s->samples, &s->room, s->count + more)
               ? error_set(err, "out of memory for %zu samples", s->count + more)
               : 0;
}

static void count_bytes(struct sampler *s, const uint8_t *p, size_t len)
{
    uint64_t next = s->next_counted;

    for (; next < s->len + len; next += next < HEAD ? HEAD_STRIDE : STRIDE)
        s->bytes[p[next - s->len]]++;
    s->next_counted = next;
}

size_t sampler_thin(struct sample *samples, size_t count, uint32_t c)
{
    const uint64_t limit = UINT64_MAX / c;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (samples[i].fp <= limit)
            samples[kept++] = samples[i];
    return kept;
}

static void set_c(struct sampler *s, uint32_t c)
{
    s->c = c;
    s->gf8.c = c < GF8_MAX_C ? c : GF8_MAX_C;
    s->count = sampler_thin(s->samples, s->count, c);
}

/* Samples p[0..len), with GF8_HISTORY readable bytes before it and up to a multiple of 64 after it. */
static int sample_piece(struct sampler *s, const uint8_t *p, size_t len, struct error *err)
{
    if (make_room(s, len, err))
        return -1;
    if (s->params.scheme == SAMPLER_GF8)
        sample_gf8(s, p, len);
    else
        s->count += coates_scan(&s->coates, p, len, s->len, s->samples + s->count);
    count_bytes(s, p, len);
    s->len += len;
    if (s->params.c == SAMPLER_AUTO) {
        if (sampler_auto_c(s->len) > s->c)
            set_c(s, sampler_auto_c(s->len));
        while (s->count > CROWDED_LIST && s->c < SAMPLER_MAX_C)
            set_c(s, s->c * 2);
    }
    return 0;
}

/* Samples the first bytes of an update, whose windows reach back into the history: joins both in a buffer. */
static int sample_edge(struct sampler *s, const uint8_t *p, size_t len, struct error *err)
{
    uint8_t joined[GF8_HISTORY + BLOCK] = {0};

    memcpy(joined, s->history, GF8_HISTORY);
    memcpy(joined + GF8_HISTORY, p, len);
    if (sample_piece(s, joined + GF8_HISTORY, len, err))
        return -1;
    memcpy(s->history, joined + len, GF8_HISTORY);
    return 0;
}

int sampler_update(struct sampler *s, const void *data, size_t len, struct error *err)
{
    const uint8_t *p = data, *stop;
    size_t piece = len < BLOCK ? len : BLOCK;

    if (len == 0)
        return 0;
    stop = p + len;
    if (sample_edge(s, p, piece, err))
        return -1;
    for (p += piece; stop - p >= BLOCK; p += piece) {
        piece = (size_t)(stop - p) < GF8_PIECE ? (size_t)(stop - p) / BLOCK * BLOCK : GF8_PIECE;
        if (sample_piece(s, p, piece, err))
            return -1;
    }
    if (len > BLOCK)
        memcpy(s->history, p - GF8_HISTORY, GF8_HISTORY);
    return p < stop ? sample_edge(s, p, (size_t)(stop - p), err) : 0;
}

/* Windows of zeros are never selected, so only the edges of the hole matter. */
int sampler_skip(struct sampler *s, uint64_t zeros, struct error *err)
{
    static const uint8_t edge[GF8_PIECE];
    const uint64_t inside = zeros > 2 * sizeof edge ? zeros - 2 * sizeof edge : 0;
    const uint64_t edges = zeros - inside;

    if (sampler_update(s, edge, (size_t)(edges / 2), err))
        return -1;
    s->len += inside;
    s->next_counted += inside;
    return sampler_update(s, edge, (size_t)(edges - edges / 2), err);
}

static uint32_t coincidence(const uint32_t bytes[256])
{
    double pairs = 0, total = 0;

    for (int i = 0; i < 256; i++) {
        pairs += (double)bytes[i] * ((double)bytes[i] - 1);
        total += bytes[i];
    }
    return total < COUNTED_MIN ? 0
                               : (uint32_t)(pairs / (total * (total - 1)) * SAMPLER_COINCIDENCE_ONE + 0.5);
}

size_t sampler_take(struct sampler *s, const struct sample **samples)
{
    const size_t count = s->count;

    *samples = s->samples;
    s->count = 0;
    return count;
}

struct sampler_result sampler_final(struct sampler *s)
{
    return (struct sampler_result){s->samples, s->count, s->c, coincidence(s->bytes)};
}

void sampler_begin(struct sampler *s, uint64_t len)
{
    uint32_t c = s->params.c;

    if (c == SAMPLER_AUTO)
        c = len == SAMPLER_UNKNOWN ? SAMPLER_MIN_C : sampler_auto_c(len);
    s->len = s->last_skip = s->next_counted = 0;
    s->last = s->before = (struct fire){0};
    s->count = 0;
    set_c(s, c);
    memset(s->history, 0, sizeof s->history);
    memset(s->bytes, 0, sizeof s->bytes);
}

struct sampler *sampler_new(const struct sampler_params *params, struct error *err)
{
    return sampler_new_keyed(params, NULL, err);
}

struct sampler *sampler_new_keyed(const struct sampler_params *params, const struct sampler_key *key,
                                  struct error *err)
{
    static const uint64_t usual_seeds[SAMPLER_KEY_SEEDS] = {SAMPLER_FINGERPRINT_SEEDS};
    struct sampler *s;

    if (sampler_check(params, err))
        return NULL;
    if (key && params->scheme != SAMPLER_GF8) {
        error_set(err, "scheme %s takes no key", scheme_names[params->scheme]);
        return NULL;
    }
    s = memory_new(sizeof *s, err);
    if (!s)
        return NULL;
    s->params = *params;
    memcpy(s->seeds, key ? key->seeds : usual_seeds, sizeof s->seeds);
    if (params->scheme == SAMPLER_GF8)
        gf8_init(&s->gf8, params->n, GF8_MAX_C, key ? &key->selector : NULL);
    else
        coates_init(&s->coates, params->scheme == SAMPLER_COATES2011 ? 2011 : 2015, params->n, params->c,
                    params->k);
    sampler_begin(s, SAMPLER_UNKNOWN);
    return s;
}

void sampler_free(struct sampler *s)
{
    if (!s)
        return;
    free(s->samples);
    explicit_bzero(s, sizeof *s); /* it holds what a key was made into */
    free(s);
}
