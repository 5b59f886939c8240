/* SPDX-License-Identifier: Apache-2.0 */
#include "base/escape.h"
#include "base/json.h"
#include "report/report.h"
#include "report/report_csv_extra.h"
#include "sample_case.h"

/*
 * The input is that of fuzz_casefile: changes to a small case.  All formats are then written, each with and
 * without groups or further columns.  Whatever names, numbers and places the case has, a report that is
 * written to its end is well-formed, has no control characters, and an HTML page has as many scripts as ever.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The formats; 0 is all of them. */
enum { LINES = 1, GRAPH = 2, XML = 4, TABLE = 8, PROSE = 16, PAGE = 32, ALL = 63 };

struct text {
    char *data;
    size_t len;
};

/* ---- all formats: valid UTF-8 of visible characters ---- */

static void require_line(const char *line, size_t len)
{
    struct buffer plain = {0};

    for (size_t i = 0; i < len; i++)
        if (line[i] != '\\')
            buffer_add_char(&plain, line[i]);
    require(!plain.failed && (plain.len == 0 || !escape_needed(plain.data, plain.len)));
    buffer_release(&plain);
}

static void require_visible(const struct text *text, const char *ending)
{
    const char *const end = text->data + text->len;

    for (const char *line = text->data, *next; line < end; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));

        require(newline && (size_t)(newline - line) + 1 >= strlen(ending));
        next = newline + 1;
        require_line(line, (size_t)(next - line) - strlen(ending));
    }
}

/* ---- JSON ---- */

static struct json *parser(void)
{
    static struct json *json;

    if (!json)
        json = json_new(1 << 20, NULL);
    require(json);
    return json;
}

static void require_json(const char *data, size_t len)
{
    struct json *json = parser();
    enum json_token token;
    struct error err;

    json_begin(json, data, len, NULL, NULL);
    while ((token = json_next(json, &err)) != JSON_END)
        require(token != JSON_BAD && token != JSON_FAILED);
}

static void require_json_lines(const struct text *text)
{
    const char *const end = text->data + text->len;

    for (const char *line = text->data, *next; line < end; line = next) {
        next = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
        require_json(line, (size_t)(next - line));
    }
}

/* ---- XML: nested elements, quoted attributes, the five entities ---- */

enum { DEPTH = 16, LONGEST_TAG = 64 };

static const char *skip_text(const char *p, const char *until)
{
    for (; !strchr(until, *p); p++)
        if (*p == '&')
            require(strncmp(p, "&amp;", 5) == 0 || strncmp(p, "&lt;", 4) == 0 || strncmp(p, "&gt;", 4) == 0 ||
                    strncmp(p, "&quot;", 6) == 0 || strncmp(p, "&#39;", 5) == 0);
    return p;
}

static const char *skip_name(const char *p)
{
    const size_t len = strspn(p, "abcdefghijklmnopqrstuvwxyz_:0123456789");

    require(len > 0 && len < LONGEST_TAG);
    return p + len;
}

/* The attributes of a start tag, and what ends it. */
static const char *skip_attributes(const char *p)
{
    while (*p == ' ') {
        p = skip_name(p + 1);
        require(p[0] == '=' && p[1] == '"');
        p = skip_text(p + 2, "\"<");
        require(*p++ == '"');
    }
    return p;
}

static void require_xml(const struct text *text)
{
    char open[DEPTH][LONGEST_TAG];
    unsigned depth = 0;
    const char *p = strchr(text->data, '\n') + 1; /* after the declaration */

    require(strncmp(text->data, "<?xml ", 6) == 0 && strlen(text->data) == text->len);
    do {
        const char *name, *after;

        p = skip_text(p, "<");
        name = p[1] == '/' ? p + 2 : p + 1;
        after = skip_name(name);
        if (name[-1] == '/') {
            require(depth-- > 0 && strncmp(open[depth], name, (size_t)(after - name)) == 0 &&
                    open[depth][after - name] == '\0' && *after == '>');
            p = after + 1;
            continue;
        }
        require(depth < DEPTH);
        memcpy(open[depth], name, (size_t)(after - name));
        open[depth][after - name] = '\0';
        p = skip_attributes(after);
        depth += *p != '/';
        p += *p == '/';
        require(*p++ == '>');
    } while (depth > 0);
    require(strcmp(p, "\n") == 0);
}

/* ---- CSV: every record has as many cells as the header ---- */

static unsigned count_cells(const char **at, const char *end)
{
    unsigned cells = 1;
    bool quoted = false;

    for (; *at < end && (quoted || **at != '\n'); ++*at) {
        quoted ^= **at == '"';
        cells += !quoted && **at == ',';
    }
    ++*at;
    return cells;
}

static void require_csv(const struct text *text)
{
    const char *p = text->data, *const end = text->data + text->len;
    const unsigned cells = count_cells(&p, end);

    require(cells >= 28);
    while (p < end)
        require(count_cells(&p, end) == cells);
}

/* ---- HTML ---- */

static unsigned count(const struct text *text, const char *what)
{
    unsigned found = 0;

    for (const char *p = text->data; (p = strcasestr(p, what)); p++)
        found++;
    return found;
}

static void require_page(const struct text *text)
{
    static unsigned scripts, elements;

    if (!scripts) { /* the first page is that of the valid case: set_up */
        scripts = count(text, "<script");
        elements = count(text, "</script");
    }
    require(scripts > 0 && count(text, "<script") == scripts && count(text, "</script") == elements);
    require(strlen(text->data) == text->len);
}

/* ---- writing ---- */

/* NULL if the case cannot be read to its end. */
static struct text write_form(const struct report_operations *form, const struct report_options *options)
{
    const struct case_filter filter = {.known = true, .objects = true, .twins = !options->by_reference};
    struct casefile *casefile = casefile_open_report(path, NULL);
    struct text text = {0};
    struct report_writer writer = {.does = form, .options = *options};
    struct error err;
    int result = -1;

    if (!casefile)
        return text;
    writer.out.to = open_memstream(&text.data, &text.len);
    require(writer.out.to);
    result = report_write(&writer, casefile, &filter, &err);
    fclose(writer.out.to);
    casefile_close(casefile, NULL);
    if (result == 0)
        return text;
    free(text.data);
    return (struct text){0};
}

static void check(const struct report_operations *form, const struct report_options *options,
                  void (*require_form)(const struct text *text), const char *ending)
{
    struct text text = write_form(form, options);

    if (!text.data)
        return;
    if (ending)
        require_visible(&text, ending);
    if (require_form)
        require_form(&text);
    free(text.data);
}

static void require_document(const struct text *text)
{
    require_json(text->data, text->len);
}

static void use(unsigned what)
{
    static const struct report_options usual, grouped = {.by_reference = true},
                                              more = {.extra_columns = (1u << REPORT_CSV_EXTRAS) - 1};

    if (what & LINES) {
        check(&report_jsonl, &usual, require_json_lines, "\n");
        check(&report_jsonl, &grouped, require_json_lines, "\n");
        check(&report_timesketch, &usual, require_json_lines, "\n");
    }
    if (what & GRAPH)
        check(&report_uco, &usual, require_document, "\n");
    if (what & XML)
        check(&report_dfxml, &usual, require_xml, "\n");
    if (what & TABLE) {
        check(&report_csv, &usual, require_csv, "\r\n");
        check(&report_csv, &more, require_csv, "\r\n");
        check(&report_csv_excel, &more, require_csv, NULL);
    }
    if (what & PROSE) {
        check(&report_text, &usual, NULL, "\n");
        check(&report_text, &grouped, NULL, "\n");
        check(&report_overview, &usual, NULL, "\n");
    }
    if (what & PAGE)
        check(&report_html, &usual, require_page, NULL);
}

/* The valid case comes first, for comparison. */
static void set_up_page(void)
{
    set_up();
    use(ALL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct stored stored = {&casefile_format, columns, OBJECTS, set_up_page, use, ALL};

    return run_changed(&stored, data, size);
}
