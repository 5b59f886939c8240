/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "report/report_edits.h"

static void assert_words(struct report_edits edits, const char *expected)
{
    struct buffer out = {0};

    report_edits(&edits, &out);
    buffer_add_char(&out, '\0');
    ck_assert(!out.failed);
    ck_assert_str_eq(out.data, expected);
    buffer_release(&out);
}

START_TEST(an_estimate_of_no_edits_is_not_called_identical)
{
    assert_words((struct report_edits){0, 0, 374, .not_identical = true},
                 "not identical; probably at most 374 bytes differ");
    assert_words((struct report_edits){0.4, 0, 0.4, .not_identical = true},
                 "not identical; probably at most 1 byte differs");
    assert_words((struct report_edits){1, 1, 374, .not_identical = true},
                 "not identical; probably at most 374 bytes differ");
    assert_words((struct report_edits){0, 0, 374, .identical = false}, "probably at most 374 bytes differ");
}
END_TEST

START_TEST(equal_content_has_no_differing_byte)
{
    assert_words((struct report_edits){0, 0, 374, .identical = true}, "no byte differs");
    assert_words((struct report_edits){0, 0, 0, .proved = true}, "no byte differs");
}
END_TEST

START_TEST(what_is_not_proved_is_not_called_equal)
{
    assert_words((struct report_edits){0, 0, 0, .identical = false}, "no difference seen in the samples");
}
END_TEST

START_TEST(an_estimate_comes_with_its_interval_unless_it_is_exact)
{
    assert_words((struct report_edits){315, 86, 2054, .not_identical = true},
                 "about 315 bytes differ (86 to 2,054)");
    assert_words((struct report_edits){512, 512, 512, .not_identical = true}, "512 bytes differ");
    assert_words((struct report_edits){1, 1, 1, .not_identical = true}, "1 byte differs");
    assert_words((struct report_edits){1, 0, 12, .identical = false}, "about 1 byte differs (0 to 12)");
}
END_TEST

START_TEST(content_in_another_order_is_compared_in_place)
{
    assert_words(
        (struct report_edits){9216, 8700, 9800, .not_identical = true, .reordered = true},
        "same content in another order; compared in place, about 9,216 bytes differ (8,700 to 9,800)");
    assert_words((struct report_edits){9216, 8700, 9800, .not_identical = true},
                 "about 9,216 bytes differ (8,700 to 9,800)");
}
END_TEST

/* Only what is identical in all members is "the same". */
START_TEST(members_that_varied_are_versions)
{
    static const struct {
        enum verdict verdict;
        uint32_t identical, members;
        double containment;
        const char *words;
    } cases[] = {
        {VERDICT_VARIANT, 6, 6, 1, "same documents, container differs: 6 of 6 members identical"},
        {VERDICT_VARIANT, 0, 1, 1, "versions of the same documents: 0 of 1 members identical, 1 varied"},
        {VERDICT_VARIANT, 4, 6, 5.0 / 6, "4 of 6 members identical, 1 varied"},
        {VERDICT_EMBEDDED, 2, 2, 1, "all documents of the reference, among others: 2 of 2 members identical"},
        {VERDICT_EMBEDDED, 1, 2, 1,
         "versions of all documents of the reference, among others: 1 of 2 members identical, 1 varied"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct case_row row = {.finding = {.verdict = cases[i].verdict,
                                                 .proof = PROOF_MEMBERS,
                                                 .proved = cases[i].identical,
                                                 .blocks = cases[i].members,
                                                 .containment = cases[i].containment}};
        struct buffer out = {0};

        report_edits_members(&row, &out);
        buffer_add_char(&out, '\0');
        ck_assert(!out.failed);
        ck_assert_str_eq(out.data, cases[i].words);
        buffer_release(&out);
    }
}
END_TEST

RUN_TESTS("report_edits", members_that_varied_are_versions, an_estimate_of_no_edits_is_not_called_identical,
          equal_content_has_no_differing_byte, what_is_not_proved_is_not_called_equal,
          an_estimate_comes_with_its_interval_unless_it_is_exact,
          content_in_another_order_is_compared_in_place)
