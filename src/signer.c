/* SPDX-License-Identifier: Apache-2.0 */
#include "signer.h"

#include <stdlib.h>

#include "base/memory.h"
#include "sample/blocks.h"
#include "sample/hasher_pair.h"

struct signer {
    struct signer_plan plan;
    struct hasher_pair hashers;
    struct hasher *hasher; /* the one in use */
    struct blocks *blocks;
    struct known known;
    bool failed;
};

static void *signer_open(void *arg, const struct inspector_watch *watch, struct error *err)
{
    const struct signer_plan *plan = arg;
    struct signer *signer = memory_new(sizeof *signer, err);

    (void)watch;
    if (!signer)
        return NULL;
    signer->plan = *plan;
    if (hasher_pair_open(&signer->hashers, plan->n, plan->c, &plan->key, 1, plan->digests, err) == 0)
        signer->blocks = blocks_new(err);
    if (signer->blocks)
        return signer;
    hasher_pair_close(&signer->hashers);
    free(signer);
    return NULL;
}

static bool signer_begin(void *arg, const struct object *object, struct content *content)
{
    struct signer *signer = arg;

    (void)content;
    signer->hasher = hasher_pair_for(&signer->hashers, object->size);
    signer->failed = hasher_begin(signer->hasher, object->size, NULL);
    if (signer->plan.block && !signer->failed)
        signer->failed = blocks_begin(signer->blocks, blocks_size(object->size, signer->plan.block), NULL);
    return !signer->failed;
}

static void signer_data(void *arg, const void *data, size_t len)
{
    struct signer *signer = arg;

    if (hasher_update(signer->hasher, data, len, NULL) ||
        (signer->plan.block && blocks_update(signer->blocks, data, len, NULL)))
        signer->failed = true;
}

static void signer_zeros(void *arg, uint64_t len)
{
    inspector_zeros(signer_data, arg, len);
}

static void signer_end(void *arg, struct object *object)
{
    struct signer *signer = arg;
    struct known *known = &signer->known;
    const struct buffer *blocks = NULL;

    known_reset(known);
    if (signer->plan.block && !(blocks = blocks_final(signer->blocks, NULL)))
        signer->failed = true;
    if (signer->failed || hasher_final(signer->hasher, &known->record, NULL)) {
        object_blame(object, OBJECT_UNREADABLE,
                     "it could not be hashed: libcrypto failed, or there is no memory");
        return;
    }
    known->digests = known->record.digests;
    known->size = known->record.len;
    known->has_size = known->has_record = true;
    if (blocks && blocks_count(known->size, signer->plan.block))
        buffer_add(&known->blocks, blocks->data, blocks->len);
    known_reduce(known, signer->plan.c);
    buffer_inherit(&object->result, &known->blocks);
    known_encode(&object->result, known);
}

struct inspector signer_inspector(struct signer_plan *plan)
{
    return (struct inspector){.open = signer_open,
                              .begin = signer_begin,
                              .data = signer_data,
                              .zeros = signer_zeros,
                              .end = signer_end,
                              .arg = plan};
}

bool signer_result(const struct object *object, struct known *known)
{
    struct wire wire = {object->result.data, object->result.len, false};

    return known_decode(&wire, known);
}
