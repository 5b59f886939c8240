/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_text_legend.h"

#include <string.h>

#include "report/report_columns.h"

static void add_legend(struct buffer *out, unsigned width, const char *term, const char *text)
{
    struct report_columns_lines lines = {.out = out, .width = width, .indent = 13, .column = 13};

    buffer_printf(lines.out, "%-12s ", term);
    report_columns_text(&lines, text, strlen(text));
    buffer_add_char(lines.out, '\n');
}

/* The terms of NIST SP 800-168, Approximate Matching. */
static const char standard[] =
    "feature: a window of 12 bytes; extraction: Mod_C, about one window in C, selected by its hash; "
    "similarity "
    "function: the share of common features, as resemblance or containment; score: this share, weighed by "
    "how "
    "much content matches and how rare it is. E, edits and proof are "
    "supplementary. \"identical\" is an equal cryptographic hash, not approximate matching.";

static void add_finding_terms(struct buffer *out, unsigned width)
{
    add_legend(out, width, "E",
               "expected number of matches this good by chance alone, against the whole set; 1.0e-300 "
               "also stands for less");
    add_legend(
        out, width, "proof",
        "sha1: the SHA-1 of the whole content is equal; blocks k/n: k of the reference's n blocks were "
        "found with equal SHA-1; members k/n: both are containers, and k of the reference's n members were "
        "found "
        "with equal SHA-1; estimate: inferred from samples, nothing proved by hash");
    add_legend(out, width, "score",
               "how significant the finding is, 0 to 1: the resemblance of a variant, else the containment, "
               "reduced if little matches or many references have it");
    add_legend(out, width, "resemblance",
               "the samples that both have, as a share of those that either has: 0 to 1");
    add_legend(out, width, "containment", "the share of the reference's samples that the object has: 0 to 1");
    add_legend(out, width, "edits",
               "how many bytes differ: an estimate, and an interval that contains the distance in 95 % of "
               "cases");
}

void report_text_legend(struct buffer *out, unsigned width, bool findings, bool strips)
{
    if (findings)
        add_finding_terms(out, width);
    if (findings && strips)
        add_legend(out, width, "strip",
                   "the object or chunk from its first byte to its last: a letter for each matching range, "
                   "in lower case "
                   "where only part of the cell matches; a dot where nothing does");
    add_legend(out, width, "SP 800-168", standard);
}
