/* SPDX-License-Identifier: Apache-2.0 */
#include "match/scanner.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/path.h"
#include "disk/content_part.h"
#include "match/lanes.h"
#include "set/refset_cache.h"

enum {
    /* --deep promises this many times the usual number of samples, down to DEEPEST_C. */
    DEEP = 4,
    DEEPEST_C = 8,
    /* Bounds memory for all sets together: what a worker keeps of indexes and of records.  With half the
     * records and no index, a scan of 484 MB of libraries against 2.5 GB of others took 12.2 s instead of
     * 5.3. */
    INDEX_MEMORY = 32 << 20,
    RECORD_MEMORY = 64 << 20,
    /* The limit on all that a worker allocates for matching, not what it normally takes: the largest process
     * of that scan had 150 MB. */
    WORKER_MEMORY = 320 << 20,
    KEY_MEMORY = WORKER_MEMORY - INDEX_MEMORY - RECORD_MEMORY, /* more for each further key */
};

/* ---- the plan ---- */

static int check_windows(const struct scanner_plan *plan, struct error *err)
{
    const struct refset_info *first = NULL;

    for (size_t i = 0; i < plan->count; i++) {
        const struct refset_info *info = refset_search_info(plan->searches[i]);

        if (!info->counts.records)
            continue;
        if (first && first->params.n != info->params.n)
            return error_set(
                err,
                "%s: window n = %u differs from n = %u of the sets before it: scan with each set separately",
                plan->paths[i], info->params.n, first->params.n);
        first = info;
    }
    return 0;
}

uint32_t scanner_rate(uint32_t c, bool deep)
{
    if (c > SAMPLER_DEFAULT_C)
        c = SAMPLER_DEFAULT_C;
    if (!deep || c <= DEEPEST_C)
        return c;
    return c / DEEP > DEEPEST_C ? c / DEEP : DEEPEST_C;
}

int scanner_plan_sets(struct scanner_plan *plan, bool deep, struct error *err)
{
    plan->digests |= DIGEST_BIT(DIGEST_SHA1);
    plan->c = SAMPLER_DEFAULT_C;
    for (size_t i = 0; i < plan->count; i++) {
        const struct refset_info *info = refset_search_info(plan->searches[i]);

        if (info->counts.records && info->params.c < plan->c)
            plan->c = info->params.c;
        if (info->counts.without_sha1)
            plan->digests |= DIGEST_BIT(DIGEST_MD5) | DIGEST_BIT(DIGEST_SHA256);
    }
    plan->c = scanner_rate(plan->c, deep);
    return check_windows(plan, err) ||
                   lanes_divide(&(struct lanes){0}, plan->searches, plan->keys, plan->count, err)
               ? -1
               : 0;
}

static uint32_t window_of(const struct scanner_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct refset_info *info = refset_search_info(plan->searches[i]);

        if (info->counts.records)
            return info->params.n;
    }
    return SAMPLER_DEFAULT_N;
}

/* ---- in a worker ---- */

struct scanner {
    const struct scanner_plan *plan;
    struct refset *sets[MATCHER_MOST_SETS];
    struct refset_search *searches[MATCHER_MOST_SETS];
    struct refset_cache *caches[MATCHER_MOST_SETS];
    struct lanes lanes;
    struct hasher_pair hashers;
    struct hasher *hasher; /* the one in use */
    struct record record;
    struct findings findings;
    enum verdict verdict;
    struct content_part content; /* of the current part */
    struct buffer out;
    uint64_t size; /* of the object, in bytes */
    bool is_range;
    uint64_t at;        /* offset of the current part */
    uint64_t len, done; /* of the part, and how much of it has been read; in bytes */
    bool failed;
    struct error err;
};

static int open_sets(struct scanner *scanner, struct error *err)
{
    const struct scanner_plan *plan = scanner->plan;

    for (size_t i = 0; i < plan->count; i++) {
        scanner->sets[i] = refset_open(plan->paths[i], REFSET_FIXED, err);
        if (!scanner->sets[i])
            return -1;
        scanner->searches[i] =
            refset_search_share(plan->searches[i], scanner->sets[i], INDEX_MEMORY / plan->count, err);
        if (!scanner->searches[i])
            return -1;
        scanner->caches[i] = refset_cache_new(scanner->searches[i], RECORD_MEMORY / plan->count, err);
        if (!scanner->caches[i])
            return -1;
    }
    return 0;
}

static int open_tools(struct scanner *scanner, const struct inspector_watch *watch, struct error *err)
{
    const struct scanner_plan *plan = scanner->plan;
    struct matcher_options matching = plan->matching;
    struct set *sets[MATCHER_MOST_SETS];

    for (size_t i = 0; i < plan->count; i++)
        sets[i] = refset_cache_set(scanner->caches[i]);
    if (lanes_divide(&scanner->lanes, plan->searches, plan->keys, plan->count, err) ||
        lanes_hashers(&scanner->lanes, &scanner->hashers, window_of(plan), plan->c, plan->digests, err))
        return -1;
    matching.watch = watch;
    return lanes_open(&scanner->lanes, sets, &matching, err);
}

/* If this fails the process ends, so nothing is released piecemeal. */
static void *scanner_open(void *arg, const struct inspector_watch *watch, struct error *err)
{
    struct scanner *scanner = memory_new(sizeof *scanner, err);

    if (!scanner)
        return NULL;
    scanner->plan = arg;
    if (open_sets(scanner, err) == 0 && open_tools(scanner, watch, err) == 0)
        return scanner;
    free(scanner);
    return NULL;
}

static void fail(struct scanner *scanner, int failed)
{
    scanner->failed = scanner->failed || failed;
}

static bool is_large(const struct scanner *scanner)
{
    return scanner->hasher == scanner->hashers.large;
}

static void begin_matching(struct scanner *scanner, uint32_t c)
{
    lanes_begin(&scanner->lanes, scanner->len, c, scanner->is_range, &scanner->content.content);
}

static void begin_part(struct scanner *scanner)
{
    const uint64_t left = scanner->size - scanner->at, chunk = scanner->plan->chunk;

    scanner->len = chunk && left > chunk ? chunk : left;
    scanner->done = 0;
    scanner->hasher = hasher_pair_for(&scanner->hashers, scanner->len);
    content_part_init(&scanner->content, scanner->content.whole, scanner->at, left);
    if (is_large(scanner))
        begin_matching(scanner, scanner->plan->c);
    fail(scanner, hasher_begin(scanner->hasher, scanner->len, &scanner->err));
}

static void match_samples(struct scanner *scanner)
{
    fail(scanner, lanes_take(&scanner->lanes, scanner->hasher, &scanner->err));
}

static void put_part(struct scanner *scanner)
{
    const struct digest_values *digests = &scanner->record.digests;

    /* If it were not, only this object would be lost; the parent refuses it for good, and ends the scan. */
    assert(finding_list_is_sound(&scanner->findings, scanner->len));
    wire_put(&scanner->out, scanner->len);
    wire_put_bytes(&scanner->out, digests, sizeof *digests);
    wire_put(&scanner->out, scanner->verdict);
    finding_list_encode(&scanner->out, &scanner->findings);
}

static int match_part(struct scanner *scanner)
{
    struct record *record = &scanner->record;
    struct error *err = &scanner->err;

    if (is_large(scanner))
        match_samples(scanner);
    if (scanner->failed || hasher_final(scanner->hasher, record, err))
        return -1;
    if (!is_large(scanner)) {
        begin_matching(scanner, record->params.c);
        match_samples(scanner);
        if (scanner->failed)
            return -1;
    }
    return lanes_end(&scanner->lanes, &record->digests, record->coincidence, &scanner->findings,
                     &scanner->verdict, err);
}

static void end_part(struct scanner *scanner)
{
    if (scanner->failed)
        return;
    fail(scanner, match_part(scanner));
    if (!scanner->failed)
        put_part(scanner);
    scanner->at += scanner->len;
}

/* Whether the object that was matched last, as a whole, is a file of a set of kind known, so that what is
 * packed in it is known as well. */
static bool is_known(const struct scanner *scanner)
{
    if (scanner->failed || scanner->len < scanner->size)
        return false;
    for (size_t i = 0; i < scanner->findings.count; i++) {
        const struct finding *finding = &scanner->findings.list[i];

        if (finding->verdict == VERDICT_IDENTICAL &&
            refset_search_info(scanner->searches[finding->set])->params.kind == REFSET_KNOWN)
            return true;
    }
    return false;
}

/* Before an object was matched, its size decides. */
static bool scanner_opens(void *state, const struct object *object)
{
    const struct scanner *scanner = state;

    return object->size <= scanner->plan->most && !(object->result.len && is_known(scanner));
}

static bool scanner_begin(void *state, const struct object *object, struct content *content)
{
    struct scanner *scanner = state;

    if (object->size > scanner->plan->most)
        return false;
    scanner->content.whole = content;
    scanner->size = object->size;
    scanner->is_range = object->flags & OBJECT_RANGE;
    scanner->at = 0;
    scanner->failed = false;
    buffer_reset(&scanner->out);
    begin_part(scanner);
    return true;
}

static void scanner_data(void *state, const void *data, size_t len)
{
    struct scanner *scanner = state;
    const char *p = data;

    while (len > 0 && !scanner->failed) {
        const uint64_t left = scanner->len - scanner->done;
        const size_t piece = len < left ? len : (size_t)left;

        if (left == 0) {
            end_part(scanner);
            begin_part(scanner);
            if (scanner->len == 0)
                return; /* more data than the object's size */
            continue;
        }
        fail(scanner, hasher_update(scanner->hasher, p, piece, &scanner->err));
        if (is_large(scanner) && !scanner->failed)
            match_samples(scanner);
        scanner->done += piece;
        p += piece;
        len -= piece;
    }
}

static void scanner_zeros(void *state, uint64_t len)
{
    inspector_zeros(scanner_data, state, len);
}

/* Every chunk has a digest, so with chunks there are no holes. */
static void scanner_hole(void *state, uint64_t len)
{
    struct scanner *scanner = state;

    if (scanner->failed)
        return;
    fail(scanner, hasher_skip(scanner->hasher, len, &scanner->err));
    scanner->done += len;
}

static void scanner_end(void *state, struct object *object)
{
    struct scanner *scanner = state;

    end_part(scanner);
    fail(scanner, scanner->out.failed ? error_set(&scanner->err, "out of memory") : 0);
    wire_put(&object->result, scanner->failed);
    if (scanner->failed)
        wire_put_bytes(&object->result, scanner->err.text, strlen(scanner->err.text));
    else
        buffer_add(&object->result, scanner->out.data, scanner->out.len);
}

/* ---- the inspector ---- */

int scanner_inspector(struct inspector *inspector, const struct scanner_plan *plan, struct error *err)
{
    char **folders = calloc(plan->count + 1, sizeof(char *));
    struct lanes lanes;

    *inspector = (struct inspector){.open = scanner_open,
                                    .opens = scanner_opens,
                                    .begin = scanner_begin,
                                    .data = scanner_data,
                                    .zeros = scanner_zeros,
                                    .hole = plan->chunk ? NULL : scanner_hole,
                                    .end = scanner_end,
                                    .arg = (void *)plan,
                                    .folders = (const char *const *)folders,
                                    .memory = WORKER_MEMORY};
    if (!folders)
        return error_set(err, "out of memory");
    for (size_t i = 0; i < plan->count; i++) {
        folders[i] = path_folder(plan->paths[i]);
        if (!folders[i])
            return error_set(err, "out of memory");
        inspector->memory += refset_search_memory(plan->searches[i]);
    }
    if (lanes_divide(&lanes, plan->searches, plan->keys, plan->count, err))
        return -1;
    inspector->memory += (lanes.count - 1) * KEY_MEMORY;
    return 0;
}

void scanner_inspector_release(struct inspector *inspector)
{
    for (size_t i = 0; inspector->folders && inspector->folders[i]; i++)
        free((char *)inspector->folders[i]);
    free((void *)inspector->folders);
    inspector->folders = NULL;
}

/* ---- what came out ---- */

void scanner_result_begin(struct scanner_result *result, const struct object *object)
{
    *result = (struct scanner_result){.wire = {object->result.data, object->result.len, false},
                                      .size = object->size};
}

static bool get_part(struct wire *wire, const struct scanner_plan *plan, uint64_t left,
                     struct scanner_part *part)
{
    const void *digests;
    uint64_t verdict;
    size_t len;

    part->len = wire_get(wire);
    digests = wire_get_bytes(wire, &len);
    if (len == sizeof part->digests)
        memcpy(&part->digests, digests, len);
    verdict = wire_get(wire);
    if (len != sizeof part->digests || (part->digests.kinds & ~plan->digests) || part->len > left ||
        verdict > VERDICT_LOW_ENTROPY || !finding_list_decode(wire, part->len, &part->findings))
        return false;
    part->verdict = (enum verdict)verdict;
    for (size_t i = 0; i < part->findings.count; i++)
        if (part->findings.list[i].set >= plan->count)
            return false;
    if (part->findings.count == 0)
        return part->verdict > VERDICT_FRAGMENT;
    return part->verdict == part->findings.list[0].verdict;
}

int scanner_result_next(struct scanner_result *result, const struct scanner_plan *plan,
                        struct scanner_part *part, struct error *err)
{
    struct wire *wire = &result->wire;

    if (!result->begun && wire_get(wire)) {
        size_t len;
        const char *text = wire_get_bytes(wire, &len);

        return error_set(err, "%.*s", (int)(len < 1000 ? len : 1000), text);
    }
    result->begun = true;
    if (!wire_more(wire) && !wire->broken)
        return 0;
    if (!get_part(wire, plan, result->size - result->at, part)) {
        error_set(err, "invalid result from worker");
        return SCANNER_INVALID;
    }
    part->start = result->at;
    result->at += part->len;
    return 1;
}
