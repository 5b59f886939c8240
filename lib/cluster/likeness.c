/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/likeness.h"

bool likeness_meets(const struct likeness_limits *limits, const struct likeness *likeness, uint64_t a_size,
                    uint64_t b_size)
{
    const double contained = likeness->a_in_b > likeness->b_in_a ? likeness->a_in_b : likeness->b_in_a;
    const double longer = (double)(a_size > b_size ? a_size : b_size);

    return (limits->resemblance <= 0 ||
            (likeness->has_resemblance && likeness->resemblance >= limits->resemblance)) &&
           (limits->containment <= 0 || (likeness->has_containment && contained >= limits->containment)) &&
           (!limits->has_edits || (likeness->has_edits && likeness->edits <= limits->most_edits &&
                                   (longer <= 0 || likeness->edits / longer <= limits->most_edit_share)));
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
