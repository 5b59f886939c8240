/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REFSET_TWIN_H
#define KITH_REFSET_TWIN_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "file.h"
#include "set/keep.h"
#include "set/refset_inner.h"
#include "set/refset_reader.h"
#include "set/refset_search.h"
#include "set/refset_verify.h"
#include "set/refset_writer.h"
#include "stored_twin.h"

/*
 * Shared by the tests of reference sets: a set in a folder of its own, and a naive twin of it, a plain array
 * of what was added, which gives the expected results.
 */

#define UNUSED __attribute__((unused))

/* ---- a set in a folder ---- */

enum { NOW = 1700000000 };

static UNUSED const char *beside(const char *name)
{
    static char out[4][100];
    static unsigned turn;

    turn = (turn + 1) % 4;
    snprintf(out[turn], sizeof out[turn], "%s/%s", folder, name);
    return out[turn];
}

/* In memory if possible, because every commit is waited for. */
static UNUSED void begin_test(void)
{
    strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/test_refset.XXXXXX" : "/tmp/test_refset.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.kset", folder);
}

static UNUSED void end_test(void)
{
    static const char *const names[] = {"a.kset", "a.kset-wal", "a.kset-shm", "a.kset-journal",
                                        "b.kset", "b.kset-wal", "b.kset-shm", "b.kset-journal"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(beside(names[i]));
    ck_assert_int_eq(rmdir(folder), 0);
}

static UNUSED struct refset_params small_params(uint32_t common)
{
    struct refset_params params = refset_defaults(path);

    params.common = common;
    return params;
}

static UNUSED struct refset *create_at(const char *where, uint32_t common)
{
    const struct refset_params params = small_params(common);
    struct refset *set = refset_create(where, &params, "test 1", NOW, &err);

    ck_assert_msg(set != NULL, "%s", err.text);
    return set;
}

static UNUSED struct refset *open_as(enum refset_mode mode)
{
    struct refset *set = refset_open(path, mode, &err);

    ck_assert_msg(set != NULL, "%s", err.text);
    return set;
}

static UNUSED void close_set(struct refset *set)
{
    ck_assert_msg(refset_close(set, &err) == 0, "%s", err.text);
}

static UNUSED struct refset *reopen(struct refset *set, enum refset_mode mode)
{
    close_set(set);
    return open_as(mode);
}

static const struct refset_source a_source = {.path = "/a folder\xff",
                                              .path_len = 10,
                                              .kind = "folder",
                                              .format = "",
                                              .time = 1000,
                                              .tool = "test 1",
                                              .note = ""};

static UNUSED struct refset_writer *write_to(struct refset *set, bool all_names)
{
    struct refset_writer *writer = refset_writer_new(set, all_names, &err);

    ck_assert_msg(writer != NULL, "%s", err.text);
    ck_assert_int_ge(refset_writer_source(writer, &a_source, &err), 0);
    return writer;
}

static UNUSED void commit(struct refset_writer *writer)
{
    ck_assert_msg(refset_writer_commit(writer, &err) == 0, "%s", err.text);
}

/* ---- damaging a set, with correct page checksums ---- */

/* ---- damaging it, with correct page checksums ---- */

static const struct database_format *const stored_format = &refset_format;

static int verify_stored(void)
{
    return refset_verify(path, take_fault, NULL, NULL, &err);
}

/* ---- contents ---- */

enum { MOST_CONTENTS = 400, MOST_SAMPLES = 64, MOST_NAMES = 4, NAME_ROOM = 24, SHARED = 48, N = 12 };

struct content {
    struct digest_values digests; /* all of them */
    enum digest_kind anchor;      /* always given, so that no two rows are of the same content */
    uint64_t size;
    struct sampler_params params; /* of the record as it is offered */
    uint32_t coincidence;
    struct sample samples[MOST_SAMPLES];
    size_t count;
    struct sample kept[MOST_SAMPLES];
    size_t kept_count;
    uint32_t kept_c;
    uint8_t *blocks;
    size_t blocks_len;
    char names[MOST_NAMES][NAME_ROOM];
    /* what the set must know of it */
    unsigned kinds;
    bool has_size, has_record, has_blocks;
    int first_name;
    bool further[MOST_NAMES];
    uint64_t order; /* of its record: it came as this one */
};

struct twin {
    struct content contents[MOST_CONTENTS];
    size_t count;
    uint64_t shared[SHARED]; /* fingerprints that many have */
    uint64_t records;
    uint32_t c, block, common;
};

static struct twin twin;

static UNUSED uint64_t random_below(uint64_t limit)
{
    return random64() % limit;
}

static inline uint64_t make_fp(const struct content *content)
{
    const uint64_t kind = random_below(10);

    if (kind < 3)
        return twin.shared[random_below(1 + random_below(SHARED))];
    if (kind < 5 && content->count)
        return content->samples[random_below(content->count)].fp ^
               (random64() & 0xffff); /* the same key or not quite */
    return random64() / content->params.c;
}

static inline void make_samples(struct content *content)
{
    const size_t wanted = random_below(8) == 0 ? 0 : random_below(MOST_SAMPLES);
    uint64_t pos = random_below(20);

    while (content->count < wanted && pos + N <= content->size) {
        uint64_t fp = make_fp(content);

        if (fp > UINT64_MAX / content->params.c)
            fp /= content->params.c;
        content->samples[content->count++] = (struct sample){pos, fp};
        pos += 1 + random_below(content->size / MOST_SAMPLES + 1);
    }
}

/* The samples as the set keeps them. */
static inline void make_kept(struct content *content)
{
    const uint32_t wanted = known_c(content->size, twin.c);

    content->kept_c = wanted > content->params.c ? wanted : content->params.c;
    for (size_t i = 0; i < content->count; i++)
        if (content->samples[i].fp < ((unsigned __int128)1 << 64) / content->kept_c) {
            struct sample *sample = &content->kept[content->kept_count++];

            *sample = content->samples[i];
            sample->fp &= ~(((uint64_t)1 << KNOWN_KEY_SHIFT) - KNOWN_SYMBOLS);
        }
}

static inline void make_content(struct content *content)
{
    static const uint64_t sizes[] = {30, 3000, 20000, 200000, (5 << 20) + 1};

    *content = (struct content){.first_name = -1};
    fill_random((uint8_t *)content->digests.bytes, sizeof content->digests.bytes);
    content->digests.kinds = DIGEST_BIT(DIGEST_KINDS) - 1;
    content->anchor = (enum digest_kind)random_below(DIGEST_KINDS);
    content->size = random_below(sizes[random_below(sizeof sizes / sizeof *sizes)]);
    content->params = (struct sampler_params){SAMPLER_GF8, N, known_c(content->size, twin.c), 0};
    if (random_below(3) == 0 && content->params.c >= 16)
        content->params.c /= 4; /* denser than the set keeps */
    content->coincidence = (uint32_t)random_below(SAMPLER_COINCIDENCE_ONE + 1);
    make_samples(content);
    make_kept(content);
    content->blocks_len = blocks_count(content->size, twin.block) * DIGEST_SHA1_LEN;
    content->blocks = malloc(content->blocks_len + 1);
    fill_random(content->blocks, content->blocks_len);
    for (int i = 0; i < MOST_NAMES; i++) {
        fill_random((uint8_t *)content->names[i], NAME_ROOM - 1);
        content->names[i][1 + random_below(NAME_ROOM - 2)] = '\0';
        if (!content->names[i][0])
            content->names[i][0] = '/';
        content->names[i][NAME_ROOM - 2] = (char)('0' + i); /* no two are the same */
        content->names[i][NAME_ROOM - 1] = '\0';
    }
}

static UNUSED void twin_begin(size_t count, uint32_t common)
{
    twin.count = count;
    twin.records = 0;
    twin.c = SAMPLER_DEFAULT_C;
    twin.block = BLOCKS_DEFAULT;
    twin.common = common;
    for (int i = 0; i < SHARED; i++)
        twin.shared[i] = random64() >> 14;
    for (size_t i = 0; i < count; i++)
        make_content(&twin.contents[i]);
}

static UNUSED void twin_end(void)
{
    for (size_t i = 0; i < twin.count; i++)
        free(twin.contents[i].blocks);
    twin.count = 0;
}

/* A test of a set and of contents to be added to it. */
static UNUSED struct refset *begin_set(size_t contents, uint32_t common)
{
    begin_test();
    twin_begin(contents, common);
    return create_at(path, common);
}

static UNUSED void end_set(struct refset *set)
{
    close_set(set);
    assert_good();
    twin_end();
    end_test();
}

/* ---- offering contents ---- */

struct offer {
    unsigned kinds;
    bool has_size, has_record, has_blocks;
    int names[MOST_NAMES]; /* -1: none */
};

static UNUSED struct offer all_of(const struct content *content)
{
    (void)content;
    return (struct offer){DIGEST_BIT(DIGEST_KINDS) - 1, true, true, true, {0, 1, 2, 3}};
}

static UNUSED struct offer any_of(const struct content *content)
{
    struct offer offer = {.kinds = (unsigned)random_below(1 << DIGEST_KINDS) | DIGEST_BIT(content->anchor)};

    offer.has_record = random_below(2);
    offer.has_size = offer.has_record || random_below(2);
    offer.has_blocks = offer.has_record && random_below(4) > 0;
    if (offer.has_record)
        offer.kinds |= DIGEST_BIT(DIGEST_SHA1);
    for (int i = 0; i < MOST_NAMES; i++)
        offer.names[i] = (int)random_below(MOST_NAMES + 6) - 6 < 0 ? -1 : (int)random_below(MOST_NAMES);
    return offer;
}

static inline void fill_known(struct known *known, const struct content *content, const struct offer *offer)
{
    known_reset(known);
    known->digests = content->digests;
    known->digests.kinds = offer->kinds;
    known->has_size = offer->has_size;
    known->size = offer->has_size ? content->size : 0;
    known->has_record = offer->has_record;
    for (int i = 0; i < MOST_NAMES; i++)
        if (offer->names[i] >= 0)
            known_add_name(known, content->names[offer->names[i]], NAME_ROOM);
    if (!offer->has_record)
        return;
    known->record.params = content->params;
    known->record.coincidence = content->coincidence;
    known->record.len = content->size;
    /* Not ck_assert: a process that is going to be killed comes here, too, and must not leave half a message
     * to Check. */
    if (record_set_samples(&known->record, content->samples, content->count, &err))
        abort();
    if (offer->has_blocks)
        buffer_add(&known->blocks, content->blocks, content->blocks_len);
}

static inline bool take_name(struct content *content, int name)
{
    if (name < 0 || name == content->first_name || content->further[name])
        return false;
    if (content->first_name < 0)
        content->first_name = name;
    else
        content->further[name] = true;
    return true;
}

/* What the writer must return. */
static inline enum refset_added twin_add(struct content *content, const struct offer *offer)
{
    const bool is_new = !content->kinds;
    bool changed = (offer->kinds & ~content->kinds) || (offer->has_size && !content->has_size);

    content->kinds |= offer->kinds;
    content->has_size |= offer->has_size;
    if (offer->has_record && !content->has_record) {
        content->has_record = changed = true;
        content->has_blocks = offer->has_blocks && content->blocks_len;
        content->order = ++twin.records;
    } else if (offer->has_record && offer->has_blocks && content->blocks_len && !content->has_blocks) {
        content->has_blocks = changed = true;
    }
    for (int i = 0; i < MOST_NAMES; i++)
        changed |= take_name(content, offer->names[i]);
    return is_new ? REFSET_ADDED : changed ? REFSET_EXTENDED : REFSET_THERE;
}

static UNUSED void offer_to(struct refset_writer *writer, struct content *content, struct offer offer)
{
    static struct known known;
    const enum refset_added wanted = twin_add(content, &offer);
    enum refset_added added;

    fill_known(&known, content, &offer);
    added = refset_writer_add(writer, &known, &err);
    ck_assert_msg(added == wanted, "%d instead of %d: %s", added, wanted, err.text);
    known_release(&known);
}

/* In random order, some more than once; committed at random moments, on average after this many. */
static UNUSED void fill_set(struct refset *set, unsigned batch)
{
    struct refset_writer *writer = write_to(set, true);

    for (size_t i = 0; i < 3 * twin.count; i++) {
        struct content *content = &twin.contents[random_below(twin.count)];

        offer_to(writer, content, any_of(content));
        if (random_below(batch) == 0)
            commit(writer);
    }
    commit(writer);
    refset_writer_free(writer);
}

/* ---- what must be there ---- */

static inline bool same_digests(const struct digest_values *a, const struct digest_values *b, unsigned kinds)
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if ((kinds & DIGEST_BIT(kind)) &&
            memcmp(a->bytes[kind], b->bytes[kind], digest_len((enum digest_kind)kind)) != 0)
            return false;
    return true;
}

static UNUSED struct content *content_of(const struct digest_values *digests)
{
    for (size_t i = 0; i < twin.count; i++)
        if (digests->kinds && same_digests(&twin.contents[i].digests, digests, digests->kinds))
            return &twin.contents[i];
    return NULL;
}

/* Of a damaged set: samples may be missing, but none is wrong. */
static UNUSED void assert_rest_of_record(const struct content *content, const struct record *record)
{
    size_t at = 0;

    for (size_t i = 0; i < record->count; i++, at++) {
        while (at < content->kept_count && content->kept[at].pos != record->samples[i].pos)
            at++;
        ck_assert_uint_lt(at, content->kept_count);
        ck_assert_uint_eq(record->samples[i].fp, content->kept[at].fp);
    }
}

static inline void assert_record(const struct content *content, const struct record *record,
                                 const struct buffer *blocks, uint64_t mask)
{
    ck_assert_uint_eq(record->count, content->kept_count);
    for (size_t i = 0; i < record->count; i++) {
        ck_assert_uint_eq(record->samples[i].pos, content->kept[i].pos);
        ck_assert_uint_eq(record->samples[i].fp, content->kept[i].fp & mask);
    }
    ck_assert_int_eq(record->params.scheme, SAMPLER_GF8);
    ck_assert_uint_eq(record->params.n, N);
    ck_assert_uint_eq(record->params.c, content->kept_c);
    ck_assert_uint_eq(record->coincidence, content->coincidence);
    ck_assert_uint_eq(record->len, content->size);
    ck_assert_uint_eq(blocks->len, content->has_blocks ? content->blocks_len : 0);
    if (blocks->len)
        ck_assert_mem_eq(blocks->data, content->blocks, blocks->len);
}

static inline void assert_names(const struct content *content, const struct buffer *names)
{
    bool found[MOST_NAMES] = {false};
    size_t count = 0;

    for (size_t at = 0; at < names->len; at += strlen(names->data + at) + 1, count++) {
        int name = 0;

        while (name < MOST_NAMES && strcmp(content->names[name], names->data + at) != 0)
            name++;
        ck_assert_int_lt(name, MOST_NAMES);
        ck_assert(!found[name]);
        found[name] = true;
        ck_assert_int_eq(name == content->first_name, at == 0);
    }
    for (int name = 0; name < MOST_NAMES; name++)
        ck_assert_int_eq(found[name], content->further[name] || name == content->first_name);
}

static inline void assert_known(const struct content *content, const struct known *known, bool with_records)
{
    ck_assert_uint_eq(known->digests.kinds, content->kinds);
    ck_assert_int_eq(known->has_size, content->has_size);
    if (known->has_size)
        ck_assert_uint_eq(known->size, content->size);
    assert_names(content, &known->names);
    if (!with_records)
        return;
    ck_assert_int_eq(known->has_record, content->has_record);
    if (known->has_record)
        assert_record(content, &known->record, &known->blocks, UINT64_MAX);
}

/* The reader gives each file once: those with records in the order in which these came, then the others. */
static UNUSED void assert_read(struct refset *set, bool with_records)
{
    struct refset_reader *reader = refset_reader_new(set, with_records, &err);
    static bool seen[MOST_CONTENTS];
    uint64_t order = 0, last_id = 0;
    size_t files = 0;
    int result;

    ck_assert_msg(reader != NULL, "%s", err.text);
    memset(seen, 0, sizeof seen);
    while ((result = refset_reader_next(reader, &err)) > 0) {
        const struct content *content = content_of(&refset_reader_known(reader)->digests);

        ck_assert_ptr_nonnull(content);
        ck_assert(!seen[content - twin.contents]);
        seen[content - twin.contents] = true;
        assert_known(content, refset_reader_known(reader), with_records);
        if (content->has_record) {
            ck_assert_uint_eq(content->order, ++order);
        } else {
            ck_assert_uint_eq(order, twin.records);
            ck_assert_uint_gt(refset_reader_id(reader), last_id);
            last_id = refset_reader_id(reader);
        }
        files++;
    }
    ck_assert_msg(result == 0, "%s", err.text);
    refset_reader_free(reader);
    for (size_t i = 0; i < twin.count; i++)
        ck_assert_int_eq(seen[i], twin.contents[i].kinds != 0);
    ck_assert_uint_eq(files, refset_info(set)->counts.files);
}

static UNUSED void assert_counts(struct refset *set)
{
    struct refset_counts counts = {0};
    const struct refset_counts *stated = &refset_info(set)->counts;

    for (size_t i = 0; i < twin.count; i++) {
        const struct content *content = &twin.contents[i];

        if (!content->kinds)
            continue;
        counts.files++;
        counts.records += content->has_record;
        counts.without_sha1 += !(content->kinds & DIGEST_BIT(DIGEST_SHA1));
        counts.bytes += content->has_size ? content->size : 0;
        counts.samples += content->has_record ? content->kept_count : 0;
        for (int name = 0; name < MOST_NAMES; name++)
            counts.names += content->further[name];
    }
    ck_assert_uint_eq(stated->files, counts.files);
    ck_assert_uint_eq(stated->records, counts.records);
    ck_assert_uint_eq(stated->without_sha1, counts.without_sha1);
    ck_assert_uint_eq(stated->bytes, counts.bytes);
    ck_assert_uint_eq(stated->samples, counts.samples);
    ck_assert_uint_eq(stated->names, counts.names);
    ck_assert_uint_gt(stated->next_sample, counts.samples);
}

/* ---- looking things up ---- */

/* The number of the first sample of the content with this key, or -1. */
static UNUSED int first_with(const struct content *content, uint64_t key)
{
    const size_t count = content->has_record ? content->kept_count : 0;

    for (size_t i = 0; i < count; i++)
        if (known_key(content->kept[i].fp) == key)
            return (int)i;
    return -1;
}

static UNUSED size_t files_with(uint64_t key)
{
    size_t files = 0;

    for (size_t i = 0; i < twin.count; i++)
        files += first_with(&twin.contents[i], key) >= 0;
    return files;
}

/* Its places as samples. */
static inline struct record samples_of(const struct set_record *from)
{
    struct record record = {.params = {.scheme = SAMPLER_GF8, .n = N, .c = from->place.c},
                            .len = from->place.len,
                            .coincidence = from->coincidence};

    ck_assert_int_eq(record_resize(&record, from->places.count, &err), 0);
    for (size_t i = 0; i < record.count; i++) {
        const uint64_t place = places_at(&from->places, i);

        record.samples[i] = (struct sample){places_position(place), places_character(place)};
    }
    return record;
}

/* The sample is the first one with the key in one of the files; returns whose it is. */
static inline const struct content *assert_sample(struct refset_search *search, uint64_t sample, uint64_t key)
{
    struct set_file file = {0};
    struct set_record record = {0};
    struct record unpacked;
    const struct content *content;

    ck_assert_int_eq(refset_search_record(search, sample, &record, &err), 1);
    ck_assert_int_eq(refset_search_file(search, record.place.file, &file, &err), 1);
    ck_assert(file.has_record && file.first == record.place.first && file.id == record.place.file);
    content = content_of(&file.digests);
    ck_assert_ptr_nonnull(content);
    unpacked = samples_of(&record);
    assert_record(content, &unpacked, &record.blocks, KNOWN_SYMBOLS - 1);
    record_release(&unpacked);
    ck_assert_int_eq(first_with(content, key), (int)(sample - record.place.first));
    set_record_release(&record);
    set_file_release(&file);
    return content;
}

static inline void assert_hits(struct refset_search *search, const struct set_hit *hits, size_t count,
                               uint64_t key)
{
    const size_t files = files_with(key);
    const size_t kept = twin.common < KEEP_MOST ? twin.common : KEEP_MOST;

    ck_assert_uint_eq(count, files > twin.common ? kept : files);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(hits[i].files, files);
        ck_assert(i == 0 || hits[i].sample > hits[i - 1].sample);
        assert_sample(search, hits[i].sample, key);
    }
}

static inline int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* All keys of the twin, once each, and as many other keys. */
static inline size_t gather_keys(uint64_t *keys)
{
    size_t count = 0, kept = 0;

    for (size_t i = 0; i < twin.count; i++)
        for (size_t j = 0; j < twin.contents[i].count; j++) {
            keys[count++] = known_key(twin.contents[i].samples[j].fp);
            keys[count++] = known_key(random64());
        }
    qsort(keys, count, sizeof *keys, by_size);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || keys[i] != keys[kept - 1])
            keys[kept++] = keys[i];
    return kept;
}

/* In one call. */
static UNUSED void assert_features_found(struct refset_search *search)
{
    static uint64_t keys[2 * MOST_CONTENTS * MOST_SAMPLES];
    const size_t count = gather_keys(keys);
    struct set_hits hits = {0};
    size_t at = 0, end;

    ck_assert_msg(refset_search_features(search, keys, count, &hits, &err) == 0, "%s", err.text);
    for (uint32_t query = 0; query < count; query++, at = end) {
        for (end = at; end < hits.count && hits.list[end].query == query;)
            end++;
        assert_hits(search, end > at ? &hits.list[at] : NULL, end - at, keys[query]);
    }
    ck_assert_uint_eq(at, hits.count);
    set_hits_release(&hits);
}

/* By each digest alone. */
static UNUSED void assert_digests_found(struct refset_search *search)
{
    struct set_file file = {0};

    for (size_t i = 0; i < twin.count; i++)
        for (int kind = 0; kind < DIGEST_KINDS; kind++) {
            const struct content *content = &twin.contents[i];
            struct digest_values digests = content->digests;
            uint64_t id = 77, listed = 77;

            digests.kinds = DIGEST_BIT(kind);
            ck_assert_int_eq(refset_search_digests(search, &digests, 0, &id, &err), 0);
            ck_assert_int_eq(refset_search_digest_list(search, (enum digest_kind)kind, &digests.bytes[kind],
                                                       1, &listed, &err),
                             0);
            ck_assert_uint_eq(id, listed);
            ck_assert_int_eq(id != 0, (content->kinds & DIGEST_BIT(kind)) != 0);
            if (!id)
                continue;
            ck_assert_int_eq(refset_search_file(search, id, &file, &err), 1);
            ck_assert_ptr_eq(content_of(&file.digests), content);
            ck_assert_uint_eq(file.digests.kinds, content->kinds);
            ck_assert_int_eq(file.has_size, content->has_size);
            ck_assert_int_eq(file.has_record, content->has_record);
        }
    set_file_release(&file);
}

static UNUSED void assert_found(struct refset *set)
{
    struct refset_search *search =
        refset_search_new(set, REFSET_SEARCH_FEATURES | REFSET_SEARCH_DIGESTS, &err);

    ck_assert_msg(search != NULL, "%s", err.text);
    assert_features_found(search);
    assert_digests_found(search);
    refset_search_free(search);
}

/* The set holds what the twin does, and nothing else. */
static UNUSED void assert_twins(struct refset *set)
{
    assert_counts(set);
    assert_read(set, true);
    assert_found(set);
}

/* ---- everything that can be done with a set, whatever the result ---- */

static UNUSED void ignore(void *arg, const char *text)
{
    (void)arg;
    (void)text;
}

static inline void read_whatever(struct refset *set, bool forgive)
{
    struct refset_reader *reader = refset_reader_new(set, true, &err);
    int files = 0;

    if (reader && forgive)
        refset_reader_forgive(reader, ignore, NULL);
    while (reader && files++ < 2 * MOST_CONTENTS && refset_reader_next(reader, &err) > 0) {
        const struct known *known = refset_reader_known(reader);

        ck_assert_int_eq(
            known_check(known, refset_info(set)->params.n, 0, refset_info(set)->params.block, &err), 0);
    }
    refset_reader_free(reader);
}

static inline void search_whatever(struct refset *set)
{
    struct refset_search *search =
        refset_search_new(set, REFSET_SEARCH_FEATURES | REFSET_SEARCH_DIGESTS, &err);
    struct set_hits hits = {0};
    struct set_record record = {0};
    uint64_t id;

    for (size_t i = 0; search && i < twin.count; i++) {
        const struct content *content = &twin.contents[i];

        for (size_t j = 0; j < content->count; j += 7) {
            const uint64_t key = known_key(content->samples[j].fp);

            refset_search_features(search, &key, 1, &hits, &err);
        }
        if (refset_search_digests(search, &content->digests, 0, &id, &err) == 0 && id) {
            struct set_file file = {0};

            refset_search_file(search, id, &file, &err);
            set_file_release(&file);
        }
    }
    for (size_t i = 0; i < hits.count; i++)
        if (refset_search_record(search, hits.list[i].sample, &record, &err) > 0)
            ck_assert_uint_gt(record.places.count, 0);
    set_hits_release(&hits);
    refset_search_free(search);
    set_record_release(&record);
}

static UNUSED void write_whatever(void)
{
    struct refset *set = refset_open(path, REFSET_WRITE, &err);
    struct refset_writer *writer = set ? refset_writer_new(set, true, &err) : NULL;
    struct known known = {0};
    enum refset_added added = REFSET_ADDED;

    if (writer && refset_writer_source(writer, &a_source, &err) >= 0) {
        for (size_t i = 0; i < 5 && added != REFSET_FAILED; i++) {
            const struct offer offer = all_of(&twin.contents[i]);

            fill_known(&known, &twin.contents[i], &offer);
            added = refset_writer_add(writer, &known, &err);
        }
        if (added != REFSET_FAILED)
            refset_writer_compact(writer, 0, &err);
    }
    known_release(&known);
    refset_writer_free(writer);
    refset_close(set, NULL);
}

static UNUSED void use_whatever(void)
{
    struct refset *set = refset_open(path, REFSET_READ, &err);

    if (set) {
        read_whatever(set, false);
        read_whatever(set, true);
        search_whatever(set);
        close_set(set);
    }
    count_faults();
}

#endif
