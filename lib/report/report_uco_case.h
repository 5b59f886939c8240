/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_UCO_CASE_H
#define KITH_REPORT_UCO_CASE_H

#include "report/report_stream.h"
#include "report/report_uco_write.h"

/* The names of the nodes that those of findings refer to. */
#define REPORT_UCO_CASE_ACTION "action"

/* Writes the context and the nodes of the investigation, the examiner, the scan, the tool and the evidence.
 * Returns 0; 1 if the stream has failed; -1 and fills err if the case cannot be read or memory runs out. */
int report_uco_case(struct report_stream *stream, struct report_uco_write *write, struct casefile *casefile,
                    struct error *err);

#endif
