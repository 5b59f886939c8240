/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LS_TEXT_H
#define KITH_LS_TEXT_H

#include "ls_report.h"

/* Shared by the human-readable formats of kith ls; most of these are operations of both. */

/* Adds a size in a column: "   14.7 MB". */
void ls_text_size(struct buffer *out, uint64_t bytes);

void ls_text_image(struct ls_report *report, const struct evidence_image *image);
/* "volume 2@1048576: ext4, 14.7 MB, Linux (0x83)" */
void ls_text_volume(struct ls_report *report, const struct evidence_volume *volume);
void ls_text_whole(struct ls_report *report, uint64_t size, const struct digest_values *values,
                   const struct digest_values *stored);
void ls_text_account(struct ls_report *report, const struct report_account *account);

#endif
