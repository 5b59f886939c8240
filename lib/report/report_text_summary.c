/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_text_summary.h"

#include <string.h>

#include "base/escape.h"
#include "report/report_columns.h"
#include "report/report_summary.h"

enum { INDENT = 4 };

struct summary {
    struct buffer *out;
    unsigned width;
    const char *path; /* of the evidence */
};

/* The path, shortened if it does not fit into a line of the window. */
static void add_path(struct report_columns_lines *lines, const char *path)
{
    struct buffer text = {0}, word = {0};

    escape_text(&text, path, strlen(path));
    if (lines->width)
        report_columns_shorten(&word, text.len ? text.data : "", text.len, lines->width - 1);
    else if (text.len)
        buffer_add(&word, text.data, text.len);
    buffer_add_char(&word, ':');
    report_columns_word(lines, &word);
    buffer_inherit(lines->out, &text);
    buffer_inherit(lines->out, &word);
    buffer_release(&text);
    buffer_release(&word);
}

static void add_line(void *arg, const char *text)
{
    const struct summary *summary = arg;
    struct report_columns_lines lines = {.out = summary->out, .width = summary->width};

    add_path(&lines, summary->path);
    /* less than the path occupies, or the next word would be taken for the first of the line */
    lines.indent = lines.column > INDENT ? INDENT : lines.column - 1;
    report_columns_text(&lines, text, strlen(text));
    buffer_add_char(lines.out, '\n');
}

/* Empties the text. */
static void add_text(struct summary *summary, struct buffer *text)
{
    buffer_add_char(text, '\0');
    if (!text->failed)
        add_line(summary, text->data);
    buffer_reset(text);
}

static int add_evidence(struct summary *summary, struct casefile *casefile,
                        const struct case_evidence *evidence, struct error *err)
{
    struct buffer text = {0};
    int result;

    report_summary_image(evidence, &text);
    if (text.len)
        add_text(summary, &text);
    result = report_summary(casefile, evidence->number, &text, err);
    if (text.len == 0)
        buffer_add_text(&text, casefile_state_name(evidence->state));
    add_text(summary, &text);
    buffer_inherit(summary->out, &text);
    buffer_release(&text);
    return result ? -1 : report_summary_unexamined(casefile, evidence->number, add_line, summary, err);
}

/* A case that is not kept has no seal. */
static int add_seal(struct report_stream *stream, unsigned width, struct casefile *casefile,
                    struct error *err)
{
    static const char label[] = "seal of the case:";
    struct report_columns_lines lines = {.out = &stream->line, .width = width, .indent = 2};
    const bool fits = lines.width == 0 || lines.width > sizeof label + 2 * CASE_CHAIN_LEN;
    const size_t part = fits ? CASE_CHAIN_LEN : CASE_CHAIN_LEN / 2;
    uint8_t chain[CASE_CHAIN_LEN];
    struct buffer word = {0};

    if (!casefile_is_kept(casefile))
        return 0;
    if (casefile_chain(casefile, chain, err))
        return -1;
    report_columns_text(&lines, label, sizeof label - 1);
    for (size_t at = 0; at < CASE_CHAIN_LEN; at += part) {
        escape_hex(&word, chain + at, part);
        report_columns_word(&lines, &word);
    }
    buffer_add_char(lines.out, '\n');
    buffer_inherit(lines.out, &word);
    buffer_release(&word);
    return 0;
}

int report_text_summary(struct report_stream *stream, unsigned width, struct casefile *casefile,
                        struct error *err)
{
    struct case_evidence evidence;
    int found;

    if (add_seal(stream, width, casefile, err))
        return -1;
    for (uint64_t number = 1; (found = casefile_evidence(casefile, number, &evidence, err)) > 0; number++) {
        struct summary summary = {.out = &stream->line, .width = width, .path = evidence.path};

        if (add_evidence(&summary, casefile, &evidence, err))
            return -1;
    }
    return found < 0 ? -1 : report_stream_put(stream, err);
}
