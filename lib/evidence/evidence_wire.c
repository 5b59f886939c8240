/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/evidence_wire.h"

#include <string.h>

void evidence_put_system(struct buffer *out, const struct disk_system *system)
{
    wire_put(out, system->offset);
    wire_put(out, system->type);
    wire_put(out, system->in_pool);
    wire_put(out, system->block);
}

void evidence_get_system(struct wire *wire, struct disk_system *system)
{
    system->offset = wire_get(wire);
    system->type = (uint32_t)wire_get(wire);
    system->in_pool = wire_get(wire) != 0;
    system->block = wire_get(wire);
}

void evidence_put_digests(struct buffer *out, const struct digest_values *values)
{
    wire_put(out, values->kinds);
    buffer_add(out, values->bytes, sizeof values->bytes);
}

void evidence_get_digests(struct wire *wire, struct digest_values *values)
{
    values->kinds = (unsigned)wire_get(wire) & (DIGEST_BIT(DIGEST_KINDS) - 1);
    for (size_t i = 0; i < sizeof values->bytes / 8; i++) {
        uint64_t part = wire_get(wire);

        memcpy((char *)values->bytes + 8 * i, &part, sizeof part);
    }
}
