/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_GPT_H
#define KITH_GPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Whether a GUID partition table is what it was (UEFI Specification, chapter 5): the primary one at the
 * beginning of a disk and the backup at its end have checksums.  Because of QUIRK_GPT_CHECKSUMS and
 * QUIRK_GPT_LEFT_OVER.
 */
enum gpt_verdict {
    GPT_NONE,     /* there is none, and nothing announces one */
    GPT_SOUND,    /* the primary one is used as it is */
    GPT_REPAIRED, /* another view of the first sectors has to be shown, so that it is used */
    GPT_DAMAGED,  /* there is or was one, and neither of its two copies is sound */
};

struct gpt {
    enum gpt_verdict verdict;
    struct error fault; /* what is wrong, unless it is none or sound */
    /* If it is to be repaired: the first bytes of the disk as they should be; freed by gpt_release. */
    uint8_t *start;
    size_t start_len;
};

/* What cannot be read is to be zeros. */
typedef void gpt_read(void *arg, uint64_t offset, void *into, size_t len);

/*
 * sector_size: of the image; others are tried too.  is_empty: nothing else that is known begins at the disk's
 * first sector, so a table without its protective MBR is no left-over of a former use.
 */
int gpt_examine(struct gpt *gpt, uint64_t size, uint32_t sector_size, bool is_empty, gpt_read *read,
                void *arg, struct error *err);
void gpt_release(struct gpt *gpt);

#endif
