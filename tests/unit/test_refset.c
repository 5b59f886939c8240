/* SPDX-License-Identifier: Apache-2.0 */
#include "refset_twin.h"

/* ---- parameters ---- */

START_TEST(a_set_is_named_after_its_file)
{
    static const char *const names[][2] = {
        {"/a/b.kset", "b"},   {"b.kset", "b"},  {"b", "b"},     {"a.b/c", "c"},
        {"./.kset", ".kset"}, {"a.b.c", "a.b"}, {"x/y.z/", ""}, {"", ""}};
    char longest[400];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct refset_params params = refset_defaults(names[i][0]);

        ck_assert_str_eq(params.name, names[i][1]);
        ck_assert_int_eq(refset_check(&params, &err), 0);
    }
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    ck_assert_uint_eq(strlen(refset_defaults(longest).name), REFSET_NAME_LEN);
}
END_TEST

START_TEST(kinds_have_names)
{
    ck_assert_str_eq(refset_kind_name(REFSET_NOTABLE), "notable");
    for (int kind = 0; kind < REFSET_KINDS; kind++)
        ck_assert_int_eq(refset_kind_find(refset_kind_name((enum refset_kind)kind)), kind);
    ck_assert_int_eq(refset_kind_find("Notable"), -1);
    ck_assert_int_eq(refset_kind_find(""), -1);
}
END_TEST

static void set_number(struct refset_params *params, int which, uint32_t number)
{
    uint32_t *const numbers[] = {&params->n, &params->c, &params->block, &params->common};

    *numbers[which] = number;
}

START_TEST(out_of_range_parameters_are_refused)
{
    static const uint32_t bad[4][6] = {{0, 7, 33, UINT32_MAX, 64, 1},
                                       {0, 2, 100, SAMPLER_MAX_C * 2, UINT32_MAX, 3},
                                       {0, BLOCKS_LEAST / 2, BLOCKS_LARGEST * 2, 4095, 5000, UINT32_MAX},
                                       {0, REFSET_MAX_COMMON + 1, UINT32_MAX, 1000, 257, 512}};
    static const uint32_t good[4][2] = {
        {8, 32}, {4, SAMPLER_MAX_C}, {BLOCKS_LEAST, BLOCKS_LARGEST}, {1, REFSET_MAX_COMMON}};

    begin_test();
    for (int which = 0; which < 4; which++) {
        struct refset_params params = small_params(256);

        for (int i = 0; i < 6; i++) {
            set_number(&params, which, bad[which][i]);
            ck_assert_int_eq(refset_check(&params, &err), -1);
            ck_assert_ptr_null(refset_create(path, &params, "test", NOW, &err));
            ck_assert_int_eq(access(path, F_OK), -1);
        }
        for (int i = 0; i < 2; i++) {
            struct refset *set;

            set_number(&params, which, good[which][i]);
            set = refset_create(path, &params, "test", NOW, &err);
            ck_assert_ptr_nonnull(set);
            set = reopen(set, REFSET_READ);
            ck_assert_mem_eq(&refset_info(set)->params.n, &params.n, 4 * sizeof params.n);
            close_set(set);
            unlink(path);
        }
    }
    struct refset_params params = small_params(256);
    params.kind = REFSET_KINDS;
    ck_assert_int_eq(refset_check(&params, &err), -1);
    end_test();
}
END_TEST

/* ---- creating and opening ---- */

START_TEST(a_set_keeps_the_parameters_it_was_created_with)
{
    struct refset_params params;
    struct refset_info info;
    struct refset *set;

    begin_test();
    params = refset_defaults(path);
    strcpy(params.category, "dr\xc3\xbcgs \"x\"");
    params.kind = REFSET_NOTABLE;
    params.n = 16;
    params.c = 256;
    params.block = 512;
    params.common = 7;
    set = refset_create(path, &params, "kith 1.2", NOW, &err);
    ck_assert_ptr_nonnull(set);
    info = *refset_info(set);
    ck_assert_str_eq(refset_path(set), path);
    set = reopen(set, REFSET_READ);
    ck_assert_str_eq(refset_info(set)->params.name, "a");
    ck_assert_str_eq(refset_info(set)->params.category, params.category);
    ck_assert_int_eq(refset_info(set)->params.kind, REFSET_NOTABLE);
    ck_assert_mem_eq(&refset_info(set)->params.n, &params.n, 4 * sizeof params.n);
    ck_assert_mem_eq(refset_info(set)->uuid, info.uuid, UUID_LEN);
    ck_assert_str_eq(refset_info(set)->tool, "kith 1.2");
    ck_assert_int_eq(refset_info(set)->created, NOW);
    ck_assert_mem_eq(&refset_info(set)->counts, &info.counts, sizeof info.counts);
    close_set(set);
    ck_assert_int_eq(refset_close(NULL, &err), 0);
    end_test();
}
END_TEST

START_TEST(every_set_has_its_own_version_4_uuid)
{
    uint8_t uuid[UUID_LEN];
    struct refset *set;

    begin_test();
    set = create_at(path, 256);
    memcpy(uuid, refset_info(set)->uuid, sizeof uuid);
    ck_assert_int_eq(uuid[6] >> 4, 4);
    ck_assert_int_eq(uuid[8] >> 6, 2);
    close_set(set);
    set = create_at(beside("b.kset"), 256);
    ck_assert_mem_ne(refset_info(set)->uuid, uuid, sizeof uuid);
    close_set(set);
    end_test();
}
END_TEST

START_TEST(an_existing_file_is_not_overwritten)
{
    struct refset_params params;

    begin_test();
    params = small_params(256);
    file_store(path, "precious", 8);
    ck_assert_ptr_null(refset_create(path, &params, "test", NOW, &err));
    ck_assert_int_eq(access(path, F_OK), 0);
    ck_assert_ptr_null(refset_open(path, REFSET_READ, &err));
    ck_assert_ptr_null(refset_open(beside("b.kset"), REFSET_READ, &err));
    ck_assert_ptr_null(refset_open(beside("b.kset"), REFSET_WRITE, &err));
    end_test();
}
END_TEST

START_TEST(an_empty_set_is_valid_and_has_nothing)
{
    struct refset *set;

    begin_test();
    twin_begin(20, 256);
    close_set(create_at(path, 256));
    assert_good();
    set = open_as(REFSET_WRITE);
    assert_twins(set);
    assert_read(set, false);
    struct refset_writer *writer = write_to(set, true);
    commit(writer);
    ck_assert_int_eq(refset_writer_compact(writer, 0, &err), 0);
    refset_writer_free(writer);
    assert_twins(set);
    close_set(set);
    assert_good();
    ck_assert_int_eq(ask("SELECT count(*) FROM source"), 0);
    twin_end();
    end_test();
}
END_TEST

START_TEST(an_impossible_info_row_is_an_error)
{
    static const char *const sqls[] = {
        "DELETE FROM info",
        "UPDATE info SET uuid = x'00'",
        "UPDATE info SET kind = 'other'",
        "UPDATE info SET scheme = 'coates2011'",
        "UPDATE info SET n = 7",
        "UPDATE info SET c = 0",
        "UPDATE info SET c = 4294967424", /* 128 if it were cut to 32 bits */
        "UPDATE info SET block = -1",
        "UPDATE info SET common = 257",
        "UPDATE info SET files = -1",
        "UPDATE info SET next_sample = 1 << 49",
        "UPDATE info SET bytes = -1",
        "UPDATE info SET generation = -5",
        "UPDATE info SET name = 'a' || char(0) || 'b'",
        "UPDATE info SET tool = printf('%.*c', 64, 'x')",
        "UPDATE info SET category = printf('%.*c', 201, 'x')",
    };
    uint8_t *good;
    size_t len;

    begin_test();
    close_set(create_at(path, 256));
    good = file_load(path, &len);
    for (size_t i = 0; i < sizeof sqls / sizeof *sqls; i++) {
        spoil(sqls[i]);
        ck_assert_msg(refset_open(path, REFSET_READ, &err) == NULL, "%s", sqls[i]);
        ck_assert_ptr_null(refset_open(path, REFSET_WRITE, &err));
        ck_assert_ptr_nonnull(strstr(err.text, path));
        ck_assert_int_ne(count_faults(), 0);
        file_store(path, good, len);
    }
    assert_good();
    free(good);
    end_test();
}
END_TEST

/* ---- digests that all have ---- */

START_TEST(common_digests_are_those_that_all_or_most_files_have)
{
    struct refset_writer *writer;
    struct refset *set;
    struct offer offer;

    begin_test();
    twin_begin(6, 256);
    set = create_at(path, 256);
    writer = write_to(set, true);
    for (int i = 0; i < 6; i++) {
        offer = (struct offer){.kinds = i < 3 ? 7u : i < 5 ? 3u : 2u, .names = {-1, -1, -1, -1}};
        offer_to(writer, &twin.contents[i], offer);
        commit(writer);
        ck_assert_uint_eq(refset_common_digests(set, &err), i < 3 ? 7u : i < 5 ? 3u : 2u);
    }
    refset_writer_free(writer);
    close_set(set);
    unlink(path);
    twin_end();
    twin_begin(3, 256);
    set = create_at(path, 256);
    writer = write_to(set, true);
    for (int i = 0; i < 3; i++) {
        offer = (struct offer){.kinds = i < 2 ? DIGEST_BIT(DIGEST_SHA256) : DIGEST_BIT(DIGEST_MD5),
                               .names = {-1, -1, -1, -1}};
        offer_to(writer, &twin.contents[i], offer);
    }
    commit(writer);
    ck_assert_uint_eq(refset_common_digests(set, &err), DIGEST_BIT(DIGEST_SHA256));
    refset_writer_free(writer);
    close_set(set);
    twin_end();
    end_test();
}
END_TEST

/* ---- sources ---- */

enum { LONG = 5000 };

struct listed {
    struct refset_source sources[8];
    char text[8][5][100];
    int count;
};

static void take_source(void *arg, const struct refset_source *source)
{
    struct listed *listed = arg;
    const int i = listed->count++;
    const char *const texts[] = {source->path, source->kind, source->format, source->tool, source->note};

    ck_assert_int_lt(i, 8);
    listed->sources[i] = *source;
    for (int j = 0; j < 5; j++)
        memcpy(listed->text[i][j], texts[j], j ? strlen(texts[j]) + 1 : source->path_len);
}

static void ignore_source(void *arg, const struct refset_source *source)
{
    (void)arg;
    (void)source;
}

static void count_long(void *arg, const struct refset_source *source)
{
    const size_t len =
        strlen(source->kind) + strlen(source->format) + strlen(source->tool) + strlen(source->note);

    *(int *)arg += len >= LONG;
}

static void add_one(struct refset_writer *writer, int i)
{
    offer_to(writer, &twin.contents[i], (struct offer){.kinds = 1, .names = {i % MOST_NAMES, -1, -1, -1}});
}

START_TEST(sources_that_contributed_are_kept_and_files_name_theirs)
{
    struct refset_source first = a_source, second = a_source, third = a_source;
    struct refset_writer *writer;
    static struct listed listed;
    struct refset *set;
    uint8_t sha256[DIGEST_SHA256_LEN];
    int handle;

    begin_test();
    twin_begin(4, 256);
    memset(sha256, 0xab, sizeof sha256);
    set = create_at(path, 256);
    writer = refset_writer_new(set, true, &err);
    first.path = "one\n\xfe";
    first.path_len = 5;
    first.format = "E01";
    first.note = "a note";
    first.has_sha256 = true;
    memset(first.sha256, 0x77, sizeof first.sha256);
    second.path = "nothing";
    second.path_len = 7;
    third.path = "three";
    third.path_len = 5;
    third.kind = "list";
    handle = refset_writer_source(writer, &first, &err);
    ck_assert_int_ge(handle, 0);
    ck_assert_int_eq(refset_writer_source_sha256(writer, sha256, &err), 0); /* nothing has come from it yet */
    add_one(writer, 0);
    ck_assert_int_ge(refset_writer_source(writer, &second, &err), 0);
    ck_assert_int_ge(refset_writer_source(writer, &third, &err), 0);
    add_one(writer, 1);
    commit(writer);
    ck_assert_int_eq(refset_writer_source_sha256(writer, sha256, &err), 0);
    refset_writer_back(writer, handle);
    add_one(writer, 2);
    commit(writer);
    refset_writer_free(writer);
    set = reopen(set, REFSET_READ);
    ck_assert_int_eq(refset_sources(set, take_source, &listed, &err), 0);
    ck_assert_int_eq(listed.count, 2);
    ck_assert_uint_eq(listed.sources[0].path_len, 5);
    ck_assert_mem_eq(listed.text[0][0], "one\n\xfe", 5);
    ck_assert_str_eq(listed.text[0][1], "folder");
    ck_assert_str_eq(listed.text[0][2], "E01");
    ck_assert_str_eq(listed.text[0][3], "test 1");
    ck_assert_str_eq(listed.text[0][4], "a note");
    ck_assert_int_eq(listed.sources[0].time, 1000);
    ck_assert(listed.sources[0].has_sha256 && listed.sources[0].sha256[5] == 0x77);
    ck_assert_str_eq(listed.text[1][1], "list");
    ck_assert(listed.sources[1].has_sha256 && listed.sources[1].sha256[31] == 0xab);
    close_set(set);
    ck_assert_int_eq(ask("SELECT source FROM file WHERE id = 1"), (int64_t)listed.sources[0].id);
    ck_assert_int_eq(ask("SELECT source FROM file WHERE id = 2"), (int64_t)listed.sources[1].id);
    ck_assert_int_eq(ask("SELECT source FROM file WHERE id = 3"), (int64_t)listed.sources[0].id);
    assert_good();
    twin_end();
    end_test();
}
END_TEST

START_TEST(texts_of_a_source_may_be_long)
{
    struct refset_source source = a_source;
    static char text[LONG + 1];
    struct refset_writer *writer;
    struct refset *set;
    int count = 0;

    begin_test();
    twin_begin(4, 256);
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 4; i++) {
        set = create_at(path, 256);
        writer = write_to(set, true);
        source = a_source;
        *(const char **[]){&source.kind, &source.format, &source.tool, &source.note}[i] = text;
        ck_assert_int_ge(refset_writer_source(writer, &source, &err), 0);
        add_one(writer, i);
        commit(writer);
        refset_writer_free(writer);
        set = reopen(set, REFSET_READ);
        ck_assert_msg(refset_sources(set, count_long, &count, &err) == 0, "%s", err.text);
        ck_assert_int_eq(count, i + 1);
        close_set(set);
        assert_good();
        unlink(path);
    }
    twin_end();
    end_test();
}
END_TEST

START_TEST(a_corrupt_source_is_an_error)
{
    static const char *const sqls[] = {"UPDATE source SET sha256 = x'00'", "UPDATE source SET id = -1"};
    struct refset_writer *writer;
    struct refset *set;
    uint8_t *good;
    size_t len;

    begin_test();
    twin_begin(4, 256);
    set = create_at(path, 256);
    writer = write_to(set, true);
    add_one(writer, 0);
    commit(writer);
    refset_writer_free(writer);
    close_set(set);
    good = file_load(path, &len);
    for (size_t i = 0; i < sizeof sqls / sizeof *sqls; i++) {
        spoil(sqls[i]);
        set = open_as(REFSET_READ);
        ck_assert_int_eq(refset_sources(set, ignore_source, NULL, &err), -1);
        close_set(set);
        ck_assert_msg(count_faults() > 0, "%s", sqls[i]);
        file_store(path, good, len);
    }
    free(good);
    twin_end();
    end_test();
}
END_TEST

RUN_TESTS("refset", a_set_is_named_after_its_file, kinds_have_names, out_of_range_parameters_are_refused,
          a_set_keeps_the_parameters_it_was_created_with, every_set_has_its_own_version_4_uuid,
          an_existing_file_is_not_overwritten, an_empty_set_is_valid_and_has_nothing,
          an_impossible_info_row_is_an_error, common_digests_are_those_that_all_or_most_files_have,
          sources_that_contributed_are_kept_and_files_name_theirs, texts_of_a_source_may_be_long,
          a_corrupt_source_is_an_error)
