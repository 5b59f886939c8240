/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_ACCOUNT_H
#define KITH_REPORT_ACCOUNT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "disk/account.h"

/*
 * The account of an image as a table: objects and bytes by volume and kind.  What lies between volumes is one
 * part, "-".  All of it adds up to the size of the image.
 */
struct report_account_part {
    char *label;
    struct account_table table;
};

struct report_account {
    struct report_account_part *parts;
    size_t count;
};

/* -1 without memory. */
int report_account_add(struct report_account *report, const char *label, const struct account_table *table);
void report_account_reset(struct report_account *report);
uint64_t report_account_total(const struct report_account *report);

/* Human-readable, each line indented; CSV rows, or JSON Lines, of one piece of evidence. */
void report_account_text(const struct report_account *report, struct buffer *out, unsigned indent);
void report_account_csv_header(struct buffer *out);
void report_account_csv(const struct report_account *report, struct buffer *out, const char *evidence);
void report_account_csv_excel(const struct report_account *report, struct buffer *out, const char *evidence);
void report_account_json(const struct report_account *report, struct buffer *out, const char *evidence);

#endif
