/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/escape.h"
#include "refset_twin.h"
#include "set/refset_copy.h"

static void fill_new(size_t contents, uint32_t common, unsigned batch)
{
    struct refset *set;

    twin_begin(contents, common);
    set = create_at(path, common);
    fill_set(set, batch);
    close_set(set);
}

/* ---- adding ---- */

START_TEST(everything_added_is_read_back_once)
{
    static const unsigned batches[] = {1, 5, 50, UINT32_MAX};
    struct refset *set;

    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        set = begin_set(batches[i] == 1 ? 60 : 150, 256);
        fill_set(set, batches[i]);
        assert_twins(set);
        set = reopen(set, REFSET_READ);
        assert_twins(set);
        assert_read(set, false);
        end_set(set);
    }
}
END_TEST

START_TEST(common_features_are_read_back_too)
{
    struct refset *set;

    begin_test();
    fill_new(150, 2, 20);
    set = open_as(REFSET_READ);
    assert_twins(set);
    close_set(set);
    ck_assert_int_gt(ask("SELECT count(*) FROM segment WHERE kind = 1"), 0);
    assert_good();
    twin_end();
    end_test();
}
END_TEST

START_TEST(sets_with_other_parameters_hold_the_same_files)
{
    struct refset_params params;
    struct refset *set;

    begin_test();
    twin_begin(1, 256);
    twin_end();
    params = small_params(256);
    params.c = 512;
    params.block = 512;
    twin.c = 512;
    twin.block = 512;
    twin.count = 80;
    for (size_t i = 0; i < twin.count; i++)
        make_content(&twin.contents[i]);
    set = refset_create(path, &params, "test", NOW, &err);
    ck_assert_ptr_nonnull(set);
    fill_set(set, 20);
    assert_twins(set);
    end_set(set);
}
END_TEST

START_TEST(a_set_reopened_for_every_batch_grows_like_one_kept_open)
{
    struct refset_writer *writer;
    struct refset *set;

    begin_test();
    twin_begin(200, 4);
    close_set(create_at(path, 4));
    for (size_t i = 0; i < 200; i += 10) {
        set = open_as(REFSET_WRITE);
        writer = write_to(set, true);
        for (size_t j = i > 10 ? i - 10 : 0; j < i + 10; j++)
            offer_to(writer, &twin.contents[j], any_of(&twin.contents[j]));
        commit(writer);
        refset_writer_free(writer);
        close_set(set);
    }
    assert_good();
    set = open_as(REFSET_READ);
    assert_twins(set);
    end_set(set);
}
END_TEST

static void offer_again(struct refset *set)
{
    struct refset_writer *writer = write_to(set, true);

    for (size_t i = 0; i < twin.count; i++) {
        struct content *content = &twin.contents[i];
        struct offer offer = {
            content->kinds, content->has_size, content->has_record, content->has_blocks, {-1, -1, -1, -1}};

        if (!content->kinds)
            continue;
        for (int name = 0; name < MOST_NAMES; name++)
            if (content->further[name] || name == content->first_name)
                offer.names[name] = name;
        offer_to(writer, content, offer);
        if (i % 50 == 0)
            commit(writer);
    }
    commit(writer);
    refset_writer_free(writer);
}

/* The first page has a counter that each opening for writing moves, and a checksum of it. */
START_TEST(adding_everything_again_changes_nothing)
{
    enum { COUNTERS = 24, VALID_FOR = 92, PAGE = 4096, SUM = 4 };
    uint8_t *before, *after;
    struct refset *set;
    size_t len, len_after;
    uint64_t generation;

    begin_test();
    fill_new(150, 8, 20);
    before = file_load(path, &len);
    set = open_as(REFSET_WRITE);
    generation = refset_info(set)->generation;
    offer_again(set);
    ck_assert_uint_eq(refset_info(set)->generation, generation);
    close_set(set);
    after = file_load(path, &len_after);
    ck_assert_uint_eq(len, len_after);
    for (uint8_t *data = before; data; data = data == before ? after : NULL) {
        memset(data + COUNTERS, 0, 4);
        memset(data + VALID_FOR, 0, 4);
        memset(data + PAGE - SUM, 0, SUM);
    }
    ck_assert_mem_eq(before, after, len);
    free(before);
    free(after);
    twin_end();
    end_test();
}
END_TEST

/* ---- one thing at a time ---- */

static enum refset_added offer_parts(struct refset_writer *writer, unsigned kinds, bool size, bool record)
{
    static struct known known;
    const struct offer offer = {kinds, size, record, record, {0, -1, -1, -1}};
    enum refset_added added;

    fill_known(&known, &twin.contents[0], &offer);
    added = refset_writer_add(writer, &known, &err);
    known_release(&known);
    return added;
}

static void assert_offer(struct refset_writer *writer, unsigned kinds, bool size, bool record,
                         enum refset_added wanted)
{
    ck_assert_int_eq(offer_parts(writer, kinds, size, record), wanted);
}

/* A set to which one content is added. */
static struct refset_writer *begin_one(struct refset **set)
{
    *set = begin_set(1, 256);
    return write_to(*set, true);
}

static void end_one(struct refset *set, struct refset_writer *writer)
{
    refset_writer_free(writer);
    end_set(set);
}

START_TEST(later_entries_complete_a_file_in_the_same_batch_or_another)
{
    for (int batches = 0; batches < 2; batches++) {
        struct refset *set;
        struct refset_writer *writer = begin_one(&set);

        assert_offer(writer, 2, false, false, REFSET_ADDED);
        if (batches)
            commit(writer);
        assert_offer(writer, 2, false, false, REFSET_THERE);
        assert_offer(writer, 3, false, false, REFSET_EXTENDED);
        assert_offer(writer, 3, false, false, REFSET_THERE);
        if (batches)
            commit(writer);
        assert_offer(writer, 1, true, false, REFSET_EXTENDED);
        assert_offer(writer, 4, true, false, REFSET_ADDED); /* nothing shows that it is the same */
        assert_offer(writer, 1, true, true, REFSET_EXTENDED);
        if (batches)
            commit(writer);
        assert_offer(writer, 1, true, true, REFSET_THERE);
        assert_offer(writer, 1, false, false, REFSET_THERE);
        commit(writer);
        refset_writer_free(writer);
        ck_assert_uint_eq(refset_info(set)->counts.files, 2);
        ck_assert_uint_eq(refset_info(set)->counts.records, 1);
        ck_assert_uint_eq(refset_info(set)->counts.without_sha1, 1);
        ck_assert_uint_eq(refset_info(set)->counts.bytes, 2 * twin.contents[0].size);
        end_set(set);
    }
}
END_TEST

static enum refset_added add_part(struct refset_writer *writer, const struct content *content,
                                  const struct offer *offer)
{
    struct known known = {0};
    enum refset_added added;

    fill_known(&known, content, offer);
    added = refset_writer_add(writer, &known, &err);
    known_release(&known);
    return added;
}

/* Known by MD5, with a size (and a record) by SHA-1, or the other way round, then by a list with both
 * digests: the later of the two stays, with what the other one knew. */
START_TEST(a_file_that_joins_another_brings_its_size_and_its_record)
{
    for (int turn = 0; turn < 4; turn++) {
        const bool record = turn & 1, is_later = turn & 2;
        const struct offer parts[] = {
            {DIGEST_BIT(DIGEST_MD5), false, false, false, {0, -1, -1, -1}},
            {DIGEST_BIT(DIGEST_SHA1), true, record, record, {1, -1, -1, -1}},
            {DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_MD5), false, false, false, {-1, -1, -1, -1}}};
        static const enum refset_added wanted[] = {REFSET_ADDED, REFSET_ADDED, REFSET_EXTENDED};
        const struct content *content = &twin.contents[0];
        struct digest_values digests;
        struct refset_search *search;
        struct set_file file = {0};
        struct refset *set;
        struct refset_writer *writer;
        uint64_t id;

        set = begin_set(1, 256);
        writer = write_to(set, true);
        for (int i = 0; i < 3; i++)
            ck_assert_int_eq(add_part(writer, content, &parts[i < 2 && is_later ? 1 - i : i]), wanted[i]);
        commit(writer);
        refset_writer_free(writer);
        ck_assert_uint_eq(refset_info(set)->counts.files, 1);
        ck_assert_uint_eq(refset_info(set)->counts.records, (uint64_t)record);
        ck_assert_uint_eq(refset_info(set)->counts.bytes, content->size);
        ck_assert_uint_eq(refset_info(set)->counts.without_sha1, 0);
        search = refset_search_new(set, REFSET_SEARCH_DIGESTS, &err);
        digests = content->digests;
        digests.kinds = DIGEST_BIT(DIGEST_MD5);
        ck_assert_int_eq(refset_search_digests(search, &digests, 0, &id, &err), 0);
        ck_assert_uint_eq(id, 2);
        ck_assert_int_eq(refset_search_file(search, id, &file, &err), 1);
        ck_assert_uint_eq(file.digests.kinds, DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_MD5));
        ck_assert(file.has_size && file.size == content->size);
        ck_assert_int_eq(file.has_record, record);
        set_file_release(&file);
        refset_search_free(search);
        end_set(set);
    }
}
END_TEST

/* A byte of the page where the table or index begins is changed. */
static void damage_table(const char *name)
{
    enum { PAGE = 4096 };
    char sql[100];
    uint8_t *data;
    size_t len;

    snprintf(sql, sizeof sql, "SELECT rootpage FROM sqlite_schema WHERE name = '%s'", name);
    const size_t page = (size_t)ask(sql) - 1;

    data = file_load(path, &len);
    data[page * PAGE + PAGE / 2] ^= 1;
    file_store(path, data, len);
    free(data);
}

START_TEST(files_that_cannot_be_joined_completely_stay_separate)
{
    static const char *const tables[] = {"name", "record"};
    static const struct offer parts[] = {
        {DIGEST_BIT(DIGEST_SHA1), true, true, true, {0, 1, -1, -1}},
        {DIGEST_BIT(DIGEST_MD5), false, false, false, {2, 3, -1, -1}},
        {DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_MD5), false, false, false, {-1, -1, -1, -1}}};

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct refset *set = begin_set(1, 256);
        struct refset_writer *writer = write_to(set, true);

        for (int part = 0; part < 2; part++)
            ck_assert_int_eq(add_part(writer, &twin.contents[0], &parts[part]), REFSET_ADDED);
        commit(writer);
        refset_writer_free(writer);
        close_set(set);
        damage_table(tables[i]);
        set = open_as(REFSET_WRITE);
        writer = write_to(set, true);
        ck_assert_int_eq(add_part(writer, &twin.contents[0], &parts[2]), REFSET_FAILED);
        ck_assert_ptr_nonnull(strstr(err.text, "checksum mismatch"));
        refset_writer_free(writer);
        ck_assert_uint_eq(refset_info(set)->counts.files, 2);
        close_set(set);
        twin_end();
        end_test();
    }
}
END_TEST

START_TEST(a_different_size_for_the_same_digest_is_refused)
{
    struct refset *set;
    struct refset_writer *writer = begin_one(&set);

    assert_offer(writer, 3, true, false, REFSET_ADDED);
    twin.contents[0].size++;
    assert_offer(writer, 1, true, false, REFSET_REFUSED);
    commit(writer);
    assert_offer(writer, 7, true, false, REFSET_REFUSED);
    assert_offer(writer, 1, false, false, REFSET_THERE);
    commit(writer);
    refset_writer_free(writer);
    set = reopen(set, REFSET_READ);
    ck_assert_uint_eq(refset_info(set)->counts.files, 1);
    ck_assert_uint_eq(refset_info(set)->counts.bytes, twin.contents[0].size - 1);
    end_set(set);
}
END_TEST

START_TEST(contradicting_digests_belong_to_another_file)
{
    struct refset *set;
    struct refset_writer *writer = begin_one(&set);

    assert_offer(writer, 3, false, false, REFSET_ADDED);
    twin.contents[0].digests.bytes[DIGEST_SHA1][19] ^= 1; /* the MD5 is the same */
    assert_offer(writer, 3, false, false, REFSET_ADDED);
    commit(writer);
    assert_offer(writer, 3, false, false, REFSET_THERE);
    assert_offer(writer, 2, false, false, REFSET_THERE);
    end_one(set, writer);
}
END_TEST

START_TEST(what_a_set_cannot_hold_is_refused_and_the_rest_is_added)
{
    static const struct {
        unsigned n, c;
        enum refset_added wanted;
    } params[] = {
        {13, 4, REFSET_REFUSED}, {N, 0, REFSET_REFUSED}, {N, 12, REFSET_REFUSED}, {N, 4, REFSET_ADDED}};
    struct refset *set;
    struct refset_writer *writer = begin_one(&set);

    assert_offer(writer, 0, false, false, REFSET_REFUSED);
    assert_offer(writer, 2, true, true, REFSET_REFUSED);
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
        twin.contents[0].params.n = params[i].n;
        twin.contents[0].params.c = params[i].c;
        assert_offer(writer, 1, true, true, params[i].wanted);
    }
    end_one(set, writer);
}
END_TEST

START_TEST(unless_all_names_are_kept_a_file_has_one)
{
    struct refset_writer *writer;
    struct known known = {0};
    struct refset *set;
    struct offer offer;

    set = begin_set(2, 256);
    writer = write_to(set, false);
    offer = (struct offer){.kinds = 1, .names = {2, 1, -1, -1}};
    fill_known(&known, &twin.contents[0], &offer);
    ck_assert_int_eq(refset_writer_add(writer, &known, &err), REFSET_ADDED);
    offer.names[0] = 3;
    fill_known(&known, &twin.contents[0], &offer);
    ck_assert_int_eq(refset_writer_add(writer, &known, &err), REFSET_THERE);
    offer.names[0] = offer.names[1] = -1;
    fill_known(&known, &twin.contents[1], &offer);
    ck_assert_int_eq(refset_writer_add(writer, &known, &err), REFSET_ADDED);
    offer.names[2] = 3;
    fill_known(&known, &twin.contents[1], &offer);
    ck_assert_int_eq(refset_writer_add(writer, &known, &err), REFSET_EXTENDED); /* it had none */
    commit(writer);
    refset_writer_free(writer);
    ck_assert_uint_eq(refset_info(set)->counts.names, 0);
    twin.contents[0].kinds = twin.contents[1].kinds = 1;
    twin.contents[0].first_name = 2;
    twin.contents[1].first_name = 3;
    assert_twins(set);
    known_release(&known);
    end_set(set);
}
END_TEST

/* ---- uncommitted content ---- */

START_TEST(uncommitted_files_leave_no_trace)
{
    struct refset_writer *writer;
    struct refset *set;
    struct content before[10];

    set = begin_set(10, 256);
    writer = write_to(set, true);
    for (int i = 0; i < 5; i++)
        offer_to(writer, &twin.contents[i], any_of(&twin.contents[i]));
    commit(writer);
    memcpy(before, twin.contents, sizeof before);
    const uint64_t records = twin.records;
    for (int i = 0; i < 10; i++)
        offer_to(writer, &twin.contents[i], all_of(&twin.contents[i]));
    refset_writer_free(writer);
    memcpy(twin.contents, before, sizeof before);
    twin.records = records;
    assert_twins(set);
    writer = write_to(set, true); /* of the same set, which continues as if nothing had happened */
    for (int i = 4; i < 8; i++)
        offer_to(writer, &twin.contents[i], all_of(&twin.contents[i]));
    commit(writer);
    refset_writer_free(writer);
    assert_twins(set);
    set = reopen(set, REFSET_READ);
    assert_twins(set);
    end_set(set);
}
END_TEST

/* ---- many, and large ---- */

START_TEST(seventy_thousand_files_may_share_a_feature)
{
    enum { FILES = 70000 };
    struct refset_writer *writer;
    struct refset_reader *reader;
    struct refset_search *search;
    struct set_hits hits = {0};
    struct known known = {0};
    const uint64_t shared = 0x123456789abcd, key = known_key(shared);
    struct refset *set;
    uint64_t i = 0;

    begin_test();
    set = create_at(path, 256);
    writer = write_to(set, true);
    for (; i < FILES; i++) {
        const struct sample samples[] = {{i % 50, shared}, {60, (i + 1) << 20 | 9}};

        known_reset(&known);
        known.digests.kinds = 1;
        for (int byte = 0; byte < 8; byte++)
            known.digests.bytes[0][byte] = (uint8_t)((i * 0x9e3779b97f4a7c15u) >> 8 * byte);
        known.has_size = known.has_record = true;
        known.size = 100;
        known.record.params = (struct sampler_params){SAMPLER_GF8, N, known_c(100, 128), 0};
        ck_assert_int_eq(record_set_samples(&known.record, samples, 2, &err), 0);
        ck_assert_int_eq(refset_writer_add(writer, &known, &err), REFSET_ADDED);
        if (i == 100 || i == 255 || i == 256 || i == 1000 || i == 40000) {
            commit(writer);
            search = refset_search_new(set, REFSET_SEARCH_FEATURES, &err);
            ck_assert_int_eq(refset_search_features(search, &key, 1, &hits, &err), 0);
            ck_assert_uint_eq(hits.count, i < 256 ? i + 1 : KEEP_MOST);
            ck_assert_uint_eq(hits.list[0].files, i + 1);
            hits.count = 0;
            refset_search_free(search);
        }
    }
    commit(writer);
    refset_writer_free(writer);
    reader = refset_reader_new(set, true, &err);
    for (i = 0; refset_reader_next(reader, &err) > 0; i++) {
        const struct record *record = &refset_reader_known(reader)->record;

        ck_assert_uint_eq(record->count, 2);
        ck_assert_uint_eq(record->samples[0].pos, i % 50);
        ck_assert_uint_eq(known_key(record->samples[0].fp), key);
        ck_assert_uint_eq(known_key(record->samples[1].fp), known_key((i + 1) << 20));
    }
    ck_assert_uint_eq(i, FILES);
    refset_reader_free(reader);
    set_hits_release(&hits);
    known_release(&known);
    close_set(set);
    end_test();
}
END_TEST

START_TEST(a_placeholder_md5_does_not_slow_an_import)
{
    enum { FILES = 1000 };
    struct refset_writer *writer;
    struct known known = {0};
    struct refset *set;
    struct timespec begin, end;

    begin_test();
    set = create_at(path, 256);
    writer = write_to(set, true);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (uint64_t i = 0; i < FILES; i++) {
        known_reset(&known);
        known.digests.kinds = 3;
        for (int byte = 0; byte < 8; byte++)
            known.digests.bytes[0][byte] = (uint8_t)((i * 0x9e3779b97f4a7c15u) >> 8 * byte);
        ck_assert_int_eq(refset_writer_add(writer, &known, &err), REFSET_ADDED);
    }
    commit(writer);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    ck_assert_int_lt(end.tv_sec - begin.tv_sec, 60);
    refset_writer_free(writer);
    known_release(&known);
    close_set(set);
    assert_good();
    end_test();
}
END_TEST

START_TEST(the_largest_sizes_are_accepted)
{
    struct refset_writer *writer;
    struct refset *set;

    set = begin_set(4, 256);
    writer = write_to(set, true);
    for (int i = 0; i < 4; i++) {
        twin.contents[i].size = INT64_MAX - (unsigned)i;
        offer_to(writer, &twin.contents[i],
                 (struct offer){.kinds = 1, .has_size = true, .names = {-1, -1, -1, -1}});
    }
    commit(writer);
    refset_writer_free(writer);
    set = reopen(set, REFSET_READ);
    assert_read(set, true);
    end_set(set);
}
END_TEST

/* ---- compacting ---- */

START_TEST(compacting_loses_nothing_and_leaves_one_segment_per_index)
{
    static const uint32_t limits[] = {8, 0, 3, 1};
    struct refset_writer *writer;
    struct refset *set;

    begin_test();
    fill_new(200, 8, 10);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        set = open_as(REFSET_WRITE);
        writer = write_to(set, true);
        offer_to(writer, &twin.contents[i], all_of(&twin.contents[i]));
        ck_assert_msg(refset_writer_compact(writer, limits[i], &err) == 0, "%s", err.text);
        refset_writer_free(writer);
        twin.common = limits[i] ? limits[i] : twin.common;
        assert_twins(set);
        set = reopen(set, REFSET_READ);
        ck_assert_uint_eq(refset_info(set)->params.common, twin.common);
        assert_twins(set);
        close_set(set);
        assert_good();
        ck_assert_int_eq(ask("SELECT count(*) - count(DISTINCT kind) FROM segment"), 0);
    }
    twin_end();
    end_test();
}
END_TEST

START_TEST(an_out_of_range_limit_does_not_damage_the_set)
{
    struct refset_writer *writer;
    struct refset *set;

    begin_test();
    fill_new(20, 256, 10);
    set = open_as(REFSET_WRITE);
    writer = write_to(set, true);
    refset_writer_compact(writer, REFSET_MAX_COMMON + 1, &err);
    refset_writer_free(writer);
    set = reopen(set, REFSET_READ);
    ck_assert_uint_le(refset_info(set)->params.common, REFSET_MAX_COMMON);
    assert_twins(set);
    end_set(set);
}
END_TEST

/* ---- copying ---- */

/* Like assert_twins, except for the order of the records. */
static void assert_counts_and_found(struct refset *set)
{
    assert_counts(set);
    assert_found(set);
}

struct chosen {
    unsigned asked;
};

/* Every other content; those left out are removed from the twin. */
static int keep_even(void *arg, const struct known *known, struct error *error)
{
    struct chosen *chosen = arg;
    struct content *content = content_of(&known->digests);

    (void)error;
    chosen->asked++;
    if ((content - twin.contents) % 2 == 0)
        return 1;
    content->kinds = 0;
    content->has_record = false;
    return 0;
}

static struct refset *copy_to_b(struct refset_copy *copy, int wanted)
{
    struct refset *from = open_as(REFSET_READ), *to = create_at(beside("b.kset"), twin.common);
    struct refset_writer *writer = refset_writer_new(to, true, &err);

    ck_assert_msg(refset_copy(copy, from, writer, &err) == wanted, "%s", err.text);
    commit(writer);
    refset_writer_free(writer);
    close_set(from);
    return to;
}

static void move_b(struct refset *set)
{
    close_set(set);
    ck_assert_int_eq(rename(beside("b.kset"), path), 0);
}

START_TEST(a_copy_has_the_same_files_and_sources)
{
    struct refset_copy copy = {0};
    atomic_ullong count = 0;
    struct refset *set;

    begin_test();
    fill_new(150, 4, 20);
    copy.count = &count;
    set = copy_to_b(&copy, 0);
    ck_assert_uint_eq(copy.added, refset_info(set)->counts.files);
    ck_assert_uint_eq(copy.extended + copy.there + copy.left_out, 0);
    ck_assert_uint_eq(count, copy.added);
    assert_twins(set);
    move_b(set);
    ck_assert_int_eq(
        ask("SELECT count(*) FROM source WHERE path = x'2f6120666f6c646572ff' AND kind = 'folder'"), 1);
    ck_assert_int_eq(ask("SELECT count(*) FROM source"), 1);
    assert_good();
    twin_end();
    end_test();
}
END_TEST

START_TEST(only_files_that_keep_accepts_are_copied)
{
    struct chosen chosen = {0};
    struct refset_copy copy = {.keep = keep_even, .arg = &chosen};
    struct refset *set;

    begin_test();
    fill_new(100, 256, 20);
    set = copy_to_b(&copy, 0);
    ck_assert_uint_eq(copy.added + copy.left_out, chosen.asked);
    ck_assert(copy.added > 30 && copy.left_out > 30);
    assert_counts_and_found(set);
    move_b(set);
    assert_good();
    twin_end();
    end_test();
}
END_TEST

START_TEST(copying_into_a_set_with_some_of_the_files_extends_them)
{
    struct refset_copy copy = {0};
    struct refset_writer *writer;
    struct refset *from, *to;

    begin_test();
    fill_new(100, 256, 20);
    to = create_at(beside("b.kset"), 256);
    writer = write_to(to, true);
    from = open_as(REFSET_READ);
    ck_assert_int_eq(refset_copy(&copy, from, writer, &err), 0);
    commit(writer);
    const uint64_t files = copy.added;
    copy = (struct refset_copy){0};
    ck_assert_int_eq(refset_copy(&copy, from, writer, &err), 0);
    ck_assert(copy.there == files && copy.added + copy.extended + copy.left_out == 0);
    commit(writer);
    close_set(from);
    refset_writer_free(writer);
    from = open_as(REFSET_WRITE);
    writer = write_to(from, true);
    for (size_t i = 0; i < 100; i++)
        offer_to(writer, &twin.contents[i], all_of(&twin.contents[i]));
    commit(writer);
    refset_writer_free(writer);
    writer = write_to(to, true);
    copy = (struct refset_copy){0};
    ck_assert_int_eq(refset_copy(&copy, from, writer, &err), 0);
    ck_assert(copy.extended > 50 && copy.left_out == 0);
    commit(writer);
    refset_writer_free(writer);
    close_set(from);
    assert_counts_and_found(to);
    move_b(to);
    assert_good();
    twin_end();
    end_test();
}
END_TEST

static void add_names_from(struct refset_writer *writer, const char *const *paths, int count)
{
    for (int i = 0; i < count; i++) {
        struct refset_source source = a_source;
        struct offer offer = all_of(NULL);

        source.path = paths[i];
        source.path_len = strlen(paths[i]);
        ck_assert_int_ge(refset_writer_source(writer, &source, &err), 0);
        for (int name = 0; name < MOST_NAMES; name++)
            offer.names[name] = name == i ? i : -1;
        add_part(writer, &twin.contents[0], &offer);
    }
}

/* Their numbers differ in the copy, which has sources of its own. */
START_TEST(each_name_keeps_its_source_in_a_copy)
{
    static const char *const paths[] = {"/one", "/two", "/three", "/four"};
    struct refset_copy copy = {0};
    struct refset_writer *writer;
    struct refset *from, *to;

    from = begin_set(4, 256);
    writer = refset_writer_new(from, true, &err);
    add_names_from(writer, paths, MOST_NAMES);
    commit(writer);
    refset_writer_free(writer);
    from = reopen(from, REFSET_READ);
    to = create_at(beside("b.kset"), 256);
    writer = write_to(to, true);
    offer_to(writer, &twin.contents[1], all_of(&twin.contents[1]));
    ck_assert_int_eq(refset_copy(&copy, from, writer, &err), 0);
    commit(writer);
    refset_writer_free(writer);
    close_set(from);
    move_b(to);
    for (int i = 0; i < MOST_NAMES; i++) {
        struct buffer sql = {0};

        buffer_add_text(&sql,
                        "SELECT count(*) FROM source JOIN (SELECT name, source FROM file UNION ALL"
                        " SELECT name, source FROM name) AS named ON id = named.source WHERE name = x'");
        escape_hex(&sql, twin.contents[0].names[i], strlen(twin.contents[0].names[i]));
        buffer_printf(&sql, "' AND CAST(path AS TEXT) = '%s'", paths[i]);
        buffer_add(&sql, "", 1);
        ck_assert_int_eq(ask(sql.data), 1);
        buffer_release(&sql);
    }
    assert_good();
    twin_end();
    end_test();
}
END_TEST

START_TEST(a_stopped_copy_says_so)
{
    atomic_bool stop = true;
    struct refset_copy copy = {.stop = &stop};

    begin_test();
    fill_new(20, 256, 20);
    close_set(copy_to_b(&copy, 1));
    ck_assert_uint_eq(copy.added, 0);
    twin_end();
    end_test();
}
END_TEST

START_TEST(blocks_of_another_size_are_dropped_or_the_record_is_refused)
{
    struct refset_copy copy = {.drop_blocks = true};
    struct refset_params params;
    struct refset_writer *writer;
    struct refset *from, *to;

    begin_test();
    fill_new(30, 256, 20);
    params = small_params(256);
    params.block = 512;
    from = open_as(REFSET_READ);
    to = refset_create(beside("b.kset"), &params, "test", NOW, &err);
    writer = refset_writer_new(to, true, &err);
    ck_assert_int_eq(refset_copy(&copy, from, writer, &err), 0);
    commit(writer);
    refset_writer_free(writer);
    close_set(from);
    for (size_t i = 0; i < 30; i++)
        twin.contents[i].has_blocks = false;
    assert_twins(to);
    close_set(to);
    twin_end();
    end_test();
}
END_TEST

/* ---- processes that are killed ---- */

enum { KILLS = 30, PER_BATCH = 4 };

/* Batch after batch; the names of its files contain its number. */
static void add_for_ever(int started)
{
    struct refset *set = refset_open(path, REFSET_WRITE, &err);
    struct refset_writer *writer = set ? refset_writer_new(set, true, &err) : NULL;
    struct known known = {0};

    if (!writer || refset_writer_source(writer, &a_source, &err) < 0 || write(started, "", 1) != 1)
        _exit(1);
    for (;;) {
        for (int i = 0; i < PER_BATCH; i++) {
            struct content *content = &twin.contents[refset_info(set)->counts.files % twin.count];
            const struct offer offer = all_of(content);

            fill_random((uint8_t *)content->digests.bytes, sizeof content->digests.bytes);
            fill_known(&known, content, &offer);
            if (refset_writer_add(writer, &known, &err) != REFSET_ADDED)
                _exit(1);
        }
        if (refset_writer_commit(writer, &err))
            _exit(1);
    }
}

START_TEST(a_set_whose_writer_was_killed_is_intact_and_holds_whole_batches)
{
    int64_t files = 0;

    begin_test();
    twin_begin(50, 8);
    close_set(create_at(path, 8));
    for (int i = 0; i < KILLS; i++) {
        int started[2];
        char byte;
        pid_t child;
        struct refset *set;

        ck_assert_int_eq(pipe(started), 0);
        random_state += (uint64_t)i * 2;
        child = fork();
        if (child == 0)
            add_for_ever(started[1]);
        close(started[1]);
        ck_assert_int_eq(read(started[0], &byte, 1), 1);
        close(started[0]);
        nanosleep(&(struct timespec){0, (long)random_below(6000000)}, NULL);
        kill(child, SIGKILL);
        ck_assert_int_eq(waitpid(child, NULL, 0), child);
        set = open_as(i % 2 ? REFSET_WRITE : REFSET_READ);
        ck_assert_int_eq((int64_t)refset_info(set)->counts.files % PER_BATCH, 0);
        ck_assert_int_ge((int64_t)refset_info(set)->counts.files, files);
        files = (int64_t)refset_info(set)->counts.files;
        close_set(set);
        if (i % 3 == 0)
            assert_good();
    }
    assert_good();
    ck_assert_int_gt(files, 0);
    ck_assert_int_eq(ask("SELECT count(*) FROM file"), files);
    twin_end();
    end_test();
}
END_TEST

RUN_TESTS("refset_writer", everything_added_is_read_back_once, common_features_are_read_back_too,
          sets_with_other_parameters_hold_the_same_files,
          a_set_reopened_for_every_batch_grows_like_one_kept_open, adding_everything_again_changes_nothing,
          later_entries_complete_a_file_in_the_same_batch_or_another,
          a_file_that_joins_another_brings_its_size_and_its_record,
          files_that_cannot_be_joined_completely_stay_separate,
          a_different_size_for_the_same_digest_is_refused, contradicting_digests_belong_to_another_file,
          what_a_set_cannot_hold_is_refused_and_the_rest_is_added, unless_all_names_are_kept_a_file_has_one,
          uncommitted_files_leave_no_trace, seventy_thousand_files_may_share_a_feature,
          a_placeholder_md5_does_not_slow_an_import, the_largest_sizes_are_accepted,
          compacting_loses_nothing_and_leaves_one_segment_per_index,
          an_out_of_range_limit_does_not_damage_the_set, a_copy_has_the_same_files_and_sources,
          only_files_that_keep_accepts_are_copied, copying_into_a_set_with_some_of_the_files_extends_them,
          each_name_keeps_its_source_in_a_copy, a_stopped_copy_says_so,
          blocks_of_another_size_are_dropped_or_the_record_is_refused,
          a_set_whose_writer_was_killed_is_intact_and_holds_whole_batches)
