/* SPDX-License-Identifier: Apache-2.0 */
#include "set/refset_key.h"

#include <string.h>

enum { VERSION_KEY = 3 }; /* the first with table key */

int refset_key_load(struct database *database, uint8_t id[SAMPLER_KEY_ID_LEN], struct error *err)
{
    struct statement *row;
    bool is_sound = true;
    int result;

    memset(id, 0, SAMPLER_KEY_ID_LEN);
    if (database_version(database) < VERSION_KEY)
        return 1;
    row = database_prepare(database, "SELECT id FROM key WHERE number = 1", err);
    if (!row)
        return -1;
    result = statement_step(row, err);
    if (result > 0)
        is_sound = statement_exactly(row, 0, id, SAMPLER_KEY_ID_LEN) && sampler_key_is_set(id);
    statement_free(row);
    return result < 0 ? -1 : is_sound;
}

int refset_key_save(struct database *database, const uint8_t id[SAMPLER_KEY_ID_LEN], struct error *err)
{
    struct statement *row;
    int result;

    if (!sampler_key_is_set(id))
        return 0;
    row = database_prepare(database, "INSERT INTO key (number, id) VALUES (1, ?)", err);
    if (!row)
        return -1;
    statement_bind_bytes(row, 1, id, SAMPLER_KEY_ID_LEN);
    result = statement_run(row, err);
    statement_free(row);
    return result;
}
