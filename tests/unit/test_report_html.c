/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "casefile_twin.h"
#include "report/report.h"
#include "report/report_html_page.h"

/* ---- a page ---- */

static char *write_page(struct casefile *casefile, const struct case_filter *filter, size_t *len)
{
    char *text = NULL;
    FILE *to = open_memstream(&text, len);
    struct report_writer writer = {.does = &report_html, .out.to = to};

    ck_assert_msg(report_write(&writer, casefile, filter, &err) == 0, "%s", err.text);
    ck_assert_int_eq(fclose(to), 0);
    ck_assert_ptr_null(writer.state);
    ck_assert_uint_eq(strlen(text), *len);
    return text;
}

static unsigned count(const char *text, const char *what)
{
    unsigned found = 0;

    for (; (text = strstr(text, what)); text++)
        found++;
    return found;
}

/* The elements of each row in the data, and how many of them there are. */
struct rows {
    uint64_t rows, findings, verdicts[VERDICTS];
};

/* Skips the rest of a row; returns its elements. */
static unsigned elements(struct json *json, uint64_t *verdict)
{
    enum json_token token;
    unsigned number = 0;

    while ((token = json_next(json, &err)) != JSON_ARRAY_END) {
        if (number == 1)
            ck_assert(token == JSON_NUMBER && json_number(json, verdict));
        ck_assert_int_ne(json_skip(json, token, &err), JSON_BAD);
        number++;
    }
    return number;
}

static struct rows read_rows(const char *text)
{
    static const char begin[] = "<script type=\"application/json\" class=\"rows\">";
    struct json *json = json_new(1 << 16, &err);
    struct rows rows = {.rows = 0};

    ck_assert_ptr_nonnull(json);
    for (; (text = strstr(text, begin)); text++) {
        const char *end = strstr(text, "</script>");

        json_begin(json, text + strlen(begin), (size_t)(end - text) - strlen(begin), NULL, NULL);
        ck_assert_int_eq(json_next(json, &err), JSON_ARRAY);
        while (json_next(json, &err) == JSON_ARRAY) {
            uint64_t verdict = VERDICTS;
            const unsigned number = elements(json, &verdict);

            ck_assert(number == 13 || number == 34);
            rows.rows++;
            rows.findings += number == 34;
            ck_assert_uint_lt(verdict, VERDICTS);
            rows.verdicts[verdict]++;
        }
        ck_assert_int_eq(json_next(json, &err), JSON_END);
    }
    json_free(json);
    return rows;
}

static const uint64_t full[EVIDENCE] = {700, 150, 30};

static struct casefile *make_case(void)
{
    struct casefile *casefile;

    begin_test();
    casefile = open_case();
    for (uint64_t evidence = 1; evidence <= EVIDENCE; evidence++)
        add_objects(casefile, evidence, 1, full[evidence - 1] + 1);
    close_case(casefile);
    return open_report();
}

/* ---- tests ---- */

START_TEST(the_data_have_every_row_and_the_table_the_first)
{
    static const struct case_filter filters[] = {{.known = true, .twins = true},
                                                 {.known = true, .twins = true, .objects = true}};
    struct casefile *casefile = make_case();

    for (size_t f = 0; f < 2; f++) {
        struct rows wanted = {.rows = 0}, got;
        size_t len;
        char *page = write_page(casefile, &filters[f], &len);

        for (uint64_t evidence = 1; evidence <= EVIDENCE; evidence++)
            for (uint64_t number = 1; number <= full[evidence - 1]; number++) {
                struct sample_object sample;

                make_object(&sample, evidence, number);
                wanted.findings += sample.findings.count;
                wanted.rows += sample.findings.count + (filters[f].objects && !sample.findings.count);
                for (size_t i = 0; i < sample.findings.count; i++)
                    wanted.verdicts[sample.list[i].verdict]++;
                if (filters[f].objects && !sample.findings.count)
                    wanted.verdicts[sample.object.verdict]++;
            }
        got = read_rows(page);
        ck_assert_uint_gt(wanted.findings, 100);
        ck_assert_uint_eq(got.rows, wanted.rows);
        ck_assert_uint_eq(got.findings, wanted.findings);
        ck_assert_mem_eq(got.verdicts, wanted.verdicts, sizeof got.verdicts);
        ck_assert_uint_eq(count(page, "<tr class=\"finding\">"), 100);
        free(page);
    }
    close_case(casefile);
    end_test();
}
END_TEST

/* A page without the style and the script, which are not of the case. */
static void cut_frame(char *page)
{
    static const char *const parts[] = {report_html_page_style, report_html_page_script};

    for (size_t i = 0; i < 2; i++) {
        char *at = strstr(page, parts[i]);

        ck_assert_ptr_nonnull(at);
        memmove(at, at + strlen(parts[i]), strlen(at + strlen(parts[i])) + 1);
    }
}

/* The names of the sample are random bytes; those of the hostile case are worse. */
START_TEST(no_name_leaves_its_place)
{
    static const char name[] = "</script></table><script>alert(1)</script><!-- <img src=x onerror=alert(1)>"
                               "\x1b[2J\xe2\x80\xae\xff\n\"'&]]>\\u003c";
    char huge[1 << 16];
    struct finding_range range = {0, 90, 0, 90};
    struct finding finding = {.verdict = VERDICT_FRAGMENT,
                              .file = 1,
                              .ref_size = 100,
                              .ln_e = -9,
                              .ranges = &range,
                              .range_count = 1};
    const struct findings findings = {.list = &finding, .count = 1};
    struct case_object object = {.evidence = 1,
                                 .volume = "-",
                                 .address = "5-128-1",
                                 .size = 100,
                                 .paths = name,
                                 .path_count = 1,
                                 .verdict = VERDICT_FRAGMENT,
                                 .reason = name};
    struct case_reference reference = {.name = name, .name_len = sizeof name - 1};
    struct casefile *casefile;
    char *page;
    size_t len;

    begin_test();
    casefile = open_case();
    finding.set = 1;
    finding_measure(&finding);
    ck_assert_int_eq(casefile_add(casefile, &object, &findings, &reference, 0, &err), 0);
    memset(huge, '<', sizeof huge);
    huge[sizeof huge - 1] = '\0';
    object.address = "6-128-1";
    object.paths = huge;
    reference.name = huge;
    reference.name_len = sizeof huge;
    ck_assert_int_eq(casefile_add(casefile, &object, &findings, &reference, 0, &err), 0);
    ck_assert_int_eq(casefile_problem(casefile, 1, name, &err), 0);
    close_case(casefile);
    casefile = open_report();
    page = write_page(casefile, &(struct case_filter){.known = true}, &len);
    cut_frame(page);
    ck_assert_uint_eq(read_rows(page).rows, 2);
    ck_assert_uint_eq(count(page, "<script"), 3); /* rows, about, script */
    ck_assert_uint_eq(count(page, "</script>"), 3);
    ck_assert_uint_eq(count(page, "<!--"), 0);
    ck_assert_uint_eq(count(page, "<img"), 0);
    for (const char *c = page; *c; c++)
        ck_assert_msg((uint8_t)*c >= ' ' || *c == '\n', "byte %d at %td", *c, c - page);
    ck_assert_uint_lt(strlen(page), 60000); /* of huge names the middle is left out */
    ck_assert_ptr_nonnull(strstr(page, "[... "));
    free(page);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(of_many_ranges_the_longest_are_kept)
{
    enum { ALL = 1000, KEPT = 400 };
    static struct finding_range ranges[ALL];
    struct finding finding = {.verdict = VERDICT_FRAGMENT,
                              .set = 1,
                              .file = 1,
                              .ref_size = UINT64_C(1) << 60,
                              .ln_e = -9,
                              .ranges = ranges,
                              .range_count = ALL};
    const struct findings findings = {.list = &finding, .count = 1};
    const struct case_object object = {.evidence = 1,
                                       .volume = "-",
                                       .address = "5-128-1",
                                       .size = UINT64_C(1) << 60,
                                       .paths = "",
                                       .verdict = VERDICT_FRAGMENT,
                                       .reason = ""};
    const struct case_reference reference = {.name = "x", .name_len = 1};
    struct casefile *casefile;
    char *page, *at;
    size_t len;

    begin_test();
    for (size_t i = 0; i < ALL; i++) /* every other one is long; the last begins beyond 2^53 */
        ranges[i] =
            (struct finding_range){1000 * i, 1000 * i + (i % 2 ? 900 - i % 7 : 9), 10 * i, 10 * i + 5};
    ranges[ALL - 1].obj_start = (UINT64_C(1) << 53) + 1;
    ranges[ALL - 1].obj_end = ranges[ALL - 1].obj_start + 5000;
    finding_measure(&finding);
    casefile = open_case();
    ck_assert_msg(casefile_add(casefile, &object, &findings, &reference, 0, &err) == 0, "%s", err.text);
    close_case(casefile);
    casefile = open_report();
    page = write_page(casefile, &(struct case_filter){.known = true}, &len);
    ck_assert_ptr_nonnull(strstr(page, "\"9007199254740993\",5000,9990,5,-1,0],600,"));
    at = strstr(page, "[1000,899,10,5,-1,0,"); /* the first of the long ones */
    ck_assert_ptr_nonnull(at);
    ck_assert_uint_eq(count(at, ",-1,0"), KEPT);
    free(page);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(the_same_case_makes_the_same_page)
{
    struct casefile *casefile = make_case();
    size_t first_len, second_len;
    char *first = write_page(casefile, &(struct case_filter){.known = true}, &first_len);
    char *second;

    close_case(casefile);
    casefile = open_report();
    second = write_page(casefile, &(struct case_filter){.known = true}, &second_len);
    ck_assert_str_eq(first, second);
    free(first);
    free(second);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(a_failing_stream_frees_the_state)
{
    struct casefile *casefile = make_case();
    FILE *to = fopen("/dev/full", "w");
    struct report_writer writer = {.does = &report_html, .out.to = to};

    setvbuf(to, NULL, _IONBF, 0);
    ck_assert_int_eq(report_write(&writer, casefile, &(struct case_filter){.known = true}, &err), 0);
    ck_assert_ptr_null(writer.state);
    ck_assert_int_ne(ferror(to), 0);
    fclose(to);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(a_case_that_does_not_verify_says_so_first)
{
    struct casefile *casefile = make_case();
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    struct report_writer writer = {
        .does = &report_html,
        .out.to = to,
        .options = {.faulty = true, .selection = "--path <b>", .zone = REPORT_ZONE_NONE}};

    ck_assert_int_eq(report_write(&writer, casefile, &(struct case_filter){.known = true}, &err), 0);
    fclose(to);
    ck_assert_ptr_nonnull(strstr(text, "WARNING: the case does not verify"));
    ck_assert(strstr(text, "WARNING: the case does not verify") < strstr(text, "<h2"));
    ck_assert_ptr_nonnull(strstr(text, "--path &lt;b&gt;"));
    ck_assert_ptr_nonnull(strstr(text, "2023-11-14T22:13:20<")); /* NOW */
    free(text);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(notes_keep_their_lines)
{
    static const char notes[] = "first <b>\n\nthird\n";
    struct casefile *casefile;
    char *page;
    size_t len;

    begin_test();
    casefile = open_case();
    ck_assert_msg(casefile_set_context(casefile, CASE_NOTES, notes, NOW, &err) == 0, "%s", err.text);
    ck_assert_msg(casefile_set_context(casefile, CASE_NUMBER, "7 & <8>", NOW, &err) == 0, "%s", err.text);
    close_case(casefile);
    casefile = open_report();
    page = write_page(casefile, &(struct case_filter){.known = true}, &len);
    ck_assert_ptr_nonnull(strstr(page, "<dt>notes</dt>\n<dd>first &lt;b&gt;\n\nthird\n</dd>"));
    ck_assert_ptr_nonnull(strstr(page, "<title>kith: findings, case 7 &amp; &lt;8&gt;</title>"));
    ck_assert_ptr_nonnull(strstr(page, "<dt>examiner</dt>\n<dd>not recorded</dd>"));
    free(page);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(a_case_without_findings_says_so)
{
    struct casefile *casefile;
    char *page;
    size_t len;

    begin_test();
    close_case(open_case());
    casefile = open_report();
    page = write_page(casefile, &(struct case_filter){.known = true}, &len);
    ck_assert_ptr_nonnull(strstr(page, "Nothing was found."));
    ck_assert_uint_eq(read_rows(page).rows, 0);
    free(page);
    close_case(casefile);
    end_test();
}
END_TEST

RUN_TESTS("report_html", the_data_have_every_row_and_the_table_the_first, no_name_leaves_its_place,
          of_many_ranges_the_longest_are_kept, the_same_case_makes_the_same_page,
          a_failing_stream_frees_the_state, a_case_that_does_not_verify_says_so_first, notes_keep_their_lines,
          a_case_without_findings_says_so)
