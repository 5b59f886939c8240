/* SPDX-License-Identifier: Apache-2.0 */
#include "match/chance_line.h"

#include <math.h>
#include <stdbool.h>

enum {
    /* A line continues at one of this many next matches: bounds time. */
    NEXT = 32,
    /* The last matches of a line that are searched for the same sample: bounds time.  The periods of tables
     * have fewer samples. */
    RECENT = 16,
};

static const uint32_t none = UINT32_MAX;

/* What it costs, in ln(1 + ln(choices)), to weigh more of one choice against less of others: see
 * bench_chance. With the same for all, E is too low where a reference has dozens of chance matches. */
static const double weigh_second = 0.5, weigh_next = 2;

static uint64_t apart(uint64_t x, uint64_t y)
{
    return x > y ? x - y : y - x;
}

/* How far the diagonals of two matches are apart. */
static uint64_t shift_between(const struct chance_match *a, const struct chance_match *b)
{
    return apart(b->object - a->object, b->reference - a->reference);
}

/* What the choice of the next match costs. */
static double cost_of(const struct chance_search *search, const struct chance_match *a,
                      const struct chance_match *b, double weight)
{
    const double shift = (double)shift_between(a, b),
                 skipped = b->number > a->number ? b->number - a->number - 1 : 0;
    double ln_choices;

    if (shift == 0 && skipped == 0)
        return 0;
    ln_choices = log((skipped + 1) * (2 * shift + 1));
    return fmin(ln_choices + weight * log1p(ln_choices), log(search->choices));
}

/* The share of the sample's bytes that are new to the line. */
static double new_share(const struct chance_search *search, const struct chance_match *a,
                        const struct chance_match *b)
{
    const uint64_t object = b->object - a->object, reference = b->reference - a->reference;
    const uint64_t bytes = object < reference ? object : reference;

    return bytes >= search->n ? 1 : (double)bytes / search->n;
}

/* The step before one, in the same line. */
static const struct chance_step *step_before(const struct chance_step *steps, const struct chance_step *step)
{
    static const struct chance_step beginning = {.before = UINT32_MAX};

    return step->is_second ? &beginning : &steps[step->before];
}

/* Whether the same sample as in this step is in its line already. */
static bool is_recent(const struct chance_match *matches, const struct chance_step *steps,
                      const struct chance_step *step, uint64_t sample)
{
    for (int i = 0; i < RECENT && step->before != none; i++, step = step_before(steps, step))
        if (matches[step->before].sample == sample)
            return true;
    return false;
}

/* What a match is worth, where chance gives this reference single matches at a rate: -ln of that is `most`.
 */
static double worth_of(const struct chance_match *match, double most)
{
    return match->information < most ? match->information : most;
}

/* Chooses the match before number i, which is worth that much, and returns the step, the best score so far
 * being `best_yet`. */
static struct chance_step choose(const struct chance_search *search, const struct chance_match *matches,
                                 const struct chance_step *steps, size_t i, double worth, double best_yet)
{
    const struct chance_match *match = &matches[i];
    struct chance_step best = {.before = none};

    for (size_t k = 1; k <= NEXT && k <= i && best.score < best_yet + worth; k++) {
        const struct chance_match *other = &matches[i - k];
        double gain, score;
        bool is_second;

        if (other->object >= match->object || other->reference >= match->reference ||
            steps[i - k].score + worth <= best.score)
            continue;
        gain = worth * new_share(search, other, match);
        score = steps[i - k].score + gain - cost_of(search, other, match, weigh_next);
        is_second = steps[i - k].before == none || gain - cost_of(search, other, match, weigh_second) > score;
        if (is_second)
            score = gain - cost_of(search, other, match, weigh_second);
        if (score > best.score)
            best = (struct chance_step){score, (uint32_t)(i - k), is_second};
    }
    return best;
}

/* Finds the best line, and returns its score; *last: its last match. */
static double find_best(const struct chance_search *search, const struct chance_match *matches, size_t count,
                        double most, struct chance_step *steps, uint32_t *last)
{
    double best = 0;

    *last = 0;
    for (size_t i = 0; i < count; i++) {
        const double worth = worth_of(&matches[i], most);
        struct chance_step *step = &steps[i];

        *step = choose(search, matches, steps, i, worth, best);
        if (is_recent(matches, steps, step, matches[i].sample))
            step->score = fmax(0, step->score - worth);
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

    for (const struct chance_step *step = &steps[last]; step->before != none; step = step_before(steps, step))
        length++;
    return length;
}

double chance_line_ln_e(const struct chance_search *search, const struct chance_match *matches, size_t count,
                        struct chance_step *steps)
{
    uint32_t last;
    double best, others;

    if (count == 0)
        return log(search->matches);
    best = find_best(search, matches, count, INFINITY, steps, &last);
    others = search->elsewhere + (double)(count - length_of(steps, last));
    if (others > 0 && best > 0)
        best = find_best(search, matches, count, fmax(0, log(search->choices / others)), steps, &last);
    return log(search->matches) - best;
}

double chance_line_of_bytes(const struct chance_search *search, double places, double information)
{
    return log(places * search->bytes) - information;
}
