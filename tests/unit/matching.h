/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MATCHING_H
#define KITH_MATCHING_H

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "match/scanner.h"
#include "memory_set.h"
#include "same.h"
#include "sample/blocks.h"
#include "sample/hasher_pair.h"
#include "set/known.h"
#include "set/refset_cache.h"
#include "set/refset_writer.h"

/*
 * Shared by the tests of matching.  Sets are made of files in memory, objects are scanned as a worker does
 * it, and the findings are compared with how the objects were made.  Each object is also matched with sets in
 * memory of the same files, which must give the same findings.
 */

enum { NOW = 1700000000, MOST_SETS = 4, MOST_PARTS = 8, PAIR_C = SAMPLER_DEFAULT_C };

/* ---- what a test works with ---- */

struct bytes {
    uint8_t *data;
    size_t len;
};

struct object_bytes {
    struct content content;
    struct bytes bytes;
    bool gone; /* it cannot be read a second time */
};

static struct {
    struct error err;
    char folder[64];
    char paths[MOST_SETS][100];
    const char *names[MOST_SETS]; /* the same */
    struct refset *sets[MOST_SETS];
    struct refset_writer *writers[MOST_SETS];
    struct refset_search *searches[MOST_SETS];
    struct memory_set twins[MOST_SETS]; /* with the same files */
    size_t set_count;
    struct bytes files[2]; /* of begin_files */

    struct scanner_plan plan;
    struct inspector inspector;
    void *scanners[16], *scanner; /* they live as long as their process */
    size_t scanner_count;

    struct object object;
    unsigned object_flags;
    struct object_bytes current;
    struct scanner_part parts[MOST_PARTS]; /* what was found in it */
    size_t part_count;
} fixture;

static inline uint64_t random_below(uint64_t limit)
{
    return random64() % limit;
}

/* ---- bytes ---- */

static inline struct bytes new_bytes(size_t len)
{
    struct bytes bytes = {malloc(len + 1), len};

    ck_assert_ptr_nonnull(bytes.data);
    return bytes;
}

static inline struct bytes random_bytes(size_t len)
{
    struct bytes bytes = new_bytes(len);

    for (size_t i = 0; i < len; i += 8) {
        const uint64_t eight = random64();

        memcpy(bytes.data + i, &eight, len - i < 8 ? len - i : 8);
    }
    return bytes;
}

static inline struct bytes text(size_t len)
{
    struct bytes bytes = new_bytes(len);

    fill_text(bytes.data, len);
    return bytes;
}

static inline struct bytes copy_of(struct bytes bytes, size_t from, size_t to)
{
    struct bytes copy = new_bytes(to - from);

    memcpy(copy.data, bytes.data + from, to - from);
    return copy;
}

static inline void put(struct bytes into, size_t at, struct bytes bytes)
{
    ck_assert_uint_le(at + bytes.len, into.len);
    memcpy(into.data + at, bytes.data, bytes.len);
}

/* Changes this many bytes, one in each of as many equal parts. */
static inline void substitute(struct bytes bytes, size_t count)
{
    const size_t part = bytes.len / count;

    for (size_t i = 0; i < count; i++)
        bytes.data[i * part + random_below(part)] ^= (uint8_t)(1 + random_below(255));
}

/* ---- sets ---- */

static inline void begin_test(void)
{
    strcpy(fixture.folder,
           access("/dev/shm", W_OK) == 0 ? "/dev/shm/test_matcher.XXXXXX" : "/tmp/test_matcher.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(fixture.folder));
    fixture.set_count = 0;
}

/* common: samples that more files have are not looked up. */
static inline size_t new_set_with(enum refset_kind kind, uint32_t n, uint32_t c, uint32_t common)
{
    static const struct refset_source source = {
        .path = "/a", .path_len = 2, .kind = "folder", .format = "", .tool = "test 1", .note = ""};
    const size_t i = fixture.set_count++;
    struct refset_params params;

    snprintf(fixture.paths[i], sizeof fixture.paths[i], "%s/%zu.kith", fixture.folder, i);
    params = refset_defaults(fixture.paths[i]);
    params.kind = kind;
    params.n = n;
    params.c = c;
    params.common = common;
    fixture.sets[i] = refset_create(fixture.paths[i], &params, "test 1", NOW, &fixture.err);
    ck_assert_msg(fixture.sets[i] != NULL, "%s", fixture.err.text);
    fixture.writers[i] = refset_writer_new(fixture.sets[i], true, &fixture.err);
    ck_assert_msg(fixture.writers[i] != NULL, "%s", fixture.err.text);
    ck_assert_int_ge(refset_writer_source(fixture.writers[i], &source, &fixture.err), 0);
    memory_set_begin(&fixture.twins[i], &params);
    return i;
}

static inline size_t new_set_of(enum refset_kind kind, uint32_t n, uint32_t c)
{
    return new_set_with(kind, n, c, REFSET_DEFAULT_COMMON);
}

static inline size_t new_set(enum refset_kind kind)
{
    return new_set_of(kind, SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C);
}

/* Digests and samples, as for adding to a set, or for matching with one. */
static inline void sign(struct record *record, struct bytes bytes, uint32_t n, uint32_t c)
{
    const struct sampler_key *const none = NULL;
    struct hasher_pair hashers;
    struct hasher *hasher;

    ck_assert_int_eq(hasher_pair_open(&hashers, n, c, &none, 1, DIGEST_BIT(DIGEST_KINDS) - 1, &fixture.err),
                     0);
    hasher = hasher_pair_for(&hashers, bytes.len);
    ck_assert_int_eq(hasher_begin(hasher, bytes.len, &fixture.err), 0);
    ck_assert_int_eq(hasher_update(hasher, bytes.data, bytes.len, &fixture.err), 0);
    ck_assert_int_eq(hasher_final(hasher, record, &fixture.err), 0);
    hasher_pair_close(&hashers);
}

static inline void put_blocks(struct known *known, struct bytes bytes, uint32_t block)
{
    struct blocks *blocks = blocks_new(&fixture.err);
    const struct buffer *digests;

    ck_assert_ptr_nonnull(blocks);
    ck_assert_int_eq(blocks_begin(blocks, blocks_size(bytes.len, block), &fixture.err), 0);
    ck_assert_int_eq(blocks_update(blocks, bytes.data, bytes.len, &fixture.err), 0);
    digests = blocks_final(blocks, &fixture.err);
    ck_assert_ptr_nonnull(digests);
    if (blocks_count(bytes.len, block))
        buffer_add(&known->blocks, digests->data, digests->len);
    blocks_free(blocks);
}

static inline void add_known(size_t set, struct known *known)
{
    memory_set_add(&fixture.twins[set], known);
    ck_assert_int_eq(refset_writer_add(fixture.writers[set], known, &fixture.err), REFSET_ADDED);
    known_release(known);
}

static inline void add_file(size_t set, struct bytes bytes)
{
    const struct refset_params *params = &refset_info(fixture.sets[set])->params;
    struct known known = {0};

    sign(&known.record, bytes, params->n, params->c);
    known.digests = known.record.digests;
    known.size = bytes.len;
    known.has_size = known.has_record = true;
    put_blocks(&known, bytes, params->block);
    add_known(set, &known);
}

/* A hash-only entry with these digests, as from a list. */
static inline void add_digests(size_t set, struct bytes bytes, unsigned kinds)
{
    struct known known = {0};

    sign(&known.record, bytes, SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C);
    known.digests = known.record.digests;
    known.digests.kinds = kinds;
    add_known(set, &known);
}

static inline void add_strangers(size_t set, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct bytes bytes =
            i % 2 ? text(1000 + random_below(40000)) : random_bytes(1000 + random_below(40000));

        add_file(set, bytes);
        free(bytes.data);
    }
}

static inline uint64_t file_of(size_t set, struct bytes bytes)
{
    struct record record = {0};
    uint64_t file;

    sign(&record, bytes, SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C);
    record.digests.kinds = DIGEST_BIT(DIGEST_SHA1);
    ck_assert_int_eq(refset_search_digests(fixture.searches[set], &record.digests, 0, &file, &fixture.err),
                     0);
    ck_assert_uint_ne(file, 0);
    record_release(&record);
    return file;
}

/* ---- scanning ---- */

static inline ssize_t read_current(struct content *content, uint64_t offset, void *into, size_t len)
{
    const struct object_bytes *o = (const struct object_bytes *)content;

    ck_assert(offset <= o->bytes.len && len <= o->bytes.len - offset);
    if (o->gone)
        return -1;
    memcpy(into, o->bytes.data + offset, len);
    return (ssize_t)len;
}

/* Finishes the sets and makes a scanner for them. */
static inline void begin_scan(bool deep)
{
    for (size_t i = 0; i < fixture.set_count; i++) {
        ck_assert_msg(refset_writer_commit(fixture.writers[i], &fixture.err) == 0, "%s", fixture.err.text);
        refset_writer_free(fixture.writers[i]);
        ck_assert_int_eq(refset_close(fixture.sets[i], &fixture.err), 0);
        fixture.sets[i] = refset_open(fixture.paths[i], REFSET_READ, &fixture.err);
        ck_assert_msg(fixture.sets[i] != NULL, "%s", fixture.err.text);
        fixture.searches[i] =
            refset_search_new(fixture.sets[i], REFSET_SEARCH_FEATURES | REFSET_SEARCH_DIGESTS, &fixture.err);
        ck_assert_ptr_nonnull(fixture.searches[i]);
        fixture.names[i] = fixture.paths[i];
        memory_set_finish(&fixture.twins[i]);
    }
    fixture.plan = (struct scanner_plan){.paths = fixture.names,
                                         .searches = fixture.searches,
                                         .count = fixture.set_count,
                                         .matching = {.most_ln_e = log(1e-3)},
                                         .most = UINT64_MAX};
    ck_assert_msg(scanner_plan_sets(&fixture.plan, deep, &fixture.err) == 0, "%s", fixture.err.text);
}

static inline void end_test(void)
{
    for (size_t i = 0; i < MOST_PARTS; i++)
        finding_list_release(&fixture.parts[i].findings);
    object_release(&fixture.object);
    for (size_t i = 0; i < fixture.set_count; i++) {
        refset_search_free(fixture.searches[i]);
        ck_assert_int_eq(refset_close(fixture.sets[i], &fixture.err), 0);
        unlink(fixture.paths[i]);
        memory_set_release(&fixture.twins[i]);
    }
    ck_assert_int_eq(rmdir(fixture.folder), 0);
}

/* For different sets or a different plan. */
static inline void next_scanner(void)
{
    ck_assert_uint_lt(fixture.scanner_count, sizeof fixture.scanners / sizeof *fixture.scanners);
    fixture.scanners[fixture.scanner_count++] = fixture.scanner;
    fixture.scanner = NULL;
}

static inline void open_scanner(void)
{
    if (fixture.scanner)
        return;
    ck_assert_int_eq(scanner_inspector(&fixture.inspector, &fixture.plan, &fixture.err), 0);
    fixture.scanner = fixture.inspector.open(fixture.inspector.arg, NULL, &fixture.err);
    ck_assert_msg(fixture.scanner != NULL, "%s", fixture.err.text);
    scanner_inspector_release(&fixture.inspector);
}

static inline void read_parts(void)
{
    struct scanner_result result;
    uint64_t at = 0;
    int more;

    scanner_result_begin(&result, &fixture.object);
    fixture.part_count = 0;
    while ((more = scanner_result_next(&result, &fixture.plan, &fixture.parts[fixture.part_count],
                                       &fixture.err)) > 0) {
        ck_assert_uint_eq(fixture.parts[fixture.part_count].start, at);
        at += fixture.parts[fixture.part_count++].len;
        ck_assert_uint_lt(fixture.part_count, MOST_PARTS);
    }
    ck_assert_msg(more == 0, "%s", fixture.err.text);
    ck_assert_uint_eq(at, fixture.object.size);
}

/* ---- the same with sets in memory ---- */

/* All sets with samples have the same window. */
static inline uint32_t window_of_sets(void)
{
    uint32_t n = SAMPLER_DEFAULT_N;

    for (size_t i = 0; i < fixture.plan.count; i++)
        if (fixture.twins[i].info.counts.records)
            n = fixture.twins[i].info.params.n;
    return n;
}

static inline void match_with_twins(struct matcher *matcher, struct bytes bytes, struct findings *findings,
                                    enum verdict *verdict)
{
    struct object_bytes again = {
        .content = {.size = bytes.len, .read = read_current}, .bytes = bytes, .gone = fixture.current.gone};
    struct record record = {0};

    sign(&record, bytes, window_of_sets(), fixture.plan.c);
    record.digests.kinds &= fixture.plan.digests;
    matcher_begin(matcher, bytes.len, record.params.c, &again.content);
    if (fixture.object_flags & OBJECT_RANGE)
        matcher_is_range(matcher);
    ck_assert_int_eq(matcher_take(matcher, record.samples, record.count, &fixture.err), 0);
    ck_assert_int_eq(
        matcher_end(matcher, &record.digests, record.coincidence, findings, verdict, &fixture.err), 0);
    record_release(&record);
}

/* Whatever a scan finds with sets on disk is found with those in memory. */
static inline void compare_with_twins(struct bytes bytes)
{
    struct set *sets[MOST_SETS];
    struct matcher *matcher;

    for (size_t i = 0; i < fixture.plan.count; i++)
        sets[i] = &fixture.twins[i].base;
    matcher = matcher_new(sets, fixture.plan.count, &fixture.plan.matching, &fixture.err);
    ck_assert_ptr_nonnull(matcher);
    for (size_t i = 0; i < fixture.part_count; i++) {
        const struct scanner_part *part = &fixture.parts[i];
        const struct bytes chunk = {bytes.data + part->start, (size_t)part->len};
        struct findings findings = {0};
        enum verdict verdict;

        match_with_twins(matcher, chunk, &findings, &verdict);
        ck_assert_int_eq(verdict, part->verdict);
        ck_assert_uint_eq(findings.lacks, part->findings.lacks);
        ck_assert_uint_eq(findings.count, part->findings.count);
        for (size_t k = 0; k < findings.count; k++)
            assert_same_finding(&findings.list[k], &part->findings.list[k]);
        finding_list_release(&findings);
    }
    matcher_free(matcher);
}

/* ---- scanning an object ---- */

/* In pieces of up to `most` bytes; long runs of zeros may be passed as such. */
static inline void scan_in_pieces(struct bytes bytes, size_t most, bool tell_zeros)
{
    const bool gone = fixture.current.gone;

    open_scanner();
    object_reset(&fixture.object);
    fixture.object.size = bytes.len;
    fixture.object.flags = fixture.object_flags;
    fixture.current = (struct object_bytes){
        .content = {.size = bytes.len, .read = read_current}, .bytes = bytes, .gone = gone};
    ck_assert(fixture.inspector.begin(fixture.scanner, &fixture.object, &fixture.current.content));
    for (size_t at = 0, len; at < bytes.len; at += len) {
        const uint8_t *p = bytes.data + at;

        len = bytes.len - at < most ? bytes.len - at : 1 + random_below(most);
        if (tell_zeros && p[0] == 0 && memcmp(p, p + 1, len - 1) == 0)
            fixture.inspector.zeros(fixture.scanner, len);
        else
            fixture.inspector.data(fixture.scanner, p, len);
    }
    fixture.inspector.end(fixture.scanner, &fixture.object);
    read_parts();
    compare_with_twins(bytes);
}

static inline const struct findings *scan(struct bytes bytes)
{
    scan_in_pieces(bytes, SIZE_MAX, false);
    ck_assert_uint_eq(fixture.part_count, 1);
    return &fixture.parts[0].findings;
}

/* ---- findings ---- */

static inline void assert_range(const struct finding *finding, uint64_t at, uint64_t from, uint64_t to,
                                uint64_t slack)
{
    const struct finding_range *span = &finding->span;

    ck_assert_uint_le(span->obj_start, at + slack);
    ck_assert_uint_ge(span->obj_start + slack, at);
    ck_assert_uint_le(span->obj_end, at + to - from + slack);
    ck_assert_uint_ge(span->obj_end + slack, at + to - from);
    ck_assert_uint_le(span->ref_start, from + slack);
    ck_assert_uint_ge(span->ref_start + slack, from);
    ck_assert_uint_le(span->ref_end, to + slack);
    ck_assert_uint_ge(span->ref_end + slack, to);
}

static inline void assert_of(const struct finding *finding, size_t set, struct bytes reference)
{
    ck_assert_uint_eq(finding->set, set);
    ck_assert_uint_eq(finding->file, file_of(set, reference));
    ck_assert_uint_eq(finding->ref_size, reference.len);
}

/* The whole reference lies at this place, to the byte, and this is proved. */
static inline void assert_embedded(const struct finding *finding, size_t set, struct bytes reference,
                                   uint64_t at)
{
    const uint64_t blocks = blocks_count(reference.len, BLOCKS_DEFAULT);

    assert_of(finding, set, reference);
    ck_assert_int_eq(finding->verdict, VERDICT_EMBEDDED);
    ck_assert_uint_eq(finding->range_count, 1);
    assert_range(finding, at, 0, reference.len, 0);
    ck_assert_uint_eq(finding->matched, reference.len);
    ck_assert(finding->containment == 1);
    ck_assert(finding->has_edits && finding->edits == 0 && finding->edits_low == 0 &&
              finding->edits_high == 0);
    ck_assert_int_eq(finding->proof, blocks ? PROOF_BLOCKS : PROOF_SHA1);
    ck_assert_uint_eq(finding->blocks, blocks);
    ck_assert_uint_eq(finding->proved, blocks);
    ck_assert_double_lt(finding->ln_e, log(1e-3));
}

static inline void assert_identical(const struct finding *finding, size_t set, struct bytes reference)
{
    assert_of(finding, set, reference);
    ck_assert_int_eq(finding->verdict, VERDICT_IDENTICAL);
    ck_assert_int_eq(finding->proof, PROOF_SHA1);
    ck_assert_uint_eq(finding->range_count, 1);
    assert_range(finding, 0, 0, reference.len, 0);
    ck_assert(finding->resemblance == 1 && finding->containment == 1 && finding->has_edits &&
              finding->edits == 0);
    ck_assert(isinf(finding->ln_e) && finding->ln_e < 0);
}

static inline void assert_nothing(struct bytes bytes, enum verdict verdict)
{
    const struct findings *findings = scan(bytes);

    ck_assert_msg(findings->count == 0, "%zu findings", findings->count);
    ck_assert_msg(fixture.parts[0].verdict == verdict, "%s", finding_verdict_name(fixture.parts[0].verdict));
}

/* ---- a set of strangers and two files: pseudo-random and text ---- */

static inline void begin_files(size_t len)
{
    begin_test();
    new_set(REFSET_NOTABLE);
    add_strangers(0, 20);
    fixture.files[0] = random_bytes(len);
    fixture.files[1] = text(len);
    add_file(0, fixture.files[0]);
    add_file(0, fixture.files[1]);
    begin_scan(false);
}

static inline void end_files(void)
{
    free(fixture.files[0].data);
    free(fixture.files[1].data);
    end_test();
}

#endif
