/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "compare/estimate_inner.h"

/*
 * The anchors of the chain cut both contents into gaps.  Edits in a gap show in two ways:
 *
 *   - Its two sides differ in length: that many bytes were inserted or deleted.
 *   - It contains unmatched samples.  Edits spread over the content lose a sample here and there, because a
 *     changed byte destroys the n windows that cover it.  Replaced blocks lose many samples in a row.
 *
 * Gaps with fewer than k lost samples together give the rate q of spread edits, where k is so large that this
 * rate would hardly produce a gap of k by chance.  The other gaps are blocks: their distance is that of
 * unrelated content over the part that must have been replaced.  If a single rate explains all gaps, there
 * are no blocks.
 *
 * The interval adds up what the samples leave undetermined, with the worst hypothesis for each part.  Its
 * constants were tuned on edited texts and on pairs of versions (HACKING.md: "The interval").
 */
/*
 * The effect of other values ("halved", "doubled") was measured with tests/bench/bench_estimate at C = 128 on
 * 34 texts (headers, sources, manuals, documents) with 22 kinds of edit.  With the present values the mean
 * error is .0259 of the length, and the interval contains the distance in 99.3 % of cases, at a mean width of
 * .237.
 */
enum {
    /* Safety limits: both loops end when nothing changes any more. */
    MAX_ROUNDS = 12,
    MAX_PASSES = 8,
};

/* Probability that spread edits produce a gap that is taken for a block.  Halved: error .0264; doubled:
 * .0253, but on pairs of versions .0129 instead of .0124. */
static const double chance_of_k = 0.02;
/* Edits needed to undo random edits, per byte hit.  0.9: error .0260; 1: .0259. */
static const double hit_share = 0.97;
/* Above this rate, edited content is indistinguishable from unrelated content.  0.9: no difference; 0.25: the
 * estimate of one of 218 files compared differs, and is closer to the truth. */
static const double spread_limit = 0.45;
/* Gain in log likelihood required to assume blocks.  Halved: error .0284; doubled: .0252. */
static const double block_penalty = 3;
/* Coincidence of typical texts, for records without one; so halving or doubling it makes no difference. */
static const double usual_coincidence = 0.066;

/*
 * The interval was tuned on 70 texts, edited in 22 ways, at C = 128 and 32, and on half of the pairs of
 * versions.  "Coverage" and "width" are those at C = 128, with the values in use .970 and .139.
 */
/* Lower end of the interval: spread edits may come in clusters that lose several samples at once.  0.8:
 * coverage .966, but .96 instead of 1 where .2 or 1 % of the bytes changed.  1: .949. */
static const double low_spread = 0.5;
/* Lower end: blocks may be tables in which little has changed.  Halved or doubled: the width changes by .002.
 */
static const double low_block = 0.1;
/* Upper end: replaced bytes that a lost sample may represent, if few are lost.  Halved: .941; doubled: .974,
 * width .152. */
static const double phrase = 12;
/* Upper end: unrelated content may be farther apart than expected.  With high_rate = 1: .942, and .57 of
 * unrelated content instead of .87; 1.12: .975, width .144.  With high_rate_more = 0: .955; doubled: .975. */
static const double high_rate = 1.065, high_rate_more = 0.03;
/* Lower end if nothing matches: contents may be much closer than unrelated ones.  0.9: no difference. */
static const double low_unrelated = 0.5;
/* Standard deviations for 95 %.  1: .888; 4: .984, width .193. */
static const double deviations = 2;

/* Totals over all gaps. */
struct tally {
    uint32_t k;            /* number of lost samples that makes a gap a block */
    double kept, lost;     /* anchors and lost samples outside blocks */
    double lost_in_blocks; /* samples lost in blocks, beyond k in each */
    double spots;          /* gaps outside blocks with sides of equal length and lost samples */
    double q;              /* rate of spread edits */
    double shifted;        /* bytes inserted or deleted */
    double spread;         /* bytes over which edits are spread */
    double blocks, block_bytes, block_edits;
    double still_edits; /* block_edits of blocks with sides of equal length, which may be edited in place */
};

struct estimator *estimate_new(struct error *err)
{
    return memory_new(sizeof(struct estimator), err);
}

void estimate_free(struct estimator *estimator)
{
    if (!estimator)
        return;
    chain_release(&estimator->chain);
    free(estimator->gaps);
    free(estimator->ranges.list);
    free(estimator->solid.list);
    free(estimator);
}

static double clamp(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

double estimate_unrelated(uint32_t a_coincidence, uint32_t b_coincidence)
{
    uint32_t smaller = a_coincidence < b_coincidence ? a_coincidence : b_coincidence;
    double p = smaller ? (double)smaller / SAMPLER_COINCIDENCE_ONE : usual_coincidence;

    return 1 - 3.4 * p / (1 + 3 * p);
}

/* ---- the chain ---- */

/*
 * Drops runs of anchors on one diagonal if getting there and away again costs more inserted and deleted bytes
 * than the run saves: chance matches, and content that moved.  Returns the number of anchors dropped.
 */
static size_t drop_detours(struct chain *chain, const struct pair *pair)
{
    const struct sample *samples = pair->a->samples;
    size_t kept = 0, dropped;
    int64_t before = 0;

    for (size_t i = 0, end; i < chain->count; i = end) {
        const int64_t here = estimate_diagonal(pair, &chain->anchors[i]);
        int64_t after = (int64_t)(pair->a->len - pair->b->len);
        double detour, saved;

        for (end = i + 1; end < chain->count && estimate_diagonal(pair, &chain->anchors[end]) == here;)
            end++;
        if (end < chain->count)
            after = estimate_diagonal(pair, &chain->anchors[end]);
        detour = estimate_apart(here, before) + estimate_apart(after, here) - estimate_apart(after, before);
        saved = (double)(samples[chain->anchors[end - 1].a].pos - samples[chain->anchors[i].a].pos + pair->c);
        if (detour > pair->unrelated * saved)
            continue;
        before = here;
        for (size_t j = i; j < end; j++)
            chain->anchors[kept++] = chain->anchors[j];
    }
    dropped = chain->count - kept;
    chain->count = kept;
    return dropped;
}

/* ---- gaps ---- */

static double count_lost(const struct chain *chain, const struct gap *gap)
{
    uint32_t a_lost = 0, b_lost = 0;

    for (uint32_t i = gap->a_first; i < gap->a_first + gap->a_count; i++)
        a_lost += !chain_common_a(chain, i);
    for (uint32_t i = gap->b_first; i < gap->b_first + gap->b_count; i++)
        b_lost += !chain_common_b(chain, i);
    if (gap->a_len == gap->b_len)
        return (a_lost + b_lost) / 2.0;
    if (gap->b_len < gap->a_len)
        a_lost = b_lost;
    return a_lost > 0 ? a_lost - 1 : 0; /* the insertion itself loses one sample */
}

static int find_gaps(struct estimator *e, const struct pair *pair, struct error *err)
{
    const struct chain *chain = &e->chain;
    const struct estimate_side *a = pair->a, *b = pair->b;
    struct gap gap = {0};

    if (array_reserve(&e->gaps, &e->gap_room, chain->count + 1))
        return error_set(err, "out of memory for %zu anchors", chain->count);
    for (size_t i = 0; i <= chain->count; i++) {
        const struct anchor end =
            i < chain->count ? chain->anchors[i] : (struct anchor){(uint32_t)a->count, (uint32_t)b->count};
        const uint64_t a_end = i < chain->count ? a->samples[end.a].pos : a->len;
        const uint64_t b_end = i < chain->count ? b->samples[end.b].pos : b->len;

        gap.a_len = a_end - gap.a;
        gap.b_len = b_end - gap.b;
        gap.a_count = end.a - gap.a_first;
        gap.b_count = end.b - gap.b_first;
        gap.lost = count_lost(chain, &gap);
        e->gaps[i] = gap;
        gap = (struct gap){.a = a_end, .b = b_end, .a_first = end.a + 1, .b_first = end.b + 1};
    }
    return 0;
}

/* ---- spread edits or blocks ---- */

static double survival(const struct tally *r)
{
    return r->kept < 1 ? 0 : (r->kept + 0.5) / (r->kept + r->lost + 0.5);
}

static uint32_t next_k(double survival, size_t gaps)
{
    double loss = 1 - survival, k;

    if (loss < 1e-6)
        return ESTIMATE_LEAST_K;
    if (loss > 0.995)
        return UINT32_MAX;
    k = ceil(log(chance_of_k / (double)gaps) / log(loss));
    return k < ESTIMATE_LEAST_K ? ESTIMATE_LEAST_K : k > 1e9 ? UINT32_MAX : (uint32_t)k;
}

static struct tally count_with_k(const struct estimator *e, uint32_t k)
{
    struct tally r = {.k = k};

    for (size_t i = 0; i <= e->chain.count; i++) {
        const double lost = e->gaps[i].lost;

        if (lost < k) {
            r.lost += lost;
            r.kept += i < e->chain.count;
        } else {
            r.blocks++;
            r.lost_in_blocks += lost - k;
        }
    }
    return r;
}

/* The log likelihood of `count` geometric variables with this sum, at the best-fitting rate. */
static double geometric(double count, double sum)
{
    double s = (count + 0.5) / (count + sum + 1);

    return count * log(s) + sum * log1p(-s);
}

static double likelihood(const struct tally *r, double gaps)
{
    double spread = gaps - r->blocks;

    if (r->blocks == 0)
        return geometric(gaps, r->lost);
    return geometric(spread, r->lost) + geometric(r->blocks, r->lost_in_blocks) +
           r->blocks * log(r->blocks / gaps) + (spread > 0 ? spread * log(spread / gaps) : 0) - block_penalty;
}

static struct tally choose_k(const struct estimator *e)
{
    const size_t gaps = e->chain.count + 1;
    struct tally all = count_with_k(e, UINT32_MAX), r = count_with_k(e, ESTIMATE_LEAST_K);

    for (int round = 0; round < MAX_ROUNDS; round++) {
        uint32_t k = next_k(survival(&r), gaps);

        if (k == r.k)
            break;
        r = count_with_k(e, k);
    }
    return likelihood(&all, (double)gaps) >= likelihood(&r, (double)gaps) ? all : r;
}

/* Adds a block: roughly the bytes between the first and the last lost sample, and the edits in them. */
static void add_block(struct tally *r, const struct gap *gap, const struct pair *pair)
{
    const double g = (double)estimate_shorter(gap);
    /* The longer the other side, the more of the shorter one aligns with it by chance. */
    const double rho = g > 0 ? g / (g + (double)estimate_shift(gap)) : 0;
    const double replaced = clamp(g * gap->lost / (gap->lost + 1) - (pair->n - 1.0), 0, g);
    const double edits = pair->unrelated * 1.6 * rho / (1 + 0.6 * rho) * replaced;

    r->block_bytes += replaced;
    r->block_edits += edits;
    r->still_edits += estimate_shift(gap) == 0 ? edits : 0;
    r->spread += g - replaced;
}

static struct tally read_gaps(const struct estimator *e, const struct pair *pair)
{
    struct tally r = choose_k(e);
    double s = survival(&r);

    for (size_t i = 0; i <= e->chain.count; i++) {
        const struct gap *gap = &e->gaps[i];

        r.shifted += (double)estimate_shift(gap);
        if (gap->lost >= r.k) {
            add_block(&r, gap, pair);
            continue;
        }
        r.spread += (double)estimate_shorter(gap);
        r.spots += gap->lost > 0 && estimate_shift(gap) == 0;
    }
    r.q = s > 0 ? 1 - pow(s, 1.0 / pair->n) : pair->unrelated;
    if (r.q > spread_limit)
        r.q = pair->unrelated;
    return r;
}

/* ---- the distance ---- */

/* The upper end of Wilson's interval for a proportion, given `count` successes in `total` trials. */
static double wilson(double count, double total)
{
    const double v = deviations * deviations, p = total > 0 ? count / total : 0;

    if (total <= 0)
        return 1;
    return clamp((p + v / (2 * total) + deviations * sqrt(p * (1 - p) / total + v / (4 * total * total))) /
                     (1 + v / total),
                 0, 1);
}

/* For contents without a chain: unrelated, or edited so densely that no window survived. */
static void estimate_without_chain(const struct tally *r, const struct pair *pair, double most, double rate,
                                   struct estimate *out)
{
    double dense = hit_share * (1 - pow(wilson(0, r->lost), 1.0 / pair->n));

    out->edits = most;
    out->edits_low = pair->difference + clamp(dense, 0, low_unrelated * pair->unrelated) * pair->shorter;
    out->edits_high = pair->difference + rate * pair->shorter;
}

/*
 * The share of bytes that were replaced at most, if they lie in phrases: each loses the windows that begin in
 * it, and n - 1 before.  Where most samples are lost though no block explains it, the edits lie closer to
 * each other than phrases could, so they are of single bytes.
 */
static double replaced_share(const struct tally *r, uint32_t n)
{
    const double s = survival(r), bytes = 1 + (phrase - 1) * s * s;

    return 1 - pow(1 - wilson(r->lost, r->kept + r->lost), bytes / (bytes + n - 1));
}

static void estimate_edits(const struct estimator *e, const struct pair *pair, struct estimate *out)
{
    const double most = pair->difference + pair->unrelated * pair->shorter;
    const double rate = clamp(high_rate * pair->unrelated + high_rate_more, 0, 1);
    const struct tally r = read_gaps(e, pair);
    double phrases, low, high;

    if (e->chain.count == 0) {
        estimate_without_chain(&r, pair, most, rate, out);
        return;
    }
    out->edits = clamp(r.shifted + hit_share * r.q * r.spread + r.block_edits, 0, most);
    low = pair->difference +
          low_spread * (1 - pow(wilson(r.kept, r.kept + r.spots), 1.0 / pair->n)) * r.spread +
          low_block * r.still_edits;
    phrases = replaced_share(&r, pair->n);
    high = r.shifted + rate * (phrases * r.spread + r.block_bytes + deviations * pair->c * sqrt(r.blocks));
    out->edits_low = clamp(low, pair->difference, out->edits);
    out->edits_high = clamp(clamp(high, 0, pair->difference + rate * pair->shorter), out->edits, high);
}

/* ---- all together ---- */

static void set_shares(const struct chain *chain, struct estimate *out)
{
    const double shared = (double)chain->shared, a = shared + (double)chain->only_a,
                 b = shared + (double)chain->only_b;

    out->shared = chain->shared;
    out->of_a = chain->shared + chain->only_a;
    out->of_b = chain->shared + chain->only_b;
    if (chain->shared == 0)
        return;
    out->resemblance = shared / (a + b - shared);
    out->a_in_b = shared / a;
    out->b_in_a = shared / b;
}

int estimate_run(struct estimator *e, const struct estimate_side *a, const struct estimate_side *b,
                 uint32_t n, uint32_t c, const struct chain_hints *hints, struct estimate *out,
                 struct error *err)
{
    const struct pair pair = {
        .a = a,
        .b = b,
        .n = n,
        .c = c,
        .unrelated = estimate_unrelated(a->coincidence, b->coincidence),
        .difference = a->len < b->len ? (double)(b->len - a->len) : (double)(a->len - b->len),
        .shorter = (double)(a->len < b->len ? a->len : b->len),
    };
    const struct chain_sides sides = {a->samples, b->samples, a->count, b->count, hints};

    *out = (struct estimate){0};
    if (chain_find(&e->chain, &sides, err))
        return -1;
    set_shares(&e->chain, out);
    out->single = chain_single(&e->chain);
    out->in_order = chain_single_in_order(&e->chain);
    for (int pass = 0; pass < MAX_PASSES && drop_detours(&e->chain, &pair) > 0; pass++)
        ;
    if (find_gaps(e, &pair, err))
        return -1;
    out->anchors = e->chain.count;
    estimate_edits(e, &pair, out);
    estimate_point(&pair, out);
    return estimate_ranges_find(e, &pair, choose_k(e).k, out, err);
}
