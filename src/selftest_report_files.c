/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "selftest_report_inner.h"

/* The files that were tested, so that somebody else can test the same ones. */

static const char *use(const struct selftest_file *file, bool is_other)
{
    if (is_other)
        return "unrelated";
    return file->is_uniform ? "uniform reference" : "reference";
}

/* The references, by their numbers, then the unrelated files. */
static const struct selftest_file *file_at(const struct selftest_content *content, size_t index,
                                           bool *is_other)
{
    *is_other = index >= content->count;
    return *is_other ? &content->strangers[index - content->count] : &content->files[index];
}

static void add_hex(const struct selftest_file *file, struct buffer *out)
{
    escape_hex(out, file->sha1, sizeof file->sha1);
    buffer_add_char(out, '\0');
}

void selftest_report_files(const struct selftest_report *report, struct lab_document *document)
{
    static const struct lab_column columns[] = {
        {"number", "", LAB_WORDS, false}, {"use", "", LAB_WORDS, false}, {"class", "", LAB_WORDS, false},
        {"size", "", LAB_WORDS, false},   {"bytes", "", 0, false},       {"SHA-1", "", LAB_WORDS, false},
        {"path", "", LAB_WORDS, false}};
    const struct selftest_content *content = &report->run->content;
    struct lab_table *table;

    if (content->is_generated) {
        lab_remark(document, "The generated files depend on the seed alone; report.json has their SHA-1.");
        return;
    }
    table =
        lab_table(document, "selftest-files",
                  "Files tested: references, by the numbers that notes use, and files planted as unrelated",
                  COLUMNS(columns));
    for (size_t i = 0; i < content->count + content->stranger_count; i++) {
        struct buffer hex = {0};
        bool is_other;
        const struct selftest_file *file = file_at(content, i, &is_other);

        add_hex(file, &hex);
        lab_row(table);
        if (!is_other)
            lab_text(table, 0, "%06zu", i);
        lab_text(table, 1, "%s", use(file, is_other));
        lab_text(table, 2, "%s", selftest_class_names[file->class]);
        lab_text(table, 3, "%s", selftest_size_names[file->size]);
        lab_number(table, 4, (double)file->len);
        lab_text(table, 5, "%s", hex.failed ? "" : hex.data);
        lab_text(table, 6, "%s", file->path);
        buffer_release(&hex);
    }
}

void selftest_report_files_json(const struct selftest_report *report, struct buffer *out)
{
    const struct selftest_content *content = &report->run->content;
    const size_t count = content->count + content->stranger_count;

    buffer_add_text(out, "  \"files\": [\n");
    for (size_t i = 0; i < count; i++) {
        bool is_other;
        const struct selftest_file *file = file_at(content, i, &is_other);
        const char *path = file->path ? file->path : "";

        buffer_printf(
            out, "    {\"use\": \"%s\", \"class\": \"%s\", \"size\": \"%s\", \"bytes\": %zu, \"sha1\": \"",
            use(file, is_other), selftest_class_names[file->class], selftest_size_names[file->size],
            file->len);
        escape_hex(out, file->sha1, sizeof file->sha1);
        buffer_add_text(out, "\", \"path\": ");
        escape_json(out, path, strlen(path));
        buffer_add_text(out, i + 1 < count ? "},\n" : "}\n");
    }
    buffer_add_text(out, "  ],\n");
}
