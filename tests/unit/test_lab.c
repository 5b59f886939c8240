/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "lab/lab_write.h"

static bool same(const struct buffer *buffer, const char *data, size_t len)
{
    return buffer->len == len && memcmp(buffer->data, data, len) == 0;
}

static const struct lab_column columns[] = {
    {"C", "", 0, false},
    {"rate", "pairs/s", LAB_SIGNIFICANT, false},
    {"rate", "pairs/s", 1, true},
    {"note", "", LAB_WORDS, false},
};

static struct lab_document *new_document(void)
{
    struct lab_document *document = lab_document_new("x-y", "A <title>", "Paper, table 1");
    struct lab_table *table;

    ck_assert_ptr_nonnull(document);
    lab_heading(document, "Part %d", 1);
    table = lab_table(document, "x-1", "A table", columns, 4);
    lab_row(table);
    lab_number(table, 0, 50);
    lab_number(table, 1, 0.0012344);
    lab_number(table, 2, 2.25);
    lab_text(table, 3, "=1+1<b>");
    lab_row(table);
    lab_number(table, 0, NAN);
    lab_number(table, 1, 12345.6);
    lab_remark(document, "Ours: %s.", "a\x1b[1m&b");
    return document;
}

static void assert_written(const struct lab_write_form *form, const char *expected)
{
    struct lab_document *document = new_document();
    struct buffer out = {0};

    form->begin("Tables", &out);
    form->document(document, true, &out);
    form->end(&out);
    ck_assert(!out.failed && !lab_failed(document));
    ck_assert_msg(same(&out, expected, strlen(expected)), "%.*s", (int)out.len, out.data);
    buffer_release(&out);
    lab_document_free(document);
}

static void assert_holds(const struct lab_write_form *form, const char *text)
{
    struct lab_document *document = new_document();
    struct buffer out = {0};

    form->begin("Tables", &out);
    form->document(document, true, &out);
    form->end(&out);
    ck_assert_msg(memmem(out.data, out.len, text, strlen(text)) != NULL, "%s is not in %.*s", text,
                  (int)out.len, out.data);
    buffer_release(&out);
    lab_document_free(document);
}

START_TEST(text_has_aligned_columns_with_units_and_marks_of_the_paper)
{
    assert_written(&lab_write_text, "A <title>\n=========\nPaper, table 1\n\nPart 1\n------\n\nA table\n\n"
                                    " C     rate     rate  note\n"
                                    "    pairs/s  pairs/s\n"
                                    "             (paper)\n"
                                    "50  0.00123      2.2  =1+1<b>\n"
                                    "      12300\n"
                                    "\nOurs: a\\x1b[1m&b.\n");
}
END_TEST

START_TEST(what_rounds_to_zero_has_no_sign)
{
    static const char expected[] = "experiment,table,row,column,unit,paper,value\r\n"
                                   "a,b,1,rate,pairs/s,0,0\r\na,b,1,rate,pairs/s,1,0.0\r\n"
                                   "a,b,2,rate,pairs/s,0,-0.0400\r\na,b,2,rate,pairs/s,1,0.0\r\n"
                                   "a,b,3,rate,pairs/s,0,-0.0600\r\na,b,3,rate,pairs/s,1,-0.1\r\n"
                                   "a,b,4,rate,pairs/s,0,-1.04\r\na,b,4,rate,pairs/s,1,-1.0\r\n";
    static const double values[] = {-0.0, -0.04, -0.06, -1.04};
    struct lab_document *document = lab_document_new("a", "T", "c");
    struct lab_table *table = lab_table(document, "b", "A table", columns + 1, 2);
    struct buffer out = {0};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        lab_row_numbers(table, (const double[]){values[i], values[i]}, 2);
    lab_write_csv.begin("Tables", &out);
    lab_write_csv.document(document, true, &out);
    ck_assert_msg(same(&out, expected, strlen(expected)), "%.*s", (int)out.len, out.data);
    buffer_release(&out);
    lab_document_free(document);
}
END_TEST

START_TEST(csv_has_a_line_for_each_cell_that_is_not_empty)
{
    assert_written(&lab_write_csv, "experiment,table,row,column,unit,paper,value\r\n"
                                   "x-y,x-1,1,C,,0,50\r\n"
                                   "x-y,x-1,1,rate,pairs/s,0,0.00123\r\n"
                                   "x-y,x-1,1,rate,pairs/s,1,2.2\r\n"
                                   "x-y,x-1,1,note,,0,'=1+1<b>\r\n"
                                   "x-y,x-1,2,rate,pairs/s,0,12300\r\n");
}
END_TEST

START_TEST(json_has_numbers_texts_and_null_for_empty_cells)
{
    assert_holds(&lab_write_json,
                 "\"rows\":[\n  [50,0.0012344,2.25,\"=1+1<b>\"],\n  [null,12345.6,null,null]]");
    assert_holds(&lab_write_json, "{\"remark\":\"Ours: a\\\\x1b[1m&b.\"}");
}
END_TEST

START_TEST(html_escapes_what_is_no_markup)
{
    assert_holds(&lab_write_html, "<h2>A &lt;title&gt;</h2>");
    assert_holds(&lab_write_html, "<p>Ours: a\\x1b[1m&amp;b.</p>");
    assert_holds(&lab_write_html, "<td class=\"paper\">2.2</td><td class=\"words\">=1+1&lt;b&gt;</td></tr>");
}
END_TEST

START_TEST(several_json_documents_are_separated_by_commas)
{
    static const char expected[] = "\n{\"name\":\"a\",\"title\":\"B\",\"source\":\"c\",\"items\":[]}"
                                   ",\n{\"name\":\"a\",\"title\":\"B\",\"source\":\"c\",\"items\":[]}";
    struct lab_document *document = lab_document_new("a", "b", "c");
    struct buffer out = {0};

    lab_write_json.document(document, true, &out);
    lab_write_json.document(document, false, &out);
    ck_assert(same(&out, expected, strlen(expected)));
    buffer_release(&out);
    lab_document_free(document);
}
END_TEST

/* ---- plots ---- */

static const struct lab_axes axes = {"x", "s", "y", "", false, false}, logs = {"x", "", "y", "", true, true};

static void draw(const struct lab_plot *plot, struct buffer *out)
{
    buffer_reset(out);
    lab_write_svg(plot, out);
    buffer_add_char(out, '\0');
    ck_assert(!out->failed);
    ck_assert_ptr_null(strstr(out->data, "nan"));
    ck_assert_ptr_null(strstr(out->data, "inf"));
}

/* The linear axis runs from 86 to 736, and from 376 up to 16. */
START_TEST(points_lie_where_the_axes_say)
{
    struct lab_document *document = lab_document_new("a", "b", "c");
    struct lab_plot *plot = lab_plot(document, "p", "About <x>", &axes);
    const size_t line = lab_series(plot, "series & %d", 1);
    struct buffer out = {0};

    lab_point(plot, line, 0, 0);
    lab_point(plot, line, 5, 50);
    lab_point(plot, line, 10, 100);
    lab_point(plot, line, NAN, 3);
    draw(plot, &out);
    ck_assert_ptr_nonnull(strstr(out.data, "M98.0 376.0L417.0 196.0L736.0 16.0\""));
    ck_assert_ptr_nonnull(strstr(out.data, "series &amp; 1"));
    ck_assert_ptr_nonnull(strstr(out.data, "About &lt;x&gt;"));
    ck_assert_ptr_nonnull(strstr(out.data, ">x (s)</text>"));
    ck_assert_ptr_eq(lab_document_plot(document, 0), plot);
    ck_assert_ptr_null(lab_document_plot(document, 1));
    buffer_release(&out);
    lab_document_free(document);
}
END_TEST

/* A digit is at most 8 wide, and a comma 4. */
START_TEST(the_last_label_of_the_axis_fits)
{
    struct lab_document *document = lab_document_new("a", "b", "c");
    struct lab_plot *plot = lab_plot(document, "p", "About", &axes);
    const size_t line = lab_series(plot, "s");
    struct buffer out = {0};
    const char *label;
    int width;

    lab_point(plot, line, 0, 0);
    lab_point(plot, line, 1e6, 1);
    draw(plot, &out);
    label = strstr(out.data, "<text x=\"736.0\" y=\"395\" text-anchor=\"middle\">1,000,000<");
    ck_assert_ptr_nonnull(label);
    label = strstr(out.data, "viewBox=");
    ck_assert_ptr_nonnull(label);
    ck_assert_int_eq(sscanf(label, "viewBox=\"0 0 %d", &width), 1);
    ck_assert_int_ge(width, 736 + (7 * 8 + 2 * 4) / 2);
    buffer_release(&out);
    lab_document_free(document);
}
END_TEST

START_TEST(logarithmic_axes_have_whole_decades)
{
    struct lab_document *document = lab_document_new("a", "b", "c");
    struct lab_plot *plot = lab_plot(document, "p", "", &logs);
    const size_t line = lab_series(plot, "s");
    struct buffer out = {0};

    lab_point(plot, line, 0, 7); /* left out */
    lab_point(plot, line, 10, 2);
    lab_point(plot, line, 1000, 2000);
    draw(plot, &out);
    ck_assert_ptr_nonnull(strstr(out.data, "M98.0 348.9L736.0 "));
    ck_assert_ptr_nonnull(strstr(out.data, ">1000</text>"));
    buffer_release(&out);
    lab_document_free(document);
}
END_TEST

START_TEST(one_axis_has_labels_of_one_kind)
{
    struct lab_document *document = lab_document_new("a", "b", "c");
    struct lab_plot *plot = lab_plot(document, "p", "", &logs);
    const size_t line = lab_series(plot, "s");
    struct buffer out = {0};

    lab_point(plot, line, 10, 1000);
    lab_point(plot, line, 1000, 1e8);
    draw(plot, &out);
    ck_assert_ptr_nonnull(strstr(out.data, ">10<tspan dy=\"-5\" font-size=\"9\">8</tspan></text>"));
    ck_assert_ptr_nonnull(strstr(out.data, ">10<tspan dy=\"-5\" font-size=\"9\">6</tspan></text>"));
    ck_assert_ptr_null(strstr(out.data, "1,000,000"));
    ck_assert_ptr_nonnull(strstr(out.data, ">1000</text>")); /* the other axis */
    buffer_release(&out);
    lab_document_free(document);
}
END_TEST

START_TEST(figures_of_a_paper_have_the_digits_that_it_prints)
{
    static const struct lab_column printed[] = {{"rate", "", LAB_PRINTED, true}};
    static const char expected[] = "experiment,table,row,column,unit,paper,value\r\n"
                                   "a,b,1,rate,,1,3.7\r\na,b,2,rate,,1,38000\r\na,b,3,rate,,1,0.87\r\n";
    struct lab_document *document = lab_document_new("a", "T", "c");
    struct lab_table *table = lab_table(document, "b", "A table", printed, 1);
    struct buffer out = {0};

    lab_row_numbers(table, (const double[]){3.7}, 1);
    lab_row_numbers(table, (const double[]){38000}, 1);
    lab_row_numbers(table, (const double[]){0.87}, 1);
    lab_write_csv.begin("Tables", &out);
    lab_write_csv.document(document, true, &out);
    ck_assert_msg(same(&out, expected, strlen(expected)), "%.*s", (int)out.len, out.data);
    buffer_release(&out);
    lab_document_free(document);
}
END_TEST

START_TEST(extreme_and_missing_points_can_be_drawn)
{
    static const double places[][2] = {{0, 0},   {1e99, -1e99}, {1e-300, 1e-300}, {1, 1 + 1e-15},
                                       {-5, -5}, {1e300, 1},    {INFINITY, 1},    {3, 1e12}};

    for (unsigned choice = 0; choice < 256; choice++) {
        struct lab_document *document = lab_document_new("a", "b", "c");
        struct buffer out = {0};

        for (unsigned is_log = 0; is_log < 2; is_log++) {
            struct lab_plot *plot = lab_plot(document, "p", "c", is_log ? &logs : &axes);

            lab_series(plot, "empty");
            lab_scatter(plot, "some");
            for (unsigned i = 0; i < 8; i++)
                if (choice >> i & 1)
                    lab_point(plot, 1, places[i][0], places[i][1]);
            draw(plot, &out);
        }
        buffer_release(&out);
        lab_document_free(document);
    }
}
END_TEST

RUN_TESTS("lab", text_has_aligned_columns_with_units_and_marks_of_the_paper,
          csv_has_a_line_for_each_cell_that_is_not_empty, what_rounds_to_zero_has_no_sign,
          json_has_numbers_texts_and_null_for_empty_cells, html_escapes_what_is_no_markup,
          several_json_documents_are_separated_by_commas, points_lie_where_the_axes_say,
          the_last_label_of_the_axis_fits, logarithmic_axes_have_whole_decades,
          one_axis_has_labels_of_one_kind, figures_of_a_paper_have_the_digits_that_it_prints,
          extreme_and_missing_points_can_be_drawn)
