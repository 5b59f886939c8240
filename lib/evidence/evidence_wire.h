/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_EVIDENCE_WIRE_H
#define KITH_EVIDENCE_WIRE_H

#include "base/digest.h"
#include "base/wire.h"
#include "disk/disk.h"

/* Encoding and decoding, shared by parent and workers, of the parts of tasks and messages that are not plain
 * numbers or bytes. */
void evidence_put_system(struct buffer *out, const struct disk_system *system);
void evidence_get_system(struct wire *wire, struct disk_system *system);
void evidence_put_digests(struct buffer *out, const struct digest_values *values);
void evidence_get_digests(struct wire *wire, struct digest_values *values);

#endif
