/* SPDX-License-Identifier: Apache-2.0 */
#include "casefile_twin.h"
#include "report/report.h"
#include "report/report_columns.h"

/* ---- another writer, which counts ---- */

struct counter {
    struct report_writer writer;
    unsigned begun, ended;
    uint64_t rows, findings, by_verdict[VERDICTS], by_kind[3], bytes;
    uint64_t most; /* rows that it accepts; 0: all of them */
};

static int count_begin(struct report_writer *writer, struct casefile *casefile, struct error *error)
{
    struct counter *counter = (struct counter *)writer;

    (void)error;
    ck_assert_str_eq(casefile_info(casefile)->parameters, "c=128 kinds=all");
    counter->begun++;
    return 0;
}

static int count_row(struct report_writer *writer, const struct case_row *row, struct error *error)
{
    struct counter *counter = (struct counter *)writer;

    ck_assert_uint_eq(counter->begun, 1);
    ck_assert_uint_eq(counter->ended, 0);
    counter->rows++;
    counter->bytes += row->object.size;
    counter->by_verdict[row->has_finding ? row->finding.verdict : row->object.verdict]++;
    if (row->has_finding) {
        counter->findings++;
        counter->by_kind[row->set->kind]++;
    }
    if (counter->most && counter->rows == counter->most)
        return writer->out.to ? 1 : error_set(error, "enough");
    return 0;
}

static int count_end(struct report_writer *writer, struct error *error)
{
    (void)error;
    ((struct counter *)writer)->ended++;
    return 0;
}

static const struct report_operations counting = {
    .begin = count_begin, .finding = count_row, .end = count_end};

static struct counter count(struct casefile *casefile, const struct case_filter *filter)
{
    struct counter counter = {.writer.does = &counting};

    ck_assert_msg(report_write(&counter.writer, casefile, filter, &err) == 0, "%s", err.text);
    ck_assert_uint_eq(counter.begun, 1);
    ck_assert_uint_eq(counter.ended, 1);
    return counter;
}

/* ---- CSV, read back ---- */

/* Column `wanted` of a line; quoted cells contain no commas in these columns. */
static void cell_of(const char *line, unsigned wanted, char *cell, size_t room)
{
    bool quoted = false;
    size_t len = 0;

    for (unsigned column = 0; *line && *line != '\r'; line++) {
        if (*line == '"')
            quoted = !quoted;
        else if (*line == ',' && !quoted)
            column++;
        else if (column == wanted && len + 1 < room)
            cell[len++] = *line;
    }
    cell[len] = '\0';
}

static unsigned column_of(const char *header, const char *name)
{
    char cell[40];

    for (unsigned column = 0;; column++) {
        cell_of(header, column, cell, sizeof cell);
        ck_assert_msg(*cell != '\0', "no column %s", name);
        if (strcmp(cell, name) == 0)
            return column;
    }
}

static char *write_form(const struct report_operations *form, struct casefile *casefile,
                        const struct case_filter *filter)
{
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    struct report_writer writer = {.does = form, .out.to = to};

    ck_assert_msg(report_write(&writer, casefile, filter, &err) == 0, "%s", err.text);
    ck_assert_int_eq(fclose(to), 0);
    ck_assert_uint_eq(strlen(text), len);
    return text;
}

static struct counter count_csv(struct casefile *casefile, const struct case_filter *filter)
{
    char *csv = write_form(&report_csv, casefile, filter), cell[40], *line = strstr(csv, "\r\n");
    const unsigned verdict = column_of(csv, "verdict"), kind = column_of(csv, "set_kind");
    const unsigned size = column_of(csv, "size"), id = column_of(csv, "ref_id");
    struct counter counter = {.rows = 0};

    for (line += 2; *line; line = strstr(line, "\r\n") + 2, counter.rows++) {
        cell_of(line, verdict, cell, sizeof cell);
        for (int i = 0; i < VERDICTS; i++)
            counter.by_verdict[i] += strcmp(cell, finding_verdict_name((enum verdict)i)) == 0;
        cell_of(line, kind, cell, sizeof cell);
        for (int i = 0; i < 3; i++)
            counter.by_kind[i] += strcmp(cell, refset_kind_name((enum refset_kind)i)) == 0;
        cell_of(line, id, cell, sizeof cell);
        counter.findings += *cell != '\0';
        cell_of(line, size, cell, sizeof cell);
        counter.bytes += strtoull(cell, NULL, 10);
    }
    free(csv);
    return counter;
}

/* ---- what must be counted, from what was put into the case ---- */

static void expect_finding(struct counter *counter, const struct sample_object *sample, size_t rank)
{
    const struct finding *finding = &sample->list[rank];

    counter->rows++;
    counter->findings++;
    counter->bytes += sample->object.size;
    counter->by_verdict[finding->verdict]++;
    counter->by_kind[sets[finding->set].kind]++;
}

static struct counter expect(const uint64_t counts[EVIDENCE], const struct case_filter *filter)
{
    struct counter counter = {.rows = 0};

    for (uint64_t evidence = 1; evidence <= EVIDENCE; evidence++)
        for (uint64_t number = 1; number <= counts[evidence - 1]; number++) {
            struct sample_object sample;

            make_object(&sample, evidence, number);
            for (size_t i = 0; i < sample.findings.count; i++)
                if (filter->known || sets[sample.list[i].set].kind != REFSET_KNOWN)
                    expect_finding(&counter, &sample, i);
            if (sample.findings.count == 0 && filter->objects) {
                counter.rows++;
                counter.bytes += sample.object.size;
                counter.by_verdict[sample.object.verdict]++;
            }
        }
    return counter;
}

static void assert_same(const struct counter *got, const struct counter *wanted)
{
    ck_assert_uint_eq(got->rows, wanted->rows);
    ck_assert_uint_eq(got->findings, wanted->findings);
    ck_assert_uint_eq(got->bytes, wanted->bytes);
    ck_assert_mem_eq(got->by_verdict, wanted->by_verdict, sizeof got->by_verdict);
    ck_assert_mem_eq(got->by_kind, wanted->by_kind, sizeof got->by_kind);
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

static const struct case_filter filters[] = {
    {.known = false}, {.known = true}, {.objects = true}, {.known = true, .objects = true}};

/* ---- tests ---- */

START_TEST(a_counting_writer_sees_what_the_csv_writer_writes_and_what_the_case_holds)
{
    struct casefile *casefile = make_case();

    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        const struct counter wanted = expect(full, &filters[i]);
        const struct counter counted = count(casefile, &filters[i]);
        const struct counter written = count_csv(casefile, &filters[i]);

        ck_assert_uint_gt(wanted.findings, 100);
        assert_same(&counted, &wanted);
        assert_same(&written, &wanted);
    }
    close_case(casefile);
    end_test();
}
END_TEST

/* Whether a line of the text begins a paragraph: with a verdict. */
static bool begins_row(const char *line)
{
    const size_t len = strcspn(line, " ");

    return len && finding_verdict_find(line, len) >= 0;
}

static bool is_legend(const char *line)
{
    return strncmp(line, "proof   ", 8) == 0;
}

START_TEST(the_text_has_a_paragraph_per_row_and_colours_only_on_request)
{
    struct casefile *casefile = make_case();
    const struct counter wanted = expect(full, &filters[3]);
    char *text = write_form(&report_text, casefile, &filters[3]);
    uint64_t rows = 0, sets_named = 0, evidence_named = 0, legends = 0;

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        ck_assert_ptr_null(strchr(line, '\033'));
        rows += begins_row(line);
        sets_named += strncmp(line, "           of ", 14) == 0;
        evidence_named += strncmp(line, "           evidence: ", 21) == 0;
        ck_assert(legends == 0 || !begins_row(line));
        legends += is_legend(line);
    }
    ck_assert_uint_eq(rows, wanted.rows);
    ck_assert_uint_eq(sets_named, wanted.findings);
    ck_assert_uint_eq(evidence_named, wanted.rows);
    ck_assert_uint_eq(legends, 1);
    free(text);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(without_a_finding_the_text_has_a_summary_but_no_legend)
{
    const struct case_object object = {.evidence = 1,
                                       .item = 1,
                                       .volume = "-",
                                       .address = "@0+10",
                                       .paths = "",
                                       .size = 10,
                                       .verdict = VERDICT_NONE,
                                       .reason = "because"};
    const struct findings none = {.count = 0};
    struct casefile *casefile;
    char *text;

    begin_test();
    casefile = open_case();
    ck_assert_int_eq(casefile_add(casefile, &object, &none, NULL, 0, &err), 0);
    close_case(casefile);
    casefile = open_report();
    text = write_form(&report_text, casefile, &filters[0]);
    ck_assert(strncmp(text, "SP 800-168   feature: ", 22) == 0);
    ck_assert_ptr_nonnull(strstr(text, ": no findings in 1 object (10 bytes of content)"));
    free(text);
    text = write_form(&report_text, casefile, &filters[2]);
    ck_assert_ptr_nonnull(strstr(text, "none       file @0+10 (10 bytes): because\n"));
    ck_assert_ptr_null(strstr(text, "proof  "));
    free(text);
    close_case(casefile);
    end_test();
}
END_TEST

static char *write_on_terminal(struct casefile *casefile, unsigned width, bool colours)
{
    const struct case_filter filter = {.known = true, .order = CASE_BY_SIGNIFICANCE};
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    struct report_writer writer = {
        .does = &report_text, .out.to = to, .options = {.width = width, .colours = colours}};

    ck_assert_msg(report_write(&writer, casefile, &filter, &err) == 0, "%s", err.text);
    ck_assert_int_eq(fclose(to), 0);
    return text;
}

static bool is_strip(const char *line)
{
    const size_t indent = strspn(line, " ");

    return indent == 11 && line[11] &&
           strspn(line + 11, ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(line + 11) &&
           strlen(line + 11) >= 49;
}

START_TEST(on_a_terminal_lines_fit_and_each_finding_with_ranges_has_a_strip)
{
    struct casefile *casefile = make_case();
    uint64_t wanted = 0;

    for (uint64_t evidence = 1; evidence <= EVIDENCE; evidence++)
        for (uint64_t number = 1; number <= full[evidence - 1]; number++) {
            struct sample_object sample;

            make_object(&sample, evidence, number);
            for (size_t i = 0; i < sample.findings.count; i++)
                wanted += sample.list[i].range_count && sample.object.size;
        }
    ck_assert_uint_gt(wanted, 100);
    for (unsigned width = 60; width <= 140; width += 40) {
        char *text = write_on_terminal(casefile, width, false);
        uint64_t strips = 0;

        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
            strips += is_strip(line);
            if (is_strip(line))
                ck_assert_uint_eq(strlen(line) - 11, width - 11 < 72 ? width - 11 : 72);
            if (strstr(line, "in volume "))
                continue; /* volumes have no length that could be cut */
            ck_assert_msg(report_columns(line, strlen(line)) <= width, "%u: %s", width, line);
        }
        ck_assert_uint_eq(strips, wanted);
        free(text);
    }
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(verdicts_are_coloured_if_asked)
{
    struct casefile *casefile = make_case();
    char *text = write_on_terminal(casefile, 80, true), *plain = write_on_terminal(casefile, 80, false);

    ck_assert_ptr_nonnull(strstr(text, "\033[1;31midentical \033[0m "));
    ck_assert_ptr_nonnull(strstr(text, "\033[33mvariant   \033[0m "));
    ck_assert_ptr_null(strchr(plain, '\033'));
    free(text);
    free(plain);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(a_writer_that_stops_is_not_called_again)
{
    struct casefile *casefile = make_case();
    struct counter full_stream = {.writer = {.does = &counting, .out.to = stderr}, .most = 7};
    struct counter failing = {.writer.does = &counting, .most = 5};

    ck_assert_int_eq(report_write(&full_stream.writer, casefile, &filters[3], &err), 0);
    ck_assert_uint_eq(full_stream.rows, 7);
    ck_assert_uint_eq(full_stream.ended, 0);
    ck_assert_int_eq(report_write(&failing.writer, casefile, &filters[3], &err), -1);
    ck_assert_str_eq(err.text, "enough");
    ck_assert_uint_eq(failing.rows, 5);
    ck_assert_uint_eq(failing.ended, 0);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(a_failing_stream_ends_the_report_and_is_left_to_its_owner)
{
    struct casefile *casefile = make_case();
    FILE *to = fopen("/dev/full", "w");
    struct report_writer writer = {.does = &report_csv, .out.to = to};

    ck_assert_ptr_nonnull(to);
    setvbuf(to, NULL, _IONBF, 0);
    ck_assert_int_eq(report_write(&writer, casefile, &filters[3], &err), 0);
    ck_assert_int_ne(ferror(to), 0);
    fclose(to);
    close_case(casefile);
    end_test();
}
END_TEST

START_TEST(an_empty_case_has_a_header_and_no_rows)
{
    struct casefile *casefile;
    struct counter counter;
    char *csv;

    begin_test();
    close_case(open_case());
    casefile = open_report();
    counter = count(casefile, &filters[3]);
    ck_assert_uint_eq(counter.rows, 0);
    csv = write_form(&report_csv, casefile, &filters[3]);
    ck_assert_ptr_eq(strstr(csv, "\r\n") + 2, csv + strlen(csv));
    ck_assert_uint_eq(column_of(csv, "evidence"), 0);
    free(csv);
    close_case(casefile);
    end_test();
}
END_TEST

RUN_TESTS("report", a_counting_writer_sees_what_the_csv_writer_writes_and_what_the_case_holds,
          the_text_has_a_paragraph_per_row_and_colours_only_on_request,
          without_a_finding_the_text_has_a_summary_but_no_legend,
          on_a_terminal_lines_fit_and_each_finding_with_ranges_has_a_strip, verdicts_are_coloured_if_asked,
          a_writer_that_stops_is_not_called_again, a_failing_stream_ends_the_report_and_is_left_to_its_owner,
          an_empty_case_has_a_header_and_no_rows)
