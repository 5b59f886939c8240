/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_ACCOUNT_H
#define KITH_REPORT_ACCOUNT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "disk/account.h"

/*
 * The account of an image as a table: the number of objects and bytes of each kind in each volume.  What lies
 * between volumes is a part labelled "-".  All bytes add up to the size of the image.
 */
struct report_account_part {
    char *label;
    struct account_table table;
};

struct report_account {
    struct report_account_part *parts;
    size_t count;
};

/* Adds a table to the part with this label.  Returns -1 if memory runs out. */
int report_account_add(struct report_account *report, const char *label, const struct account_table *table);
/* Empties the account and frees its memory. */
void report_account_reset(struct report_account *report);
/* The number of bytes in all parts. */
uint64_t report_account_total(const struct report_account *report);

/* Append the account of a piece of evidence: human-readable, with each line indented; as CSV, strict or for
 * spreadsheets (csv_excel); as JSON Lines. */
void report_account_text(const struct report_account *report, struct buffer *out, unsigned indent);
void report_account_csv_header(struct buffer *out);
void report_account_csv(const struct report_account *report, struct buffer *out, const char *evidence);
void report_account_csv_excel(const struct report_account *report, struct buffer *out, const char *evidence);
void report_account_json(const struct report_account *report, struct buffer *out, const char *evidence);

#endif
