/* SPDX-License-Identifier: Apache-2.0 */
#include "refset_twin.h"

static void check_set(size_t contents, uint32_t common, unsigned batch)
{
    struct refset *set;

    set = begin_set(contents, common);
    fill_set(set, batch);
    assert_found(set);
    set = reopen(set, REFSET_READ);
    assert_found(set);
    end_set(set);
}

START_TEST(everything_added_is_found_and_nothing_else)
{
    check_set(150, 256, 30);
    check_set(60, 256, UINT32_MAX);
}
END_TEST

START_TEST(features_of_more_files_than_the_limit_are_not_looked_up)
{
    static const uint32_t limits[] = {1, 2, 3, 8, 20};

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        check_set(80, limits[i], 30);
        check_set(40, limits[i], 3);
        check_set(40, limits[i], UINT32_MAX);
    }
}
END_TEST

START_TEST(a_search_sees_later_additions_once_refreshed)
{
    struct refset_search *search;
    struct refset_writer *writer;
    struct refset *set;

    set = begin_set(150, 8);
    search = refset_search_new(set, REFSET_SEARCH_FEATURES | REFSET_SEARCH_DIGESTS, &err);
    writer = write_to(set, true);
    for (size_t i = 0; i < 150; i++) {
        offer_to(writer, &twin.contents[i], any_of(&twin.contents[i]));
        if (i % 4)
            continue;
        commit(writer);
        ck_assert_int_eq(refset_search_refresh(search, &err), 0);
        if (i % 20 == 0)
            assert_features_found(search);
        assert_digests_found(search);
    }
    ck_assert_int_eq(refset_writer_compact(writer, 0, &err), 0);
    ck_assert_int_eq(refset_search_refresh(search, &err), 0);
    assert_features_found(search);
    assert_digests_found(search);
    refset_search_free(search);
    refset_search_free(NULL);
    refset_writer_free(writer);
    end_set(set);
}
END_TEST

static uint64_t probe_keys[5000];
static uint32_t passed[5000];

START_TEST(the_filters_pass_every_key_and_few_others)
{
    struct refset_search *search;
    struct refset *set;
    size_t count = 0, left, others = 0;

    set = begin_set(100, 256);
    fill_set(set, 10);
    search = refset_search_new(set, REFSET_SEARCH_FEATURES, &err);
    for (size_t i = 0; i < 100 && count < 4000; i++)
        for (size_t j = 0; j < twin.contents[i].count && count < 4000; j++)
            if (files_with(known_key(twin.contents[i].samples[j].fp)))
                probe_keys[count++] = known_key(twin.contents[i].samples[j].fp);
    ck_assert_uint_gt(count, 300);
    const size_t known = count;
    while (count < 5000)
        probe_keys[count++] = known_key(random64());
    left = refset_search_probe(search, probe_keys, count, passed);
    for (size_t i = 0; i < left; i++) {
        ck_assert(i == 0 || passed[i] > passed[i - 1]);
        others += passed[i] >= known;
    }
    ck_assert_uint_eq(left - others, known);
    ck_assert_uint_le(others, 50 + (count - known) / 50);
    ck_assert_uint_eq(refset_search_probe(search, probe_keys, 0, passed), 0);
    refset_search_free(search);
    end_set(set);
}
END_TEST

START_TEST(many_digests_can_be_looked_up_at_once)
{
    static uint8_t digests[3000][DIGEST_MAX_LEN];
    static uint64_t files[3000], one;
    struct refset_search *search;
    struct refset *set;

    set = begin_set(200, 256);
    fill_set(set, 30);
    search = refset_search_new(set, REFSET_SEARCH_DIGESTS, &err);
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        fill_random((uint8_t *)digests, sizeof digests);
        for (size_t i = 0; i < 3000; i += 5)
            memcpy(digests[i], twin.contents[i / 5 % 200].digests.bytes[kind], DIGEST_MAX_LEN);
        ck_assert_int_eq(
            refset_search_digest_list(search, (enum digest_kind)kind, digests, 3000, files, &err), 0);
        for (size_t i = 0; i < 3000; i++) {
            struct digest_values values = {.kinds = DIGEST_BIT(kind)};

            memcpy(values.bytes[kind], digests[i], DIGEST_MAX_LEN);
            ck_assert_int_eq(refset_search_digests(search, &values, 0, &one, &err), 0);
            ck_assert_uint_eq(files[i], one);
            ck_assert_int_eq(one != 0, i % 5 == 0 && (twin.contents[i / 5 % 200].kinds & DIGEST_BIT(kind)));
        }
    }
    refset_search_free(search);
    end_set(set);
}
END_TEST

START_TEST(digests_that_only_share_a_prefix_or_contradict_are_not_found)
{
    struct refset_search *search;
    struct refset_writer *writer;
    struct digest_values other;
    struct refset *set;
    uint64_t file;

    set = begin_set(10, 256);
    writer = write_to(set, true);
    for (int i = 0; i < 10; i++)
        offer_to(writer, &twin.contents[i], all_of(&twin.contents[i]));
    commit(writer);
    search = refset_search_new(set, REFSET_SEARCH_DIGESTS, &err);
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        for (size_t at = 0; at < digest_len((enum digest_kind)kind); at++) {
            other = twin.contents[3].digests;
            other.bytes[kind][at] ^= 1;
            ck_assert_int_eq(refset_search_digests(search, &other, 0, &file, &err),
                             0); /* the others are right */
            ck_assert_uint_eq(file, 0);
            other.kinds = DIGEST_BIT(kind);
            ck_assert_int_eq(refset_search_digests(search, &other, 0, &file, &err), 0);
            ck_assert_uint_eq(file, 0);
        }
    other.kinds = 0;
    ck_assert_int_eq(refset_search_digests(search, &other, 0, &file, &err), 0);
    ck_assert_uint_eq(file, 0);
    refset_search_free(search);
    refset_writer_free(writer);
    end_set(set);
}
END_TEST

/* The index has 48 bits of a digest. */
START_TEST(digests_with_a_common_prefix_are_distinguished)
{
    struct refset_search *search;
    struct refset_writer *writer;
    struct refset *set;
    uint64_t file;

    begin_test();
    twin_begin(200, 256);
    for (size_t i = 1; i < 200; i++)
        for (int kind = 0; kind < DIGEST_KINDS; kind++)
            memcpy(twin.contents[i].digests.bytes[kind], twin.contents[0].digests.bytes[kind], 8);
    set = create_at(path, 256);
    fill_set(set, 20);
    assert_twins(set);
    writer = write_to(set, true);
    for (size_t i = 0; i < 200; i++)
        offer_to(writer, &twin.contents[i], all_of(&twin.contents[i]));
    commit(writer);
    search = refset_search_new(set, REFSET_SEARCH_DIGESTS, &err);
    for (size_t i = 0; i < 200; i++) {
        ck_assert_int_eq(refset_search_digests(search, &twin.contents[i].digests, 0, &file, &err), 0);
        ck_assert_uint_ne(file, 0);
    }
    refset_search_free(search);
    refset_writer_free(writer);
    end_set(set);
}
END_TEST

START_TEST(only_requested_fields_are_loaded_and_missing_files_are_not_found)
{
    struct refset_search *search;
    struct set_hits hits = {0};
    struct set_file file = {0};
    struct set_record record = {0};
    struct refset *set;
    uint64_t key;

    set = begin_set(20, 256);
    fill_set(set, 10);
    search = refset_search_new(set, REFSET_SEARCH_DIGESTS, &err);
    key = known_key(twin.shared[0]);
    ck_assert_uint_eq(refset_search_probe(search, &key, 1, passed), 0);
    ck_assert_int_eq(refset_search_features(search, &key, 1, &hits, &err), 0);
    ck_assert_uint_eq(hits.count, 0);
    ck_assert_int_eq(refset_search_file(search, 0, &file, &err), 0);
    ck_assert_int_eq(refset_search_file(search, refset_info(set)->counts.files + 1, &file, &err), 0);
    ck_assert_int_eq(refset_search_file(search, UINT64_MAX, &file, &err), 0);
    ck_assert_int_eq(refset_search_record(search, 0, &record, &err), 0);
    ck_assert_int_eq(refset_search_record(search, refset_info(set)->counts.next_sample, &record, &err), 0);
    ck_assert_int_eq(refset_search_record(search, UINT64_MAX, &record, &err), 0);
    refset_search_free(search);
    end_set(set);
}
END_TEST

RUN_TESTS("refset_search", everything_added_is_found_and_nothing_else,
          features_of_more_files_than_the_limit_are_not_looked_up,
          a_search_sees_later_additions_once_refreshed, the_filters_pass_every_key_and_few_others,
          many_digests_can_be_looked_up_at_once, digests_that_only_share_a_prefix_or_contradict_are_not_found,
          digests_with_a_common_prefix_are_distinguished,
          only_requested_fields_are_loaded_and_missing_files_are_not_found)
