/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_JSONL_CASE_H
#define KITH_REPORT_JSONL_CASE_H

#include "base/json_write.h"
#include "case/casefile.h"
#include "report/report_stream.h"

/* The first line of a report as JSON Lines: what the case is about. */

/* The version of the schema, in every line: kith-report-json(5). */
#define REPORT_JSONL_SCHEMA "kith-report/1"

/* Writes the line.  Returns 0; 1 if the stream has failed; -1 and fills err if the case cannot be read or
 * memory runs out. */
int report_jsonl_case(struct report_stream *stream, struct casefile *casefile, struct error *err);

/* Writes digests as an object with a member for each; nothing if there are none. */
void report_jsonl_digests(struct json_write *out, const char *key, const struct digest_values *digests);

#endif
