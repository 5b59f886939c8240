/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/escape.h"
#include "explain_inner.h"
#include "set_limits.h"

struct search {
    struct buffer prefix;
    struct buffer limits; /* escaped, with a zero at the end; empty if there are none */
};

/* The last ones are those of the scan with the set as it is in the case. */
static void compare_entry(void *arg, const struct case_entry *entry)
{
    struct search *search = arg;
    const size_t len = search->prefix.len;

    if (search->prefix.failed || strncmp(entry->text, search->prefix.data, len) != 0)
        return;
    buffer_reset(&search->limits);
    escape_text(&search->limits, entry->text + len, strlen(entry->text + len));
    buffer_add_char(&search->limits, '\0');
}

/* What was found in tests with sets as they are made by default. */
static void put_usual(struct explain_text *text, uint64_t ref_size)
{
    const uint64_t mebibyte = 1 << 20;

    explain_paragraph(text,
                      "Smaller parts may be missed. Of fragments of files as large as this reference, about "
                      "three in four were found in tests with the default settings if they had at least %s.",
                      ref_size <= mebibyte        ? "2 KiB"
                      : ref_size <= 4 * mebibyte  ? "4 KiB"
                      : ref_size <= 16 * mebibyte ? "8 KiB"
                                                  : "16 KiB");
}

/* The limits of the set, if the log has them. */
static void put_smallest(struct explain_text *text, struct casefile *casefile, const struct case_row *row)
{
    struct search search = {0};

    set_limits_begin(row->set->name, &search.prefix);
    if (casefile_read_log(casefile, compare_entry, &search, NULL) == 0 && search.limits.len &&
        !search.limits.failed)
        explain_paragraph(text,
                          "Smaller parts may be missed. With this set and the options of this scan, %d %% of "
                          "copied fragments are found%s.",
                          SET_LIMITS_PERCENT, search.limits.data);
    else
        put_usual(text, row->finding.ref_size);
    buffer_release(&search.prefix);
    buffer_release(&search.limits);
}

void explain_limits(struct explain_text *text, struct casefile *casefile, const struct case_row *row)
{
    explain_heading(text, "What this does not show");
    explain_paragraph(text, "It shows that contents agree. It does not show which came first, who made "
                            "either, or whether anyone opened it; nor that contents mean the same.");
    put_smallest(text, casefile, row);
    explain_paragraph(text,
                      "Content that is encrypted, packed in a container that was not opened, or encoded "
                      "differently is not recognised, and content of which more than a fifth was "
                      "changed at random is usually missed. That nothing else was found does not prove "
                      "that there is nothing.");
}
