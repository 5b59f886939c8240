/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/likeness.h"

#include "sketch/sketch.h"

void likeness_set_intervals(struct likeness *likeness, uint64_t shared, uint64_t of_a, uint64_t of_b)
{
    likeness->has_share_intervals = of_a > 0 && of_b > 0;
    if (!likeness->has_share_intervals)
        return;
    likeness->common = shared;
    likeness->compared = of_a + of_b - shared;
    sketch_interval((double)shared, (double)likeness->compared, &likeness->resemblance_low,
                    &likeness->resemblance_high);
    sketch_interval((double)shared, (double)of_a, &likeness->a_in_b_low, &likeness->a_in_b_high);
    sketch_interval((double)shared, (double)of_b, &likeness->b_in_a_low, &likeness->b_in_a_high);
}

bool likeness_meets(const struct likeness_limits *limits, const struct likeness *l, uint64_t a_size,
                    uint64_t b_size)
{
    const bool by_low = limits->certain && l->has_share_intervals;
    const double a_in_b = by_low ? l->a_in_b_low : l->a_in_b, b_in_a = by_low ? l->b_in_a_low : l->b_in_a;
    const double contained = a_in_b > b_in_a ? a_in_b : b_in_a;
    const double resemblance = by_low ? l->resemblance_low : l->resemblance;
    const double edits = limits->certain && l->has_interval ? l->edits_high : l->edits;
    const double longer = (double)(a_size > b_size ? a_size : b_size);

    return (limits->resemblance <= 0 || (l->has_resemblance && resemblance >= limits->resemblance)) &&
           (limits->containment <= 0 || (l->has_containment && contained >= limits->containment)) &&
           (!limits->has_edits || (l->has_edits && edits <= limits->most_edits &&
                                   (longer <= 0 || edits / longer <= limits->most_edit_share)));
}

bool likeness_may_meet(const struct likeness_limits *limits, uint64_t shared, uint64_t hidden, uint64_t rarer,
                       uint64_t denser, bool same_rate)
{
    const uint64_t most = same_rate && denser < rarer ? denser : rarer;
    const uint64_t common = shared + hidden < most ? shared + hidden : most;
    const uint64_t either = same_rate ? rarer + denser - common : rarer;

    return (double)common >= limits->resemblance * (double)either &&
           (!same_rate || (double)common >= limits->containment * (double)most);
}
