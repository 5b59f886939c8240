/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LS_VALUES_H
#define KITH_LS_VALUES_H

#include "base/digest.h"
#include "disk/object.h"
#include "evidence/evidence_sink.h"
#include "report/report_values.h"

/* Values of objects as text, the same in all forms of kith ls. */

/* Nothing if there is no such time. */
void ls_values_stamp(struct buffer *out, const struct object_stamp *stamp, enum report_zone zone);
/* Whether times of this object are in UTC.  FAT stores local times of an unknown zone, and so does exFAT,
 * since libtsk does not apply its offset from UTC.  Times in containers are taken to be in UTC. */
bool ls_values_has_zone(const struct evidence_volume *volume, const struct object *object);
/* "ok", "partial: ...": the reason may contain text from the evidence. */
void ls_values_state(struct buffer *out, const struct object *object);
/* The properties that change how the content must be read. */
void ls_values_flags(struct buffer *out, const struct object *object);
/* Where its bytes lie in the image: "offset@image+length ...". */
void ls_values_runs(struct buffer *out, const struct object *object);
/* In hexadecimal digits; nothing if there is none of this kind. */
void ls_values_digest(struct buffer *out, const struct digest_values *values, enum digest_kind kind);

/* The path that follows in a list of paths. */
const char *ls_values_next(const char *path);

#endif
