/* SPDX-License-Identifier: Apache-2.0 */
#include "values.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "cluster/clusters.h"
#include "container/opening.h"
#include "disk/disk.h"
#include "disk/object.h"
#include "list/list.h"
#include "match/scanner.h"
#include "report/report_csv_extra.h"
#include "set/refset.h"
#include "sketch/sketch.h"

/* ---- tables ---- */

static const char *array_name(const void *table, size_t index)
{
    return ((const char *const *)table)[index];
}

static const char *object_kind(const void *table, size_t index)
{
    (void)table;
    return index < OBJECT_KINDS ? object_kind_name((enum object_kind)index) : NULL;
}

static const char *set_kind(const void *table, size_t index)
{
    (void)table;
    return index < REFSET_KINDS ? refset_kind_name((enum refset_kind)index) : NULL;
}

static const char *scheme(const void *table, size_t index)
{
    (void)table;
    return index < SKETCH_SCHEMES ? sketch_scheme_name((enum sketch_scheme)index) : NULL;
}

static const char *unit(const void *table, size_t index)
{
    (void)table;
    return index < TOKENS_UNITS ? tokens_unit_name((enum tokens_unit)index) : NULL;
}

static const char *rule(const void *table, size_t index)
{
    (void)table;
    return index < TOKENS_RULES ? tokens_rule_name((enum tokens_rule)index) : NULL;
}

static const char *method(const void *table, size_t index)
{
    (void)table;
    return index < CLUSTERS_METHODS ? clusters_method_name((enum clusters_method)index) : NULL;
}

static const char *candidates(const void *table, size_t index)
{
    (void)table;
    return index < CLUSTERS_CANDIDATES ? clusters_candidates_name((enum clusters_candidates)index) : NULL;
}

static const char *verdict(const void *table, size_t index)
{
    (void)table;
    return index < VERDICTS ? finding_verdict_name((enum verdict)index) : NULL;
}

static const char *column(const void *table, size_t index)
{
    (void)table;
    return report_csv_extra_name(index);
}

static const char *const proofs[] = {"estimate", "blocks", "sha1", "members", NULL};
/* In the order of enum case_order. */
static const char *const orders[] = {"place", "significance", "reference", NULL};
static const char *const groupings[] = {"reference", NULL};
static const char *opening(const void *table, size_t index)
{
    (void)table;
    return opening_mode_name((unsigned)index);
}

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

const struct values values_object_kinds = {"kind", "kinds", true, object_kind, NULL},
                    values_image_types = {"image type", "image types", false, array_name, medium_types},
                    values_file_systems = {"file system", "file systems", false, array_name, disk_types},
                    values_schemes = {"scheme", "schemes", false, scheme, NULL},
                    values_methods = {"method", "methods", false, method, NULL},
                    values_candidates = {"algorithm", "algorithms", false, candidates, NULL},
                    values_tokens = {"unit", "units", false, unit, NULL},
                    values_rules = {"rule", "rules", true, rule, NULL},
                    values_set_kinds = {"kind", "kinds", false, set_kind, NULL},
                    values_list_formats = {"format", "formats", false, array_name, list_formats},
                    values_verdicts = {"verdict", "verdicts", false, verdict, NULL},
                    values_verdict_list = {"verdict", "verdicts", true, verdict, NULL},
                    values_proofs = {"proof", "proofs", true, array_name, proofs},
                    values_orders = {"order", "orders", false, array_name, orders},
                    values_groupings = {"grouping", "groupings", false, array_name, groupings},
                    values_columns = {"column", "columns", true, column, NULL},
                    values_shells = {"shell", "shells", false, array_name, shells},
                    values_openings = {"value of --containers", "values of --containers", true, opening,
                                       NULL};

const struct values values_case, values_set, values_set_path, values_file;

/* ---- finding one ---- */

int values_find(const struct values *values, const char *text, size_t len)
{
    const char *name;

    for (size_t i = 0; (name = values->name(values->table, i)); i++)
        if (strlen(name) == len && memcmp(name, text, len) == 0)
            return (int)i;
    return -1;
}

enum { LONGEST_WORD = 32 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The edit distance, regardless of case, in which an exchange of neighbours counts once (optimal string
 * alignment). */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][LONGEST_WORD + 1], *before = rows[0], *above = rows[1], *row = rows[2];

    for (size_t k = 0; k <= b_len; k++)
        above[k] = before[k] = k;
    for (size_t i = 1; i <= a_len; i++) {
        size_t *free_row = before;

        row[0] = i;
        for (size_t k = 1; k <= b_len; k++) {
            row[k] = least(least(above[k], row[k - 1]) + 1, above[k - 1] + !is_same(a[i - 1], b[k - 1]));
            if (i > 1 && k > 1 && is_same(a[i - 1], b[k - 2]) && is_same(a[i - 2], b[k - 1]))
                row[k] = least(row[k], before[k - 2] + 1);
        }
        before = above;
        above = row;
        row = free_row;
    }
    return above[b_len];
}

int values_slips(const char *word, size_t len, const char *name)
{
    const size_t name_len = strlen(name), most = len < 3 ? 0 : len < 6 ? 1 : 2;
    size_t slips;

    if (len > LONGEST_WORD || name_len > LONGEST_WORD)
        return -1;
    slips = distance(word, len, name, name_len);
    return slips <= most ? (int)slips : -1;
}

/* Usual names of images, mostly those of their files, and the value that is meant. */
static const char *find_alias(const struct values *values, const char *text, size_t len)
{
    static const char *const aliases[][2] = {
        {"e01", "ewf"}, {"encase", "ewf"}, {"dd", "raw"}, {"img", "raw"}};

    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strlen(aliases[i][0]) == len && strncasecmp(aliases[i][0], text, len) == 0 &&
            values_find(values, aliases[i][1], strlen(aliases[i][1])) >= 0)
            return aliases[i][1];
    return NULL;
}

const char *values_nearest(const struct values *values, const char *text, size_t len)
{
    const char *nearest = find_alias(values, text, len), *name;
    int fewest = 0;

    for (size_t i = 0; (name = values->name(values->table, i)); i++) {
        const int slips = values_slips(text, len, name);

        if (slips >= 0 && (!nearest || slips < fewest)) {
            nearest = name;
            fewest = slips;
        }
    }
    return nearest;
}

/* ---- listing them ---- */

void values_add(const struct values *values, const char *separator, struct buffer *out)
{
    const char *name;

    for (size_t i = 0; (name = values->name(values->table, i)); i++)
        buffer_printf(out, "%s%s", i ? separator : "", name);
}

void values_explain(const struct values *values, const char *text, size_t len, struct buffer *out)
{
    const char *nearest = values_nearest(values, text, len);

    buffer_printf(out, "unknown %s '%.*s'", values->one, (int)(len < 100 ? len : 100), text);
    if (nearest)
        buffer_printf(out, " (did you mean %s?)", nearest);
    buffer_printf(out, "; the %s are ", values->many);
    values_add(values, ", ", out);
    buffer_add_char(out, '\0');
}
