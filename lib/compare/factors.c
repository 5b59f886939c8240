/* SPDX-License-Identifier: Apache-2.0 */
#include "compare/factors.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/lines.h"
#include "base/path.h"

/* ---- types ---- */

static const struct {
    const char *type, *start;
    size_t len;
} signatures[] = {
    {"elf",
     "\x7f"
     "ELF",
     4},
    {"pe", "MZ", 2},
    {"pdf", "%PDF-", 5},
    {"zip", "PK\3\4", 4},
    {"gzip", "\x1f\x8b", 2},
    {"image", "\x89PNG", 4},
    {"image", "\xff\xd8\xff", 3},
    {"image", "GIF8", 4},
    {"ole", "\xd0\xcf\x11\xe0", 4},
    {"sqlite", "SQLite f", 8},
    {"xml", "<?xml", 5},
};

static const struct {
    const char *type, *extensions; /* each with a dot before it and a blank after it */
} extensions[] = {
    {"source", ".c .h .cc .cpp .cxx .hpp .java .js .ts .py .pl .pm .rb .go .rs .sh .php .cs .sql .tcl .lua "},
    {"html", ".html .htm .xhtml "},
    {"xml", ".xml .svg "},
    {"text", ".txt .md .rst .tex .log .eml "},
    {"elf", ".so .o .ko "},
    {"pe", ".exe .dll .sys "},
    {"pdf", ".pdf "},
    {"zip", ".zip .jar .docx .xlsx .pptx .odt .ods .apk "},
    {"gzip", ".gz .tgz "},
    {"image", ".png .jpg .jpeg .gif "},
    {"ole", ".doc .xls .ppt .msi "},
    {"sqlite", ".sqlite .db "},
};

static const char *type_of_name(const char *name)
{
    const char *dot = strrchr(path_last(name), '.');
    char wanted[16];

    if (!dot || snprintf(wanted, sizeof wanted, "%s ", dot) >= (int)sizeof wanted)
        return NULL;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (strcasestr(extensions[i].extensions, wanted))
            return extensions[i].type;
    return NULL;
}

/* Whether the content is text in ASCII or an extension of it: no control characters but white space. */
static bool is_text(const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((data[i] < ' ' && (data[i] < '\t' || data[i] > '\r') && data[i] != 0x1b) || data[i] == 0x7f)
            return false;
    return len > 0;
}

static bool is_html(const uint8_t *data, size_t len)
{
    size_t i = 0;

    while (i < len && (data[i] == ' ' || (data[i] >= '\t' && data[i] <= '\r')))
        i++;
    return (len - i > 9 && strncasecmp((const char *)data + i, "<!doctype", 9) == 0) ||
           (len - i > 5 && strncasecmp((const char *)data + i, "<html", 5) == 0);
}

const char *factors_type(const char *name, const uint8_t *data, size_t len)
{
    const char *by_name = type_of_name(name);

    if (!data)
        return by_name ? by_name : "other";
    len = len < FACTORS_HEAD ? len : FACTORS_HEAD;
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        if (len >= signatures[i].len && memcmp(data, signatures[i].start, signatures[i].len) == 0)
            return signatures[i].type;
    if (!is_text(data, len))
        return "other";
    if (is_html(data, len))
        return "html";
    /* what is text by its content may still be source by its name, but no program or image */
    return by_name && (strcmp(by_name, "source") == 0 || strcmp(by_name, "xml") == 0) ? by_name : "text";
}

/* ---- the file ---- */

static bool is_same_kind(const struct sampler_params *a, const struct sampler_params *b)
{
    return a->scheme == b->scheme && a->n == b->n && a->c == b->c && a->k == b->k;
}

bool factors_has(const struct factors *factors, const struct sampler_params *params)
{
    for (size_t i = 0; i < factors->count; i++)
        if (is_same_kind(&factors->entries[i].params, params))
            return true;
    return false;
}

static const struct factors_entry *find_type(const struct factors *factors,
                                             const struct sampler_params *params, const char *type)
{
    for (size_t i = 0; i < factors->count; i++)
        if (is_same_kind(&factors->entries[i].params, params) && strcmp(factors->entries[i].type, type) == 0)
            return &factors->entries[i];
    return NULL;
}

const struct factors_entry *factors_find(const struct factors *factors, const struct sampler_params *params,
                                         const char *type)
{
    const struct factors_entry *found = find_type(factors, params, type);

    return found ? found : find_type(factors, params, FACTORS_ALL);
}

static void format_entry(const struct factors_entry *entry, struct buffer *out)
{
    const struct sampler_params *p = &entry->params;

    buffer_printf(out, "%s %u %u %u %s %u %.4f %.4f\n", sampler_scheme_name(p->scheme), p->n, p->c, p->k,
                  entry->type, entry->pairs, entry->contents, entry->signatures);
}

void factors_format(const struct factors *factors, struct buffer *out)
{
    buffer_add_text(out, FACTORS_MAGIC "\n");
    for (size_t i = 0; i < factors->count; i++)
        format_entry(&factors->entries[i], out);
}

static bool is_share(double value)
{
    return value > 0 && value <= 1;
}

/* A line of text without its end.  It is right if it reads the same when it is written again. */
static bool parse_entry(const char *line, size_t len, struct factors_entry *entry)
{
    struct sampler_params *params = &entry->params;
    char text[128], scheme[FACTORS_TYPE_LEN];
    struct buffer again = {0};
    int found;
    bool is_same;

    if (len >= sizeof text)
        return false;
    memcpy(text, line, len);
    text[len] = '\0';
    if (sscanf(text, "%15s %9u %9u %9u %15s %9u %lf %lf", scheme, &params->n, &params->c, &params->k,
               entry->type, &entry->pairs, &entry->contents, &entry->signatures) != 8)
        return false;
    found = sampler_scheme_find(scheme);
    if (found < 0 || entry->pairs == 0 || !is_share(entry->contents) || !is_share(entry->signatures))
        return false;
    params->scheme = (enum sampler_scheme)found;
    if (sampler_check(params, NULL) || params->c == SAMPLER_AUTO)
        return false;
    format_entry(entry, &again);
    is_same = again.len == len + 1 && memcmp(again.data, line, len) == 0;
    buffer_release(&again);
    return is_same;
}

static int take_line(struct factors *factors, const char *path, uint64_t number, const char *line, size_t len,
                     struct error *err)
{
    struct factors_entry *entry = &factors->entries[factors->count];

    if (number == 1) {
        if (len == strlen(FACTORS_MAGIC) && memcmp(line, FACTORS_MAGIC, len) == 0)
            return 0;
        return error_set(err, "%s: is not a file of factors: it does not begin with " FACTORS_MAGIC, path);
    }
    if (factors->count == FACTORS_MOST)
        return error_set(err, "%s: line %llu: more than %d factors", path, (unsigned long long)number,
                         FACTORS_MOST);
    if (!parse_entry(line, len, entry))
        return error_set(err, "%s: line %llu: malformed factors", path, (unsigned long long)number);
    if (find_type(factors, &entry->params, entry->type))
        return error_set(err, "%s: line %llu: %s %s occurs twice", path, (unsigned long long)number,
                         sampler_scheme_name(entry->params.scheme), entry->type);
    factors->count++;
    return 0;
}

int factors_read(struct factors *factors, const char *path, struct error *err)
{
    struct lines *lines = lines_open(path, err);
    enum lines_result result = LINES_FAILED;
    const char *line;
    size_t len;
    int status = lines ? 0 : -1;

    factors->count = 0;
    while (status == 0 && (result = lines_next(lines, &line, &len, err)) == LINES_LINE)
        status = take_line(factors, path, lines_number(lines), line, len, err);
    if (status == 0 && result == LINES_LONG)
        status =
            error_set(err, "%s: line %llu: malformed factors", path, (unsigned long long)lines_number(lines));
    else if (status == 0 && result == LINES_FAILED)
        status = -1;
    else if (status == 0 && factors->count == 0)
        status = error_set(err, "%s: holds no factors", path);
    lines_close(lines);
    return status;
}
