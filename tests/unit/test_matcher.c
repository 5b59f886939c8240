/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "match/scanner.h"
#include "sample/blocks.h"
#include "sample/hasher.h"
#include "set/known.h"
#include "set/refset_cache.h"
#include "set/refset_writer.h"

/*
 * Sets are made of files in memory, objects are scanned as a worker does it, and what is found is compared
 * with how the objects were made.
 */

enum { NOW = 1700000000, MOST_SETS = 4, MOST_PARTS = 8, PAIR_C = SAMPLER_DEFAULT_C };

static struct error err;

static uint64_t random_below(uint64_t limit)
{
    return random64() % limit;
}

/* ---- bytes ---- */

struct bytes {
    uint8_t *data;
    size_t len;
};

static struct bytes new_bytes(size_t len)
{
    struct bytes bytes = {malloc(len + 1), len};

    ck_assert_ptr_nonnull(bytes.data);
    return bytes;
}

static struct bytes random_bytes(size_t len)
{
    struct bytes bytes = new_bytes(len);

    for (size_t i = 0; i < len; i += 8) {
        const uint64_t eight = random64();

        memcpy(bytes.data + i, &eight, len - i < 8 ? len - i : 8);
    }
    return bytes;
}

static struct bytes text(size_t len)
{
    struct bytes bytes = new_bytes(len);

    fill_text(bytes.data, len);
    return bytes;
}

static struct bytes copy_of(struct bytes bytes, size_t from, size_t to)
{
    struct bytes copy = new_bytes(to - from);

    memcpy(copy.data, bytes.data + from, to - from);
    return copy;
}

static void put(struct bytes into, size_t at, struct bytes bytes)
{
    ck_assert_uint_le(at + bytes.len, into.len);
    memcpy(into.data + at, bytes.data, bytes.len);
}

/* So many bytes become others, one in each of as many equal parts. */
static void substitute(struct bytes bytes, size_t count)
{
    const size_t part = bytes.len / count;

    for (size_t i = 0; i < count; i++)
        bytes.data[i * part + random_below(part)] ^= (uint8_t)(1 + random_below(255));
}

/* ---- sets ---- */

static char folder[64];
static char paths[MOST_SETS][100];
static struct refset *sets[MOST_SETS];
static struct refset_writer *writers[MOST_SETS];
static struct refset_search *searches[MOST_SETS];
static size_t set_count;

static void begin_test(void)
{
    strcpy(folder,
           access("/dev/shm", W_OK) == 0 ? "/dev/shm/test_matcher.XXXXXX" : "/tmp/test_matcher.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    set_count = 0;
}

static size_t new_set_of(enum refset_kind kind, uint32_t n, uint32_t c)
{
    static const struct refset_source source = {
        .path = "/a", .path_len = 2, .kind = "folder", .format = "", .tool = "test 1", .note = ""};
    const size_t i = set_count++;
    struct refset_params params;

    snprintf(paths[i], sizeof paths[i], "%s/%zu.kith", folder, i);
    params = refset_defaults(paths[i]);
    params.kind = kind;
    params.n = n;
    params.c = c;
    sets[i] = refset_create(paths[i], &params, "test 1", NOW, &err);
    ck_assert_msg(sets[i] != NULL, "%s", err.text);
    writers[i] = refset_writer_new(sets[i], true, &err);
    ck_assert_msg(writers[i] != NULL, "%s", err.text);
    ck_assert_int_ge(refset_writer_source(writers[i], &source, &err), 0);
    return i;
}

static size_t new_set(enum refset_kind kind)
{
    return new_set_of(kind, SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C);
}

/* Digests and samples, as for adding to a set, or for matching with one. */
static void sign(struct record *record, struct bytes bytes, uint32_t n, uint32_t c)
{
    const struct sampler_params params = {
        .scheme = SAMPLER_GF8, .n = n, .c = sampler_auto_c(bytes.len) < c ? SAMPLER_AUTO : c};
    struct hasher *hasher = hasher_new(&params, DIGEST_BIT(DIGEST_KINDS) - 1, &err);

    ck_assert_ptr_nonnull(hasher);
    ck_assert_int_eq(hasher_begin(hasher, bytes.len, &err), 0);
    ck_assert_int_eq(hasher_update(hasher, bytes.data, bytes.len, &err), 0);
    ck_assert_int_eq(hasher_final(hasher, record, &err), 0);
    hasher_free(hasher);
}

static void put_blocks(struct known *known, struct bytes bytes, uint32_t block)
{
    struct blocks *blocks = blocks_new(&err);
    const struct buffer *digests;

    ck_assert_ptr_nonnull(blocks);
    ck_assert_int_eq(blocks_begin(blocks, blocks_size(bytes.len, block), &err), 0);
    ck_assert_int_eq(blocks_update(blocks, bytes.data, bytes.len, &err), 0);
    digests = blocks_final(blocks, &err);
    ck_assert_ptr_nonnull(digests);
    if (blocks_count(bytes.len, block))
        buffer_add(&known->blocks, digests->data, digests->len);
    blocks_free(blocks);
}

static void add_file(size_t set, struct bytes bytes)
{
    const struct refset_params *params = &refset_info(sets[set])->params;
    struct known known = {0};

    sign(&known.record, bytes, params->n, params->c);
    known.digests = known.record.digests;
    known.size = bytes.len;
    known.has_size = known.has_record = true;
    put_blocks(&known, bytes, params->block);
    ck_assert_int_eq(refset_writer_add(writers[set], &known, &err), REFSET_ADDED);
    known_release(&known);
}

/* Known by these digests alone, as from a list. */
static void add_digests(size_t set, struct bytes bytes, unsigned kinds)
{
    struct known known = {0};

    sign(&known.record, bytes, SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C);
    known.digests = known.record.digests;
    known.digests.kinds = kinds;
    ck_assert_int_eq(refset_writer_add(writers[set], &known, &err), REFSET_ADDED);
    known_release(&known);
}

static void add_strangers(size_t set, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct bytes bytes =
            i % 2 ? text(1000 + random_below(40000)) : random_bytes(1000 + random_below(40000));

        add_file(set, bytes);
        free(bytes.data);
    }
}

static uint64_t file_of(size_t set, struct bytes bytes)
{
    struct record record = {0};
    uint64_t file;

    sign(&record, bytes, SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C);
    record.digests.kinds = DIGEST_BIT(DIGEST_SHA1);
    ck_assert_int_eq(refset_search_digests(searches[set], &record.digests, 0, &file, &err), 0);
    ck_assert_uint_ne(file, 0);
    record_release(&record);
    return file;
}

/* ---- scanning ---- */

struct object_bytes {
    struct content content;
    struct bytes bytes;
    bool gone; /* it cannot be read a second time */
};

static struct object_bytes current;
static struct scanner_plan plan;
static struct inspector inspector;
/* They live as long as their process. */
static void *scanners[16], *scanner;
static size_t scanner_count;
static struct object object;
static struct scanner_part parts[MOST_PARTS];
static size_t part_count;
static unsigned object_flags;

static int read_current(struct content *content, uint64_t offset, void *into, size_t len)
{
    const struct object_bytes *o = (const struct object_bytes *)content;

    ck_assert(offset <= o->bytes.len && len <= o->bytes.len - offset);
    if (o->gone)
        return -1;
    memcpy(into, o->bytes.data + offset, len);
    return 0;
}

/* The sets are finished, and a scanner is made for them. */
static void begin_scan(bool deep)
{
    static const char *names[MOST_SETS];

    for (size_t i = 0; i < set_count; i++) {
        ck_assert_msg(refset_writer_commit(writers[i], &err) == 0, "%s", err.text);
        refset_writer_free(writers[i]);
        ck_assert_int_eq(refset_close(sets[i], &err), 0);
        sets[i] = refset_open(paths[i], REFSET_READ, &err);
        ck_assert_msg(sets[i] != NULL, "%s", err.text);
        searches[i] = refset_search_new(sets[i], REFSET_SEARCH_FEATURES | REFSET_SEARCH_DIGESTS, &err);
        ck_assert_ptr_nonnull(searches[i]);
        names[i] = paths[i];
    }
    plan = (struct scanner_plan){.paths = names,
                                 .searches = searches,
                                 .count = set_count,
                                 .matching = {.most_ln_e = log(1e-3)},
                                 .most = UINT64_MAX};
    ck_assert_msg(scanner_plan_sets(&plan, deep, &err) == 0, "%s", err.text);
}

static void end_test(void)
{
    for (size_t i = 0; i < MOST_PARTS; i++)
        finding_list_release(&parts[i].findings);
    object_release(&object);
    for (size_t i = 0; i < set_count; i++) {
        refset_search_free(searches[i]);
        ck_assert_int_eq(refset_close(sets[i], &err), 0);
        unlink(paths[i]);
    }
    ck_assert_int_eq(rmdir(folder), 0);
}

/* For other sets or another plan. */
static void next_scanner(void)
{
    ck_assert_uint_lt(scanner_count, sizeof scanners / sizeof *scanners);
    scanners[scanner_count++] = scanner;
    scanner = NULL;
}

static void open_scanner(void)
{
    if (scanner)
        return;
    ck_assert_int_eq(scanner_inspector(&inspector, &plan, &err), 0);
    scanner = inspector.open(inspector.arg, &err);
    ck_assert_msg(scanner != NULL, "%s", err.text);
    scanner_inspector_release(&inspector);
}

static void read_parts(void)
{
    struct scanner_result result;
    uint64_t at = 0;
    int more;

    scanner_result_begin(&result, &object);
    part_count = 0;
    while ((more = scanner_result_next(&result, &plan, &parts[part_count], &err)) > 0) {
        ck_assert_uint_eq(parts[part_count].start, at);
        at += parts[part_count++].len;
        ck_assert_uint_lt(part_count, MOST_PARTS);
    }
    ck_assert_msg(more == 0, "%s", err.text);
    ck_assert_uint_eq(at, object.size);
}

/* In pieces of up to `most` bytes; long stretches of zeros may be told as such. */
static void scan_in_pieces(struct bytes bytes, size_t most, bool tell_zeros)
{
    const bool gone = current.gone;

    open_scanner();
    object_reset(&object);
    object.size = bytes.len;
    object.flags = object_flags;
    current = (struct object_bytes){.content.read = read_current, .bytes = bytes, .gone = gone};
    ck_assert(inspector.begin(scanner, &object, &current.content));
    for (size_t at = 0, len; at < bytes.len; at += len) {
        const uint8_t *p = bytes.data + at;

        len = bytes.len - at < most ? bytes.len - at : 1 + random_below(most);
        if (tell_zeros && p[0] == 0 && memcmp(p, p + 1, len - 1) == 0)
            inspector.zeros(scanner, len);
        else
            inspector.data(scanner, p, len);
    }
    inspector.end(scanner, &object);
    read_parts();
}

static const struct findings *scan(struct bytes bytes)
{
    scan_in_pieces(bytes, SIZE_MAX, false);
    ck_assert_uint_eq(part_count, 1);
    return &parts[0].findings;
}

/* ---- what is found ---- */

static void assert_range(const struct finding *finding, uint64_t at, uint64_t from, uint64_t to,
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

static void assert_of(const struct finding *finding, size_t set, struct bytes reference)
{
    ck_assert_uint_eq(finding->set, set);
    ck_assert_uint_eq(finding->file, file_of(set, reference));
    ck_assert_uint_eq(finding->ref_size, reference.len);
}

/* All of the reference is at this place, to the byte, and that is proved. */
static void assert_embedded(const struct finding *finding, size_t set, struct bytes reference, uint64_t at)
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

static void assert_identical(const struct finding *finding, size_t set, struct bytes reference)
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

static void assert_nothing(struct bytes bytes, enum verdict verdict)
{
    const struct findings *findings = scan(bytes);

    ck_assert_msg(findings->count == 0, "%zu findings", findings->count);
    ck_assert_msg(parts[0].verdict == verdict, "%s", finding_verdict_name(parts[0].verdict));
}

/* ---- one file, one object ---- */

/* A set of strangers and two files: pseudo-random and text. */
static struct bytes files[2];

static void begin_files(size_t len)
{
    begin_test();
    new_set(REFSET_NOTABLE);
    add_strangers(0, 20);
    files[0] = random_bytes(len);
    files[1] = text(len);
    add_file(0, files[0]);
    add_file(0, files[1]);
    begin_scan(false);
}

static void end_files(void)
{
    free(files[0].data);
    free(files[1].data);
    end_test();
}

START_TEST(the_same_file_is_identical)
{
    begin_files(30001);
    for (int i = 0; i < 2; i++) {
        const struct findings *findings = scan(files[i]);

        ck_assert_uint_eq(findings->count, 1);
        assert_identical(&findings->list[0], 0, files[i]);
        ck_assert_int_eq(parts[0].verdict, VERDICT_IDENTICAL);
        ck_assert(parts[0].digests.kinds & DIGEST_BIT(DIGEST_SHA1));
    }
    end_files();
}
END_TEST

static void assert_variant(struct bytes bytes, int file, size_t edits)
{
    const struct findings *findings = scan(bytes);
    const struct finding *finding = &findings->list[0];

    ck_assert_uint_eq(findings->count, 1);
    assert_of(finding, 0, files[file]);
    ck_assert_int_eq(finding->verdict, VERDICT_VARIANT);
    ck_assert_int_eq(parts[0].verdict, VERDICT_VARIANT);
    ck_assert(finding->has_edits && finding->edits_low <= finding->edits &&
              finding->edits <= finding->edits_high);
    ck_assert_msg(finding->edits_low <= (double)edits && (double)edits <= finding->edits_high,
                  "%zu edits, not %g .. %g", edits, finding->edits_low, finding->edits_high);
}

START_TEST(a_file_with_edits_is_a_variant_with_about_so_many)
{
    static const size_t edits[] = {1, 3, 10, 30001 / 100, 30001 / 10};

    begin_files(30001);
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
            struct bytes bytes = copy_of(files[i], 0, files[i].len);

            substitute(bytes, edits[k]);
            assert_variant(bytes, i, edits[k]);
            if (edits[k] <= 3) { /* a few blocks are touched, the others are proved */
                const struct finding *finding = &parts[0].findings.list[0];

                ck_assert_int_eq(finding->proof, PROOF_BLOCKS);
                ck_assert_uint_eq(finding->blocks, 8);
                ck_assert_uint_ge(finding->proved, 8 - edits[k]);
                ck_assert_uint_lt(finding->proved, 8);
            }
            free(bytes.data);
        }
    end_files();
}
END_TEST

START_TEST(a_file_of_which_the_halves_changed_places_is_a_variant)
{
    begin_files(40000);
    for (int i = 0; i < 2; i++) {
        struct bytes bytes = new_bytes(40000), first = copy_of(files[i], 0, 20000),
                     second = copy_of(files[i], 20000, 40000);
        const struct findings *findings;

        put(bytes, 0, second);
        put(bytes, 20000, first);
        findings = scan(bytes);
        ck_assert_uint_eq(findings->count, 1);
        assert_of(&findings->list[0], 0, files[i]);
        ck_assert_int_eq(findings->list[0].verdict, VERDICT_VARIANT);
        ck_assert_uint_ge(findings->list[0].matched, 36000);
        ck_assert_uint_ge(findings->list[0].proved, 7); /* of ten, those that the cut does not touch */
        free(bytes.data);
        free(first.data);
        free(second.data);
    }
    end_files();
}
END_TEST

START_TEST(a_file_in_other_content_is_found_to_the_byte)
{
    static const size_t lens[] = {1500, 4096, 4097, 20001, 150000};

    for (size_t k = 0; k < sizeof lens / sizeof *lens; k++) {
        next_scanner();
        begin_files(lens[k]);
        for (int i = 0; i < 2; i++) {
            struct bytes bytes = random_bytes(600000);
            const size_t at = 123457 + random_below(100000);
            const struct findings *findings;

            put(bytes, at, files[i]);
            findings = scan(bytes);
            ck_assert_msg(findings->count == 1, "%zu findings of %zu bytes", findings->count, lens[k]);
            assert_embedded(&findings->list[0], 0, files[i], at);
            free(bytes.data);
        }
        end_files();
    }
}
END_TEST

START_TEST(a_file_that_is_there_twice_is_found_twice)
{
    begin_files(20001);
    for (int i = 0; i < 2; i++) {
        struct bytes bytes = random_bytes(600000);
        const struct findings *findings;
        bool second;

        put(bytes, 101, files[i]);
        put(bytes, 399999, files[i]);
        findings = scan(bytes);
        ck_assert_uint_eq(findings->count, 2);
        second = findings->list[0].span.obj_start > 1000;
        assert_embedded(&findings->list[second], 0, files[i], 101);
        assert_embedded(&findings->list[!second], 0, files[i], 399999);
        free(bytes.data);
    }
    end_files();
}
END_TEST

/* A file with so many copies of another one in it, at odd distances. */
static void assert_copies(struct bytes reference, size_t copies)
{
    struct bytes bytes = random_bytes(copies * (reference.len + 1501) + 5000);
    const struct findings *findings;

    for (size_t i = 0; i < copies; i++)
        put(bytes, 777 + i * (reference.len + 1501), reference);
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, copies);
    for (size_t i = 0; i < copies; i++)
        assert_of(&findings->list[i], 0, reference);
    free(bytes.data);
}

START_TEST(a_file_is_found_however_often_it_is_there)
{
    begin_test();
    new_set(REFSET_NOTABLE);
    files[0] = random_bytes(1000);
    files[1] = text(10000);
    add_file(0, files[0]);
    add_file(0, files[1]);
    begin_scan(false);
    for (size_t copies = 3; copies < 300; copies *= 3) {
        assert_copies(files[0], copies);
        assert_copies(files[1], copies);
    }
    end_files();
}
END_TEST

START_TEST(a_file_that_repeats_itself_is_found)
{
    enum { PERIOD = 4099 };
    struct bytes once = random_bytes(PERIOD), bytes = random_bytes(300000);

    begin_test();
    new_set(REFSET_NOTABLE);
    add_strangers(0, 10);
    for (size_t times = 10; times <= 40; times += 10) {
        struct bytes reference = new_bytes(times * PERIOD);

        for (size_t i = 0; i < times; i++)
            put(reference, i * PERIOD, once);
        add_file(0, reference);
        free(reference.data);
    }
    begin_scan(false);
    for (size_t times = 10; times <= 40; times += 10) {
        struct bytes holder = copy_of(bytes, 0, bytes.len);

        for (size_t i = 0; i < times; i++)
            put(holder, 50001 + i * PERIOD, once);
        ck_assert_uint_ge(scan(holder)->count, 1);
        ck_assert_int_eq(parts[0].findings.list[0].verdict, VERDICT_EMBEDDED);
        ck_assert_uint_eq(parts[0].findings.list[0].matched, times * PERIOD);
        ck_assert_double_lt(parts[0].findings.list[0].ln_e, log(1e-9));
        free(holder.data);
    }
    free(once.data);
    free(bytes.data);
    end_test();
}
END_TEST

/* Also where the object is not much longer than the reference. */
START_TEST(a_part_that_is_there_three_times_is_found_three_times)
{
    begin_files(45000);
    for (int i = 0; i < 2; i++) {
        struct bytes part = copy_of(files[i], 7000, 37000), bytes = random_bytes(180000);
        const struct findings *findings;
        bool found[3] = {false};

        for (size_t k = 0; k < 3; k++)
            put(bytes, 1000 + k * 59001, part);
        findings = scan(bytes);
        ck_assert_uint_eq(findings->count, 3);
        for (size_t k = 0; k < 3; k++) {
            const size_t at = (findings->list[k].span.obj_start + 10000) / 59001;

            ck_assert_uint_lt(at, 3);
            found[at] = true;
            assert_range(&findings->list[k], 1000 + at * 59001, 7000, 37000, 8 * PAIR_C);
        }
        ck_assert(found[0] && found[1] && found[2]);
        free(part.data);
        free(bytes.data);
    }
    end_files();
}
END_TEST

START_TEST(two_files_in_one_object_are_both_found)
{
    struct bytes bytes;
    const struct findings *findings;
    bool second;

    begin_files(20001);
    bytes = random_bytes(300000);
    put(bytes, 11, files[1]);
    put(bytes, 77777, files[0]);
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 2);
    second = findings->list[0].span.obj_start > 1000;
    assert_embedded(&findings->list[second], 0, files[1], 11);
    assert_embedded(&findings->list[!second], 0, files[0], 77777);
    free(bytes.data);
    end_files();
}
END_TEST

START_TEST(four_kib_of_a_file_are_a_fragment)
{
    begin_files(100000);
    for (int i = 0; i < 2; i++)
        for (int alone = 0; alone < 2; alone++) {
            struct bytes piece = copy_of(files[i], 33333, 33333 + 4096),
                         bytes = alone ? copy_of(piece, 0, 4096) : random_bytes(300000);
            const size_t at = alone ? 0 : 200001;
            const struct finding *finding;

            put(bytes, at, piece);
            ck_assert_uint_eq(scan(bytes)->count, 1);
            finding = &parts[0].findings.list[0];
            assert_of(finding, 0, files[i]);
            ck_assert_int_eq(finding->verdict, VERDICT_FRAGMENT);
            ck_assert(!finding->has_edits);
            ck_assert_int_eq(finding->proof, PROOF_ESTIMATE); /* no block is whole */
            assert_range(finding, at, 33333, 33333 + 4096, 8 * PAIR_C);
            ck_assert_double_lt(finding->containment, 0.1);
            free(piece.data);
            free(bytes.data);
        }
    end_files();
}
END_TEST

START_TEST(whole_blocks_of_a_fragment_are_proved)
{
    begin_files(100000);
    for (int i = 0; i < 2; i++) {
        struct bytes piece = copy_of(files[i], 5 * BLOCKS_DEFAULT, 10 * BLOCKS_DEFAULT),
                     bytes = random_bytes(300000);
        const struct finding *finding;

        put(bytes, 54321, piece);
        ck_assert_uint_eq(scan(bytes)->count, 1);
        finding = &parts[0].findings.list[0];
        assert_of(finding, 0, files[i]);
        ck_assert_int_eq(finding->verdict, VERDICT_FRAGMENT);
        ck_assert_int_eq(finding->proof, PROOF_BLOCKS);
        ck_assert_uint_eq(finding->proved, 5);
        ck_assert_uint_eq(finding->blocks, 25);
        assert_range(finding, 54321, 5 * BLOCKS_DEFAULT, 10 * BLOCKS_DEFAULT, 0);
        free(piece.data);
        free(bytes.data);
    }
    end_files();
}
END_TEST

/* Of a sample that is not looked up only place and character are known, so one in some thousands is alike by
 * chance. */
START_TEST(what_is_alike_by_chance_far_from_a_fragment_is_no_part_of_it)
{
    begin_files(2000000);
    for (int i = 0; i < 2; i++)
        for (size_t from = 400001; from < 2000000; from += 700000) {
            struct bytes piece = copy_of(files[i], from, from + 8192), bytes = random_bytes(2000000);
            const struct finding *finding;

            put(bytes, from + 1000, piece);
            ck_assert_uint_eq(scan(bytes)->count, 1);
            finding = &parts[0].findings.list[0];
            assert_of(finding, 0, files[i]);
            assert_range(finding, from + 1000, from, from + 8192, 8 * PAIR_C);
            free(piece.data);
            free(bytes.data);
        }
    end_files();
}
END_TEST

START_TEST(findings_that_match_in_too_few_bytes_are_not_told)
{
    struct bytes bytes;

    begin_files(100000);
    bytes = copy_of(files[0], 33333, 33333 + 4096);
    plan.matching.least_matched = 3000;
    ck_assert_uint_eq(scan(bytes)->count, 1);
    next_scanner();
    plan.matching.least_matched = 5000;
    assert_nothing(bytes, VERDICT_NONE);
    plan.matching.least_matched = 500000;
    next_scanner();
    ck_assert_uint_eq(scan(files[0])->count, 1); /* identical */
    free(bytes.data);
    end_files();
}
END_TEST

START_TEST(findings_of_a_larger_e_are_not_believed)
{
    struct bytes bytes, piece;
    double ln_e;

    begin_files(100000);
    bytes = random_bytes(300000);
    piece = copy_of(files[1], 33333, 33333 + 8192);
    put(bytes, 200001, piece);
    ck_assert_uint_eq(scan(bytes)->count, 1);
    ln_e = parts[0].findings.list[0].ln_e;
    ck_assert_double_le(ln_e, plan.matching.most_ln_e);
    plan.matching.most_ln_e = ln_e + 0.01;
    next_scanner();
    ck_assert_uint_eq(scan(bytes)->count, 1);
    ck_assert(parts[0].findings.list[0].ln_e == ln_e);
    plan.matching.most_ln_e = ln_e - 0.01;
    next_scanner();
    assert_nothing(bytes, VERDICT_NONE);
    ck_assert_uint_eq(scan(files[0])->count, 1); /* identical */
    free(bytes.data);
    free(piece.data);
    end_files();
}
END_TEST

/* A file has a beginning and an end of its own. */
START_TEST(a_file_at_the_beginning_of_free_space_is_embedded_in_it)
{
    static const size_t lens[] = {1500, 30000};

    for (size_t k = 0; k < 2; k++) {
        struct bytes bytes = random_bytes(lens[k] * 3 / 2);

        next_scanner();
        begin_files(lens[k]);
        put(bytes, 0, files[0]);
        for (int turn = 0; turn < 3; turn++) {
            object_flags = turn == 1 ? OBJECT_RANGE : 0;
            ck_assert_uint_eq(scan(bytes)->count, 1);
            if (object_flags)
                assert_embedded(&parts[0].findings.list[0], 0, files[0], 0);
            else
                ck_assert_int_eq(parts[0].verdict, VERDICT_VARIANT);
        }
        free(bytes.data);
        end_files();
    }
}
END_TEST

/* ---- nothing ---- */

START_TEST(unrelated_content_matches_nothing)
{
    static const size_t lens[] = {500, 3000, 30000, 300000, 2000000};

    begin_files(30001);
    for (size_t k = 0; k < sizeof lens / sizeof *lens; k++) {
        struct bytes bytes = random_bytes(lens[k]);

        assert_nothing(bytes, VERDICT_NONE);
        free(bytes.data);
    }
    end_files();
}
END_TEST

START_TEST(of_too_few_bytes_and_of_low_entropy_nothing_is_said)
{
    struct bytes bytes, zeros = new_bytes(100000);

    begin_files(30001);
    bytes = random_bytes(100);
    assert_nothing(bytes, VERDICT_TOO_SMALL);
    bytes.len = 1;
    assert_nothing(bytes, VERDICT_TOO_SMALL);
    free(bytes.data);
    for (int fill = 0; fill < 256; fill += 51) {
        memset(zeros.data, fill, zeros.len);
        assert_nothing(zeros, VERDICT_LOW_ENTROPY);
    }
    for (size_t i = 0; i < zeros.len; i++)
        zeros.data[i] = (uint8_t)(i % 4);
    assert_nothing(zeros, VERDICT_LOW_ENTROPY);
    free(zeros.data);
    end_files();
}
END_TEST

START_TEST(an_empty_object_is_no_finding_though_a_set_has_an_empty_file)
{
    struct bytes empty = new_bytes(0);

    begin_test();
    new_set(REFSET_NOTABLE);
    add_file(0, empty);
    add_strangers(0, 3);
    begin_scan(false);
    assert_nothing(empty, VERDICT_TOO_SMALL);
    free(empty.data);
    end_test();
}
END_TEST

START_TEST(without_sets_that_have_anything_nothing_is_found)
{
    struct bytes bytes = text(50000);

    begin_test();
    new_set(REFSET_NOTABLE);
    begin_scan(false);
    assert_nothing(bytes, VERDICT_NONE);
    free(bytes.data);
    end_test();
}
END_TEST

/* ---- several sets ---- */

START_TEST(content_that_a_known_set_has_too_is_no_evidence_for_others)
{
    for (int silenced = 0; silenced < 2; silenced++) {
        struct bytes library = random_bytes(20000), program = random_bytes(60000),
                     bytes = random_bytes(200000);
        const struct findings *findings;

        put(program, 30000, library);
        put(bytes, 99999, library);
        begin_test();
        new_set(REFSET_NOTABLE);
        add_file(0, program);
        new_set(silenced ? REFSET_KNOWN : REFSET_NEUTRAL);
        add_file(1, library);
        next_scanner();
        begin_scan(false);
        findings = scan(bytes);
        ck_assert_uint_eq(findings->count, silenced ? 1 : 2);
        if (!silenced) {
            assert_of(&findings->list[0], 0, program);
            ck_assert_int_eq(findings->list[0].verdict, VERDICT_FRAGMENT);
        }
        assert_embedded(&findings->list[!silenced], 1, library, 99999);
        put(bytes, 1000, program); /* what is the program's own is evidence all the same */
        findings = scan(bytes);
        ck_assert_uint_ge(findings->count, 2);
        assert_of(&findings->list[0], 0, program);
        ck_assert_uint_ge(findings->list[0].proved, 8);
        free(library.data);
        free(program.data);
        free(bytes.data);
        end_test();
    }
}
END_TEST

START_TEST(a_file_that_a_known_set_has_needs_no_search_for_its_kin_but_one_of_a_notable_set_does)
{
    static const enum refset_kind kinds[] = {REFSET_KNOWN, REFSET_NOTABLE, REFSET_NEUTRAL};

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct bytes file = text(30000), variant = copy_of(file, 0, file.len);
        const struct findings *findings;

        substitute(variant, 5);
        begin_test();
        new_set(REFSET_NOTABLE);
        add_file(0, variant);
        new_set(kinds[k]);
        add_digests(1, file, DIGEST_BIT(DIGEST_SHA1));
        next_scanner();
        begin_scan(false);
        findings = scan(file);
        ck_assert_uint_eq(findings->count, k == 0 ? 1 : 2);
        if (k) {
            assert_of(&findings->list[0], 0, variant);
            ck_assert_int_eq(findings->list[0].verdict, VERDICT_VARIANT);
        }
        assert_identical(&findings->list[findings->count - 1], 1, file);
        free(file.data);
        free(variant.data);
        end_test();
    }
}
END_TEST

START_TEST(a_file_that_several_sets_have_is_told_of_each)
{
    struct bytes file = text(30000);
    const struct findings *findings;

    begin_test();
    for (size_t i = 0; i < 3; i++) {
        new_set(i == 2 ? REFSET_KNOWN : REFSET_NOTABLE);
        add_strangers(i, 3);
        add_file(i, file);
    }
    begin_scan(false);
    findings = scan(file);
    ck_assert_uint_eq(findings->count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_identical(&findings->list[i], i, file);
    free(file.data);
    end_test();
}
END_TEST

/* ---- near-copies ---- */

START_TEST(of_near_copies_the_best_is_told_and_the_others_are_counted)
{
    enum { COPIES = 12 };
    struct bytes copies[COPIES], bytes = random_bytes(150000);

    begin_test();
    new_set(REFSET_NOTABLE);
    copies[0] = text(30000);
    for (size_t i = 1; i < COPIES; i++) {
        copies[i] = copy_of(copies[0], 0, copies[0].len);
        substitute(copies[i], 3 * i);
    }
    for (size_t i = COPIES; i > 0; i--)
        add_file(0, copies[i - 1]);
    begin_scan(false);
    put(bytes, 70001, copies[0]);
    for (int all = 0; all < 2; all++) {
        const struct findings *findings;
        bool seen[COPIES + 1] = {false};

        plan.matching.all_references = all;
        next_scanner();
        findings = scan(bytes);
        assert_embedded(&findings->list[0], 0, copies[0], 70001);
        ck_assert_uint_eq(findings->count, all ? COPIES : 1);
        ck_assert_uint_eq(findings->list[0].also, all ? 0 : COPIES - 1);
        for (size_t i = 0; i < findings->count; i++) {
            ck_assert_uint_le(findings->list[i].file, COPIES);
            ck_assert(!seen[findings->list[i].file]);
            seen[findings->list[i].file] = true;
        }
    }
    for (size_t i = 0; i < COPIES; i++)
        free(copies[i].data);
    free(bytes.data);
    end_test();
}
END_TEST

START_TEST(a_small_file_that_is_a_part_of_a_large_one_is_told_of_both)
{
    struct bytes small = random_bytes(40000), large = random_bytes(100000), bytes = random_bytes(400000);
    const struct findings *findings;

    put(large, 50000, small);
    put(bytes, 123456, large);
    begin_test();
    new_set(REFSET_NOTABLE);
    add_file(0, small);
    add_file(0, large);
    begin_scan(false);
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 2);
    assert_embedded(&findings->list[0], 0, large, 123456);
    assert_embedded(&findings->list[1], 0, small, 173456);
    free(small.data);
    free(large.data);
    free(bytes.data);
    end_test();
}
END_TEST

START_TEST(of_many_near_copies_with_the_same_samples_the_right_one_is_told)
{
    enum { COPIES = 200 };
    struct bytes copies[COPIES], bytes = random_bytes(150000);

    begin_test();
    new_set(REFSET_NOTABLE);
    copies[0] = text(20000);
    for (size_t i = 1; i < COPIES; i++) {
        copies[i] = copy_of(copies[0], 0, copies[0].len);
        copies[i].data[i * 97] ^= 1;
    }
    for (size_t i = 0; i < COPIES; i++)
        add_file(0, copies[i]);
    begin_scan(false);
    for (size_t i = 0; i < COPIES; i += 39) {
        const struct findings *findings;

        put(bytes, 70001, copies[i]);
        findings = scan(bytes);
        ck_assert_uint_eq(findings->count, 1);
        assert_embedded(&findings->list[0], 0, copies[i], 70001);
        ck_assert_uint_eq(findings->list[0].also, COPIES - 1);
    }
    for (size_t i = 0; i < COPIES; i++)
        free(copies[i].data);
    free(bytes.data);
    end_test();
}
END_TEST

/* So many that none of their samples is rare. */
enum { VERSIONS = 100, VERSION_LEN = 30000 };
static struct bytes versions[VERSIONS];

static void add_versions(size_t set)
{
    for (size_t i = 0; i < VERSIONS; i++) {
        versions[i] = i ? copy_of(versions[i - 1], 0, VERSION_LEN) : text(VERSION_LEN);
        versions[i].data[random_below(VERSION_LEN)] ^= 1;
        add_file(set, versions[i]);
    }
}

static void free_versions(void)
{
    for (size_t i = 0; i < VERSIONS; i++)
        free(versions[i].data);
}

START_TEST(one_of_a_hundred_versions_is_found_beside_another_file)
{
    struct bytes other = random_bytes(30000), bytes = random_bytes(200000);
    const struct findings *findings;

    begin_test();
    new_set(REFSET_NOTABLE);
    add_versions(0);
    add_file(0, other);
    begin_scan(false);
    put(bytes, 50001, versions[57]);
    put(bytes, 120001, other);
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 2);
    assert_embedded(&findings->list[0], 0, versions[57], 50001);
    assert_embedded(&findings->list[1], 0, other, 120001);
    free_versions();
    free(other.data);
    free(bytes.data);
    end_test();
}
END_TEST

/* All of one origin, so that most of what one has very many have. */
START_TEST(a_version_of_one_of_many_is_told)
{
    enum { KIN = 70, LEN = 30000 };
    struct bytes origin = text(LEN), kin[KIN];

    begin_test();
    new_set(REFSET_NOTABLE);
    add_strangers(0, 60);
    for (size_t i = 0; i < KIN; i++) {
        kin[i] = copy_of(origin, 0, LEN);
        substitute(kin[i], 6);
        add_file(0, kin[i]);
    }
    begin_scan(false);
    for (size_t i = 0; i < KIN; i++) {
        struct bytes bytes = copy_of(kin[i], 0, LEN);

        substitute(bytes, 20);
        ck_assert_uint_ge(scan(bytes)->count, 1);
        ck_assert_int_eq(parts[0].findings.list[0].verdict, VERDICT_VARIANT);
        free(bytes.data);
    }
    for (size_t i = 0; i < KIN; i++)
        free(kin[i].data);
    free(origin.data);
    end_test();
}
END_TEST

START_TEST(a_part_that_a_hundred_files_have_is_no_finding)
{
    struct bytes other = random_bytes(30000), bytes = random_bytes(200000), part;
    const struct findings *findings;

    begin_test();
    new_set(REFSET_NOTABLE);
    add_versions(0);
    add_file(0, other);
    begin_scan(false);
    part = copy_of(versions[57], 8000, 14000);
    put(bytes, 50001, part);
    assert_nothing(bytes, VERDICT_NONE);
    put(bytes, 120001, other);
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 1);
    assert_embedded(&findings->list[0], 0, other, 120001);
    free_versions();
    free(part.data);
    free(other.data);
    free(bytes.data);
    end_test();
}
END_TEST

START_TEST(a_file_that_is_all_there_is_told_though_more_of_another_one_is)
{
    struct bytes whole = text(30000), more = random_bytes(15000), longer = new_bytes(45000),
                 bytes = random_bytes(200000);
    const struct findings *findings;
    bool told = false;

    put(longer, 0, whole);
    substitute(longer, 300);
    put(longer, 30000, more);
    begin_test();
    new_set(REFSET_NOTABLE);
    add_file(0, whole);
    add_file(0, longer);
    begin_scan(false);
    put(bytes, 70001, whole);
    put(bytes, 100001, more);
    findings = scan(bytes);
    for (size_t i = 0; i < findings->count; i++)
        if (findings->list[i].file == file_of(0, whole)) {
            assert_embedded(&findings->list[i], 0, whole, 70001);
            told = true;
        }
    ck_assert(told);
    free(whole.data);
    free(more.data);
    free(longer.data);
    free(bytes.data);
    end_test();
}
END_TEST

START_TEST(with_all_references_what_lies_in_a_larger_one_is_told_too)
{
    struct bytes small = random_bytes(2000), large = random_bytes(300000), bytes = random_bytes(1000000);
    const struct findings *findings;

    put(large, 250000, small);
    begin_test();
    new_set(REFSET_NOTABLE);
    add_strangers(0, 20);
    add_file(0, small);
    add_file(0, large);
    begin_scan(false);
    plan.matching.all_references = true;
    next_scanner();
    put(bytes, 300001, large);
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 2);
    assert_embedded(&findings->list[0], 0, large, 300001);
    assert_embedded(&findings->list[1], 0, small, 550001);
    findings = scan(large); /* of itself nothing more is said than that */
    ck_assert_uint_eq(findings->count, 2);
    assert_identical(&findings->list[0], 0, large);
    assert_embedded(&findings->list[1], 0, small, 250000);
    free(small.data);
    free(large.data);
    free(bytes.data);
    end_test();
}
END_TEST

/* Numbers that count up, as tables in fonts and programs do. */
START_TEST(tables_that_count_up_are_no_evidence)
{
    static const unsigned widths[] = {2, 4, 8, 2, 4, 8};

    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const size_t len = i < 3 ? 60000 : 900000; /* in the larger the table has few of the samples */
        struct bytes file = random_bytes(len), bytes = random_bytes(len), table = new_bytes(3600);

        for (size_t k = 0; k < table.len; k++) { /* big endian */
            const size_t number = 0x1126 + k / widths[i] * 7;
            const unsigned shift = 8 * (widths[i] - 1 - (unsigned)(k % widths[i]));

            table.data[k] = (uint8_t)(shift < 32 ? number >> shift : 0);
        }
        put(file, 20001, table);
        put(bytes, 33001, table);
        begin_test();
        new_set(REFSET_NOTABLE);
        add_strangers(0, 20);
        add_file(0, file);
        begin_scan(false);
        next_scanner();
        assert_nothing(bytes, VERDICT_NONE);
        free(table.data);
        free(file.data);
        free(bytes.data);
        end_test();
    }
}
END_TEST

/* ---- phrases ---- */

/* Lines of a list of changes: most of each is the same in all of them. */
static struct bytes list_of_changes(size_t len)
{
    static const char *const words[] = {"fix", "add", "remove", "test", "doc", "deps", "build", "stream"};
    struct bytes bytes = new_bytes(len);

    for (size_t at = 0; at < len;) {
        const uint64_t commit = random64();
        char line[200];
        int n = snprintf(line, sizeof line,
                         "* [[`%010llx`](https://git.example.org/project/commit/%016llx)] - **%s**: %s the "
                         "%s of %s (A. Author) [#%u](https://git.example.org/project/pull/%u)\n",
                         (unsigned long long)(commit >> 24), (unsigned long long)commit, words[commit % 8],
                         words[commit / 8 % 8], words[commit / 64 % 8], words[commit / 512 % 8],
                         (unsigned)(commit >> 40 & 0xffff), (unsigned)(commit >> 40 & 0xffff));

        if ((size_t)n > len - at)
            n = (int)(len - at);
        memcpy(bytes.data + at, line, (size_t)n);
        at += (size_t)n;
    }
    return bytes;
}

START_TEST(a_fragment_of_content_full_of_phrases_is_found_where_it_is)
{
    struct bytes changes = list_of_changes(400000), others[6];

    begin_test();
    new_set(REFSET_NOTABLE);
    for (size_t i = 0; i < 6; i++) {
        others[i] = list_of_changes(300000);
        add_file(0, others[i]);
    }
    add_file(0, changes);
    begin_scan(false);
    for (size_t from = 3001; from < 390000; from += 60007) {
        struct bytes part = copy_of(changes, from, from + 8192), bytes = random_bytes(40000);
        const struct findings *findings;

        put(bytes, 20001, part);
        findings = scan(bytes);
        ck_assert_uint_eq(findings->count, 1);
        assert_of(&findings->list[0], 0, changes);
        ck_assert_int_eq(findings->list[0].verdict, VERDICT_FRAGMENT);
        assert_range(&findings->list[0], 20001, from, from + 8192, 8 * PAIR_C);
        free(part.data);
        free(bytes.data);
    }
    for (size_t i = 0; i < 6; i++)
        free(others[i].data);
    free(changes.data);
    end_test();
}
END_TEST

START_TEST(phrases_in_common_are_no_finding)
{
    struct bytes bytes = random_bytes(200000);

    begin_test();
    new_set(REFSET_NOTABLE);
    for (size_t i = 0; i < 5; i++) {
        struct bytes changes = list_of_changes(300000);

        add_file(0, changes);
        free(changes.data);
    }
    begin_scan(false);
    for (size_t at = 0; at + 3000 < bytes.len; at += 500 + random_below(2500)) {
        static const char phrase[] = "(https://git.example.org/project/commit/";

        memcpy(bytes.data + at, phrase, sizeof phrase - 1);
    }
    assert_nothing(bytes, VERDICT_NONE);
    free(bytes.data);
    end_test();
}
END_TEST

/* ---- how an object comes ---- */

START_TEST(what_is_found_does_not_depend_on_how_an_object_is_cut)
{
    static const size_t pieces[] = {1 << 20, 100001, 4097, 300000};
    struct bytes bytes = random_bytes(3000001), changed;
    struct buffer whole = {0};

    begin_files(50000);
    changed = copy_of(files[0], 0, files[0].len);
    substitute(changed, 50);
    memset(bytes.data + 1000000, 0, 700000);
    put(bytes, 100001, files[0]);
    put(bytes, 1200000, files[1]);
    put(bytes, 2900000, changed);
    scan(bytes);
    ck_assert_uint_ge(parts[0].findings.count, 3);
    buffer_add(&whole, object.result.data, object.result.len);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        scan_in_pieces(bytes, pieces[i], i % 2 == 0);
        ck_assert_uint_eq(object.result.len, whole.len);
        ck_assert_mem_eq(object.result.data, whole.data, whole.len);
    }
    buffer_release(&whole);
    free(changed.data);
    free(bytes.data);
    end_files();
}
END_TEST

START_TEST(work_that_is_too_much_is_left_and_told_and_what_was_found_stays)
{
    struct bytes bytes = random_bytes(3000001);
    size_t some = 0;

    begin_files(50000);
    for (size_t i = 0; i < 2; i++) {
        struct bytes changed = copy_of(files[i], 0, files[i].len);

        substitute(changed, 50);
        put(bytes, 100001 + 1400000 * i, changed);
        free(changed.data);
    }
    scan(bytes);
    ck_assert_uint_eq(parts[0].findings.count, 2);
    ck_assert_uint_eq(parts[0].findings.lacks, 0);
    for (uint64_t most = 1; most < 1 << 16; most *= 4) {
        next_scanner();
        plan.matching.most_work = most;
        scan(bytes);
        ck_assert_uint_le(parts[0].findings.count, 2);
        if (parts[0].findings.count < 2)
            ck_assert_int_eq(parts[0].findings.lacks, FINDINGS_CUT);
        some += parts[0].findings.count == 1;
    }
    ck_assert_uint_gt(some, 0);
    ck_assert_uint_eq(parts[0].findings.count, 2);
    ck_assert_uint_eq(parts[0].findings.lacks, 0);
    free(bytes.data);
    end_files();
}
END_TEST

START_TEST(chunks_are_scanned_one_by_one)
{
    struct bytes bytes = random_bytes(350000), whole = random_bytes(100000);

    begin_files(30000);
    put(bytes, 220001, files[0]);
    put(bytes, 185000, files[1]); /* half of it in either chunk */
    put(whole, 0, files[0]);
    plan.chunk = 100000;
    for (size_t most = 350000; most > 1000; most /= 7) {
        scan_in_pieces(bytes, most, false);
        ck_assert_uint_eq(part_count, 4);
        ck_assert_uint_eq(parts[3].len, 50000);
        ck_assert_int_eq(parts[0].verdict, VERDICT_NONE);
        ck_assert_int_eq(parts[1].verdict, VERDICT_FRAGMENT);
        assert_range(&parts[1].findings.list[0], 85000, 0, 15000, 2 * PAIR_C);
        ck_assert_uint_eq(parts[2].findings.count, 2);
        assert_embedded(&parts[2].findings.list[0], 0, files[0], 20001);
        assert_of(&parts[2].findings.list[1], 0, files[1]);
        ck_assert_int_eq(parts[3].verdict, VERDICT_NONE);
    }
    scan_in_pieces(whole, 30000, false); /* one chunk, without a byte more */
    ck_assert_uint_eq(part_count, 1);
    free(bytes.data);
    free(whole.data);
    end_files();
}
END_TEST

START_TEST(objects_of_more_bytes_than_are_wanted_are_not_read)
{
    struct object large = {.size = 100001}, fitting = {.size = 100000};

    begin_files(3000);
    plan.most = 100000;
    current.content.read = read_current;
    open_scanner();
    ck_assert(!inspector.begin(scanner, &large, &current.content));
    ck_assert(inspector.begin(scanner, &fitting, &current.content));
    end_files();
}
END_TEST

START_TEST(what_cannot_be_read_a_second_time_is_found_all_the_same)
{
    struct bytes bytes = random_bytes(300000);
    const struct findings *findings;

    begin_files(30000);
    put(bytes, 111111, files[0]);
    current.gone = true;
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 1);
    assert_of(&findings->list[0], 0, files[0]);
    ck_assert_int_eq(findings->list[0].verdict, VERDICT_EMBEDDED);
    ck_assert_int_eq(findings->list[0].proof, PROOF_ESTIMATE);
    assert_range(&findings->list[0], 111111, 0, 30000, 4 * PAIR_C);
    free(bytes.data);
    end_files();
}
END_TEST

/* More samples than are kept of one object: they are thinned, and what is small is sampled again. */
START_TEST(a_small_file_in_a_huge_object_is_found)
{
    struct bytes bytes = random_bytes(21 << 20), file = random_bytes(2001), larger = text(60000);
    const struct findings *findings;

    begin_test();
    new_set_of(REFSET_NOTABLE, SAMPLER_DEFAULT_N, 32);
    add_strangers(0, 10);
    add_file(0, file);
    add_file(0, larger);
    begin_scan(true);
    ck_assert_uint_eq(plan.c, 32);
    put(bytes, 10000001, file);
    put(bytes, 20000001, larger);
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 2);
    assert_embedded(&findings->list[0], 0, larger, 20000001);
    assert_embedded(&findings->list[1], 0, file, 10000001);
    current.gone = true; /* then the samples that were kept must do */
    findings = scan(bytes);
    ck_assert_uint_eq(findings->count, 2);
    for (int i = 0; i < 2; i++) {
        assert_of(&findings->list[i], 0, i ? file : larger);
        ck_assert_int_eq(findings->list[i].verdict, VERDICT_EMBEDDED);
        ck_assert_int_eq(findings->list[i].proof, PROOF_ESTIMATE);
        assert_range(&findings->list[i], i ? 10000001 : 20000001, 0, i ? 2001 : 60000, 512);
    }
    free(bytes.data);
    free(file.data);
    free(larger.data);
    end_test();
}
END_TEST

/* As a caller of its own, which has no content to give. */
START_TEST(a_matcher_can_do_without_the_content)
{
    struct bytes bytes = random_bytes(100000);
    struct refset_cache *cache;
    struct matcher *matcher;

    begin_files(30000);
    ck_assert_uint_eq(set_count, 1);
    put(bytes, 33333, files[1]);
    cache = refset_cache_new(searches[0], 1 << 20, &err);
    ck_assert_ptr_nonnull(cache);
    matcher = matcher_new(&(struct set *){refset_cache_set(cache)}, 1, &plan.matching, &err);
    ck_assert_ptr_nonnull(matcher);
    for (int round = 0; round < 3; round++) {
        struct record record = {0};
        struct findings findings = {0};
        enum verdict verdict;

        sign(&record, bytes, SAMPLER_DEFAULT_N, SAMPLER_DEFAULT_C);
        matcher_begin(matcher, bytes.len, record.params.c, NULL);
        for (size_t done = 0, piece; done < record.count; done += piece) {
            piece = 1 + random_below(record.count - done);
            ck_assert_int_eq(matcher_take(matcher, record.samples + done, piece, &err), 0);
        }
        ck_assert_int_eq(matcher_end(matcher, &record.digests, record.coincidence, &findings, &verdict, &err),
                         0);
        ck_assert_int_eq(verdict, VERDICT_EMBEDDED);
        ck_assert_uint_eq(findings.count, 1);
        ck_assert_int_eq(findings.list[0].proof, PROOF_ESTIMATE);
        assert_range(&findings.list[0], 33333, 0, 30000, 4 * PAIR_C);
        finding_list_release(&findings);
        record_release(&record);
    }
    matcher_free(matcher);
    refset_cache_free(cache);
    matcher_free(NULL);
    free(bytes.data);
    end_files();
}
END_TEST

/* ---- plans ---- */

START_TEST(a_plan_is_what_all_its_sets_need)
{
    struct bytes file = text(5000);

    begin_test();
    new_set_of(REFSET_NOTABLE, 12, 128);
    add_file(0, file);
    new_set_of(REFSET_NOTABLE, 12, 64);
    add_file(1, file);
    new_set_of(REFSET_KNOWN, 20, 16); /* without samples: it does not matter how they would be taken */
    add_digests(2, file, DIGEST_BIT(DIGEST_MD5));
    new_set_of(REFSET_NOTABLE, 12, 16);
    add_file(3, file);
    begin_scan(false);
    ck_assert_uint_eq(plan.c, 16);
    ck_assert_uint_eq(scan(file)->count, 4);
    next_scanner();
    plan.count = 3;
    ck_assert_int_eq(scanner_plan_sets(&plan, false, &err), 0);
    ck_assert_uint_eq(plan.c, 64);
    ck_assert_uint_eq(plan.digests,
                      DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_MD5) | DIGEST_BIT(DIGEST_SHA256));
    ck_assert_uint_eq(scan(file)->count, 3);
    ck_assert_int_eq(scanner_plan_sets(&plan, true, &err), 0);
    ck_assert_uint_eq(plan.c, 32);
    plan.count = 1;
    ck_assert_int_eq(scanner_plan_sets(&plan, false, &err), 0);
    ck_assert_uint_eq(plan.c, 128);
    plan.searches = &searches[3];
    ck_assert_int_eq(scanner_plan_sets(&plan, true, &err), 0);
    ck_assert_uint_eq(plan.c, 16);
    plan.searches = searches;
    ck_assert_int_eq(scanner_plan_sets(&plan, false, &err), 0);
    ck_assert_uint_eq(plan.digests, DIGEST_BIT(DIGEST_SHA1));
    plan.count = 3;
    free(file.data);
    end_test();
}
END_TEST

START_TEST(sets_of_different_windows_do_not_go_together)
{
    struct bytes file = text(5000);

    begin_test();
    new_set_of(REFSET_NOTABLE, 12, 128);
    add_digests(0, file, DIGEST_BIT(DIGEST_SHA1));
    new_set_of(REFSET_NOTABLE, 16, 128);
    add_file(1, file);
    begin_scan(false);
    ck_assert_uint_eq(scan(file)->count, 2);
    end_test();
    next_scanner();
    begin_test();
    new_set_of(REFSET_NOTABLE, 12, 128);
    add_file(0, file);
    new_set(REFSET_NOTABLE);
    add_file(1, file);
    begin_scan(false);
    end_test();
    begin_test();
    new_set_of(REFSET_NOTABLE, 20, 128);
    add_file(0, file);
    begin_scan(false);
    new_set_of(REFSET_NOTABLE, 12, 128);
    add_file(1, file);
    ck_assert_int_eq(refset_writer_commit(writers[1], &err), 0);
    refset_writer_free(writers[1]);
    searches[1] = refset_search_new(sets[1], REFSET_SEARCH_FEATURES, &err);
    plan.paths = (const char *const[]){paths[0], paths[1]};
    plan.count = 2;
    err.text[0] = '\0';
    ck_assert_int_eq(scanner_plan_sets(&plan, false, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "n = 20"));
    free(file.data);
    end_test();
}
END_TEST

/* ---- messages ---- */

static int first_of_result(struct buffer *result, uint64_t size, struct scanner_part *part)
{
    struct object sent = {.size = size, .result = *result};
    struct scanner_result reader;
    int told;

    scanner_result_begin(&reader, &sent);
    told = scanner_result_next(&reader, &plan, part, &err);
    buffer_reset(result);
    return told;
}

static void put_part(struct buffer *out, uint64_t len, unsigned kinds, uint64_t verdict,
                     const struct findings *findings)
{
    const struct digest_values digests = {.kinds = kinds};

    wire_put(out, 0);
    wire_put(out, len);
    wire_put_bytes(out, &digests, sizeof digests);
    wire_put(out, verdict);
    finding_list_encode(out, findings);
}

START_TEST(a_result_that_cannot_be_is_refused)
{
    struct finding finding = {.verdict = VERDICT_VARIANT};
    const struct findings none = {0}, one = {.list = &finding, .count = 1};
    struct scanner_part part = {0};
    struct buffer result = {0};

    plan = (struct scanner_plan){.count = 2, .digests = DIGEST_BIT(DIGEST_SHA1)};
    put_part(&result, 100, 1, VERDICT_NONE, &none);
    ck_assert_int_eq(first_of_result(&result, 100, &part), 1);
    put_part(&result, 100, 1, VERDICT_VARIANT, &one);
    ck_assert_int_eq(first_of_result(&result, 100, &part), 1);
    ck_assert_int_eq(first_of_result(&result, 100, &part), -1); /* nothing at all */
    put_part(&result, 101, 1, VERDICT_NONE, &none);
    ck_assert_int_eq(first_of_result(&result, 100, &part), -1);
    put_part(&result, 100, 2, VERDICT_NONE, &none);
    ck_assert_int_eq(first_of_result(&result, 100, &part), -1);
    put_part(&result, 100, 1, VERDICT_UNREADABLE, &none);
    ck_assert_int_eq(first_of_result(&result, 100, &part), -1);
    put_part(&result, 100, 1, VERDICT_NONE, &one);
    ck_assert_int_eq(first_of_result(&result, 100, &part), -1);
    put_part(&result, 100, 1, VERDICT_VARIANT, &none);
    ck_assert_int_eq(first_of_result(&result, 100, &part), -1);
    put_part(&result, 100, 1, VERDICT_IDENTICAL, &one); /* not that of the first finding */
    ck_assert_int_eq(first_of_result(&result, 100, &part), -1);
    finding.set = 2;
    put_part(&result, 100, 1, VERDICT_VARIANT, &one);
    ck_assert_int_eq(first_of_result(&result, 100, &part), -1);
    finding_list_release(&part.findings);
    buffer_release(&result);
}
END_TEST

START_TEST(a_worker_that_failed_says_why)
{
    struct scanner_part part = {0};
    struct buffer result = {0};

    wire_put(&result, 1);
    wire_put_bytes(&result, "the disk is full", 16);
    ck_assert_int_eq(first_of_result(&result, 100, &part), -1);
    ck_assert_str_eq(err.text, "the disk is full");
    buffer_release(&result);
}
END_TEST

RUN_TESTS("matcher", the_same_file_is_identical, a_file_with_edits_is_a_variant_with_about_so_many,
          a_file_of_which_the_halves_changed_places_is_a_variant,
          a_file_in_other_content_is_found_to_the_byte, a_file_that_is_there_twice_is_found_twice,
          a_file_is_found_however_often_it_is_there, a_file_that_repeats_itself_is_found,
          a_part_that_is_there_three_times_is_found_three_times, two_files_in_one_object_are_both_found,
          four_kib_of_a_file_are_a_fragment, whole_blocks_of_a_fragment_are_proved,
          what_is_alike_by_chance_far_from_a_fragment_is_no_part_of_it,
          findings_that_match_in_too_few_bytes_are_not_told, findings_of_a_larger_e_are_not_believed,
          a_file_at_the_beginning_of_free_space_is_embedded_in_it, unrelated_content_matches_nothing,
          of_too_few_bytes_and_of_low_entropy_nothing_is_said,
          an_empty_object_is_no_finding_though_a_set_has_an_empty_file,
          without_sets_that_have_anything_nothing_is_found,
          content_that_a_known_set_has_too_is_no_evidence_for_others,
          a_file_that_a_known_set_has_needs_no_search_for_its_kin_but_one_of_a_notable_set_does,
          a_file_that_several_sets_have_is_told_of_each,
          of_near_copies_the_best_is_told_and_the_others_are_counted,
          a_small_file_that_is_a_part_of_a_large_one_is_told_of_both,
          of_many_near_copies_with_the_same_samples_the_right_one_is_told,
          one_of_a_hundred_versions_is_found_beside_another_file, a_version_of_one_of_many_is_told,
          a_part_that_a_hundred_files_have_is_no_finding,
          a_file_that_is_all_there_is_told_though_more_of_another_one_is,
          with_all_references_what_lies_in_a_larger_one_is_told_too, tables_that_count_up_are_no_evidence,
          a_fragment_of_content_full_of_phrases_is_found_where_it_is, phrases_in_common_are_no_finding,
          what_is_found_does_not_depend_on_how_an_object_is_cut,
          work_that_is_too_much_is_left_and_told_and_what_was_found_stays, chunks_are_scanned_one_by_one,
          objects_of_more_bytes_than_are_wanted_are_not_read,
          what_cannot_be_read_a_second_time_is_found_all_the_same, a_small_file_in_a_huge_object_is_found,
          a_matcher_can_do_without_the_content, a_plan_is_what_all_its_sets_need,
          sets_of_different_windows_do_not_go_together, a_result_that_cannot_be_is_refused,
          a_worker_that_failed_says_why)
