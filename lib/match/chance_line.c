/* SPDX-License-Identifier: Apache-2.0 */
#include "match/chance_line.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    /* A line continues at one of this many next matches: bounds time. */
    NEXT = 32,
    /* The last matches of a line that are searched for the same sample: bounds time.  The periods of tables
     * have fewer samples. */
    RECENT = 16,
};

static const uint32_t none = UINT32_MAX;

/* What E is multiplied by, and the least that q is: see bench_chance. */
static const double constant = 0.6, least_factor = 0.25;

/* Nats of a byte after a sample that matches: a bit. */
static const double byte_information = 0.69;

struct line {
    const struct chance_search *search;
    const struct chance_match *matches;
    struct chance_step *steps;
    double ln_samples, ln_choices, ln_bytes;
    double least_ln_p; /* that a link can have */
    double more;       /* ln of what q is multiplied by for this reference */
};

/* ---- shares ---- */

void chance_line_shares(struct chance_shares *shares, const uint32_t *hits, size_t count)
{
    double counts[CHANCE_LINE_SHARES] = {0}, all = 0;

    for (size_t i = 0; i < count; i++)
        if (hits[i])
            counts[hits[i] == 1 ? 0 : 32 - __builtin_clz(hits[i] - 1)]++;
    for (size_t i = 0; i < CHANCE_LINE_SHARES; i++)
        all += counts[i];
    for (size_t i = 0; i < CHANCE_LINE_SHARES; i++) {
        counts[i] += i ? counts[i - 1] : 0;
        shares->ln[i] = log(counts[i] / fmax(1, all));
    }
}

/* ln of the share of samples that occur at most so often. */
static double ln_share(const struct line *line, double ln_hits)
{
    const double bits = ceil(ln_hits / M_LN2 - 1e-6);

    if (bits >= CHANCE_LINE_SHARES)
        return 0;
    return fmax(line->search->shares->ln[bits > 0 ? (size_t)bits : 0], -line->ln_samples);
}

/* That of the rarest samples, where they belong. */
static double least_ln_p(const struct line *line)
{
    size_t bits = 0;

    while (bits + 1 < CHANCE_LINE_SHARES && isinf(line->search->shares->ln[bits]))
        bits++;
    return fmax(line->search->shares->ln[bits], -line->ln_samples) - line->ln_bytes +
           (bits > 0 ? (double)(bits - 1) * M_LN2 : 0);
}

/* ---- links ---- */

static uint64_t apart(uint64_t x, uint64_t y)
{
    return x > y ? x - y : y - x;
}

/* How far the diagonals of two matches are apart. */
static uint64_t shift_between(const struct chance_match *a, const struct chance_match *b)
{
    return apart(b->object - a->object, b->reference - a->reference);
}

/* ln r: of the choices that are no farther off than match b is after a. */
static double ln_rank(const struct line *line, const struct chance_match *a, const struct chance_match *b)
{
    const double shift = (double)shift_between(a, b),
                 skipped = b->number > a->number ? b->number - a->number - 1 : 0;
    double ln_area;

    if (shift == 0 && skipped == 0)
        return 0;
    ln_area = log((skipped + 1) * (2 * shift + 1));
    return fmin(ln_area + log1p(0.75 * fmin(ln_area, line->ln_samples)), line->ln_choices);
}

/* The share of the information of match b that is new after match a. */
static double new_share(const struct chance_match *a, const struct chance_match *b)
{
    const uint64_t object = b->object - a->object, reference = b->reference - a->reference;
    const double most = byte_information * (double)(object < reference ? object : reference);

    return most < b->information ? most / b->information : 1;
}

/* ln of the sum of x^j / j! for j < count. */
static double ln_freedom(double count, double x)
{
    double sum = 1, term = 1;

    if (x <= 0 || count <= 1)
        return 0;
    if (x <= count - 1)
        return x;
    for (double j = count - 1; j >= 1 && term > 1e-3; j--) { /* from the largest term on */
        term *= j / x;
        sum += term;
    }
    return (count - 1) * log(x) - lgamma(count) + log(sum);
}

static double score_of(const struct chance_step *step)
{
    return -step->ln_p - ln_freedom(step->links, step->spare);
}

/* The line that ends with match k, continued at match i. */
static struct chance_step go_on(const struct line *line, size_t k, size_t i)
{
    const struct chance_match *match = &line->matches[i];
    const struct chance_step *step = &line->steps[k];
    const double rank = ln_rank(line, &line->matches[k], match), share = new_share(&line->matches[k], match);
    const double ln_s = ln_share(line, line->ln_bytes - match->information + rank);
    const double ln_p = rank + share * (ln_s - match->information);
    struct chance_step next = {.ln_p = step->ln_p + ln_p + share * line->more,
                               .spare = step->spare + fmax(0, ln_p - share * line->least_ln_p),
                               .links = step->links + 1,
                               .before = (uint32_t)k};

    next.score = score_of(&next);
    return next;
}

/* ---- lines ---- */

/* Whether the same sample as in this step is in its line already. */
static bool is_recent(const struct line *line, const struct chance_step *step, uint64_t sample)
{
    for (int i = 0; i < RECENT && step->before != none; i++, step = &line->steps[step->before])
        if (line->matches[step->before].sample == sample)
            return true;
    return false;
}

/* Chooses the match before number i, which is worth at most that much, and returns the step, the best score
 * so far being `best_yet`. */
static struct chance_step choose(const struct line *line, size_t i, double worth, double best_yet)
{
    const struct chance_match *match = &line->matches[i];
    struct chance_step best = {.before = none};

    for (size_t k = 1; k <= NEXT && k <= i && best.score < best_yet + worth; k++) {
        const struct chance_match *other = &line->matches[i - k];
        struct chance_step step;

        if (other->object >= match->object || other->reference >= match->reference ||
            line->steps[i - k].score + worth <= best.score)
            continue;
        step = go_on(line, i - k, i);
        if (step.score > best.score)
            best = step;
        if (best.before == i - k && line->steps[i - k].score >= best_yet && shift_between(other, match) == 0)
            break; /* the best line goes on as it should */
    }
    return best;
}

/* Finds the best line, and returns its score; *last: its last match. */
static double find_best(const struct line *line, size_t count, uint32_t *last)
{
    double best = 0;

    *last = 0;
    for (size_t i = 0; i < count; i++) {
        const double ln_hits = line->ln_bytes - line->matches[i].information;
        const double worth = line->matches[i].information - ln_share(line, ln_hits) - line->more;
        struct chance_step *step = &line->steps[i];

        *step = choose(line, i, worth, best);
        if (is_recent(line, step, line->matches[i].sample)) { /* is no evidence, but the line can go on */
            const struct chance_step *before = &line->steps[step->before];

            *step =
                (struct chance_step){before->score, before->ln_p, before->spare, before->links, step->before};
        }
        if (step->score >= best) {
            best = step->score;
            *last = (uint32_t)i;
        }
    }
    return best;
}

static size_t length_of(const struct chance_step *steps, uint32_t last)
{
    size_t length = 1;

    for (const struct chance_step *step = &steps[last]; step->before != none; step = &steps[step->before])
        length++;
    return length;
}

double chance_line_ln_e(const struct chance_search *search, const struct chance_match *matches, size_t count,
                        struct chance_step *steps)
{
    const double expected = search->matches * search->length / search->bytes;
    struct line line = {.search = search,
                        .matches = matches,
                        .steps = steps,
                        .ln_samples = log(search->samples),
                        .ln_choices = log(search->samples * search->length),
                        .ln_bytes = log(search->bytes)};
    uint32_t last;
    double best, others;

    if (count == 0)
        return log(search->matches);
    line.least_ln_p = least_ln_p(&line);
    best = find_best(&line, count, &last);
    if (best > 0) {
        others = search->elsewhere + (double)(count - length_of(steps, last));
        line.more = log(fmax(least_factor, (others + 1) / (expected + 1)));
        best = find_best(&line, count, &last);
    }
    return log(search->matches) - best + (best > 0 ? log(constant) : 0);
}

double chance_line_of_bytes(const struct chance_search *search, double places, double information)
{
    return log(places * search->bytes) - information;
}
