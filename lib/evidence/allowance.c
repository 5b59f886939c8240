/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/allowance.h"

void allowance_grow(struct allowance *allowance, uint64_t bytes)
{
    const uint64_t room = (INT64_MAX - allowance->most) / ALLOWANCE_RATIO;

    if (allowance->most < INT64_MAX)
        allowance->most += ALLOWANCE_RATIO * (bytes < room ? bytes : room);
}

uint64_t allowance_left(const struct allowance *allowance)
{
    return allowance->spent < allowance->most ? allowance->most - allowance->spent : 0;
}

void allowance_begin(struct allowance *allowance)
{
    allowance->is_over = false;
}

uint64_t allowance_cost(uint64_t count, uint64_t bytes)
{
    return count > (INT64_MAX - bytes) / ALLOWANCE_EACH ? INT64_MAX : bytes + count * ALLOWANCE_EACH;
}

/* What could not be read was not unpacked, whatever its container states.  The first member that does not fit
 * is charged for the row that says so. */
bool allowance_take(struct allowance *allowance, const struct object *member)
{
    const uint64_t left = allowance_left(allowance),
                   size = member->state == OBJECT_UNREADABLE ? 0 : member->size;

    if (allowance->is_over)
        return false;
    allowance->is_over = left < ALLOWANCE_EACH || size > left - ALLOWANCE_EACH;
    allowance->spent += ALLOWANCE_EACH + (allowance->is_over ? 0 : size);
    return !allowance->is_over;
}
