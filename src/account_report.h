/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ACCOUNT_REPORT_H
#define KITH_ACCOUNT_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "disk/account.h"

/*
 * The account of an image as a table: objects and bytes by volume and kind.  What lies between volumes is one
 * part, "-".  All of it adds up to the size of the image.
 */
struct account_part {
    char *label;
    struct account_table table;
};

struct account_report {
    struct account_part *parts;
    size_t count;
};

/* -1 without memory. */
int account_report_add(struct account_report *report, const char *label, const struct account_table *table);
void account_report_reset(struct account_report *report);
uint64_t account_report_total(const struct account_report *report);

/* Human-readable, each line indented; CSV rows, or JSON Lines, of one piece of evidence. */
void account_report_text(const struct account_report *report, struct buffer *out, unsigned indent);
void account_report_csv_header(struct buffer *out);
void account_report_csv(const struct account_report *report, struct buffer *out, const char *evidence);
void account_report_json(const struct account_report *report, struct buffer *out, const char *evidence);

#endif
