/* SPDX-License-Identifier: Apache-2.0 */
#include "casefile_twin.h"

/* Where objects lie, which findings are twins, how findings are numbered, and the context of a case. */

static struct casefile *with_twins(void)
{
    struct casefile *casefile;

    begin_test();
    casefile = open_case();
    add_twins(casefile, 1);
    add_twins(casefile, 3);
    close_case(casefile);
    assert_good();
    return open_report();
}

/* Writes the addresses of the rows, each with its twins in brackets, as one text. */
static const char *addresses(struct casefile *casefile, const struct case_filter *filter)
{
    static char text[1000];
    struct case_reader *reader = casefile_reader_new(casefile, filter, &err);
    struct case_row row;
    int result;

    text[0] = '\0';
    ck_assert_msg(reader != NULL, "%s", err.text);
    while ((result = casefile_reader_next(reader, &row, &err)) > 0) {
        struct buffer id = {0};

        casefile_put_id(&id, &row.id);
        buffer_add_char(&id, '\0');
        sprintf(text + strlen(text), "%s %s", id.data, row.object.address);
        for (size_t i = 0; i < row.twin_count; i++)
            sprintf(text + strlen(text), "[%s]", row.twins[i].address);
        strcat(text, "\n");
        buffer_release(&id);
    }
    casefile_reader_free(reader);
    ck_assert_msg(result == 0, "%s", err.text);
    return text;
}

START_TEST(the_same_bytes_under_two_addresses_are_one_finding)
{
    const struct case_filter once = {.known = true}, each = {.known = true, .twins = true};
    struct casefile *casefile = with_twins();
    uint64_t findings[VERDICTS] = {0}, repeated;

    ck_assert_str_eq(addresses(casefile, &once), "1.1.1 12-128-1[@first][@last]\n"
                                                 "1.3.1 @reference\n1.4.1 @more\n1.6.1 @other\n"
                                                 "3.1.1 12-128-1[@first][@last]\n"
                                                 "3.3.1 @reference\n3.4.1 @more\n3.6.1 @other\n");
    ck_assert_str_eq(addresses(casefile, &each),
                     "1.1.1 12-128-1[@first][@last]\n1.2.1 @first\n1.3.1 @reference\n1.4.1 @more\n"
                     "1.5.1 @last\n1.6.1 @other\n"
                     "3.1.1 12-128-1[@first][@last]\n3.2.1 @first\n3.3.1 @reference\n3.4.1 @more\n"
                     "3.5.1 @last\n3.6.1 @other\n");
    ck_assert_int_eq(casefile_count_findings(casefile, 3, findings, &err), 0);
    ck_assert_uint_eq(findings[VERDICT_VARIANT], 1);
    ck_assert_uint_eq(findings[VERDICT_FRAGMENT], 3);
    ck_assert_int_eq(casefile_count_repeated(casefile, 3, &repeated, &err), 0);
    ck_assert_uint_eq(repeated, 2);
    ck_assert_int_eq(casefile_count_repeated(casefile, 2, &repeated, &err), 0);
    ck_assert_uint_eq(repeated, 0);
    close_case(casefile);
    end_test();
}
END_TEST

static bool wants_fragments(void *arg, const struct case_row *row)
{
    ++*(unsigned *)arg;
    return row->finding.verdict == VERDICT_FRAGMENT;
}

START_TEST(a_twin_is_listed_if_the_other_is_filtered_out)
{
    unsigned asked = 0;
    const struct case_filter filter = {.known = true, .wants = wants_fragments, .arg = &asked};
    struct casefile *casefile = with_twins();

    ck_assert_str_eq(addresses(casefile, &filter),
                     "1.2.1 @first\n1.3.1 @reference\n1.4.1 @more\n1.5.1 @last\n1.6.1 @other\n"
                     "3.2.1 @first\n3.3.1 @reference\n3.4.1 @more\n3.5.1 @last\n3.6.1 @other\n");
    ck_assert_uint_ge(asked, 12);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(findings_can_be_asked_for_by_number)
{
    const struct case_finding_id ids[] = {{3, 5, 1}, {1, 1, 1}}, none = {1, 1, 2};
    struct case_filter filter = {.ids = ids, .id_count = 2};
    struct casefile *casefile = with_twins();
    struct case_reader *reader;
    struct case_row row;

    ck_assert_str_eq(addresses(casefile, &filter), "3.5.1 @last\n1.1.1 12-128-1[@first][@last]\n");
    filter.ids = &none;
    filter.id_count = 1;
    reader = casefile_reader_new(casefile, &filter, &err);
    ck_assert_int_eq(casefile_reader_next(reader, &row, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "there is no finding 1.1.2"));
    casefile_reader_free(reader);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(findings_of_one_reference_can_be_listed_together)
{
    const struct case_filter filter = {.known = true, .order = CASE_BY_REFERENCE};
    struct casefile *casefile = with_twins();

    ck_assert_str_eq(addresses(casefile, &filter),
                     "1.1.1 12-128-1[@first][@last]\n3.1.1 12-128-1[@first][@last]\n"
                     "1.4.1 @more\n1.6.1 @other\n3.4.1 @more\n3.6.1 @other\n"
                     "1.3.1 @reference\n3.3.1 @reference\n");
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(numbers_of_findings_are_read_strictly)
{
    static const char *const wrong[] = {"",
                                        "1",
                                        "1.2",
                                        "1.2.",
                                        "1.2.0",
                                        "0.2.1",
                                        "1.02.1",
                                        "1.2.1 ",
                                        "1.2.1.1",
                                        " 1.2.1",
                                        "-1.2.1",
                                        "+1.2.1",
                                        "1,2,1",
                                        "1.2.x",
                                        "8388608.1.1",
                                        "1.1099511627776.1",
                                        "1.1.2147483648",
                                        "1.1.99999999999999999999"};
    struct case_finding_id id;
    struct buffer text = {0};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!casefile_parse_id(wrong[i], &id), "%s", wrong[i]);
    ck_assert(casefile_parse_id("8388607.1099511627775.2147483647", &id));
    casefile_put_id(&text, &id);
    ck_assert_uint_eq(text.len, 32);
    ck_assert_mem_eq(text.data, "8388607.1099511627775.2147483647", 32);
    buffer_release(&text);
}
END_TEST

START_TEST(offsets_are_mapped_to_the_image)
{
    const struct object_run runs[] = {{0, 1000, 10}, {10, 5000, 5}, {100, 7, 50}};
    const struct case_object object = {.runs = runs, .run_count = 3};
    uint64_t image = 0, len = 0;

    for (uint64_t offset = 0; offset < 200; offset++) {
        const struct object_run *run = offset < 10 ? &runs[0] : offset < 15 ? &runs[1] : &runs[2];
        const bool covered = offset < 15 || (offset >= 100 && offset < 150);

        ck_assert_int_eq(casefile_on_image(&object, offset, &image, &len), covered);
        if (covered)
            ck_assert(image - run->image == offset - run->offset && len == run->offset + run->len - offset);
    }
    ck_assert(!casefile_on_image(&(struct case_object){.size = 9}, 0, &image, &len));
}
END_TEST

START_TEST(runs_beyond_the_object_or_the_limit_are_not_kept)
{
    const struct case_filter filter = {.objects = true};
    struct object_run *runs = calloc(CASE_MOST_RUNS + 1, sizeof *runs);
    struct case_object object = {
        .evidence = 1, .address = "1", .paths = "", .verdict = VERDICT_NONE, .runs = runs};
    struct case_reader *reader;
    struct casefile *casefile;
    struct case_row row;

    for (uint64_t i = 0; i <= CASE_MOST_RUNS; i++)
        runs[i] = (struct object_run){2 * i, 1000000 - 3 * i, 1};
    begin_test();
    casefile = open_case();
    object.size = 2 * CASE_MOST_RUNS + 1;
    object.run_count = CASE_MOST_RUNS + 1;
    ck_assert_int_eq(casefile_add(casefile, &object, NULL, NULL, 0, &err), 0);
    object.size = 5;
    runs[2].len = 100;
    ck_assert_int_eq(casefile_add(casefile, &object, NULL, NULL, 0, &err), 0);
    reader = casefile_reader_new(casefile, &filter, &err);
    next_row(reader, &row);
    ck_assert(row.object.run_count == CASE_MOST_RUNS && row.object.runs_cut);
    ck_assert_uint_eq(row.object.runs[4095].image, 1000000 - 3 * 4095);
    next_row(reader, &row);
    ck_assert(row.object.run_count == 3 && !row.object.runs_cut && row.object.runs[2].len == 1);
    casefile_reader_free(reader);
    close_case(casefile);
    free(runs);
    end_test();
}
END_TEST

START_TEST(the_context_is_kept_checked_and_sealed)
{
    static const char *const wrong[] = {"a\x01", "\x1b[2J", "\xff", "\xe2\x80\xae.txt", "\x7f"};
    struct case_context context;
    struct casefile *casefile;
    char *endless = malloc(CASE_CONTEXT_LEN + 2);

    memset(endless, 'x', CASE_CONTEXT_LEN + 1);
    endless[CASE_CONTEXT_LEN + 1] = '\0';
    begin_test();
    casefile = open_case();
    casefile_context(casefile, &context);
    ck_assert(!*context.number && !*context.examiner && !*context.organisation && !*context.notes);
    ck_assert_int_eq(casefile_set_context(casefile, CASE_EXAMINER, "J. M\xc3\xbcller \\ <x>", NOW, &err), 0);
    ck_assert_int_eq(casefile_set_context(casefile, CASE_NOTES, "one\n\ttwo", NOW, &err), 0);
    ck_assert_int_eq(casefile_set_context(casefile, CASE_NOTES, "three", NOW, &err), 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_int_eq(casefile_set_context(casefile, CASE_NUMBER, wrong[i], NOW, &err), -1);
    ck_assert_int_eq(casefile_set_context(casefile, CASE_NUMBER, endless, NOW, &err), -1);
    ck_assert_int_eq(casefile_set_context(casefile, CASE_NUMBER, endless + 1, NOW, &err), 0);
    close_case(casefile);
    assert_good();
    casefile = casefile_open_change(path, &err);
    ck_assert_msg(casefile != NULL, "%s", err.text);
    casefile_context(casefile, &context);
    ck_assert_str_eq(context.number, endless + 1);
    ck_assert_str_eq(context.examiner, "J. M\xc3\xbcller \\ <x>");
    ck_assert_str_eq(context.notes, "three");
    ck_assert_str_eq(context.organisation, "");
    close_case(casefile);
    free(endless);
    end_test();
}
END_TEST

/* ---- findings that come after the members ---- */

/* The first finding of an object in this reading of the case, and how many rows come with it. */
static uint64_t count_rows(struct casefile *casefile, bool all)
{
    const struct case_filter filter = {.known = true, .twins = all};
    struct case_reader *reader = casefile_reader_new(casefile, &filter, &err);
    struct case_row row;
    uint64_t rows = 0;

    ck_assert_ptr_nonnull(reader);
    while (casefile_reader_next(reader, &row, &err) > 0)
        rows++;
    casefile_reader_free(reader);
    return rows;
}

static void extend(struct casefile *casefile, const struct case_object *object, uint64_t number,
                   uint32_t rank, enum verdict verdict)
{
    const struct finding finding = {.verdict = verdict,
                                    .set = 2,
                                    .file = 5,
                                    .ref_size = 77,
                                    .resemblance = 1,
                                    .containment = 1,
                                    .proof = PROOF_MEMBERS,
                                    .proved = 2,
                                    .blocks = 3};
    const struct case_reference reference = {.name = "a", .name_len = 1};

    ck_assert_msg(casefile_extend(casefile, object, number, rank, &finding, &reference, &err) == 0, "%s",
                  err.text);
}

static void add_plain(struct casefile *casefile, const struct case_object *object, uint64_t file)
{
    struct finding finding = {.verdict = VERDICT_IDENTICAL,
                              .set = 2,
                              .file = file,
                              .resemblance = 1,
                              .containment = 1,
                              .proof = PROOF_SHA1};
    const struct findings findings = {.list = &finding, .count = file != 0};
    const struct case_reference reference = {.name = "b", .name_len = 1};

    ck_assert_msg(casefile_add(casefile, object, &findings, &reference, 0, &err) == 0, "%s", err.text);
}

static void assert_counted(struct casefile *casefile, uint64_t variants, uint64_t identical, uint64_t none)
{
    struct case_counts counts;
    uint64_t findings[VERDICTS] = {0};

    ck_assert_int_eq(casefile_count(casefile, 1, &counts, &err), 0);
    ck_assert_uint_eq(counts.findings[VERDICT_VARIANT], variants);
    ck_assert_uint_eq(counts.findings[VERDICT_IDENTICAL], identical);
    ck_assert_uint_eq(counts.findings[VERDICT_NONE], none);
    ck_assert_int_eq(casefile_count_findings(casefile, 1, findings, &err), 0);
    ck_assert_uint_eq(findings[VERDICT_VARIANT], variants);
}

START_TEST(a_container_gets_its_finding_after_its_members_which_become_parts_of_it)
{
    static const struct case_object container = {.evidence = 1,
                                                 .address = "1",
                                                 .volume = "-",
                                                 .reason = "",
                                                 .paths = "",
                                                 .verdict = VERDICT_NONE},
                                    member = {.evidence = 1,
                                              .address = "1/zip/a",
                                              .volume = "-",
                                              .reason = "",
                                              .paths = "",
                                              .kind = OBJECT_MEMBER,
                                              .verdict = VERDICT_IDENTICAL};

    for (int kept = 0; kept < 2; kept++) {
        const struct case_plan plan = make_plan();
        struct casefile *casefile;

        begin_test();
        casefile = kept ? open_case() : casefile_open_temporary(&plan, false, &err);
        ck_assert_ptr_nonnull(casefile);
        add_plain(casefile, &container, 0);
        add_plain(casefile, &member, 3);
        add_plain(casefile, &member, 4);
        assert_counted(casefile, 0, 2, 1);
        for (int again = 0; again < 2; again++) { /* as a resumed scan does */
            extend(casefile, &container, 1, 0, VERDICT_VARIANT);
            ck_assert_int_eq(casefile_fold(casefile, 1, 2, 0, 1, 0, &err), 0);
            ck_assert_int_eq(casefile_fold(casefile, 1, 3, 0, 1, 0, &err), 0);
            assert_counted(casefile, 1, 2, 0);
        }
        ck_assert_uint_eq(count_rows(casefile, false), 1);
        ck_assert_uint_eq(count_rows(casefile, true), 3);
        extend(casefile, &container, 1, 1,
               VERDICT_EMBEDDED); /* a second one does not change what it counts as */
        ck_assert_int_eq(casefile_fold(casefile, 1, 1, 1, 1, 1, &err), 0);
        assert_counted(casefile, 1, 2, 0);
        ck_assert_uint_eq(count_rows(casefile, false), 1);
        ck_assert_uint_eq(count_rows(casefile, true), 4);
        close_case(casefile);
        if (kept)
            assert_good();
        end_test();
    }
}
END_TEST

RUN_TESTS("casefile_place", a_container_gets_its_finding_after_its_members_which_become_parts_of_it,
          the_same_bytes_under_two_addresses_are_one_finding, a_twin_is_listed_if_the_other_is_filtered_out,
          findings_can_be_asked_for_by_number, findings_of_one_reference_can_be_listed_together,
          numbers_of_findings_are_read_strictly, offsets_are_mapped_to_the_image,
          runs_beyond_the_object_or_the_limit_are_not_kept, the_context_is_kept_checked_and_sealed)
