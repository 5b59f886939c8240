/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_FORMATS_H
#define KITH_FORMATS_H

#include "options.h"
#include "values.h"

/*
 * The output formats of all commands: a table for each, whose rows --format FORM chooses from.  Older
 * options such as --csv are synonyms of a row.
 */
struct format {
    const char *name;    /* NULL ends a table */
    const char *synonym; /* the option that means the same, without its dashes; NULL: none */
    const void *writer;  /* ls, scan, report, lab: its operations */
    int number;          /* export: an enum export_form, or FORMAT_KDB; other commands: FORMAT_* */
};

enum { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON, FORMAT_HTML, FORMAT_KDB = 100 };

/* The names of the tables' rows; table is the table itself. */
extern const struct values formats_ls, formats_rows /* scan, report */, formats_export, formats_compare,
    formats_sign, formats_sets_list, formats_sets_info, formats_cluster, formats_sets /* list and info */,
    formats_lab;

/* What the options chose.  A choice of zeros is none. */
struct format_choice {
    const struct format *format; /* NULL: none, the command decides */
    char option[40];             /* as it was given: "--csv", "--format csv" */
};

/*
 * Takes --format or one of its synonyms; the table is that of the command's --format.  Returns -1 after an
 * error was shown: the format is unknown, or is not the one that was chosen before.
 */
int formats_take(struct format_choice *choice, const struct options *options);

/* The row of that name, or NULL; for a table that lacks some of the rows that --format accepts. */
const struct format *formats_find(const struct values *formats, const char *name);

#endif
