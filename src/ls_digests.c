/* SPDX-License-Identifier: Apache-2.0 */
#include "ls_digests.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct hash_state {
    struct digest *digest;
    bool failed;
};

static void *hash_open(void *arg, const struct inspector_watch *watch, struct error *err)
{
    const unsigned *kinds = arg;
    struct hash_state *state = memory_new(sizeof *state, err);

    (void)watch;
    if (!state)
        return NULL;
    state->digest = digest_new(*kinds, err);
    if (!state->digest) {
        free(state);
        return NULL;
    }
    return state;
}

static bool hash_begin(void *arg, const struct object *object, struct content *content)
{
    struct hash_state *state = arg;

    (void)object;
    (void)content;
    state->failed = digest_begin(state->digest, NULL) != 0;
    return !state->failed;
}

static void hash_data(void *arg, const void *data, size_t len)
{
    struct hash_state *state = arg;

    if (digest_update(state->digest, data, len, NULL))
        state->failed = true;
}

static void hash_zeros(void *arg, uint64_t len)
{
    inspector_zeros(hash_data, arg, len);
}

static void hash_end(void *arg, struct object *object)
{
    struct hash_state *state = arg;
    struct digest_values values = {0};

    if (!state->failed && digest_final(state->digest, &values, NULL) == 0)
        buffer_add(&object->result, &values, sizeof values);
    else
        object_blame(object, OBJECT_UNREADABLE, "libcrypto failed");
}

struct inspector ls_digests_inspector(unsigned *kinds)
{
    return (struct inspector){.open = hash_open,
                              .begin = hash_begin,
                              .data = hash_data,
                              .zeros = hash_zeros,
                              .end = hash_end,
                              .arg = kinds};
}

void ls_digests_result(const struct object *object, struct digest_values *values)
{
    *values = (struct digest_values){0};
    if (object->result.len == sizeof *values)
        memcpy(values, object->result.data, sizeof *values);
}
