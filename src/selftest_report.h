/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_REPORT_H
#define KITH_SELFTEST_REPORT_H

#include <time.h>

#include "selftest_facts.h"
#include "selftest_run.h"

/* The report of a self-test, in the order of the test reports of NIST's Computer Forensics Tool Testing. */
struct selftest_report {
    const struct selftest_run *run;
    const struct selftest_facts *tool, *machine, *programs; /* programs: those that make file systems */
    time_t started, ended;
};

/* What a group of cases is called, and what its rate means. */
struct selftest_report_group {
    const char *name;    /* "versions" */
    const char *summary; /* what its cases do */
    const char *rate;    /* "missed" */
    double nominal;      /* the rate that kith itself states, from 0 to 1; 0: it states none */
};
extern const struct selftest_report_group selftest_report_groups[SELFTEST_GROUPS];

/* The rate of errors of a group or case, from 0 to 1: trials that were missed; for unrelated content, objects
 * with an unfounded finding.  low, high: its 95 % interval. */
double selftest_report_rate(const struct selftest_case *test, double *low, double *high);

/* Append the whole report. */
void selftest_report_html(const struct selftest_report *report, struct buffer *out);
void selftest_report_csv(const struct selftest_report *report, struct buffer *out);
void selftest_report_json(const struct selftest_report *report, struct buffer *out);
/* A summary of a line for each group. */
void selftest_report_text(const struct selftest_report *report, struct buffer *out);

/* "2026-11-20T01:34:43Z" */
void selftest_report_time(time_t time, char out[32]);
/* Where the reference files come from. */
void selftest_report_source(const struct selftest_report *report, struct buffer *out);

#endif
