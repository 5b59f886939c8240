/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "matching.h"

/* Content without a finding, or with less of one than it seems. */

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

START_TEST(too_few_bytes_or_low_entropy_are_reported_as_such)
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

START_TEST(an_empty_object_is_no_finding_even_if_a_set_has_an_empty_file)
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

START_TEST(empty_sets_find_nothing)
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

/* Ascending numbers, as in tables of fonts and programs. */
START_TEST(tables_of_ascending_numbers_are_no_evidence)
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

START_TEST(a_fragment_of_content_full_of_stock_phrases_is_located)
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

START_TEST(shared_stock_phrases_are_no_finding)
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

/* 40 windows that are selected even at the largest C: about one in a million is. */
static void find_rare_windows(uint8_t windows[40][SAMPLER_DEFAULT_N])
{
    const struct sampler_params params = {SAMPLER_GF8, SAMPLER_DEFAULT_N, SAMPLER_MAX_C, 0};
    struct sampler *sampler = sampler_new(&params, &fixture.err);

    ck_assert_ptr_nonnull(sampler);
    for (size_t count = 0; count < 40;) {
        struct bytes bytes = random_bytes(4 << 20);
        struct sampler_result result;

        sampler_begin(sampler, bytes.len);
        ck_assert_int_eq(sampler_update(sampler, bytes.data, bytes.len, &fixture.err), 0);
        result = sampler_final(sampler);
        for (size_t i = 0; i < result.count && count < 40; i++)
            memcpy(windows[count++], bytes.data + result.samples[i].pos, SAMPLER_DEFAULT_N);
        free(bytes.data);
    }
    sampler_free(sampler);
}

/* Its samples cannot be thinned, and are more than are kept. */
START_TEST(content_made_of_the_rarest_windows_is_cut_and_reported)
{
    uint8_t windows[40][SAMPLER_DEFAULT_N];
    struct bytes bytes = new_bytes((size_t)SAMPLER_DEFAULT_N * 1200000);

    begin_files(30001);
    find_rare_windows(windows);
    for (size_t at = 0, i = 0; at < bytes.len; at += SAMPLER_DEFAULT_N, i++)
        memcpy(bytes.data + at, windows[i % 40], SAMPLER_DEFAULT_N);
    scan(bytes);
    ck_assert_uint_eq(fixture.parts[0].findings.count, 0);
    ck_assert_int_eq(fixture.parts[0].findings.lacks, FINDINGS_CUT);
    free(bytes.data);
    end_files();
}
END_TEST

RUN_TESTS("matcher_nothing", content_made_of_the_rarest_windows_is_cut_and_reported,
          unrelated_content_matches_nothing, too_few_bytes_or_low_entropy_are_reported_as_such,
          an_empty_object_is_no_finding_even_if_a_set_has_an_empty_file, empty_sets_find_nothing,
          tables_of_ascending_numbers_are_no_evidence, a_fragment_of_content_full_of_stock_phrases_is_located,
          shared_stock_phrases_are_no_finding)
