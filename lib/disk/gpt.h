/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_GPT_H
#define KITH_GPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Verifies a GUID partition table (UEFI Specification, chapter 5): the primary table at the start of a disk
 * and the backup at its end carry checksums.  Needed because of QUIRK_GPT_CHECKSUMS and QUIRK_GPT_LEFT_OVER.
 */
enum gpt_verdict {
    GPT_NONE,     /* there is none, and no sign of one */
    GPT_SOUND,    /* the primary table is intact and used as it is */
    GPT_REPAIRED, /* one copy is intact, but libtsk must be shown corrected first sectors to use it */
    GPT_DAMAGED,  /* there is or was one, and neither copy is intact */
};

struct gpt {
    enum gpt_verdict verdict;
    struct error fault; /* for GPT_REPAIRED and GPT_DAMAGED: what is wrong */
    /* For GPT_REPAIRED: the corrected first bytes of the disk; freed by gpt_release. */
    uint8_t *start;
    size_t start_len;
};

/* Must fill in zeros for bytes that cannot be read. */
typedef void gpt_read(void *arg, uint64_t offset, void *into, size_t len);

/*
 * sector_size: of the image; other sizes are tried too.  is_empty: the disk's first sectors hold nothing else
 * that is recognized, so that a table without its protective MBR is not a remnant of an earlier use.  0, or
 * -1 and fills err.
 */
int gpt_examine(struct gpt *gpt, uint64_t size, uint32_t sector_size, bool is_empty, gpt_read *read,
                void *arg, struct error *err);
void gpt_release(struct gpt *gpt);

#endif
