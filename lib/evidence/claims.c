/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/claims.h"

/* Hole bytes of all objects between two resets. */
#define MOST_HOLES ((uint64_t)32 << 30)
/*
 * Where objects may go without a digest, each gets an allowance of its own, plus more for each stored byte;
 * so the outcome for one object does not depend on its neighbours.
 */
#define MOST_OWN_HOLES ((uint64_t)256 << 20)
#define HOLES_PER_BYTE 4096
/* Between two resets, up to twice the size of the medium plus this much may be read. */
#define MORE_THAN_MEDIUM ((uint64_t)64 << 20)

void claims_reset(struct claims *claims)
{
    claims->holes = claims->stored = 0;
}

static uint64_t holes_of(const struct object *object, uint64_t stored)
{
    return !(object->flags & OBJECT_RESIDENT) && object->size > stored ? object->size - stored : 0;
}

bool claims_are_hollow(struct claims *claims, const struct object *object, uint64_t stored)
{
    const uint64_t holes = holes_of(object, stored);

    if (claims->is_trusted)
        return holes > MOST_HOLES;
    if (claims->by_object)
        return holes > MOST_OWN_HOLES && (holes - MOST_OWN_HOLES) / HOLES_PER_BYTE > stored;
    if (holes > MOST_HOLES - claims->holes)
        return true;
    claims->holes += holes;
    return false;
}

bool claims_exceed(struct claims *claims, uint64_t medium_size, uint64_t stored)
{
    if (stored > 2 * medium_size + MORE_THAN_MEDIUM - claims->stored)
        return true;
    claims->stored += stored;
    return false;
}
