/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "lab/lab.h"
#include "lab/lab_write.h"
#include "selftest_chance.h"
#include "selftest_report_inner.h"

enum { DEFAULT_DECADE = 4 /* of selftest_chance: 0.001, the default of --max-e */ };
static const double most_error = 0.4; /* of a point of the calibration: its standard error, relative */

/* The page: one section for each chapter of a test report of NIST's CFTT. */

static const char intended[] =
    "Each case plants content that is known byte by byte, runs this very program on it as a user would (add, "
    "then scan with CSV output), and compares the rows with what was planted. The rates hold for the test "
    "data "
    "described here. They may differ for other data, and the test can be repeated on one's own files.";

/* ---- 1 results summary ---- */

static void add_summary(const struct selftest_report *report, struct lab_document *document)
{
    static const struct lab_column columns[] = {
        {"cases", "", LAB_WORDS, false}, {"what they do", "", LAB_WORDS, false},
        {"trials", "", 0, false},        {"of files", "", 0, false},
        {"errors", "", 0, false},        {"error means", "", LAB_WORDS, false},
        {"rate", "%", 2, false},         {"from", "%", 2, false},
        {"to", "%", 2, false},           {"nominal", "%", 2, false}};
    struct lab_table *table =
        lab_table(document, "selftest-summary",
                  "Rates of errors with their 95 % intervals (Clopper and Pearson)", COLUMNS(columns));

    for (enum selftest_group group = 0; group < SELFTEST_GROUPS; group++) {
        const struct selftest_case sum = selftest_case_sum(&report->run->cases, group);
        double low, high;
        const double rate = selftest_report_rate(&sum, &low, &high);

        lab_row(table);
        lab_text(table, 0, "%s", selftest_report_groups[group].name);
        lab_text(table, 1, "%s", selftest_report_groups[group].summary);
        lab_number(table, 2, (double)sum.trials);
        lab_text(table, 5, "%s", selftest_report_groups[group].rate);
        if (sum.trials == 0)
            continue;
        lab_number(table, 3, (double)selftest_case_files(&sum));
        lab_number(table, 4, rate * (double)sum.trials);
        lab_number(table, 6, 100 * rate);
        lab_number(table, 7, 100 * low);
        lab_number(table, 8, 100 * high);
        if (selftest_report_groups[group].nominal > 0)
            lab_number(table, 9, 100 * selftest_report_groups[group].nominal);
    }
    lab_remark(document,
               "The interval of an estimate is intended to hold in 95 %% of cases, so the nominal rate of "
               "errors is 5 %%. A lower rate is no merit: it means that the interval is wider than it would "
               "have to be; section 5 has its mean width.");
    lab_remark(document,
               "A trial is one planted object. Objects that are scanned again, unrelated ones with higher "
               "limits of E and images with the dense set, are not counted again. Several trials are made "
               "from each file, by different edits, places or permutations; \"of files\" is the number of "
               "distinct ones. The intervals take the trials as independent: they are for further trials "
               "with these files. For other files they are too narrow, the more so the fewer files there "
               "are.");
    lab_remark(document,
               "The rates of a group pool cases of very different difficulty, some of them beyond the "
               "stated limits of the tool; section 5 has each case by itself.");
}

/* ---- 3 assertions ---- */

struct assertion {
    const char *id, *text;
    uint64_t checked, violated;
};

static void count_assertions(const struct selftest_report *report, struct assertion assertions[4])
{
    for (size_t i = 0; i < report->run->cases.count; i++) {
        const struct selftest_case *test = report->run->cases.list[i];

        if (test->group == SELFTEST_IDENTICAL) {
            assertions[0].checked += test->trials;
            assertions[0].violated += test->trials - test->right;
        }
        assertions[1].checked += test->promises;
        assertions[1].violated += test->broken;
        assertions[2].checked += test->other;
        assertions[2].violated += test->unfounded;
        if (test->group == SELFTEST_UNRELATED && strcmp(test->size_name, "0.001") == 0) {
            assertions[3].checked += test->trials;
            assertions[3].violated += test->hits;
        }
    }
}

static void add_assertions(const struct selftest_report *report, struct lab_document *document)
{
    static const struct lab_column columns[] = {{"assertion", "", LAB_WORDS, false},
                                                {"the tool shall", "", LAB_WORDS, false},
                                                {"checked", "", 0, false},
                                                {"violated", "", 0, false},
                                                {"result", "", LAB_WORDS, false}};
    struct assertion assertions[] = {
        {"A1", "report every file whose content is that of a reference as identical", 0, 0},
        {"A2", "state identical, sha1 or blocks only where the bytes are equal", 0, 0},
        {"A3", "name a reference only if it shares a string of 64 bytes with the object, other than padding",
         0, 0},
        {"A4", "report nothing for unrelated content at the default limit of E", 0, 0},
    };
    struct lab_table *table =
        lab_table(document, "selftest-assertions", "Assertions and the number of times each was checked",
                  COLUMNS(columns));

    count_assertions(report, assertions);
    for (size_t i = 0; i < sizeof assertions / sizeof *assertions; i++) {
        lab_row(table);
        lab_text(table, 0, "%s", assertions[i].id);
        lab_text(table, 1, "%s", assertions[i].text);
        lab_number(table, 2, (double)assertions[i].checked);
        lab_number(table, 3, (double)assertions[i].violated);
        lab_text(table, 4, "%s",
                 assertions[i].violated  ? "NOT as expected"
                 : assertions[i].checked ? "as expected"
                                         : "no occasion");
    }
    lab_remark(
        document,
        "A1 and A2 are promises: if one is broken, the exit status of the test is 1. A3 is "
        "checked for findings other than the planted one, by comparing the bytes; one that violates it "
        "is unfounded. Padding is any string of 64 bytes with fewer than ten different ones, such as "
        "zeros, blanks or rulers, which programs and texts share whatever they are. A4 has a rate: E "
        "allows for chance.");
}

/* ---- detection limits ---- */

static const struct selftest_case *find_fragment(const struct selftest_report *report, bool dense,
                                                 enum selftest_class class, size_t column)
{
    for (size_t i = 0; i < report->run->cases.count; i++) {
        const struct selftest_case *test = report->run->cases.list[i];

        if (test->group == SELFTEST_FRAGMENTS && test->dense == dense &&
            test->class_name == selftest_class_names[class] && column-- == 0)
            return test;
    }
    return NULL;
}

static void add_limits(const struct selftest_report *report, struct lab_document *document)
{
    static const struct lab_column columns[] = {
        {"set", "", LAB_WORDS, false}, {"class", "", LAB_WORDS, false}, {"256", "%", 0, false},
        {"512", "%", 0, false},        {"1024", "%", 0, false},         {"2048", "%", 0, false},
        {"4096", "%", 0, false},       {"8192", "%", 0, false},         {"16384", "%", 0, false},
        {"trials", "each", 0, false}};
    enum { SIZES = 7, FIRST = 2 };
    struct lab_table *table =
        lab_table(document, "selftest-limits",
                  "Detection limit: share of fragments found, by their size in bytes", COLUMNS(columns));

    for (int dense = 0; dense < 2; dense++)
        for (enum selftest_class class = 0; class < SELFTEST_CLASSES; class ++) {
            lab_row(table);
            lab_text(table, 0, "%s", dense ? "dense (-C 32, --deep)" : "default");
            lab_text(table, 1, "%s", selftest_class_names[class]);
            for (size_t i = 0; i < SIZES; i++) {
                const struct selftest_case *test = find_fragment(report, dense, class, i);

                if (!test || test->trials == 0)
                    continue;
                lab_number(table, FIRST + i, 100 * (double)test->hits / (double)test->trials);
                lab_number(table, FIRST + SIZES, (double)test->trials);
            }
        }
}

/* The same as curves. */
static void add_limit_plot(const struct selftest_report *report, bool dense, struct lab_document *document)
{
    static const struct lab_axes axes = {"size of the fragment", "bytes", "found", "%", true, false};
    struct lab_plot *plot =
        dense ? lab_plot(document, "selftest-limits-dense",
                         "Fragments found with a dense set (-C 32) and --deep", &axes)
              : lab_plot(document, "selftest-limits-default", "Fragments found with a default set", &axes);

    for (enum selftest_class class = 0; class < SELFTEST_CLASSES; class ++) {
        const size_t series = lab_series(plot, "%s", selftest_class_names[class]);
        const struct selftest_case *test;

        for (size_t i = 0; (test = find_fragment(report, dense, class, i)); i++)
            if (test->trials)
                lab_point(plot, series, 256 << i, 100 * (double)test->hits / (double)test->trials);
    }
}

/* ---- the limit of E ---- */

static void add_e_limits(const struct selftest_report *report, struct lab_document *document)
{
    static const struct lab_column columns[] = {{"--max-e", "", LAB_WORDS, false},
                                                {"objects", "", 0, false},
                                                {"findings", "", 0, false},
                                                {"unfounded", "", 0, false},
                                                {"expected from chance", "at most", 1, false}};
    struct lab_table *table = lab_table(
        document, "selftest-e",
        "Findings in permuted files beside the number that E allows for: an upper limit, no calibration",
        COLUMNS(columns));

    for (size_t i = 0; i < report->run->cases.count; i++) {
        const struct selftest_case *test = report->run->cases.list[i];

        if (test->group != SELFTEST_UNRELATED || !test->size_name[0])
            continue;
        lab_row(table);
        lab_text(table, 0, "%s", test->size_name);
        lab_number(table, 1, (double)test->trials);
        lab_number(table, 2, (double)test->other);
        lab_number(table, 3, (double)test->unfounded);
        lab_number(table, 4, strtod(test->size_name, NULL) * (double)test->trials);
    }
    lab_remark(
        document,
        "E is the number of findings that chance alone would give in one object, so the most to expect "
        "is its product with the number of objects. The rows are one experiment, not several: all "
        "limits are applied to the same objects.");
    lab_remark(document,
               "This table can show that E is too low: more findings than the last column. It cannot show "
               "that E is right, since a finding also needs 128 contiguous matching bytes that vary as text, "
               "code or pictures do, or many matches among changed bytes (kith-scan(1)), and that alone may "
               "keep all of these away. E itself is tested below, without that rule.");
}

static void add_decades(const struct selftest_chance *chance, const char *class, struct lab_table *table)
{
    for (size_t i = 0; chance->objects && i < SELFTEST_DECADES; i++) {
        const double limit = selftest_chance_limit(i), expected = limit * (double)chance->objects;

        lab_row_numbers(table,
                        (const double[]){NAN, limit, (double)chance->objects,
                                         chance->matches / (double)chance->objects, expected,
                                         chance->observed[i], chance->observed[i] / expected,
                                         sqrt(chance->squares[i]) / expected},
                        8);
        lab_text(table, 0, "%s", class);
    }
}

/* Where E would be right, and where it would be `factor` times too low. */
static void add_expected(struct lab_plot *plot, double factor, const char *label)
{
    const size_t series = lab_series(plot, "%s", label);

    for (size_t i = 0; i < SELFTEST_DECADES; i++)
        lab_point(plot, series, selftest_chance_limit(i), factor * selftest_chance_limit(i));
}

/* Points that a few objects decide are left out. */
static void add_calibration_plot(const struct selftest_report *report, struct lab_document *document)
{
    static const struct lab_axes axes = {"E", "at most", "observed", "lines per object", true, true};
    struct lab_plot *plot = lab_plot(
        document, "selftest-e", "Lines of chance matches by their E, and the number that E states", &axes);

    add_expected(plot, 1, "as E states");
    add_expected(plot, 3, "three times as many");
    add_expected(plot, 1.0 / 3, "a third");
    for (enum selftest_class class = 0; class < SELFTEST_CLASSES; class ++) {
        const struct selftest_chance *chance = &report->run->chance[class];
        const size_t series = chance->objects ? lab_scatter(plot, "%s", selftest_class_names[class]) : 0;

        for (size_t i = 0; chance->objects && i < SELFTEST_DECADES; i++)
            if (sqrt(chance->squares[i]) <= most_error * chance->observed[i])
                lab_point(plot, series, selftest_chance_limit(i),
                          chance->observed[i] / (double)chance->objects);
    }
}

static void add_calibration(const struct selftest_report *report, struct lab_document *document)
{
    static const struct lab_column columns[] = {{"class", "", LAB_WORDS, false},
                                                {"E", "at most", LAB_PRINTED, false},
                                                {"objects", "", 0, false},
                                                {"matches", "of an object, mean", 0, false},
                                                {"expected", "lines", LAB_PRINTED, false},
                                                {"observed", "lines", LAB_SIGNIFICANT, false},
                                                {"observed : expected", "", LAB_SIGNIFICANT, false},
                                                {"standard error", "", LAB_SIGNIFICANT, false}};
    struct lab_table *table =
        lab_table(document, "selftest-e-decades", "Lines of chance matches by their E", COLUMNS(columns));
    uint64_t objects = 0;
    double observed = 0;

    for (enum selftest_class class = 0; class < SELFTEST_CLASSES; class ++) {
        const struct selftest_chance *chance = &report->run->chance[class];

        add_decades(chance, selftest_class_names[class], table);
        objects += chance->objects;
        observed += chance->observed[DEFAULT_DECADE];
    }
    lab_remark(
        document,
        "%" PRIu64 " objects of 128 samples of the reference files of a class, in random order and at random "
        "distances, so that samples match (C = 32) but line up by chance only. Most objects are made "
        "to have a line, and weigh as little as they are then too frequent, so that an E far below one "
        "in all objects can be tested. Observed are the references whose best line of matches has such "
        "an E, by the weight of the objects; there cannot be more than there are references. At the "
        "default limit of %g, %.3g were observed and %g are expected.",
        objects, selftest_chance_limit(DEFAULT_DECADE), observed,
        selftest_chance_limit(DEFAULT_DECADE) * (double)objects);
    lab_remark(
        document,
        "E supposes that different samples lie at places independent of each other. In content that "
        "repeats phrases or tables they do not, and E alone is then too low: that is why it is not the "
        "only rule. A ratio above 1 shows that E is too low, and one below 1 that it is higher than need "
        "be. The lowest limits are seen in few objects, so their ratios vary with the seed; the plot leaves "
        "out "
        "those with a standard error above two fifths of their value.");
    add_calibration_plot(report, document);
}

/* ---- 4 environment ---- */

static void add_facts(struct lab_document *document, const char *name, const char *caption,
                      const struct selftest_facts *facts)
{
    static const struct lab_column columns[] = {{"item", "", LAB_WORDS, false},
                                                {"value", "", LAB_WORDS, false}};
    struct lab_table *table = lab_table(document, name, caption, COLUMNS(columns));

    for (size_t i = 0; i < facts->count; i++) {
        lab_row(table);
        lab_text(table, 0, "%s", facts->list[i].name);
        lab_text(table, 1, "%s", selftest_facts_value(facts, i));
    }
}

static void add_times(const struct selftest_report *report, struct lab_document *document)
{
    char started[32], ended[32];

    selftest_report_time(report->started, started);
    selftest_report_time(report->ended, ended);
    lab_remark(document, "Begun at %s, ended at %s.", started, ended);
}

/* ---- the chapters ---- */

static void add_reading(const struct selftest_report *report, struct lab_document *document)
{
    (void)report;
    lab_remark(document, "%s", intended);
    lab_remark(
        document,
        "A case has an identifier that is the same in every run: a letter for the group, a number "
        "for the procedure, then the class of the files and their size (small: 4 to 32 KiB, "
        "medium: up to 512 KiB, large: up to 8 MiB) or the set. \"default\" is a set made with kith add, "
        "\"dense\" one made with kith add -C 32 and scanned with --deep. All scans use "
        "--all-references.");
    lab_remark(document,
               "Results: \"pass\" means that rows which promise equal bytes were compared with the bytes, "
               "and all were true; \"FAIL\", that one was not, or that an identical file was missed; "
               "\"measured\", that there was nothing to promise; \"not run\" is explained in the note.");
}

static void add_results(const struct selftest_report *report, struct lab_document *document)
{
    add_summary(report, document);
}

static void add_selection(const struct selftest_report *report, struct lab_document *document)
{
    struct buffer source = {0};
    uint64_t left_out = 0;

    selftest_report_source(report, &source);
    buffer_add_char(&source, '\0');
    lab_remark(document, "Reference files: %s.", source.failed ? "" : source.data);
    buffer_release(&source);
    if (report->run->content.uniform.count)
        lab_remark(document,
                   "%zu of them are too uniform: a default set takes no samples of them, so that nothing but "
                   "identical copies can be found. They are in case I02 only.",
                   report->run->content.uniform.count);
    lab_remark(document,
               "Edits, hosts and places are chosen by the seed; the same seed, version and machine give the "
               "same report, except for its times.%s",
               report->run->quick ? " This was a quick run, with a tenth of the trials." : "");
    for (size_t i = 0; i < report->run->cases.count; i++)
        left_out += report->run->cases.list[i]->trials == 0;
    lab_remark(document, "%zu cases, of which %" PRIu64 " were not run; section 5 says why.",
               report->run->cases.count, left_out);
    lab_remark(document,
               "Not tested here: containers such as E01, partition tables other than a DOS one, HFS+, APFS, "
               "UFS, ISO 9660 and "
               "YAFFS2 (no tool makes them on every system), damaged images, and evidence that attacks "
               "the program.");
    selftest_report_files(report, document);
}

static void add_by_assertion(const struct selftest_report *report, struct lab_document *document)
{
    add_assertions(report, document);
    add_limits(report, document);
    add_limit_plot(report, false, document);
    add_limit_plot(report, true, document);
    add_e_limits(report, document);
    add_calibration(report, document);
}

static void add_environment(const struct selftest_report *report, struct lab_document *document)
{
    add_facts(document, "selftest-tool", "Tool tested", report->tool);
    add_facts(document, "selftest-machine", "Execution environment", report->machine);
    add_facts(document, "selftest-software", "Support software, by which the images are made",
              report->programs);
    add_times(report, document);
}

void selftest_report_html(const struct selftest_report *report, struct buffer *out)
{
    static const struct {
        const char *title, *subtitle;
        void (*add)(const struct selftest_report *report, struct lab_document *document);
    } chapters[] = {
        {"How to read this report", "Purpose, identifiers, results", add_reading},
        {"1 Results summary", "All groups of cases", add_results},
        {"2 Test case selection", "Test data, and what was not tested", add_selection},
        {"3 Results by assertion", "Promises kept, false findings, detection limits", add_by_assertion},
        {"4 Testing environment", "Tool, machine, support software", add_environment},
        {"5 Test results", "Every case", selftest_report_cases},
    };

    lab_write_html.begin("Test results for " PACKAGE_NAME " " PACKAGE_VERSION, out);
    for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++) {
        struct lab_document *document = lab_document_new("selftest", chapters[i].title, chapters[i].subtitle);

        if (!document) {
            out->failed = true;
            return;
        }
        chapters[i].add(report, document);
        out->failed |= lab_failed(document);
        lab_write_html.document(document, i == 0, out);
        lab_document_free(document);
    }
    lab_write_html.end(out);
}
