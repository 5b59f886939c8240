/* SPDX-License-Identifier: Apache-2.0 */
#include "matching.h"

/* Several sets. */

START_TEST(content_also_in_a_known_set_is_no_evidence_for_other_sets)
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
        put(bytes, 1000, program); /* the program's own content is still evidence */
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

START_TEST(files_of_known_sets_need_no_search_for_related_files_but_notable_ones_do)
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

START_TEST(a_file_in_several_sets_is_reported_for_each)
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

RUN_TESTS("matcher_sets", content_also_in_a_known_set_is_no_evidence_for_other_sets,
          files_of_known_sets_need_no_search_for_related_files_but_notable_ones_do,
          a_file_in_several_sets_is_reported_for_each)
